package analysis

import "github.com/memtui/memtui/model"

// ColumnEdge returns the end of column i-1 of n equal columns of (from, to].
func ColumnEdge(from, to model.Time, i, n int) model.Time {
	span := uint64(to - from)
	return from + model.Time(span/uint64(n)*uint64(i)+span%uint64(n)*uint64(i)/uint64(n))
}

// LiveQuery asks for the live bytes over time of some blocks.
type LiveQuery struct {
	Range   Range
	Columns int
	Cell    Cell    // only blocks in it
	By      Group   // how the keys in Parts are grouped
	Parts   [][]Key // groups of blocks in the cell, each with a curve of its own; a key is in at most one part
	ByLife  bool    // the parts are all classes of lifetimes instead, from 0 to [NeverFreed]
}

// LiveCurves is the answer to a [LiveQuery]: columns like those of [Trace.Curve]. Event counts include only events that
// change the chosen blocks.
type LiveCurves struct {
	All     []Column
	Parts   [][]Column // one per part of the query
	Peak    Peak       // of All, after any event of the range
	HasPeak bool       // false where the range has no event
}
