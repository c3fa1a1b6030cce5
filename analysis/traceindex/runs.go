package traceindex

import (
	"context"
	"encoding/binary"
	"math"
	"sort"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// runReader reads runs of events again, with the level after each event. It belongs to one answer: the lock is held for
// its whole life.
type runReader struct {
	ix         *fileIndex
	*runLevels            // the last run loaded
	other      *runLevels // the one loaded before: a range has two ends
	err        error      // the first error; results are meaningless after it
	freed      streamReader
	bulk       runBulk
	parts      runParts
}

// runBulk is several runs that were read from the file at once, to be taken in order.
type runBulk struct {
	run, end int // runs that are left
	at, p    int // where the next one begins: in all events, and in those that are not FREE
	events   *model.Columns
}

// runLevels are the levels after each event of a run.
type runLevels struct {
	run    int // -1 if none is loaded
	first  int // number of events before it
	times  []model.Time
	levels []column.Level
	kept   bool // read-only, as it is shared
}

func (ix *fileIndex) reader() *runReader {
	return &runReader{ix: ix, runLevels: &runLevels{run: -1}, other: &runLevels{run: -1}, parts: runParts{run: -1}}
}

// usedReader returns a reader with the memory and the runs of an earlier answer. Put it back into ix.readers if there
// was no error.
func (ix *fileIndex) usedReader() *runReader {
	if r, _ := ix.readers.Get().(*runReader); r != nil {
		r.err, r.bulk.run, r.bulk.end = nil, 0, 0
		return r
	}
	return ix.reader()
}

// chunkOf returns the chunk that a run belongs to.
func (ix *fileIndex) chunkOf(run int) *chunk {
	k := sort.Search(len(ix.chunks), func(i int) bool { return ix.chunks[i].firstRun > run })
	return ix.chunks[k-1]
}

// runOf returns the run that an event belongs to.
func (ix *fileIndex) runOf(event int) int {
	c := ix.chunks[ix.chunkAt(event)]
	return c.firstRun + (event-c.first)/runLength
}

// runBegin returns the number of events before a run.
func (ix *fileIndex) runBegin(run int) int {
	c := ix.chunkOf(run)
	return c.first + (run-c.firstRun)*runLength
}

// runEnd returns the number of events up to and including a run.
func (ix *fileIndex) runEnd(run int) int {
	c := ix.chunkOf(run)
	return c.first + min((run-c.firstRun+1)*runLength, c.n)
}

// overFrom returns the blocks that are overwritten by the given event or later.
func (c *chunk) overFrom(event uint32) []overEnd {
	return c.over[sort.Search(len(c.over), func(i int) bool { return c.over[i].event >= event }):]
}

// load reads a run.
func (r *runReader) load(run int) {
	if run == r.run || r.err != nil {
		return
	}
	if r.runLevels, r.other = r.other, r.runLevels; run == r.run {
		return
	}
	if l := r.ix.runCache.Get(run); l != nil {
		r.runLevels = l
		return
	}
	if r.kept {
		r.runLevels = new(runLevels)
	}
	c := r.ix.chunkOf(run)
	if r.verify(c.firstRun, run); r.err != nil {
		return
	}
	// The level before a chunk is known in 128 bits, that before other runs only in 64.
	from, hi, l := run, uint64(0), column.Level{}
	for from > c.firstRun && r.ix.curve.Base.At(from-1).Bytes == math.MaxUint64 {
		from--
	}
	if from > 0 {
		l = r.ix.curve.Base.At(from - 1).Level
	}
	if from == c.firstRun {
		hi, l.Bytes = c.hi, c.lo
	}
	events := r.ix.columns.Get().(*model.Columns)
	defer r.ix.columns.Put(events)
	for ; from <= run; from++ {
		if hi, l = r.follow(c, from, hi, l, events); r.err != nil {
			r.run = -1
			return
		}
	}
	if n := len(r.times); n > 0 && (r.times[n-1]-r.times[0])/slowRun > r.ix.duration()/model.Time(r.ix.runs.N) {
		r.kept = true
		r.ix.runCache.Put(r.run, r.runLevels)
	}
}

// slowRun is how many times longer than the mean a run must take to load to be cached.
const slowRun = 8

// follow reads a run of a chunk, given the level before it, and returns the level after it.
func (r *runReader) follow(c *chunk, run int, hi uint64, l column.Level, buffer *model.Columns) (uint64, column.Level) {
	events, p := r.read(c, run, buffer)
	if r.err != nil {
		return hi, l
	}
	start, n := r.ix.runs.At(run), events.Len()
	r.run, r.first = run, c.first+(run-c.firstRun)*runLength
	r.times, r.levels = column.Resize(r.times, n), column.Resize(r.levels, n)
	first := c.begin + start.time - events.Since(0)
	for i, t := range events.Time {
		r.times[i] = first + model.Time(t)
	}
	for i, t := range events.High {
		r.times[i] += model.Time(t) << 32
	}
	rest := r.freedBy(c, run, run)
	if r.err != nil {
		return hi, l
	}
	local := uint32(r.first - c.first)
	over := c.overFrom(local)
	if (len(over) == 0 || int(over[0].event-local) >= n) && hi == 0 && l.Bytes < smallLevel && l.AllocBytes < smallLevel {
		if r.followSmall(events, p, l, rest, c.common) {
			return 0, r.levels[n-1]
		}
	}
	lo := l.Bytes
	for i, kind := range events.Kind {
		switch kind {
		case model.Alloc:
			if len(over) > 0 && over[0].event == local+uint32(i) {
				hi, lo = column.Sub128(hi, lo, over[0].size)
				l.Count--
				over = over[1:]
			}
			size := events.Size[p]
			hi, lo = column.Add128(hi, lo, size)
			l.AllocBytes, _ = model.SaturatingAdd(l.AllocBytes, size)
			l.Count++
			l.AllocCount++
			p++
		case model.Free:
			l.FreeEvents++
			var size uint64
			var ok bool
			if size, ok, rest = column.NextFreed(rest, c.common); ok {
				hi, lo = column.Sub128(hi, lo, size)
				l.Count--
			}
		default:
			p++
		}
		l.Bytes = column.Shown(hi, lo)
		r.levels[i] = l
	}
	l.Bytes = lo
	return hi, l
}

// freedBy returns the stream of the sizes that runs [first, last] of a chunk free. It also verifies the chunk's common
// sizes.
func (r *runReader) freedBy(c *chunk, first, last int) []byte {
	end := uint32(math.MaxUint32)
	if last-c.firstRun < (c.n-1)/runLength {
		end = r.ix.runs.Ref(last + 1).freed
	}
	var stream []byte
	if r.err = r.ix.file.Verify(context.Background(), sections.BytesOf(c.common)); r.err == nil {
		stream, r.err = r.freed.read(r.ix.file, c.freed, r.ix.runs.Ref(first).freed, end)
	}
	return stream
}

// Sums that begin below smallLevel cannot overflow with blocks of less than smallSum bytes in all.
const (
	smallLevel = 1 << 62
	smallSum   = 1 << 59
)

// followSmall is follow for runs where nothing overflows or is overwritten; ok is false if it might. It branches on
// ALLOC and FREE, as their patterns are predicted well; branchless code would be slower. hot kernel
func (r *runReader) followSmall(events *model.Columns, p int, l column.Level, rest []byte, common []uint64) (ok bool) {
	var freed [256]uint64 // by code
	copy(freed[1:column.RareSize], common)
	sizes, kinds := events.Size, events.Kind
	levels := r.levels[:len(kinds)]
	free, all := 0, uint64(0)
	for i, kind := range kinds {
		switch kind {
		case model.Alloc:
			size := sizes[p]
			p++
			all |= size
			l.Bytes += size
			l.AllocBytes += size
			l.Count++
			l.AllocCount++
		case model.Free:
			code := rest[free]
			free++
			ends := freed[code]
			if code == column.RareSize {
				var n int
				ends, n = binary.Uvarint(rest[free:])
				free += n
			}
			l.Bytes -= ends
			l.Count -= (uint32(code) + column.RareSize) >> 8
			l.FreeEvents++
		default:
			p++
		}
		to := &levels[i]
		to.Bytes, to.AllocBytes, to.Count, to.AllocCount, to.FreeEvents = l.Bytes, l.AllocBytes, l.Count, l.AllocCount, l.FreeEvents
	}
	return all < smallSum/runLength
}

// read returns the events of a run, in the buffer or elsewhere, and the index of its first one among those that are not
// FREE.
func (r *runReader) read(c *chunk, run int, buffer *model.Columns) (events *model.Columns, p int) {
	start := r.ix.runs.At(run)
	from := (run - c.firstRun) * runLength
	n := min(runLength, c.n-from)
	if k := c.kept; k != nil {
		return &model.Columns{
			Kind: k.Kind[from : from+n], Time: k.Time[from : from+n], High: highOf(k, from, from+n), Addr: k.Addr[from : from+n],
			Size: k.Size, ID: k.ID, Thread: k.Thread,
		}, int(start.at)
	}
	if b := &r.bulk; b.run <= run && run < b.end {
		for b.run < run { // skipped by the caller
			b.next(runLength)
		}
		return b.next(n)
	}
	r.decode(c, run, run, buffer)
	return buffer, 0
}

// next takes the next run, of n events; p is the index of its first one among those that are not FREE.
func (b *runBulk) next(n int) (events *model.Columns, p int) {
	e, from := b.events, b.at
	b.run++
	b.at += n
	p = b.p
	for _, kind := range e.Kind[from:b.at] {
		if kind != model.Free {
			b.p++
		}
	}
	return &model.Columns{Kind: e.Kind[from:b.at], Time: e.Time[from:b.at], High: highOf(e, from, b.at), Size: e.Size}, p
}

// highOf returns the upper halves of the times of events [from, to), or nil if all are zero.
func highOf(e *model.Columns, from, to int) []uint32 {
	if len(e.High) == 0 {
		return nil
	}
	return e.High[from:to]
}

// decode reads runs [first, last] of a chunk from the file.
func (r *runReader) decode(c *chunk, first, last int, events *model.Columns) {
	to, n := c.to, c.n-(first-c.firstRun)*runLength
	if behind := (last + 1 - c.firstRun) * runLength; behind < c.n {
		to, n = c.from+int64(r.ix.runs.At(last+1).at), (last+1-first)*runLength
	}
	d := r.ix.decoders.Get().(model.Decoder)
	defer r.ix.decoders.Put(d)
	events.Reset()
	var next int64
	if next, r.err = d.Decode(events, c.from+int64(r.ix.runs.At(first).at), to, n); r.err == nil && (next != to || events.Len() != n) {
		r.err = errUnlike
	}
}

// ahead reads a run and those after it in its chunk, up to last, unless that is done. The caller must load them next,
// in order.
func (r *runReader) ahead(run, last int) {
	c := r.ix.chunkOf(run)
	last = min(last, c.firstRun+(c.n-1)/runLength)
	if b := &r.bulk; c.kept != nil || last <= run || run < b.end && run >= b.run || r.err != nil {
		return
	}
	if r.bulk.events == nil {
		r.bulk.events = new(model.Columns)
	}
	r.bulk.run, r.bulk.end, r.bulk.at, r.bulk.p = run, last+1, 0, 0
	r.decode(c, run, last, r.bulk.events)
}
