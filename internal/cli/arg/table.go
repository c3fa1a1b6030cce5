package arg

import (
	"slices"

	"github.com/memtui/memtui/export/report"
)

// Table is the name of a table as the user writes it. Which there are depends on the file, which is not known when
// flags are read.
type Table string

// String returns the name, "" for a name that no file has a table of: the parser of flags lets that pass, and who knows
// the file refuses it with the names that there are.
func (t Table) String() string {
	if slices.Contains(report.EveryTable(), string(t)) {
		return string(t)
	}
	return ""
}
