package json

import (
	"context"
	"errors"
	"io"
)

// Kind is the kind of a token: brackets, commas and colons are their own character.
type Kind byte

// Kinds of tokens other than single characters.
const (
	End       Kind = 0 // no further token can be read
	Number    Kind = '0'
	String    Kind = '"'
	True      Kind = 't'
	False     Kind = 'f'
	Null      Kind = 'n'
	wordBytes Kind = '?' // not JSON: NaN and the like, which was reported as a fault
)

const (
	// MaxDepth bounds the nesting of arrays and objects that are checked.
	MaxDepth = 1000
	// maxWord bounds the bytes of a number that crosses the border of two chunks.
	maxWord = 64 << 10
	// maxPassed bounds the bytes of a string that are skipped after MaxText: a pipe may never end.
	maxPassed = 1 << 30

	window = 64 << 10 // bytes in memory between two checks of the context
)

// Code is a kind of fault.
type Code uint8

// Codes of faults. Reading ends after the first ones, whatever the loader decides.
const (
	Truncated  Code = iota + 1 // the input ends within JSON
	NoValue                    // a value is missing
	NoName                     // the name of a member is missing
	NoColon                    // a colon is missing
	NoComma                    // a comma or the end of an array is missing
	NoMember                   // a comma or the end of an object is missing
	BadByte                    // a byte that begins no token
	TooDeep                    // arrays and objects nest deeper than MaxDepth
	LongWord                   // a number is longer than MaxWord, or a string than MaxPassed
	LongText                   // a string is longer than MaxText; the rest is skipped unless the loader raises that
	ExtraComma                 // a comma before a closing bracket
	BadWord                    // an invalid number or literal; it is read as a Word
	BadEscape                  // an unknown escape; it is read as its last character
	Control                    // a control character inside a string; it is kept
)

// fatal is the last code that ends reading.
const fatal = LongWord

// Fault is a deviation from JSON.
type Fault struct {
	Code Code
	Want Code  // what the cursor was skipping when it met the unexpected token, 0 for nothing
	At   int64 // first byte of the current token
	Line int64 // its line
	Byte int64 // the wrong byte: of the token, or after it
}

// Cursor reads JSON token by token. After a fault that ended reading, all tokens are [End]. Only one goroutine may use
// it.
type Cursor struct {
	// OnFault is called with every fault and reports whether to continue. nil ends reading at the first one.
	OnFault func(Fault) bool
	// OnName is called with names in values that are checked, the depth of their object, and whether they are its
	// first. May be nil.
	OnName func(depth int, first bool, name []byte)
	// MaxText bounds the bytes of a string that must be copied, 0 for no bound.
	MaxText int
	// Loose reports that skipped values need not be checked: only brackets and quotes count.
	Loose bool

	r    io.Reader // nil for bytes in memory
	ctx  context.Context
	mem  []byte // all bytes in memory, or the buffer for a chunk
	buf  []byte // the readable part of mem
	pos  int
	base int64 // offset of buf[0]
	line int64 // of the next byte, from 1
	eof  bool
	err  error // of reading
	dead bool

	at     int64 // of the current token
	atLine int64
	want   Code
	text   []byte
	keep   []byte
}

// NewReader returns a cursor over r, whose first byte is at the given offset. It reads in chunks of the given size.
func NewReader(r io.Reader, offset int64, chunk int) *Cursor {
	return &Cursor{r: r, mem: make([]byte, chunk), base: offset, line: 1}
}

// NewBytes returns a cursor over b, which must not change. It stops, with an error, soon after ctx is done.
func NewBytes(ctx context.Context, b []byte) *Cursor {
	return &Cursor{ctx: ctx, mem: b, line: 1, eof: len(b) == 0}
}

// Reset restarts the cursor with b, which may be read at once.
func (c *Cursor) Reset(b []byte) {
	*c = Cursor{OnFault: c.OnFault, OnName: c.OnName, MaxText: c.MaxText, Loose: c.Loose, keep: c.keep, mem: b, buf: b, line: 1, eof: true}
}

// Offset returns the offset of the next byte.
func (c *Cursor) Offset() int64 { return c.base + int64(c.pos) }

// Line returns the line of the next byte, from 1.
func (c *Cursor) Line() int64 { return c.line }

// SetLine sets the line of the next byte, for a cursor that begins within a file.
func (c *Cursor) SetLine(line int64) { c.line = line }

// At returns the offset of the current token, and its line.
func (c *Cursor) At() (offset, line int64) { return c.at, c.atLine }

// Text returns the bytes of a string, decoded, or of a number or word. They are valid until the next token, and must
// not be changed.
func (c *Cursor) Text() []byte { return c.text }

// Err returns the read error, including that of the context; nil at the end of the input.
func (c *Cursor) Err() error { return c.err }

// Dead reports whether nothing more can be read, due to a fault, an error or Stop.
func (c *Cursor) Dead() bool { return c.dead }

// Stop ends reading.
func (c *Cursor) Stop() { c.dead = true }

