package heaptrack

import (
	"encoding/binary"
	"slices"

	"github.com/memtui/memtui/model"
)

// fast reads lines of blocks with addresses in the form that writers use, and reports whether there were any. It leaves
// other lines to [converter.one]. hot kernel
func (c *converter) fast() bool {
	l, used, traces := c.in, c.tables.used, uint64(c.tables.traces())
	buf, pos, words, n := l.buf[:l.end], l.pos, c.steps.words, 0
	for most := mostWaiting - c.steps.waiting; n < most && len(buf)-pos >= window; n++ {
		w := (*[window]byte)(buf[pos:])
		switch binary.LittleEndian.Uint16(w[:]) {
		case '+' | ' '<<8:
			size, p := hex(w, 2)
			trace, q := hex(w, p+1)
			addr, end := hexes(w, q+1)
			if p == 2 || q == p+1 || w[p&63] != ' ' || w[q&63] != ' ' || w[end&63] != '\n' || addr == 0 || addr >= 1<<62 || trace > traces {
				break
			}
			if trace > 0 {
				used[(trace-1)>>6] |= 1 << ((trace - 1) & 63)
			}
			words = append(words, addr<<2|formAlloc, size<<32|trace)
			pos += end + 1
			continue
		case '-' | ' '<<8:
			addr, end := hexes(w, 2)
			if w[end&63] != '\n' || addr == 0 || addr >= 1<<62 {
				break
			}
			words = append(words, addr<<2|formFree)
			pos += end + 1
			continue
		}
		break
	}
	l.pos, c.steps.words = pos, words
	c.took(n)
	return n > 0
}

// took counts lines, one per event.
func (c *converter) took(n int) {
	c.in.line += int64(n)
	c.events += int64(n)
	c.steps.waiting += n
}

// fastNumbers is like fast for lines of blocks without addresses. The kind and length of a line, its number and the
// position of its block are unpredictable, so that there is no branch on them. hot kernel
func (c *converter) fastNumbers() bool {
	l, t, n := c.in, &c.blocks, 0
	buf, pos, heads, below, born := l.buf[:l.end], l.pos, t.heads, t.below, t.born
	most := min(mostWaiting-c.steps.waiting, (len(buf)-pos)/3)
	words := slices.Grow(c.steps.words, most)
	to := words[len(words):cap(words)]
	for n < most && n < len(to) && len(buf)-pos >= window {
		w := (*[window]byte)(buf[pos:])
		free := uint64(w[0]) - '+'
		info, end := hex(w, 2)
		if free&^('-'-'+') != 0 || w[1] != ' ' || end == 2 || w[end&63] != '\n' || info+1 >= uint64(len(heads)) ||
			info >= uint64(len(born)) || info >= mostKinds {
			break
		}
		free >>= 1
		from, where := (info+1)*free, (info+1)*(free^1)
		slot := heads[from]
		if slot == 0 && free == 0 {
			if !t.fits(c.budget) {
				break
			}
			slot = t.another()
			below, c.invents = t.below, true
		}
		if slot != 0 {
			heads[from], below[slot], heads[where] = below[slot], heads[where], slot
		}
		born[info] |= uint8(free ^ 1)
		to[n] = uint64(slot)<<32 | info<<3 | free<<2 | formNumber
		n++
		pos += end + 1
	}
	l.pos, c.steps.words = pos, words[:len(words)+n]
	c.took(n)
	return n > 0
}

// alloc reads an allocation.
func (c *converter) alloc(f *fields) bool {
	first := f.number()
	if !f.more() && f.ok && !(c.head.form == rawForm) && c.head.stated {
		return c.allocOf(first)
	}
	trace, addr := f.number(), f.number()
	if !f.ok {
		return c.fieldsFault("an allocation")
	}
	if addr == 0 {
		return c.fault(model.Error, "null-address", "a block has no address: it was left out")
	}
	return c.put(block{addr: addr, size: first, trace: c.known(trace)})
}

// allocOf adds an allocation of an interpreted file.
func (c *converter) allocOf(info uint64) bool {
	t := &c.blocks
	if info >= uint64(len(t.sizes)) {
		return c.fault(model.Error, "allocation", "a block refers to an \"a\" line that does not exist")
	}
	if !t.fits(c.budget) {
		c.found.leave(c.budget, "blocks after line %s were left out", model.Group(uint64(c.in.line)))
		return true
	}
	c.invents = true
	return c.put(block{addr: t.alloc(uint32(info)), size: t.sizes[info], trace: c.known(uint64(t.traces[info]))})
}

// free reads a free.
func (c *converter) free(f *fields) bool {
	n := f.number()
	switch {
	case !f.ok:
		return c.fieldsFault("a free")
	case c.withAddresses() || len(c.blocks.sizes) == 0 && c.head.form != interpreted:
		if n == 0 {
			return c.fault(model.Error, "null-address", "a free has no address: it was left out")
		}
		return c.put(block{addr: n, free: true})
	case n >= uint64(len(c.blocks.sizes)):
		return c.fault(model.Error, "allocation", "a free refers to an \"a\" line that does not exist")
	}
	return c.put(block{addr: c.blocks.free(uint32(n)), free: true})
}

// put adds an event.
func (c *converter) put(b block) bool {
	c.events++
	c.out = c.steps.add(c.out, b)
	return true
}

// known returns a stack if it is defined, otherwise 0.
func (c *converter) known(trace uint64) uint32 {
	if trace > uint64(c.tables.traces()) {
		if !c.tables.full {
			c.fault(model.Error, "allocation", "a block has a stack that no earlier line defines")
		}
		return 0
	}
	if trace > 0 {
		c.tables.used[(trace-1)>>6] |= 1 << ((trace - 1) & 63)
	}
	return uint32(trace)
}

// curve keeps only the points where its direction changes.
type curve struct {
	times  []model.Time
	values []float64
	full   bool
}

// add appends a point. The middle one of three equal ones in a row is redundant.
func (c *curve) add(at model.Time, v float64) {
	if n := len(c.values); n > 1 && c.values[n-1] == v && c.values[n-2] == v {
		c.times[n-1] = at
		return
	}
	c.times, c.values = append(c.times, at), append(c.values, v)
}

// series returns the curve so far. It may grow afterwards; only its last point may change.
func (c *curve) series() model.Series {
	n := len(c.times)
	return model.Series{Name: "resident", Times: append([]model.Time(nil), c.times[:n]...), Values: append([]float64(nil), c.values[:n]...)}
}
