package traceindex

import (
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// The checksums of an index file show that it is complete, not that it is correct. Its essentials are checked against
// the trace, as far as that is cheap: the sums of all chunks must add up to the totals, to the level at the end and to
// the curve with its peak. A few chunks are read again, event by event: the first one, the last one, the one with the
// peak and some at random. In those all counts must be right, and each block that ends must have the address and the
// size that it was born with, if it was born in the same chunk. What this cannot find: wrong figures of chunks that
// were not read again, if they add up, and wrong sizes, stacks and lifetimes of blocks that end in a later chunk than
// they were born in.

// errIndexFalse is the reason not to use an index file that is complete but wrong.
var errIndexFalse = errors.New("it does not match the trace")

// confirmedAtRandom is the number of chunks that are read again in addition to the fixed ones.
const confirmedAtRandom = 3

// checkSums checks that the sums of chunks add up to the totals, and that chunks follow each other.
func (ix *fileIndex) checkSums() error {
	var all analysis.Totals
	hi, lo := uint64(0), uint64(0)
	for _, c := range ix.chunks {
		if !ix.status.Saturated && (c.hi != hi || c.lo != lo) {
			return errIndexFalse
		}
		t := c.totals
		all.Add(t)
		hi, lo = column.Add128(hi, lo, t.AllocBytes)
		hi, lo = column.Sub128(hi, lo, t.FreedBytes)
		hi, lo = column.Sub128(hi, lo, t.OverwrittenBytes)
	}
	c := &ix.curve
	if all != ix.totals || c.Count != all.AllocCount-all.FreedCount-all.OverwrittenCount ||
		c.AllocCount != uint32(all.AllocCount) || c.FreeEvents != uint32(all.FreeCount) || c.AllocBytes != all.AllocBytes {
		return errIndexFalse
	}
	if !ix.status.Saturated && (c.LiveHi != hi || c.Live != lo) {
		return errIndexFalse
	}
	return nil
}

// confirm reads a few chunks again and checks what the index records about them, and the curve. The complete file must
// be verified. The lock is not held.
func (ix *fileIndex) confirm() error {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	err := model.Guarded(func() error {
		err := ix.confirmCurve()
		if err == nil {
			err = ix.confirmCells()
		}
		for _, k := range ix.chunksToConfirm() {
			if err == nil {
				err = ix.confirmChunk(k)
			}
		}
		return err
	})
	if errors.Is(err, errUnlike) || model.Internal(err) {
		return errIndexFalse
	}
	return err
}

// chunksToConfirm returns the chunks to read again. For an input that is still being decompressed it is only the first
// one, as the others may take long to arrive.
func (ix *fileIndex) chunksToConfirm() []int {
	n := len(ix.chunks)
	switch {
	case n == 0:
		return nil
	case ix.status.Size < 0:
		return []int{0}
	}
	peak, most := 0, uint64(0)
	for i := range ix.curve.Base.N {
		if r := ix.curve.Base.Ref(i); r.MaxBytes > most {
			peak, most = i, r.MaxBytes
		}
	}
	list := []int{0, n - 1, ix.chunkAt(ix.runBegin(peak))}
	for range confirmedAtRandom {
		list = append(list, rand.IntN(n))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// confirmCurve checks that each level of the curve follows from the one below, and that it agrees with the levels at
// the ends of chunks.
func (ix *fileIndex) confirmCurve() error {
	c := &ix.curve
	for lv := range c.Levels {
		for i := range c.Levels[lv].N {
			e := column.Nothing
			for k := range column.PyramidFan {
				e.Add(c.Span(lv-1, i*column.PyramidFan+k))
			}
			if e != c.Levels[lv].At(i) {
				return errIndexFalse
			}
		}
	}
	hi, lo := c.LiveHi, c.Live
	for k := len(ix.chunks) - 1; k >= 0; k-- {
		next := ix.chunks[k]
		last := c.Base.At(next.firstRun + (next.n-1)/runLength)
		if last.Bytes != column.Shown(hi, lo) {
			return errIndexFalse
		}
		hi, lo = next.hi, next.lo
	}
	return nil
}

// confirmCells checks that the sums by stack, thread and size add up to the totals. Ended blocks there include
// overwritten ones.
func (ix *fileIndex) confirmCells() error {
	t := &ix.totals
	for d := range ix.sums {
		var all analysis.Totals
		for i := range ix.sums[d] {
			c := &ix.sums[d][i]
			all.Add(&analysis.Totals{
				AllocBytes: c.AllocBytes, AllocCount: uint64(c.AllocCount), TemporaryCount: uint64(c.Temporary),
				FreedBytes: c.EndedBytes, FreedCount: uint64(c.EndedCount),
				OverwrittenBytes: c.OverBytes, OverwrittenCount: uint64(c.OverCount),
			})
		}
		switch {
		case all.AllocCount != t.AllocCount, all.FreedCount != t.FreedCount+t.OverwrittenCount, all.TemporaryCount != t.TemporaryCount,
			all.OverwrittenCount != t.OverwrittenCount:
			return errIndexFalse
		case !ix.status.Saturated && (all.AllocBytes != t.AllocBytes ||
			all.FreedBytes != t.FreedBytes+t.OverwrittenBytes || all.OverwrittenBytes != t.OverwrittenBytes):
			return errIndexFalse
		}
	}
	return nil
}

// confirmation replays the events of a chunk.
type confirmation struct {
	ix    *fileIndex
	v     *view
	level column.Pyramid // after the last event
	all   analysis.Totals
	freed []byte // rest of the stream
	over  []overEnd
}

// confirmChunk reads a chunk again and checks all figures of the index about it.
func (ix *fileIndex) confirmChunk(k int) error {
	c := ix.chunks[k]
	v, err := ix.view(c)
	if err != nil {
		return err
	}
	defer ix.done(v)
	v.follow()
	before := model.Time(0)
	if k > 0 {
		before = ix.chunks[k-1].end
	}
	if before+v.events.Delta != c.begin || c.begin+v.events.Since(c.n-1) != c.end {
		return errIndexFalse
	}
	f := confirmation{ix: ix, v: v, freed: c.freed, over: c.over}
	f.level.LiveHi, f.level.Live = c.hi, c.lo
	if c.firstRun > 0 {
		last := ix.curve.Base.At(c.firstRun - 1).Level
		f.level.AllocBytes, f.level.Count = last.AllocBytes, uint64(last.Count)
		f.level.AllocCount, f.level.FreeEvents = last.AllocCount, last.FreeEvents
	}
	if !f.follow() {
		return errIndexFalse
	}
	f.all.TemporaryCount = c.totals.TemporaryCount // needs the chunk before
	if f.all != *c.totals || len(f.freed) > 0 || len(f.over) > 0 {
		return errIndexFalse
	}
	return nil
}

// follow replays all events, and reports whether they match the index.
func (f *confirmation) follow() bool {
	c, p, free := f.v.c, 0, 0
	f.all.Events = uint64(c.n)
	for i, kind := range f.v.events.Kind {
		if i%runLength == 0 {
			f.level.Cur = column.Nothing
		}
		switch {
		case kind == model.Free:
			if !f.free(i, f.v.refs[free]) {
				return false
			}
			free++
		default:
			if !f.other(i, p, kind) {
				return false
			}
			p++
		}
		l := f.level.Now()
		f.level.Cur.AddLevel(&l)
		if i%runLength == runLength-1 || i == c.n-1 {
			if (column.BaseRun{Extremes: f.level.Cur, Level: l}) != f.ix.curve.Base.At(c.firstRun+i/runLength) {
				return false
			}
		}
	}
	return true
}

// other replays an event that is not a FREE.
func (f *confirmation) other(i, p int, kind model.EventKind) bool {
	e, t := &f.v.events, &f.all
	switch kind {
	case model.GC:
		t.Add(&analysis.Totals{GCCount: 1, GCObjects: e.ID[p], GCBytes: e.Size[p]})
	case model.Marker:
		t.MarkerCount++
	default:
		if len(f.over) > 0 && int(f.over[0].event) == i {
			o := f.over[0]
			if f.over = f.over[1:]; !f.ends(i, o.ref, o.size) {
				return false
			}
			t.Add(&analysis.Totals{OverwrittenCount: 1, OverwrittenBytes: o.size})
			f.level.Free(o.size)
		}
		size := e.Size[p]
		t.Add(&analysis.Totals{AllocCount: 1, AllocBytes: size})
		if e.Addr[i] == 0 {
			t.Add(&analysis.Totals{UnaddressedCount: 1, UnaddressedBytes: size})
		}
		f.level.Alloc(size)
	}
	return true
}

func (f *confirmation) free(i int, r column.Ref) bool {
	size, known, rest := column.NextFreed(f.freed, f.v.c.common)
	f.freed = rest
	f.all.FreeCount++
	f.level.FreeEvents++
	if r == column.NoRef {
		f.all.UnmatchedFrees++
		return !known
	}
	f.all.Add(&analysis.Totals{FreedCount: 1, FreedBytes: size})
	f.level.Free(size)
	return known && f.ends(i, r, size)
}

// ends reports whether an event may end a block of the given size.
func (f *confirmation) ends(i int, r column.Ref, size uint64) bool {
	q, local := r.Local()
	if !local {
		_, born := f.ix.records.origin.At(int(r))
		return born == size
	}
	e := &f.v.events
	event := f.v.event[q]
	return e.Kind[event] == model.Alloc && e.Addr[event] == e.Addr[i] && e.Addr[i] != 0 && e.Size[q] == size
}
