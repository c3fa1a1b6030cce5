// Package match finds the allocation that each FREE of a trace ends. Chunks of events come in order; their addresses
// may be distributed over several shards, each with a table and a goroutine of its own.
package match

import (
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// Ends is what happens to the blocks of a chunk, set by [Matcher.Match]. It is reused for later chunks. Payloads are
// the events that are not FREE, numbered over the whole trace or within the chunk.
type Ends struct {
	Before model.Time // time of the event before the chunk's first

	FirstPayload uint32   // number of events before the chunk that are not FREE
	Ended        []uint32 // by FREE: the payload that allocated the block, + 1; 0 if there is none
	Over         []Over   // blocks ended by an allocation at their address, in order
	Died         []uint8  // by payload of the chunk: 1 if an event of the chunk ends its block, or it has none
	Unaddressed  []uint32 // payloads of the chunk that are allocations without an address
	Deaths       []Death  // of blocks of earlier chunks, in order
	parts        [][]part // by shard, if there are several: its events
}

// Death is the end of a block of an earlier chunk.
type Death struct {
	Payload uint32 // that allocated it, numbered over the whole trace
	Event   uint32 // within the chunk
}

// Over is a block that ended because an allocation took its address.
type Over struct {
	Event uint32 // within the chunk
	Ended uint32 // as in Ends.Ended
}

// Matcher finds the block that each FREE ends. It takes the chunks in order.
type Matcher struct {
	shards   []shard
	payloads uint32 // number of events so far that are not FREE
	now      model.Time
	events   int
}

// shard is the part of the address space that one goroutine handles: all of it on one or two cores.
type shard struct {
	table  *addressTable // address → as in Ends.Ended
	over   []Over        // its part of the chunk's Over
	deaths []Death
	addrs  []uint64 // addresses to look up next
}

const (
	mostShards    = 8
	touchRun      = 64        // events whose places in the table are prefetched at once
	touchFrom     = 112 << 20 // bytes of all tables from which prefetching pays
	spaciousUntil = 256 << 20 // bytes of all tables
)

// New returns a Matcher for a number of cores: the others decode and fold at the same time. It leaves most of a budget
// of bytes (0 for none) to the index as long as possible.
func New(cores int, budget int64) Matcher {
	n := min(max(cores/2, 1), mostShards)
	spacious := int64(spaciousUntil)
	if budget > 0 {
		spacious = min(spacious, budget/4)
	}
	m := Matcher{shards: make([]shard, n)}
	for i := range m.shards {
		m.shards[i].table = newAddressTable(spacious / int64(n))
	}
	return m
}

// Spill lets what is added from now on be in files.
func (m *Matcher) Spill(files *model.Room) {
	for i := range m.shards {
		m.shards[i].table.memory.files = files
	}
}

// Bytes estimates the memory of all tables, including those that find the records of blocks.
func (m *Matcher) Bytes() int64 {
	n := int64(m.payloads / 4)
	for i := range m.shards {
		n += m.shards[i].table.bytes()
	}
	return n
}

// Match computes what happens to the blocks of a chunk.
func (m *Matcher) Match(events *model.Columns, ends *Ends) (err error) {
	c := events
	payloads := len(c.Size)
	ends.Before, ends.FirstPayload = m.now, m.payloads
	ends.Ended = column.Resize(ends.Ended, len(c.Kind)-payloads)
	ends.Died = column.Resize(ends.Died, payloads)
	clear(ends.Died)
	ends.Over, ends.Unaddressed = ends.Over[:0], ends.Unaddressed[:0]
	ends.Deaths = column.Resize(ends.Deaths, len(ends.Ended))[:0]
	if len(m.shards) > 1 {
		err = m.matchShards(events, ends)
	} else {
		m.matchAll(events, ends)
	}
	m.payloads += uint32(payloads)
	m.now += c.Delta + c.Since(len(c.Kind)-1)
	m.events += len(c.Kind)
	return err
}

func (m *Matcher) matchAll(events *model.Columns, ends *Ends) {
	t, addrs := m.shards[0].table, events.Addr
	p := 0
	for i := 0; i < len(addrs); i += touchRun {
		end := min(i+touchRun, len(addrs))
		if t.memory.bytes >= touchFrom {
			t.touch(addrs[i:end])
		}
		p = t.run(events, ends, i, end, p)
	}
}

// run matches events [i, end); p is the number of events before them that are not FREE. put and take are inlined for
// pair pages. hot kernel
func (t *addressTable) run(events *model.Columns, ends *Ends, i, end, p int) int {
	kinds, addrs, ended, first := events.Kind[:end], events.Addr[:end], ends.Ended, ends.FirstPayload
	hi, dir, pieces, died := t.lastHi, t.last, t.memory.pieces, ends.Died
	for ; i < len(kinds) && i < len(addrs); i++ {
		a := addrs[i]
		kind := kinds[i]
		if kind > model.Free {
			died[p] = 1 // not a block
			p++
			continue
		}
		if a>>32 != hi && a != 0 {
			if d := t.dir(a>>32, kind == model.Alloc); d != nil {
				hi, dir = a>>32, d
			}
		}
		e := &dir[pageIndex(a)]
		page := e.ref
		if a>>32 != hi {
			page = noPage
		}
		unit := uint32(page) >> pageKindBits
		fast, bit := page&pageKindMask == pairPage && a&7 == 0 && a != 0, uint32(a)>>4&1
		if kind == model.Free {
			v := uint32(0)
			if fast {
				slot := &pieces[unit/pieceUnits][(unit<<5|uint32(uint16(a))>>5)&pieceMask]
				if w := *slot; w != 0 && w&1 == bit {
					v, *slot = w>>1, 0
					if e.used--; e.used == 0 {
						t.drop(e)
					}
				}
			} else if a != 0 {
				v = t.take(a)
			}
			ended[i-p] = v
			if v > first {
				died[v-1-first] = 1
			} else if v != 0 {
				ends.Deaths = append(ends.Deaths, Death{Payload: v - 1, Event: uint32(i)})
			}
			continue
		}
		old, v := uint32(0), first+uint32(p)+1
		if fast && v <= mostPaired {
			slot := &pieces[unit/pieceUnits][(unit<<5|uint32(uint16(a))>>5)&pieceMask]
			if w := *slot; w == 0 {
				*slot = v<<1 | bit
				e.used++
				p++
				continue
			}
		}
		if a == 0 {
			ends.Unaddressed = append(ends.Unaddressed, uint32(p))
		} else {
			old = t.put(a, v)
			pieces = t.memory.pieces
		}
		if old != 0 {
			ends.Over = append(ends.Over, Over{Event: uint32(i), Ended: (old)})
			ends.end(old-1, i)
		}
		p++
	}
	return p
}

// end records that an event ends the block of a payload.
func (ends *Ends) end(payload uint32, event int) {
	if payload >= ends.FirstPayload {
		ends.Died[payload-ends.FirstPayload] = 1
	} else {
		ends.Deaths = append(ends.Deaths, Death{Payload: payload, Event: uint32(event)})
	}
}

// Events returns the number of events in the chunks so far.
func (m *Matcher) Events() int { return m.events }

// Now returns the time of the last event so far.
func (m *Matcher) Now() model.Time { return m.now }

// Deal prepares a chunk for [Matcher.Match]. Other goroutines may match earlier chunks meanwhile.
func (m *Matcher) Deal(events *model.Columns, ends *Ends) {
	if n := len(m.shards); n > 1 {
		ends.deal(events, n)
	}
}
