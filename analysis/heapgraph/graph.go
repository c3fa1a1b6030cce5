package heapgraph

import (
	"context"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// EdgePolicy says which references hold memory.
type EdgePolicy uint8

const (
	// RootEdges leaves out references that leave inter-generational roots unless nothing else reaches their target: those
	// roots list old objects that point at young ones, and keep nothing alive.
	RootEdges EdgePolicy = iota
	// AllEdges takes every reference as recorded.
	AllEdges
)

// String returns the policy as the command line names it.
func (p EdgePolicy) String() string { return [...]string{"roots", "all"}[p] }

// Heaps answers questions about the snapshots of one file. Decoded snapshots and their graphs are kept in a bounded cache;
// what several goroutines ask for at once is computed once. Any goroutine may ask.
type Heaps interface {
	Source() model.HeapSource
	// Heap is a decoded snapshot.
	Heap(ctx context.Context, i int) (*model.Heap, error)
	// Graph is a snapshot with its dominators and retained sizes.
	Graph(ctx context.Context, i int, p EdgePolicy) (*HeapGraph, error)
	// Progress is the share of the work under way for snapshot i that is done, 0 … 1; ok is false when none is.
	Progress(i int) (done float64, what string, ok bool)
}

// HeapGraph is a snapshot under one edge policy: who dominates whom, and what that retains. It never changes once made,
// but for caches of its own; any goroutine may use it.
type HeapGraph struct {
	Heap   *model.Heap
	Policy EdgePolicy
	// Idom is each row's immediate dominator; that of the root is the root. Unreachable rows, which only damaged files
	// have, hang off the root and are counted in Unreachable.
	Idom          []model.Row
	Retained      []uint64 // bytes of the row and all it dominates
	RetainedCount []uint32 // rows of the same, the row included
	Unreachable   int

	kept   map[model.Row][]model.Row // what is left of the references of inter-generational roots; nil: all
	shared *heapShared
	caches heapCaches
}

// HeapTotals are the sums over a snapshot's rows.
type HeapTotals struct {
	Rows, References                      int64
	Objects, TypeObjects, STables, Frames int64 // rows of kinds 1 to 4
	ManagedBytes, UnmanagedBytes          uint64
}

// Bytes is all memory of the snapshot.
func (t *HeapTotals) Bytes() uint64 {
	s, _ := model.SaturatingAdd(t.ManagedBytes, t.UnmanagedBytes)
	return s
}

// HeapGroup is the rows of one kind that share a type or a frame.
type HeapGroup struct {
	ID                           uint32 // type or frame index
	Name, Repr                   string // not cleaned; Repr is "" for frames
	File                         string // frames
	Line                         int64  // frames
	Count                        uint64
	ManagedBytes, UnmanagedBytes uint64
	Retained                     uint64 // by the set of all rows of the group; 0 until asked for
	HasRetained                  bool
}

// Bytes is managed plus unmanaged.
func (g *HeapGroup) Bytes() uint64 {
	s, _ := model.SaturatingAdd(g.ManagedBytes, g.UnmanagedBytes)
	return s
}

// HeapStep is one step of a path from the root: how the row before reaches Row.
type HeapStep struct {
	Row  model.Row
	Edge uint32 // reference that leads here; meaningless for the first step
}

// heapCaches is what a graph computes on first use.
type heapCaches struct {
	tree  domTree
	paths pathTree
	bytes atomic.Int64 // of both
}

// heapShared is what the graphs of one snapshot compute once for both.
type heapShared struct {
	in    inEdges
	bytes atomic.Int64
}

// rowBits is a set of rows.
type rowBits []uint64

func newRowBits(n int) rowBits { return make(rowBits, (n+63)/64) }

func (b rowBits) has(r model.Row) bool { return b[r>>6]>>(r&63)&1 != 0 }

func (b rowBits) set(r model.Row) { b[r>>6] |= 1 << (r & 63) }
