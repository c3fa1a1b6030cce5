package v8profile

import (
	"math"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/model"
)

// none means no parent.
const none = -1

// node is a node of the tree.
type node struct {
	parent int // its index; none for roots
	frame  model.FrameID
	id     int64
	hasID  bool
	weight uint64 // selfSize, or hits
	offset int64
}

// callFrame is a function as in the file.
type callFrame struct {
	function, url, script string
	line, column          int64
}

// level is an open node of a tree being read.
type level struct {
	node       int
	call       callFrame
	base       int64 // of lines: 1 if they count from 0
	first      bool  // no member was read
	inChildren bool
	firstChild bool
}

// tree reads a node and all below it. A value that is not an object is skipped.
func (r *reader) tree() {
	if !r.enter(none) {
		return
	}
	for len(r.levels) > 0 && !r.Dead() {
		l := &r.levels[len(r.levels)-1]
		if l.inChildren {
			if !r.Element(&l.firstChild) {
				l.inChildren = false
			} else if !r.enter(l.node) && r.Dead() {
				break
			}
			r.ask()
			continue
		}
		name, ok := r.Member(&l.first)
		switch {
		case !ok:
			r.leave()
		case string(name) == "children" && r.Peek() == '[':
			r.Next()
			l.inChildren, l.firstChild = true, true
		default:
			r.member(l, string(name[:min(len(name), 32)]))
		}
	}
	for len(r.levels) > 0 { // if the file ends in a node
		r.leave()
	}
}

// enter opens the next node; false if there is none.
func (r *reader) enter(parent int) bool {
	offset := r.Offset()
	if r.Peek() != '{' {
		if line := r.Line(); !r.Dead() {
			r.Value()
			r.Say(model.Error, "node", offset, line, "a node is not an object")
		}
		return false
	}
	r.Next()
	r.levels = append(r.levels, level{node: len(r.nodes), first: true, call: callFrame{line: none, column: none}})
	r.nodes = append(r.nodes, node{parent: parent, offset: offset})
	return true
}

// leave ends the innermost node.
func (r *reader) leave() {
	l := &r.levels[len(r.levels)-1]
	r.nodes[l.node].frame = r.frame(&l.call, l.base)
	r.levels = r.levels[:len(r.levels)-1]
}

// member reads a member of a node other than its children.
func (r *reader) member(l *level, name string) {
	n := &r.nodes[l.node]
	if name == "callFrame" && r.Peek() == '{' {
		r.Next()
		l.base = 1
		for first := true; ; {
			name, ok := r.Member(&first)
			if !ok {
				return
			}
			r.call(&l.call, string(name[:min(len(name), 32)]))
		}
	}
	switch name {
	case "id":
		if r.Value() == json.Number {
			n.id, n.hasID = json.Int(r.Text())
		}
	case "selfSize", "hitCount":
		if (name == "selfSize") == r.heap && r.Value() == json.Number {
			n.weight = r.size(r.Text())
		}
	default:
		r.call(&l.call, name)
	}
}

// size returns a number of bytes or hits.
func (r *reader) size(text []byte) uint64 {
	if u, ok := json.Uint(text); ok {
		return u
	}
	if f, ok := json.Float(text); ok && f > 0 && f < math.MaxInt64 {
		return uint64(f)
	}
	at, line := r.At()
	r.Say(model.Error, "node", at, line, "a size is not a number of bytes")
	return 0
}

// call reads a member of a call frame.
func (r *reader) call(c *callFrame, name string) {
	k := r.Value()
	text := r.Text()
	number := func() int64 {
		if n, ok := json.Int(text); ok && k == json.Number && n >= 0 && n < math.MaxInt32 {
			return n
		}
		return none
	}
	switch {
	case name == "functionName" && k == json.String:
		c.function = string(text)
	case name == "url" && k == json.String:
		c.url = string(text)
	case name == "scriptId" && (k == json.String || k == json.Number):
		c.script = string(text[:min(len(text), 32)])
	case name == "lineNumber":
		c.line = number()
	case name == "columnNumber":
		c.column = number()
	}
}

// frame returns the frame of a call frame, whose lines count from 1 minus base.
func (r *reader) frame(c *callFrame, base int64) model.FrameID {
	f := weighted.Frame{Function: c.function, File: c.url, Line: model.NoLine}
	if f.Function == "" {
		f.Function = "(anonymous)"
	}
	if c.line >= 0 && c.line+base > 0 {
		f.Line = c.line + base
		f.Column = uint32(max(c.column+base, 0))
	}
	if c.script != "" && c.script != "0" {
		r.scripts[c.script] = true
	}
	return r.Frame(f)
}
