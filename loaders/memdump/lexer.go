package memdump

import (
	"context"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Kinds of tokens that are not their own character.
const (
	tokEnd    byte = 0
	tokNumber byte = '0'
	tokString byte = '"'
	tokTrue   byte = 't'
	tokFalse  byte = 'f'
	tokNull   byte = 'n'
	tokWord   byte = '?' // no JSON: NaN and the like
)

const (
	jsonChunk = 256 << 10
	maxDepth  = 1000
)

// lexer reads JSON token by token. After the first thing that cannot be understood all tokens are tokEnd and dead is set.
// It is one goroutine's own.
type lexer struct {
	r     fileReader
	limit int64 // offset of the end of what may be read, -1 for that of the file
	mem   []byte
	buf   []byte
	pos   int
	base  int64 // offset of buf[0]
	line  int64 // of the next byte, from 1
	eof   bool

	at     int64  // offset of the current token
	atLine int64  // its line
	text   []byte // of a string, decoded, or of a number or word; good until the next token
	keep   []byte

	found  *findings
	limits limits
	strict bool // check what is skipped, too
	depth  int  // of what is skipped so
	dead   bool
}

func newLexer(ctx context.Context, src *loaders.Source, found *findings, chunk int) *lexer {
	return &lexer{
		r: fileReader{ctx: ctx, src: src}, limit: -1, mem: make([]byte, chunk), line: 1, found: found, limits: limits{src},
	}
}

// offset is that of the next byte.
func (l *lexer) offset() int64 { return l.base + int64(l.pos) }

// more reads another chunk behind one that is used up; false at the end.
func (l *lexer) more() bool {
	if l.eof {
		return false
	}
	l.base += int64(len(l.buf))
	l.buf, l.pos = nil, 0
	b := l.mem
	if l.limit >= 0 {
		b = b[:max(0, min(int64(len(b)), l.limit-l.base))]
	}
	n, err := 0, io.EOF
	if len(b) > 0 {
		n, err = l.r.Read(b)
	}
	l.buf = b[:n]
	l.eof = err != nil
	return n > 0
}

// err is the error of reading, nil for the end of the file.
func (l *lexer) err() error {
	if errors.Is(l.r.err, io.EOF) {
		return nil
	}
	return l.r.err
}

// stop ends reading at something that is no JSON.
func (l *lexer) stop(code, message string) byte {
	if !l.dead && l.err() == nil {
		l.found.add(model.Error, code, l.offset(), l.line, message)
	}
	l.dead = true
	return tokEnd
}

// wrong counts a fault that can be read over. When reading has ended there is none: what is missing then was not read.
func (l *lexer) wrong(severity model.Severity, code, message string) {
	if !l.dead {
		l.found.add(severity, code, l.at, l.atLine, message)
	}
}

// cut ends reading where the input ends within JSON.
func (l *lexer) cut() byte {
	if l.r.src.Limited() {
		l.dead = true // the limit was told
	}
	return l.stop("truncated", "the file ends in the middle of its JSON")
}

// space skips white space; false at the end.
func (l *lexer) space() bool {
	for {
		for l.pos < len(l.buf) {
			switch l.buf[l.pos] {
			case '\n':
				l.line++
			case ' ', '\t', '\r':
			default:
				return true
			}
			l.pos++
		}
		if !l.more() {
			return false
		}
	}
}

// next reads a token.
func (l *lexer) next() byte {
	if l.dead {
		return tokEnd
	}
	if !l.space() {
		return l.cut()
	}
	l.at, l.atLine = l.offset(), l.line
	c := l.buf[l.pos]
	switch {
	case c == '"':
		return l.stringToken()
	case c == '{' || c == '}' || c == '[' || c == ']' || c == ',' || c == ':':
		l.pos++
		return c
	case c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return l.wordToken()
	}
	return l.stop("json", "a character that is no JSON")
}

// peek returns the byte of the next token without reading it.
func (l *lexer) peek() byte {
	if l.dead || !l.space() {
		return tokEnd
	}
	return l.buf[l.pos]
}

// wordToken reads a number, a literal, or something like them.
func (l *lexer) wordToken() byte {
	begin := l.pos
	for l.pos < len(l.buf) && wordy(l.buf[l.pos]) {
		l.pos++
	}
	l.text = l.buf[begin:l.pos]
	if l.pos == len(l.buf) {
		l.keep = append(l.keep[:0], l.text...)
		for l.pos == len(l.buf) && l.more() {
			for l.pos < len(l.buf) && wordy(l.buf[l.pos]) {
				l.pos++
			}
			if l.keep = append(l.keep, l.buf[:l.pos]...); len(l.keep) > 1<<16 {
				return l.stop("too-large", "a word is longer than the limit of 64 KiB, which nothing lifts: what follows was not read")
			}
		}
		l.text = l.keep
	}
	switch {
	case validNumber(l.text):
		return tokNumber
	case string(l.text) == "true" || string(l.text) == "false" || string(l.text) == "null":
		return l.text[0]
	}
	l.wrong(model.Error, "json", "a word that is no JSON, such as NaN; it counts as null")
	return tokWord
}

func wordy(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.' || c == '_'
}

// validNumber reports whether b is a number of JSON.
func validNumber(b []byte) bool {
	digits := func() (n int) {
		for len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
			b = b[1:]
			n++
		}
		return n
	}
	if len(b) > 0 && b[0] == '-' {
		b = b[1:]
	}
	zero := len(b) > 0 && b[0] == '0'
	if n := digits(); n == 0 || zero && n > 1 {
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		if b = b[1:]; digits() == 0 {
			return false
		}
	}
	if len(b) > 0 && b[0]|0x20 == 'e' {
		if b = b[1:]; len(b) > 0 && (b[0] == '-' || b[0] == '+') {
			b = b[1:]
		}
		if digits() == 0 {
			return false
		}
	}
	return len(b) == 0
}

