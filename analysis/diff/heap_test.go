package diff

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

var objects = model.KindsOf(mvmheap.KindObject)

// rowsOf builds a snapshot from kinds and types; the references are a tree, given as each row's parent.
func rowsOf(kinds []model.HeapKind, entity []uint32, parent []int) *model.Heap {
	refs := make([][]model.Row, len(kinds))
	for r := 1; r < len(kinds); r++ {
		refs[parent[r]] = append(refs[parent[r]], model.Row(r))
	}
	h := modeltest.Heap(mvmheap.Schema(), kinds, refs)
	h.Entity = entity
	for r := range h.Size {
		h.Size[r], h.Extra[r] = 100, 0
	}
	h.Size[0] = 0
	return h
}

func TestDiffMatchesTypesByName(t *testing.T) {
	before := rowsOf([]model.HeapKind{9, 1, 1, 1, 4}, []uint32{0, 0, 0, 1, 0}, []int{0, 0, 0, 0, 0})
	after := rowsOf([]model.HeapKind{9, 1, 1, 1, 1, 4}, []uint32{0, 2, 2, 2, 1, 1}, []int{0, 0, 0, 0, 0, 0})
	after.Tables.Strings[2] = "A" // type 2 is another A there
	after.Tables.Types[0].Name = 4
	got := compareHeaps(t, before, after, HeapQuestion{})
	want := []Figures{{200, 300, 2, 3}, {100, 100, 1, 1}}
	for i, r := range got.Rows {
		if r.Key != [...]string{"A", "B"}[i] || r.Sub != "P6opaque" || r.Figures != want[i] {
			t.Errorf("%+v", r)
		}
	}
	if s := [...]ChangeStatus{got.Rows[0].Status, got.Rows[1].Status}; s != [...]ChangeStatus{ChangeGrown, ChangeSame} {
		t.Error(s)
	}
	if by := compareHeaps(t, before, after, HeapQuestion{Figure: HeapCount}); by.Rows[0].Figures != (Figures{2, 3, 2, 3}) {
		t.Errorf("by count: %+v", by.Rows[0])
	}
	frames := compareHeaps(t, before, after, HeapQuestion{Frames: true})
	if len(frames.Rows) != 2 || frames.Counts[ChangeNew] != 1 || frames.Counts[ChangeGone] != 1 {
		t.Errorf("%+v", frames.Rows)
	}
}

// compareHeaps compares two snapshots, by retained sizes over the usual edges.
func compareHeaps(t *testing.T, before, after *model.Heap, q HeapQuestion) *Comparison {
	t.Helper()
	var sides [2]*Side
	for i, h := range []*model.Heap{before, after} {
		var err error
		if q.Graph, err = heapgraph.NewGraph(t.Context(), h, mvmheap.RootEdges); err != nil {
			t.Fatal(err)
		}
		rows, err := HeapSide(t.Context(), h, model.HeapInfo{Time: model.NoTime, GC: model.NoCount}, q)
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = rows.Side
	}
	return compareIn(t, sides[0], sides[1], Options{})
}

// What two types of one name retain together is not the sum of what each does, but at least as much as the larger.
func TestRetainedSizesAreOfTheSameThing(t *testing.T) {
	before := rowsOf([]model.HeapKind{9, 1, 1, 1}, []uint32{0, 0, 2, 1}, []int{0, 0, 1, 0})
	after := rowsOf([]model.HeapKind{9, 1, 1}, []uint32{0, 0, 1}, []int{0, 0, 0})
	before.Tables.Strings[2] = "A" // type 2 is another A, and held by the first
	c := compareHeaps(t, before, after, HeapQuestion{Figure: HeapRetained})
	if len(c.Rows) != 2 || c.Unknown != 0 {
		t.Fatalf("%d unknown, rows %+v", c.Unknown, c.Rows)
	}
	for _, r := range c.Rows {
		if want := r.Key == "A"; r.AtLeast != [2]bool{want, false} || want && r.BeforeBytes != 200 || !want && r.AfterBytes != 100 {
			t.Errorf("%+v", r)
		}
	}
	if lost := c.Losses(Words{Thing: "type"}); !slices.ContainsFunc(lost, func(s string) bool { return strings.HasPrefix(s, "≥") }) {
		t.Errorf("%q", lost)
	}
}

// A lower bound tells that something grew past an exact figure, and nothing else.
func TestChangesOfLowerBounds(t *testing.T) {
	const none = math.MaxUint64 // the side has no such row
	for _, tt := range []struct {
		before, after uint64
		bound         [2]bool
		status        ChangeStatus
		known         Certainty
		change        uint64
	}{
		{5, 9, [2]bool{}, ChangeGrown, CertainChange, 4},
		{5, 9, [2]bool{false, true}, ChangeGrown, LeastChange, 4},
		{5, 9, [2]bool{true, false}, ChangeUnknown, UnknownChange, 0},
		{5, 9, [2]bool{true, true}, ChangeUnknown, UnknownChange, 0},
		{9, 5, [2]bool{true, false}, ChangeShrunk, LeastChange, 4},
		{9, 5, [2]bool{false, true}, ChangeUnknown, UnknownChange, 0},
		{9, 9, [2]bool{false, true}, ChangeUnknown, UnknownChange, 0},
		{none, 9, [2]bool{false, true}, ChangeNew, LeastChange, 9},
		{9, none, [2]bool{true, false}, ChangeGone, LeastChange, 9},
	} {
		var sides [2]*Side
		for i, n := range []uint64{tt.before, tt.after} {
			sides[i] = &Side{File: "x", Rows: []SideRow{{Key: "B", Bytes: 1}}}
			if n != none {
				sides[i].Rows = append(sides[i].Rows, SideRow{Key: "A", Bytes: n, Listed: true, AtLeast: tt.bound[i]})
			}
		}
		for _, swap := range []bool{false, true} {
			c := compareIn(t, sides[0], sides[1], Options{Swap: swap})
			i := slices.IndexFunc(c.Rows, func(r Row) bool { return r.Key == "A" })
			status := tt.status
			if at := slices.Index([]ChangeStatus{ChangeNew, ChangeGone, ChangeGrown, ChangeShrunk}, status); swap && at >= 0 {
				status = []ChangeStatus{ChangeGone, ChangeNew, ChangeShrunk, ChangeGrown}[at]
			}
			if r := &c.Rows[i]; r.Status != status || r.Certainty() != tt.known || r.Change() != tt.change {
				t.Errorf("%+v, swapped %v: %+v is %v, %d", tt, swap, r, r.Certainty(), r.Change())
			}
			if said := c.Bounds() != ""; said != (tt.bound != [2]bool{}) {
				t.Errorf("%+v: bounds are %q", tt, c.Bounds())
			}
			if tt.known != CertainChange && strings.Contains(c.Sentence(Words{Measure: "x"}), "A grew") {
				t.Errorf("%+v: %s", tt, c.Sentence(Words{Measure: "x"}))
			}
		}
	}
}

