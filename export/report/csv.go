package report

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/memtui/memtui/export/report/object"
)

// WriteCSV writes one table of r, named as in [Tables] or [HeapTables], with the JSON names as its header. Numbers are
// exact, unknown values are empty, names are cleaned, and frames are in one cell, leaf first, separated by semicolons.
//
// Without a name, it writes what the report is about. As reports in other formats, that begins with the findings, which
// end with an empty line, unless rows are filtered.
func WriteCSV(w io.Writer, r *Report, table string) error {
	rows, ok := r.rows(table)
	if !ok {
		return fmt.Errorf("unknown table %q; available: %s", table, strings.Join(r.TableNames(), ", "))
	}
	if first := r.findingsTable(); table == "" && first != "" && len(r.rowsLeft) == 0 {
		if err := WriteCSV(w, r, first); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return object.WriteRows(w, rows, r.Heap.emptyRow(table), r.Estimated())
}

// Estimated implements [object.Estimating].
func (r *Report) Estimated() object.Estimates {
	return object.Estimates{Times: r.Time.Coarse, Amounts: r.File.Estimated()}
}

// HasTable reports whether WriteCSV can write the table of that name; "" is what the report is about.
func (r *Report) HasTable(name string) bool {
	_, ok := r.rows(name)
	return ok
}

// rows returns the table of that name, a slice of structs; "" is what the report is about.
func (r *Report) rows(table string) (any, bool) {
	list, ok := r.list(table)
	if !ok {
		return nil, false
	}
	return reflect.ValueOf(list).Elem().Interface(), true
}

// list returns where the table of that name is: a pointer to a slice of structs. Some tables are made for the caller.
func (r *Report) list(table string) (any, bool) {
	switch {
	case len(r.Alone) > 0:
		return r.Alone[0].List(), table == "" || table == r.Alone[0].Table()
	case r.Tree != nil:
		return &r.Tree.Rows, table == treeTable
	case r.Events != nil:
		return &r.Events.Rows, table == "" || table == eventsTable
	case r.Lines != nil:
		return &r.Lines.Rows, table == "" || table == linesTable
	case r.Around != nil:
		rows := r.Around.rows()
		return &rows, table == "" || table == AroundTable
	case r.AroundType != nil:
		rows := r.AroundType.Rows()
		return &rows, table == "" || table == AroundTable
	case r.Trace != nil:
		return r.Trace.list(table)
	case r.Path != nil:
		return &r.Path, table == ""
	case r.FoundBy != nil:
		return &r.FoundBy, table == ""
	case r.Found != nil:
		return &r.Found, table == ""
	case r.Object != nil:
		rows := r.Object.edges()
		return &rows, table == ""
	case r.Heap != nil:
		return r.Heap.list(table)
	case r.Stacks != nil && table != "series":
		return r.Stacks.list(table)
	}
	return r.dumpList(table)
}

// sortedTable is a table whose rows were sorted by a column.
type sortedTable struct{ table, by string }

// SortRows sorts the rows of a table as [object.Sort] does. A name of several tables sorts those that have the column.
func (r *Report) SortRows(table, by string, n int) error {
	lists := r.lists(table)
	var wrong error
	failed := 0
	for _, l := range lists {
		if err := object.Sort(reflect.ValueOf(l.rows).Elem(), by, n); err != nil {
			wrong = cmp.Or(wrong, err)
			failed++
			continue
		}
		r.sorted = append(r.sorted, sortedTable{l.name, by})
	}
	if failed < len(lists) {
		return nil
	}
	return wrong
}

func (t *Trace) list(table string) (any, bool) {
	switch table {
	case "findings":
		return &t.Findings, true
	case "", "sites":
		return &t.Sites, true
	case "live_sites":
		return &t.LiveSites, true
	case "peak_sites":
		return &t.PeakSites, true
	case "leaks":
		return &t.Leaks.Sites, true
	case "late_freed":
		return &t.LateFreed.Sites, true
	case "functions":
		return &t.Functions, true
	case "groups":
		return &t.Groups, true
	case "threads":
		return &t.Threads, true
	case "markers":
		return &t.Markers, true
	case "sizes":
		return &t.Sizes, true
	case "lifetimes":
		return &t.Lifetimes, true
	case "grid":
		return &t.Grid, true
	case "blocks":
		return &t.Blocks, true
	case "born_blocks":
		return &t.Born, true
	case "curve":
		return &t.Curve, true
	case treeTable:
		return new([]TreeRow), true
	case linesTable:
		return new([]SourceLine), true
	case eventsTable:
		return new([]SingleEvent), true
	case "treemap", "heatmap", "lifetime_heatmap":
		return new([]singleRow), true
	}
	return nil, false
}
