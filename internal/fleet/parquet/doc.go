// Package parquet keeps a fleet in a folder of Parquet files, which any engine reads:
// TABLE/service=SERVICE/date=DATE/ID.parquet. Files are written next to their place and renamed, that of the table
// recordings last: what has no row there answers no question. Compacting replaces the files of a day by one.
//
// The library that reads and writes them makes the program half as large again, so it is linked only where the program is
// built with -tags parquet.
package parquet

import "strings"

// encoded returns a name as a part of a path that means the same to every system, and to engines that read the values of
// partitions: each byte other than letters, digits, - and _ is %XX. No part is empty.
func encoded(name string) string {
	const digits = "0123456789ABCDEF"
	var out strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			out.WriteByte(c)
		default:
			out.WriteString("%" + digits[c>>4:c>>4+1] + digits[c&15:c&15+1])
		}
	}
	if out.Len() == 0 {
		return "__HIVE_DEFAULT_PARTITION__"
	}
	if out.Len() > 200 { // of the 255 bytes that systems allow
		return out.String()[:160] + "-" + digest(name)
	}
	return out.String()
}
