package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/suspect"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// snapshots are heaps in memory; a nil one cannot be decoded.
type snapshots []*model.Heap

func (s snapshots) Schema() *model.HeapSchema { return mvmheap.Schema() }
func (s snapshots) Len() int                  { return len(s) }
func (s snapshots) Info(i int) model.HeapInfo {
	info := model.NoHeapInfo()
	info.Time, info.GC, info.Complete, info.References = model.Time(1000*i), int64(i), s[i] == nil || s[i].Complete, 7
	info.Counts = []int64{3, model.NoCount, model.NoCount, 1}
	if i == 0 {
		info.Time, info.GC = model.NoTime, model.NoCount
	}
	return info
}
func (s snapshots) Open(_ context.Context, i int, _ func(float64)) (*model.Heap, error) {
	if s[i] == nil {
		return nil, errors.New("zstd says " + hostile)
	}
	return s[i], nil
}
func (s snapshots) Scores(context.Context, int) (model.HeapScores, bool, error) {
	return model.HeapScores{}, false, nil
}
func (s snapshots) Tables(_ context.Context, i int) (*model.HeapTables, error) {
	return s[i].Tables, nil
}

// smallHeap is a root that holds a frame, which holds n objects in a chain; every name is hostile.
func smallHeap(n int) *model.Heap {
	h := &model.Heap{Schema: mvmheap.Schema(),
		Kinds: []model.HeapKind{mvmheap.KindRoot, mvmheap.KindFrame}, Size: []uint16{0, 168}, Extra: []uint32{0, 0}, Entity: []uint32{0, 0},
		Start: modeltest.ColumnOf[model.Ref](0, 1), To: modeltest.ColumnOf[model.Row](1), Label: []model.EdgeLabel{model.LabelUnknown}, Complete: true,
		Tables: &model.HeapTables{
			Strings: []string{hostile, "", "P6|opaque"},
			Types:   []model.HeapType{{Name: 0}, {Name: 2}}, Axes: [][]uint32{1: {2, 0}}, Frames: []model.HeapFrame{{Name: 1, Line: 3, File: 0}},
		},
	}
	for i := range n {
		h.To.Append(model.Row(i + 2))
		h.Label = append(h.Label, model.LabelString) // string 0
		h.Start.Append(model.Ref(h.To.Len()))
		h.Kinds, h.Size = append(h.Kinds, mvmheap.KindObject), append(h.Size, 24)
		h.Extra, h.Entity = append(h.Extra, 8), append(h.Entity, uint32(i%2))
	}
	h.Start.Append(model.Ref(h.To.Len()))
	return h
}

func heapProfile(heaps ...*model.Heap) *model.Profile {
	return &model.Profile{
		Meta: model.Meta{Path: "dir/x.mvmheap", Name: "x.mvmheap", Format: "mvmheap", Version: 3, Size: 99}, Complete: true, Heaps: snapshots(heaps),
	}
}

func heapOptions(snapshot int) HeapOptions {
	return HeapOptions{Schema: SchemaReport, Snapshot: snapshot, Lists: EveryList, Limit: 2}
}

