package spaa

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// Byte patterns for looking at eight bytes at once.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// stringEnd returns the index behind the string that starts at b[i], a quote; -1 when it does not end.
func stringEnd(b []byte, i int) int {
	for i++; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		q, s := x^(ones*'"'), x^(ones*'\\')
		hit := ((q-ones)&^q | (s-ones)&^s) & highs
		if hit == 0 {
			continue
		}
		i += bits.TrailingZeros64(hit) / 8
		if b[i] == '"' {
			return i + 1
		}
		return slowStringEnd(b, i)
	}
	return slowStringEnd(b, i)
}

// slowStringEnd goes on at any byte within a string.
func slowStringEnd(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
		i++
	}
	return -1
}

// blank returns the index of the first byte from i on that is no white space.
func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// valueEnd returns the index behind the value that starts at b[i], -1 when there is none. What stands inside objects and
// arrays is not checked beyond brackets and strings.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		return stringEnd(b, i)
	case c == '{' || c == '[':
		return nestedEnd(b, i)
	case c == '-' || c >= '0' && c <= '9':
		for i++; i < len(b) && numeric(b[i]); i++ {
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

func numeric(c byte) bool {
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

// cursor walks over the members of an object or the elements of an array.
type cursor struct {
	b   []byte
	i   int
	bad bool // not well-formed; everything before has been given out
	end bool
}

// members starts on a value that may be an object; of another one there are none, and bad is set.
func members(b []byte) cursor { return begin(b, '{') }

// elements starts on a value that may be an array.
func elements(b []byte) cursor { return begin(b, '[') }

func begin(b []byte, open byte) cursor {
	i := blank(b, 0)
	if i >= len(b) || b[i] != open {
		return cursor{bad: true, end: true}
	}
	c := cursor{b: b, i: blank(b, i+1)}
	if c.i < len(b) && b[c.i] == open+2 {
		c.i, c.end = c.i+1, true
	}
	return c
}

// member returns the next name, as written between its quotes, and its value; ok is false behind the last one.
func (c *cursor) member() (name, value []byte, ok bool) {
	if c.end {
		return nil, nil, false
	}
	if c.i >= len(c.b) || c.b[c.i] != '"' {
		return nil, nil, c.fail()
	}
	e := stringEnd(c.b, c.i)
	if e < 0 {
		return nil, nil, c.fail()
	}
	name = c.b[c.i+1 : e-1]
	if e = blank(c.b, e); e >= len(c.b) || c.b[e] != ':' {
		return nil, nil, c.fail()
	}
	c.i = blank(c.b, e+1)
	value, ok = c.next('}')
	return name, value, ok
}

// element returns the next value; ok is false behind the last one.
func (c *cursor) element() (value []byte, ok bool) {
	if c.end {
		return nil, false
	}
	return c.next(']')
}

func (c *cursor) next(closing byte) (value []byte, ok bool) {
	e := valueEnd(c.b, c.i)
	if e < 0 {
		return nil, c.fail()
	}
	value = c.b[c.i:e]
	c.i = blank(c.b, e)
	switch {
	case c.i < len(c.b) && c.b[c.i] == ',':
		c.i = blank(c.b, c.i+1)
	case c.i < len(c.b) && c.b[c.i] == closing:
		c.i, c.end = c.i+1, true
	default:
		return nil, c.fail()
	}
	return value, true
}

func (c *cursor) fail() bool {
	c.bad, c.end = true, true
	return false
}

// field is one member of a record: which one, and its value as written.
type field struct {
	key   key
	value []byte
}

// shape is how a line of this writer looks: the bytes before each value, and behind the last. Lines that differ only in
// values need no search for names.
type shape struct {
	literals [][]byte
	keys     []key
	kind     []byte // the value of type
	tail     []byte
}

const maxShapes = 12

// lineScanner takes lines apart. It is one goroutine's own.
type lineScanner struct {
	fields []field
	shapes []shape
	turn   int // the shape that is replaced next
	last   int // the shape that matched last
}

// scan takes a line apart into s.fields, which are good until the next call. ok is false when it is no object.
func (s *lineScanner) scan(line []byte) (ok bool) {
	if len(s.shapes) > 0 && s.match(&s.shapes[s.last], line) {
		return true
	}
	for i := range s.shapes {
		if i != s.last && s.match(&s.shapes[i], line) {
			s.last = i
			return true
		}
	}
	return s.learn(line)
}

func (s *lineScanner) match(p *shape, line []byte) bool {
	s.fields = s.fields[:0]
	i := 0
	for k, literal := range p.literals {
		if len(line)-i < len(literal) || string(line[i:i+len(literal)]) != string(literal) {
			return false
		}
		i += len(literal)
		e := valueEnd(line, i)
		if e < 0 || p.keys[k] == keyType && string(line[i:e]) != string(p.kind) {
			return false
		}
		s.fields = append(s.fields, field{p.keys[k], line[i:e]})
		i = e
	}
	return string(line[i:]) == string(p.tail)
}

// learn takes a line apart name by name, and remembers its shape.
func (s *lineScanner) learn(line []byte) bool {
	s.fields = s.fields[:0]
	c := members(line)
	var p shape
	from, types := 0, 0
	for {
		name, value, ok := c.member()
		if !ok {
			break
		}
		k := keyOf(name)
		s.fields = append(s.fields, field{k, value})
		at := cap(line) - cap(value) // both end where the same array ends
		p.literals, p.keys = append(p.literals, line[from:at]), append(p.keys, k)
		from = at + len(value)
		if k == keyType {
			p.kind = value
			types++
		}
	}
	if c.bad || blank(line, c.i) != len(line) {
		return false
	}
	p.tail = line[from:]
	if types < 2 && len(line)-sum(s.fields) < 1<<10 { // a shape has one type
		s.remember(p)
	}
	return true
}

// sum is the length of all values.
func sum(fields []field) (n int) {
	for _, f := range fields {
		n += len(f.value)
	}
	return n
}

// remember keeps a copy of a shape, in place of the oldest.
func (s *lineScanner) remember(p shape) {
	for i := range p.literals {
		p.literals[i] = bytes.Clone(p.literals[i])
	}
	p.kind, p.tail = bytes.Clone(p.kind), bytes.Clone(p.tail)
	if len(s.shapes) < maxShapes {
		s.shapes = append(s.shapes, p)
		s.last = len(s.shapes) - 1
		return
	}
	s.shapes[s.turn] = p
	s.last = s.turn
	s.turn = (s.turn + 1) % maxShapes
}
