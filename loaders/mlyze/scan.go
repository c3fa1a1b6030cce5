package mlyze

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// maxDepth bounds how deep values that are skipped may nest; the format itself needs four levels.
const maxDepth = 1000

// scanner pulls JSON values out of a byte slice: one pass, no recursion, no allocation but for strings with escapes.
// After the first syntax error everything fails; at and reason then say where and why.
type scanner struct {
	ctx    context.Context
	asked  int // how often ctx could have been asked
	b      []byte
	p      int
	reason string // "" while all is well
	at     int
	budget *model.Budget // of memory, nil for no bound
	full   bool          // it is used up: that is why everything fails
	deep   bool          // values are nested too deeply: that is why everything fails
}

// spend reports whether there is room for n more bytes, and for what is made of all that was read. If not, everything fails.
func (s *scanner) spend(n int) bool {
	if s.full = s.full || s.budget.Full(model.BudgetOfTables) || !s.budget.Fits(4*int64(n)); s.full {
		return s.fail("there is no memory for more")
	}
	return true
}

func (s *scanner) fail(reason string) bool {
	if s.reason == "" {
		s.reason, s.at = reason, s.p
		if s.p >= len(s.b) {
			s.reason = "it ends too early"
		}
	}
	return false
}

// stopped asks the context, but not every time; when it is done everything fails.
func (s *scanner) stopped() bool {
	s.asked++
	if s.asked%model.AskEvery != 0 || s.ctx.Err() == nil {
		return false
	}
	s.fail("reading was stopped")
	return true
}

// ended reports whether the failure is that the bytes end within a value.
func (s *scanner) ended() bool { return s.reason != "" && s.at >= len(s.b) }

// next skips white space and returns the byte there, 0 at the end and after a failure.
func (s *scanner) next() byte {
	if s.reason != "" {
		return 0
	}
	for s.p < len(s.b) {
		switch c := s.b[s.p]; c {
		case ' ', '\t', '\n', '\r':
			s.p++
			if s.stopped() {
				return 0
			}
		default:
			return c
		}
	}
	return 0
}

// eat skips white space and the byte c, or fails.
func (s *scanner) eat(c byte) bool {
	if s.next() != c {
		return s.fail(fmt.Sprintf("%q is missing", c))
	}
	s.p++
	return true
}

// more is asked before each element of an object or array that end closes: it eats the comma or the end. first is true
// before the first element.
func (s *scanner) more(end byte, first bool) bool {
	if s.stopped() {
		return false
	}
	c := s.next()
	if c == end {
		s.p++
		return false
	}
	if first {
		return s.reason == "" && (c != 0 || s.fail("a value is missing"))
	}
	if c != ',' {
		return s.fail(fmt.Sprintf("',' or %q is missing", end))
	}
	s.p++
	if s.next() == end {
		return s.fail("a comma is too many")
	}
	return true
}

// key reads an object's key and the colon. The bytes are those of the input where they have no escapes.
func (s *scanner) key() ([]byte, bool) {
	k, ok := s.str()
	return k, ok && s.eat(':')
}

// str reads a string and returns its bytes unescaped, valid UTF-8 or not. They may alias the input.
func (s *scanner) str() ([]byte, bool) {
	if s.next() != '"' {
		return nil, s.fail("a string is missing")
	}
	start := s.p + 1
	n := bytes.IndexByte(s.b[start:], '"')
	if n < 0 {
		s.p = len(s.b)
		return nil, s.fail("")
	}
	if raw := s.b[start : start+n]; bytes.IndexByte(raw, '\\') < 0 {
		s.p = start + n + 1
		return raw, true
	}
	return s.escaped(start)
}

// escaped reads a string that has escapes; lone surrogates become U+FFFD, as in the standard library.
func (s *scanner) escaped(start int) ([]byte, bool) {
	var out []byte
	for p := start; p < len(s.b); {
		if s.stopped() {
			return nil, false
		}
		switch c := s.b[p]; c {
		case '"':
			s.p = p + 1
			return out, true
		case '\\':
			r, n := unescape(s.b[p:])
			if n == 0 {
				s.p = p
				return nil, s.fail("an escape is unknown")
			}
			if len(out) == cap(out) && !s.spend(len(out)) {
				return nil, false
			}
			out = utf8.AppendRune(out, r)
			p += n
		default:
			out = append(out, c)
			p++
		}
	}
	s.p = len(s.b)
	return nil, s.fail("")
}

