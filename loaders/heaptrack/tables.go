package heaptrack

import (
	"bytes"
	"math"

	"github.com/memtui/memtui/model"
)

// tables are the file's tables that stacks consist of. Entries are only added, so that readers may continue to read the
// ones they know.
type tables struct {
	strings []string // by number - 1

	instructions []instruction // by number - 1
	places       []place       // of the instructions, concatenated

	ips     []uint64 // by stack - 1: an address, or the number of an instruction
	parents []uint32 // by stack - 1
	images  []uint32 // by stack - 1, raw files: the number of earlier module lines
	used    []uint64 // by stack - 1, a bit: a block has it

	modules []module
	full    bool // the memory budget is used up: missing entries are not damage
}

// instruction is an "i" line.
type instruction struct {
	address  uint64
	module   uint32 // number of a string, 0 for none
	from, to uint32 // of places, innermost first
}

// place is a position in the source code. Its strings are numbers, 0 for none.
type place struct {
	function, file uint32
	line           int64
}

// module is an "m" line. One without a path removes the earlier ones.
type module struct {
	path  string
	base  uint64
	parts []part
}

// part is a mapped part of a module, at an offset from its base.
type part struct{ offset, size uint64 }

func (t *tables) init() { t.used = make([]uint64, 1) }

// traces returns the number of stacks.
func (t *tables) traces() int { return len(t.ips) }

// fits reports whether another entry fits a table that has n.
func (c *converter) fits(n int) bool {
	t := &c.tables
	if !t.full && n%checkEvery == checkEvery-1 && c.budget.Full(model.BudgetOfFile) || n >= math.MaxInt32 {
		t.full = true
		c.found.leave(c.budget, "stacks and names after line %s were left out", model.Group(uint64(c.in.line)))
	}
	return !t.full
}

// trace reads a stack.
func (c *converter) trace(f *fields) bool {
	ip, parent := f.number(), f.number()
	t := &c.tables
	switch {
	case !f.ok:
		return c.fieldsFault("a stack")
	case !c.fits(t.traces()):
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

// info reads a kind of blocks.
func (c *converter) info(f *fields) bool {
	size, trace := f.number(), f.number()
	switch {
	case !f.ok:
		return c.fieldsFault("blocks")
	case !c.fits(len(c.blocks.sizes)):
		return true
	case trace > uint64(c.tables.traces()):
		c.fault(model.Error, "allocation", "a block has a stack that no earlier line defines")
		trace = 0
	}
	c.blocks.add(size, uint32(trace))
	return true
}

// maxInlined bounds how many functions an instruction is inlined into.
const maxInlined = 1 << 10

// instruction reads an instruction.
func (c *converter) instruction(f *fields) bool {
	t := &c.tables
	c.isA(interpreted)
	in := instruction{address: f.number(), from: uint32(len(t.places)), to: uint32(len(t.places))}
	if f.more() {
		in.module = c.str(f)
	}
	if !c.fits(len(t.instructions)) {
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

// str reads the number of a string, 0 if there is none.
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

// isA sets the form of the file by the first line that only one form has. Stacks before it name instructions that no
// line had defined then, if f is interpreted: they have no frame.
func (c *converter) isA(f form) {
	if c.head.form != unknownForm {
		return
	}
	c.head.form = f
	if t := &c.tables; f == interpreted && t.traces() > 0 {
		c.fault(model.Error, "trace-ip", "a stack has an instruction that no earlier line defines")
		t.ips = make([]uint64, t.traces()) // a new one: readers have the old one
	}
}

// text reads a line with a text, see record. b is the line up to its first newline.
func (c *converter) text(b []byte) (used int, ok bool) {
	letter := b[0]
	body, after, used, ok := c.sized(b) // b may be overwritten from here
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

// sized returns the text of a line, the rest after it, and the length of the line. Since version 3 the text's length
// precedes it; S lines may have one in any version. If the length cannot be right, the text ends with the line.
func (c *converter) sized(b []byte) (body, after []byte, used int, ok bool) {
	letter, line := b[0], len(b)
	start, n, hasLength := textLength(b)
	needed := c.head.version >= newestVersion
	if hasLength && (needed || letter == 'S') {
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

// textLength reads the length of a text, and returns where the text begins. ok is false if there is none.
func textLength(b []byte) (start, n int, ok bool) {
	at := 2
	for at < len(b) && digits[b[at]] < 16 && n <= maxLine {
		n = n<<4 | int(digits[b[at]])
		at++
	}
	return at + 1, n, at > 2 && at < len(b) && b[at] == ' ' && n <= maxLine
}

// lineWith returns the end of the line that continues at least to byte from and whose first newline is at line. ok is
// false if the input or the longest line ends earlier.
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

// name reads a string.
func (c *converter) name(text []byte) {
	t := &c.tables
	if len(text) > checkEvery && c.budget.Full(model.BudgetOfFile) {
		t.full = true
	}
	if c.fits(len(t.strings)) {
		t.strings = append(t.strings, string(text))
	}
}

// module reads a module and where its parts are mapped.
func (c *converter) module(path string, after []byte) bool {
	t := &c.tables
	if !c.fits(len(t.modules)) {
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
