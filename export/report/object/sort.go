package object

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/near"
)

// Sortable returns the columns of a row that [Sort] sorts by: all that have a cell in CSV.
func Sortable(row reflect.Value) (names []string) {
	for name, cell := range Columns(row) {
		if cell.Kind() != reflect.Slice || hasCell(cell) {
			names = append(names, name)
		}
	}
	return names
}

// hasCell reports whether [CellOf] has a text for a slice.
func hasCell(v reflect.Value) bool {
	switch v.Interface().(type) {
	case interface{ Cell() string }, []uint16, []uint64, Appender:
		return true
	}
	return false
}

// ColumnNamed returns the column that a word names. Units of its name may be left out: growth is growth_bytes.
func ColumnNamed(columns []string, by string) (name string, ok bool) {
	names := []string{by, by + "_bytes", by + "_us"}
	i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(columns, name) })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// Sort sorts a slice of structs by a column that [ColumnNamed] finds, numbers with the highest first, and keeps n of
// them, or all if n is 0. The error lists the columns where by is not one.
func Sort(rows reflect.Value, by string, n int) error {
	if rows.Len() == 0 {
		return nil
	}
	known := Sortable(rows.Index(0))
	by, ok := ColumnNamed(known, by)
	if !ok {
		return fmt.Errorf("unknown sort key %q%s", by, near.Available(by, known))
	}
	order := make([]sortedRow, rows.Len())
	for i := range order {
		cell := ""
		for name, v := range Columns(rows.Index(i)) {
			if name == by {
				cell = CellOf(v)
			}
		}
		number, err := strconv.ParseFloat(cell, 64)
		if order[i] = (sortedRow{rows.Index(i), cell, number}); err != nil {
			order[i].number = math.Inf(-1)
		}
	}
	slices.SortStableFunc(order, func(a, b sortedRow) int {
		return cmp.Or(cmp.Compare(b.number, a.number), strings.Compare(a.cell, b.cell))
	})
	sorted := reflect.MakeSlice(rows.Type(), 0, rows.Len())
	for i := range order {
		if n == 0 || i < n {
			sorted = reflect.Append(sorted, order[i].row)
		}
	}
	rows.Set(sorted)
	return nil
}

// sortedRow is a row with the cell that sorts it, and its number: -Inf if it holds none.
type sortedRow struct {
	row    reflect.Value
	cell   string
	number float64
}
