package traceindex

import (
	"context"
	"sort"
	"unsafe"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// verifyRuns verifies what is stored about runs [from, to], which may exceed the existing ones, and a span around them.
func (ix *fileIndex) verifyRuns(from, to int) error {
	if ix.file.Verified() {
		return nil
	}
	ctx := context.Background()
	to = min(to+column.PyramidFan+1, ix.curve.Base.N)
	for from = max(from-column.PyramidFan, 0); from < to; from = from&^column.ChunkMask + column.ChunkLen {
		k, lo, hi := from>>column.ChunkBits, from&column.ChunkMask, min(to-from&^column.ChunkMask, column.ChunkLen)
		err := ix.file.Verify(ctx, sections.BytesOf(ix.curve.Base.Chunks[k][lo:hi]))
		if err == nil {
			err = ix.file.Verify(ctx, sections.BytesOf(ix.runs.Chunks[k][lo:hi]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// verify is verifyRuns for a reader.
func (r *runReader) verify(from, to int) {
	if err := r.ix.verifyRuns(from, to); err != nil && r.err == nil {
		r.err = err
	}
}

// verifyAt verifies the runs of the chunks that may have an event at a time, and the adjacent runs: all that is read to
// find the number of events before it.
func (ix *fileIndex) verifyAt(t model.Time) error {
	if len(ix.chunks) == 0 || ix.file.Verified() {
		return nil
	}
	first, last := sort.Search(len(ix.chunks), func(i int) bool { return ix.chunks[i].end >= t }), ix.chunkBegun(t)
	to := ix.curve.Base.N
	if last+2 < len(ix.chunks) {
		to = ix.chunks[last+2].firstRun
	}
	return ix.verifyRuns(ix.chunks[max(min(first, last)-1, 0)].firstRun, to)
}

// verifyEnds verifies what is read to find the ends of a range.
func (ix *fileIndex) verifyEnds(rg analysis.Range) error {
	from, to := ix.bounds(rg)
	if err := ix.verifyAt(from); err != nil {
		return err
	}
	return ix.verifyAt(to)
}

// streamReader reads a stream of a chunk. In a file it reads ahead, as reading a few bytes here and there would map
// many pages. The zero value is ready to use.
type streamReader struct {
	of   *byte // the stream
	from int
	b    []byte
}

const readAhead = 8 << 10

// read returns a stream starting at from, at least up to to if it is that long. The result is valid until the next
// call.
func (s *streamReader) read(file *sections.Sums, stream []byte, from, to uint32) ([]byte, error) {
	at, end := int(from), min(int(to), len(stream))
	switch {
	case at > end:
		return nil, sections.Damaged("a stream is too short")
	case file == nil || at == len(stream):
		return stream[at:], nil
	case s.of == unsafe.SliceData(stream) && at >= s.from && end <= s.from+len(s.b):
		return s.b[at-s.from:], nil
	}
	part := stream[at:min(max(end, at+readAhead), len(stream))]
	if err := file.Verify(context.Background(), part); err != nil {
		return nil, err
	}
	s.of, s.from, s.b = unsafe.SliceData(stream), at, column.Resize(s.b, len(part))
	return s.b, file.Read(s.b, part)
}
