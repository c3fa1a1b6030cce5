package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
)

// HeapLists is a set of lists in a report about snapshots.
type HeapLists uint8

// The lists, to be combined with |.
const (
	ListSnapshots HeapLists = 1 << iota
	ListTypes
	ListFrames
	ListDominators
	ListSuspects
	ListGroups // groups of objects, by [HeapOptions].Group; not part of EveryList
	EveryList  = ListSnapshots | ListTypes | ListFrames | ListDominators | ListSuspects
)

// HeapOptions configures a report about snapshots.
type HeapOptions struct {
	Schema   string // of the object
	Snapshot int    // the snapshot for types, frames and dominators; -1 for none
	Lists    HeapLists
	Edges    heapgraph.Policy
	By       string // sort key of the lists that support it, one of [HeapSortKeys]; "" for each list's default
	Limit    int    // rows per list, except snapshots; 0 for all
	Group    string // grouping, one of [heapgraph.GroupKeys]
	// Below returns the row whose directly dominated rows are the dominators; nil for those that retain most of all.
	Below func(*model.Heap) (model.Row, error)
	Exact bool // compute what types and groups retain exactly, regardless of the time

	Graph func(*heapgraph.Graph) // called with the graph of the chosen snapshot, if there is one; may be nil
}

// BuildHeap returns a report about the snapshots of p, as opt requests. To count them, it decodes every complete
// snapshot, one after the other, the chosen one last, and keeps none. A snapshot that cannot be decoded is a problem of
// the report. The only errors are those of ctx and of opt.Below.
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
	b.trends()
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

// follow records the references that retained sizes follow.
func (h *Heap) follow(edges heapgraph.Policy) {
	h.policy = edges.Of(h.schema)
	h.Edges = h.policy.Name
}

// LastCompleteSnapshot returns the last complete snapshot, or -1 if there is none.
func LastCompleteSnapshot(src model.HeapSource) int {
	for i := src.Len() - 1; i >= 0; i-- {
		if src.Info(i).Complete {
			return i
		}
	}
	return -1
}

// heapBuilder holds the state that the steps of one BuildHeap share.
type heapBuilder struct {
	ctx    context.Context
	src    model.HeapSource
	opt    HeapOptions
	report *Report

	toCount []int             // snapshots whose objects are counted, for suspects
	counted []suspects.Census // censuses of these except the chosen one
	growing suspects.Growing  // over all decoded snapshots

	ahead func() (map[uint32]heapgraph.SetSize, error) // waits for what types retain; nil if computed later
}

