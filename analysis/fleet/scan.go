package fleet

import (
	"fmt"
	"reflect"
	"strconv"
)

// Scan reads the answer from the rows of an engine: the cells of the columns of [Question.SQL] as text.
func (q *Question) Scan(rows [][]string) (*Answer, error) {
	out := &Answer{}
	list := reflect.ValueOf(out).Elem().Field(int(q.Kind))
	made := reflect.MakeSlice(list.Type(), len(rows), len(rows))
	list.Set(made)
	for i, row := range rows {
		rest, err := scan(made.Index(i), row)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%d columns too many", len(rest))
		}
		if err != nil {
			return nil, fmt.Errorf("the engine's answer, row %d: %w", i+1, err)
		}
	}
	return out, nil
}

// scan sets the fields of a row in their order, and returns the cells that are left.
func scan(v reflect.Value, cells []string) (rest []string, err error) {
	if v.Kind() == reflect.Struct {
		for i := 0; i < v.NumField() && err == nil; i++ {
			cells, err = scan(v.Field(i), cells)
		}
		return cells, err
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("columns are missing")
	}
	switch cell := cells[0]; v.Kind() {
	case reflect.String:
		v.SetString(cell)
	case reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(cell, 10, 64)
		v.SetUint(n)
	case reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(cell, 10, 64)
		v.SetInt(n)
	case reflect.Float64:
		var f float64
		f, err = strconv.ParseFloat(cell, 64)
		v.SetFloat(f)
	}
	return cells[1:], err
}
