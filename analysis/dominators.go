package analysis

import (
	"context"

	"github.com/memtui/memtui/model"
)

// NewHeapGraph computes dominators and retained sizes of h. The error is that of ctx, or says which columns an incomplete
// snapshot lacks.
func NewHeapGraph(ctx context.Context, h *model.Heap, p EdgePolicy) (*HeapGraph, error) {
	return nil, errNotYet
}

// Children are the rows that r immediately dominates, by retained bytes descending, ties by row. The slice is the graph's.
// The first call on a graph takes time in proportion to its rows.
func (g *HeapGraph) Children(r model.Row) []model.Row { return nil }

// Accumulation descends from r as long as one child retains most of what its dominator does, and returns where that ends:
// the row below which memory is spread over many.
func (g *HeapGraph) Accumulation(r model.Row) model.Row { return r }

// Top are the rows of kinds 1 to 4 that retain most, descending, ties by row; all of them where limit is 0.
func (g *HeapGraph) Top(limit int) []model.Row { return nil }
