package traceindex

import (
	"context"
	"math"
	"sort"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// The edge of a column may be moved by this fraction of the column. As it is less than half, no column is lost.
const (
	edgeShare   = 2
	edgeShareOf = 5
)

// noEdge disables moving edges. An edge must not even be at the beginning of a run then: events at that very time
// belong before the edge.
const noEdge model.Time = -1

// fewEvents is the number of events per column below which events are read: edges are then too seldom near the ends of
// parts of runs.
const fewEvents = column.PartLength * 5 / 4

// chartEdge is an edge between columns.
type chartEdge struct {
	at      model.Time
	events  int  // number of events before it: all with times below at, and none with later times
	run     int  // the run that begins there, or that contains the edge
	inside  bool // the edge is inside the run
	point   int  // if inside: the point of the run, -1 if there is none
	level   column.Level
	hasTail bool            // tail is known
	tail    column.Extremes // extremes after the run's events that follow an edge inside it
}

// few reports whether a chart is best made by reading its events, given its range and number of columns.
func (ix *fileIndex) few(rg analysis.Range, n int) bool {
	if len(ix.chunks) == 0 || n <= 0 {
		return false
	}
	first, last := ix.runsOf(rg)
	return (last-first)*runLength <= n*fewEvents
}

// runsOf returns the first and the last run with events of a chart. There must be at least one run.
func (ix *fileIndex) runsOf(rg analysis.Range) (first, last int) {
	from, to := ix.bounds(rg)
	if rg.From >= 0 { // otherwise events at from are in the range too, and no run before
		first = ix.runAt(from)
	}
	return first, ix.runAt(to)
}

// runAt returns the last run that begins at t or before, or the first one.
func (ix *fileIndex) runAt(t model.Time) int {
	f := edgeFinder{ix: ix, chunk: ix.chunkBegun(t)}
	f.seek(t)
	return f.run
}

// makeColumns computes columns from runs and parts of runs.
func (ix *fileIndex) makeColumns(ctx context.Context, rg analysis.Range, n int, exact bool) ([]analysis.Column, error) {
	cols := make([]analysis.Column, max(n, 0))
	if n <= 0 {
		return cols, nil
	}
	r := ix.usedReader()
	from, to := ix.bounds(rg)
	f := edgeFinder{ix: ix, r: r, within: (to - from) / model.Time(n) / edgeShareOf * edgeShare, chunk: ix.chunkBegun(from)}
	if exact {
		f.within = noEdge
	}
	lo, hi := r.eventRange(analysis.Range{From: rg.From, To: to})
	before := f.exact(from, lo)
	f.perColumn = (hi - lo) / n / runLength
	for i := range cols {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var after chartEdge
		if i == n-1 {
			after = f.exact(to, max(hi, before.events))
		} else {
			after = f.near(analysis.ColumnEdge(from, to, i+1, n), &before)
		}
		c := &cols[i]
		c.From, c.To = before.at, after.at
		e := f.extremes(&before, &after)
		e.AddLevel(&before.level)
		fillColumn(c, &e, &before.level, &after.level, after.events-before.events)
		before = after
	}
	if r.err != nil {
		return nil, r.err
	}
	ix.readers.Put(r)
	return cols, nil
}

// chunkBegun returns the last chunk that begins at t or before, or the first one.
func (ix *fileIndex) chunkBegun(t model.Time) int {
	return max(sort.Search(len(ix.chunks), func(i int) bool { return ix.chunks[i].begin > t })-1, 0)
}

// edgeFinder finds edges in ascending order of time.
type edgeFinder struct {
	ix        *fileIndex
	r         *runReader
	within    model.Time // how far an edge may be moved, or noEdge
	perColumn int        // approximate number of runs
	chunk     int        // chunk of the last edge
	span      int        // span of the last edge, in a restored index
	run       int
	end       int // first run after those of the chunk
}

// runParts caches the parts of the run that was used last.
type runParts struct {
	run    int // -1 for none
	points []column.PartPoint
	stream streamReader
}

// exact returns the edge after a number of events.
func (f *edgeFinder) exact(at model.Time, events int) chartEdge {
	ix := f.ix
	e := chartEdge{at: at, events: events, run: ix.curve.Base.N, point: -1, level: f.r.levelAt(events)}
	if events == ix.events() {
		return e
	}
	e.run = ix.runOf(events)
	e.inside = events > ix.runBegin(e.run)
	return e
}

// near returns an edge at t or near it; last is the edge before it.
func (f *edgeFinder) near(t model.Time, last *chartEdge) chartEdge {
	if len(f.ix.chunks) == 0 {
		return f.exact(t, 0)
	}
	e, ok := f.quick(t)
	if ok && e.events >= last.events {
		return e
	}
	if err := f.ix.verifyAt(t); err != nil {
		if f.r.err == nil {
			f.r.err = err
		}
		return *last
	}
	f.seekRun(t)
	if last.run != f.run {
		f.findTail(last)
	}
	if !ok {
		e, ok = f.atRun(t)
	}
	if !ok {
		e, ok = f.atPart(t)
	}
	if !ok {
		e = f.read(t)
	}
	if e.events < last.events {
		return f.exact(t, max(f.r.eventsUntil(t), last.events))
	}
	return e
}

// read returns the edge at t, which is inside the run.
func (f *edgeFinder) read(t model.Time) chartEdge {
	r := f.r
	if r.load(f.run); r.err != nil {
		return chartEdge{}
	}
	n := sort.Search(len(r.times), func(i int) bool { return r.times[i] > t })
	switch n {
	case 0:
		return f.runEdge(f.run, t)
	case len(r.times):
		return f.runEdge(f.run+1, t)
	}
	return chartEdge{at: t, run: f.run, inside: true, point: -1, events: r.first + n, level: r.levels[n-1]}
}

// findTail sets the tail of an edge. Its run, or the parts of that, are still loaded.
func (f *edgeFinder) findTail(e *chartEdge) {
	if !e.inside || e.hasTail {
		return
	}
	e.hasTail = true
	if e.point >= 0 {
		e.tail = f.between(e.point, len(f.r.parts.points)-1)
	} else {
		e.tail = f.r.extremesOf(e.events, f.ix.runEnd(e.run))
	}
}

// quick advances to the last chunk that begins at t or before, or the first one. In a restored index it returns an edge
// near t on a span boundary, which needs no look at runs.
func (f *edgeFinder) quick(t model.Time) (e chartEdge, ok bool) {
	f.seekChunk(t)
	if f.ix.spans == nil || f.pausing(t) {
		return e, false
	}
	return f.atSpan(t, f.spanBegun(t))
}

// pausing reports whether t is between the last event of the chunk and the first of the next one, or after the last
// event.
func (f *edgeFinder) pausing(t model.Time) bool {
	ix := f.ix
	return t >= ix.chunks[f.chunk].end && (f.chunk+1 == len(ix.chunks) || t <= ix.chunks[f.chunk+1].begin)
}

// atRun returns an edge near t on a run boundary, preferring span boundaries of the pyramid.
func (f *edgeFinder) atRun(t model.Time) (e chartEdge, ok bool) {
	if f.pausing(t) {
		return f.runEdge(f.end, t), true
	}
	if e, ok := f.atSpan(t, f.run/column.PyramidFan); ok {
		return e, true
	}
	run, at := f.run, f.begin(f.run)
	if next := f.begin(run + 1); max(at-t, t-at) > next-t {
		run, at = run+1, next
	}
	if max(at-t, t-at) > f.within {
		return e, false
	}
	return f.runEdge(run, at), true
}

// runEdge returns the edge at the given time before a run of the chunk, or after its last one.
func (f *edgeFinder) runEdge(run int, at model.Time) chartEdge {
	c := f.ix.chunks[f.chunk]
	e := chartEdge{at: at, run: run, point: -1, events: min(c.first+(run-c.firstRun)*runLength, c.first+c.n)}
	if run > 0 {
		e.level = f.ix.curve.Base.Ref(run - 1).Level
	}
	return e
}

// atPart returns an edge at t or near it that is in a gap without events, or at the end of a part of the run.
func (f *edgeFinder) atPart(t model.Time) (e chartEdge, ok bool) {
	c := f.ix.chunks[f.chunk]
	begin := f.begin(f.run)
	if f.within == noEdge || t < begin || !f.loadParts(c) {
		return e, false
	}
	i := sort.Search(len(f.r.parts.points)-1, func(i int) bool { return begin+f.r.parts.points[i].At >= t })
	p := &f.r.parts.points[i]
	at := begin + p.At
	switch {
	case at-p.Gap <= t:
		at = min(at, t)
	case i == 0 || at-p.Gap-t <= t-begin-f.r.parts.points[i-1].At:
		at -= p.Gap
	default:
		i--
		p = &f.r.parts.points[i]
		at = begin + p.At
	}
	if max(at-t, t-at) > f.within {
		return e, false
	}
	if i == len(f.r.parts.points)-1 {
		return f.runEdge(f.run+1, at), true
	}
	events := c.first + (f.run-c.firstRun)*runLength + p.Events
	return chartEdge{at: at, run: f.run, inside: true, point: i, events: events, level: p.Level}, true
}

// loadParts reads the parts of the run; it returns false if there are none.
func (f *edgeFinder) loadParts(c *chunk) bool {
	ix, p := f.ix, &f.r.parts
	if p.run == f.run {
		return true
	}
	end := uint32(math.MaxUint32)
	if f.run+1 < f.end {
		end = ix.runs.Ref(f.run + 1).fine
	}
	b, err := p.stream.read(ix.file, c.fine, ix.runs.Ref(f.run).fine, end)
	if err != nil && f.r.err == nil {
		f.r.err = err
	}
	if err != nil || len(b) == 0 {
		return false
	}
	before := column.Level{}
	if f.run > 0 {
		before = ix.curve.Base.Ref(f.run - 1).Level
	}
	p.run = -1
	var ok bool
	p.points, ok = column.ReadParts(p.points, b, before, min(runLength, c.n-(f.run-c.firstRun)*runLength))
	if !ok || p.points[len(p.points)-1].Level != ix.curve.Base.Ref(f.run).Level {
		err = errParts
	}
	if err != nil {
		f.r.err = err
		return false
	}
	p.run = f.run
	return true
}

// between returns the extremes of the parts after point i up to and including point k.
func (f *edgeFinder) between(i, k int) column.Extremes {
	e := column.Nothing
	for _, p := range f.r.parts.points[i+1 : k+1] {
		e.Add(p.Extremes)
	}
	return e
}

// seek advances to the last run that begins at t or before, or the first one.
func (f *edgeFinder) seek(t model.Time) {
	f.seekChunk(t)
	f.seekRun(t)
}

// seekChunk is seek for chunks.
func (f *edgeFinder) seekChunk(t model.Time) {
	ix := f.ix
	step := 1
	for f.chunk+step < len(ix.chunks) && ix.chunks[f.chunk+step].begin <= t {
		f.chunk += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if f.chunk+step < len(ix.chunks) && ix.chunks[f.chunk+step].begin <= t {
			f.chunk += step
		}
	}
}

// seekRun is seek within the chunk.
func (f *edgeFinder) seekRun(t model.Time) {
	ix, step := f.ix, 4
	c := ix.chunks[f.chunk]
	n := (c.n + runLength - 1) / runLength
	f.end = c.firstRun + n
	after := func(i int) bool { return c.begin+ix.runs.Ref(c.firstRun+i).time > t }
	lo, hi := 0, n
	guess := min(max(int(float64(t-c.begin)/float64(c.end-c.begin+1)*float64(n)), 0), n-1)
	if after(guess) {
		for hi = guess; hi-step > 0 && after(hi-step); step *= 2 {
			hi -= step
		}
		lo = max(hi-step, 0)
	} else {
		for lo = guess; lo+step < n && !after(lo+step); step *= 2 {
			lo += step
		}
		hi = min(lo+step, n)
	}
	f.run = c.firstRun + max(lo+sort.Search(hi-lo, func(i int) bool { return after(lo + i) })-1, 0)
}

// begin returns the time at which a run of the chunk, or the first run after it, begins.
func (f *edgeFinder) begin(run int) model.Time {
	ix, c := f.ix, f.ix.chunks[f.chunk]
	switch {
	case run < f.end:
		return c.begin + ix.runs.Ref(run).time
	case run < ix.curve.Base.N:
		return ix.chunks[f.chunk+1].begin
	}
	return ix.duration()
}

// extremes returns the extremes after the events between two edges.
func (f *edgeFinder) extremes(a, b *chartEdge) column.Extremes {
	from := a.run
	switch {
	case a.events >= b.events:
		return column.Nothing
	case a.run == b.run && a.inside && a.point >= 0 && b.point >= 0:
		return f.between(a.point, b.point)
	case a.run == b.run && a.inside:
		return f.r.extremesOf(a.events, b.events)
	case a.inside:
		from++
	}
	e := f.ix.curve.Spans(from, b.run)
	if f.findTail(a); a.inside {
		e.Add(a.tail)
	}
	switch {
	case b.inside && b.point >= 0:
		e.Add(f.between(-1, b.point)) // and the level before the run, which is in the column as well
	case b.inside:
		e.Add(f.r.extremesOf(f.ix.runBegin(b.run), b.events))
	}
	return e
}

// readColumns computes columns by reading their events. It moves no edge. It runs on one processor, as waking another
// one would take longer than it saves.
func (ix *fileIndex) readColumns(ctx context.Context, rg analysis.Range, n int) ([]analysis.Column, error) {
	r, cols := ix.usedReader(), make([]analysis.Column, n)
	first, last := ix.runsOf(rg)
	w := columnWriter{cols: cols, i: -1, events: ix.runBegin(first), limit: max(rg.From, model.NoTime)}
	w.from, w.to = ix.bounds(rg)
	if first > 0 {
		w.after = ix.curve.Base.Ref(first - 1).Level
	}
	for run := first; run <= last && w.i < n && r.err == nil && ctx.Err() == nil; {
		if runs := r.addRuns(&w, run, last); runs > 0 {
			run += runs
		} else if r.load(run); r.err == nil {
			w.add(r.runLevels)
			run++
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	for w.i < n {
		w.next()
	}
	ix.readers.Put(r)
	return cols, ctx.Err()
}

// addRuns adds the levels of runs from run up to at most last, and returns how many: 0 if their levels must be added
// one by one.
func (r *runReader) addRuns(w *columnWriter, run, last int) int {
	c := r.ix.chunkOf(run)
	last = min(last, c.firstRun+(c.n-1)/runLength)
	if b := &r.bulk; c.kept != nil || last == run || b.run <= run && run < b.end {
		return 0
	}
	if r.ahead(run, last); r.err != nil {
		return 0
	}
	start, events := r.ix.runs.Ref(run), r.bulk.events
	local := uint32((run - c.firstRun) * runLength)
	over := c.overFrom(local)
	if len(events.High) > 0 || max(w.after.Bytes, w.after.AllocBytes) >= smallLevel || len(over) > 0 &&
		int(over[0].event-local) < events.Len() {
		return 0
	}
	rest := r.freedBy(c, run, last)
	if r.err != nil {
		return 0
	}
	was := *w
	if !w.addSmall(events, c.begin+start.time, rest, c.common) {
		*w = was
		return 0
	}
	return last + 1 - run
}

// columnWriter fills columns with the levels after events.
type columnWriter struct {
	cols          []analysis.Column
	from, to      model.Time
	i             int        // current column; -1 before the first one
	limit         model.Time // its end
	first, events int        // events before the column, and so far
	before, after column.Level
	e             column.Extremes
}

// next ends a column and begins the next one, if there is one.
func (w *columnWriter) next() {
	if w.i >= 0 {
		fillColumn(&w.cols[w.i], &w.e, &w.before, &w.after, w.events-w.first)
	}
	n := len(w.cols)
	if w.i++; w.i == n {
		return
	}
	c := &w.cols[w.i]
	c.From, c.To = analysis.ColumnEdge(w.from, w.to, w.i, n), analysis.ColumnEdge(w.from, w.to, w.i+1, n)
	w.limit, w.first, w.before, w.e = c.To, w.events, w.after, column.Nothing
	w.e.AddLevel(&w.before)
}

// add adds the events of a run.
func (w *columnWriter) add(l *runLevels) {
	for k := 0; w.i < len(w.cols); w.next() {
		from, e := k, w.e
		for ; k < len(l.times) && l.times[k] <= w.limit; k++ {
			e.AddLevel(&l.levels[k])
		}
		if w.e = e; k > from {
			w.events, w.after = l.first+k, l.levels[k-1]
		}
		if k == len(l.times) {
			return
		}
	}
}

// addSmall is add for events whose freed sizes are in rest and that overwrite nothing; ok is false if levels might
// overflow.
func (w *columnWriter) addSmall(events *model.Columns, begin model.Time, rest []byte, common []uint64) (ok bool) {
	var s column.SmallEvents
	s.Begin(events, rest, common, w.after)
	for ; w.i < len(w.cols); w.next() {
		from := s.At
		w.e = s.Until(w.limit-begin, w.e)
		w.events, w.after = w.events+s.At-from, s.Level
		if s.At == events.Len() {
			break
		}
	}
	return s.Sizes < smallSum/uint64(events.Len())
}
