package clickhouse

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
)

// table is a table with its rows of a batch, a slice of structs.
type table struct {
	name  string
	order string // of rows on disk
	day   bool   // it is divided by months
	rows  func(*fleet.Batch) any
}

// tables returns all tables, in the order of inserting: that of recordings makes the others count.
func tables() []table {
	return []table{
		{"stacks", "recipe, stack", false, func(b *fleet.Batch) any { return b.Stacks }},
		{"sites", "service, stack, version, host, recording", false, func(b *fleet.Batch) any { return b.Sites }},
		{"leaks", "service, stack, version, host, recording", false, func(b *fleet.Batch) any { return b.Leaks }},
		{"curve", "service, recording, series, at_us", false, func(b *fleet.Batch) any { return b.Curve }},
		{"types", "service, type, recording, snapshot", false, func(b *fleet.Batch) any { return b.Types }},
		{"pages", "service, recording, layout, series, type", false, func(b *fleet.Batch) any { return b.Pages }},
		{"recordings", "service, version, host, recording", true, func(b *fleet.Batch) any { return b.Recordings }},
	}
}

// columns returns the names and types of the columns of a row.
func columns(row reflect.Type) (names, types []string) {
	for i := range row.NumField() {
		f := row.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		names, types = append(names, name), append(types, typeOf(f.Type))
	}
	return names, types
}

func typeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "Nullable(" + typeOf(t.Elem()) + ")"
	case reflect.Slice:
		return "Array(" + typeOf(t.Elem()) + ")"
	case reflect.Uint64:
		return "UInt64"
	case reflect.Int64:
		return "Int64"
	case reflect.Float64:
		return "Float64"
	case reflect.Bool:
		return "UInt8"
	}
	return "String"
}

// create returns the statement that makes the table if there is none.
func (t *table) create(database string) string {
	names, types := columns(reflect.TypeOf(t.rows(&fleet.Batch{})).Elem())
	var cols []string
	for i := range names {
		cols = append(cols, names[i]+" "+types[i])
	}
	by := ""
	if t.day {
		by = " PARTITION BY substring(date, 1, 7)"
	}
	return fmt.Sprintf("CREATE TABLE IF NOT EXISTS %s.%s (%s) ENGINE = ReplacingMergeTree()%s ORDER BY (%s)", database, t.name,
		strings.Join(cols, ", "), by, t.order)
}

// encode returns rows in the format RowBinary.
func encode(rows reflect.Value) (out []byte) {
	for i := range rows.Len() {
		row := rows.Index(i)
		for k := range row.NumField() {
			out = appendValue(out, row.Field(k))
		}
	}
	return out
}

func appendValue(dst []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, 1)
		}
		return appendValue(append(dst, 0), v.Elem())
	case reflect.Slice:
		dst = binary.AppendUvarint(dst, uint64(v.Len()))
		for i := range v.Len() {
			dst = appendValue(dst, v.Index(i))
		}
		return dst
	case reflect.Uint64:
		return binary.LittleEndian.AppendUint64(dst, v.Uint())
	case reflect.Int64:
		return binary.LittleEndian.AppendUint64(dst, uint64(v.Int()))
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(v.Float()))
	case reflect.Bool:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	}
	return append(binary.AppendUvarint(dst, uint64(v.Len())), v.String()...)
}
