package traceindex

import (
	"hash/crc32"
	"io"
	"sort"
	"sync/atomic"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// spanEdge is where a span of the pyramid begins, PyramidFan runs: charts of long ranges need nothing between those edges but
// extremes of whole spans.
type spanEdge struct {
	at     model.Time
	events int64 // before it
	column.Level
}

// spanAt is an edge of spans. Its run must not lie behind the end. chunk is one that is near it.
func (ix *FileIndex) spanAt(span, chunk int) spanEdge {
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

// lastSpan is the number of the last edge of spans.
func (ix *FileIndex) lastSpan() int { return ix.curve.Base.N / column.PyramidFan }

// spanBegun is the last of the spans of a restored index that begins at t or before, or the first one.
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

// atSpan is an edge near t where spans meet, rather one where spans of spans do. span is the last one that begins at t or before.
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

// runsProof proves runs and the curve of a restored index where they are first read: there is too much of both to do that before
// the first chart, which needs next to nothing of either.
type runsProof struct {
	at   io.ReaderAt
	in   []fileEntry   // the sections
	sums []uint32      // by block
	done []atomic.Bool // by block
	all  atomic.Bool
}

// proofRuns is how many runs are proven at once.
const proofRuns = 256

// runSums are the checksums of runs and the curve, block by block.
func (ix *FileIndex) runSums() []uint32 {
	var sums []uint32
	for run := 0; run < ix.curve.Base.N; run += proofRuns {
		sums = append(sums, ix.runSum(run/proofRuns))
	}
	return sums
}

func (ix *FileIndex) runSum(block int) uint32 {
	crc := crc32.Checksum(bytesOf(blockOf(&ix.curve.Base, block)), crcTable)
	return crc32.Update(crc, crcTable, bytesOf(blockOf(&ix.runs, block)))
}

// blockOf is the values of a column that are proven at once. They lie together.
func blockOf[T any](c *column.Column[T], block int) []T {
	at := block * proofRuns
	return c.Chunks[at>>column.ChunkBits][at&column.ChunkMask : min(at&column.ChunkMask+proofRuns, column.ChunkLen, c.N-at&^column.ChunkMask)]
}

// proveRuns proves what is known about runs [from, to], which may reach beyond those that there are, and a span around them.
func (ix *FileIndex) proveRuns(from, to int) error {
	p := ix.proof
	if p == nil || p.all.Load() {
		return nil
	}
	to = min(to+column.PyramidFan+1, ix.curve.Base.N)
	for block := max(from-column.PyramidFan, 0) / proofRuns; block*proofRuns < to; block++ {
		if p.done[block].Load() {
			continue
		}
		if ix.runSum(block) != p.sums[block] {
			return errChecksum()
		}
		p.done[block].Store(true)
	}
	return nil
}

// prove is proveRuns for a reader.
func (r *runReader) prove(from, to int) {
	if err := r.ix.proveRuns(from, to); err != nil && r.err == nil {
		r.err = err
	}
}

// proveAt proves the runs of the chunks that something may happen in at a time, and of those beside them: all that is read to find
// out how many events are before it.
func (ix *FileIndex) proveAt(t model.Time) error {
	if len(ix.chunks) == 0 || ix.proof == nil || ix.proof.all.Load() {
		return nil
	}
	first, last := sort.Search(len(ix.chunks), func(i int) bool { return ix.chunks[i].end >= t }), ix.chunkBegun(t)
	to := ix.curve.Base.N
	if last+2 < len(ix.chunks) {
		to = ix.chunks[last+2].firstRun
	}
	return ix.proveRuns(ix.chunks[max(min(first, last)-1, 0)].firstRun, to)
}

// proveEnds proves what is read about the ends of a range.
func (ix *FileIndex) proveEnds(rg analysis.Range) error {
	from, to := ix.bounds(rg)
	if err := ix.proveAt(from); err != nil {
		return err
	}
	return ix.proveAt(to)
}
