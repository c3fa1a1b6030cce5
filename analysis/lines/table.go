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
	if stacks == nil {
		return &Table{Query: Query{Weights: make([][]uint64, len(costs))}, Totals: make([]uint64, len(costs)), Factor: 1}, nil
	}
	weighed, err := Weigh(ctx, trace, stacks, view, q, costs...)
	if err != nil {
		return nil, err
	}
	t := &Table{Query: *weighed, Factor: 1}
	return t, t.sum(ctx)
}

// Weigh returns the stacks of a trace with their weights by costs, as [OfTrace] sums them up. stacks is not nil.
func Weigh(ctx context.Context, trace analysis.Trace, stacks *model.Stacks, view *calltree.FilteredStacks,
	q analysis.Query, costs ...analysis.Cost) (*Query, error) {
	t := &Query{Stacks: stacks, IDs: []model.StackID{}, Weights: make([][]uint64, len(costs))}
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
	names := calltree.NewSiteNames(t.Stacks)
	for i, id := range trace.StackIDs() {
		leaf, _ := stacks.Node(id)
		if view != nil {
			var kept bool
			if leaf, kept = view.Node(leaf); !kept {
				continue
			}
		}
		t.IDs = append(t.IDs, id)
		t.Leaves, t.Sites = append(t.Leaves, leaf), append(t.Sites, names.Node(leaf))
		for k := range all {
			w := uint64(0)
			if i < len(all[k]) { // more may have been read meanwhile
				w = all[k][i]
			}
			t.Weights[k] = append(t.Weights[k], w)
		}
	}
	return t, nil
}

// OfSelection returns the lines of a stack profile by one figure. The error is that of ctx.
func OfSelection(ctx context.Context, s *weights.Selection) (*Table, error) {
	q, factor := Selected(s)
	t := &Table{Query: *q, Factor: factor}
	return t, t.sum(ctx)
}

// Selected returns the stacks of a selection with their weights, which were multiplied by a factor.
func Selected(s *weights.Selection) (q *Query, factor float64) {
	w := s.Scaled()
	q = &Query{Stacks: s.Stacks, Leaves: w.Leaves, Weights: [][]uint64{w.Weights}}
	if w.Own != nil {
		q.own = [][]uint64{w.Own}
	}
	return q, w.Factor
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

// CostliestOf returns the line with the most weight by the first figure, or by the first other one that any has, that
// stacks pass in a function of a name; ok is false where none does.
func (t *Table) CostliestOf(function string) (at Place, ok bool) {
	in := map[Place]bool{}
	for f, fn := range t.Stacks.FrameFunc {
		if t.Stacks.Functions[fn] == function {
			in[Place{t.Stacks.FrameFile[f], t.Stacks.FrameLine[f]}] = true
		}
	}
	for k := range t.Weights {
		best := uint64(0)
		for i := range t.Rows {
			if w := &t.Rows[i]; w.Total[k] > best && in[w.Place] {
				best, at = w.Total[k], w.Place
			}
		}
		if best > 0 {
			return at, true
		}
	}
	return at, false
}

// Beyond reports whether any line of a file that weighs anything comes after line n.
func (t *Table) Beyond(file model.FileID, n int) bool {
	rows := t.File(file)
	return len(rows) > 0 && rows[len(rows)-1].Line > int64(n)
}

// Costliest returns the lines with the most weight of their own by the first figure, or by the first other one that any
// has: at most n, the heaviest first, each of another file.
func (t *Table) Costliest(n int) (list []Place) {
	for k := range t.Weights {
		rows := slices.DeleteFunc(slices.Clone(t.Rows), func(w Weights) bool { return w.Self[k] == 0 })
		slices.SortStableFunc(rows, func(a, b Weights) int { return cmp.Compare(b.Self[k], a.Self[k]) })
		met := map[model.FileID]bool{}
		for i := 0; i < len(rows) && len(list) < n; i++ {
			if !met[rows[i].File] {
				met[rows[i].File], list = true, append(list, rows[i].Place)
			}
		}
		if len(list) > 0 {
			break
		}
	}
	return list
}
