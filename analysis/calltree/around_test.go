package calltree

import (
	"reflect"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

func TestAround(t *testing.T) {
	// main;parse;main;malloc · main;parse · main · unknown · main;parse;malloc
	ids, weights := []model.StackID{3, 1, 0, 99, 2}, []uint64{8, 4, 2, 1, 16}
	want := map[string]Around{
		"main":        {"main", 30, 2, []Neighbor{{"", 30}}, []Neighbor{{"parse", 20}, {"malloc", 8}}},
		"parse":       {"parse", 28, 4, []Neighbor{{"main", 28}}, []Neighbor{{"malloc", 16}, {"main", 8}}},
		"malloc":      {"malloc", 24, 24, []Neighbor{{"parse", 16}, {"main", 8}}, nil},
		"<stack 99?>": {"<stack 99?>", 1, 1, []Neighbor{{"", 1}}, nil},
	}
	for _, invert := range []bool{false, true} {
		tree, err := NewCallTree(t.Context(), modeltest.Stacks(), ids, TreeOptions{Invert: invert})
		if err != nil {
			t.Fatal(err)
		}
		f := tree.Fold(weights)
		for n := int32(1); n < int32(f.Len()); n++ {
			if got := f.Around(n, invert); !reflect.DeepEqual(got, want[f.Name(n)]) {
				t.Errorf("inverted %v: %+v, want %+v", invert, got, want[f.Name(n)])
			}
		}
	}
}
