// Package object writes structs as JSON objects that can be printed on a terminal, and slices of them as CSV.
package object

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Write writes v, a struct, as one JSON object: members on lines of their own, table rows one per line. Rows are written
// as they are encoded, so that deep stacks cost no memory. It differs from encoding/json where a terminal must be
// protected: every control and format character is escaped, including DEL and C1. Invalid UTF-8 becomes U+FFFD, nil
// slices are empty arrays, and NaN and infinity are null. If v is [Estimating], objects whose amounts are
// estimates have the member [Estimated].
func Write(w io.Writer, v any) error {
	e := &encoder{w: w}
	if of, ok := v.(Estimating); ok && of.Estimated().Amounts {
		e.marks = map[reflect.Type]bool{}
	}
	e.value(reflect.ValueOf(v), 0)
	e.buf = append(e.buf, '\n')
	e.flush(0)
	return e.err
}

// Appender is implemented by types that have a faster encoding than reflection.
type Appender interface{ AppendJSON(dst []byte) []byte }

// Member is a member of a JSON object, or a column of CSV, whose name is data.
type Member struct {
	Name  string
	Value any // a string or a pointer; nil pointers are absent in JSON
}

// Membered is implemented by embedded fields whose members have names that are data.
type Membered interface{ Members() []Member }

// lacking is implemented by structs with members that can be left out.
type lacking interface{ Lacks(name string) bool }

type encoder struct {
	w   io.Writer
	buf []byte
	err error // the first write error; everything after it is dropped

	marks map[reflect.Type]bool // the types of objects with estimates, as far as met; nil where figures are exact
}

// flush writes the buffer if it is longer than keep.
func (e *encoder) flush(keep int) {
	if len(e.buf) <= keep {
		return
	}
	if e.err == nil {
		_, e.err = e.w.Write(e.buf)
	}
	e.buf = e.buf[:0]
}

// compact is the indentation of values that are on one line.
const compact = -1

// value appends v. indent is the depth of its members, or compact.
func (e *encoder) value(v reflect.Value, indent int) {
	if a, ok := v.Interface().(Appender); ok {
		e.buf = a.AppendJSON(e.buf)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			e.buf = append(e.buf, "null"...)
			return
		}
		e.value(v.Elem(), indent)
	case reflect.Struct:
		e.object(v, indent)
	case reflect.Slice:
		e.array(v, indent)
	default:
		e.scalar(v)
	}
}

func (e *encoder) scalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		e.buf = strconv.AppendBool(e.buf, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.buf = strconv.AppendInt(e.buf, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		e.buf = strconv.AppendUint(e.buf, v.Uint(), 10)
	case reflect.Float64:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			e.buf = strconv.AppendFloat(e.buf, f, 'g', -1, 64)
			return
		}
		e.buf = append(e.buf, "null"...)
	case reflect.String:
		e.buf = Quote(e.buf, v.String())
	default:
		e.err = fmt.Errorf("no JSON for %s", v.Type())
	}
}

func (e *encoder) object(v reflect.Value, indent int) {
	e.buf = append(e.buf, '{')
	first := true
	for f, name := range fields(v) {
		if !first {
			e.buf = append(e.buf, ',')
		}
		e.newline(indent, first)
		first = false
		e.buf = append(Quote(e.buf, name), ':', ' ')
		e.member(name, f, deeper(indent))
	}
	if !first && e.estimates(v) {
		e.buf = append(e.buf, ',')
		e.newline(indent, false)
		e.buf = append(Quote(e.buf, Estimated), ": true"...)
	}
	if !first && indent != compact {
		e.line(indent)
	}
	e.buf = append(e.buf, '}')
}

// member appends the value of a member. Those that are not about what a recording's blocks hold have no estimates.
func (e *encoder) member(name string, v reflect.Value, indent int) {
	marks := e.marks
	if slices.Contains(stated[:], name) {
		e.marks = nil
	}
	e.value(v, indent)
	e.marks = marks
}

// stated are the members with exact amounts: of files, of what is said about them, of curves that are measured.
var stated = [...]string{"file", "problems", "time", "series", "series_events", "row_counts", "basis"}

