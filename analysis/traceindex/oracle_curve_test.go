package traceindex

import (
	"context"
	"sort"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

const (
	pyramidBase = 256
)

// endEvent closes one event of a pyramid.
func endEvent(p *column.Pyramid) {
	if p.Run == 0 {
		p.Cur = column.Nothing
	}
	l := p.Now()
	p.Cur.AddLevel(&l)
	if p.Run++; p.Run < pyramidBase {
		return
	}
	p.Run = 0
	p.Push(column.BaseRun{Extremes: p.Cur, Level: l})
}

// levelAt is the state after n events.
func (ix *Index) levelAt(n int) column.Level {
	var l column.Level
	switch {
	case n >= ix.time.n:
		return ix.curve.Now()
	case n > 0 && n%pyramidBase == 0:
		return ix.curve.Base.At(n/pyramidBase - 1).Level
	}
	ix.walk(n-1, n, func(_ int, after *column.Level) bool { l = *after; return true })
	return l
}

// walk calls f with the state after each of the events [from, to) until f returns false.
func (ix *Index) walk(from, to int, f func(event int, after *column.Level) bool) {
	if from >= to {
		return
	}
	run := from / pyramidBase
	var l column.Level
	if run > 0 {
		l = ix.curve.Base.At(run - 1).Level
	}
	hi, lo := uint64(0), l.Bytes
	if w, ok := ix.huge[run]; ok {
		hi, lo = w.hi, w.lo
	}
	for i := run * pyramidBase; i < to; i++ {
		switch ix.kind.At(i) {
		case evAllocOver:
			hi, lo = column.Sub128(hi, lo, ix.size.At(int(ix.overwrittenAt(i))))
			l.Count--
			fallthrough
		case evAlloc:
			size := ix.size.At(int(ix.ref.At(i)))
			hi, lo = column.Add128(hi, lo, size)
			l.AllocBytes, _ = model.SaturatingAdd(l.AllocBytes, size)
			l.Count++
			l.AllocCount++
		case evFree:
			hi, lo = column.Sub128(hi, lo, ix.size.At(int(ix.ref.At(i))))
			l.Count--
			l.FreeEvents++
		case evFreeUnknown:
			l.FreeEvents++
		}
		l.Bytes = column.Shown(hi, lo)
		if i >= from && !f(i, &l) {
			return
		}
	}
}

// extremesOf returns the extremes of the level after each of the events [from, to); empty without events.
func (ix *Index) extremesOf(from, to int) column.Extremes {
	e := column.Nothing
	note := func(_ int, after *column.Level) bool { e.AddLevel(after); return true }
	first, last := (from+pyramidBase-1)/pyramidBase, min(to/pyramidBase, ix.curve.Base.N)
	if first >= last {
		ix.walk(from, to, note)
		return e
	}
	ix.walk(from, first*pyramidBase, note)
	e.Add(ix.curve.Spans(first, last))
	ix.walk(last*pyramidBase, to, note)
	return e
}

// overwrittenAt is the block that an allocation over its address ended.
func (ix *Index) overwrittenAt(event int) uint32 {
	i := sort.Search(len(ix.overwritten), func(i int) bool { return int(ix.overwritten[i].event) >= event })
	return ix.overwritten[i].block
}

// Live implements [analysis.Trace].
func (ix *Index) Live(_ context.Context, at analysis.Instant) (analysis.Level, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.publicLevel(ix.eventsAt(at)), nil
}

func (ix *Index) publicLevel(n int) analysis.Level {
	l := ix.levelAt(n)
	out := analysis.Level{Bytes: l.Bytes, Count: uint64(l.Count)}
	if n > 0 {
		out.Time = ix.time.At(n - 1)
	}
	return out
}

// Peak implements [analysis.Trace].
func (ix *Index) Peak(_ context.Context, r analysis.Range) (analysis.Peak, bool, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	lo, hi := ix.eventRange(r)
	n, ok := ix.peakAfter(lo, hi)
	if !ok {
		return analysis.Peak{}, false, nil
	}
	l := ix.publicLevel(n)
	return analysis.Peak{Level: l, Instant: analysis.Instant{T: l.Time, Events: uint64(n)}}, true, nil
}

// peakAfter is the number of events up to and with the first of events [lo, hi) that reaches their highest level.
func (ix *Index) peakAfter(lo, hi int) (n int, ok bool) {
	if lo >= hi {
		return 0, false
	}
	top := ix.extremesOf(lo, hi).MaxBytes
	for lo < hi { // skip whole runs that stay below
		next := min((lo/pyramidBase+1)*pyramidBase, hi)
		if ix.extremesOf(lo, next).MaxBytes == top {
			break
		}
		lo = next
	}
	ix.walk(lo, hi, func(i int, after *column.Level) bool {
		n = i + 1
		return after.Bytes != top
	})
	return n, true
}

// Curve implements [analysis.Trace].
func (ix *Index) Curve(ctx context.Context, r analysis.Range, n int) ([]analysis.Column, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	from, to := ix.bounds(r)
	lo, _ := ix.eventRange(analysis.Range{From: r.From, To: to})
	return ix.columns(ctx, lo, n, func(i int) (model.Time, int) {
		at := analysis.ColumnEdge(from, to, i, n)
		return at, ix.eventsUntil(at)
	})
}

// Chart implements [analysis.Trace].
func (ix *Index) Chart(ctx context.Context, r analysis.Range, n int) ([]analysis.Column, error) {
	return ix.Curve(ctx, r, n)
}

// columns returns n columns after lo events, between any edges: a time, and how many events are before it. The lock is
// held.
func (ix *Index) columns(ctx context.Context, lo, n int, edge func(i int) (model.Time, int)) ([]analysis.Column, error) {
	cols := make([]analysis.Column, max(n, 0))
	from, _ := edge(0)
	before := ix.levelAt(lo)
	for i := range cols {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &cols[i]
		to, hi := edge(i + 1)
		c.From, c.To = from, to
		hi = max(hi, lo)
		after := ix.levelAt(hi)
		e := ix.extremesOf(lo, hi)
		e.AddLevel(&before)
		c.MinBytes, c.MaxBytes, c.LastBytes = e.MinBytes, e.MaxBytes, after.Bytes
		c.MinCount, c.MaxCount, c.LastCount = uint64(e.MinCount), uint64(e.MaxCount), uint64(after.Count)
		c.AllocBytes = after.AllocBytes - before.AllocBytes
		c.AllocCount = uint64(after.AllocCount - before.AllocCount)
		c.FreeCount = uint64(after.FreeEvents - before.FreeEvents)
		c.Events = uint64(hi - lo)
		from, lo, before = to, hi, after
	}
	return cols, nil
}

// bounds is the finite time span of a range: what is loaded where it has no bound.
func (ix *Index) bounds(r analysis.Range) (from, to model.Time) {
	from, to = max(r.From, 0), r.To
	if to == model.MaxTime {
		to = ix.duration()
	}
	return from, max(to, from)
}

// Marks implements [analysis.Trace].
func (ix *Index) Marks(_ context.Context, r analysis.Range, limit int) ([]analysis.Mark, int, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	lo, hi := ix.eventRange(r)
	from := sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].event) >= lo })
	to := sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].event) >= hi })
	total := to - from
	shown := total
	if limit > 0 {
		shown = min(total, limit)
	}
	out := make([]analysis.Mark, shown)
	for i := range out {
		out[i] = ix.publicMark(ix.marks[from+i*total/shown])
	}
	return out, total, nil
}

