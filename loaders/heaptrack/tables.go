package heaptrack

import (
	"bytes"
	"math"

	"github.com/memtui/memtui/model"
)

// tables are what stacks are made of, as the file writes it. Entries are only added, so that who has seen some may go
// on reading them.
type tables struct {
	strings []string // by number - 1

	instructions []instruction // by number - 1
	places       []place       // of the instructions, one after the other

	ips     []uint64 // by stack - 1: an address, or the number of an instruction
	parents []uint32 // by stack - 1
	images  []uint32 // by stack - 1, raw files: how many module lines came before
	used    []uint64 // by stack - 1, a bit: a block has it

	modules []module
	full    bool // there is no room for more: what is missing is not damage
}

// instruction is an "i" line.
type instruction struct {
	address  uint64
	module   uint32 // number of a string, 0 for none
	from, to uint32 // of places, innermost first
}

// place is a position in the source. Its strings are numbers, 0 for none.
type place struct {
	function, file uint32
	line           int64
}

// module is an "m" line. One without a path says that those before are gone.
type module struct {
	path  string
	base  uint64
	parts []part
}

// part is a mapped part of a module, at an offset from its base.
type part struct{ offset, size uint64 }

func (t *tables) init() { t.used = make([]uint64, 1) }

// traces returns how many stacks there are.
func (t *tables) traces() int { return len(t.ips) }

// roomy reports whether there is room for another entry of a table that has n.
func (c *converter) roomy(n int) bool {
	t := &c.tables
	if !t.full && n%checkEvery == checkEvery-1 && c.budget.Full(model.BudgetOfFile) || n >= math.MaxInt32 {
		t.full = true
		c.found.leave(c.budget, "stacks and names after line %s were left out", model.Group(uint64(c.in.line)))
	}
	return !t.full
}

// trace takes a stack.
func (c *converter) trace(f *fields) bool {
	ip, parent := f.number(), f.number()
	t := &c.tables
	switch {
	case !f.ok:
		return c.fieldsFault("a stack")
	case !c.roomy(t.traces()):
		return true
	case parent > uint64(t.traces()):
		c.fault(model.Error, "trace-parent", "a stack continues with one that no earlier line defines: it ends there")
		parent = 0
	}
	if c.head.form == interpreted && (ip == 0 || ip > uint64(len(t.instructions))) {
		c.fault(model.Error, "trace-ip", "a stack has an instruction that no earlier line defines")
		ip = 0
	}
	t.ips, t.parents = append(t.ips, ip), append(t.parents, uint32(parent))
	if c.head.form != interpreted {
		t.images = append(t.images, uint32(len(t.modules)))
	}
	if t.traces() > 64*len(t.used) {
		t.used = append(t.used, 0)
	}
	return true
}

// info takes what blocks have in common.
func (c *converter) info(f *fields) bool {
	size, trace := f.number(), f.number()
	switch {
	case !f.ok:
		return c.fieldsFault("blocks")
	case !c.roomy(len(c.blocks.sizes)):
		return true
	case trace > uint64(c.tables.traces()):
		c.fault(model.Error, "allocation", "a block has a stack that no earlier line defines")
		trace = 0
	}
	c.blocks.add(size, uint32(trace))
	return true
}

// maxInlined is how many functions an instruction is inlined into at most.
const maxInlined = 1 << 10

// instruction takes an instruction.
func (c *converter) instruction(f *fields) bool {
	t := &c.tables
	c.isA(interpreted)
	in := instruction{address: f.number(), from: uint32(len(t.places)), to: uint32(len(t.places))}
	if f.more() {
		in.module = c.str(f)
	}
	if !c.roomy(len(t.instructions)) {
		return true
	}
	for f.more() && f.ok && in.to-in.from < maxInlined {
		p := place{function: c.str(f), line: model.NoLine}
		if f.more() {
			p.file = c.str(f)
		}
		if f.more() {
			if line := f.number(); line > 0 && line <= math.MaxInt64 {
				p.line = int64(line)
			}
		}
		t.places = append(t.places, p)
		in.to++
	}
	t.instructions = append(t.instructions, in)
	if !f.ok {
		return c.fieldsFault("an instruction")
	}
	return true
}

