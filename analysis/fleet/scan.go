package fleet

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
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
	if q.What == Owners { // the engine has one name of function and file
		for i := range out.Top {
			out.Top[i].Place = q.What.place(out.Top[i].Type)
		}
		for i := range out.Diff {
			out.Diff[i].Place = q.What.place(out.Diff[i].Type)
		}
		for i := range out.Shared {
			out.Shared[i].Place = q.What.place(out.Shared[i].Type)
		}
	}
	return out, nil
}

// ScanBasis reads the answer to [Question.BasisSQL].
func (q *Question) ScanBasis(rows [][]string) (out Basis, err error) {
	if len(rows) != 1 {
		return out, fmt.Errorf("the engine's answer has %d rows instead of one", len(rows))
	}
	rest, err := scan(reflect.ValueOf(&out).Elem(), rows[0])
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d columns too many", len(rest))
	}
	return out, err
}

// ScanRecordings reads rows of the table recordings from cells of all its columns. Labels are divided by tabs.
func ScanRecordings(rows [][]string) ([]Recording, error) {
	out := make([]Recording, len(rows))
	for i, row := range rows {
		rest, err := scan(reflect.ValueOf(&out[i]).Elem(), row)
		if err == nil && len(rest) > 0 {
			err = fmt.Errorf("%d columns too many", len(rest))
		}
		if err != nil {
			return nil, fmt.Errorf("the engine's answer, row %d: %w", i+1, err)
		}
	}
	return out, nil
}

// null is the text of cells without a value.
const null = `\N`

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
	case reflect.Pointer:
		if cell != null {
			v.Set(reflect.New(v.Type().Elem()))
			_, err = scan(v.Elem(), cells)
		}
	case reflect.Slice:
		if cell != "" {
			v.Set(reflect.ValueOf(strings.Split(cell, Separator)).Convert(v.Type()))
		}
	case reflect.Bool:
		var ok bool
		ok, err = strconv.ParseBool(cell)
		v.SetBool(ok)
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
