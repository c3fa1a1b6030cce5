package traceindex

import (
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// job is a chunk on its way into the index: decoded, matched, folded. It is used again for a later one.
type job struct {
	from, to, next int64 // where it was to begin and end in the input, and where it did
	err            error
	decoded        chan struct{} // closed when the events and sites are there
	keep           bool          // the input cannot be read again like that

	events model.Columns
	sites  group.SiteTable // of this chunk alone
	siteOf []uint32        // by event that is not a FREE, as numbered in sites

	event  []uint32   // by ALLOC, as numbered in sites: its number in the chunk; filled in when the chunk is folded
	before model.Time // of the event before its first

	firstPayload uint32    // events before the chunk that are not FREE
	ended        []uint32  // by FREE: the number among those of the event that bore the block, + 1; 0 if there is none
	over         []overEnd // refs and sizes are not filled in yet
	died         []uint8   // by event that is not a FREE: 1 if an event of the chunk ends its block, or it has none
	unaddressed  []uint32  // allocations without an address, as numbered in Columns.Size
	deaths       []death   // of blocks of earlier chunks, in order
	parts        [][]part  // by shard, where there are several: its events

	stacks    int // of the chunk that was folded last with the job
	firstRec  uint32
	survivors []uint32 // blocks that outlive the chunk, as numbered in Columns.Size
}

// death is the end of a block of an earlier chunk.
type death struct {
	payload uint32 // as in job.ended, without the 1
	event   uint32 // of the chunk
}

// reset makes a job ready for another chunk.
func (j *job) reset(from, to int64) {
	j.from, j.to, j.next, j.err, j.keep = from, to, from, nil, false
	j.decoded = make(chan struct{})
	j.events.Reset()
	j.sites.Reset()
}

// number finds the sites of all allocations. hot kernel
func (j *job) number() {
	c := &j.events
	n := len(c.Size)
	j.siteOf, j.event = column.Resize(j.siteOf, n), column.Resize(j.event, n)
	if !onlyBlocks(c.Kind) {
		j.numberSome()
		return
	}
	ids, threads, sites := c.ID[:n], c.Thread[:n], j.siteOf[:n]
	for p, id := range ids {
		if id < uint64(len(j.sites.First)) {
			if s := j.sites.First[id]; s != 0 && j.sites.Keys[s-1].Thread == threads[p] {
				sites[p] = s - 1
				continue
			}
		}
		sites[p], _ = j.sites.Of(group.SiteKey{ID: id, Thread: threads[p]})
	}
}

// numberSome is number where there are other events.
func (j *job) numberSome() {
	p := 0
	for _, kind := range j.events.Kind {
		if kind == model.Free {
			continue
		}
		if kind == model.Alloc {
			j.siteOf[p], _ = j.sites.Of(group.SiteKey{ID: j.events.ID[p], Thread: j.events.Thread[p]})
		}
		p++
	}
}

// onlyBlocks reports whether there is nothing but ALLOC and FREE.
func onlyBlocks(kinds []model.EventKind) bool {
	all := model.EventKind(0)
	for _, k := range kinds {
		all |= k
	}
	return all <= model.Free
}

// matcher finds out which block each FREE ends. It takes the chunks in order.
type matcher struct {
	shards   []shard
	payloads uint32 // events so far that are not FREE
	now      model.Time
	events   int
}

// shard is the part of the address space that one goroutine takes care of: all of it on one or two cores.
type shard struct {
	table  *addressTable // address → as in job.ended
	over   []overEnd     // what it adds to a job
	deaths []death
	addrs  []uint64 // that are looked at next
}

const (
	mostShards    = 8
	touchRun      = 64        // events whose places in the table are read at once
	touchFrom     = 112 << 20 // bytes of all tables for which that pays
	spaciousUntil = 256 << 20 // bytes of all tables
)

// newMatcher returns one for a number of cores: the others decode and fold at the same time. Of a budget of bytes, 0 for none,
// it leaves the larger part to the index as long as that can be.
func newMatcher(cores int, budget int64) matcher {
	n := min(max(cores/2, 1), mostShards)
	spacious := int64(spaciousUntil)
	if budget > 0 {
		spacious = min(spacious, budget/4)
	}
	m := matcher{shards: make([]shard, n)}
	for i := range m.shards {
		m.shards[i].table = newAddressTable(spacious / int64(n))
	}
	return m
}

// bytes estimates the memory of all tables, and of [linker.ranks].
func (m *matcher) bytes() int64 {
	n := int64(m.payloads / 4)
	for i := range m.shards {
		n += m.shards[i].table.bytes()
	}
	return n
}

// match fills in what happens to the blocks of a chunk.
func (m *matcher) match(j *job) (err error) {
	c := &j.events
	payloads := len(c.Size)
	j.before, j.firstPayload = m.now, m.payloads
	j.ended = column.Resize(j.ended, len(c.Kind)-payloads)
	j.died = column.Resize(j.died, payloads)
	clear(j.died)
	j.over, j.unaddressed = j.over[:0], j.unaddressed[:0]
	j.deaths = column.Resize(j.deaths, len(j.ended))[:0]
	if len(m.shards) > 1 {
		err = m.matchShards(j)
	} else {
		m.matchAll(j)
	}
	m.payloads += uint32(payloads)
	m.now += c.Delta + c.Since(len(c.Kind)-1)
	m.events += len(c.Kind)
	return err
}

func (m *matcher) matchAll(j *job) {
	t, addrs := m.shards[0].table, j.events.Addr
	p := 0
	for i := 0; i < len(addrs); i += touchRun {
		end := min(i+touchRun, len(addrs))
		if t.memory.bytes >= touchFrom {
			t.touch(addrs[i:end])
		}
		p = t.run(j, i, end, p)
	}
}

// run is match for events [i, end); p is the number of events before them that are not FREE. What put and take do on pair
// pages is written out. hot kernel
func (t *addressTable) run(j *job, i, end, p int) int {
	kinds, addrs, ended, first := j.events.Kind[:end], j.events.Addr[:end], j.ended, j.firstPayload
	hi, dir, pieces, died := t.lastHi, t.last, t.memory.pieces, j.died
	for ; i < len(kinds) && i < len(addrs); i++ {
		a := addrs[i]
		kind := kinds[i]
		if kind > model.Free {
			died[p] = 1 // no block at all
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
				j.deaths = append(j.deaths, death{payload: v - 1, event: uint32(i)})
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
			j.unaddressed = append(j.unaddressed, uint32(p))
		} else {
			old = t.put(a, v)
			pieces = t.memory.pieces
		}
		if old != 0 {
			j.over = append(j.over, overEnd{event: uint32(i), ref: column.Ref(old)})
			j.end(old-1, i)
		}
		p++
	}
	return p
}

// end notes that an event ends the block of another.
func (j *job) end(payload uint32, event int) {
	if payload >= j.firstPayload {
		j.died[payload-j.firstPayload] = 1
	} else {
		j.deaths = append(j.deaths, death{payload: payload, event: uint32(event)})
	}
}
