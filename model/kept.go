package model

import (
	"math"
	"slices"

	"github.com/memtui/memtui/model/sections"
)

// Sections writes a snapshot to a file or reads it. Its schema is the loader's. What is read is not checked, as only
// this program writes such files.
func (h *Heap) Sections(f *sections.Codec) {
	sections.Array(f, "kinds", &h.Kinds)
	sections.Array(f, "sizes", &h.Size)
	sections.Array(f, "unmanaged sizes", &h.Extra)
	numbers(f, "large sizes", &h.LargeSizes)
	numbers(f, "large unmanaged sizes", &h.Large)
	sections.Array(f, "sizes of moved policies", &h.Moved)
	numbers(f, "large sizes of moved policies", &h.LargeMoved)
	sections.Array(f, "types of rows", &h.Entity)
	sections.Array(f, "names of rows", &h.Names)
	sections.Array(f, "types that rows describe", &h.About)
	lists(f, "axes of rows", &h.Axes)
	sections.Array(f, "identities", &h.IDs)
	h.Start.sections(f, "first references")
	h.To.sections(f, "targets")
	sections.Array(f, "labels", &h.Label)
	numbers(f, "large indexes", &h.LargeIndex)
	sections.Array(f, "tally", &h.Tally)
	sections.Array(f, "tally of moved policies", &h.MovedTally)
	complete := []uint64{uint64(boolNumber(h.Complete))}
	sections.Array(f, "complete", &complete)
	if f.Reads() {
		h.Complete = len(complete) == 1 && complete[0] == 1
		h.Tables = &HeapTables{}
	}
	if h.Tables == nil {
		h.Tables = &HeapTables{}
	}
	h.Tables.sections(f)
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (t *HeapTables) sections(f *sections.Codec) {
	packed := t.Packed
	if f.Writing() && len(t.Strings) > 0 {
		packed = t.pack()
	}
	if packed.Sections(f, "strings"); f.Reads() {
		t.Packed = packed
	}
	sections.Array(f, "types", &t.Types)
	lists(f, "axes of types", &t.Axes)
	sections.Array(f, "frames", &t.Frames)
}

// sections writes or reads a column, which has one of two widths.
func (c *Column[N]) sections(f *sections.Codec, name string) {
	sections.Array(f, name, &c.Narrow)
	sections.Array(f, name+" of 64 bits", &c.Wide)
}

// mapEntry is an entry of a map of numbers.
type mapEntry struct{ Key, Value uint64 }

// numbers writes or reads a map.
func numbers[K ~uint64](f *sections.Codec, name string, m *map[K]uint64) {
	var list []mapEntry
	if f.Writing() {
		for k, v := range *m {
			list = append(list, mapEntry{uint64(k), v})
		}
	}
	sections.Array(f, name, &list)
	if f.Reads() && len(list) > 0 {
		*m = make(map[K]uint64, len(list))
		for _, e := range list {
			(*m)[K(e.Key)] = e.Value
		}
	}
}

// lists writes or reads a list of lists.
func lists(f *sections.Codec, name string, of *[][]uint32) {
	n := []uint64{uint64(len(*of))}
	sections.Array(f, name+", how many", &n)
	if f.Reads() {
		if len(n) != 1 || n[0] > math.MaxUint16 {
			f.Fail("%s are too many", name)
			return
		}
		*of = make([][]uint32, n[0])
	}
	sections.Parts(f, name, len(*of), func(i int) *[]uint32 { return &(*of)[i] })
}

// pack returns all strings in one piece of memory.
func (t *HeapTables) pack() Texts {
	packed, bytes := Texts{}, len(t.Packed.All)
	for _, s := range t.Strings {
		bytes += len(s)
	}
	packed.All = append(make([]byte, 0, bytes), t.Packed.All...)
	packed.Ends.Grow(t.NumStrings())
	for _, end := range t.Packed.Ends.All() {
		packed.Ends.Append(end)
	}
	for _, s := range t.Strings {
		packed.All = append(packed.All, s...)
		packed.Ends.Append(uint64(len(packed.All)))
	}
	return packed
}

// leafEntry is the leaf node of a stack.
type leafEntry struct {
	Stack uint64
	Node  NodeID
	_     uint32
}

// Sections writes the symbols and stacks of a file that states no binaries to another one, or reads them. What is read
// is copied, as all screens use it, also where the file shrinks.
func (s *Stacks) Sections(f *sections.Codec) {
	names(f, "functions", &s.Functions)
	names(f, "files", &s.Files)
	copied(f, "functions of frames", &s.FrameFunc)
	copied(f, "files of frames", &s.FrameFile)
	copied(f, "lines of frames", &s.FrameLine)
	copied(f, "parents", &s.Parent)
	copied(f, "frames", &s.Frame)
	copied(f, "depths", &s.Depth)
	var leaves []leafEntry
	if f.Writing() {
		for id, node := range s.Leaf {
			leaves = append(leaves, leafEntry{Stack: uint64(id), Node: node})
		}
	}
	sections.Array(f, "leaves", &leaves)
	if !f.Reads() {
		return
	}
	s.Leaf = make(map[StackID]NodeID, len(leaves))
	for _, l := range leaves {
		if int(l.Node) >= len(s.Parent) {
			f.Fail("a stack has no node")
			return
		}
		s.Leaf[StackID(l.Stack)] = l.Node
	}
	if !s.fits() {
		f.Fail("symbols do not fit together")
	}
}

// fits reports whether all tables have what others refer to.
func (s *Stacks) fits() bool {
	frames, nodes := len(s.FrameFunc), len(s.Parent)
	if len(s.Functions) == 0 || len(s.Files) == 0 || frames == 0 || len(s.FrameFile) != frames || len(s.FrameLine) != frames {
		return false
	}
	if nodes == 0 || len(s.Frame) != nodes || len(s.Depth) != nodes || s.Parent[0] != 0 {
		return false
	}
	for i := range s.FrameFunc {
		if int(s.FrameFunc[i]) >= len(s.Functions) || int(s.FrameFile[i]) >= len(s.Files) {
			return false
		}
	}
	for i := 1; i < nodes; i++ {
		if p := s.Parent[i]; int(p) >= i || int(s.Frame[i]) >= frames || s.Depth[i] != s.Depth[p]+1 {
			return false
		}
	}
	return true
}

// copied is [sections.Array] for a list that is copied when it is read.
func copied[T any](f *sections.Codec, name string, list *[]T) {
	sections.Array(f, name, list)
	if f.Reads() {
		*list = slices.Clone(*list)
	}
}

// names writes or reads a list of names, which are copied when they are read.
func names(f *sections.Codec, name string, list *[]string) {
	var t Texts
	if f.Writing() {
		for _, s := range *list {
			t.Add([]byte(s))
		}
	}
	if t.Sections(f, name); !f.Reads() {
		return
	}
	t.All = slices.Clone(t.All)
	*list = make([]string, t.Len())
	for i := range *list {
		(*list)[i] = t.At(i)
	}
}