func TestHeapWriters(t *testing.T) {
	p := heapProfile(smallHeap(1), nil, smallHeap(4))
	r, err := BuildHeap(t.Context(), p, heapOptions(2))
	if err != nil {
		t.Fatal(err)
	}
	h, _ := p.Heaps.Open(t.Context(), 2, nil)
	g, err := heapgraph.NewGraph(t.Context(), h, mvmheap.RootEdges)
	if err != nil {
		t.Fatal(err)
	}
	steps, _, err := g.Path(t.Context(), 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	object := NewHeapReport(p, 2, mvmheap.AllEdges)
	object.Object, object.Path = NewHeapObject(g, 3, 1), NewHeapPath(h, steps)
	found := 3
	object.Found, object.FoundAll = NewHeapRows(h, []model.Row{4, 1, 3}, true, 2), &found
	diff := heapDiff(t, p, smallHeap(1), h)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"heap.txt":  func(b *bytes.Buffer) error { return WriteText(b, r, cells.Style{}) },
		"heap.json": func(b *bytes.Buffer) error { return WriteJSON(b, r) },
		"heap.md":   func(b *bytes.Buffer) error { return WriteMarkdown(b, r, cells.Style{}) },
		"heap.csv":  func(b *bytes.Buffer) error { return WriteCSV(b, r, "snapshots") },
		"object.txt": func(b *bytes.Buffer) error {
			return WriteText(b, object, cells.Style{ASCII: true, Width: 80, Exact: true})
		},
		"object.json": func(b *bytes.Buffer) error { return WriteJSON(b, object) },
		"object.md":   func(b *bytes.Buffer) error { return WriteMarkdown(b, object, cells.Style{}) },
		"path.csv":    func(b *bytes.Buffer) error { return WriteCSV(b, object, "") },
		"diff.txt":    func(b *bytes.Buffer) error { return WriteDiffText(b, diff, cells.Style{}) },
		"diff.json":   func(b *bytes.Buffer) error { return WriteJSON(b, diff) },
		"diff.md":     func(b *bytes.Buffer) error { return WriteDiffMarkdown(b, diff, cells.Style{}) },
		"diff.csv":    func(b *bytes.Buffer) error { return WriteDiffCSV(b, diff) },
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := write(&out); err != nil {
				t.Fatal(err)
			}
			for i, c := range out.String() {
				if c != '\n' && (c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0 || c == 0x202e) {
					t.Errorf("control character %U at %d", c, i)
				}
			}
			memtest.GoldenFile(t, filepath.Join("testdata", name), out.String())
		})
	}
}

func TestEveryHeapTable(t *testing.T) {
	r, err := BuildHeap(t.Context(), heapProfile(smallHeap(3)), heapOptions(0))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(HeapTables(), "") {
		if !r.HasTable(name) {
			t.Errorf("no table %q", name)
		}
	}
	if r.HasTable("sites") {
		t.Error("heap snapshots have no sites")
	}
}

