package calltree

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// Neighbor is a caller or callee of a function, and how much of the function's weight goes that way.
type Neighbor struct {
	Name   string // not cleaned; "" where there is no caller
	Weight uint64
}

// Around is one function, with all its places in a call tree merged. Every stack counts once: for the caller of the
// function's outermost call, and for the callee of its innermost call. So the callers add up to Total, and so do the
// callees and Self.
type Around struct {
	Name             string
	Total, Self      uint64
	Callers, Callees []Neighbor // heaviest first, equals by name
}

// noLabel marks a node that is not on a path through the function.
const noLabel = int32(-1)

// Around returns the callers and callees of the function of node n. It works on top-down and on bottom-up trees.
func (f *Folded) Around(n int32, inverted bool) Around {
	label := f.label[n]
	above, below := f.paths(label)
	first, then := map[int32]uint64{}, map[int32]uint64{}
	out := Around{Name: f.Name(n)}
	for i, w := range f.weights {
		leaf := f.leaf[i]
		if above[leaf] == noLabel || w == 0 {
			continue
		}
		out.Total, _ = model.SaturatingAdd(out.Total, w)
		first[above[leaf]], _ = model.SaturatingAdd(first[above[leaf]], w)
		then[below[leaf]], _ = model.SaturatingAdd(then[below[leaf]], w)
	}
	callers, callees, end := first, then, label
	if inverted {
		callers, callees, end = then, first, 0
	}
	out.Self = callees[end]
	delete(callees, end)
	out.Callers, out.Callees = f.neighbors(callers, label), f.neighbors(callees, label)
	return out
}

// paths returns two labels for every node at or below one with the given label: that of the parent of the outermost
// such node, and that of the child of the innermost one on the path to the node, which is label itself where the path
// ends there.
func (f *Folded) paths(label int32) (above, below []int32) {
	above, below = make([]int32, len(f.parent)), make([]int32, len(f.parent))
	above[0], below[0] = noLabel, noLabel
	for n := 1; n < len(f.parent); n++ {
		p := f.parent[n]
		above[n], below[n] = above[p], below[p]
		switch {
		case f.label[n] == label:
			below[n] = label
			if above[n] == noLabel {
				above[n] = f.label[p]
			}
		case f.label[p] == label && p != 0:
			below[n] = f.label[n]
		}
	}
	return above, below
}

// neighbors sorts a map of weights by label. The root is no function and gets no name, and neither does the function
// itself: it marks the end of a stack.
func (f *Folded) neighbors(weights map[int32]uint64, self int32) []Neighbor {
	var out []Neighbor
	for l, w := range weights {
		name := f.labels[l]
		if l == 0 || l == self {
			name = ""
		}
		out = append(out, Neighbor{name, w})
	}
	slices.SortFunc(out, func(a, b Neighbor) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Name, b.Name))
	})
	return out
}
