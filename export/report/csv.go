package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
)

// WriteCSV writes one table of r, named as in [Tables] or [HeapTables], with the JSON names as its header. Numbers are
// exact, unknown values are empty, names are cleaned, and frames are in one cell, leaf first, separated by semicolons.
func WriteCSV(w io.Writer, r *Report, table string) error {
	rows, ok := r.rows(table)
	if !ok {
		return fmt.Errorf("unknown table %q; available: %s", table, strings.Join(r.TableNames(), ", "))
	}
	return writeRows(w, rows, r.Heap.emptyRow(table), r.Time.Coarse)
}

// estimated is the column of tables whose times are estimates: it is true in each row.
const estimated = "estimated"

// writeRows writes a slice of structs. Of a slice without rows, the header is that of empty, where there is one. coarse
// adds a column to tables with times that says that these are estimates.
func writeRows(w io.Writer, rows, empty any, coarse bool) error {
	out := csv.NewWriter(w)
	v := reflect.ValueOf(rows)
	first := reflect.Zero(v.Type().Elem())
	if v.Len() > 0 {
		first = v.Index(0)
	} else if e := reflect.ValueOf(empty); empty != nil && e.Type() == first.Type() {
		first = e
	}
	names, more := header(first), []string(nil)
	if coarse && slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "_us") }) {
		names, more = append(names, estimated), []string{"true"}
	}
	if err := out.Write(names); err != nil {
		return err
	}
	for i := range v.Len() {
		if err := out.Write(append(record(v.Index(i)), more...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
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
	case r.Tree != nil:
		return &r.Tree.Rows, table == treeTable
	case r.Around != nil:
		rows := r.Around.rows()
		return &rows, table == "" || table == aroundTable
	case r.AroundType != nil:
		rows := r.AroundType.rows()
		return &rows, table == "" || table == aroundTable
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
	}
	return nil, false
}

// header returns the JSON names of a row's fields in order.
func header(row reflect.Value) (names []string) {
	for name := range columnsOf(row) {
		names = append(names, name)
	}
	return names
}

// record returns the cells of a row, aligned with header.
func record(row reflect.Value) (cells []string) {
	for _, v := range columnsOf(row) {
		cells = append(cells, cellOf(v))
	}
	return cells
}

// columnsOf yields the fields of a row of CSV with their JSON names.
func columnsOf(row reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) { eachColumn(row, yield) }
}

func eachColumn(row reflect.Value, yield func(string, reflect.Value) bool) bool {
	for i := range row.NumField() {
		f := row.Type().Field(i)
		if m := object.MembersOf(f, row.Field(i)); m != nil {
			for _, x := range m.Members() {
				if !yield(x.Name, reflect.ValueOf(x.Value)) {
					return false
				}
			}
			continue
		}
		if f.Anonymous {
			if !eachColumn(row.Field(i), yield) {
				return false
			}
			continue
		}
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && f.Tag.Get("csv") != "-" && !yield(name, row.Field(i)) {
			return false
		}
	}
	return true
}

func cellOf(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case interface{ cell() string }:
		return x.cell()
	case []uint16, []uint64:
		return strings.Trim(fmt.Sprint(x), "[]")
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	case string:
		return model.Clean(x)
	case *string:
		if x == nil {
			return ""
		}
		return model.Clean(*x)
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	if a, ok := v.Interface().(object.Appender); ok {
		return string(a.AppendJSON(nil))
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	if v.CanInt() {
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10)
}

// cell returns the stack in one line: "leaf (file:line);caller (file:line)".
func (f Frames) cell() string {
	var out strings.Builder
	if f.IsZero() {
		return ""
	}
	for p := range f.All() {
		if out.Len() > 0 {
			out.WriteByte(';')
		}
		out.WriteString(p.Name())
		if at := p.Where(); at != "" {
			out.WriteString(" (" + at + ")")
		}
	}
	return out.String()
}
