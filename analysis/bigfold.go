package analysis

import (
	"math"
	"math/bits"
	"slices"

	"github.com/memtui/memtui/model"
)

// folder takes matched chunks into the index, in order. Only it changes the index, so that it may read it without the lock.
type folder struct {
	ix      *FileIndex
	records records // what the index will have after the chunk

	j         *job
	c         *chunk
	global    []uint32 // by site of the chunk: that of the index
	siteCells []cell   // by site of the chunk; behind those: of sites that only blocks of earlier chunks have
	localOf   []uint32 // by site of the index: that of the chunk + 1; zero but while a chunk is folded
	dimCells  [dimCount][]cell
	dimKeys   [dimCount][]uint32
	ends      endWriter
	sizes     sizeWriter
	freed     []uint64 // by FREE: bytes that it ends
	live      pyramid  // only what it counts
	before    level    // the chunk
	runs      []baseRun
	starts    []runStart
	marks     []fileMark
	saturated bool
}

// fold adds one chunk.
func (f *folder) fold(j *job) error {
	ix := f.ix
	f.j = j
	f.intern()
	f.begin()
	if f.small() {
		f.walkSmall()
	} else {
		f.walk()
	}
	f.finish()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	f.publish()
	if ix.budget > 0 && ix.memory() > ix.budget {
		return errBudget
	}
	return nil
}

// intern numbers the chunk's sites in the index, in the order of first use. Nothing has them yet.
func (f *folder) intern() {
	ix := f.ix
	ix.mu.Lock()
	defer ix.mu.Unlock()
	f.global = f.global[:0]
	for _, k := range f.j.sites.keys {
		s, fresh := ix.sites.of(k)
		if fresh {
			ix.sites.stack = append(ix.sites.stack, ix.denseStack(model.StackID(k.id)))
			ix.sites.thread = append(ix.sites.thread, ix.denseThread(k.thread))
		}
		f.global = append(f.global, s)
	}
}

func (ix *FileIndex) denseStack(id model.StackID) uint32 {
	i, ok := ix.stackIndex[id]
	if !ok {
		i = uint32(len(ix.stackIDs))
		ix.stackIndex[id] = i
		ix.stackIDs = append(ix.stackIDs, id)
		ix.sums[dimStack] = append(ix.sums[dimStack], cell{})
	}
	return i
}

func (ix *FileIndex) denseThread(t uint16) uint32 {
	i, ok := ix.threadIndex[t]
	if !ok {
		i = uint32(len(ix.threads))
		ix.threadIndex[t] = i
		ix.threads = append(ix.threads, t)
		ix.sums[dimThread] = append(ix.sums[dimThread], cell{})
	}
	return i
}

// begin prepares everything for the chunk.
func (f *folder) begin() {
	ix, j := f.ix, f.j
	e := &j.events
	f.c = &chunk{
		first: ix.events(), n: e.Len(), from: j.from, to: j.next, begin: j.before + e.Delta,
		firstRun: ix.curve.base.n, firstRec: j.firstRec, records: j.records,
		hi: f.live.liveHi, lo: f.live.live,
	}
	if k := len(ix.chunks); k > 0 {
		last := ix.chunks[k-1]
		f.c.firstBlock = last.firstBlock + int(last.totals.AllocCount)
	}
	f.c.end = f.c.begin + model.Time(e.Time[e.Len()-1])
	if j.keep {
		f.c.kept = &model.Columns{
			Delta: e.Delta, Kind: slices.Clone(e.Kind), Time: slices.Clone(e.Time), Addr: slices.Clone(e.Addr),
			Size: slices.Clone(e.Size), ID: slices.Clone(e.ID), Thread: slices.Clone(e.Thread),
		}
	}
	f.siteCells = append(f.siteCells[:0], make([]cell, len(f.global))...)
	f.localOf = append(f.localOf, make([]uint32, len(ix.sites.keys)-len(f.localOf))...)
	for l, s := range f.global {
		f.localOf[s] = uint32(l) + 1
	}
	f.dimCells[dimSize] = append(f.dimCells[dimSize][:0], make([]cell, sizeClasses)...)
	f.ends = endWriter{b: f.ends.b[:0]}
	f.before = f.live.now()
	f.freed, f.runs, f.starts, f.marks = f.freed[:0], f.runs[:0], f.starts[:0], f.marks[:0]
}

