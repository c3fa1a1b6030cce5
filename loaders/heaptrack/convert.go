package heaptrack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// form is how a file describes stacks and blocks.
type form uint8

const (
	unknownForm form = iota
	rawForm          // addresses of instructions and blocks
	interpreted      // names, and blocks without addresses
)

// converter reads the text from its start to its end, and is an [io.Reader] of pages of its events. Other goroutines
// read its results under mu.
type converter struct {
	in     *lines
	budget *model.Budget
	steps  steps
	blocks invented
	out    []byte // encoded, and not read yet
	read   int    // of out
	over   bool   // the input is read to its end

	mu      sync.Mutex
	head    header
	tables  tables
	rss     curve
	found   findings
	invents bool // blocks are given by number: their addresses are invented
	events  int64
	done    chan struct{} // closed at the end
}

// header is what a file states about itself.
type header struct {
	form         form
	tool         uint64 // version of heaptrack
	version      int    // of the file
	stated       bool   // the file has a line of versions
	command      string
	executable   string
	page, pages  uint64
	attached     bool
	suppressions []string
	unkept       int // suppressions that are not in the list
}

// maxSuppressions is how many are kept.
const maxSuppressions = 100

// checkEvery is the number of table entries between two checks of the budget.
const checkEvery = 1 << 12

func newConverter(ctx context.Context, src *loaders.Source) *converter {
	src.ReadOnce()
	c := &converter{in: newLines(ctx, src), budget: src.Budget(), done: make(chan struct{})}
	c.head.page = 4096
	c.tables.init()
	c.blocks.init()
	return c
}

// begin reads up to the first event.
func (c *converter) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if c.in.have(1); c.in.end == c.in.pos || c.in.buf[c.in.pos] == '+' || c.in.buf[c.in.pos] == '-' || c.in.buf[c.in.pos] == 't' {
			return
		}
		if !c.one() {
			return
		}
	}
}

// Read implements [io.Reader].
func (c *converter) Read(p []byte) (n int, err error) {
	for c.read == len(c.out) {
		if c.over {
			return 0, io.EOF
		}
		if err := c.in.ctx.Err(); err != nil {
			return 0, err
		}
		c.out, c.read = c.out[:0], 0
		c.convert()
	}
	n = copy(p, c.out[c.read:])
	c.read += n
	return n, nil
}

// What is read before the lock is released.
const (
	outputAtOnce = 64 << 10 // bytes of events
	linesAtOnce  = 16 << 10
)

// convert reads some lines.
func (c *converter) convert() {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.blocks.show()
	for from := c.in.line; len(c.out) < outputAtOnce && c.in.line-from < linesAtOnce; {
		if c.in.end-c.in.pos < window && !c.in.eof && len(c.out) > 0 {
			return // the rest may have to be waited for
		}
		if c.withAddresses() && c.fast() || !c.withAddresses() && c.fastNumbers() {
			continue
		}
		if !c.one() {
			c.out = c.steps.flush(c.out)
			c.end()
			c.over = true
			close(c.done)
			return
		}
	}
}

// withAddresses reports whether lines of blocks have addresses.
func (c *converter) withAddresses() bool { return c.head.form == rawForm || !c.head.stated }

// one reads one line, and reports whether there was one.
func (c *converter) one() bool {
	n, is := c.in.next()
	switch is {
	case ended:
		return false
	case cut:
		if c.in.err == nil && !c.in.src.Limited() {
			c.fault(model.Error, "truncated", fmt.Sprintf("the file ends within a line, after %d bytes of it", n))
		}
		if !c.halfAlloc(c.in.rest()[:n]) {
			c.found.lost += int64(n)
		}
		c.in.skip(n)
		return false
	case tooLong:
		p := c.problem(model.Error, "line-length", "a line is longer than the limit of "+
			model.Bytes(maxLine).String()+", which cannot be raised: it was not read")
		c.found.lost += c.in.skipLong()
		c.found.add(p)
		return true
	}
	if n == 0 {
		c.in.skipEmpty()
		return true
	}
	b := c.in.rest()[:n]
	used := n + 1
	ok := true
	if b[0] != '#' && !(n == 1 && b[0] == '\r') {
		used, ok = c.record(b)
	}
	if !ok {
		c.found.lost += int64(used)
	}
	c.in.skip(used)
	return true
}

// halfAlloc reads an allocation whose line is cut, if only its address is incomplete: the allocation happened.
func (c *converter) halfAlloc(b []byte) bool {
	if !c.withAddresses() || len(b) < 2 || b[0] != '+' || b[1] != ' ' {
		return false
	}
	f := newFields(b[1:])
	size, trace := f.number(), f.number()
	addr := f.number()
	return f.ok && addr != 0 && c.put(block{addr: addr, size: size, trace: c.known(trace)})
}

