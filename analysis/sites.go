package analysis

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// changed is a live level after a block of the size is born or ends.
func changed(live, size uint64, how change) uint64 {
	if how == born {
		s, _ := model.SaturatingAdd(live, size)
		return s
	}
	return live - min(size, live)
}

// nameSites fills the names of rows, which may be a part of all and were put together by f.
func (ix *names) nameSites(by Group, f *fold, rows []Site) {
	s := ix.stacks()
	if f != nil {
		s = f.stacks
	}
	var shown []label
	switch {
	case by == ByStack && f != nil:
		shown = f.labels
	case by == ByStack:
		shown = ix.labelsOf(s)
	}
	for i := range rows {
		r := &rows[i]
		switch {
		case by == ByStack:
			l := &shown[r.Key]
			r.Stack = ix.stackIDs[r.Key]
			r.Name, r.Where, r.Node = l.name, l.where, l.leaf
		case f != nil:
			r.Name = f.names[r.Key]
			r.Node, _ = s.Node(r.Stack)
		default:
			r.Name = ix.dimensionName(by, r.Key)
		}
	}
}

// Cost is the row's figure of one cost. CostPeak is what lives at the instant, which the caller chose to be the peak.
func (s *Site) Cost(c Cost) uint64 {
	switch c {
	case CostLive, CostPeak:
		return s.LiveBytes
	case CostLiveCount:
		return s.LiveCount
	case CostTotal:
		return s.AllocBytes
	case CostCount:
		return s.AllocCount
	case CostLeaked:
		return s.LeakBytes
	}
	return s.Temporary
}

// functionTable sums up allocations per function name: two ids of one name are one function.
type functionTable struct {
	stacks *model.Stacks
	byName map[string]int
	byID   []int // row of a FuncID, -1 while it has none
	seen   []int // by row: the last stack that counted there
	stack  int
	bare   bool // stacks without frames have lost them to a filter
	rows   []Function
}

func newFunctionTable(s *model.Stacks) *functionTable {
	t := &functionTable{stacks: s, byName: map[string]int{}}
	if s != nil {
		t.byID = slices.Repeat([]int{-1}, len(s.Functions))
	}
	return t
}

func (t *functionTable) row(name string) int {
	i, ok := t.byName[name]
	if !ok {
		i = len(t.rows)
		t.byName[name] = i
		t.rows = append(t.rows, Function{Name: name})
		t.seen = append(t.seen, 0)
	}
	return i
}

// add counts one stack's allocations.
func (t *functionTable) add(id model.StackID, bytes, count uint64) {
	t.stack++
	leaf, ok := t.stacks.Node(id)
	if ok && leaf == 0 && t.bare {
		t.count(t.row(NoFrames), bytes, count, true)
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
	r := &t.rows[row]
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

// SortSites orders rows by a figure, largest first, ties by count and then by stack id.
func SortSites(rows []Site, figure func(*Site) uint64, count func(*Site) uint64) {
	slices.SortFunc(rows, func(a, b Site) int {
		return cmp.Or(cmp.Compare(figure(&b), figure(&a)), cmp.Compare(count(&b), count(&a)),
			cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
	})
}