// local is the site's number in the chunk.
func (f *folder) local(site uint32) uint32 {
	if l := f.localOf[site]; l != 0 {
		return l - 1
	}
	f.global = append(f.global, site)
	f.siteCells = append(f.siteCells, cell{})
	f.localOf[site] = uint32(len(f.global))
	return uint32(len(f.global) - 1)
}

// small reports whether no sum can overflow, and no event of the chunk is out of the ordinary.
func (f *folder) small() bool {
	const limit = 1 << 62
	sum := f.live.allocBytes
	for _, size := range f.j.events.Size {
		if sum += size; sum >= limit || size >= limit {
			return false
		}
	}
	return f.live.allocBytes < limit && f.live.liveHi == 0
}

// walkSmall is walk where small says so: sums are added without a look at overflow, and the levels are kept in registers.
// hot kernel
func (f *folder) walkSmall() {
	j, t := f.j, &f.c.totals
	kinds, sizes, sites, refs := j.events.Kind, j.events.Size, j.siteOf, j.refs
	bySize := f.dimCells[dimSize]
	p, free, over := 0, 0, 0
	for first := 0; first < len(kinds); first += runLength {
		f.startRun(first, p, free)
		live, count := f.live.live, uint32(f.live.count)
		var e extremes
		run := kinds[first:min(first+runLength, len(kinds))]
		for k, kind := range run {
			switch {
			case kind == model.Alloc && (over == len(j.over) || int(j.over[over].event) != first+k):
				size := sizes[p]
				c, s := &f.siteCells[sites[p]], &bySize[sizeClass(size)]
				c.allocBytes += size
				c.allocCount++
				s.allocBytes += size
				s.allocCount++
				t.AllocCount++
				t.AllocBytes += size
				if j.events.Addr[first+k] == 0 {
					t.UnaddressedCount++
					t.UnaddressedBytes += size
				}
				p++
				live += size
				count++
				e.maxBytes, e.maxCount = max(e.maxBytes, live), max(e.maxCount, count)
			case kind == model.Free:
				r := refs[free]
				free++
				t.FreeCount++
				if r == noRef {
					t.UnmatchedFrees++
					f.ends.none()
					f.freed = append(f.freed, noFreedSize)
					break
				}
				var site, now uint32
				var size uint64
				if q, ok := r.local(); ok {
					site, size = sites[q], sizes[q]
					f.ends.local(p - q)
					if q == p-1 && kinds[first+k-1] == model.Alloc {
						now = 1
					}
				} else {
					site, size = f.block(r)
					f.ends.record(uint32(r))
					if first+k == 0 && int(f.records.born.at(int(r)))+1 == f.c.first {
						now = 1
					}
				}
				c, s := &f.siteCells[site], &bySize[sizeClass(size)]
				c.freedBytes += size
				c.freedCount++
				c.temporary += now
				s.freedBytes += size
				s.freedCount++
				s.temporary += now
				t.FreedCount++
				t.FreedBytes += size
				t.TemporaryCount += uint64(now)
				f.freed = append(f.freed, size)
				live -= size
				count--
				if k > 0 {
					e.minBytes, e.minCount = min(e.minBytes, live), min(e.minCount, count)
				}
			default:
				f.live.live, f.live.count = live, uint64(count)
				p, over = f.rare(first+k, p, over)
				live, count = f.live.live, uint32(f.live.count)
				e.add(extremes{live, live, count, count})
			}
			if k == 0 {
				e = extremes{live, live, count, count}
			}
		}
		f.live.live, f.live.count = live, uint64(count)
		f.live.allocBytes, f.live.allocCount = f.before.allocBytes+t.AllocBytes, f.before.allocCount+uint32(t.AllocCount)
		f.live.freeEvents = f.before.freeEvents + uint32(t.FreeCount)
		f.runs = append(f.runs, baseRun{e, f.live.now()})
	}
	t.Events = uint64(len(kinds))
}

