package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// leftOut is the list of tables that did not fit into memory, named as in JSON. They are unknown, not empty: neither
// they nor their lengths are written.
type leftOut []string

func (l *leftOut) has(table string) bool { return l != nil && slices.Contains(*l, table) }

// Lacks reports whether a member of the JSON object is left out.
func (t Trace) Lacks(name string) bool { return t.left.has(name) }

// Lacks reports whether a member of the JSON object is left out.
func (c RowCounts) Lacks(name string) bool { return c.left.has(name) }

// Lacks reports whether a member of the JSON object is left out.
func (s Stacks) Lacks(name string) bool { return s.left.has(name) }

// Lacks reports whether a member of the JSON object is left out.
func (o HeapObject) Lacks(name string) bool { return o.left.has(name) }

// Lacks reports whether a member of the JSON object is left out.
func (d Diff) Lacks(name string) bool { return d.left.has(name) }

// Lacks reports whether a member of the JSON object is left out.
func (c StackRows) Lacks(name string) bool { return c.left.has(name) }

// fits calls f, which fills in tables, and returns the tables that did not fit into memory.
func fits(ctx context.Context, tables []string, f func(context.Context) error) (leftOut, error) {
	err := model.BudgetOf(ctx).Try(ctx, "", f)
	if short := (*model.MemoryError)(nil); errors.As(err, &short) {
		return tables, nil
	}
	return nil, err
}

// leaveOut records what is missing.
func (r *Report) leaveOut(ctx context.Context, left leftOut) {
	if len(left) > 0 {
		if r.Trace != nil {
			r.Trace.Rows.left = &left
		} else {
			r.Stacks.Rows.left = &left
		}
		noun, verb := "table", "was"
		if len(left) > 1 {
			noun, verb = "tables", "were"
		}
		r.addProblems(model.BudgetOf(ctx).Problem(fmt.Sprintf("the %s %s %s left out", noun, strings.Join(left, ", "), verb)))
	}
}

// LeftOut reports whether the table of that name did not fit into memory. Names are those of [WriteCSV].
func (r *Report) LeftOut(table string) bool {
	switch {
	case r.Trace != nil:
		return r.Trace.Lacks(cmp.Or(table, Tables()[0]))
	case r.Heap != nil && table == "":
		h := r.Heap
		return len(h.left) > 0 && h.Snapshots == nil && h.Types == nil && h.Frames == nil && h.Dominators == nil && h.Suspects == nil
	case r.Heap != nil:
		return r.Heap.left.has(table)
	case r.Stacks != nil:
		return r.Stacks.Lacks(cmp.Or(table, StackTables()[0]))
	}
	return false
}

// Lacks records what is missing from a report whose groups were made elsewhere.
func (r *Report) Lacks(p model.Problem) { r.addProblems(p) }

// UnmatchedCell returns the rectangle of a cell in which no trace has a block, with the nearest ones that have some. The
// error is that of ctx or of a trace; whether a cell is empty is unknown where memory is short.
func UnmatchedCell(ctx context.Context, c analysis.Cell, traces ...analysis.Trace) (out []places.Unmatched, err error) {
	if c = c.Rectangle(); c.IsAll() {
		return nil, nil
	}
	_, err = fits(ctx, nil, func(ctx context.Context) error {
		found, cells, err := analysis.FindCell(ctx, c, near.Names, traces...)
		if found || err != nil {
			return err
		}
		u := places.Unmatched{Filter: "cell " + c.Argument(), Near: []string{}}
		for _, other := range cells {
			u.Near = append(u.Near, other.Argument())
		}
		out = []places.Unmatched{u}
		return nil
	})
	return out, err
}

// emptied returns the parts of a cell that match nothing in a trace: filters of stacks, and the rectangle.
func emptied(ctx context.Context, c analysis.Cell, stacks *model.Stacks, trace analysis.Trace) (out []places.Unmatched, err error) {
	if stacks != nil {
		if out, err = places.UnmatchedIn(ctx, c.Stacks, stacks); err != nil {
			return nil, err
		}
	}
	cells, err := UnmatchedCell(ctx, c, trace)
	return append(out, cells...), err
}
