package analysis

import "github.com/memtui/memtui/model"

// job is a chunk on its way into the index: decoded, matched, folded. It is used again for a later one.
type job struct {
	from, to, next int64 // where it was to begin and end in the input, and where it did
	err            error
	decoded        chan struct{} // closed when the events and sites are there
	keep           bool          // the input cannot be read again like that

	events model.Columns
	sites  siteTable // of this chunk alone
	siteOf []uint32  // by event that is no FREE, as numbered in sites

	before   model.Time // of the event before its first
	refs     []ref      // by FREE: the block that it ends
	over     []overEnd  // sizes are not filled in yet
	died     []uint32   // by event that is no FREE: number of the event that ends the block, + 1; 0 if none of the chunk does
	event    []uint32   // by event that is no FREE: its number
	deaths   []death
	firstRec uint32
	records  uint32
}

// death is the end of a block of an earlier chunk.
type death struct {
	record uint32
	event  uint32 // of the chunk
}

// reset makes a job ready for another chunk.
func (j *job) reset(from, to int64) {
	j.from, j.to, j.next, j.err, j.keep = from, to, from, nil, false
	j.decoded = make(chan struct{})
	j.events.Reset()
	j.sites.reset()
}

// number finds the sites of all allocations.
func (j *job) number() {
	c := &j.events
	j.siteOf = resize(j.siteOf, len(c.Size))
	p := 0
	for _, kind := range c.Kind {
		switch kind {
		case model.Free:
			continue
		case model.Alloc:
			j.siteOf[p], _ = j.sites.of(siteKey{c.ID[p], c.Thread[p]})
		}
		p++
	}
}

// resize returns a slice of n elements of any value, s itself if it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}

// matcher finds out which block each FREE ends. It takes the chunks in order.
type matcher struct {
	table   *addressTable // address → ref of the block + 1
	records uint32
	now     model.Time
	events  int
}

// match fills in what happens to the blocks of a chunk.
func (m *matcher) match(j *job) {
	c := &j.events
	payloads := len(c.Size)
	j.before, j.firstRec = m.now, m.records
	j.refs = resize(j.refs, len(c.Kind)-payloads)
	j.event = resize(j.event, payloads)
	j.died = resize(j.died, payloads)
	clear(j.died)
	j.over, j.deaths = j.over[:0], j.deaths[:0]
	p, f := 0, 0
	for i, kind := range c.Kind {
		switch kind {
		case model.Free:
			r := noRef
			if a := c.Addr[i]; a != 0 {
				if v := m.table.take(a); v != 0 {
					r = ref(v - 1)
					j.end(r, i)
				}
			}
			j.refs[f] = r
			f++
			continue
		case model.Alloc:
			if a := c.Addr[i]; a != 0 {
				if old := m.table.put(a, uint32(localRef)+uint32(p)+1); old != 0 {
					j.over = append(j.over, overEnd{event: uint32(i), ref: ref(old - 1)})
					j.end(ref(old-1), i)
				}
			}
		default:
			j.died[p] = 1 // no block at all
		}
		j.event[p] = uint32(i)
		p++
	}
	m.survive(j)
	m.now += c.Delta + model.Time(c.Time[len(c.Time)-1])
	m.events += len(c.Kind)
}

// end notes that an event ends a block.
func (j *job) end(r ref, event int) {
	if p, ok := r.local(); ok {
		j.died[p] = uint32(event) + 1
	} else {
		j.deaths = append(j.deaths, death{uint32(r), uint32(event)})
	}
}

// survive gives records to the blocks that outlive the chunk.
func (m *matcher) survive(j *job) {
	for p, died := range j.died {
		if died != 0 {
			continue
		}
		if a := j.events.Addr[j.event[p]]; a != 0 {
			m.table.put(a, m.records+1)
		}
		m.records++
	}
	j.records = m.records - j.firstRec
}
