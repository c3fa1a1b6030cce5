package traceindex

import (
	"context"
	"sort"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/live"
	"github.com/memtui/memtui/model"
)

// levelAt returns the state after n events.
func (r *runReader) levelAt(n int) column.Level {
	ix := r.ix
	switch {
	case n >= ix.events():
		return ix.curve.Now()
	case n == 0:
		return column.Level{}
	}
	run := ix.runOf(n - 1)
	if r.verify(run, run); ix.runEnd(run) == n {
		return ix.curve.Base.At(run).Level
	}
	if r.load(run); r.err != nil {
		return column.Level{}
	}
	return r.levels[n-1-r.first]
}

// part adds the extremes after events [lo, hi), all of one run.
func (r *runReader) part(e *column.Extremes, run, lo, hi int) {
	if lo >= hi {
		return
	}
	if r.load(run); r.err != nil {
		return
	}
	for i := lo - r.first; i < hi-r.first; i++ {
		e.AddLevel(&r.levels[i])
	}
}

// extremesOf returns the extremes of the level after each of the events [lo, hi); empty without events.
func (r *runReader) extremesOf(lo, hi int) column.Extremes {
	e := column.Nothing
	if lo >= hi {
		return e
	}
	ix := r.ix
	first, last := ix.runOf(lo), ix.runOf(hi-1)
	r.verify(first, first)
	r.verify(last, last)
	begin, end := ix.runBegin(last), ix.runEnd(first)
	if first == last && (lo > begin || hi < end) {
		r.part(&e, first, lo, hi)
		return e
	}
	if lo > ix.runBegin(first) {
		r.part(&e, first, lo, end)
		first++
	}
	if hi < ix.runEnd(last) {
		r.part(&e, last, begin, hi)
		last--
	}
	e.Add(ix.curve.Spans(first, last+1))
	return e
}

// peakAfter returns the number of events up to and including the first of events [lo, hi) that reaches their highest
// level.
func (r *runReader) peakAfter(lo, hi int) (n int, ok bool) {
	if lo >= hi {
		return 0, false
	}
	ix := r.ix
	top := r.extremesOf(lo, hi).MaxBytes
	run := ix.runOf(lo)
	if end := ix.runEnd(run); end < hi && r.extremesOf(lo, end).MaxBytes != top {
		run = ix.curve.Reaching(run+1, top, func(run int) { r.verify(run, run) })
		lo = ix.runBegin(run)
	}
	if r.load(run); r.err != nil {
		return 0, false
	}
	for i := lo - r.first; i < len(r.levels); i++ {
		if r.levels[i].Bytes == top {
			return r.first + i + 1, true
		}
	}
	return hi, true
}

// timeAt returns the time of an event.
func (r *runReader) timeAt(event int) model.Time {
	ix := r.ix
	run := ix.runOf(event)
	c := ix.chunkOf(run)
	if event == c.first+c.n-1 {
		return c.end
	}
	if r.load(run); r.err != nil {
		return 0
	}
	return r.times[event-r.first]
}

// search returns the number of events before the first one whose time satisfies over. over must be monotonic: false,
// then true along the trace.
func (r *runReader) search(over func(model.Time) bool) int {
	ix := r.ix
	k := sort.Search(len(ix.chunks), func(i int) bool { return over(ix.chunks[i].end) })
	if k == len(ix.chunks) {
		return ix.events()
	}
	c := ix.chunks[k]
	if over(c.begin) {
		return c.first
	}
	runs := (c.n + runLength - 1) / runLength
	r.verify(c.firstRun, c.firstRun+runs)
	i := sort.Search(runs, func(i int) bool { return over(c.begin + ix.runs.At(c.firstRun+i).time) })
	if r.load(c.firstRun + i - 1); r.err != nil {
		return 0
	}
	return r.first + sort.Search(len(r.times), func(i int) bool { return over(r.times[i]) })
}

// eventsAt returns the number of events that an instant covers.
func (r *runReader) eventsAt(at analysis.Instant) int {
	if at.Events != 0 {
		return int(min(at.Events, uint64(r.ix.events())))
	}
	return r.eventsUntil(at.T)
}

// eventsUntil returns the number of events with time ≤ t.
func (r *runReader) eventsUntil(t model.Time) int {
	return r.search(func(x model.Time) bool { return x > t })
}

// eventRange returns the half-open range of events in rg.
func (r *runReader) eventRange(rg analysis.Range) (lo, hi int) {
	hi = r.eventsUntil(rg.To)
	if rg.From >= 0 {
		lo = min(r.eventsUntil(rg.From), hi)
	}
	return lo, hi
}

// bounds returns the finite time span of a range: that of the loaded events where the range is open.
func (ix *fileIndex) bounds(r analysis.Range) (from, to model.Time) {
	from, to = max(r.From, 0), r.To
	if to == model.MaxTime {
		to = ix.duration()
	}
	return from, max(to, from)
}

func (r *runReader) publicLevel(n int) analysis.Level {
	l := r.levelAt(n)
	out := analysis.Level{Bytes: l.Bytes, Count: uint64(l.Count)}
	if n > 0 {
		out.Time = r.timeAt(n - 1)
	}
	return out
}

