package traceindex

import (
	"context"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/match"
	"github.com/memtui/memtui/analysis/traceindex/tally"
	"github.com/memtui/memtui/model"
)

// folder adds matched chunks to the index, in order. It is the only writer of the index, so it reads it without the
// lock.
type folder struct {
	ix      *fileIndex
	ctx     context.Context
	link    match.Linker
	records records // records of the index after the chunk

	j         *job
	c         *chunk
	global    []uint32      // by site of the chunk: the site of the index
	siteCells []column.Cell // by site of the chunk; then sites that only blocks of earlier chunks have
	localOf   []uint32      // by site of the index: site of the chunk + 1; all zero except while a chunk is folded
	dimCells  [column.DimCount][]column.Cell
	dimKeys   [column.DimCount][]uint32
	ends      column.EndWriter
	sizes     column.SizeWriter
	fine      column.PartWriter
	longPart  model.Time
	partBegin column.Level
	parts     bool                      // the chunk has parts, as none of its sums can overflow
	dead      []tally.Dead              // by job.deaths
	death     int                       // number of deaths that are done
	allocs    [column.SmallSizes]uint32 // by size: allocations of the chunk that are not in dimCells yet
	live      column.Pyramid            // only the fields that it counts
	before    column.Level              // level before the chunk
	runs      []column.BaseRun
	starts    []runStart
	marks     []fileMark
	over      []overEnd
	saturated bool
	uneven    bool // some chunk had no parts
}