// Rest returns the next bytes that are contiguous in memory, possibly none.
func (c *Cursor) Rest() []byte { return c.buf[c.pos:] }

// Pass skips n bytes, at most as many as Rest returns. They must not contain a line end, or Line becomes wrong.
func (c *Cursor) Pass(n int) { c.pos += n }

// more makes more bytes available after the used ones; false at the end. For bytes in memory, earlier ones stay.
func (c *Cursor) more() bool {
	if c.eof {
		return false
	}
	if c.r == nil {
		if c.err = c.ctx.Err(); c.err != nil {
			c.eof, c.dead = true, true
			return false
		}
		c.buf = c.mem[:min(len(c.mem), len(c.buf)+window)]
		c.eof = len(c.buf) == len(c.mem)
		return c.pos < len(c.buf)
	}
	c.base += int64(len(c.buf))
	c.buf, c.pos = nil, 0
	n, err := c.r.Read(c.mem)
	c.buf = c.mem[:n]
	c.eof = err != nil
	if c.eof && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n > 0
}

// fault reports a fault at a byte of the current token, and returns whether to continue.
func (c *Cursor) fault(code Code, at int64) bool {
	if c.dead || c.err != nil {
		c.dead = true
		return false
	}
	if c.OnFault == nil || !c.OnFault(Fault{code, c.want, c.at, c.atLine, at}) || code <= fatal {
		c.dead = true
	}
	return !c.dead
}

// fail ends reading.
func (c *Cursor) fail(code Code) Kind {
	c.fault(code, c.Offset())
	return End
}

// unexpected ends reading at a token that is not the wanted one. A fault of the token itself is reported first.
func (c *Cursor) unexpected(want Code) {
	c.want = want
	c.Next()
	c.fault(want, c.at)
	c.want = 0
}

// space skips white space; false at the end.
func (c *Cursor) space() bool {
	for {
		for c.pos < len(c.buf) {
			switch c.buf[c.pos] {
			case '\n':
				c.line++
			case ' ', '\t', '\r':
			default:
				return true
			}
			c.pos++
		}
		if !c.more() {
			return false
		}
	}
}

// More reports whether anything but white space is left.
func (c *Cursor) More() bool { return !c.dead && c.space() }

// Peek returns the first byte of the next token without reading it, End if there is none.
func (c *Cursor) Peek() Kind {
	if c.dead || (c.pos >= len(c.buf) || c.buf[c.pos] <= ' ') && !c.space() {
		return End
	}
	return Kind(c.buf[c.pos])
}

// Next reads a token.
func (c *Cursor) Next() Kind {
	if c.dead {
		return End
	}
	if (c.pos >= len(c.buf) || c.buf[c.pos] <= ' ') && !c.space() {
		c.at, c.atLine = c.Offset(), c.line
		return c.fail(Truncated)
	}
	c.at, c.atLine = c.base+int64(c.pos), c.line
	switch b := c.buf[c.pos]; {
	case b == '"':
		return c.string()
	case b == '{' || b == '}' || b == '[' || b == ']' || b == ',' || b == ':':
		c.pos++
		return Kind(b)
	case b == '-' || b >= '0' && b <= '9':
		if n := numberEnd(c.buf[c.pos:]); c.pos+n < len(c.buf) && !wordy(c.buf[c.pos+n]) && c.buf[c.pos+n-1]-'0' <= 9 {
			c.text = c.buf[c.pos : c.pos+n]
			c.pos += n
			return Number
		}
		return c.word()
	case b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z':
		return c.word()
	}
	return c.fail(BadByte)
}

// word reads a number, a literal, or something similar.
func (c *Cursor) word() Kind {
	begin := c.pos
	for c.pos < len(c.buf) && wordy(c.buf[c.pos]) || c.pos == len(c.buf) && c.r == nil && c.more() {
		for c.pos < len(c.buf) && wordy(c.buf[c.pos]) {
			c.pos++
		}
	}
	c.text = c.buf[begin:c.pos]
	if c.pos == len(c.buf) && c.r != nil && !c.longWord() {
		return End
	}
	n := wordEnd(c.text)
	switch {
	case c.dead:
		return End
	case n < len(c.text) || n == 0:
	case c.text[0] == 't' || c.text[0] == 'f' || c.text[0] == 'n':
		return Kind(c.text[0])
	case number(c.text):
		return Number
	}
	if !c.fault(BadWord, c.at+int64(n)) {
		return End
	}
	return wordBytes
}

// longWord reads the part of a word in the next chunks; false if that is too long.
func (c *Cursor) longWord() bool {
	c.keep = append(c.keep[:0], c.text...)
	for c.pos == len(c.buf) && c.more() {
		from := c.pos
		for c.pos < len(c.buf) && wordy(c.buf[c.pos]) {
			c.pos++
		}
		if c.keep = append(c.keep, c.buf[from:c.pos]...); len(c.keep) > maxWord {
			c.fail(LongWord)
			return false
		}
	}
	c.text = c.keep
	return c.err == nil
}

func wordy(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '-' || b == '+' || b == '.' || b == '_'
}
