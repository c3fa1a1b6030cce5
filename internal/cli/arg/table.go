package arg

import (
	"slices"

	"github.com/memtui/memtui/export/report"
)

// Table is the name of a table as the user writes it. The available tables depend on the file, which is unknown when
// flags are read.
type Table string

// String returns the name, or "" if no kind of file has a table of that name. The parser of flags accepts unknown
// names; they are rejected once the file is known, with a list of the available tables.
func (t Table) String() string {
	if slices.Contains(report.EveryTable(), string(t)) {
		return string(t)
	}
	return ""
}
