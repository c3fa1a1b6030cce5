package traceindex

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sort"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// blockSums verifies an index file block by block, each when something of it is first read: a file is too large to verify all of it
// before the first chart. It reads the file rather than the mapping, whose pages would count as memory. A nil one has nothing to verify.
type blockSums struct {
	at      io.ReaderAt
	data    []byte        // the blocks, mapped
	sums    []byte        // four bytes per block
	done    []atomic.Bool // by block
	all     atomic.Bool
	buffers sync.Pool // *[sumBlock]byte
}

// sumBlock is the length of a block with a checksum of its own: so long that checksums are a small part of the file, and so short
// that little else is read with what is asked for.
const sumBlock = 16 << 10

func newBlockSums(at io.ReaderAt, data, sums []byte) *blockSums {
	s := &blockSums{at: at, data: data, sums: sums, done: make([]atomic.Bool, len(sums)/4)}
	s.buffers.New = func() any { return new([sumBlock]byte) }
	return s
}

// verified reports whether nothing is left to verify.
func (s *blockSums) verified() bool { return s == nil || s.all.Load() }

// verify checks the blocks that b lies in, which is a part of the mapping or a copy of what was verified.
func (s *blockSums) verify(ctx context.Context, b []byte) error {
	if s.verified() || len(b) == 0 {
		return nil
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.data)))
	if from >= uintptr(len(s.data)) {
		return nil
	}
	buffer := s.buffers.Get().(*[sumBlock]byte)
	defer s.buffers.Put(buffer)
	for block, end := int(from/sumBlock), int(from)+len(b); block*sumBlock < end; block++ {
		if s.done[block].Load() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		part := buffer[:min(sumBlock, len(s.data)-block*sumBlock)]
		if n, err := s.at.ReadAt(part, int64(block)*sumBlock); n < len(part) {
			return damagedFile("%v", err)
		}
		if checksum(part) != binary.LittleEndian.Uint32(s.sums[4*block:]) {
			return damagedFile("a checksum is wrong")
		}
		s.done[block].Store(true)
	}
	return nil
}

// verifyAll checks all blocks.
func (s *blockSums) verifyAll(ctx context.Context) error {
	err := s.verify(ctx, s.data)
	if err == nil {
		s.all.Store(true)
	}
	return err
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crcTable) }

// verifyRuns verifies what is known about runs [from, to], which may reach beyond those that there are, and a span around them.
func (ix *fileIndex) verifyRuns(from, to int) error {
	if ix.file.verified() {
		return nil
	}
	ctx := context.Background()
	to = min(to+column.PyramidFan+1, ix.curve.Base.N)
	for from = max(from-column.PyramidFan, 0); from < to; from = from&^column.ChunkMask + column.ChunkLen {
		k, lo, hi := from>>column.ChunkBits, from&column.ChunkMask, min(to-from&^column.ChunkMask, column.ChunkLen)
		err := ix.file.verify(ctx, bytesOf(ix.curve.Base.Chunks[k][lo:hi]))
		if err == nil {
			err = ix.file.verify(ctx, bytesOf(ix.runs.Chunks[k][lo:hi]))
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

// verifyAt verifies the runs of the chunks that something may happen in at a time, and of those beside them: all that is read to find
// out how many events are before it.
func (ix *fileIndex) verifyAt(t model.Time) error {
	if len(ix.chunks) == 0 || ix.file.verified() {
		return nil
	}
	first, last := sort.Search(len(ix.chunks), func(i int) bool { return ix.chunks[i].end >= t }), ix.chunkBegun(t)
	to := ix.curve.Base.N
	if last+2 < len(ix.chunks) {
		to = ix.chunks[last+2].firstRun
	}
	return ix.verifyRuns(ix.chunks[max(min(first, last)-1, 0)].firstRun, to)
}

// verifyEnds verifies what is read about the ends of a range.
func (ix *fileIndex) verifyEnds(rg analysis.Range) error {
	from, to := ix.bounds(rg)
	if err := ix.verifyAt(from); err != nil {
		return err
	}
	return ix.verifyAt(to)
}

// streamReader reads a stream of a chunk. In a file it reads some way ahead: a few bytes here and there would map many pages. The zero
// one is ready.
type streamReader struct {
	of   *byte // the stream
	from int
	b    []byte
}

const readAhead = 8 << 10

// read returns a stream from a place on, at least up to another one if it is that long. It is valid until the next call.
func (s *streamReader) read(file *blockSums, stream []byte, from, to uint32) ([]byte, error) {
	at, end := int(from), min(int(to), len(stream))
	switch {
	case at > end:
		return nil, damagedFile("a stream is too short")
	case file == nil || at == len(stream):
		return stream[at:], nil
	case s.of == unsafe.SliceData(stream) && at >= s.from && end <= s.from+len(s.b):
		return s.b[at-s.from:], nil
	}
	part := stream[at:min(max(end, at+readAhead), len(stream))]
	if err := file.verify(context.Background(), part); err != nil {
		return nil, err
	}
	s.of, s.from, s.b = unsafe.SliceData(stream), at, column.Resize(s.b, len(part))
	return s.b, file.read(s.b, part)
}

// read copies a part of the mapping to b without mapping more of it.
func (s *blockSums) read(b, part []byte) error {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.data)))
	if n, err := s.at.ReadAt(b, int64(from)); n < len(b) {
		return damagedFile("%v", err)
	}
	return nil
}
