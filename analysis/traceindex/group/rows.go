package group

import (
	"context"
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
	tree   []nodeSum // by node, if the totals of functions are computed from them
	Bare   bool      // stacks without frames have had their frames hidden by a filter
	Rows   []analysis.Function
}

// nodeSum is what the stacks allocate that a node is part of.
type nodeSum struct{ bytes, count uint64 }

// add adds allocations. Sums of bytes stay at the maximum.
func (s *nodeSum) add(o nodeSum) {
	s.bytes, _ = model.SaturatingAdd(s.bytes, o.bytes)
	s.count += o.count
}

// stepsPerNode is how many steps along stacks take as long as one node of the tree.
const stepsPerNode = 4

// NewFunctionTable returns an empty table of the functions of s, which may be nil. steps is the number of frames of all
// stacks that will be added.
func NewFunctionTable(ctx context.Context, s *model.Stacks, steps int) *functionTable {
	t := &functionTable{stacks: s, byName: map[string]int{}}
	if s == nil {
		return t
	}
	t.byID = slices.Repeat([]int{-1}, len(s.Functions))
	if nodes := len(s.Parent); steps/stepsPerNode > nodes && model.BudgetOf(ctx).Fits(int64(nodes)*(16+1+calltree.OutermostBytes)) {
		t.tree = make([]nodeSum, nodes)
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

// rowOf returns the row of a node's function.
func (t *functionTable) rowOf(n model.NodeID) int {
	f := t.stacks.FrameFunc[t.stacks.Frame[n]]
	if t.byID[f] < 0 {
		t.byID[f] = t.row(t.stacks.Functions[f])
	}
	return t.byID[f]
}

// Add counts one stack's allocations.
func (t *functionTable) Add(id model.StackID, bytes, count uint64) {
	t.stack++
	sum := nodeSum{bytes, count}
	leaf, ok := t.stacks.Node(id)
	if ok && leaf == 0 && t.Bare {
		t.count(t.row(calltree.NoFrames), sum, true)
		return
	}
	if !ok || leaf == 0 {
		t.count(t.row(model.UnknownStack(id)), sum, true)
		return
	}
	if t.tree != nil {
		own := &t.Rows[t.rowOf(leaf)]
		addTo(&own.SelfBytes, &own.SelfCount, sum)
		t.tree[leaf].add(sum)
		return
	}
	for n := leaf; n != 0; n = t.stacks.Parent[n] {
		t.count(t.rowOf(n), sum, n == leaf)
	}
}

func (t *functionTable) count(row int, sum nodeSum, self bool) {
	r := &t.Rows[row]
	if t.seen[row] != t.stack {
		t.seen[row] = t.stack
		addTo(&r.TotalBytes, &r.TotalCount, sum)
	}
	if self {
		addTo(&r.SelfBytes, &r.SelfCount, sum)
	}
}

func addTo(bytes, count *uint64, sum nodeSum) {
	*bytes, _ = model.SaturatingAdd(*bytes, sum.bytes)
	*count += sum.count
}

// Complete adds what is counted by node, once all stacks are added. The error is that of ctx.
func (t *functionTable) Complete(ctx context.Context) error {
	if t.tree == nil {
		return nil
	}
	selected, of := make([]bool, len(t.tree)), make([]uint32, len(t.stacks.FrameFunc))
	for n := len(t.tree) - 1; n > 0; n-- { // children come after their parents
		if t.tree[n].count > 0 {
			t.tree[t.stacks.Parent[n]].add(t.tree[n])
			of[t.stacks.Frame[n]], selected[n] = uint32(t.rowOf(model.NodeID(n))), true
		}
	}
	return calltree.EachOutermost(ctx, t.stacks, of, len(t.Rows), selected, func(n model.NodeID, row uint32) {
		addTo(&t.Rows[row].TotalBytes, &t.Rows[row].TotalCount, t.tree[n])
	})
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
