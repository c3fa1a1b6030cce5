package analysis

import (
	"context"
	"runtime"
	"sort"
	"sync"

	"github.com/memtui/memtui/model"
)

// edgeShare is how far the edge of a column may be moved, as a share of the column: 1/edgeShare of it.
const edgeShare = 4

// chartEdge is an edge between columns.
type chartEdge struct {
	at     model.Time
	events int // with times up to at
	run    int // that begins there, -1 if the edge is within a run
	level  level
}

// Chart implements [Trace]. Edges are moved to where runs begin: nothing needs to be read there.
func (ix *FileIndex) Chart(ctx context.Context, rg Range, n int) ([]Column, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.keptCurve(curveKey{rg, n, ix.events(), true}, func() ([]Column, error) { return ix.makeChart(ctx, rg, n) })
}

// makeChart makes the columns in parts, on all processors.
func (ix *FileIndex) makeChart(ctx context.Context, rg Range, n int) ([]Column, error) {
	cols := make([]Column, max(n, 0))
	workers := min(runtime.GOMAXPROCS(0), len(cols)/partColumns)
	if workers < 2 {
		_, _, err := ix.chartPart(ctx, rg, cols, 0, n)
		return cols, err
	}
	begins, ends, errs := make([]chartEdge, workers), make([]chartEdge, workers), make([]error, workers)
	var working sync.WaitGroup
	for w := range workers {
		working.Go(func() {
			errs[w] = guarded(func() (err error) {
				begins[w], ends[w], err = ix.chartPart(ctx, rg, cols, n*w/workers, n*(w+1)/workers)
				return err
			})
		})
	}
	working.Wait()
	for w := range workers {
		if errs[w] != nil {
			return nil, errs[w]
		}
		if w > 0 && begins[w].events != ends[w-1].events { // where many runs begin in one microsecond
			_, _, err := ix.chartPart(ctx, rg, cols, 0, n)
			return cols, err
		}
	}
	return cols, nil
}

// partColumns is how many columns are worth a processor.
const partColumns = 64

// chartPart makes columns [i, end), and returns the edges at both ends of them.
func (ix *FileIndex) chartPart(ctx context.Context, rg Range, cols []Column, i, end int) (first, last chartEdge, err error) {
	n := len(cols)
	r := ix.reader()
	from, to := ix.bounds(rg)
	f := edgeFinder{ix: ix, r: r, within: (to - from) / model.Time(max(n, 1)) / edgeShare}
	t := columnEdge(from, to, i, max(n, 1))
	f.chunk = ix.chunkBegun(t)
	var before chartEdge
	if i > 0 {
		before = f.near(t, 0)
	} else {
		lo, _ := r.eventRange(Range{rg.From, to})
		before = f.exact(from, lo)
	}
	first = before
	for ; i < end; i++ {
		if err := ctx.Err(); err != nil {
			return first, last, err
		}
		c := &cols[i]
		var after chartEdge
		if i == n-1 {
			after = f.exact(to, max(r.eventsUntil(to), before.events))
		} else {
			after = f.near(columnEdge(from, to, i+1, n), before.events)
		}
		c.From, c.To = before.at, after.at
		e := f.extremes(&before, &after)
		e.addLevel(&before.level)
		c.fill(&e, &before.level, &after.level, after.events-before.events)
		before = after
	}
	return first, before, r.err
}

// chunkBegun is the last chunk that begins at t or before, or the first one.
func (ix *FileIndex) chunkBegun(t model.Time) int {
	return max(sort.Search(len(ix.chunks), func(i int) bool { return ix.chunks[i].begin > t })-1, 0)
}

// edgeFinder finds edges in the order of time.
type edgeFinder struct {
	ix     *FileIndex
	r      *runReader
	within model.Time // how far an edge may be moved
	chunk  int        // that the last edge was found in
	run    int
	end    int // run behind those of the chunk
}

// exact is the edge behind some events.
func (f *edgeFinder) exact(at model.Time, events int) chartEdge {
	e := chartEdge{at: at, events: events, run: -1, level: f.r.levelAt(events)}
	switch {
	case events == f.ix.events():
		e.run = f.ix.curve.base.n
	case events == f.ix.runBegin(f.ix.runOf(events)):
		e.run = f.ix.runOf(events)
	}
	return e
}

// near is an edge at t or near it, with no fewer events than least.
func (f *edgeFinder) near(t model.Time, least int) chartEdge {
	ix := f.ix
	if len(ix.chunks) == 0 {
		return f.exact(t, 0)
	}
	f.seek(t)
	c, run := ix.chunks[f.chunk], f.run
	at := f.begin(run)
	if next := f.begin(run + 1); max(at-t, t-at) > next-t {
		run, at = run+1, next
	}
	for span := pyramidFan * pyramidFan; span > 1; span /= pyramidFan { // where spans of the pyramid meet, if that is near
		round := (run + span/2) / span * span
		if round < c.firstRun || round > f.end {
			continue
		}
		if b := f.begin(round); max(b-t, t-b) <= f.within {
			run, at = round, b
			break
		}
	}
	if max(at-t, t-at) > f.within {
		return f.exact(t, max(f.r.eventsUntil(t), least))
	}
	e := chartEdge{at: at, run: run, events: c.first + (run-c.firstRun)*runLength}
	if run == f.end {
		e.events = c.first + c.n
	}
	if e.events < least {
		return f.exact(t, max(f.r.eventsUntil(t), least))
	}
	if run > 0 {
		e.level = ix.curve.base.at(run - 1).level
	}
	return e
}

// seek moves on to the last run that begins at t or before, or the first one.
func (f *edgeFinder) seek(t model.Time) {
	ix := f.ix
	for f.chunk+1 < len(ix.chunks) && ix.chunks[f.chunk+1].begin <= t {
		f.chunk++
	}
	c := ix.chunks[f.chunk]
	n := (c.n + runLength - 1) / runLength
	f.end = c.firstRun + n
	after := func(i int) bool { return c.begin+model.Time(ix.runs.at(c.firstRun+i).time) > t }
	lo, hi, step := 0, n, 4
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

// begin is when a run of the chunk begins, or the first one behind it.
func (f *edgeFinder) begin(run int) model.Time {
	ix, c := f.ix, f.ix.chunks[f.chunk]
	switch {
	case run < f.end:
		return c.begin + model.Time(ix.runs.at(run).time)
	case run < ix.curve.base.n:
		return ix.chunks[f.chunk+1].begin
	}
	return ix.duration()
}

// extremes are those after the events between two edges.
func (f *edgeFinder) extremes(a, b *chartEdge) extremes {
	if a.run >= 0 && b.run >= 0 {
		return f.ix.curve.spans(a.run, b.run)
	}
	return f.r.extremesOf(a.events, b.events)
}
