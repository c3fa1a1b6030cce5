package spaa

import (
	"errors"
	"fmt"

	"github.com/memtui/memtui/model"
)

// maxNesting is how deep objects and arrays may stand in each other.
const maxNesting = 1000

var (
	errObject  = errors.New("a line is no JSON object")
	errNesting = fmt.Errorf("what a line nests deeper than the limit of %s was not checked; nothing lifts it", model.Group(maxNesting))
)

// jsonChecker holds lines against the grammar of JSON. It is one goroutine's own.
type jsonChecker struct {
	b     []byte
	i     int
	depth int
	names [][]byte // of the members of all objects that are open
	twice string
}

// object checks that line is one JSON object; twice is a name that stands twice in one object, "" for none.
func (c *jsonChecker) object(line []byte) (twice string, err error) {
	*c = jsonChecker{b: line, names: c.names[:0]}
	if c.space(); c.at() != '{' {
		return "", errObject
	}
	if err := c.value(); err != nil {
		return "", err
	}
	if c.space(); c.i < len(c.b) {
		return "", c.unexpected()
	}
	return c.twice, nil
}

// at is the next byte, 0 at the end.
func (c *jsonChecker) at() byte {
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

func (c *jsonChecker) space() { c.i = blank(c.b, c.i) }

func (c *jsonChecker) unexpected() error {
	if c.i >= len(c.b) {
		return errors.New("a line is no well-formed JSON: it is cut")
	}
	return fmt.Errorf("a line is no well-formed JSON: unexpected %q at its byte %d", c.b[c.i], c.i)
}

func (c *jsonChecker) value() error {
	switch b := c.at(); {
	case b == '"':
		return c.text()
	case b == '{':
		return c.nested('}')
	case b == '[':
		return c.nested(']')
	case b == '-' || b >= '0' && b <= '9':
		return c.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if len(c.b)-c.i >= len(word) && string(c.b[c.i:c.i+len(word)]) == word {
			c.i += len(word)
			return nil
		}
	}
	return c.unexpected()
}

// nested checks an object or an array.
func (c *jsonChecker) nested(closing byte) error {
	if c.depth++; c.depth > maxNesting {
		return errNesting
	}
	first := len(c.names)
	c.i++
	c.space()
	for some := false; c.at() != closing; some = true {
		if some {
			if c.at() != ',' {
				return c.unexpected()
			}
			c.i++
			c.space()
		}
		if closing == '}' {
			if err := c.name(first); err != nil {
				return err
			}
		}
		if err := c.value(); err != nil {
			return err
		}
		c.space()
	}
	c.i++
	c.depth--
	c.names = c.names[:first]
	return nil
}

// maxCompared is how many names of one object are compared with each other.
const maxCompared = 64

// name checks a member's name and its colon.
func (c *jsonChecker) name(first int) error {
	if c.at() != '"' {
		return c.unexpected()
	}
	from := c.i + 1
	if err := c.text(); err != nil {
		return err
	}
	name := c.b[from : c.i-1]
	if len(c.names)-first < maxCompared {
		for _, n := range c.names[first:] {
			if string(n) == string(name) {
				c.twice = string(name)
			}
		}
		c.names = append(c.names, name)
	}
	if c.space(); c.at() != ':' {
		return c.unexpected()
	}
	c.i++
	c.space()
	return nil
}

func (c *jsonChecker) text() error {
	for c.i++; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; {
		case b == '"':
			c.i++
			return nil
		case b < ' ':
			return c.unexpected()
		case b == '\\':
			if c.i++; !c.escape() {
				return c.unexpected()
			}
		}
	}
	return c.unexpected()
}

// escape checks what stands behind a backslash, and leaves its last byte to be passed.
func (c *jsonChecker) escape() bool {
	switch c.at() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			c.i++
			if b := c.at(); !(b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f') {
				return false
			}
		}
		return true
	}
	return false
}

func (c *jsonChecker) number() error {
	if c.at() == '-' {
		c.i++
	}
	if c.at() == '0' {
		c.i++
	} else if !c.digits() {
		return c.unexpected()
	}
	if c.at() == '.' {
		if c.i++; !c.digits() {
			return c.unexpected()
		}
	}
	if c.at()|0x20 == 'e' {
		if c.i++; c.at() == '+' || c.at() == '-' {
			c.i++
		}
		if !c.digits() {
			return c.unexpected()
		}
	}
	return nil
}

// digits passes digits; false when there are none.
func (c *jsonChecker) digits() bool {
	from := c.i
	for c.at() >= '0' && c.at() <= '9' {
		c.i++
	}
	return c.i > from
}
