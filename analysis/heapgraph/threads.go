package heapgraph

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// Thread is a thread of the program with what would be freed with it, nil where that is unknown.
type Thread struct {
	model.HeapThread
	Retained *uint64
}

// Threads lists the threads of snapshot i, which is that of the graph, with what each retains.
func (g *Graph) Threads(ctx context.Context, src model.HeapThreads, i int) (out []Thread, err error) {
	list, err := src.Threads(ctx, i, g.Heap)
	if err != nil {
		return nil, err
	}
	sizes, err := g.RetainedByThreads(ctx, list)
	for n, t := range list {
		out = append(out, Thread{t, sizes[n]})
	}
	return out, err
}

// Calls groups the frames of threads by function and line. Those of most calls come first.
func Calls(list []model.HeapThread) (out []Group) {
	type call struct {
		function, file string
		line           int64
	}
	at := map[call]int{}
	for i := range list {
		for _, f := range list[i].Frames {
			if f.Function == "" {
				continue // what the thread holds outside of calls
			}
			c := call{f.Function, f.File, f.Line}
			k, known := at[c]
			if !known {
				k = len(out)
				at[c] = k
				out = append(out, Group{ID: uint32(k), Name: f.Function, File: f.File, Line: f.Line})
			}
			out[k].Count++
		}
	}
	slices.SortStableFunc(out, func(a, b Group) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// mostForThreads limits the walks of [Graph.RetainedByThreads]: rows and references times threads.
const mostForThreads = 1 << 30

// RetainedByThreads returns what each of the threads of a snapshot alone keeps alive: its object, and what its calls refer
// to where they are rows of their own. It is nil where it has no object, where retained sizes are unknown, and where
// finding out would take too long.
func (g *Graph) RetainedByThreads(ctx context.Context, list []model.HeapThread) ([]*uint64, error) {
	out := make([]*uint64, len(list))
	if !g.HasDominators() {
		return out, nil
	}
	var of []int // threads that are several rows
	for i := range list {
		switch rows := g.rowsOf(&list[i]); {
		case len(rows) > 1:
			of = append(of, i)
		case len(rows) == 1:
			retained := g.Retained[rows[0]]
			out[i] = &retained
		}
	}
	if len(of)*(g.Heap.Len()+g.Heap.To.Len()) > mostForThreads {
		return out, nil
	}
	own := newRowBits(g.Heap.Len())
	for _, i := range of {
		rows := g.rowsOf(&list[i])
		for _, r := range rows {
			own.set(uint64(r))
		}
		retained, _, err := g.core.retainedBy(ctx, func(r model.Row) bool { return own.has(uint64(r)) })
		if err != nil {
			return out, err
		}
		out[i] = &retained
		for _, r := range rows {
			own[r>>6] = 0
		}
	}
	return out, nil
}

// rowsOf returns the rows of a thread and of its calls, none for a thread without an object.
func (g *Graph) rowsOf(t *model.HeapThread) (rows []model.Row) {
	if t.Row == model.RootRow || !g.Heap.Has(t.Row) {
		return nil
	}
	rows = append(rows, t.Row)
	for i := range t.Frames {
		if r := t.Frames[i].Row; r != model.RootRow && g.Heap.Has(r) {
			rows = append(rows, r)
		}
	}
	return rows
}
