package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// leftOut is the list of tables that did not fit into memory, named as in JSON. They are unknown, not empty: neither
// they nor their lengths are written.
type leftOut []string

func (l *leftOut) has(table string) bool { return l != nil && slices.Contains(*l, table) }

// lacking is implemented by structs with members that can be left out.
type lacking interface{ lacks(name string) bool }

func (t Trace) lacks(name string) bool      { return t.left.has(name) }
func (c RowCounts) lacks(name string) bool  { return c.left.has(name) }
func (s Stacks) lacks(name string) bool     { return s.left.has(name) }
func (o HeapObject) lacks(name string) bool { return o.left.has(name) }
func (d Diff) lacks(name string) bool       { return d.left.has(name) }
func (c StackRows) lacks(name string) bool  { return c.left.has(name) }

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
		return r.Trace.lacks(cmp.Or(table, Tables()[0]))
	case r.Heap != nil && table == "":
		h := r.Heap
		return len(h.left) > 0 && h.Snapshots == nil && h.Types == nil && h.Frames == nil && h.Dominators == nil && h.Suspects == nil
	case r.Heap != nil:
		return r.Heap.left.has(table)
	case r.Stacks != nil:
		return r.Stacks.lacks(cmp.Or(table, StackTables()[0]))
	}
	return false
}

// Lacks records what is missing from a report whose groups were made elsewhere.
func (r *Report) Lacks(p model.Problem) { r.addProblems(p) }
