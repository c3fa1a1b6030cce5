package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
)

// preorderRowBytes are what a row of a snapshot takes at most while [Graph.Preorder] works: its results, the list of
// what is still to be visited, and the lists of children, which the graph keeps.
const preorderRowBytes = 20

// Order is an order of rows in which each row precedes the rows that it dominates, and these follow it directly. The
// order of rows with the same dominator has no meaning.
type Order struct {
	Rows  model.Column[model.Row]
	Place model.Column[uint64] // by row: its position

	count model.Column[uint64] // by row: of it and all rows below it
}

// End returns the position after the row at position p and all rows below it.
func (o *Order) End(p uint64) uint64 { return p + o.count.At(int(o.Rows.At(int(p)))) }

// Preorder lists the rows in the order of the dominator tree.
func (g *Graph) Preorder(ctx context.Context) (Order, error) {
	o, err := g.core.preorder(ctx)
	o.count = g.count
	return o, err
}

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
	children := t.unsorted()
	rows, at := make([]I, 0, n), make([]I, n)
	for todo := []I{0}; len(todo) > 0; {
		if len(rows)%pauseEvery == 0 && ctx.Err() != nil {
			return Order{}, ctx.Err()
		}
		r := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], children[t.start[r]:t.start[r+1]]...)
		at[r] = I(len(rows))
		rows = append(rows, r)
	}
	return Order{Rows: modelColumn[model.Row](rows), Place: modelColumn[uint64](at)}, nil
}

// Reference returns the first strong reference from one row to another; ok is false if there is none.
func (g *Graph) Reference(from, to model.Row) (e model.Ref, ok bool) {
	return g.core.reference(uint64(from), uint64(to))
}
