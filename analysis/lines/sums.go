package lines

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// Place is a line of a source file.
type Place struct {
	File model.FileID
	Line int64 // [model.NoLine] where the recording states none
}

// Weights is what the stacks weigh that pass a line, by figure: Self of those whose site it is, Total of those that have
// it anywhere. A stack counts once for a line.
type Weights struct {
	Place
	Self, Total []uint64
}

// Query is stacks with their weights: what [sumLines] sums up.
type Query struct {
	Stacks  *model.Stacks
	IDs     []model.StackID // of a trace, one for each stack; nil elsewhere
	Leaves  []model.NodeID  // one for each stack; they may repeat
	Sites   []model.NodeID  // the nodes whose lines have the weights as their own; nil for the leaves
	Weights [][]uint64      // for each figure, one for each stack
	own     [][]uint64      // what of it is the sites' own; nil where that is all
}

// Memory that summing up takes at most: for each node, for each frame, and for each figure of a line. No more lines than
// frames exist.
const (
	nodeBytes  = 3*4 + 8
	frameBytes = 150
	lineBytes  = 2*8 + 4
)

// sumLines returns the weights of all lines of source files that have any, in the order in which the recording names them.
// Sums saturate. Errors are that of ctx and a [model.MemoryError].
func sumLines(ctx context.Context, q *Query) ([]Weights, error) {
	if q.Stacks == nil || len(q.Weights) == 0 {
		return nil, nil
	}
	need := nodeBytes*int64(len(q.Stacks.Parent)) + int64(frameBytes+lineBytes*len(q.Weights))*int64(len(q.Stacks.FrameFunc))
	if b := model.BudgetOf(ctx); !b.Fits(need) {
		return nil, b.Error("adding up source lines")
	}
	places, of := placesOf(q.Stacks)
	rows := make([]Weights, len(places))
	for i := range rows {
		rows[i] = Weights{places[i], make([]uint64, len(q.Weights)), make([]uint64, len(q.Weights))}
	}
	tree := branchesOf(q.Stacks.Parent)
	for k := range q.Weights {
		own := q.Weights[k]
		if q.own != nil && q.own[k] != nil {
			own = q.own[k]
		}
		below := make([]uint64, len(q.Stacks.Parent))
		for i, leaf := range q.Leaves {
			add(&below[leaf], q.Weights[k][i])
			add(&rows[of[q.Stacks.Frame[q.site(i)]]].Self[k], own[i])
		}
		for n := len(below) - 1; n > 0; n-- {
			add(&below[q.Stacks.Parent[n]], below[n])
		}
		on := make([]uint32, len(rows)) // the nodes of each line on the path to the current node
		err := tree.walk(ctx, func(n uint32) {
			line := of[q.Stacks.Frame[n]]
			if on[line]++; on[line] == 1 {
				add(&rows[line].Total[k], below[n])
			}
		}, func(n uint32) { on[of[q.Stacks.Frame[n]]]-- })
		if err != nil {
			return nil, err
		}
	}
	weighs := func(w uint64) bool { return w > 0 }
	return slices.DeleteFunc(rows[1:], func(r Weights) bool { // the first one is of frames without a file
		return !slices.ContainsFunc(r.Total, weighs) && !slices.ContainsFunc(r.Self, weighs)
	}), nil
}

// site returns the node whose line has the weight of stack i.
func (q *Query) site(i int) model.NodeID {
	if q.Sites == nil {
		return q.Leaves[i]
	}
	return q.Sites[i]
}

func add(sum *uint64, n uint64) { *sum, _ = model.SaturatingAdd(*sum, n) }

// placesOf returns the lines of all frames, and the number of the line of each. Number 0 is for frames without a file.
func placesOf(s *model.Stacks) (places []Place, of []uint32) {
	places, of = []Place{{}}, make([]uint32, len(s.FrameFunc))
	known := map[Place]uint32{}
	for f, file := range s.FrameFile {
		if file == 0 {
			continue
		}
		at := Place{file, s.FrameLine[f]}
		n, ok := known[at]
		if !ok {
			n = uint32(len(places))
			known[at], places = n, append(places, at)
		}
		of[f] = n
	}
	return places, of
}

// branches are the links from the nodes of a tree to those below: 0 is none.
type branches struct{ parent, first, next []uint32 }

func branchesOf(parent []model.NodeID) *branches {
	b := &branches{make([]uint32, len(parent)), make([]uint32, len(parent)), make([]uint32, len(parent))}
	for n := len(parent) - 1; n > 0; n-- {
		p := parent[n]
		b.parent[n], b.next[n], b.first[p] = uint32(p), b.first[p], uint32(n)
	}
	return b
}

// walk calls enter for every node but the root before those below it, and leave after them. The error is that of ctx.
func (b *branches) walk(ctx context.Context, enter, leave func(n uint32)) error {
	if len(b.first) == 0 {
		return nil
	}
	for n, steps := b.first[0], 0; n != 0; steps++ {
		if steps%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		enter(n)
		if b.first[n] != 0 {
			n = b.first[n]
			continue
		}
		for leave(n); n != 0 && b.next[n] == 0; leave(n) {
			if n = b.parent[n]; n == 0 {
				return nil
			}
		}
		n = b.next[n]
	}
	return nil
}

// Neighbors are the calls around a line: the lines that the stacks through it come from and go on to, heaviest first,
// equals by place. A stack counts once, for the outermost time that it has the line; places of functions without a file
// have the function alone.
type Neighbors struct{ Callers, Callees []Call }

// Call is a place next to a line, and how much goes that way. Frame 0 is the end of stacks.
type Call struct {
	Frame  model.FrameID
	Weight uint64
}

// Around returns what is called from a line, and where the function of the line is called, by figure k.
func Around(q *Query, at Place, k int) Neighbors {
	s := q.Stacks
	here := func(n model.NodeID) bool {
		f := s.Frame[n]
		return n != 0 && s.FrameFile[f] == at.File && s.FrameLine[f] == at.Line
	}
	above, below := map[model.FrameID]uint64{}, map[model.FrameID]uint64{}
	outer, inner := make([]model.NodeID, len(s.Parent)), make([]model.NodeID, len(s.Parent)) // of the path to each node
	for n := model.NodeID(1); int(n) < len(s.Parent); n++ {
		p := s.Parent[n]
		outer[n], inner[n] = outer[p], inner[p]
		switch {
		case here(n) && outer[n] == 0:
			outer[n], inner[n] = n, 0
		case here(n):
			inner[n] = 0
		case inner[n] == 0 && here(p):
			inner[n] = n
		}
	}
	for i, leaf := range q.Leaves {
		w := q.Weights[k][i]
		if outer[leaf] == 0 || w == 0 {
			continue
		}
		addTo(above, s.Frame[s.Parent[outer[leaf]]], w)
		addTo(below, s.Frame[inner[leaf]], w)
	}
	return Neighbors{heaviestCalls(above), heaviestCalls(below)}
}

func addTo(sums map[model.FrameID]uint64, f model.FrameID, w uint64) {
	sums[f], _ = model.SaturatingAdd(sums[f], w)
}

func heaviestCalls(sums map[model.FrameID]uint64) []Call {
	out := make([]Call, 0, len(sums))
	for f, w := range sums {
		out = append(out, Call{f, w})
	}
	slices.SortFunc(out, func(a, b Call) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Frame, b.Frame)) })
	return out
}
