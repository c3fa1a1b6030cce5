package group

import (
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// Changed returns a live level after a block of the given size is born or ends.
func Changed(live, size uint64, how column.Change) uint64 {
	if how == column.Born {
		s, _ := model.SaturatingAdd(live, size)
		return s
	}
	return live - min(size, live)
}

// NameSites sets the names of rows, which were grouped by f and may be a part of all.
func (ix *Names) NameSites(by analysis.Group, f *Fold, rows []analysis.Site) {
	s := ix.Stacks()
	if f != nil {
		s = f.stacks
	}
	var shown []label
	switch {
	case by == analysis.ByStack && f != nil:
		shown = f.labels
	case by == analysis.ByStack:
		shown = ix.labelsOf(s)
	}
	for i := range rows {
		r := &rows[i]
		switch {
		case by == analysis.ByStack:
			l := &shown[r.Key]
			r.Stack = ix.Ids[r.Key]
			r.Name, r.Where, r.Node = l.name, l.where, l.leaf
		case f != nil:
			r.Name = f.Names[r.Key]
			r.Node, _ = s.Node(r.Stack)
		default:
			r.Name = ix.dimensionName(by, r.Key)
		}
	}
}

// functionTable sums up allocations per function name: ids with the same name are one function.
type functionTable struct {
	stacks *model.Stacks
	byName map[string]int
	byID   []int // row of a FuncID, -1 while it has none
	seen   []int // by row: the last stack that was counted there
	stack  int
	Bare   bool // stacks without frames have had their frames hidden by a filter
	Rows   []analysis.Function
}

// NewFunctionTable returns an empty table of the functions of s, which may be nil.
func NewFunctionTable(s *model.Stacks) *functionTable {
	t := &functionTable{stacks: s, byName: map[string]int{}}
	if s != nil {
		t.byID = slices.Repeat([]int{-1}, len(s.Functions))
	}
	return t
}

func (t *functionTable) row(name string) int {
	i, ok := t.byName[name]
	if !ok {
		i = len(t.Rows)
		t.byName[name] = i
		t.Rows = append(t.Rows, analysis.Function{Name: name})
		t.seen = append(t.seen, 0)
	}
	return i
}

// Add counts one stack's allocations.
func (t *functionTable) Add(id model.StackID, bytes, count uint64) {
	t.stack++
	leaf, ok := t.stacks.Node(id)
	if ok && leaf == 0 && t.Bare {
		t.count(t.row(calltree.NoFrames), bytes, count, true)
		return
	}
	if !ok || leaf == 0 {
		t.count(t.row(model.UnknownStack(id)), bytes, count, true)
		return
	}
	for n := leaf; n != 0; n = t.stacks.Parent[n] {
		f := t.stacks.FrameFunc[t.stacks.Frame[n]]
		if t.byID[f] < 0 {
			t.byID[f] = t.row(t.stacks.Functions[f])
		}
		t.count(t.byID[f], bytes, count, n == leaf)
	}
}

func (t *functionTable) count(row int, bytes, count uint64, self bool) {
	r := &t.Rows[row]
	if t.seen[row] != t.stack {
		t.seen[row] = t.stack
		r.TotalBytes, _ = model.SaturatingAdd(r.TotalBytes, bytes)
		r.TotalCount += count
	}
	if self {
		r.SelfBytes, _ = model.SaturatingAdd(r.SelfBytes, bytes)
		r.SelfCount += count
	}
}

// AddEnded adds the blocks that ended between two states of a key's sums.
func AddEnded(s *analysis.Site, before, after *column.Cell) {
	if after.EndedCount == before.EndedCount {
		return
	}
	ended, over := after.EndedBytes-before.EndedBytes, after.OverBytes-before.OverBytes
	endedCount, overCount := after.EndedCount-before.EndedCount, after.OverCount-before.OverCount
	s.OverwrittenBytes, _ = model.SaturatingAdd(s.OverwrittenBytes, over)
	s.OverwrittenCount += uint64(overCount)
	s.FreedBytes, _ = model.SaturatingAdd(s.FreedBytes, ended-min(over, ended)) // smaller only if a sum saturated
	s.FreedCount += uint64(endedCount - overCount)
}