// str reads the number of a string, 0 where there is none.
func (c *converter) str(f *fields) uint32 {
	n := f.number()
	if n > uint64(len(c.tables.strings)) {
		if !c.tables.full {
			c.fault(model.Error, "instruction", "an instruction names a string that no earlier line defines")
		}
		return 0
	}
	return uint32(n)
}

// isA notes the form of the file by its first line that only one form has.
func (c *converter) isA(f form) {
	if c.head.form == unknownForm {
		c.head.form = f
	}
}

// text takes a line that holds text, see record. b is the line up to its first newline.
func (c *converter) text(b []byte) (used int, ok bool) {
	letter := b[0]
	body, after, used, ok := c.sized(b) // b may be overwritten now
	switch letter {
	case 's':
		c.isA(interpreted)
		c.name(body)
	case 'x':
		c.isA(rawForm)
		c.head.executable = string(body)
	case 'S':
		if len(c.head.suppressions) < maxSuppressions {
			c.head.suppressions = append(c.head.suppressions, string(body))
		} else {
			c.head.unkept++
		}
	case 'm':
		c.isA(rawForm)
		ok = c.module(string(body), after) && ok
	}
	return used, ok
}

// sized returns the text of a line and what follows it, and how many bytes the line takes. Since version 3 the length
// of the text is before it; S lines tell by themselves whether they have one. Where the length cannot be right, the
// text ends with the line.
func (c *converter) sized(b []byte) (body, after []byte, used int, ok bool) {
	letter, line := b[0], len(b)
	start, n, told := textLength(b)
	needed := c.head.version >= newestVersion
	if told && (needed || letter == 'S') {
		if line, ok = c.lineWith(start+n, line); ok {
			all := c.in.rest()[:line]
			if after := trimLine(all[start+n:]); len(after) == 0 || letter == 'm' && after[0] == ' ' {
				return all[start : start+n], after, line + 1, true
			}
		}
	}
	rest := trimLine(c.in.rest()[min(2, line):len(b)])
	if ok = !needed || letter == 'S'; !ok {
		c.fault(model.Error, "string-length", "the stated length of a text differs from that of the line")
		rest = trimLine(c.in.rest()[min(start, len(b)):len(b)])
	}
	if letter == 'm' {
		if i := bytes.IndexByte(rest, ' '); i >= 0 {
			return rest[:i], rest[i:], len(b) + 1, ok
		}
	}
	return rest, nil, len(b) + 1, ok
}

// textLength reads the length of a text, and returns where the text begins. ok is false where there is none.
func textLength(b []byte) (start, n int, ok bool) {
	at := 2
	for at < len(b) && digits[b[at]] < 16 && n <= maxLine {
		n = n<<4 | int(digits[b[at]])
		at++
	}
	return at + 1, n, at > 2 && at < len(b) && b[at] == ' ' && n <= maxLine
}

// lineWith returns where the line ends that goes on at byte from at least, where its first newline is at line. ok is
// false where the input or the longest line ends before.
func (c *converter) lineWith(from, line int) (end int, ok bool) {
	for from > line {
		if !c.in.have(from + 1) {
			return line, false
		}
		b := c.in.rest()
		if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
			return from + i, true
		}
		if c.in.eof || len(b) > maxLine {
			return line, false
		}
		c.in.fill()
	}
	return line, true
}

// name takes a string.
func (c *converter) name(text []byte) {
	t := &c.tables
	if len(text) > checkEvery && c.budget.Full(model.BudgetOfFile) {
		t.full = true
	}
	if c.roomy(len(t.strings)) {
		t.strings = append(t.strings, string(text))
	}
}

// module takes a module and where its parts are.
func (c *converter) module(path string, after []byte) bool {
	t := &c.tables
	if !c.roomy(len(t.modules)) {
		return true
	}
	if path == "-" {
		t.modules = append(t.modules, module{})
		return true
	}
	if path == "x" {
		path = c.head.executable
	}
	f := newFields(after)
	m := module{path: path, base: f.number()}
	for f.more() && f.ok {
		m.parts = append(m.parts, part{f.number(), f.number()})
	}
	if !f.ok {
		return c.fieldsFault("a module")
	}
	t.modules = append(t.modules, m)
	return true
}
