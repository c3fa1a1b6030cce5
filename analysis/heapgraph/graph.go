package heapgraph

import (
	"context"
	"sync/atomic"

	"github.com/memtui/memtui/model"
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

// Heaps answers questions about the snapshots of one file. Decoded snapshots and their graphs are kept in a bounded cache;
// what several goroutines ask for at once is computed once. Any goroutine may ask.
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
	Heap   *model.Heap
	Policy Policy
	// Idom is each row's immediate dominator; that of the root is the root. Unreachable rows hang off the root and are counted in Unreachable.
	Idom          []model.Row
	Retained      []uint64 // bytes of the row and all it dominates
	RetainedCount []uint32 // rows of the same, the row included
	Unreachable   int
	// UnreachableBytes is what the unreachable rows weigh.
	UnreachableBytes uint64

	cut    rowBits                   // rows of which references are left out; nil: none
	kept   map[model.Row][]model.Row // what is left of theirs
	shared *shared
	caches caches
}

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
	Axis  int             // 0 for the type or frame itself
}

// Group is rows that share a type, a frame, or what they are on another axis.
type Group struct {
	ID                           uint32 // type or frame index; on another axis the number of a string
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
	Edge uint32 // reference that leads here; meaningless for the first step
}

// caches is what a graph computes on first use.
type caches struct {
	tree  domTree
	paths pathTree
	bytes atomic.Int64 // of both
}

// shared is what the graphs of one snapshot compute once for both.
type shared struct {
	in    inEdges
	bytes atomic.Int64
}

// rowBits is a set of rows.
type rowBits []uint64

func newRowBits(n int) rowBits { return make(rowBits, (n+63)/64) }

func (b rowBits) has(r model.Row) bool { return b[r>>6]>>(r&63)&1 != 0 }

func (b rowBits) set(r model.Row) { b[r>>6] |= 1 << (r & 63) }