// record reads a line that is not empty, and returns its length including the newline: a text with a length may contain
// further newlines. ok is false if the line is unusable, which was reported.
func (c *converter) record(b []byte) (used int, ok bool) {
	used = len(b) + 1
	if len(b) > 1 && b[1] != ' ' && b[1] != '\t' && !(b[0] == 'A' && b[1] == '\r') {
		return used, c.unknown(b)
	}
	f := newFields(b[1:])
	switch b[0] {
	case '+':
		ok = c.alloc(&f)
	case '-':
		ok = c.free(&f)
	case 't':
		ok = c.trace(&f)
	case 'a':
		ok = c.info(&f)
	case 'i':
		ok = c.instruction(&f)
	case 's', 'x', 'm', 'S':
		return c.text(b)
	case 'c':
		ok = c.stamp(&f)
	case 'R':
		ok = c.resident(&f)
	case 'v':
		ok = c.versions(&f)
	case 'X':
		c.head.command, ok = string(trimLine(b[min(2, len(b)):])), true
	case 'I':
		ok = c.machine(&f)
	case 'A':
		c.attached()
		ok = true
	default:
		return used, c.unknown(b)
	}
	return used, ok
}

func (c *converter) unknown(b []byte) bool {
	return c.fault(model.Error, "record-type", "a line begins with "+fmt.Sprintf("%q", b[:1])+", which heaptrack does not write")
}

// trimLine removes the carriage return that a file from another system may have.
func trimLine(b []byte) []byte {
	if n := len(b); n > 0 && b[n-1] == '\r' {
		return b[:n-1]
	}
	return b
}

// problem returns a problem at the current line.
func (c *converter) problem(s model.Severity, code, message string) model.Problem {
	return model.Problem{Severity: s, Code: code, Message: message, Count: 1, Offset: c.in.offset(), Line: c.in.line}
}

// fault reports a problem at the current line, and returns false.
func (c *converter) fault(s model.Severity, code, message string) bool {
	c.found.add(c.problem(s, code, message))
	return false
}

// fieldsFault reports that a line lacks fields, or has an invalid number.
func (c *converter) fieldsFault(of string) bool {
	return c.fault(model.Error, "fields", "a line of "+of+" lacks a field or has an invalid number")
}

func (c *converter) versions(f *fields) bool {
	tool := f.number()
	version := uint64(1)
	if f.more() {
		version = f.number()
	}
	if !f.ok {
		return c.fieldsFault("versions")
	}
	if c.head.stated {
		return c.fault(model.Error, "version", "the versions are stated twice")
	}
	c.head.stated, c.head.tool, c.head.version = true, tool, int(min(version, math.MaxInt32))
	if version > newestVersion {
		c.fault(model.Error, "version", fmt.Sprintf("version %d of the file is not supported, read as version %d",
			c.head.version, newestVersion))
	}
	return true
}

// newestVersion is the newest known version of files.
const newestVersion = 3

func (c *converter) machine(f *fields) bool {
	page, pages := f.number(), f.number()
	if !f.ok {
		return c.fieldsFault("the machine")
	}
	if page > 0 && page <= 1<<30 {
		c.head.page = page
	}
	c.head.pages = pages
	return true
}

// codeAttached is the code of a problem that breaks no rule.
const codeAttached = "attached"

func (c *converter) attached() {
	if !c.head.attached {
		c.head.attached = true
		c.fault(model.Warning, codeAttached, "heaptrack was attached to a running program: blocks allocated earlier are unknown")
	}
}

// stamp reads the time of the events since the last one.
func (c *converter) stamp(f *fields) bool {
	ms := f.number()
	if !f.ok {
		return c.fieldsFault("a time")
	}
	at := model.MaxTime
	if ms <= uint64(model.MaxTime)/1000 {
		at = model.Time(ms) * 1000
	}
	if at < c.steps.now {
		return c.fault(model.Warning, "time-falls", "a time is before the last one: it was ignored")
	}
	c.out = c.steps.stamp(c.out, at)
	return true
}

// resident reads a sample of the resident memory.
func (c *converter) resident(f *fields) bool {
	pages := f.number()
	if !f.ok {
		return c.fieldsFault("resident memory")
	}
	if c.rss.full {
		return true
	}
	c.rss.add(c.steps.now, float64(pages)*float64(c.head.page))
	if len(c.rss.times)%checkEvery == 0 && c.budget.Full(model.BudgetOfFile) {
		c.rss.full = true
		c.found.leave(c.budget, "the resident memory after %s was left out", c.steps.now)
	}
	return true
}

// end reports how the input ended.
func (c *converter) end() {
	at := c.in.offset()
	switch err := c.in.err; {
	case err == nil, c.in.ctx.Err() != nil:
	case errors.Is(err, loaders.ErrShrank):
		c.fault(model.Error, "shrank", err.Error())
		c.found.lost += max(0, c.in.src.Size()-at)
	default:
		c.fault(model.Error, "read", "the input cannot be read any further: "+err.Error())
		c.found.lost += max(0, c.in.src.Size()-at)
	}
	if c.in.src.Grown() {
		c.fault(model.Note, "growing", "the file has grown since it was opened: what was added is not shown")
	}
	if c.invents {
		c.found.add(model.Problem{Severity: model.Note, Code: "invented-addresses", Offset: model.NoOffset,
			Message: "an interpreted recording has no addresses: they are invented; " +
				"among blocks of equal size and stack, the one allocated last is assumed to be freed first, so lifetimes and temporary allocations are estimates"})
	}
	if c.events > 0 {
		c.found.add(model.Problem{Severity: model.Note, Code: "coarse-times", Offset: model.NoOffset,
			Message: "times are in steps of 10 ms: events are spread evenly within a step"})
	}
}
