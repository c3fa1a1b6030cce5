package lines

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// Table is what all lines of a recording weigh, by several figures. It is read-only.
type Table struct {
	Query
	Rows   []Weights // by file and line
	Totals []uint64  // of all stacks, by figure
	Factor float64   // of the weights
}

// OfTrace returns the lines of a trace by costs, whose weights must add up. stacks may be nil; view is a filter of them,
// nil for all. Errors are those of ctx and of trace.
func OfTrace(ctx context.Context, trace analysis.Trace, stacks *model.Stacks, view *calltree.FilteredStacks,
	q analysis.Query, costs ...analysis.Cost) (*Table, error) {
	t := &Table{Query: Query{Stacks: stacks, Weights: make([][]uint64, len(costs))}, Factor: 1}
	if stacks == nil {
		t.Totals = make([]uint64, len(costs))
		return t, nil
	}
	if view != nil {
		t.Stacks = view.Stacks
	}
	all := make([][]uint64, len(costs))
	for k, c := range costs {
		var err error
		if all[k], err = trace.Weights(ctx, c, q); err != nil {
			return nil, err
		}
	}
	for i, id := range trace.StackIDs() {
		leaf, _ := stacks.Node(id)
		if view != nil {
			var kept bool
			if leaf, kept = view.Node(leaf); !kept {
				continue
			}
		}
		t.Leaves, t.Sites = append(t.Leaves, leaf), append(t.Sites, calltree.SiteNode(t.Stacks, leaf))
		for k := range all {
			w := uint64(0)
			if i < len(all[k]) { // more may have been read meanwhile
				w = all[k][i]
			}
			t.Weights[k] = append(t.Weights[k], w)
		}
	}
	return t, t.sum(ctx)
}

// OfSelection returns the lines of a stack profile by one figure. The error is that of ctx.
func OfSelection(ctx context.Context, s *weights.Selection) (*Table, error) {
	w := s.Scaled()
	t := &Table{Query: Query{Stacks: s.Stacks, Leaves: w.Leaves, Weights: [][]uint64{w.Weights}}, Factor: w.Factor}
	if w.Own != nil {
		t.Own = [][]uint64{w.Own}
	}
	return t, t.sum(ctx)
}

func (t *Table) sum(ctx context.Context) (err error) {
	t.Totals = make([]uint64, len(t.Weights))
	for k, all := range t.Weights {
		for _, w := range all {
			add(&t.Totals[k], w)
		}
	}
	if t.Rows, err = sumLines(ctx, &t.Query); err != nil {
		return err
	}
	slices.SortFunc(t.Rows, func(a, b Weights) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return nil
}

// File returns the lines of a file, by line. The slice is the table's.
func (t *Table) File(file model.FileID) []Weights {
	from, _ := slices.BinarySearchFunc(t.Rows, file, func(w Weights, f model.FileID) int { return cmp.Compare(w.File, f) })
	to, _ := slices.BinarySearchFunc(t.Rows, file+1, func(w Weights, f model.FileID) int { return cmp.Compare(w.File, f) })
	return t.Rows[from:to]
}

// Beyond reports whether any line of a file that weighs anything comes after line n.
func (t *Table) Beyond(file model.FileID, n int) bool {
	rows := t.File(file)
	return len(rows) > 0 && rows[len(rows)-1].Line > int64(n)
}

// Costliest returns the line with the most weight of its own by the first figure, and the first of equal ones; ok is
// false where no line has any.
func (t *Table) Costliest() (at Place, ok bool) {
	best := uint64(0)
	for i := range t.Rows {
		if w := &t.Rows[i]; w.Self[0] > best {
			best, at = w.Self[0], w.Place
		}
	}
	return at, best > 0
}
