package v8heap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// section is the position of a flat array of numbers.
type section struct {
	from, end int64
	numbers   int64
	chunks    []chunk
	cut       bool // the file ends within it
}

// chunk is a part of a section: where it begins, and how many commas precede it.
type chunk struct{ from, commas int64 }

// layout is the positions of the members of a file.
type layout struct {
	ctx     context.Context
	src     *loaders.Source
	onBytes func(bytes int64) // called with progress
	buf     []byte

	head       head
	hasHead    bool
	sections   map[string]*section
	strings    int64 // offset after the bracket, 0 for none
	stringsEnd int64
	tree       int64 // of the tree of stacks: offset of its bracket, 0 for none
	end        int64 // of what was read
	problems   []model.Problem
	truncated  bool
}

func (l *layout) problem(severity model.Severity, code string, at, n int64, format string, args ...any) {
	l.problems = model.AddProblem(l.problems, model.Problem{Severity: severity, Code: code,
		Message: fmt.Sprintf(format, args...), Count: n, Offset: at})
}

// reader reads a file starting at an offset.
type reader struct {
	ctx context.Context
	src *loaders.Source
	off int64
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.src.ReadSome(r.ctx, p, r.off)
	r.off += int64(n)
	return n, err
}

const maxText = 64 << 20 // bytes of one string

// cursor returns a cursor that reads starting at an offset.
func (l *layout) cursor(at int64) *json.Cursor {
	c := json.NewReader(&reader{l.ctx, l.src, at}, at, 64<<10)
	c.Loose, c.MaxText = true, int(l.src.Budget().Part(maxText, 8))
	c.OnFault = func(f json.Fault) bool {
		if f.Code == json.Truncated {
			l.cutAt(f.Byte)
			return false
		}
		harmless := f.Code == json.BadEscape || f.Code == json.Control || f.Code == json.ExtraComma || f.Code == json.BadWord
		severity := model.Error
		if harmless {
			severity = model.Warning
		}
		l.problem(severity, "json", f.Byte, 1, "%s", faultText(f.Code))
		return harmless
	}
	return c
}

// cutAt records that the file ends too early.
func (l *layout) cutAt(at int64) {
	if l.truncated = true; !l.src.Limited() {
		l.problem(model.Error, "truncated", at, 1, "the file ends too early: its writer died, or it was not copied completely")
	}
}

func faultText(code json.Code) string {
	switch code {
	case json.NoValue:
		return "a value is missing"
	case json.NoName, json.NoColon:
		return "a member has no name or no colon: the rest is not read"
	case json.NoComma, json.NoMember:
		return "a comma or a closing bracket is missing: the rest is not read"
	case json.BadByte:
		return "a character that is not JSON: the rest is not read"
	case json.TooDeep, json.LongWord, json.LongText:
		return "a value is too long or too deeply nested: the rest is not read"
	case json.BadEscape, json.Control:
		return "a string has an unknown escape, or a control character"
	}
	return "the text is not JSON"
}

// walk finds all members; with headOnly it stops after the description of the columns.
func (l *layout) walk(headOnly bool) error {
	l.sections = map[string]*section{}
	c := l.cursor(l.begin())
	if c.Next() != '{' {
		if c.Err() != nil {
			return c.Err()
		}
		l.problem(model.Error, "json", 0, 1, "an object is missing")
		return nil
	}
	for first := true; ; {
		name, ok := c.Member(&first)
		if !ok {
			break
		}
		switch member := string(name[:min(len(name), 32)]); member {
		case "snapshot":
			if l.head, l.hasHead = readHead(c), true; headOnly {
				return c.Err()
			}
		case "nodes", "edges", "samples", "trace_function_infos":
			if c.Peek() != '[' {
				c.Value()
				continue
			}
			c.Next()
			s, err := l.index(c.Offset())
			if err != nil {
				return err
			}
			if l.sections[member] == nil {
				l.sections[member] = s
			}
			if s.cut {
				l.cutAt(s.end)
				l.end = s.end
				return nil
			}
			c = l.cursor(s.end + 1)
			first = false
		default:
			l.other(c, member)
		}
	}
	l.end = c.Offset()
	if !c.Dead() && c.More() {
		l.problem(model.Error, "trailing", c.Offset(), 1, "something follows the end of the snapshot: it was not read")
	}
	return c.Err()
}

// begin returns where JSON begins: after a byte order mark.
func (l *layout) begin() int64 {
	l.src.KeepsInMemory()
	b := make([]byte, 3)
	if n, _ := l.src.ReadAt(b, 0); n == 3 && string(b) == "\xef\xbb\xbf" {
		return 3
	}
	return 0
}

// other records the position of a member other than an array of numbers, and skips it.
func (l *layout) other(c *json.Cursor, member string) {
	if open := c.Peek(); open == '[' && (member == "strings" || member == "trace_tree") {
		if member == "strings" {
			c.Next()
			l.strings = c.Offset()
			c.Skip('[')
			l.stringsEnd = c.Offset()
			return
		}
		l.tree = c.Offset()
	}
	c.Value()
}

// index finds the end of an array of numbers, and counts them.
func (l *layout) index(from int64) (*section, error) {
	s := &section{from: from, end: from, chunks: []chunk{{from: from}}}
	if l.buf == nil {
		l.buf = make([]byte, readBytes)
	}
	buf := l.buf
	commas, any, last := int64(0), false, from
	for {
		n, err := l.src.ReadSome(l.ctx, buf, s.end)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		b := buf[:n]
		i := bytes.IndexByte(b, ']')
		if i >= 0 {
			b = b[:i]
		}
		commas += int64(bytes.Count(b, []byte{','}))
		any = any || json.Blank(b, 0) < len(b)
		s.end += int64(len(b))
		if l.onBytes != nil {
			l.onBytes(int64(len(b)))
		}
		if i >= 0 {
			break
		}
		if n == 0 {
			s.cut = true
			break
		}
		if s.end-last >= chunkBytes {
			s.chunks = append(s.chunks, chunk{s.end, commas})
			last = s.end
		}
	}
	if s.numbers = commas; any && !s.cut {
		s.numbers++
	}
	return s, nil
}

// records returns how many complete records of the given columns there are.
func (s *section) records(columns int64) int64 {
	if s == nil || columns <= 0 {
		return 0
	}
	return s.numbers / columns
}

// part returns the records that begin in a chunk, and how many commas to skip from the start of the chunk to the first
// one.
func (s *section) part(i int, columns int64) (first, last, skip int64) {
	begin := func(i int) int64 {
		switch {
		case i == 0:
			return 0
		case i == len(s.chunks):
			return s.records(columns)
		}
		// The number that a chunk begins in belongs to the previous one.
		return min((s.chunks[i].commas+columns)/columns, s.records(columns))
	}
	first, last = begin(i), begin(i+1)
	return first, last, first*columns - s.chunks[i].commas
}