// stringToken reads a string.
func (l *lexer) stringToken() byte {
	l.pos++
	begin := l.pos
	for l.pos < len(l.buf) && l.buf[l.pos] != '"' && l.buf[l.pos] != '\\' && l.buf[l.pos] >= ' ' {
		l.pos++
	}
	l.text = l.buf[begin:l.pos]
	if l.pos < len(l.buf) && l.buf[l.pos] == '"' {
		l.pos++
		return tokString
	}
	l.keep = append(l.keep[:0], l.text...)
	for {
		if l.pos == len(l.buf) && !l.more() {
			return l.cut()
		}
		if limit := l.limits.text(); len(l.keep) > limit.n {
			l.limits.tell(l.found, l.offset(), l.line, limit.String())
			l.dead = true
			return tokEnd
		}
		c := l.buf[l.pos]
		l.pos++
		switch {
		case c == '"':
			l.text = l.keep
			return tokString
		case c == '\\':
			l.escape(l.char())
		default:
			if c < ' ' {
				l.wrong(model.Error, "json", "a control character inside a string")
				if c == '\n' {
					l.line++
				}
			}
			l.keep = append(l.keep, c)
		}
	}
}

// char reads the next byte, 0 at the end.
func (l *lexer) char() byte {
	if l.pos == len(l.buf) && !l.more() {
		return 0
	}
	l.pos++
	return l.buf[l.pos-1]
}

// escape reads what follows a backslash, whose first character is c.
func (l *lexer) escape(c byte) {
	switch c {
	case '"', '\\', '/':
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		l.unicode()
		return
	default:
		l.wrong(model.Error, "json", "an escape that JSON does not know")
	}
	l.keep = append(l.keep, c)
}

// unicode reads the four digits of an escape, and the second half of a pair of surrogates.
func (l *lexer) unicode() {
	r := l.hex4()
	if utf16.IsSurrogate(r) {
		if l.pos == len(l.buf) {
			l.more()
		}
		second := rune(0)
		if l.pos < len(l.buf) && l.buf[l.pos] == '\\' {
			l.pos++
			if c := l.char(); c != 'u' {
				l.keep = utf8.AppendRune(l.keep, utf8.RuneError)
				l.escape(c)
				return
			}
			second = l.hex4()
		}
		r = utf16.DecodeRune(r, second)
	}
	l.keep = utf8.AppendRune(l.keep, r)
}

func (l *lexer) hex4() (r rune) {
	for range 4 {
		d := hexDigit(l.char())
		if d < 0 {
			l.wrong(model.Error, "json", "an escape that JSON does not know")
			return utf8.RuneError
		}
		r = r<<4 | rune(d)
	}
	return r
}
