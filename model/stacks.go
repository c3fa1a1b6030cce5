package model

import "strconv"

// Dense indexes into the tables of a [Stacks]. 0 is reserved in each: no function, no file, no frame, the tree's root.
type (
	FuncID  uint32
	FileID  uint32
	FrameID uint32
	NodeID  uint32
)

// NoLine is the line of a frame without one.
const NoLine = int64(-1 << 63)

// Stacks holds a file's symbols and its stacks as one tree of parent pointers: a stack is identified by its leaf node.
// Names are the file's bytes, possibly invalid UTF-8, and hostile: clean them before printing.
type Stacks struct {
	Functions []string // by FuncID; [0] is ""
	Files     []string // by FileID; [0] is ""

	FrameFunc []FuncID // by FrameID; the three columns have equal length, [0] is the empty frame
	FrameFile []FileID
	FrameLine []int64 // NoLine if unknown

	Parent []NodeID  // by NodeID; Parent[i] < i for i > 0, Parent[0] == 0
	Frame  []FrameID // by NodeID; Frame[0] == 0
	Depth  []uint32  // by NodeID; Depth[0] == 0, Depth[i] == Depth[Parent[i]]+1

	Leaf map[StackID]NodeID // every stack that the file defines; 0 for a stack without frames

	LeafFirst bool // how the file wrote its stacks; the tree always has the root frame at depth 1

	// Partial reports that stacks and names of the file were not read, due to a limit or to damage that a problem
	// describes: missing ones may well be defined.
	Partial bool

	DSOs     []DSO   // by DSOID; nil if files of the kind, such as traces, state no binaries
	FrameDSO []DSOID // by FrameID; the binary of each
}

// NewStacks returns tables that hold only the reserved entries.
func NewStacks() *Stacks {
	return &Stacks{
		Functions: []string{""}, Files: []string{""},
		FrameFunc: []FuncID{0}, FrameFile: []FileID{0}, FrameLine: []int64{NoLine},
		Parent: []NodeID{0}, Frame: []FrameID{0}, Depth: []uint32{0},
		Leaf: map[StackID]NodeID{},
	}
}

// Frame is one resolved frame. Empty strings and NoLine are unknown.
type Frame struct {
	Function string
	File     string
	Line     int64
}

// At resolves a frame.
func (s *Stacks) At(id FrameID) Frame {
	return Frame{s.Functions[s.FrameFunc[id]], s.Files[s.FrameFile[id]], s.FrameLine[id]}
}

// Node returns the leaf node of a stack; ok is false if the file does not define it.
func (s *Stacks) Node(id StackID) (leaf NodeID, ok bool) {
	if s == nil {
		return 0, false
	}
	leaf, ok = s.Leaf[id]
	return leaf, ok
}

// Frames appends the frames of a node to dst, leaf first, at most limit of them (limit < 0: all).
func (s *Stacks) Frames(dst []Frame, leaf NodeID, limit int) []Frame {
	for n := leaf; n != 0 && limit != 0; n = s.Parent[n] {
		dst = append(dst, s.At(s.Frame[n]))
		limit--
	}
	return dst
}

// Has reports whether a node is one of the tree: answers about a recording that grows may name nodes of a later revision.
func (s *Stacks) Has(n NodeID) bool { return s != nil && int(n) < len(s.Parent) }

// UnknownStack returns the text shown for a stack that the file does not define.
func UnknownStack(id StackID) string { return "<stack " + strconv.FormatUint(uint64(id), 10) + "?>" }

// UnknownMarker returns the text shown for a marker whose name the file does not define.
func UnknownMarker(id uint64) string { return "<marker " + strconv.FormatUint(id, 10) + "?>" }
