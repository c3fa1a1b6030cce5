package report

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/model"
)

// BlankTrace returns a report about a trace without content. Blank reports have the tables and columns of every file of
// their kind, so that orders and filters are checked before a file is read.
func BlankTrace() *Report { return &Report{Trace: &Trace{}} }

// BlankStacks returns a report about a stack profile without content.
func BlankStacks() *Report { return &Report{Stacks: &Stacks{}, Series: []dump.Series{}} }

// BlankDump returns a report about curves and a page layout without content.
func BlankDump() *Report {
	return &Report{Series: []dump.Series{}, DumpCounts: &dump.Lengths{}, Pages: &dump.Pages{}}
}

// BlankPages returns a report about one page layout without content.
func BlankPages() *Report { return &Report{Pages: &dump.Pages{}} }

// BlankHeap returns a report about heap snapshots without content.
func BlankHeap(s *model.HeapSchema) *Report { return &Report{Heap: &Heap{schema: s}} }

// BlankThreads returns a report about the threads of a heap snapshot without content.
func BlankThreads(s *model.HeapSchema) *Report {
	return &Report{Heap: &Heap{schema: s, Threads: []HeapThread{}}}
}

// BlankWaste returns a report about what is wasted in a heap snapshot without content.
func BlankWaste(s *model.HeapSchema) *Report {
	return &Report{Heap: &Heap{schema: s, Waste: &HeapWaste{Strings: &HeapStrings{}}}}
}

// Order is what sorts a table: an order in which it is built, or a column by which its rows are sorted once it is
// complete. Both are "" for the usual order of the table.
type Order struct{ Built, Column string }

// OrderOf returns the order of a table that a word names. The table "" is the complete report, which is sorted only as
// it is built.
func (r *Report) OrderOf(table, by string) (Order, error) {
	if by == "" {
		return Order{}, nil
	}
	built := r.BuiltOrders(table)
	if slices.Contains(built, by) {
		return Order{Built: by}, nil
	}
	var columns []string
	if table != "" || r.single() {
		columns = r.SortColumns(table)
	}
	if name, ok := object.ColumnNamed(columns, by); ok {
		return Order{Column: name}, nil
	}
	for _, name := range columns {
		if !slices.Contains(built, name) {
			built = append(built, name)
		}
	}
	return Order{}, fmt.Errorf("unknown sort key %q%s", by, near.Available(by, built))
}

// single reports whether all of the report is one table, or several of one subject.
func (r *Report) single() bool {
	return r.Heap != nil && (r.Heap.Threads != nil || r.Heap.Waste != nil)
}

// SortedBy returns the tables that an order or a column sorts.
func (r *Report) SortedBy(by string) (tables []string) {
	for _, name := range r.TableNames() {
		if slices.Contains(r.BuiltOrders(name), by) || slices.Contains(r.SortColumns(name), by) {
			tables = append(tables, name)
		}
	}
	return tables
}

// BuiltOrders returns the orders in which a table is built: with a limit, only the first rows are ever made. The table ""
// is the complete report.
func (r *Report) BuiltOrders(table string) []string {
	switch {
	case r.Trace != nil:
		return traceOrders(table)
	case r.Heap == nil || r.single():
		return nil
	}
	switch table {
	case "", "types", "frames", "groups":
		return HeapSortKeys()
	case "trends":
		return []string{"bytes", "count"}
	}
	return nil
}

// traceOrders returns the orders in which a table of a trace is built.
func traceOrders(table string) []string {
	switch table {
	case "", "sites", "live_sites", "peak_sites", "groups":
		return orders.Sites()
	case "leaks", "late_freed":
		return orders.Leaks()
	case "blocks", "born_blocks":
		return orders.Blocks()
	case treeTable, linesTable, "treemap", "heatmap", "lifetime_heatmap":
		return TreeMetrics()
	case AroundTable:
		return orders.Shared()
	}
	return nil
}

// SortColumns returns the columns that sort a table once it is complete. Trees and maps have none: their rows are below
// what they belong to, or in the order of the figure that is drawn.
func (r *Report) SortColumns(table string) (names []string) {
	if table == treeTable || slices.Contains(r.drawn(), table) {
		return nil
	}
	for _, l := range r.lists(table) {
		for _, name := range object.Sortable(r.firstRow(l)) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// drawn returns the names of the tables of [Single] that a kind of file has.
func (r *Report) drawn() (names []string) {
	for _, name := range r.TableNames() {
		if list, ok := r.list(name); ok && reflect.TypeOf(list) == reflect.TypeFor[*[]singleRow]() {
			names = append(names, name)
		}
	}
	return names
}

// CheckFilter returns an error for a filter that no row of a table can pass or fail: it is malformed, or compares what
// is not a figure of these rows.
func (r *Report) CheckFilter(table, text string) (err error) {
	lists := r.lists(table)
	for _, l := range lists {
		if _, wrong := parseRowFilter(text, newRowView(r.firstRow(l))); wrong == nil {
			return nil
		} else if err == nil {
			err = wrong
		}
	}
	return err
}

// CheckDiffFilter is [Report.CheckFilter] for the rows of comparisons.
func CheckDiffFilter(text string) error {
	row := DiffRow{DiffAmounts: DiffAmounts{{errors: true}}, DiffObjects: make(DiffObjects, 1)}
	_, err := parseRowFilter(text, newRowView(reflect.ValueOf(row)))
	return err
}

// firstRow returns the first row of a table, or one without content that has its columns.
func (r *Report) firstRow(l namedList) reflect.Value {
	rows := reflect.ValueOf(l.rows).Elem()
	if rows.Len() > 0 {
		return rows.Index(0)
	}
	if empty := reflect.ValueOf(r.Heap.emptyRow(l.name)); empty.IsValid() && empty.Type() == rows.Type().Elem() {
		return empty
	}
	return reflect.Zero(rows.Type().Elem())
}

// parseRowFilter parses a filter of rows.
func parseRowFilter(text string, row *rowView) (*analysis.Filter, error) {
	filter, err := analysis.ParseFilter(text, row.fields()...)
	if err == nil && filter.ComparesShares() {
		err = errShares
	}
	return filter, err
}