// snapshot adds snapshot i, and its lists if it is the chosen one.
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
		if h != nil && h.Complete && info.Complete {
			if err := b.follow(h, i, &out, chosen); err != nil {
				return err
			}
		}
		b.report.Heap.Snapshots[i] = out
	}
	if !chosen && h != nil && h.Complete && slices.Contains(b.toCount, i) {
		b.counted = append(b.counted, suspects.Count(h, i, b.opt.Edges))
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

// follow adds what is tracked across snapshots: types, and what the root reaches (known of the chosen one anyway).
func (b *heapBuilder) follow(h *model.Heap, i int, s *Snapshot, chosen bool) error {
	b.growing.Add(h, i, b.opt.Edges)
	n := b.growing.TypesIn(i)
	s.Types = &n
	if chosen && b.opt.Lists&^ListSnapshots != 0 || !h.Schema.Garbage {
		return nil
	}
	err := model.BudgetOf(b.ctx).Try(b.ctx, "", func(ctx context.Context) error {
		h := h.Under(b.opt.Edges.Of(h.Schema))
		g, err := heapgraph.NewReferences(ctx, h, b.opt.Edges)
		if err != nil {
			return err
		}
		bytes, rows, err := g.RetainedByKinds(ctx, ^model.HeapKinds(0))
		if err != nil {
			return err
		}
		totals := heapgraph.Sum(h)
		left, lost := totals.Bytes()-bytes, h.Len()-int(rows)
		s.Reach = members.Reach{{Bytes: &bytes, UnreachableBytes: &left, UnreachableRows: &lost}}
		return nil
	})
	if err != nil && b.ctx.Err() == nil && b.short(err, fmt.Sprintf("what the root of snapshot %d reaches was left out", i)) {
		return nil
	}
	return err
}

// trends lists the types with the largest growth over several snapshots.
func (b *heapBuilder) trends() {
	if len(b.growing.Snapshots) < 2 {
		return
	}
	types := b.growing.Types(b.opt.By == "count")
	out := &HeapTrends{Snapshots: b.growing.Snapshots, Types: []HeapTrend{}, Count: len(types)}
	for i := range limit(types, b.opt.Limit) {
		t := &types[i]
		out.Types = append(out.Types, HeapTrend{t.Name, t.Sub, t.Bytes.Values, t.Count.Values, t.Bytes.Growth(), t.Count.Growth()})
	}
	b.report.Heap.Trends = out
}

// short reports whether err is a lack of memory, and records which part is missing because of it.
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

// damaged records that a snapshot does not match its headers.
func (b *heapBuilder) damaged(s *Snapshot, err error) {
	s.Complete, b.report.Complete = false, false
	b.report.Problems = append(b.report.Problems, newProblem(model.Problem{
		Severity: model.Error, Code: "snapshot-unreadable", Count: 1, Offset: model.NoOffset,
		Message: fmt.Sprintf("snapshot %d cannot be read: %v", s.Index, err),
	}))
}

// count replaces the figures from headers by sums over all rows.
func (s *Snapshot) count(schema *model.HeapSchema, t heapgraph.Totals) {
	bytes := t.Bytes()
	s.Rows, s.References, s.Bytes = &t.Rows, &t.References, &bytes
	s.Managed, s.Unmanaged = members.Part(schema, t.ManagedBytes), members.Part(schema, t.UnmanagedBytes)
	for i := range s.Counts {
		s.Counts[i].N = &t.Counts[i]
	}
}

// lists fills in the lists about the chosen snapshot. An incomplete snapshot has no graph: missing references would
// make everything look unreachable.
func (b *heapBuilder) lists(h *model.Heap) error {
	h = h.Under(b.opt.Edges.Of(h.Schema))
	var graph *heapgraph.Graph
	if h.Complete && b.opt.Lists&^ListSnapshots != 0 {
		var err error
		if graph, err = heapgraph.NewGraph(b.ctx, h, b.opt.Edges); err != nil &&
			!b.short(err, "dominators and retained sizes were left out") {
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
		if b.opt.Lists&ListTypes != 0 {
			defer b.retainAhead(graph)()
		}
		if err := b.suspects(graph); err != nil {
			return err
		}
		if b.ahead == nil {
			debug.FreeOSMemory() // what finding them took is as large as the graph
		}
	}
	if b.opt.Lists&ListTypes != 0 {
		if err := b.types(h, graph); err != nil {
			return err
		}
	}
	if b.opt.Lists&ListGroups != 0 {
		if err := b.groups(h, graph); err != nil {
			return err
		}
	}
	if b.opt.Lists&ListFrames != 0 {
		if err := b.frames(h, graph); err != nil {
			return err
		}
	}
	if b.opt.Lists&ListDominators != 0 && graph != nil {
		return b.dominators(graph)
	}
	return nil
}

// reach records how much of the chosen snapshot the root reaches.
func (b *heapBuilder) reach(g *heapgraph.Graph) {
	if !g.Heap.Schema.Garbage {
		return
	}
	all := g.Retained[model.RootRow] - g.UnreachableBytes
	reach := members.Reach{{Bytes: &all, UnreachableBytes: &g.UnreachableBytes, UnreachableRows: &g.Unreachable}}
	if b.opt.Lists&ListSnapshots != 0 {
		b.report.Heap.Snapshots[b.opt.Snapshot].Reach = reach
	}
	b.report.Heap.shown.Reach = reach
}

// retainAhead computes what types retain while suspects are searched, unless memory is limited or the snapshot is so
// large that both together take too much of it. The returned function waits for the result.
func (b *heapBuilder) retainAhead(g *heapgraph.Graph) (wait func()) {
	if model.BudgetOf(b.ctx) != nil || !g.HasSets(b.ctx) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(b.ctx)
	done := make(chan struct{})
	var sets map[uint32]heapgraph.SetSize
	var err error
	go func() {
		defer close(done)
		err = model.Guarded(func() (err error) {
			sets, err = g.RetainedByGroups(ctx, typesOf(g.Heap))
			return err
		})
	}()
	b.ahead = func() (map[uint32]heapgraph.SetSize, error) {
		<-done
		return sets, err
	}
	return func() {
		cancel()
		<-done
	}
}

// typesOf returns the grouping by type.
func typesOf(h *model.Heap) heapgraph.By { return heapgraph.By{Kinds: h.Schema.Objects().Kinds} }

func (b *heapBuilder) types(h *model.Heap, g *heapgraph.Graph) error {
	by := typesOf(h)
	groups := heapgraph.Groups(h, by)
	retained, err := b.retainedBy(g, by, groups)
	if err != nil {
		return err
	}
	b.bounds(g, limit(groups, b.opt.Limit), retained, "types")
	n := len(groups)
	b.report.Heap.Counts.Types = &n
	b.report.Heap.Types = []HeapType{}
	for _, t := range limit(groups, b.opt.Limit) {
		b.report.Heap.Types = append(b.report.Heap.Types, HeapType{
			ID: t.ID, Type: t.Name, Places: members.NewPlaces(h, t.ID), Count: t.Count, Bytes: t.Bytes(),
			Managed: members.Part(h.Schema, t.ManagedBytes), Unmanaged: members.Part(h.Schema, t.UnmanagedBytes),
			HeapRetained: newRetained(retained, t.ID),
		})
	}
	return nil
}

func (b *heapBuilder) frames(h *model.Heap, g *heapgraph.Graph) error {
	set, _ := h.Schema.Frames()
	by := heapgraph.By{Kinds: set.Kinds}
	groups := heapgraph.Groups(h, by)
	retained, err := b.retainedBy(g, by, groups)
	if err != nil {
		return err
	}
	b.bounds(g, limit(groups, b.opt.Limit), retained, "frames")
	n := len(groups)
	b.report.Heap.Counts.Frames = &n
	b.report.Heap.Frames = []HeapFrame{}
	for _, f := range limit(groups, b.opt.Limit) {
		b.report.Heap.Frames = append(b.report.Heap.Frames, newHeapFrame(h.Schema, f, retained))
	}
	return nil
}

func newHeapFrame(s *model.HeapSchema, f heapgraph.Group, retained map[uint32]heapgraph.SetSize) HeapFrame {
	out := HeapFrame{
		ID: f.ID, Frame: f.Name, Count: f.Count, Bytes: f.Bytes(), Managed: members.Part(s, f.ManagedBytes),
		Unmanaged: members.Part(s, f.UnmanagedBytes), HeapRetained: newRetained(retained, f.ID),
	}
	if f.File != "" || f.Line != model.NoLine {
		out.File = &f.File
	}
	if f.Line != model.NoLine {
		out.Line = &f.Line
	}
	return out
}

// bounds records that some listed retained sizes are lower bounds, and why.
func (b *heapBuilder) bounds(g *heapgraph.Graph, listed []heapgraph.Group, retained map[uint32]heapgraph.SetSize, what string) {
	if g == nil {
		return // already recorded
	}
	n := int64(0)
	for i := range listed {
		if !retained[listed[i].ID].Exact {
			n++
		}
	}
	if n == 0 {
		return
	}
	text := fmt.Sprintf("retained sizes of %s are lower bounds", what)
	p := model.Problem{Severity: model.Warning, Code: "too-large",
		Message: text + ": exact ones take long in this snapshot", Offset: model.NoOffset}
	if budget := model.BudgetOf(b.ctx); budget != nil && !g.HasSets(b.ctx) {
		p = budget.Problem(text)
	}
	p.Count = n
	b.report.addProblems(p)
}

// HeapSortKeys returns the sort keys of types and frames, the default first.
func HeapSortKeys() []string {
	return []string{"bytes", "count", "managed_bytes", "unmanaged_bytes", "retained_bytes"}
}

// HeapGroup holds the objects with a common property: a superclass, a package, a loader, an allocation site, a kind.
type HeapGroup struct {
	Value     string  `json:"value"`
	Count     uint64  `json:"count"`
	Bytes     uint64  `json:"bytes"`
	Managed   *uint64 `json:"managed_bytes,omitzero"` // if sizes have two parts
	Unmanaged *uint64 `json:"unmanaged_bytes,omitzero"`
	HeapRetained
}

// HeapRetained is the memory that the rows of a group retain together. It is a lower bound if the exact size takes too
// long to compute. Both members are nil without a graph.
type HeapRetained struct {
	Retained *uint64 `json:"retained_bytes,omitzero"`
	AtLeast  *uint64 `json:"retained_at_least,omitzero"`
}

// newRetained returns what a group retains, or the zero value if that is unknown.
func newRetained(retained map[uint32]heapgraph.SetSize, id uint32) (r HeapRetained) {
	switch n, ok := retained[id]; {
	case !ok:
	case n.Exact:
		r.Retained = &n.Bytes
	default:
		r.AtLeast = &n.Bytes
	}
	return r
}

// text returns the figure for people, or "" if it is unknown.
func (r *HeapRetained) text(s cells.Style) string {
	switch {
	case r.Retained != nil:
		return s.Bytes(*r.Retained)
	case r.AtLeast != nil:
		return s.AtLeast(*r.AtLeast, true)
	}
	return ""
}

// groups lists the objects of a snapshot by the requested axis.
func (b *heapBuilder) groups(h *model.Heap, g *heapgraph.Graph) error {
	by, _ := heapgraph.GroupedBy(h.Schema, b.opt.Group)
	groups := heapgraph.Groups(h, by)
	retained, err := b.retainedBy(g, by, groups)
	if err != nil {
		return err
	}
	n, out := len(groups), []HeapGroup{}
	for _, x := range limit(groups, b.opt.Limit) {
		out = append(out, HeapGroup{x.Name, x.Count, x.Bytes(), members.Part(h.Schema, x.ManagedBytes),
			members.Part(h.Schema, x.UnmanagedBytes), newRetained(retained, x.ID)})
	}
	b.report.Heap.Group, b.report.Heap.Groups, b.report.Heap.Counts.Groups = b.opt.Group, out, &n
	return nil
}

// retainedBy computes what groups retain, and sorts the groups. It returns nil without a graph. If only lower bounds
// are known, exact sizes are computed on demand for the rows that will be listed, or for all rows if the order depends
// on them.
func (b *heapBuilder) retainedBy(g *heapgraph.Graph, by heapgraph.By, groups []heapgraph.Group) (map[uint32]heapgraph.SetSize, error) {
	var retained map[uint32]heapgraph.SetSize
	if g != nil {
		var err error
		if b.ahead != nil && by == typesOf(g.Heap) {
			retained, err = b.ahead()
		} else {
			retained, err = g.RetainedByGroups(b.ctx, by)
		}
		if err != nil {
			return nil, err
		}
	}
	sortGroups(groups, b.opt.By, retained)
	if !b.opt.Exact || g == nil {
		return retained, nil
	}
	retained = maps.Clone(retained)
	listed := groups
	if b.opt.By != "retained_bytes" {
		listed = limit(groups, b.opt.Limit)
	}
	for i := range listed {
		id := listed[i].ID
		if retained[id].Exact {
			continue
		}
		n, _, err := g.RetainedByGroup(b.ctx, by, id)
		if err != nil {
			return nil, err
		}
		retained[id] = heapgraph.SetSize{Bytes: n, Exact: true}
	}
	sortGroups(groups, b.opt.By, retained)
	return retained, nil
}

// sortGroups orders groups by a key, highest first, ties by count, then by id. What has no bytes of its own, as roots,
// retains everything, which says nothing: it comes last.
func sortGroups(groups []heapgraph.Group, by string, retained map[uint32]heapgraph.SetSize) {
	key := func(g *heapgraph.Group) uint64 {
		switch by {
		case "count":
			return g.Count
		case "managed_bytes":
			return g.ManagedBytes
		case "unmanaged_bytes":
			return g.UnmanagedBytes
		case "retained_bytes":
			return retained[g.ID].Bytes
		}
		return g.Bytes()
	}
	last := func(*heapgraph.Group) int { return 0 }
	if by == "retained_bytes" {
		last = func(g *heapgraph.Group) int { return 1 - int(min(g.Bytes(), 1)) }
	}
	slices.SortFunc(groups, func(x, y heapgraph.Group) int {
		return cmp.Or(cmp.Compare(last(&x), last(&y)), cmp.Compare(key(&y), key(&x)), cmp.Compare(y.Count, x.Count),
			cmp.Compare(x.ID, y.ID))
	})
}
