// Package parquet keeps a fleet in a folder of Parquet files, which any engine reads:
// TABLE/service=SERVICE/date=DATE/ID.parquet. Files are written next to their place and renamed, that of the table
// recordings last: what has no row there answers no question. Compacting replaces the files of a day by one.
//
// The library that reads and writes them makes the program nearly twice as large, so it is linked only where the program is
// built with -tags parquet.
package parquet

// Compacted counts files and their bytes, before and after.
type Compacted struct {
	Before, After int
	From, To      int64
	Damaged       []string // files that could not be read, and why
}
