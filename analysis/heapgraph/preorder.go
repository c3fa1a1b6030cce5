package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
)

// preorderRowBytes are what a row of a snapshot takes at most while [Graph.Preorder] works: its results, the list of what is still
// to be visited, and the lists of children, which the graph keeps.
const preorderRowBytes = 20

// Preorder lists the rows so that each stands before what it dominates, and what it dominates follows it at once: r and all below it
// are order[place[r] : place[r]+RetainedCount[r]]. The order of rows with one dominator means nothing.
func (g *Graph) Preorder(ctx context.Context) (order []model.Row, place []uint32, err error) {
	n := len(g.Idom)
	if b := model.BudgetOf(ctx); !b.Fits(preorderRowBytes * int64(n)) {
		return nil, nil, b.Error("looking for suspects")
	}
	t := g.tree()
	t.mu.RLock()
	defer t.mu.RUnlock()
	order, place = make([]model.Row, 0, n), make([]uint32, n)
	for todo := []model.Row{model.RootRow}; len(todo) > 0; {
		if len(order)%pauseEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		r := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], t.rows[t.start[r]:t.start[r+1]]...)
		place[r] = uint32(len(order))
		order = append(order, r)
	}
	return order, place, nil
}

// Reference returns the first reference of row from that holds row to; ok is false where there is none.
func (g *Graph) Reference(from, to model.Row) (e uint32, ok bool) {
	rows, first := g.Heap.Out(from)
	partly := g.cut != nil && g.cut.has(from)
	for i, t := range rows {
		if e := first + uint32(i); t == to && (!partly || !g.skips(from, e)) {
			return e, true
		}
	}
	return 0, false
}
