package json

import "bytes"

// Element moves to the next value of an array whose bracket was read; false at the array's end, which is read. first
// must be true for the first one. The caller reads the value.
func (c *Cursor) Element(first *bool) bool {
	if _, ok := c.plainSeparator(false, *first); ok && !c.dead {
		*first = false
		return true
	}
	if !*first && !c.comma(']', NoComma) {
		return false
	}
	if c.Peek() == ']' {
		if *first || c.fault(ExtraComma, c.Offset()) {
			c.Next()
		}
		return false
	}
	*first = false
	return !c.dead
}

// Member reads the next name of an object whose bracket was read, and its colon; false at the object's end, which is
// read. first must be true for the first one. The name is valid until the next token. The caller reads the value.
func (c *Cursor) Member(first *bool) (name []byte, ok bool) {
	if !*first && !c.comma('}', NoMember) {
		return nil, false
	}
	switch c.Peek() {
	case '"':
	case '}':
		if c.Next(); !*first {
			c.fault(ExtraComma, c.at)
		}
		return nil, false
	default:
		c.unexpected(NoName)
		return nil, false
	}
	*first = false
	if c.Next() != String {
		return nil, false
	}
	if i := Blank(c.buf, c.pos); i < len(c.buf) && c.buf[i] == ':' && c.onLine(i) {
		c.pos = i + 1
		return c.text, true
	}
	// The next token may overwrite the name.
	name = append([]byte(nil), c.text...)
	if c.Peek() != ':' {
		c.unexpected(NoColon)
		return nil, false
	}
	c.pos++
	return name, true
}

// onLine reports whether there is no line end before buf[i].
func (c *Cursor) onLine(i int) bool { return i == c.pos || bytes.IndexByte(c.buf[c.pos:i], '\n') < 0 }

// comma reads a comma between two values; false if closing ends them, which is read as well, or on a fault, if neither
// is there.
func (c *Cursor) comma(closing Kind, missing Code) bool {
	switch k := c.Peek(); k {
	case ',', closing:
		c.at, c.atLine = c.Offset(), c.line
		c.pos++
		return k == ','
	}
	c.unexpected(missing)
	return false
}

// Value reads any value, skipping the contents of objects and arrays. It returns the kind of the first token, which
// becomes the current one.
func (c *Cursor) Value() Kind {
	k := c.Next()
	switch k {
	case '{', '[':
		at, line := c.at, c.atLine
		c.Skip(k)
		c.at, c.atLine = at, line
	case '}', ']', ',', ':':
		c.fault(NoValue, c.at)
		return End
	}
	return k
}

// Skip skips the rest of an object or array whose first bracket was read.
func (c *Cursor) Skip(open Kind) {
	if !c.Loose {
		c.check(open)
		return
	}
	depth, quoted := 1, false
	for depth > 0 {
		if c.pos == len(c.buf) && !c.more() {
			c.fail(Truncated)
			return
		}
		depth, quoted = c.skipChunk(depth, quoted)
	}
}

// nesting is the open brackets: a bit of each is 1 for an object.
type nesting struct {
	bits  [MaxDepth/64 + 1]uint64
	depth int
}

func (n *nesting) push(open Kind) {
	bit := uint64(1) << (n.depth % 64)
	if n.bits[n.depth/64] &^= bit; open == '{' {
		n.bits[n.depth/64] |= bit
	}
	n.depth++
}

func (n *nesting) object() bool { return n.bits[(n.depth-1)/64]>>((n.depth-1)%64)&1 != 0 }

// check skips the rest of an object or array, checking its grammar.
func (c *Cursor) check(open Kind) {
	var n nesting
	n.push(open)
	object := open == '{'
	for first := true; n.depth > 0 && !c.dead; {
		if !c.follows(object, n.depth, &first) {
			if n.depth--; n.depth > 0 {
				object, first = n.object(), false
			}
			continue
		}
		if c.plainScalar() {
			continue
		}
		switch k := c.Next(); k {
		case '{', '[':
			if n.depth == MaxDepth {
				c.fail(TooDeep)
				return
			}
			n.push(k)
			object, first = k == '{', true
		case '}', ']', ',', ':':
			c.fault(NoValue, c.at)
		}
	}
}

// follows moves to the next value within the innermost brackets.
func (c *Cursor) follows(object bool, depth int, first *bool) bool {
	was := *first
	name, ok := c.plainSeparator(object, was)
	switch {
	case ok:
		*first = false
	case object:
		name, ok = c.Member(first)
	default:
		ok = c.Element(first)
	}
	if ok && object && c.OnName != nil {
		c.OnName(depth, was, name)
	}
	return ok
}

// plainSeparator reads the tokens before a value if they are as most writers write them: a comma, and the name of a
// member without escapes. Anything else it leaves unread.
func (c *Cursor) plainSeparator(object, first bool) (name []byte, ok bool) {
	b, i := c.buf, c.pos
	if !first {
		if i >= len(b) || b[i] != ',' {
			return nil, false
		}
		i++
	}
	if i < len(b) && b[i] == ' ' {
		i++
	}
	if i >= len(b) || b[i] <= ' ' || b[i] == ']' {
		return nil, false
	}
	if !object {
		c.pos = i
		return nil, true
	}
	if b[i] != '"' {
		return nil, false
	}
	e := plainEnd(b, i+1)
	if e+1 >= len(b) || b[e] != '"' || b[e+1] != ':' {
		return nil, false
	}
	c.at, c.atLine = c.base+int64(i), c.line
	c.pos = e + 2
	return b[i+1 : e], true
}

// plainScalar reads a string without escapes, or a number, that is completely in the buffer. Anything else it leaves
// unread.
func (c *Cursor) plainScalar() bool {
	b, i := c.buf, c.pos
	if i < len(b) && b[i] == ' ' {
		i++
	}
	if i >= len(b) {
		return false
	}
	switch d := b[i]; {
	case d == '"':
		if i = plainEnd(b, i+1); i >= len(b) || b[i] != '"' {
			return false
		}
		c.pos = i + 1
		return true
	case d == '-' || d-'0' <= 9:
		n := numberEnd(b[i:])
		if i += n; i >= len(b) || wordy(b[i]) || b[i-1]-'0' > 9 {
			return false
		}
		c.pos = i
		return true
	}
	return false
}

// Classes of bytes for skipping values.
const (
	byteOther = iota
	byteQuote
	byteEscape
	byteOpen
	byteClose
	byteLine
)

var byteClass = [256]uint8{'"': byteQuote, '\\': byteEscape, '{': byteOpen, '[': byteOpen, '}': byteClose, ']': byteClose, '\n': byteLine}

// skipChunk skips the contents of the buffer, which is not empty; depth is 0 after the last bracket.
func (c *Cursor) skipChunk(depth int, quoted bool) (int, bool) {
	b, i := c.buf, c.pos
	defer func() { c.pos = i }()
	for i < len(b) {
		class := byteClass[b[i]]
		i++
		switch {
		case class == byteOther:
		case class == byteLine:
			c.line++
		case class == byteQuote:
			quoted = !quoted
		case quoted && class == byteEscape:
			if i == len(b) {
				c.pos = i
				c.byte()
				i = c.pos
				return depth, quoted
			}
			i++
		case quoted:
		case class == byteOpen:
			depth++
		case class == byteClose:
			if depth--; depth == 0 {
				return 0, false
			}
		}
	}
	return depth, quoted
}