// unescape decodes the escape at the start of b, a surrogate pair as one; n is 0 when there is none.
func unescape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	if i := bytes.IndexByte([]byte(`"\/bfnrt`), b[1]); i >= 0 {
		return rune("\"\\/\b\f\n\r\t"[i]), 2
	}
	r, ok := hex4(b)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(b[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return utf8.RuneError, 6
	}
	return r, 6
}

// hex4 decodes \uXXXX.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(v), err == nil
}

// digits reads a short unsigned integer and leaves everything else alone: the fast path of numbers.
func (s *scanner) digits() (v uint64, ok bool) {
	p := s.p
	for p < len(s.b) && s.b[p]-'0' <= 9 && p-s.p < 18 {
		v = v*10 + uint64(s.b[p]-'0')
		p++
	}
	if p == s.p || p == len(s.b) || (s.b[s.p] == '0' && p > s.p+1) {
		return 0, false
	}
	switch c := s.b[p]; c {
	case '.', 'e', 'E', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return 0, false
	}
	s.p = p
	return v, true
}

// token reads a number, true, false or null and returns its bytes.
func (s *scanner) token() ([]byte, bool) {
	s.next()
	start := s.p
	for s.p < len(s.b) && isTokenByte(s.b[s.p]) && !s.stopped() {
		s.p++
	}
	if s.reason != "" {
		return nil, false
	}
	t := s.b[start:s.p]
	switch string(t) {
	case "true", "false", "null":
		return t, true
	}
	if !isNumber(t) {
		if s.p < len(s.b) {
			s.p = start
		}
		return nil, s.fail("a value is missing")
	}
	return t, true
}

func isTokenByte(c byte) bool {
	return c-'0' <= 9 || c == '-' || c == '+' || c == '.' || c-'a' <= 25 || c == 'E'
}

// isNumber reports whether t is a number in JSON's grammar.
func isNumber(t []byte) bool {
	t = bytes.TrimPrefix(t, []byte("-"))
	zero := len(t) > 0 && t[0] == '0'
	whole, t := leadingDigits(t)
	if whole == 0 || zero && whole > 1 {
		return false
	}
	if len(t) > 0 && t[0] == '.' {
		var n int
		if n, t = leadingDigits(t[1:]); n == 0 {
			return false
		}
	}
	if len(t) > 0 && (t[0] == 'e' || t[0] == 'E') {
		t = t[1:]
		if len(t) > 0 && (t[0] == '+' || t[0] == '-') {
			t = t[1:]
		}
		var n int
		if n, t = leadingDigits(t); n == 0 {
			return false
		}
	}
	return len(t) == 0
}

// leadingDigits counts the digits that t begins with.
func leadingDigits(t []byte) (n int, rest []byte) {
	for n < len(t) && t[n]-'0' <= 9 {
		n++
	}
	return n, t[n:]
}

// skip reads one value of any kind and forgets it. Its nesting is an array, not a recursion.
func (s *scanner) skip() bool {
	var isObject [maxDepth]bool
	depth := 0
	for {
		first := false
		switch c := s.next(); c {
		case '{', '[':
			if depth == maxDepth {
				s.deep = true
				return s.fail(fmt.Sprintf("it nests deeper than the limit of %s, which nothing lifts", model.Group(maxDepth)))
			}
			isObject[depth], first = c == '{', true
			depth++
			s.p++
		case '"':
			s.str()
		default:
			s.token()
		}
		for depth > 0 && !s.element(isObject[depth-1], first) {
			depth--
			first = false
		}
		if s.reason != "" {
			return false
		}
		if depth == 0 {
			return true
		}
	}
}

// element moves to the next value of an object or array, past an object's key; false when there is none.
func (s *scanner) element(object, first bool) bool {
	if !object {
		return s.more(']', first)
	}
	if !s.more('}', first) {
		return false
	}
	_, ok := s.key()
	return ok
}
