package modeltest

import "github.com/memtui/memtui/model"

// Stacks returns stacks 0 to 4; the random traces refer to up to 6.
func Stacks() *model.Stacks {
	s := model.NewStacks()
	s.Functions = []string{"", "main", "parse", "malloc", "main"}
	s.Files = []string{"", "/src/a.c", "/src/lib/b.c", "/usr/lib/libc.so.6"}
	frame := func(fn model.FuncID, file model.FileID) model.FrameID {
		s.FrameFunc, s.FrameFile, s.FrameLine = append(s.FrameFunc, fn), append(s.FrameFile, file), append(s.FrameLine, 10)
		return model.FrameID(len(s.FrameFunc) - 1)
	}
	node := func(parent model.NodeID, f model.FrameID) model.NodeID {
		s.Parent, s.Frame, s.Depth = append(s.Parent, parent), append(s.Frame, f), append(s.Depth, s.Depth[parent]+1)
		return model.NodeID(len(s.Parent) - 1)
	}
	main, parse, malloc, main2 := frame(1, 1), frame(2, 2), frame(3, 3), frame(4, 1)
	root := node(0, main)
	p := node(root, parse)
	s.Leaf = map[model.StackID]model.NodeID{0: root, 1: p, 2: node(p, malloc), 3: node(node(p, main2), malloc), 4: 0}
	return s
}
