package spaa

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

var (
	errObject  = errors.New("a line is not a JSON object")
	errNesting = fmt.Errorf("nesting deeper than the limit of %s was not checked; it cannot be raised", model.Group(json.MaxDepth))
)

// jsonChecker checks lines against the grammar of JSON. Only one goroutine may use it.
type jsonChecker struct {
	json  json.Cursor
	line  []byte
	err   error
	twice string
	names [][]byte // of the members of all open objects
	open  []openObject
}

// openObject is where the names of an object begin.
type openObject struct{ depth, from int }

// object checks that line is one JSON object; twice is a name that occurs twice in one object, "" for none.
func (c *jsonChecker) object(line []byte) (twice string, err error) {
	if c.json.OnFault == nil {
		c.json.OnFault, c.json.OnName = c.fault, c.name
	}
	c.json.Reset(line)
	c.line, c.err, c.twice, c.names, c.open = line, nil, "", c.names[:0], c.open[:0]
	if c.json.Peek() != '{' {
		return "", errObject
	}
	c.json.Value()
	if c.json.More() {
		c.unexpected(c.json.Offset())
	}
	if c.err != nil {
		return "", c.err
	}
	return c.twice, nil
}

// fault keeps the fault, which ends reading.
func (c *jsonChecker) fault(f json.Fault) bool {
	switch {
	case c.err != nil:
	case f.Code == json.TooDeep:
		c.err = errNesting
	case f.Want != 0:
		c.unexpected(f.At)
	default:
		c.unexpected(f.Byte)
	}
	return false
}

func (c *jsonChecker) unexpected(at int64) {
	if at >= int64(len(c.line)) {
		c.err = errors.New("a line is not well-formed JSON: it is truncated")
		return
	}
	c.err = fmt.Errorf("a line is not well-formed JSON: unexpected %q at its byte %d", c.line[at], at)
}

// maxCompared is how many names of one object are compared.
const maxCompared = 64

// name compares a name with earlier ones in its object.
func (c *jsonChecker) name(depth int, first bool, name []byte) {
	for n := len(c.open); n > 0 && (c.open[n-1].depth > depth || first && c.open[n-1].depth == depth); n-- {
		c.names, c.open = c.names[:c.open[n-1].from], c.open[:n-1]
	}
	if first {
		c.open = append(c.open, openObject{depth, len(c.names)})
	}
	mine := c.names[c.open[len(c.open)-1].from:]
	if len(mine) >= maxCompared {
		return
	}
	for _, n := range mine {
		if string(n) == string(name) {
			c.twice = string(name)
		}
	}
	at, _ := c.json.At()
	if written := c.line[at+1:]; bytes.HasPrefix(written, name) {
		name = written[:len(name)]
	} else {
		name = bytes.Clone(name) // it was decoded, and is valid only until the next token
	}
	c.names = append(c.names, name)
}
