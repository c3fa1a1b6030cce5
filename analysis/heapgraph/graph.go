package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// Policy says which references hold memory: an index into [model.HeapSchema.Policies]. 0 is the default.
type Policy uint8

// Of describes the policy; that of another schema, which this one does not have, is the default.
func (p Policy) Of(s *model.HeapSchema) *model.HeapPolicy {
	if int(p) < len(s.Policies) {
		return &s.Policies[p]
	}
	return &s.Policies[0]
}

// Heaps answers questions about the snapshots of one file. Decoded snapshots and their graphs are kept in a bounded
// cache; what several goroutines ask for at once is computed once. Any goroutine may ask.
type Heaps interface {
	Source() model.HeapSource
	// Heap is a decoded snapshot.
	Heap(ctx context.Context, i int) (*model.Heap, error)
	// Graph is a snapshot with its dominators and retained sizes.
	Graph(ctx context.Context, i int, p Policy) (*Graph, error)
	// Progress is the share of the work under way for snapshot i that is done, 0 … 1; ok is false when none is.
	Progress(i int) (done float64, what string, ok bool)
}

// Graph is a snapshot under one edge policy: who dominates whom, and what that retains. It never changes once made,
// but for caches of its own; any goroutine may use it.
type Graph struct {
	Heap        *model.Heap
	Policy      Policy
	Retained    []uint64 // by row: bytes of the row and all it dominates; nil without dominators
	Unreachable int      // rows that the root does not reach
	// UnreachableBytes is what the unreachable rows weigh.
	UnreachableBytes uint64

	idom   model.Column[model.Row]
	count  model.Column[uint64]
	core   links
	shared *shared
	from   *sections.Sums // of the file that it comes from; nil where it was computed
}

// links is a core of either width. Rows and references are numbers of the heap.
type links interface {
	children(r uint64) model.Column[model.Row]
	preorder(ctx context.Context) (Order, error)
	path(ctx context.Context, row model.Row, without map[model.Row]bool) (path []Step, ok bool, err error)
	reference(from, to uint64) (e model.Ref, ok bool)
	sources(r uint64) model.Column[model.Row]
	retainedBy(ctx context.Context, in func(model.Row) bool) (bytes, rows uint64, err error)
	retainedBySets(ctx context.Context, x *rowClasses, budget int) (map[uint32]uint64, error)
	bounded(ctx context.Context, x *rowClasses, sets map[uint32]uint64) (map[uint32]SetSize, error)
	largest(n int, of model.HeapKinds) []model.Row
	memory() int64 // of what is kept beside the heap and the graph's own columns
}

// HasDominators reports whether dominators and retained sizes are known: they are not of [NewReferences].
func (g *Graph) HasDominators() bool { return g.idom.Len() > 0 }

// Idom returns a row's immediate dominator; that of the root is the root. Of the rows that the root does not reach,
// those that no other one of them holds hang off the root, of cycles the first row, and the others below them.
func (g *Graph) Idom(r model.Row) model.Row { return g.idom.At(int(r)) }

// RetainedCount returns how many rows a row retains, itself included.
func (g *Graph) RetainedCount(r model.Row) uint64 { return g.count.At(int(r)) }

// Totals are the sums over a snapshot's rows.
type Totals struct {
	Rows, References             int64
	Counts                       []int64 // rows by HeapSchema.Sets
	ManagedBytes, UnmanagedBytes uint64
}

// Bytes returns all memory of the snapshot.
func (t *Totals) Bytes() uint64 {
	s, _ := model.SaturatingAdd(t.ManagedBytes, t.UnmanagedBytes)
	return s
}

// By says which rows are grouped, and by what.
type By struct {
	Kinds model.HeapKinds // all named alike, by type or by frame
	Axis  int             // 0 for the type or frame itself; [AxisKind]
}

// Group is rows that share a type, a frame, or what they are on another axis.
type Group struct {
	ID                           uint32 // type or frame index; on another axis that of a type or string that is there
	Name, Sub                    string // not cleaned; Sub is the type's place on the axis that tells types of one name apart
	File                         string // frames
	Line                         int64  // frames
	Count                        uint64
	ManagedBytes, UnmanagedBytes uint64
	Retained                     uint64 // by the set of all rows of the group; 0 until asked for
	HasRetained                  bool
}

// Bytes is managed plus unmanaged.
func (g *Group) Bytes() uint64 {
	s, _ := model.SaturatingAdd(g.ManagedBytes, g.UnmanagedBytes)
	return s
}

// Add adds the figures of another group.
func (g *Group) Add(other *Group) {
	g.Count += other.Count
	g.ManagedBytes, _ = model.SaturatingAdd(g.ManagedBytes, other.ManagedBytes)
	g.UnmanagedBytes, _ = model.SaturatingAdd(g.UnmanagedBytes, other.UnmanagedBytes)
}

// Step is one step of a path from the root: how the row before reaches Row.
type Step struct {
	Row  model.Row
	Edge model.Ref // reference that leads here; meaningless for the first step
}

// shared is what the graphs of one snapshot compute once for both: its columns are as wide as the snapshot's.
type shared struct {
	narrow inEdges[uint32]
	wide   inEdges[uint64]
}

// incomingOf returns the lists of one width.
func incomingOf[I index](s *shared) *inEdges[I] {
	if narrow, ok := any(&s.narrow).(*inEdges[I]); ok {
		return narrow
	}
	return any(&s.wide).(*inEdges[I])
}
