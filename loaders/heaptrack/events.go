package heaptrack

import (
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mlyze"
)

// block is an event that waits for its time.
type block struct {
	addr  uint64
	size  uint64
	trace uint32
	free  bool
}

// mostWaiting is how many events wait for a time at most. A program that heaptrack slows down has tens of thousands in 10 ms.
const mostWaiting = 1 << 17

// steps gives events times: evenly spread between those that the file has.
type steps struct {
	waiting []block
	now     model.Time // the last one of the file
	last    model.Time // of the last event that was written
}

// add takes an event. What waits too long gets the time of the step's start.
func (s *steps) add(out []byte, b block) []byte {
	if len(s.waiting) == mostWaiting {
		out = s.flush(out)
	}
	s.waiting = append(s.waiting, b)
	return out
}

// flush writes what waits, without a time after it.
func (s *steps) flush(out []byte) []byte { return s.stamp(out, s.now) }

// stamp writes what waits, which happened until at.
func (s *steps) stamp(out []byte, at model.Time) []byte {
	n := uint64(len(s.waiting))
	if n > 0 {
		span := uint64(at - s.now)
		each, rest := span/n, span%n
		t, owed := s.now, uint64(0)
		e := model.Event{}
		for i := range s.waiting {
			b := &s.waiting[i]
			t += model.Time(each)
			if owed += rest; owed >= n {
				owed -= n
				t++
			}
			e.Addr, e.Size, e.ID, e.Kind = b.addr, b.size, uint64(b.trace), model.Alloc
			if b.free {
				e.Kind = model.Free
			}
			out = mlyze.AppendEvent(out, uint64(t-s.last), &e)
			s.last = t
		}
		s.waiting = s.waiting[:0]
	}
	s.now = at
	return out
}

// fast takes lines of blocks with addresses, as writers write them, and reports whether there were any. What it does not know by heart
// it leaves to [converter.one]. hot kernel
func (c *converter) fast() bool {
	began, l := c.events, c.in
	for l.end-l.pos >= window && len(c.steps.waiting) < mostWaiting {
		w := (*[window]byte)(l.buf[l.pos:])
		if w[1] != ' ' {
			break
		}
		var b block
		p := 2
		switch w[0] {
		case '+':
			size, sized := hex(w, p)
			trace, told := hex(w, sized+1)
			addr, end := hex(w, told+1)
			if sized == p || sized-p > maxDigits || told == sized+1 || told-sized > 8 || w[sized&63] != ' ' || w[told&63] != ' ' ||
				end-told > maxDigits+1 || trace > uint64(c.tables.traces()) {
				return c.events > began
			}
			b, p = block{addr: addr, size: size, trace: uint32(trace)}, end
			if trace > 0 {
				c.tables.used[(trace-1)>>6] |= 1 << ((trace - 1) & 63)
			}
		case '-':
			addr, end := hex(w, p)
			if end-p > maxDigits {
				return c.events > began
			}
			b, p = block{addr: addr, free: true}, end
		default:
			return c.events > began
		}
		if w[p&63] != '\n' || p >= window || b.addr == 0 {
			break
		}
		l.pos += p + 1
		l.line++
		c.events++
		c.steps.waiting = append(c.steps.waiting, b)
	}
	return c.events > began
}

// fastNumbers is fast for lines of blocks without addresses. hot kernel
func (c *converter) fastNumbers() bool {
	began, l, t := c.events, c.in, &c.blocks
	for l.end-l.pos >= window && len(c.steps.waiting) < mostWaiting {
		w := (*[window]byte)(l.buf[l.pos:])
		info, end := hex(w, 2)
		if w[1] != ' ' || end == 2 || end-2 > 8 || w[end&63] != '\n' || info >= uint64(len(t.size)) {
			break
		}
		b := block{size: t.size[info], trace: t.trace[info]}
		switch {
		case w[0] == '+' && t.roomy(c.budget):
			b.addr, c.invents = t.alloc(uint32(info)), true
			if b.trace > 0 {
				c.tables.used[(b.trace-1)>>6] |= 1 << ((b.trace - 1) & 63)
			}
		case w[0] == '-':
			b.addr, b.free = t.free(uint32(info)), true
		default:
			return c.events > began
		}
		l.pos += end + 1
		l.line++
		c.events++
		c.steps.waiting = append(c.steps.waiting, b)
	}
	return c.events > began
}

// alloc takes an allocation.
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

// allocOf takes an allocation of an interpreted file.
func (c *converter) allocOf(info uint64) bool {
	t := &c.blocks
	if info >= uint64(len(t.size)) {
		return c.fault(model.Error, "allocation", "a block is one of an \"a\" line that is not there")
	}
	if !t.roomy(c.budget) {
		c.found.leave(c.budget, "blocks after line %s were left out", model.Group(uint64(c.in.line)))
		return true
	}
	c.invents = true
	return c.put(block{addr: t.alloc(uint32(info)), size: t.size[info], trace: c.known(uint64(t.trace[info]))})
}

// free takes a free.
func (c *converter) free(f *fields) bool {
	n := f.number()
	switch {
	case !f.ok:
		return c.fieldsFault("a free")
	case c.withAddresses() || len(c.blocks.size) == 0 && c.head.form != interpreted:
		if n == 0 {
			return c.fault(model.Error, "null-address", "a free has no address: it was left out")
		}
		return c.put(block{addr: n, free: true})
	case n >= uint64(len(c.blocks.size)):
		return c.fault(model.Error, "allocation", "a free is one of an \"a\" line that is not there")
	}
	return c.put(block{addr: c.blocks.free(uint32(n)), free: true})
}

// put takes an event.
func (c *converter) put(b block) bool {
	c.events++
	c.out = c.steps.add(c.out, b)
	return true
}

// known returns a stack that there is, 0 for others.
func (c *converter) known(trace uint64) uint32 {
	if trace > uint64(c.tables.traces()) {
		if !c.tables.full {
			c.fault(model.Error, "allocation", "a block has a stack that no line before defines")
		}
		return 0
	}
	if trace > 0 {
		c.tables.used[(trace-1)>>6] |= 1 << ((trace - 1) & 63)
	}
	return uint32(trace)
}

// curve is one that keeps only points where it bends.
type curve struct {
	times  []model.Time
	values []float64
	full   bool
}

// add appends a point. One of three equal ones in a row tells nothing.
func (c *curve) add(at model.Time, v float64) {
	if n := len(c.values); n > 1 && c.values[n-1] == v && c.values[n-2] == v {
		c.times[n-1] = at
		return
	}
	c.times, c.values = append(c.times, at), append(c.values, v)
}

// series returns the curve, which may grow afterwards, but for its last point.
func (c *curve) series() model.Series {
	n := len(c.times)
	return model.Series{Name: "resident", Times: append([]model.Time(nil), c.times[:n]...), Values: append([]float64(nil), c.values[:n]...)}
}
