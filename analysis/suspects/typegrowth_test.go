package suspects

import (
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Types are as many as a list of them has, also those of objects that only the runtime makes up, which are not followed.
func TestTypesInAreThoseOfTheList(t *testing.T) {
	schema := testSchema
	schema.Sets = []model.HeapSet{{Key: "objects", One: "object", Many: "objects", Kinds: model.KindsOf(root, object), Naming: model.NamedByType}}
	m := newMaker()
	m.add(0, "a", "Session", 8)
	m.addKind(root, 0, "b", "(synthetic)", 0)
	h := m.heap()
	h.Schema = &schema
	g := Growing{}
	g.Add(h, 0, 0)
	if n, list := g.TypesIn(0), heapgraph.Types(h); n != len(list) || len(g.Types(false)) >= n {
		t.Errorf("%d types, but the list has %d, and %d are followed", n, len(list), len(g.Types(false)))
	}
}