// estimates reports whether an object is to say that its amounts are estimates.
func (e *encoder) estimates(v reflect.Value) bool {
	if e.marks == nil {
		return false
	}
	yes, met := e.marks[v.Type()]
	if !met {
		names := Header(v)
		yes = Estimates{Amounts: true}.in(names)
		e.marks[v.Type()] = yes
	}
	return yes
}

// array writes the rows of tables one per line, with everything inside a row on that line.
func (e *encoder) array(v reflect.Value, indent int) {
	rows := indent != compact && v.Len() > 0 && v.Type().Elem().Kind() == reflect.Struct
	e.buf = append(e.buf, '[')
	for i := range v.Len() {
		if i > 0 {
			e.buf = append(e.buf, ',')
		}
		switch {
		case rows:
			e.line(indent + 1)
		case i > 0:
			e.buf = append(e.buf, ' ')
		}
		elem := compact
		if rows && nested(v.Type().Elem()) {
			elem = deeper(indent)
		}
		e.value(v.Index(i), elem)
		e.flush(1 << 16)
	}
	if rows {
		e.line(indent)
	}
	e.buf = append(e.buf, ']')
}

// nested reports whether a row is itself an object with tables.
func nested(t reflect.Type) bool {
	_, ok := t.FieldByName("Header")
	return ok
}

func deeper(indent int) int {
	if indent == compact {
		return compact
	}
	return indent + 1
}

// newline starts a member: on a line of its own, or after a space in compact objects.
func (e *encoder) newline(indent int, first bool) {
	if indent == compact {
		if !first {
			e.buf = append(e.buf, ' ')
		}
		return
	}
	e.line(indent + 1)
}

// line starts a new line, indented to a depth.
func (e *encoder) line(depth int) {
	e.buf = append(e.buf, '\n')
	for range depth {
		e.buf = append(e.buf, ' ', ' ')
	}
}

// fields yields the members of a struct in order with their JSON names. Members of embedded structs are in their place.
// Members without a name, and zero ones marked omitzero, are left out.
func fields(v reflect.Value) func(yield func(reflect.Value, string) bool) {
	return func(yield func(reflect.Value, string) bool) { eachField(v, yield) }
}

func eachField(v reflect.Value, yield func(reflect.Value, string) bool) bool {
	t := v.Type()
	left, _ := v.Interface().(lacking)
	for i := range t.NumField() {
		f, tag := v.Field(i), t.Field(i).Tag.Get("json")
		if m := MembersOf(t.Field(i), f); m != nil {
			for _, x := range m.Members() {
				if v := reflect.ValueOf(x.Value); !isZeroPointer(v) && !yield(v, x.Name) {
					return false
				}
			}
			continue
		}
		if t.Field(i).Anonymous {
			if !eachField(f, yield) {
				return false
			}
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		if name == "" || option == "omitzero" && isZero(f) || left != nil && left.Lacks(name) {
			continue
		}
		if !yield(f, name) {
			return false
		}
	}
	return true
}

// MembersOf returns the embedded field whose members have names from the data, or nil for other fields.
func MembersOf(f reflect.StructField, v reflect.Value) Membered {
	if !f.Anonymous || f.Type.Kind() != reflect.Slice { // a struct that embeds one inherits its methods
		return nil
	}
	m, _ := v.Interface().(Membered)
	return m
}

func isZeroPointer(v reflect.Value) bool { return v.Kind() == reflect.Pointer && v.IsNil() }

func isZero(v reflect.Value) bool {
	if isZeroPointer(v) {
		return true
	}
	if z, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	return v.IsZero()
}

// Quote appends s quoted. Every control and format character is escaped; what is not UTF-8 becomes U+FFFD.
func Quote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0 // s[from:i] needs no escape
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r >= 0x80 && (r != utf8.RuneError || n > 1) && !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			i += n
			continue
		}
		dst = append(dst, s[from:i]...)
		i += n
		from = i
		dst = appendEscape(dst, r, n)
	}
	return append(append(dst, s[from:]...), '"')
}

// appendEscape appends the representation of r, which was decoded from n bytes.
func appendEscape(dst []byte, r rune, n int) []byte {
	switch {
	case r == utf8.RuneError && n <= 1:
		return append(dst, "\ufffd"...)
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r > 0xffff:
		r -= 0x10000
		return fmt.Appendf(dst, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}
