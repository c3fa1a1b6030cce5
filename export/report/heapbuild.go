package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/model"
)

// HeapLists says which lists a report about snapshots has.
type HeapLists uint8

// The lists, to be added up.
const (
	ListSnapshots HeapLists = 1 << iota
	ListTypes
	ListFrames
	ListDominators
	ListSuspects
	EveryList = ListSnapshots | ListTypes | ListFrames | ListDominators | ListSuspects
)

// HeapOptions say what a report about snapshots is about.
type HeapOptions struct {
	Schema   string // of the object
	Snapshot int    // what types, frames and dominators are about; -1 for none of them
	Lists    HeapLists
	Edges    heapgraph.Policy
	By       string // sort key of the lists that have it, one of [HeapSortKeys]; "" is each list's own
	Limit    int    // rows per list, but for snapshots; 0 is all

	Graph func(*heapgraph.Graph) // is given the graph of the chosen snapshot, where there is one; may be nil
}

// BuildHeap answers the questions of opt about the snapshots of p. To count them, it decodes every whole snapshot, one
// after the other, the chosen one last, and keeps none. One that cannot be decoded is a problem of the report. The only errors are those of ctx.
func BuildHeap(ctx context.Context, p *model.Profile, opt HeapOptions) (*Report, error) {
	r := newHeapReport(opt.Schema, p)
	b := &heapBuilder{ctx: ctx, src: p.Heaps, opt: opt, report: r}
	if opt.Lists&ListSnapshots != 0 {
		r.Heap.Snapshots = make([]Snapshot, p.Heaps.Len())
	}
	if opt.Lists&ListSuspects != 0 {
		b.toCount = suspects.Counted(p.Heaps, opt.Snapshot)
	}
	for i := range p.Heaps.Len() {
		if i == opt.Snapshot {
			continue
		}
		if err := b.snapshot(i); err != nil {
			return nil, err
		}
	}
	if opt.Snapshot >= 0 && opt.Snapshot < p.Heaps.Len() {
		if err := b.snapshot(opt.Snapshot); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// NewHeapReport returns a report about one decoded snapshot, to be filled in.
func NewHeapReport(p *model.Profile, snapshot int, edges heapgraph.Policy) *Report {
	r := newHeapReport(SchemaHeap, p)
	info := newSnapshot(p.Heaps.Schema(), snapshot, p.Heaps.Info(snapshot))
	r.Heap.Snapshot, r.Heap.shown, r.Time.At = &snapshot, info, info.Time
	r.Heap.follow(edges)
	return r
}

func newHeapReport(schema string, p *model.Profile) *Report {
	r := &Report{Header: NewHeader(schema, p), Heap: &Heap{count: p.Heaps.Len(), schema: p.Heaps.Schema()}}
	if n := p.Heaps.Len(); n > 0 {
		r.Time.Duration = newSnapshot(p.Heaps.Schema(), n-1, p.Heaps.Info(n-1)).Time
	}
	return r
}

// follow notes the references that retained sizes follow.
func (h *Heap) follow(edges heapgraph.Policy) {
	h.policy = edges.Of(h.schema)
	h.Edges = h.policy.Name
}

// WholeSnapshot returns the last snapshot of which nothing is missing, -1 when there is none.
func WholeSnapshot(src model.HeapSource) int {
	for i := src.Len() - 1; i >= 0; i-- {
		if src.Info(i).Complete {
			return i
		}
	}
	return -1
}

// heapBuilder carries what the steps of one BuildHeap share.
type heapBuilder struct {
	ctx    context.Context
	src    model.HeapSource
	opt    HeapOptions
	report *Report

	toCount []int             // snapshots whose objects are counted, for suspects
	counted []suspects.Census // of those but the chosen one
}

// snapshot adds snapshot i, and the lists about it when it is the chosen one.
func (b *heapBuilder) snapshot(i int) error {
	info := b.src.Info(i)
	out, chosen := newSnapshot(b.src.Schema(), i, info), i == b.opt.Snapshot
	var h *model.Heap
	if chosen || info.Complete && b.opt.Lists&ListSnapshots != 0 || slices.Contains(b.toCount, i) {
		var err error
		if h, err = b.src.Open(b.ctx, i, nil); err != nil {
			if b.ctx.Err() != nil {
				return b.ctx.Err()
			}
			if !b.short(err, fmt.Sprintf("snapshot %d was not decoded", i)) {
				b.damaged(&out, err)
			} else if chosen {
				b.report.Heap.left = leftOut{"types", "frames", "dominators", "suspects"}
			}
			h = nil
		}
	}
	if h != nil && info.Complete {
		if !h.Complete {
			b.damaged(&out, errors.New("parts of it are missing"))
		}
		out.count(h.Schema, heapgraph.Sum(h))
	}
	if b.opt.Lists&ListSnapshots != 0 {
		b.report.Heap.Snapshots[i] = out
	}
	if !chosen && h != nil && h.Complete && slices.Contains(b.toCount, i) {
		b.counted = append(b.counted, suspects.Count(h, i))
	}
	if !chosen {
		return nil
	}
	b.report.Heap.Snapshot, b.report.Heap.shown, b.report.Time.At = &i, out, out.Time
	if h == nil {
		return nil
	}
	return b.lists(h)
}

// short reports whether err is that there is no memory for something, and notes what follows from it.
func (b *heapBuilder) short(err error, what string) bool {
	short := (*model.MemoryError)(nil)
	if !errors.As(err, &short) {
		return false
	}
	p := newProblem(model.BudgetOf(b.ctx).Problem(what))
	if !slices.ContainsFunc(b.report.Problems, func(q Problem) bool { return q.Code == p.Code && q.Message == p.Message }) {
		b.report.Problems = append(b.report.Problems, p)
	}
	b.report.Complete = false
	return true
}

// damaged notes a snapshot that is not what its headers say.
func (b *heapBuilder) damaged(s *Snapshot, err error) {
	s.Complete, b.report.Complete = false, false
	b.report.Problems = append(b.report.Problems, newProblem(model.Problem{
		Severity: model.Error, Code: "snapshot-unreadable", Count: 1, Offset: model.NoOffset,
		Message: fmt.Sprintf("snapshot %d cannot be read: %v", s.Index, err),
	}))
}

// count puts sums over all rows in the place of what headers say.
func (s *Snapshot) count(schema *model.HeapSchema, t heapgraph.Totals) {
	bytes := t.Bytes()
	s.Rows, s.References, s.Bytes = &t.Rows, &t.References, &bytes
	s.Managed, s.Unmanaged = part(schema, t.ManagedBytes), part(schema, t.UnmanagedBytes)
	for i := range s.HeapCounts {
		s.HeapCounts[i].N = &t.Counts[i]
	}
}

// lists fills in what is said about the chosen snapshot. A cut one has no graph: references that are missing would make
// everything look unreachable.
func (b *heapBuilder) lists(h *model.Heap) error {
	var graph *heapgraph.Graph
	if h.Complete && b.opt.Lists&^ListSnapshots != 0 {
		var err error
		if graph, err = heapgraph.NewGraph(b.ctx, h, b.opt.Edges); err != nil && !b.short(err, "dominators and retained sizes were left out") {
			return err
		}
		if err != nil {
			b.report.Heap.left = leftOut{"dominators", "suspects"}
		}
		b.report.Heap.follow(b.opt.Edges)
		if graph != nil {
			b.reach(graph)
		}
		if b.opt.Graph != nil && graph != nil {
			b.opt.Graph(graph)
		}
	}
	if b.opt.Lists&^ListSnapshots != 0 {
		b.report.Heap.Counts = &HeapLengths{}
	}
	if b.opt.Lists&ListSuspects != 0 && graph != nil {
		if err := b.suspects(graph); err != nil {
			return err
		}
	}
	if b.opt.Lists&ListTypes != 0 {
		if err := b.types(h, graph); err != nil {
			return err
		}
	}
	if b.opt.Lists&ListFrames != 0 {
		if err := b.frames(h, graph); err != nil {
			return err
		}
	}
	if b.opt.Lists&ListDominators != 0 && graph != nil {
		b.dominators(graph)
	}
	return nil
}

// reach notes what of the chosen snapshot the root reaches.
func (b *heapBuilder) reach(g *heapgraph.Graph) {
	if !g.Heap.Schema.Garbage {
		return
	}
	all := g.Retained[model.RootRow] - g.UnreachableBytes
	reach := HeapReach{{&all, &g.UnreachableBytes, &g.Unreachable}}
	if b.opt.Lists&ListSnapshots != 0 {
		b.report.Heap.Snapshots[b.opt.Snapshot].HeapReach = reach
	}
	b.report.Heap.shown.HeapReach = reach
}

// retained asks what the groups of a set retain: nil without a graph, and without those that take too long to find out.
func (b *heapBuilder) retained(g *heapgraph.Graph, set *model.HeapSet) (map[uint32]uint64, error) {
	if g == nil {
		return nil, nil
	}
	return g.RetainedBySets(b.ctx, set.Kinds)
}

func (b *heapBuilder) types(h *model.Heap, g *heapgraph.Graph) error {
	retained, err := b.retained(g, h.Schema.Objects())
	if err != nil {
		return err
	}
	groups := heapgraph.Types(h)
	sortGroups(groups, b.opt.By, retained)
	n := len(groups)
	b.report.Heap.Counts.Types = &n
	b.report.Heap.Types = []HeapType{}
	for _, t := range limit(groups, b.opt.Limit) {
		b.report.Heap.Types = append(b.report.Heap.Types, HeapType{
			ID: t.ID, Type: t.Name, HeapPlaces: newPlaces(h, t.ID), Count: t.Count, Bytes: t.Bytes(),
			Managed: part(h.Schema, t.ManagedBytes), Unmanaged: part(h.Schema, t.UnmanagedBytes),
			Retained: retainedOf(retained, t.ID),
		})
	}
	return nil
}

func (b *heapBuilder) frames(h *model.Heap, g *heapgraph.Graph) error {
	set, _ := h.Schema.Frames()
	retained, err := b.retained(g, set)
	if err != nil {
		return err
	}
	groups := heapgraph.Frames(h)
	sortGroups(groups, b.opt.By, retained)
	n := len(groups)
	b.report.Heap.Counts.Frames = &n
	b.report.Heap.Frames = []HeapFrame{}
	for _, f := range limit(groups, b.opt.Limit) {
		out := HeapFrame{ID: f.ID, Frame: f.Name, Count: f.Count, Bytes: f.Bytes(), Retained: retainedOf(retained, f.ID)}
		if f.File != "" || f.Line != model.NoLine {
			out.File = &f.File
		}
		if f.Line != model.NoLine {
			out.Line = &f.Line
		}
		b.report.Heap.Frames = append(b.report.Heap.Frames, out)
	}
	return nil
}

// retainedOf returns what a group retains, nil where that is not known.
func retainedOf(retained map[uint32]uint64, id uint32) *uint64 {
	n, ok := retained[id]
	if !ok {
		return nil
	}
	return &n
}

// HeapSortKeys names the ways to sort types and frames, the default first.
func HeapSortKeys() []string {
	return []string{"bytes", "count", "managed_bytes", "unmanaged_bytes", "retained_bytes"}
}

// sortGroups orders groups by a key, highest first, ties by count, then by id.
func sortGroups(groups []heapgraph.Group, by string, retained map[uint32]uint64) {
	key := func(g *heapgraph.Group) uint64 {
		switch by {
		case "count":
			return g.Count
		case "managed_bytes":
			return g.ManagedBytes
		case "unmanaged_bytes":
			return g.UnmanagedBytes
		case "retained_bytes":
			return retained[g.ID]
		}
		return g.Bytes()
	}
	slices.SortFunc(groups, func(x, y heapgraph.Group) int {
		return cmp.Or(cmp.Compare(key(&y), key(&x)), cmp.Compare(y.Count, x.Count), cmp.Compare(x.ID, y.ID))
	})
}

// dominators lists the rows that retain most; the recorder's own roots are left out.
func (b *heapBuilder) dominators(g *heapgraph.Graph) {
	rows, count := []model.Row{}, 0
	order := func(x, y model.Row) int {
		return cmp.Or(cmp.Compare(g.Retained[y], g.Retained[x]), cmp.Compare(g.RetainedCount(y), g.RetainedCount(x)), cmp.Compare(x, y))
	}
	real := g.Heap.Schema.Real()
	for i, k := range g.Heap.Kinds {
		if !real.Has(k) {
			continue
		}
		rows = append(rows, model.Row(i))
		count++
		if b.opt.Limit > 0 && len(rows) >= 16*b.opt.Limit { // most rows are never sorted
			slices.SortFunc(rows, order)
			rows = rows[:b.opt.Limit]
		}
	}
	slices.SortFunc(rows, order)
	b.report.Heap.Counts.Dominators = &count
	b.report.Heap.Dominators = []Dominator{}
	for _, row := range limit(rows, b.opt.Limit) {
		b.report.Heap.Dominators = append(b.report.Heap.Dominators, Dominator{
			Row: row, Kind: g.Heap.Kind(row).Name, Label: heapgraph.Label(g.Heap, row), HeapID: newID(g.Heap, row), Bytes: g.Heap.Bytes(row),
			RetainedBytes: g.Retained[row], RetainedCount: g.RetainedCount(row),
		})
	}
}
