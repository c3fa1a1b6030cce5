package json

import "bytes"

// Blank returns the index of the first byte from i that is not white space.
func Blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// stringEnd returns the index after the string that starts at b[i], a quote; -1 if it does not end.
func stringEnd(b []byte, i int) int {
	e := bytes.IndexByte(b[i+1:], '"')
	if e < 0 {
		return -1
	}
	if b[i+e] != '\\' { // else the quote may be escaped
		return i + e + 2
	}
	for i = plainEnd(b, i+1); i < len(b); i = plainEnd(b, i) {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		if i++; i >= len(b) {
			break
		}
	}
	return -1
}

// ValueEnd returns the index after the value that starts at b[i], -1 if there is none. The contents of objects and
// arrays are not checked beyond brackets and strings.
func ValueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return stringEnd(b, i)
	case c == '{' || c == '[':
		return nestedEnd(b, i)
	case c == '-' || c >= '0' && c <= '9':
		for i++; i < len(b) && Numeric(b[i]); i++ {
		}
		return i
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if len(b)-i >= len(word) && string(b[i:i+len(word)]) == word {
			return i + len(word)
		}
	}
	return -1
}

// Numeric reports whether a number can contain the byte.
func Numeric(c byte) bool {
	return c >= '0' && c <= '9' || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-'
}

func nestedEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = stringEnd(b, i); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// Values iterates over the members of an object or the elements of an array in memory.
type Values struct {
	Bad bool // it is not well-formed; everything before was returned

	b   []byte
	i   int
	end bool
}

// Members iterates over a value that should be an object; for another one there are none, and Bad is set.
func Members(b []byte) Values { return begin(b, '{') }

// Elements iterates over a value that should be an array.
func Elements(b []byte) Values { return begin(b, '[') }

func begin(b []byte, open byte) Values {
	i := Blank(b, 0)
	if i >= len(b) || b[i] != open {
		return Values{Bad: true, end: true}
	}
	v := Values{b: b, i: Blank(b, i+1)}
	if v.i < len(b) && b[v.i] == open+2 {
		v.i, v.end = v.i+1, true
	}
	return v
}

// Rest returns the bytes after the object or array, once all of it was returned.
func (v *Values) Rest() []byte { return v.b[v.i:] }

// Member returns the next name, as written between its quotes, and its value; ok is false after the last one.
func (v *Values) Member() (name, value []byte, ok bool) {
	if v.end {
		return nil, nil, false
	}
	if v.i >= len(v.b) || v.b[v.i] != '"' {
		return nil, nil, v.fail()
	}
	e := stringEnd(v.b, v.i)
	if e < 0 {
		return nil, nil, v.fail()
	}
	name = v.b[v.i+1 : e-1]
	if e >= len(v.b) || v.b[e] != ':' {
		if e = Blank(v.b, e); e >= len(v.b) || v.b[e] != ':' {
			return nil, nil, v.fail()
		}
	}
	v.i = Blank(v.b, e+1)
	value, ok = v.next('}')
	return name, value, ok
}

// Element returns the next value; ok is false after the last one.
func (v *Values) Element() (value []byte, ok bool) {
	if v.end {
		return nil, false
	}
	return v.next(']')
}

func (v *Values) next(closing byte) (value []byte, ok bool) {
	e := ValueEnd(v.b, v.i)
	if e < 0 {
		return nil, v.fail()
	}
	value = v.b[v.i:e]
	if v.i = e; e >= len(v.b) || v.b[e] <= ' ' {
		v.i = Blank(v.b, e)
	}
	switch {
	case v.i < len(v.b) && v.b[v.i] == ',':
		v.i = Blank(v.b, v.i+1)
	case v.i < len(v.b) && v.b[v.i] == closing:
		v.i, v.end = v.i+1, true
	default:
		return nil, v.fail()
	}
	return value, true
}

func (v *Values) fail() bool {
	v.Bad, v.end = true, true
	return false
}

// Text decodes a value that should be a string; ok is false if it is not. Without escapes, or if it is malformed, the
// result is a part of value itself.
func Text(value []byte) (s []byte, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	s = value[1 : len(value)-1]
	if bytes.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var c Cursor
	c.Reset(value)
	if c.Next() != String || c.pos != len(value) {
		return s, true
	}
	return c.text, true
}