// Live implements [analysis.Trace].
func (ix *fileIndex) Live(_ context.Context, at analysis.Instant) (analysis.Level, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	l := r.publicLevel(r.eventsAt(at))
	return l, r.err
}

// Peak implements [analysis.Trace].
func (ix *fileIndex) Peak(_ context.Context, rg analysis.Range) (analysis.Peak, bool, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	n, ok := r.peakAfter(r.eventRange(rg))
	if !ok {
		return analysis.Peak{}, false, r.err
	}
	l := r.publicLevel(n)
	return analysis.Peak{Level: l, Instant: analysis.Instant{T: l.Time, Events: uint64(n)}}, true, r.err
}

// Curve implements [analysis.Trace].
func (ix *fileIndex) Curve(ctx context.Context, rg analysis.Range, n int) ([]analysis.Column, error) {
	return ix.columnsOf(ctx, rg, n, true)
}

// Chart implements [analysis.Trace]. Edges are moved to boundaries of runs, or of parts of them, where nothing needs to
// be read.
func (ix *fileIndex) Chart(ctx context.Context, rg analysis.Range, n int) ([]analysis.Column, error) {
	return ix.columnsOf(ctx, rg, n, false)
}

func (ix *fileIndex) columnsOf(ctx context.Context, rg analysis.Range, n int, exact bool) ([]analysis.Column, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.columnsNow(ctx, rg, n, exact)
}

// columnsNow returns n columns, of equal duration if exact is set. It caches the last few answers, as a screen asks again
// whenever it is drawn. The lock is held.
func (ix *fileIndex) columnsNow(ctx context.Context, rg analysis.Range, n int, exact bool) (cols []analysis.Column, err error) {
	key := live.CurveKey{Range: rg, N: n, Events: ix.events(), Exact: exact}
	if cols := ix.curves.Get(key); cols != nil {
		return cols, nil
	}
	if err := ix.verifyEnds(rg); err != nil {
		return nil, err
	}
	if ix.few(rg, n) {
		if err := ix.verifyRuns(ix.runsOf(rg)); err != nil {
			return nil, err
		}
		cols, err = ix.readColumns(ctx, rg, n)
	} else {
		cols, err = ix.makeColumns(ctx, rg, n, exact)
	}
	if err == nil {
		ix.curves.Put(key, cols)
	}
	return cols, err
}

func fillColumn(c *analysis.Column, e *column.Extremes, before, after *column.Level, events int) {
	c.MinBytes, c.MaxBytes, c.LastBytes = e.MinBytes, e.MaxBytes, after.Bytes
	c.MinCount, c.MaxCount, c.LastCount = uint64(e.MinCount), uint64(e.MaxCount), uint64(after.Count)
	c.AllocBytes = after.AllocBytes - before.AllocBytes
	c.AllocCount = uint64(after.AllocCount - before.AllocCount)
	c.FreeCount = uint64(after.FreeEvents - before.FreeEvents)
	c.Events = uint64(events)
}

// marksIn returns the half-open range of marks in events [lo, hi).
func (ix *fileIndex) marksIn(lo, hi int) (from, to int) {
	from = sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].event) >= lo })
	return from, sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].event) >= hi })
}

// Marks implements [analysis.Trace].
func (ix *fileIndex) Marks(_ context.Context, rg analysis.Range, limit int) ([]analysis.Mark, int, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	from, to := ix.marksIn(r.eventRange(rg))
	total := to - from
	n := total
	if limit > 0 {
		n = min(total, limit)
	}
	out := make([]analysis.Mark, n)
	for i := range out {
		out[i] = ix.markAt(from + i*total/n)
	}
	return out, total, r.err
}

// markAt returns a collection or marker by its number.
func (ix *fileIndex) markAt(n int) analysis.Mark {
	m := ix.marks[n]
	if m.gc {
		return analysis.Mark{Time: m.time, GC: true, Objects: m.id, Bytes: m.bytes}
	}
	return analysis.Mark{Time: m.time, ID: m.id, Name: ix.MarkerName(m.id)}
}

// Neighbor implements [analysis.Trace].
func (ix *fileIndex) Neighbor(t model.Time, dir int) (model.Time, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	n := r.search(func(x model.Time) bool { return x > t })
	if dir <= 0 {
		n = r.search(func(x model.Time) bool { return x >= t }) - 1
	}
	if n < 0 || n >= ix.events() || r.err != nil {
		return 0, false
	}
	at := r.timeAt(n)
	return at, r.err == nil
}

// Landmark implements [analysis.Trace].
func (ix *fileIndex) Landmark(t model.Time, dir int) (model.Time, bool) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	i := sort.Search(len(ix.marks), func(i int) bool { return ix.marks[i].time > t })
	if dir < 0 {
		i = sort.Search(len(ix.marks), func(i int) bool { return ix.marks[i].time >= t }) - 1
	}
	if i < 0 || i >= len(ix.marks) {
		return 0, false
	}
	return ix.marks[i].time, true
}
