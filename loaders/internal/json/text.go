package json

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Byte patterns for comparing eight bytes at once.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainEnd returns the index of the first byte from i that is a quote, a backslash or a control character; len(b) for
// none.
func plainEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		q, s := x^(ones*'"'), x^(ones*'\\')
		if hit := ((q-ones)&^q | (s-ones)&^s | (x-ones*' ')&^x) & highs; hit != 0 {
			return i + bits.TrailingZeros64(hit)/8
		}
	}
	for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
		i++
	}
	return i
}

// string reads a string.
func (c *Cursor) string() Kind {
	c.pos++
	begin := c.pos
	c.pos = plainEnd(c.buf, begin)
	for c.pos == len(c.buf) && c.r == nil && c.more() {
		c.pos = plainEnd(c.buf, c.pos)
	}
	c.text = c.buf[begin:c.pos]
	if c.pos < len(c.buf) && c.buf[c.pos] == '"' {
		c.pos++
		return String
	}
	c.keep = append(c.keep[:0], c.text...)
	for {
		if c.pos == len(c.buf) && !c.more() {
			return c.fail(Truncated)
		}
		if c.MaxText > 0 && len(c.keep) > c.MaxText && !c.fault(LongText, c.Offset()) {
			return End
		}
		if c.MaxText > 0 && len(c.keep) > c.MaxText {
			return c.passText()
		}
		from, end := c.pos, plainEnd(c.buf, c.pos)
		if c.MaxText > 0 {
			end = min(end, from+max(1, c.MaxText+1-len(c.keep)))
		}
		if end > from {
			c.keep, c.pos = append(c.keep, c.buf[from:end]...), end
			continue
		}
		b := c.buf[c.pos]
		c.pos++
		switch {
		case b == '"':
			c.text = c.keep
			return String
		case b == '\\':
			c.escape(c.byte())
		default:
			c.control(b)
		}
		if c.dead {
			return End
		}
	}
}

// passText skips the rest of a string that is not kept.
func (c *Cursor) passText() Kind {
	for begin := c.Offset(); ; {
		if c.pos = plainEnd(c.buf, c.pos); c.pos == len(c.buf) {
			if c.Offset()-begin > maxPassed {
				return c.fail(LongWord)
			}
			if !c.more() {
				return c.fail(Truncated)
			}
			continue
		}
		b := c.buf[c.pos]
		c.pos++
		switch b {
		case '"':
			c.text = c.keep
			return String
		case '\\':
			c.byte()
		case '\n':
			c.line++
		}
	}
}

// control keeps a control character.
func (c *Cursor) control(b byte) {
	c.fault(Control, c.Offset()-1)
	if b == '\n' {
		c.line++
	}
	c.keep = append(c.keep, b)
}

// byte reads the next byte of a string. At the end, which ends reading, it is 0.
func (c *Cursor) byte() byte {
	if c.pos == len(c.buf) && !c.more() {
		c.fail(Truncated)
		return 0
	}
	c.pos++
	return c.buf[c.pos-1]
}

// escape reads an escape sequence after the backslash; its first byte is b.
func (c *Cursor) escape(b byte) {
	switch b {
	case '"', '\\', '/':
	case 'b':
		b = '\b'
	case 'f':
		b = '\f'
	case 'n':
		b = '\n'
	case 'r':
		b = '\r'
	case 't':
		b = '\t'
	case 'u':
		c.unicode()
		return
	default:
		c.fault(BadEscape, c.Offset()-1)
	}
	c.keep = append(c.keep, b)
}

// unicode reads the digits of a \u escape, and of a second one if they are a surrogate pair. A single surrogate becomes
// U+FFFD.
func (c *Cursor) unicode() {
	r := c.hex4()
	for utf16.IsSurrogate(r) && !c.dead {
		if c.pos == len(c.buf) {
			c.more()
		}
		if c.pos == len(c.buf) || c.buf[c.pos] != '\\' {
			r = utf8.RuneError
			break
		}
		c.pos++
		if b := c.byte(); b != 'u' {
			c.keep = utf8.AppendRune(c.keep, utf8.RuneError)
			c.escape(b)
			return
		}
		second := c.hex4()
		if pair := utf16.DecodeRune(r, second); pair != utf8.RuneError {
			r = pair
			break
		}
		c.keep = utf8.AppendRune(c.keep, utf8.RuneError)
		r = second
	}
	c.keep = utf8.AppendRune(c.keep, r)
}

// hex4 reads four digits; U+FFFD if there are fewer.
func (c *Cursor) hex4() (r rune) {
	for range 4 {
		b := c.byte()
		d := rune(b | 0x20)
		switch {
		case b >= '0' && b <= '9':
			d = rune(b - '0')
		case d >= 'a' && d <= 'f':
			d -= 'a' - 10
		default:
			c.fault(BadEscape, c.Offset()-1)
			return utf8.RuneError
		}
		r = r<<4 | d
	}
	return r
}
