package traceindex

import (
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// spanEdge is the beginning of a span of the pyramid, PyramidFan runs. Charts of long ranges need only extremes of
// complete spans between these edges.
type spanEdge struct {
	at     model.Time
	events int64 // number of events before it
	column.Level
}

// spanAt returns an edge of spans, whose run must not be after the last one. chunk is the number of a chunk near it.
func (ix *fileIndex) spanAt(span, chunk int) spanEdge {
	if ix.spans != nil {
		return ix.spans[span]
	}
	run := span * column.PyramidFan
	e := spanEdge{at: ix.duration(), events: int64(ix.events())}
	if run < ix.curve.Base.N {
		for ix.chunks[chunk].firstRun > run {
			chunk--
		}
		for chunk+1 < len(ix.chunks) && ix.chunks[chunk+1].firstRun <= run {
			chunk++
		}
		c := ix.chunks[chunk]
		e.at, e.events = c.begin+ix.runs.Ref(run).time, int64(c.first+(run-c.firstRun)*runLength)
	}
	if run > 0 {
		e.Level = ix.curve.Base.Ref(run - 1).Level
	}
	return e
}

// lastSpan returns the number of the last edge of spans.
func (ix *fileIndex) lastSpan() int { return ix.curve.Base.N / column.PyramidFan }

// spanBegun returns the last of the spans of a restored index that begins at t or before, or the first one.
func (f *edgeFinder) spanBegun(t model.Time) int {
	spans := f.ix.spans[:(f.ix.curve.Base.N+column.PyramidFan-1)/column.PyramidFan]
	at, step := f.span, 1
	for at+step < len(spans) && spans[at+step].at <= t {
		at += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if at+step < len(spans) && spans[at+step].at <= t {
			at += step
		}
	}
	f.span = at
	return at
}

// atSpan returns an edge near t on a span boundary, preferring coarser levels. span is the last one that begins at t or
// before.
func (f *edgeFinder) atSpan(t model.Time, span int) (e chartEdge, ok bool) {
	for of := column.PyramidFan; of > 0; of /= column.PyramidFan {
		round := (span + of/2) / of * of
		if of*column.PyramidFan > f.perColumn || round > f.ix.lastSpan() {
			continue
		}
		s := f.ix.spanAt(round, f.chunk)
		if of == 1 && span < f.ix.lastSpan() {
			if next := f.ix.spanAt(span+1, f.chunk); next.at-t < max(s.at-t, t-s.at) {
				round, s = span+1, next
			}
		}
		if max(s.at-t, t-s.at) <= f.within {
			return chartEdge{at: s.at, run: round * column.PyramidFan, point: -1, events: int(s.events), level: s.Level}, true
		}
	}
	return e, false
}
