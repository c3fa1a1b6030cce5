package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
)

// preorderRowBytes is the most memory per row that [Graph.Preorder] takes: its results, the list of rows still to
// visit, and the lists of children, which the graph keeps.
const preorderRowBytes = 20

// Preorder returns the rows in an order in which each is followed by all that it dominates: r and all rows below it are
// order[place[r] : place[r]+RetainedCount(r)]. The order of rows with the same dominator is unspecified.
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

// Reference returns the first strong reference from one row to another; ok is false if there is none.
func (g *Graph) Reference(from, to model.Row) (e model.Ref, ok bool) {
	return g.core.reference(uint64(from), uint64(to))
}