// rare takes an event that is neither a FREE nor an ordinary ALLOC.
func (f *folder) rare(i, p, over int) (nextP, nextOver int) {
	e, t := &f.j.events, &f.c.totals
	switch e.Kind[i] {
	case model.Alloc:
		f.overwrite(&f.j.over[over])
		over++
		f.alloc(p, e.Addr[i])
	case model.GC:
		t.GCCount++
		t.GCObjects = f.sum(t.GCObjects, e.ID[p])
		t.GCBytes = f.sum(t.GCBytes, e.Size[p])
		f.mark(i, mark{gc: true, id: e.ID[p], bytes: e.Size[p]})
	case model.Marker:
		t.MarkerCount++
		f.mark(i, mark{id: e.ID[p]})
	}
	return p + 1, over
}

// walk follows the chunk's events.
func (f *folder) walk() {
	j, e, t := f.j, &f.j.events, &f.c.totals
	p, free, over := 0, 0, 0
	for i, kind := range e.Kind {
		if i%runLength == 0 {
			f.startRun(i, p, free)
		}
		switch {
		case kind == model.Free:
			f.free(i, p, j.refs[free])
			free++
		case kind == model.Alloc && (over == len(j.over) || int(j.over[over].event) != i):
			f.alloc(p, e.Addr[i])
			p++
		default:
			p, over = f.rare(i, p, over)
		}
		l := f.live.now()
		f.live.cur.addLevel(&l)
		if i%runLength == runLength-1 || i == len(e.Kind)-1 {
			f.runs = append(f.runs, baseRun{f.live.cur, l})
		}
	}
	t.Events = uint64(e.Len())
}

func (f *folder) startRun(event, p, free int) {
	e := &f.j.events
	s := runStart{time: e.Time[event], at: uint32(p), freed: uint32(free)}
	if f.c.kept == nil {
		s.at = uint32(e.Offset[event/runLength] - f.j.from)
	}
	f.starts = append(f.starts, s)
	f.live.cur = nothing
}

func (f *folder) sum(a, b uint64) uint64 {
	s, ok := model.SaturatingAdd(a, b)
	if !ok {
		f.saturated = true
	}
	return s
}

func (f *folder) mark(event int, m mark) {
	m.event = uint32(f.c.first + event)
	f.marks = append(f.marks, fileMark{m, f.c.begin + model.Time(f.j.events.Time[event])})
}

func (f *folder) alloc(p int, addr uint64) {
	t, size := &f.c.totals, f.j.events.Size[p]
	if addr == 0 {
		t.UnaddressedCount++
		t.UnaddressedBytes = f.sum(t.UnaddressedBytes, size)
	}
	t.AllocCount++
	t.AllocBytes = f.sum(t.AllocBytes, size)
	f.siteCells[f.j.siteOf[p]].apply(born, size)
	f.dimCells[dimSize][sizeClass(size)].apply(born, size)
	f.live.alloc(size)
}

func (f *folder) free(event, p int, r ref) {
	t := &f.c.totals
	t.FreeCount++
	f.live.freeEvents++
	if r == noRef {
		t.UnmatchedFrees++
		f.ends.none()
		f.freed = append(f.freed, noFreedSize)
		return
	}
	site, size := f.block(r)
	how := freed
	if q, ok := r.local(); ok {
		f.ends.local(p - q)
		if q == p-1 && f.j.events.Kind[event-1] == model.Alloc {
			how = freedAtOnce
		}
	} else {
		f.ends.record(uint32(r))
		if event == 0 && int(f.records.born.at(int(r)))+1 == f.c.first {
			how = freedAtOnce
		}
	}
	if how == freedAtOnce {
		t.TemporaryCount++
	}
	t.FreedCount++
	t.FreedBytes = f.sum(t.FreedBytes, size)
	f.freed = append(f.freed, size)
	f.end(site, size, how)
}

