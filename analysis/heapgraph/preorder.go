package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
)

// preorderRowBytes are what a row of a snapshot takes at most while [Graph.Preorder] works: its results, the list of
// what is still to be visited, and the lists of children, which the graph keeps.
const preorderRowBytes = 24

// Order is an order of rows in which each row precedes the rows that it dominates, and these follow it directly. The
// order of rows with the same dominator has no meaning.
type Order struct {
	Rows  model.Column[model.Row]
	Place model.Column[uint64] // by row: its position
	End   model.Column[uint64] // by position: the end of the row there and of all rows below it
}

// Preorder lists the rows in the order of the dominator tree.
func (g *Graph) Preorder(ctx context.Context) (Order, error) { return g.core.preorder(ctx) }

func (c *core[I]) preorder(ctx context.Context) (Order, error) {
	n := len(c.idom)
	need := preorderRowBytes * int64(n)
	if isWide[I]() {
		need *= 2
	}
	if b := model.BudgetOf(ctx); !b.Fits(need) {
		return Order{}, b.Error("looking for suspects")
	}
	t := c.below()
	t.mu.RLock()
	defer t.mu.RUnlock()
	rows, at, ends := make([]I, 0, n), make([]I, n), make([]I, n)
	for todo := []I{0}; len(todo) > 0; {
		if len(rows)%pauseEvery == 0 && ctx.Err() != nil {
			return Order{}, ctx.Err()
		}
		r := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], t.rows[t.start[r]:t.start[r+1]]...)
		p := I(len(rows))
		at[r], ends[p] = p, p+c.count[r]
		rows = append(rows, r)
	}
	return Order{modelColumn[model.Row](rows), modelColumn[uint64](at), modelColumn[uint64](ends)}, nil
}

// Reference returns the first strong reference from one row to another; ok is false if there is none.
func (g *Graph) Reference(from, to model.Row) (e model.Ref, ok bool) {
	return g.core.reference(uint64(from), uint64(to))
}