func TestUnreadableSnapshotsAreProblems(t *testing.T) {
	cut := smallHeap(2)
	cut.Complete = false
	for chosen := range 3 {
		r, err := BuildHeap(t.Context(), heapProfile(smallHeap(1), nil, cut), heapOptions(chosen))
		if err != nil {
			t.Fatal(err)
		}
		if r.Complete || len(r.Problems) != 1 || r.Problems[0].Code != "snapshot-unreadable" {
			t.Errorf("complete %v, problems %v", r.Complete, r.Problems)
		}
		if got := r.Heap.Snapshots[1]; got.Complete || got.Rows != nil || *got.Counts[0].N != 3 {
			t.Errorf("snapshot 1: %+v", got)
		}
		if (r.Heap.Dominators != nil) != (chosen == 0) || (r.Heap.Types != nil) == (chosen == 1) {
			t.Errorf("snapshot %d: types %v, dominators %v", chosen, r.Heap.Types, r.Heap.Dominators)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := BuildHeap(ctx, heapProfile(nil), heapOptions(0)); !errors.Is(err, context.Canceled) {
		t.Errorf("being canceled gives %v", err)
	}
}

// TestLowerBoundsAreSaid says that retained sizes of types are lower bounds: for want of memory, or as the snapshot is
// too large.
func TestLowerBoundsAreSaid(t *testing.T) {
	g, err := heapgraph.NewGraph(t.Context(), smallHeap(4), 0)
	if err != nil {
		t.Fatal(err)
	}
	groups := []heapgraph.Group{{ID: 0}, {ID: 1}}
	for _, test := range []struct {
		budget   *model.Budget
		retained map[uint32]heapgraph.SetSize
		code     string
		n        int64
	}{
		{nil, map[uint32]heapgraph.SetSize{0: {Exact: true}, 1: {Bytes: 7, Exact: true}}, "", 0}, {nil, map[uint32]heapgraph.SetSize{0: {Bytes: 3}, 1: {Bytes: 7, Exact: true}}, "too-large", 1},
		{model.NewBudget(1), nil, model.CodeMemory, 2}, {model.NewBudget(1 << 40), nil, "too-large", 2},
	} {
		b := &heapBuilder{ctx: model.WithBudget(t.Context(), test.budget), report: &Report{Header: Header{Complete: true}}}
		b.bounds(g, groups, test.retained, "types")
		r := b.report
		if len(r.Problems) != min(int(test.n), 1) || r.Complete != (test.code != model.CodeMemory) {
			t.Fatalf("%v, complete: %v", r.Problems, r.Complete)
		}
		if test.n > 0 && (r.Problems[0].Code != test.code || r.Problems[0].Count != test.n) {
			t.Errorf("%+v, want %s %d", r.Problems[0], test.code, test.n)
		}
	}
}

// What is not known of a group is absent, and a lower bound is no figure.
func TestUnknownRetainedIsAbsent(t *testing.T) {
	sizes := map[uint32]heapgraph.SetSize{1: {Exact: true}, 2: {Bytes: 2048}}
	for id, want := range map[uint32]string{1: "0 B", 2: "≥ 2.00 KiB", 3: ""} {
		r := newRetained(sizes, id)
		if got := r.text(cells.Style{}); got != want || (r.Retained != nil) != (id == 1) || (r.AtLeast != nil) != (id == 2) {
			t.Errorf("%d: %q, %v, %v", id, got, r.Retained, r.AtLeast)
		}
	}
	if r := newRetained(nil, 1); r.Retained != nil || r.AtLeast != nil {
		t.Error("what is not known is there")
	}
}

func TestWholeSnapshot(t *testing.T) {
	cut := smallHeap(1)
	cut.Complete = false
	for want, list := range map[int]snapshots{-1: {cut}, 0: {smallHeap(1), cut}, 1: {cut, smallHeap(1)}} {
		if got := LastCompleteSnapshot(list); got != want {
			t.Errorf("%d instead of %d", got, want)
		}
	}
}

// heapDiff compares snapshot 0 with snapshot 2 by type.
func heapDiff(t *testing.T, p *model.Profile, before, after *model.Heap) *Diff {
	first, last, at := 0, 2, model.Time(2000)
	opt := DiffOptions{
		Before: DiffSource{Profile: p, DiffSide: DiffSide{Snapshot: &first}}, After: DiffSource{Profile: p, DiffSide: DiffSide{Snapshot: &last, At: &at}},
		Metric: "bytes", Measure: "memory of objects", Counted: "objects", What: "type",
	}
	var sides [2]*diff.Side
	for i, h := range []*model.Heap{before, after} {
		rows, err := diff.HeapSide(t.Context(), h, model.HeapInfo{Time: model.NoTime}, diff.HeapQuestion{})
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = rows.Side
	}
	return diffOf(t, sides, opt, diff.Options{})
}

// diffOf compares two sides.
func diffOf(t *testing.T, sides [2]*diff.Side, opt DiffOptions, how diff.Options) *Diff {
	t.Helper()
	sides[0].Label, sides[1].Label = opt.Before.Label(), opt.After.Label()
	sides[0].File, sides[1].File = "x", "x"
	c, err := diff.Compare(t.Context(), sides[0], sides[1], how)
	if err != nil {
		t.Fatal(err)
	}
	return NewDiff(c, opt)
}

func TestChanges(t *testing.T) {
	const most = math.MaxUint64
	for _, c := range []struct {
		bytes, count [2]uint64
		delta        int64
		status       string
	}{
		{[2]uint64{0, 5}, [2]uint64{0, 1}, 5, "new"},
		{[2]uint64{0, 0}, [2]uint64{0, 1}, 0, "new"},
		{[2]uint64{5, 0}, [2]uint64{1, 0}, -5, "gone"},
		{[2]uint64{5, 7}, [2]uint64{3, 1}, 2, "grown"},
		{[2]uint64{7, 7}, [2]uint64{3, 1}, 0, "same"},
		{[2]uint64{7, 7}, [2]uint64{3, 3}, 0, "same"},
		{[2]uint64{0, most}, [2]uint64{1, 1}, math.MaxInt64, "grown"},
		{[2]uint64{most, 0}, [2]uint64{1, 1}, -math.MaxInt64, "shrunk"},
	} {
		var sides [2]*diff.Side
		for i := range sides {
			sides[i] = &diff.Side{Rows: []diff.SideRow{{Key: "x", Bytes: c.bytes[i], Count: c.count[i]}}}
		}
		p := &model.Profile{}
		d := diffOf(t, sides, DiffOptions{Before: DiffSource{Profile: p}, After: DiffSource{Profile: p}, Metric: "bytes", What: "x"}, diff.Options{})
		if r := d.Rows[0]; r.Figures().DeltaBytes != c.delta || r.Status != c.status {
			t.Errorf("%+v: %d, %s", c, r.Figures().DeltaBytes, r.Status)
		}
	}
}

// A trace compared with itself is the same in every row, and equal stacks of two files are one row.
func TestDiffTraces(t *testing.T) {
	p, ix := sample(t)
	q, other := sample(t)
	side := func(p *model.Profile, ix *traceindex.KeptIndex, at analysis.Instant, by string) *diff.Side {
		q := diff.TraceQuestion{Group: diff.GroupStack, Figure: SiteFigure(by), At: at, Range: analysis.FullRange}
		side, err := diff.TraceSide(t.Context(), ix, p.Stacks, calltree.FilterStacks, q)
		if err != nil {
			t.Fatal(err)
		}
		return side
	}
	at := model.Time(5)
	opt := DiffOptions{
		Before: DiffSource{Profile: p, DiffSide: DiffSide{At: &at}}, After: DiffSource{Profile: q}, Metric: "alloc_bytes", Counted: "blocks", What: "stack",
	}
	d := diffOf(t, [2]*diff.Side{side(p, ix, analysis.End, "alloc_bytes"), side(q, other, analysis.End, "alloc_bytes")}, opt, diff.Options{})
	if len(d.Rows) != 4 || d.Totals.BeforeBytes != 2564 || d.Totals.DeltaBytes != 0 {
		t.Errorf("%d rows, totals %+v", len(d.Rows), d.Totals)
	}
	for _, r := range d.Rows {
		if r.Status != "same" || r.Key == "" || r.Figures().BeforeBytes == 0 {
			t.Errorf("%+v", r)
		}
	}
	opt.Limit = 1
	early := [2]*diff.Side{side(p, ix, analysis.At(5), "live_bytes"), side(q, other, analysis.End, "live_bytes")}
	d = diffOf(t, early, opt, diff.Options{})
	if len(d.Rows) != 1 || d.Count != 2 || d.Rows[0].Status != "new" || d.Rows[0].Figures().DeltaBytes != 1000 || *d.Before.At != 5 {
		t.Errorf("%+v", d)
	}
	opt.Only, opt.Masks = []diff.ChangeStatus{diff.ChangeGone}, nil
	d = diffOf(t, early, opt, diff.Options{Swap: true})
	if len(d.Rows) != 1 || !d.Swapped || d.Rows[0].Status != "gone" || d.Rows[0].Figures().DeltaBytes != -1000 || *d.After.At != 5 || d.Before.At != nil {
		t.Errorf("%+v", d)
	}
	var out bytes.Buffer
	if err := WriteJSON(&out, d); err != nil {
		t.Fatal(err)
	}
	var back map[string]any
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("memtui.diff/1", back["schema"]); diff != "" {
		t.Error(diff)
	}
}

// Of one snapshot nothing is said about growth, and of what nothing is known, nothing is certain.
func TestNothingIsCertainOfNothing(t *testing.T) {
	if word, sure := wordOf(verdict.Verdict{Kind: verdict.Unknown}); word != "unknown" || sure != nil {
		t.Errorf("%s, %v", word, sure)
	}
	if word, sure := wordOf(verdict.Verdict{Kind: verdict.Unknown, Confidence: 0.3}); word != "unknown" || sure.String() != "30 %" {
		t.Errorf("%s, %v", word, sure)
	}
	if s := suspect.New(&suspects.Suspect{Schema: &model.HeapSchema{}}); s.Verdict != "" || s.Sure != nil || s.Certain("") != "" {
		t.Errorf("of one snapshot: %q, %v", s.Verdict, s.Sure)
	}
}

// Types without bytes of their own, as those of roots, come last where types are ordered by what they retain.
func TestTypesOfRootsComeLast(t *testing.T) {
	group := func(id uint32, bytes uint64) (g heapgraph.Group) {
		g.ID, g.ManagedBytes = id, bytes
		return g
	}
	retained := map[uint32]heapgraph.SetSize{1: {Bytes: 1000}, 2: {Bytes: 10}, 3: {Bytes: 500}}
	for by, want := range map[string][]uint32{"retained_bytes": {3, 2, 1}, "bytes": {2, 3, 1}} {
		groups := []heapgraph.Group{group(1, 0), group(2, 8), group(3, 4)}
		sortGroups(groups, by, retained)
		for i, id := range want {
			if groups[i].ID != id {
				t.Errorf("by %s: %v", by, groups)
				break
			}
		}
	}
}
