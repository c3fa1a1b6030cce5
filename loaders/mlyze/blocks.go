package mlyze

import (
	"context"
	"io"

	"github.com/memtui/memtui/loaders"
)

const (
	blockSize = 1 << 20
	history   = 512 // bytes before pos that stay in the buffer: some events, for looking back after damage
)

// blocks reads the input in large blocks into one buffer. Compared to the mapping, reading is as fast, takes a fraction
// of the resident memory, and a file that shrinks causes an error and no signal.
type blocks struct {
	ctx  context.Context
	src  *loaders.Source
	buf  []byte // buf[pos:end] is unread
	pos  int
	end  int
	base int64 // offset of buf[0]
	eof  bool  // the input ends at end
	err  error // why, if that is not the end of the input
}

// newBlocks reads starting at offset at, in blocks of size bytes or less at the end.
func newBlocks(ctx context.Context, src *loaders.Source, at int64, size int) *blocks {
	if total := src.Size(); total >= 0 {
		size = int(min(int64(size), max(0, total-at)+1)) // one byte more, to reach the end
	}
	return &blocks{ctx: ctx, src: src, buf: make([]byte, history+max(size, 2*lookahead)), base: at}
}

// offset returns the offset of pos in the input.
func (b *blocks) offset() int64 { return b.base + int64(b.pos) }

// left returns how many bytes are in the buffer.
func (b *blocks) left() int { return b.end - b.pos }

// rest returns the bytes in the buffer, valid until the next fill.
func (b *blocks) rest() []byte { return b.buf[b.pos:b.end] }

// fill reads more, at least a byte unless eof becomes true.
func (b *blocks) fill() {
	if drop := b.pos - history; drop > 0 {
		copy(b.buf, b.buf[drop:b.end])
		b.pos, b.end, b.base = history, b.end-drop, b.base+int64(drop)
	}
	n, err := b.src.ReadSome(b.ctx, b.buf[b.end:], b.base+int64(b.end))
	b.end += n
	if err != nil {
		b.eof = true
		if err != io.EOF {
			b.err = err
		}
	}
}

// have reads until n bytes are there and reports whether they are.
func (b *blocks) have(n int) bool {
	for b.left() < n && !b.eof {
		b.fill()
	}
	return b.left() >= n
}
