package analysis

import (
	"fmt"
	"reflect"
)

// appendLayout describes a section: its name, and how values like v lie in memory.
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
			b = fmt.Appendf(b, "%d %s ", f.Offset, f.Name)
			b = describe(b, f.Type)
			b = append(b, ';')
		}
		return fmt.Appendf(b, "%d}", t.Size())
	case reflect.Array:
		return describe(fmt.Appendf(b, "[%d]", t.Len()), t.Elem())
	}
	return append(b, t.Kind().String()...)
}
