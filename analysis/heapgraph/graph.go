package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// Policy selects the references that keep memory alive: an index into [model.HeapSchema.Policies]. 0 is the default.
type Policy uint8

// Of returns the policy's description; that of the default if the schema does not have the policy.
func (p Policy) Of(s *model.HeapSchema) *model.HeapPolicy {
	if int(p) < len(s.Policies) {
		return &s.Policies[p]
	}
	return &s.Policies[0]
}

// Heaps answers questions about the snapshots of one file. It keeps decoded snapshots and their graphs in a bounded
// cache. Concurrent requests for the same thing share one computation. Any goroutine may call its methods.
type Heaps interface {
	Source() model.HeapSource
	// Heap returns a decoded snapshot. What is counted while it is decoded goes to the function of [model.WithCounted] of
	// every caller that waits for it.
	Heap(ctx context.Context, i int) (*model.Heap, error)
	// Borrow is Heap for those who go through all snapshots: it drops no other one, and keeps this one only if it fits.
	Borrow(ctx context.Context, i int) (*model.Heap, error)
	// Graph returns a snapshot with its dominators and retained sizes.
	Graph(ctx context.Context, i int, p Policy) (*Graph, error)
	// Progress returns the fraction, 0 … 1, that is done of the current work on snapshot i; ok is false if there is
	// none.
	Progress(i int) (done float64, what string, ok bool)
}

// Graph is a snapshot under one policy of references, with dominators and what they retain. It is immutable except for
// caches of its own; any goroutine may use it.
type Graph struct {
	Heap        *model.Heap
	Policy      Policy
	Retained    []uint64 // by row: bytes of the row and all that it dominates; nil without dominators
	Unreachable int      // rows that the root does not reach
	// UnreachableBytes is the size of the unreachable rows.
	UnreachableBytes uint64

	idom   model.Column[model.Row]
	count  model.Column[uint64]
	core   links
	shared *shared
	from   *sections.Sums // the file that it was read from; nil if it was computed
	sets   setMemo
}

// links is a core of either width. Rows and references have the numbers of the heap.
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
	memory() int64 // bytes kept in addition to the heap and the graph's own columns
}

// HasDominators reports whether dominators and retained sizes are known. Graphs of [NewReferences] lack them.
func (g *Graph) HasDominators() bool { return g.idom.Len() > 0 }

// Idom returns a row's immediate dominator. That of the root is the root. The root is also the dominator of unreachable
// rows that no other unreachable row refers to, and of the first row of each unreachable cycle; other unreachable rows
// are below these.
func (g *Graph) Idom(r model.Row) model.Row { return g.idom.At(int(r)) }

// RetainedCount returns the number of rows that a row retains, including itself.
func (g *Graph) RetainedCount(r model.Row) uint64 { return g.count.At(int(r)) }

// Totals are the sums over a snapshot's rows.
type Totals struct {
	Rows, References             int64
	Counts                       []int64 // rows by HeapSchema.Sets
	ManagedBytes, UnmanagedBytes uint64
}

// Bytes returns the total memory of the snapshot.
func (t *Totals) Bytes() uint64 {
	s, _ := model.SaturatingAdd(t.ManagedBytes, t.UnmanagedBytes)
	return s
}

// By selects rows and the key by which they are grouped.
type By struct {
	Kinds model.HeapKinds // all identified alike, by type or by frame
	Axis  int             // 0 for the type or frame itself, or [axisKind]
}

// Group is the rows that share a type, a frame, or a value on another axis.
type Group struct {
	ID                           uint32 // type or frame index; on another axis a type or string with that value
	Name, Sub                    string // not cleaned; Sub is the type's value on the axis that distinguishes types of one name
	File                         string // frames
	Line                         int64  // frames
	Count                        uint64
	ManagedBytes, UnmanagedBytes uint64
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

// Step is one step of a path from the root: the row, and the reference from the row before.
type Step struct {
	Row  model.Row
	Edge model.Ref // reference that leads here; meaningless for the first step
}

// shared is what the graphs of one snapshot compute once for all: its columns have the snapshot's width.
type shared struct {
	narrow inEdges[uint32]
	wide   inEdges[uint64]
}

// incomingOf returns the lists of incoming references of one width.
func incomingOf[I index](s *shared) *inEdges[I] {
	if narrow, ok := any(&s.narrow).(*inEdges[I]); ok {
		return narrow
	}
	return any(&s.wide).(*inEdges[I])
}
