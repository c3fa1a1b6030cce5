package accept

import (
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// The kinds of the heap that is made up here.
const (
	root model.HeapKind = iota
	object
	frame
)

// madeUp returns a heap of rows 0 root, 1 frame main, 2 and 3 Node of a list, 4 Cache, 5 Session, each of which holds
// the next.
func madeUp(t *testing.T, policyOf func(*model.Heap) heapgraph.Policy) *heapgraph.Graph {
	schema := &model.HeapSchema{
		Kinds: []model.HeapKindInfo{
			root: {Name: "root", Title: "Root", Virtual: true}, object: {Name: "object", Title: "object", Naming: model.NamedByType},
			frame: {Name: "frame", Title: "frame", Naming: model.NamedByFrame},
		},
		Sets:  []model.HeapSet{{Key: "objects", One: "object", Many: "objects", Kinds: model.KindsOf(object), Naming: model.NamedByType}},
		Axes:  []model.HeapAxis{{Key: "type", One: "type", Many: "types", Word: "type"}},
		Edges: []model.HeapEdgeInfo{{Name: "reference"}}, Policies: []model.HeapPolicy{{Name: "all"}},
	}
	h := &model.Heap{
		Schema: schema, Complete: true, Kinds: []model.HeapKind{root, frame, object, object, object, object},
		Entity: []uint32{0, 0, 0, 0, 1, 2}, Size: []uint16{0, 8, 8, 8, 8, 100},
		Start: modeltest.ColumnOf[model.Ref](0, 1, 2, 3, 4, 5, 5), To: modeltest.ColumnOf[model.Row](1, 2, 3, 4, 5), Label: make([]model.EdgeLabel, 5),
		Tables: &model.HeapTables{
			Strings: []string{"Node", "Cache", "Session", "main", "/src/a.go"}, Types: []model.HeapType{{Name: 0}, {Name: 1}, {Name: 2}},
			Frames: []model.HeapFrame{{Name: 3, File: 4, Line: 7}},
		},
	}
	g, err := heapgraph.NewGraph(t.Context(), h, policyOf(h))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What grows is a leak of its type, with what keeps it alive as its stack; what only is large is none.
func TestLeaksOfSuspects(t *testing.T) {
	g := madeUp(t, func(*model.Heap) heapgraph.Policy { return 0 })
	suspect := suspects.Suspect{
		Schema: g.Heap.Schema, Name: "Session", Count: 3, Retained: 300, Total: 1000, HasRow: true, Row: 5, OwnerRow: 4, Owner: "Cache", Verdict: suspects.Grows,
	}
	large := suspect
	large.Verdict = suspects.Bounded
	leaks := OfSuspects(g, []suspects.Suspect{large, suspect})
	if len(leaks) != 1 || leaks[0].Owner.Function != "Session" || leaks[0].Rows == nil || len(leaks[0].Sites) != 1 {
		t.Fatalf("%+v", leaks)
	}
	site := leaks[0].Sites[0]
	got := slices.Collect(site.Frames)
	want := []model.Frame{named("Session"), named("Cache"), named("Node"), {Function: "main", File: "/src/a.go", Line: 7}}
	if !slices.Equal(got, want) || site.Bytes != 300 || site.Count != 3 || !site.HasRow || site.Row != 5 {
		t.Errorf("%+v: frames %+v", site, got)
	}
	b, err := NewBaseline(leaks, nil)
	if err != nil {
		t.Fatal(err)
	}
	moved := suspect
	moved.OwnerRow, moved.Owner = 1, "main"
	for _, tt := range []struct {
		s    suspects.Suspect
		fail int
	}{{suspect, 0}, {moved, 1}} {
		r, err := (&Rules{Baseline: b}).Judge(t.Context(), OfSuspects(g, []suspects.Suspect{tt.s}))
		if err != nil || len(r.Failures) != tt.fail {
			t.Errorf("held by %s: %+v, %v", tt.s.Owner, r, err)
		}
	}
}
