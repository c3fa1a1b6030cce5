package analysis

import "github.com/memtui/memtui/model"

// ColumnEdge returns the end of column i-1 of n equal columns of (from, to].
func ColumnEdge(from, to model.Time, i, n int) model.Time {
	span := uint64(to - from)
	return from + model.Time(span/uint64(n)*uint64(i)+span%uint64(n)*uint64(i)/uint64(n))
}

// LiveQuery asks how the live bytes of some blocks develop.
type LiveQuery struct {
	Range   Range
	Columns int
	Cell    Cell    // only blocks in it
	By      Group   // of the keys in Parts
	Parts   [][]Key // groups of blocks in the cell that get a curve of their own; a key is in one part at most
}

// LiveCurves answers a [LiveQuery]: columns as [Trace] has them for all blocks. Counts of events are of those that
// change the blocks.
type LiveCurves struct {
	All     []Column
	Parts   [][]Column // by part of the query
	Peak    Peak       // of All, after any event of the range
	HasPeak bool       // false where the range has no event
}
