package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
)

// preorderRowBytes are what a row of a snapshot takes at most while [Graph.Preorder] works: its results, the list of
// what is still to be visited, and the lists of children, which the graph keeps.
const preorderRowBytes = 20

// Preorder lists the rows so that each stands before what it dominates, and what it dominates follows it at once: r and
// all below it are order[place[r] : place[r]+RetainedCount(r)]. The order of rows with one dominator means nothing.
func (g *Graph) Preorder(ctx context.Context) (order model.Column[model.Row], place model.Column[uint64], err error) {
	return g.core.preorder(ctx)
}

func (c *core[I]) preorder(ctx context.Context) (order model.Column[model.Row], place model.Column[uint64], err error) {
	n := len(c.idom)
	need := preorderRowBytes * int64(n)
	if isWide[I]() {
		need *= 2
	}
	if b := model.BudgetOf(ctx); !b.Fits(need) {
		return order, place, b.Error("looking for suspects")
	}
	t := c.below()
	t.mu.RLock()
	defer t.mu.RUnlock()
	rows, at := make([]I, 0, n), make([]I, n)
	for todo := []I{0}; len(todo) > 0; {
		if len(rows)%pauseEvery == 0 && ctx.Err() != nil {
			return order, place, ctx.Err()
		}
		r := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], t.rows[t.start[r]:t.start[r+1]]...)
		at[r] = I(len(rows))
		rows = append(rows, r)
	}
	return modelColumn[model.Row](rows), modelColumn[uint64](at), nil
}

// Reference returns the first reference of row from that holds row to; ok is false where there is none.
func (g *Graph) Reference(from, to model.Row) (e model.Ref, ok bool) {
	return g.core.reference(uint64(from), uint64(to))
}