func (ix *Index) publicMark(m mark) analysis.Mark {
	out := analysis.Mark{Time: ix.time.At(int(m.event)), GC: m.gc}
	if m.gc {
		out.Objects, out.Bytes = m.id, m.bytes
		return out
	}
	out.ID, out.Name = m.id, ix.MarkerName(m.id)
	return out
}

// Neighbor implements [analysis.Trace].
func (ix *Index) Neighbor(t model.Time, dir int) (model.Time, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if dir > 0 {
		n := ix.eventsUntil(t)
		if n >= ix.time.n {
			return 0, false
		}
		return ix.time.At(n), true
	}
	n := ix.time.search(func(x model.Time) bool { return x >= t })
	if n == 0 {
		return 0, false
	}
	return ix.time.At(n - 1), true
}

// Landmark implements [analysis.Trace].
func (ix *Index) Landmark(t model.Time, dir int) (model.Time, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	at := func(i int) model.Time { return ix.time.At(int(ix.marks[i].event)) }
	i := sort.Search(len(ix.marks), func(i int) bool { return at(i) > t })
	if dir < 0 {
		i = sort.Search(len(ix.marks), func(i int) bool { return at(i) >= t }) - 1
	}
	if i < 0 || i >= len(ix.marks) {
		return 0, false
	}
	return at(i), true
}