func (f *folder) overwrite(o *overEnd) {
	site, size := f.block(o.ref)
	o.size = size
	f.c.totals.OverwrittenCount++
	f.c.totals.OverwrittenBytes = f.sum(f.c.totals.OverwrittenBytes, size)
	f.end(site, size, overwrote)
}

func (f *folder) end(site uint32, size uint64, how change) {
	f.siteCells[site].apply(how, size)
	f.dimCells[dimSize][sizeClass(size)].apply(how, size)
	f.live.free(size)
}

// block is a block's site in the chunk and its size.
func (f *folder) block(r ref) (site uint32, size uint64) {
	if p, ok := r.local(); ok {
		return f.j.siteOf[p], f.j.events.Size[p]
	}
	return f.local(f.records.site.at(int(r))), f.records.size.at(int(r))
}

// finish makes what the chunk keeps.
func (f *folder) finish() {
	c := f.c
	c.ends = slices.Clone(f.ends.b)
	c.over = slices.Clone(f.j.over)
	c.common = f.sizes.common(f.freed)
	buf := make([]byte, 0, len(f.freed)+len(f.freed)/4+16)
	for i := range f.starts {
		s, end := &f.starts[i], uint32(len(f.freed))
		if i+1 < len(f.starts) {
			end = f.starts[i+1].freed
		}
		from := s.freed
		s.freed = uint32(len(buf))
		for _, size := range f.freed[from:end] {
			buf = f.sizes.append(buf, size)
		}
	}
	c.freed = slices.Clone(buf)
	for d := range f.dimCells {
		f.gather(dim(d))
		c.sums[d] = slices.Clone(appendCells(nil, f.dimKeys[d], f.dimCells[d]))
	}
}

// gather sums up the sites of one dimension, and lists its keys that have changed.
func (f *folder) gather(d dim) {
	keys := f.dimKeys[d][:0]
	if d == dimSize {
		for k := range f.dimCells[d] {
			if f.dimCells[d][k] != (cell{}) {
				keys = append(keys, uint32(k))
			}
		}
		f.dimKeys[d] = keys
		return
	}
	of := f.ix.sites.stack
	if d == dimThread {
		of = f.ix.sites.thread
	}
	cells := append(f.dimCells[d], make([]cell, len(f.ix.sums[d])-len(f.dimCells[d]))...)
	for _, k := range f.dimKeys[d] {
		cells[k] = cell{} // of the chunk before
	}
	for l, site := range f.global {
		if f.siteCells[l] == (cell{}) {
			continue
		}
		k := of[site]
		if cells[k] == (cell{}) {
			keys = append(keys, k)
		}
		cells[k].add(&f.siteCells[l])
	}
	slices.Sort(keys)
	f.dimKeys[d], f.dimCells[d] = keys, cells
}

// publish makes the chunk part of the index. The lock is held.
func (f *folder) publish() {
	ix, c, j := f.ix, f.c, f.j
	for _, s := range f.global {
		f.localOf[s] = 0
	}
	for _, d := range j.deaths {
		f.records.died.set(int(d.record), uint32(c.first)+d.event)
		f.records.diedAt.set(int(d.record), c.begin+model.Time(j.events.Time[d.event]))
	}
	f.survivors()
	ix.records = f.records
	for d := range f.dimCells {
		for _, k := range f.dimKeys[d] {
			ix.sums[d][k].add(&f.dimCells[d][k])
		}
		ix.sparse += len(f.dimKeys[d])
	}
	for i := range f.runs {
		ix.curve.push(f.runs[i])
		ix.runs.append(f.starts[i])
	}
	ix.curve.live, ix.curve.liveHi = f.live.live, f.live.liveHi
	ix.curve.count, ix.curve.freeEvents = f.live.count, f.live.freeEvents
	ix.curve.allocBytes, ix.curve.allocCount = f.live.allocBytes, f.live.allocCount
	ix.marks = append(ix.marks, f.marks...)
	ix.chunks = append(ix.chunks, c)
	ix.status.Saturated = !ix.totals.add(&c.totals) || f.saturated || ix.status.Saturated
	ix.status.Offset = max(ix.status.Offset, c.to)
	ix.status.Unfreed = ix.status.Unfreed || c.totals.UnaddressedCount > 0
	ix.checkpointIfDue()
}

