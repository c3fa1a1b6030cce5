package mvmheap

import (
	"context"
	"errors"
	"io"
	"math"

	"github.com/memtui/memtui/loaders"
)

const windowSize = 256 << 10

// window reads at any offset of a source, best forward in large steps. Only one goroutine may use it.
type window struct {
	ctx  context.Context
	src  *loaders.Source
	size int64 // of the source
	off  int64 // of buf[0]
	buf  []byte
	mem  []byte
	err  error // of reading; the end of the file is not an error
}

// newWindow waits for the end of the source: everything in these files is found from there.
func newWindow(ctx context.Context, src *loaders.Source) (*window, error) {
	size := src.Size()
	if size < 0 {
		if _, err := src.ReadSome(ctx, make([]byte, 1), math.MaxInt64/2); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		size = src.Size()
	}
	return &window{ctx: ctx, src: src, size: size}, nil
}

// peek returns n bytes at offset off, at most windowSize, fewer at the end of the file or after an error. They are
// valid until the next peek.
func (w *window) peek(off int64, n int) []byte {
	if off < w.off || off+int64(n) > w.off+int64(len(w.buf)) {
		w.fill(off, n)
	}
	if off < w.off || off > w.off+int64(len(w.buf)) {
		return nil
	}
	b := w.buf[off-w.off:]
	return b[:min(n, len(b))]
}

func (w *window) fill(off int64, n int) {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err != nil || off < 0 || off >= w.size {
		w.buf = w.buf[:0]
		return
	}
	if w.mem == nil {
		w.mem = make([]byte, min(windowSize, w.size))
	}
	size := windowSize
	if off < w.off || off > w.off+2*windowSize {
		size = max(n, 4<<10) // a jump: little may be needed here
	}
	got, err := w.src.ReadAt(w.mem[:min(size, len(w.mem))], off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	w.off, w.buf = off, w.mem[:got]
}

// cut returns the error of missing bytes.
func (w *window) cut() error {
	if w.err != nil {
		return w.err
	}
	return errCut
}
