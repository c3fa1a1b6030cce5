package heapgraph

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// A snapshot and its graphs that come from files answer as those that were computed, under every policy; damaged files
// are not used.
func TestKeptGraphsAgree(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 40 {
		h := randomHeap(rnd, 2+rnd.IntN(200))
		h.IDs = []uint64{5, 6}
		h.Moved, h.LargeMoved, h.Names = []uint16{3, 4}, map[model.Row]uint64{0: 1}, []uint32{1}
		h.Axes = [][]uint32{nil, {1, 2}}
		h.LargeSizes = map[model.Row]uint64{1: 1 << 40}
		h.Size[1] = model.LargeSize
		read := savedHeap(t, h)
		keeper := &modeltest.Keeper{T: t}
		for p := range h.Schema.Policies {
			h.Kept = nil
			want := graphOf(t, h, Policy(p))
			read.Kept = keeper
			sameGraph(t, want, graphOf(t, read, Policy(p))) // computed and kept
			sameGraph(t, want, graphOf(t, read, Policy(p)))
		}
		if got, want := keeper.String(), "15 files, 15 taken, 0 discarded"; got != want { // of graphs, and of what types retain
			t.Fatalf("%s, want %s", got, want)
		}
		keeper.Damage(rnd.IntN(1 << 20))
		for p := range h.Schema.Policies {
			sameGraph(t, graphOf(t, h, Policy(p)), graphOf(t, read, Policy(p)))
		}
		if got, want := keeper.String(), "15 files, 30 taken, 15 discarded"; got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// savedHeap writes a snapshot and reads it again.
func savedHeap(t *testing.T, h *model.Heap) *model.Heap {
	t.Helper()
	format := sections.Format{Magic: "test", Version: 1}
	var b bytes.Buffer
	if err := format.Write(t.Context(), &b, sections.Key{}, h.Sections); err != nil {
		t.Fatal(err)
	}
	f, err := format.Open(t.Context(), &sections.File{Data: b.Bytes(), At: bytes.NewReader(b.Bytes())}, sections.Key{}, sections.Layout(new(model.Heap).Sections))
	if err != nil {
		t.Fatal(err)
	}
	read := &model.Heap{Schema: h.Schema}
	if read.Sections(f); f.Done() != nil {
		t.Fatal(f.Done())
	}
	a, c := reflect.ValueOf(*h), reflect.ValueOf(*read)
	for i := range a.NumField() {
		x, y := a.Field(i), c.Field(i)
		if (x.Kind() == reflect.Slice || x.Kind() == reflect.Map) && x.Len() == 0 && y.Len() == 0 {
			continue
		}
		if name := a.Type().Field(i).Name; a.Type().Field(i).IsExported() && name != "Tables" && name != "Start" && name != "To" && name != "Axes" && !reflect.DeepEqual(x.Interface(), y.Interface()) {
			t.Fatalf("%s: %v, want %v", name, y, x)
		}
	}
	return read
}

// sameGraph compares what two graphs of one snapshot say of every row.
func sameGraph(t *testing.T, want, got *Graph) {
	t.Helper()
	if want.Unreachable != got.Unreachable || want.UnreachableBytes != got.UnreachableBytes || !slices.Equal(want.Retained, got.Retained) {
		t.Fatal("sums differ")
	}
	rows := func(c model.Column[model.Row]) (list []model.Row) {
		for _, r := range c.All() {
			list = append(list, r)
		}
		return list
	}
	for i := range want.Heap.Len() {
		r := model.Row(i)
		a, okA, errA := want.Path(t.Context(), r, nil)
		b, okB, errB := got.Path(t.Context(), r, nil)
		switch {
		case want.Idom(r) != got.Idom(r), want.RetainedCount(r) != got.RetainedCount(r):
			t.Fatalf("row %d: dominators differ", r)
		case !slices.Equal(rows(want.Children(r)), rows(got.Children(r))):
			t.Fatalf("row %d: children differ", r)
		case okA != okB, errA != nil, errB != nil, !slices.Equal(a, b):
			t.Fatalf("row %d: paths differ", r)
		case !reflect.DeepEqual(want.InGroups(r), got.InGroups(r)), !reflect.DeepEqual(want.OutGroups(r), got.OutGroups(r)):
			t.Fatalf("row %d: references differ", r)
		}
	}
	for axis := range want.Heap.Schema.Axes {
		by := By{Kinds: want.Heap.Schema.Objects().Kinds, Axis: axis}
		a, errA := want.RetainedByGroups(t.Context(), by)
		b, errB := got.RetainedByGroups(t.Context(), by)
		if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%v, %v", a, b)
		}
	}
}

// Largest lists what sorting all rows does, and a tally says of types what going through the rows does.
func TestLargestAndTally(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		h := randomHeap(rnd, 2+rnd.IntN(200))
		g := graphOf(t, h, 0)
		of := h.Schema.Objects().Kinds
		var want []model.Row
		for r, k := range h.Kinds {
			if of.Has(k) {
				want = append(want, model.Row(r))
			}
		}
		slices.SortFunc(want, func(x, y model.Row) int {
			return cmp.Or(cmp.Compare(g.Retained[y], g.Retained[x]), cmp.Compare(g.RetainedCount(y), g.RetainedCount(x)), cmp.Compare(x, y))
		})
		for _, n := range []int{0, 1, 7, len(want), len(want) + 1} {
			if got := g.Largest(n, of); !slices.Equal(got, want[:min(n, len(want))]) {
				t.Fatalf("%d: %v, want %v", n, got, want)
			}
		}
		h.Moved = slices.Clone(h.Size)
		for range 10 {
			h.SetMoved(model.Row(rnd.IntN(h.Len())), rnd.Uint64N(1<<17))
		}
		moved := &model.HeapPolicy{Moved: true}
		types, sum, lacking := Types(h), Sum(h), newRowClasses(h, By{Kinds: of}).lacking(nil)
		movedTypes, movedSum := Types(h.Under(moved)), Sum(h.Under(moved))
		h.Count()
		if !reflect.DeepEqual(Types(h), types) || !reflect.DeepEqual(Sum(h), sum) {
			t.Fatalf("%v, want %v", Types(h), types)
		}
		if got := h.Under(moved); got.Tally == nil || !reflect.DeepEqual(Types(got), movedTypes) || !reflect.DeepEqual(Sum(got), movedSum) {
			t.Fatalf("with the sizes of the policy: %v, want %v", Types(got), movedTypes)
		}
		if got := newRowClasses(h, By{Kinds: of}).lacking(nil); !reflect.DeepEqual(got, lacking) {
			t.Fatalf("types without an entry: %v, want %v", got, lacking)
		}
	}
}

// Lower bounds are kept like exact sizes, apart from what is counted where there is memory for it.
func TestKeptSetsHaveLowerBounds(t *testing.T) {
	h := randomHeap(rand.New(rand.NewPCG(5, 6)), 100)
	h.Kept = &modeltest.Keeper{T: t}
	g, by := graphOf(t, h, 0), By{Kinds: h.Schema.Objects().Kinds}
	sets := map[uint32]SetSize{1: {10, true}, 2: {20, false}}
	g.keepSets(by, false, sets)
	if got := g.restoreSets(t.Context(), by, false); !reflect.DeepEqual(got, sets) {
		t.Errorf("%v, want %v", got, sets)
	}
	if got := g.restoreSets(t.Context(), by, true); got != nil {
		t.Errorf("what was not counted is taken for exact: %v", got)
	}
}
