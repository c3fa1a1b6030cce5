package diff

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// heldBy builds a snapshot of objects of 100 bytes, each of a type of its own letter. refs has an entry for each object
// after the root: who refers to it. With ids, objects have an identity.
func heldBy(types string, ids []uint64, refs ...[]int) *model.Heap {
	kinds, entity := []model.HeapKind{9}, []uint32{0}
	out := make([][]model.Row, len(types)+1)
	for i, c := range types {
		kinds, entity = append(kinds, mvmheap.KindObject), append(entity, uint32(c-'A'))
		for _, from := range refs[i] {
			out[from] = append(out[from], model.Row(i+1))
		}
	}
	schema := *mvmheap.Schema()
	if ids != nil {
		schema.IDs = model.HeapIDForm{Prefix: "0x", Base: 16}
	}
	h := modeltest.Heap(&schema, kinds, out)
	h.Entity = entity
	if ids != nil {
		h.IDs = append([]uint64{0}, ids...)
	}
	for r := range h.Size {
		h.Size[r], h.Extra[r] = 100, 0
	}
	return h
}

func dominators(t *testing.T, before, after *model.Heap) (*Comparison, []heapgraph.GrownSubtree) {
	t.Helper()
	sides := func(before, after *model.Heap) *DominatorRows {
		var graphs [2]*heapgraph.Graph
		for i, h := range []*model.Heap{before, after} {
			var err error
			if graphs[i], err = heapgraph.NewGraph(t.Context(), h, mvmheap.RootEdges); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := DominatorSides(t.Context(), graphs[0], graphs[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	rows, wide := sides(before, after), sides(before, modeltest.Widen(after))
	if !reflect.DeepEqual(wide.Places, rows.Places) {
		t.Errorf("of a snapshot with wide columns: %+v, not %+v", wide.Places, rows.Places)
	}
	return compareIn(t, rows.Sides[0], rows.Sides[1], Options{}), rows.Places
}

// An object that A and B held is held by A alone in the end: it did not grow, and A did not get larger from nothing.
func TestWhatChangesItsDominatorDidNotGrow(t *testing.T) {
	before := [][]int{{0}, {0}, {1, 2}, {3}} // A, B, C of both, A below it
	after := [][]int{{0}, {0}, {1}, {3}}
	ids := []uint64{1, 2, 3, 4}
	c, places := dominators(t, heldBy("ABCA", ids, before...), heldBy("ABCA", ids, after...))
	if len(c.Rows) != 1 {
		t.Fatalf("%+v", c.Rows)
	}
	r, p := c.Rows[0], places[c.Rows[0].Row[1]]
	if r.Key != "A" || r.Status != ChangeGrown || r.BeforeBytes != 100 || r.AfterBytes != 300 || p.Taken != 1 || p.TakenBytes != 200 || p.Below != "" {
		t.Errorf("%+v, %+v", r, p)
	}

	// The same where C came to hang from the root: nothing grew at all.
	c, _ = dominators(t, heldBy("ABCA", ids, after...), heldBy("ABCA", ids, before...))
	if len(c.Rows) != 0 {
		t.Errorf("%+v", c.Rows)
	}
	c, places = dominators(t, heldBy("ABCA", nil, after...), heldBy("ABCA", nil, before...))
	if len(c.Rows) != 0 || c.Unknown != 1 || !places[0].Unknown {
		t.Errorf("without identities: %d unknown, %+v", c.Unknown, c.Rows)
	}
	lost := c.Losses(Words{Thing: "dominator", Unknown: UnknownPlaces})
	if !slices.ContainsFunc(lost, func(s string) bool { return strings.Contains(s, "another dominator: 1 dominator") }) {
		t.Errorf("%q", lost)
	}
}

// What moves and grows is compared with what the same objects retained before, each byte once.
func TestMovedObjectsAreComparedWithThemselves(t *testing.T) {
	before := heldBy("ACC", []uint64{1, 2, 3}, []int{0}, []int{1}, []int{2}) // A > C > C
	after := heldBy("ACC", []uint64{1, 2, 3}, []int{0}, []int{0}, []int{0})  // A, C, C
	after.Size[3] = 500
	c, places := dominators(t, before, after)
	if len(c.Rows) != 1 {
		t.Fatalf("%+v", c.Rows)
	}
	r, p := c.Rows[0], places[c.Rows[0].Row[1]]
	if r.Key != "C" || r.BeforeBytes != 200 || r.AfterBytes != 600 || r.BeforeCount != 2 || p.Moved != 2 {
		t.Errorf("%+v, %+v", r, p)
	}
}

// A new object is new where its file says so.
func TestNewObjectsAreNewWithAnIdentity(t *testing.T) {
	before, after := [][]int{{0}}, [][]int{{0}, {0}}
	c, _ := dominators(t, heldBy("A", []uint64{1}, before...), heldBy("AB", []uint64{1, 2}, after...))
	if len(c.Rows) != 1 || c.Rows[0].Key != "B" || c.Rows[0].Status != ChangeNew || c.Unknown != 0 {
		t.Errorf("%d unknown, %+v", c.Unknown, c.Rows)
	}
}

// An address that an object of another type has got identifies nothing: what it held before is not what is there now.
func TestReusedAddressesAreOtherObjects(t *testing.T) {
	before := heldBy("ABD", []uint64{1, 2, 3}, []int{0}, []int{1}, []int{2})              // A > B > D
	after := heldBy("ACDD", []uint64{1, 2, 3, 4}, []int{0}, []int{1}, []int{2}, []int{2}) // A > C > D, D: C has the address of B
	c, _ := dominators(t, before, after)
	for _, r := range c.Rows {
		if strings.HasSuffix(r.Key, "C") && r.Status == ChangeNew && r.AfterBytes == 300 {
			return
		}
	}
	t.Errorf("%+v", c.Rows)
}