func TestGrowthIsFoundAtItsOwner(t *testing.T) {
	build := func(crowd int) *heapgraph.Graph {
		kinds := []model.HeapKind{9, 8, 1, 1} // Root › Thread Roots › A › B
		entity, parent := []uint32{0, 0, 0, 1}, []int{0, 0, 1, 2}
		for range crowd {
			kinds, entity, parent = append(kinds, 1), append(entity, 2), append(parent, 3)
		}
		g, err := heapgraph.NewGraph(t.Context(), rowsOf(kinds, entity, parent), mvmheap.RootEdges)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	got, err := heapgraph.GrownSubtrees(context.Background(), build(5), build(50), nil, 0)
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	s := got[0]
	if !slices.Equal(s.Path, []string{"Thread Roots", "A", "B"}) || s.Row != 3 || s.Growth() != 4500 || s.Below != "C" || s.BelowAfterRows != 50 || s.BelowBeforeRows != 5 {
		t.Errorf("%+v", s)
	}
	if got, _ := heapgraph.GrownSubtrees(context.Background(), build(50), build(5), nil, 0); len(got) != 0 {
		t.Errorf("shrinking grows: %+v", got)
	}
}

func TestFindRows(t *testing.T) {
	h := rowsOf([]model.HeapKind{9, 1, 2, 4, 4, 1}, []uint32{0, 0, 0, 0, 1, 7}, []int{0, 0, 0, 0, 0, 0})
	tests := []struct {
		q    heapgraph.Query
		want []model.Row
	}{
		{heapgraph.Query{}, []model.Row{1, 2, 3, 4, 5}},
		{heapgraph.Query{Type: "a", Exact: true}, nil},
		{heapgraph.Query{Type: "A", Exact: true}, []model.Row{1, 2}},
		{heapgraph.Query{Type: "a", Kinds: objects}, []model.Row{1}},
		{heapgraph.Query{Name: "a"}, []model.Row{1, 2, 3, 4}}, // <anon> too
		{heapgraph.Query{On: map[int]string{1: "opaque"}}, []model.Row{1, 2}},
		{heapgraph.Query{Type: "type 7"}, []model.Row{5}},
		{heapgraph.Query{Name: "a", Kinds: model.KindsOf(mvmheap.KindFrame)}, []model.Row{3, 4}},
	}
	for _, tt := range tests {
		got, total, err := heapgraph.FindRows(context.Background(), h, tt.q, 0)
		if err != nil || !slices.Equal(got, tt.want) && len(tt.want) > 0 || total != len(tt.want) {
			t.Errorf("%+v: %v, %d, %v; want %v", tt.q, got, total, err, tt.want)
		}
	}
	if got, total, _ := heapgraph.FindRows(context.Background(), h, heapgraph.Query{}, 2); len(got) != 2 || total != 5 {
		t.Errorf("limited: %v of %d", got, total)
	}
	labels := []string{"Root", "A", "A", "A (f.raku:7)", "<anon> (f.raku:8)", "<type 7?>"}
	for r, want := range labels {
		if got := heapgraph.Label(h, model.Row(r)); got != want {
			t.Errorf("row %d is %q, want %q", r, got, want)
		}
	}
	h.Size[5] = 200
	if rows, err := heapgraph.GroupRows(context.Background(), h, heapgraph.By{Kinds: objects}, 7); err != nil || !slices.Equal(rows, []model.Row{5}) {
		t.Errorf("%v, %v", rows, err)
	}
}

func TestSumHeap(t *testing.T) {
	h := rowsOf([]model.HeapKind{9, 1, 1, 2, 3, 4}, []uint32{0, 0, 0, 0, 1, 7}, []int{0, 0, 0, 0, 0, 1})
	h.Extra[1], h.Large[1] = model.LargeExtra, 1<<40
	want := heapgraph.Totals{Rows: 6, References: 5, Counts: []int64{2, 1, 1, 1}, ManagedBytes: 500, UnmanagedBytes: 1 << 40}
	if got := heapgraph.Sum(h); !reflect.DeepEqual(got, want) || got.Bytes() != 1<<40+500 {
		t.Errorf("%+v", got)
	}
	types := heapgraph.Types(h)
	if len(types) != 1 || types[0].Name != "A" || types[0].Count != 2 || types[0].ManagedBytes != 200 || types[0].Bytes() != 1<<40+200 {
		t.Errorf("%+v", types)
	}
}
