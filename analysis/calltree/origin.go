package calltree

import (
	"sync"

	"github.com/memtui/memtui/model"
)

// origin is what a tree was made of, which distinguishes the frames of a node.
type origin struct {
	stacks *model.Stacks
	leaves []model.NodeID // by dense stack index
	labels []int32        // by frame: its label plus one
	opt    TreeOptions
	of     []int32 // top-down: by node of the stacks, its node in the tree

	once           sync.Once
	start, members []int32 // top-down: nodes of the stacks that n consists of are members[start[n]:start[n+1]]
}

// passing is what was needed of the frames of nodes. Any number of goroutines may use it.
type passing struct {
	mu      sync.Mutex
	weights []uint64                // of the stacks that pass each node of a top-down tree's stacks; nil until needed
	best    map[int32]model.FrameID // answers
}

// Heaviest returns the frame of a node that the most weight passes, the first such one, or the first of all where none
// weighs anything. Of direct recursion in one node, the innermost call counts.
func (f *Folded) Heaviest(n int32) model.FrameID {
	first, mixed := f.Frame(n)
	if !mixed {
		return first
	}
	f.passing.mu.Lock()
	defer f.passing.mu.Unlock()
	if best, ok := f.passing.best[n]; ok {
		return best
	}
	if f.passing.best == nil {
		f.passing.best = map[int32]model.FrameID{}
	}
	f.passing.best[n] = f.heaviest(n, first)
	return f.passing.best[n]
}

// heaviest returns the frame of a node that most weight passes; first wins where nothing does.
func (f *Folded) heaviest(n int32, first model.FrameID) model.FrameID {
	sums := map[model.FrameID]uint64{}
	add := func(frame model.FrameID, w uint64) { sums[frame], _ = model.SaturatingAdd(sums[frame], w) }
	if f.origin.opt.Invert {
		f.addFrames(n, add)
	} else {
		f.gather(n, add)
	}
	best := first
	for frame, w := range sums {
		if w > sums[best] || w == sums[best] && frame < best && w > 0 {
			best = frame
		}
	}
	return best
}

// gather adds up the frames of a node of a top-down tree.
func (f *Folded) gather(n int32, add func(model.FrameID, uint64)) {
	o := &f.origin
	o.once.Do(func() { o.start, o.members = chain(f.Len(), o.of) })
	if f.passing.weights == nil {
		f.passing.weights = f.sumStacks()
	}
	within := map[model.NodeID]uint64{} // passing the callees in the same node: direct recursion
	nodes := o.members[o.start[n]:o.start[n+1]]
	for _, m := range nodes {
		if up := o.stacks.Parent[m]; o.of[up] == n {
			within[up], _ = model.SaturatingAdd(within[up], f.passing.weights[m])
		}
	}
	for _, m := range nodes {
		w, deeper := f.passing.weights[m], within[model.NodeID(m)]
		add(o.stacks.Frame[m], w-min(w, deeper))
	}
}

// sumStacks returns the weight of the stacks that pass each node of the stacks.
func (f *Folded) sumStacks() []uint64 {
	o := &f.origin
	out := make([]uint64, len(o.of))
	for i, w := range f.weights {
		if m := o.leaves[i]; m != 0 {
			out[m], _ = model.SaturatingAdd(out[m], w)
		}
	}
	for m := len(out) - 1; m > 0; m-- {
		if up := o.stacks.Parent[m]; out[m] > 0 {
			out[up], _ = model.SaturatingAdd(out[up], out[m])
		}
	}
	return out
}

// addFrames adds up the frames of a node of a bottom-up tree: it walks each stack that passes the node up to it.
func (f *Folded) addFrames(n int32, add func(model.FrameID, uint64)) {
	depth := 0
	for at := n; at > 0; at = f.parent[at] {
		depth++
	}
	for below := []int32{n}; len(below) > 0; {
		at := below[len(below)-1]
		below = below[:len(below)-1]
		for _, i := range f.ending[f.begin[at]:f.begin[at+1]] {
			if int(i) < len(f.weights) && f.weights[i] > 0 {
				add(f.frameUp(f.origin.leaves[i], depth), f.weights[i])
			}
		}
		for _, c := range f.child[f.start[at]:f.start[at+1]] {
			if f.Total[c] > 0 {
				below = append(below, c)
			}
		}
	}
}

// frameUp returns the frame of a stack that is in the node of the given depth, from 1 at the leaf.
func (t *CallTree) frameUp(leaf model.NodeID, depth int) model.FrameID {
	s, label := t.origin.stacks, t.origin.labels
	for at := leaf; at != 0; at = s.Parent[at] {
		frame, up := s.Frame[at], s.Parent[at]
		if depth == 1 {
			return frame
		}
		if !t.origin.opt.Collapse || up == 0 || label[frame] != label[s.Frame[up]] {
			depth--
		}
	}
	return 0
}
