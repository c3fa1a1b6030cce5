package treemap

import (
	"path"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/model"
)

// Stacks adds what stacks weigh, by the first figure of a query, to one side: by module or folder, file and function of the frame
// that they are named after. The reference of a function is the index in the query of its heaviest stack.
func (b *Builder) Stacks(side int, q *lines.Query) {
	if q.Stacks == nil {
		return
	}
	of := map[model.FrameID]int32{}
	for i, leaf := range q.Leaves {
		if q.Weights[0][i] == 0 {
			continue
		}
		if q.Sites != nil {
			leaf = q.Sites[i]
		}
		frame := q.Stacks.Frame[leaf]
		n, ok := of[frame]
		if !ok {
			n = b.function(q.Stacks, frame)
			of[frame] = n
		}
		b.add(n, side, q.Weights[0][i], uint64(i))
	}
}

// function returns the part of the function of a frame.
func (b *Builder) function(s *model.Stacks, f model.FrameID) (n int32) {
	for _, step := range stepsOf(s, f) {
		n = b.below(n, step.Kind, step.Name)
	}
	return n
}

// stepsOf returns the way to the function of a frame. Files that are modules themselves are no part of their own.
func stepsOf(s *model.Stacks, f model.FrameID) []Step {
	module, file := calltree.FrameModule(s, f), s.At(f).File
	out := []Step{{Module, module}}
	if file != "" && file != module && path.Base(file) != path.Base(module) {
		if out = append(out, Step{File, file}); int(f) >= len(s.FrameDSO) {
			out[0].Kind = Folder
		}
	}
	return append(out, Step{Function, calltree.FrameFunction(s, f)})
}

// StepsOf returns the way to the function of a node.
func StepsOf(s *model.Stacks, n model.NodeID) []Step { return stepsOf(s, s.Frame[n]) }

// Outermost returns what the largest parts of stacks are: "module", "folder", or both.
func (t *Tree) Outermost() string {
	kinds := map[Kind]bool{}
	for i, end := t.Children(0); i < end; i++ {
		if n := &t.Nodes[i]; n.Name != "" {
			kinds[n.Kind] = true
		}
	}
	switch {
	case kinds[Folder] && kinds[Module]:
		return Module.String() + "_or_" + Folder.String()
	case kinds[Folder]:
		return Folder.String()
	}
	return Module.String()
}
