package analysis

import "github.com/memtui/memtui/model"

// ColumnEdge returns the end of column i-1 of n equal columns of (from, to].
func ColumnEdge(from, to model.Time, i, n int) model.Time {
	span := uint64(to - from)
	return from + model.Time(span/uint64(n)*uint64(i)+span%uint64(n)*uint64(i)/uint64(n))
}
