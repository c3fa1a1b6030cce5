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

// Sort sorts a slice of structs by a column that holds numbers, the highest first, or by one that holds names, and keeps
// n of them, or all if n is 0. Units of a column's name may be left out: growth is growth_bytes. The error lists the
// columns where by is not one.
func Sort(rows reflect.Value, by string, n int) error {
	first := reflect.Zero(rows.Type().Elem())
	if rows.Len() > 0 {
		first = rows.Index(0)
	}
	var known []string
	for name, cell := range Columns(first) {
		if cell.Kind() != reflect.Slice {
			known = append(known, name)
		}
	}
	names := []string{by, by + "_bytes", by + "_us"}
	i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(known, name) })
	if i < 0 {
		return fmt.Errorf("unknown sort key %q%s", by, near.Available(by, known))
	}
	by = names[i]
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
