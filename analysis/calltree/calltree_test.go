package calltree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// paths lists every node that weighs anything as "a;b;c total self".
func paths(f *Folded) []string {
	var out []string
	for n := int32(1); n < int32(f.Len()); n++ {
		if f.Total[n] == 0 {
			continue
		}
		var names []string
		for at := n; at > 0; at = f.Parent(at) {
			names = append(names, f.Name(at))
		}
		slices.Reverse(names)
		out = append(out, strings.Join(names, ";")+" "+fmt.Sprint(f.Total[n])+" "+fmt.Sprint(f.Self(n)))
	}
	slices.Sort(out)
	return out
}

func TestCallTree(t *testing.T) {
	ids := []model.StackID{3, 1, 0, 99, 2} // main;parse;main;malloc · main;parse · main · unknown · main;parse;malloc
	weights := []uint64{8, 4, 2, 1, 16}
	tests := []struct {
		name string
		opt  TreeOptions
		want []string
	}{
		{"top-down", TreeOptions{}, []string{
			"<stack 99?> 1 1", "main 30 2", "main;parse 28 4", "main;parse;main 8 0", "main;parse;main;malloc 8 8", "main;parse;malloc 16 16"}},
		{"bottom-up", TreeOptions{Invert: true}, []string{
			"<stack 99?> 1 1", "main 2 2", "malloc 24 0", "malloc;main 8 0", "malloc;main;parse 8 0", "malloc;main;parse;main 8 8",
			"malloc;parse 16 0", "malloc;parse;main 16 16", "parse 4 0", "parse;main 4 4"}},
		{"collapsed", TreeOptions{Collapse: true, Name: func(s string) string { return strings.ReplaceAll(s, "parse", "main") }}, []string{
			"<stack 99?> 1 1", "main 30 6", "main;malloc 24 24"}},
	}
	for _, tt := range tests {
		tree, err := NewCallTree(t.Context(), modeltest.Stacks(), ids, tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		f := tree.Fold(weights)
		if got := paths(f); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
		if f.Total[0] != 31 {
			t.Errorf("%s: all weighs %d, want 31", tt.name, f.Total[0])
		}
	}
}

func TestHotPathAndMatching(t *testing.T) {
	tree, err := NewCallTree(t.Context(), modeltest.Stacks(), []model.StackID{3, 1, 2}, TreeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := tree.Fold([]uint64{10, 1, 20})
	var names []string
	for _, n := range f.HotPath(0) {
		names = append(names, f.Name(n))
	}
	if want := []string{"main", "parse", "malloc"}; !slices.Equal(names, want) {
		t.Errorf("hot path %q, want %q", names, want)
	}
	if got := f.Matching(func(s string) bool { return s == "malloc" }); got != 30 {
		t.Errorf("matching malloc: %d, want 30", got)
	}
}

// A recursion deeper than any screen must cost no stack and no quadratic time.
func TestDeepRecursion(t *testing.T) {
	const depth = 50_000
	s := model.NewStacks()
	s.Functions = append(s.Functions, "f")
	s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, 1), append(s.FrameFile, 0), append(s.FrameLine, 1)
	for i := range depth {
		s.Parent, s.Frame, s.Depth = append(s.Parent, model.NodeID(i)), append(s.Frame, 1), append(s.Depth, uint32(i+1))
	}
	s.Leaf[7] = depth
	for _, invert := range []bool{false, true} {
		tree, err := NewCallTree(t.Context(), s, []model.StackID{7}, TreeOptions{Invert: invert})
		if err != nil || tree.Len() != depth+1 {
			t.Fatalf("%d nodes, %v", tree.Len(), err)
		}
		if got := len(tree.Fold([]uint64{3}).HotPath(0)); got != depth {
			t.Errorf("hot path of %d, want %d", got, depth)
		}
	}
	tree, _ := NewCallTree(t.Context(), s, []model.StackID{7}, TreeOptions{Collapse: true})
	if tree.Len() != 2 {
		t.Errorf("collapsed to %d nodes, want 2", tree.Len())
	}
}