// fold adds one chunk.
func (f *folder) fold(j *job) error {
	ix := f.ix
	f.j = j
	if f.link.Records > 1<<31-2-uint32(len(j.events.Size)) {
		return errBlocks
	}
	j.firstRec = f.link.Records
	j.survivors = f.link.Survive(j.Died, j.survivors)
	if err := f.intern(); err != nil {
		return err
	}
	f.begin()
	f.findDeaths()
	f.parts = f.small()
	f.usualParts()
	f.walk()
	f.unaddressed()
	if err := f.finish(); err != nil {
		return err
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	f.publish()
	j.in = tally.Chunk{Events: &j.events, Ends: &j.Ends, Born: j.event, Site: j.siteOf, Dead: f.dead, Global: f.global,
		Stack: ix.sites.Stack, Thread: ix.sites.Thread}
	j.folded, f.uneven = f.c, f.uneven || !f.parts
	f.spill()
	if ix.budget > 0 && (ix.Memory() > ix.budget || ix.room.Full(indexShare)) {
		if err := ix.files.Err(); err != nil {
			return fmt.Errorf("%w, and no file can hold more (%v): %s", errBudget, err, ix.room.Describe())
		}
		return fmt.Errorf("%w: %s", errBudget, ix.room.Describe())
	}
	return nil
}

// spill lets what is added from now on be in files, once memory is short. The lock is held.
func (f *folder) spill() {
	ix := f.ix
	if ix.files != nil || !ix.room.Full(spillShare) && ix.Memory() < ix.budget/100*spillShare {
		return
	}
	if ix.files = ix.room.Files(); ix.files == nil {
		return
	}
	r := &f.records
	r.origin.Files, r.born.Steps.Files, r.bornAt.Steps.Files, r.died.Files = ix.files, ix.files, ix.files, ix.files
	r.diedAt.Lo.Files, r.diedAt.Hi.Files = ix.files, ix.files
	ix.runs.Files, ix.curve.Base.Files = ix.files, ix.files
	f.link.Spill(ix.files)
}

// spillShare is the percentage of the program's memory from which parts of an index are in files.
const spillShare = 30

// indexShare is the percentage of the program's memory that may be in use while an index is built. The rest is for
// answers.
const indexShare = 60

// listen checks the context now and then, and returns its error: a chunk may have a million new sites.
func (f *folder) listen(site int) error {
	if site%(4<<10) != 0 {
		return nil
	}
	return f.ctx.Err()
}

// intern numbers the chunk's sites in the index, in the order of first use. No reader has them yet. The error is that
// of the context.
func (f *folder) intern() error {
	ix := f.ix
	ix.mu.Lock()
	defer ix.mu.Unlock()
	f.global = f.j.in.Global[:0]
	for i, k := range f.j.sites.Keys {
		if err := f.listen(i); err != nil {
			return err
		}
		s, fresh := ix.sites.Of(k)
		if fresh {
			stack := numbered(ix.stackIndex, &ix.Ids, &ix.sums[column.DimStack], model.StackID(k.ID))
			thread := numbered(ix.threadIndex, &ix.Threads, &ix.sums[column.DimThread], k.Thread)
			ix.sites.Stack, ix.sites.Thread = append(ix.sites.Stack, stack), append(ix.sites.Thread, thread)
		}
		f.global = append(f.global, s)
	}
	return nil
}

// numbered returns the number of a key. A new key gets the next number, and a cell for its sums.
func numbered[K comparable](index map[K]uint32, keys *[]K, sums *[]column.Cell, key K) uint32 {
	i, ok := index[key]
	if !ok {
		i = uint32(len(*keys))
		index[key] = i
		*keys = append(*keys, key)
		*sums = append(*sums, column.Cell{})
	}
	return i
}

// begin prepares all fields for the chunk.
func (f *folder) begin() {
	ix, j := f.ix, f.j
	e := &j.events
	f.c = &chunk{
		first: ix.events(), n: e.Len(), from: j.from, to: j.next, begin: j.Before + e.Delta,
		firstRun: ix.curve.Base.N, firstRec: j.firstRec, records: uint32(len(j.survivors)),
		hi: f.live.LiveHi, lo: f.live.Live, totals: new(analysis.Totals),
	}
	if k := len(ix.chunks); k > 0 {
		last := ix.chunks[k-1]
		f.c.firstBlock = last.firstBlock + int(last.totals.AllocCount)
	}
	f.c.end = f.c.begin + e.Since(e.Len()-1)
	if j.keep {
		f.c.kept = &model.Columns{
			Delta: e.Delta, Kind: model.Keep(ix.files, e.Kind), Time: model.Keep(ix.files, e.Time), High: model.Keep(ix.files, e.High),
			Addr: model.Keep(ix.files, e.Addr), Size: model.Keep(ix.files, e.Size), ID: model.Keep(ix.files, e.ID),
			Thread: model.Keep(ix.files, e.Thread),
		}
	}
	f.siteCells = append(f.siteCells[:0], make([]column.Cell, len(f.global))...)
	f.localOf = append(f.localOf, make([]uint32, len(ix.sites.Keys)-len(f.localOf))...)
	for l, s := range f.global {
		f.localOf[s] = uint32(l) + 1
	}
	f.dimCells[column.DimSize] = append(f.dimCells[column.DimSize][:0], make([]column.Cell, analysis.SizeClasses)...)
	f.ends = column.EndWriter{B: f.ends.B[:0]}
	f.before, f.death = f.live.Now(), 0
	clear(f.allocs[:])
	f.sizes.Reset()
	f.runs, f.starts, f.marks, f.over = f.runs[:0], f.starts[:0], f.marks[:0], f.over[:0]
}

// findDeaths looks up the blocks of earlier chunks that end: all at once, as they are far apart in memory.
func (f *folder) findDeaths() {
	f.dead = column.Resize(f.j.in.Dead, len(f.j.Deaths))
	for i := range f.dead {
		f.dead[i].Record = f.link.Find(f.j.Deaths[i].Payload)
	}
	for i := range f.dead {
		d := &f.dead[i]
		d.Site, d.Size = f.records.origin.At(int(d.Record))
	}
	for i := range f.dead {
		f.dead[i].Site = f.local(f.dead[i].Site)
	}
}

// unaddressed counts the blocks without an address.
func (f *folder) unaddressed() {
	t := f.c.totals
	t.UnaddressedCount = uint64(len(f.j.Unaddressed))
	for _, p := range f.j.Unaddressed {
		t.UnaddressedBytes = f.sum(t.UnaddressedBytes, f.j.events.Size[p])
	}
}

// local returns the number of a site in the chunk.
func (f *folder) local(site uint32) uint32 {
	if l := f.localOf[site]; l != 0 {
		return l - 1
	}
	f.global = append(f.global, site)
	f.siteCells = append(f.siteCells, column.Cell{})
	f.localOf[site] = uint32(len(f.global))
	return uint32(len(f.global) - 1)
}

// finish computes what the chunk stores. The error is that of the context.
func (f *folder) finish() error {
	c := f.c
	c.ends = model.Keep(f.ix.files, f.ends.B)
	c.over = slices.Clone(f.over)
	c.freed, c.common = model.Keep(f.ix.files, f.sizes.B), f.sizes.Common
	f.sizes.Renew()
	if f.parts {
		c.fine = model.Keep(f.ix.files, f.fine.B)
	}
	for d := range f.dimCells {
		if err := f.gather(column.Dim(d)); err != nil {
			return err
		}
		c.sums[d] = model.Keep(f.ix.files, column.AppendCells(nil, f.dimKeys[d], f.dimCells[d]))
	}
	return nil
}

// gather stores the sums of the chunk by one dimension, with the keys that have changed.
func (f *folder) gather(d column.Dim) error {
	keys := f.dimKeys[d][:0]
	if d == column.DimSize {
		f.dimKeys[d] = column.ChangedKeys(keys, f.dimCells[d])
		return nil
	}
	of := f.ix.sites.Stack
	if d == column.DimThread {
		of = f.ix.sites.Thread
	}
	cells := append(f.dimCells[d], make([]column.Cell, len(f.ix.sums[d])-len(f.dimCells[d]))...)
	for _, k := range f.dimKeys[d] {
		cells[k] = column.Cell{} // from the chunk before
	}
	for l, site := range f.global {
		if err := f.listen(l); err != nil {
			return err
		}
		if f.siteCells[l].IsZero() {
			continue
		}
		k := of[site]
		if cells[k].IsZero() {
			keys = append(keys, k)
		}
		cells[k].Add(&f.siteCells[l])
	}
	if len(keys) > len(cells)/sortShare {
		keys = column.ChangedKeys(keys[:0], cells)
	} else {
		slices.Sort(keys)
	}
	f.dimKeys[d], f.dimCells[d] = keys, cells
	return nil
}

// sortShare is the share of all keys above which a linear scan is faster than sorting.
const sortShare = 16

// publish adds the chunk to the index. The lock is held.
func (f *folder) publish() {
	ix, c, j := f.ix, f.c, f.j
	for _, s := range f.global {
		f.localOf[s] = 0
	}
	for i, d := range j.Deaths {
		r := int(f.dead[i].Record)
		f.records.died.Set(r, uint32(c.first)+d.Event)
		f.records.diedAt.Set(r, c.begin+j.events.Since(int(d.Event)))
	}
	f.survivors()
	ix.records = f.records
	for d := range f.dimCells {
		for _, k := range f.dimKeys[d] {
			ix.sums[d][k].Add(&f.dimCells[d][k])
		}
		ix.sparse += len(f.dimKeys[d])
	}
	for i := range f.runs {
		ix.curve.Push(f.runs[i])
		ix.runs.Append(f.starts[i])
	}
	ix.curve.Live, ix.curve.LiveHi = f.live.Live, f.live.LiveHi
	ix.curve.Count, ix.curve.FreeEvents = f.live.Count, f.live.FreeEvents
	ix.curve.AllocBytes, ix.curve.AllocCount = f.live.AllocBytes, f.live.AllocCount
	ix.marks = append(ix.marks, f.marks...)
	ix.chunks = append(ix.chunks, c)
	ix.held += c.memory()
	ix.status.Saturated = !ix.totals.Add(c.totals) || f.saturated || ix.status.Saturated
	ix.status.Offset = max(ix.status.Offset, c.to)
	ix.status.Unfreed = ix.status.Unfreed || c.totals.UnaddressedCount > 0
	ix.checkpointIfDue()
	if ix.began != nil {
		ix.began()
	}
	j.stacks = len(f.dimKeys[column.DimStack])
}

// survivors adds records of the blocks that outlive the chunk.
func (f *folder) survivors() {
	j, c, r := f.j, f.c, &f.records
	sizes, sites, event := j.events.Size, j.siteOf, j.event
	for all := j.survivors; len(all) > 0; {
		from := r.origin.N
		origins, died := r.origin.Room(len(all)), r.died.Room(len(all))
		r.diedAt.Room(len(all))
		for i := range origins {
			p := all[i]
			origins[i] = column.Origin{Site: f.global[sites[p]], Size: r.origin.Large.Low(from+i, sizes[p])}
			died[i] = alive
			r.born.Append(uint64(c.first) + uint64(event[p]))
			r.bornAt.Append(uint64(c.begin + j.events.Since(int(event[p]))))
		}
		all = all[len(origins):]
	}
}

// chunkSums is a copy of all sums before a chunk.
type chunkSums struct {
	chunk int
	column.Checkpoint
}

// sparseFactor balances the time to add up sums of chunks against the memory of a checkpoint.
const sparseFactor = 8

func (ix *fileIndex) checkpointIfDue() {
	keys := 0
	for d := range ix.sums {
		keys += len(ix.sums[d])
	}
	if ix.sparse < sparseFactor*keys {
		return
	}
	ix.sparse = 0
	c := chunkSums{chunk: len(ix.chunks)}
	c.Events = ix.events()
	for d := range ix.sums {
		c.Sums[d] = model.Keep(ix.files, ix.sums[d])
	}
	ix.checkpoints = append(ix.checkpoints, c)
	ix.held += c.Memory()
}

// Memory estimates the bytes that the index holds.
func (ix *fileIndex) Memory() int64 {
	n := ix.loading + ix.held + ix.curve.Memory() + int64(ix.runs.N)*24 + int64(ix.records.len())*18
	return max(n-ix.files.Taken(), 0)
}

// memory estimates the bytes that the chunk holds.
func (c *chunk) memory() int64 {
	n := int64(len(c.ends)+len(c.freed)+len(c.fine)+len(c.sums[column.DimStack])+
		len(c.sums[column.DimThread])+len(c.sums[column.DimSize])) + 1024
	if c.kept != nil {
		n += int64(c.n)*(13+9) + int64(len(c.kept.High))*4
	}
	return n
}
