package sections

import (
	"reflect"
	"strconv"
)

// appendLayout describes a section: its name, and the memory layout of values like v.
func appendLayout(b []byte, name string, v any) []byte {
	b = append(b, name...)
	b = append(b, ':')
	b = describe(b, reflect.TypeOf(v))
	return append(b, '\n')
}

func describe(b []byte, t reflect.Type) []byte {
	switch t.Kind() {
	case reflect.Struct:
		b = append(b, '{')
		for i := range t.NumField() {
			f := t.Field(i)
			b = append(strconv.AppendUint(b, uint64(f.Offset), 10), ' ')
			b = append(append(b, f.Name...), ' ')
			b = describe(b, f.Type)
			b = append(b, ';')
		}
		return append(strconv.AppendUint(b, uint64(t.Size()), 10), '}')
	case reflect.Array:
		b = strconv.AppendInt(append(b, '['), int64(t.Len()), 10)
		return describe(append(b, ']'), t.Elem())
	}
	return append(b, t.Kind().String()...)
}