// survivors makes records of the blocks that outlive the chunk.
func (f *folder) survivors() {
	j, c, r := f.j, f.c, &f.records
	for p, died := range j.died {
		if died != 0 {
			continue
		}
		i := int(j.event[p])
		r.site.append(f.global[j.siteOf[p]])
		r.size.append(j.events.Size[p])
		r.born.append(uint64(c.first + i))
		r.died.append(alive)
		r.bornAt.append(uint64(c.begin + model.Time(j.events.Time[i])))
		r.diedAt.append(0)
	}
}

// add adds the totals of events that follow, and reports whether all sums fit.
func (t *Totals) add(o *Totals) bool {
	fit := true
	for _, s := range []struct {
		to *uint64
		n  uint64
	}{
		{&t.Events, o.Events}, {&t.AllocCount, o.AllocCount}, {&t.AllocBytes, o.AllocBytes}, {&t.FreeCount, o.FreeCount},
		{&t.FreedCount, o.FreedCount}, {&t.FreedBytes, o.FreedBytes}, {&t.UnmatchedFrees, o.UnmatchedFrees},
		{&t.OverwrittenCount, o.OverwrittenCount}, {&t.OverwrittenBytes, o.OverwrittenBytes},
		{&t.UnaddressedCount, o.UnaddressedCount}, {&t.UnaddressedBytes, o.UnaddressedBytes}, {&t.GCCount, o.GCCount},
		{&t.GCObjects, o.GCObjects}, {&t.GCBytes, o.GCBytes}, {&t.MarkerCount, o.MarkerCount}, {&t.TemporaryCount, o.TemporaryCount},
	} {
		var ok bool
		*s.to, ok = model.SaturatingAdd(*s.to, s.n)
		fit = fit && ok
	}
	return fit
}

// chunkSums is a copy of all sums before a chunk.
type chunkSums struct {
	chunk int
	checkpoint
}

// sparseFactor balances what sums of chunks cost to add up against the memory of a checkpoint.
const sparseFactor = 8

func (ix *FileIndex) checkpointIfDue() {
	keys := 0
	for d := range ix.sums {
		keys += len(ix.sums[d])
	}
	if ix.sparse < sparseFactor*keys {
		return
	}
	ix.sparse = 0
	c := chunkSums{chunk: len(ix.chunks)}
	c.events = ix.events()
	for d := range ix.sums {
		c.sums[d] = slices.Clone(ix.sums[d])
	}
	ix.checkpoints = append(ix.checkpoints, c)
}

// memory estimates the bytes that the index holds.
func (ix *FileIndex) memory() int64 {
	n := ix.loading + ix.curve.memory() + int64(ix.runs.n)*12 + int64(ix.records.len())*18
	for i := range ix.checkpoints {
		n += ix.checkpoints[i].memory()
	}
	for _, c := range ix.chunks {
		n += int64(len(c.ends)+len(c.freed)+len(c.sums[dimStack])+len(c.sums[dimThread])+len(c.sums[dimSize])) + 1024
		if c.kept != nil {
			n += int64(c.n) * (13 + 9)
		}
	}
	return n
}

// Levels are 128 bits wide until they are shown.
func shown(hi, lo uint64) uint64 {
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}

func add128(hi, lo, v uint64) (uint64, uint64) {
	lo, carry := bits.Add64(lo, v, 0)
	return hi + carry, lo
}

func sub128(hi, lo, v uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(lo, v, 0)
	return hi - borrow, lo
}
