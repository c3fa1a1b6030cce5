package object

import (
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// Estimated is the column of tables whose times or amounts are estimates: it is true in each row. In JSON it is a member
// of the objects whose amounts are estimates.
const Estimated = "estimated"

// Estimates states what of a file's figures are estimates.
type Estimates struct {
	Times   bool
	Amounts bool // of bytes, and numbers of blocks, which are those of samples
	Bounded bool // every row of a table of limits
}

// Estimating is implemented by objects whose figures may be estimates. Structs can embed an [Estimates] to be such.
type Estimating interface{ Estimated() Estimates }

// Estimated implements [Estimating].
func (e Estimates) Estimated() Estimates { return e }

// in reports whether a table has such figures.
func (e Estimates) in(columns []string) bool {
	return e.Bounded || slices.ContainsFunc(columns, func(name string) bool {
		return e.Times && strings.HasSuffix(name, "_us") || e.Amounts && isAmount(name)
	})
}

// isAmount reports whether a column has amounts, by its name.
func isAmount(name string) bool {
	return strings.HasSuffix(name, "bytes") || strings.HasSuffix(name, "count") && name != "row_count" ||
		slices.Contains(amounts[:], name)
}

// amounts are columns of amounts whose names do not say so.
var amounts = [...]string{"self", "total", "value", "metric"}

// WriteRows writes a slice of structs. Of a slice without rows, the header is that of empty, where there is one. Tables
// with estimates have a column that says so.
func WriteRows(w io.Writer, rows, empty any, of Estimates) error {
	out := csv.NewWriter(w)
	v := reflect.ValueOf(rows)
	first := reflect.Zero(v.Type().Elem())
	if v.Len() > 0 {
		first = v.Index(0)
	} else if e := reflect.ValueOf(empty); empty != nil && e.Type() == first.Type() {
		first = e
	}
	names, more := Header(first), []string(nil)
	if of.in(names) {
		names, more = append(names, Estimated), []string{"true"}
	}
	if err := out.Write(names); err != nil {
		return err
	}
	for i := range v.Len() {
		if err := out.Write(append(Record(v.Index(i)), more...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Header returns the JSON names of a row's fields in order.
func Header(row reflect.Value) (names []string) {
	for name := range Columns(row) {
		names = append(names, name)
	}
	return names
}

// Record returns the cells of a row, aligned with Header.
func Record(row reflect.Value) (cells []string) {
	for _, v := range Columns(row) {
		cells = append(cells, CellOf(v))
	}
	return cells
}

// Table returns a slice of structs as columns and rows of text, as they are in CSV.
func Table(rows reflect.Value) (heads []string, cells [][]string) {
	for i := range rows.Len() {
		cells = append(cells, Record(rows.Index(i)))
	}
	if rows.Len() > 0 {
		return Header(rows.Index(0)), cells
	}
	return Header(reflect.Zero(rows.Type().Elem())), cells
}

// Columns yields the fields of a row of CSV with their JSON names.
func Columns(row reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) { eachColumn(row, yield) }
}

func eachColumn(row reflect.Value, yield func(string, reflect.Value) bool) bool {
	for i := range row.NumField() {
		f := row.Type().Field(i)
		if m := MembersOf(f, row.Field(i)); m != nil {
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

// CellOf returns a value as a cell of CSV: exact, cleaned, "" if it is unknown.
func CellOf(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case interface{ Cell() string }:
		return model.Clean(x.Cell())
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
	if a, ok := v.Interface().(Appender); ok {
		return string(a.AppendJSON(nil))
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.String:
		return model.Clean(v.String())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	if v.CanInt() {
		return strconv.FormatInt(v.Int(), 10)
	}
	return strconv.FormatUint(v.Uint(), 10)
}
