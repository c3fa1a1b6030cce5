package memdump

import (
	"context"
	"errors"
	"io"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// fileReader reads a source, starting at an offset. Only one goroutine may use it.
type fileReader struct {
	ctx context.Context
	src *loaders.Source
	off int64
	err error // other than the end
}

func (r *fileReader) Read(p []byte) (int, error) {
	if r.err == nil {
		r.err = r.ctx.Err()
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.src.ReadSome(r.ctx, p, r.off)
	r.off += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
		return n, err
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// headroom is how many bytes at least are contiguous, across the borders of chunks.
const headroom = 64

// chunkSource returns chunks of input: n bytes after the headroom, and possibly the error that follows them. old returns the
// previous chunk.
type chunkSource interface {
	feed(old []byte) (chunk []byte, n int, err error)
}

// direct reads on demand.
type direct struct {
	r     io.Reader
	size  int
	spare []byte
}

func (d *direct) feed(old []byte) ([]byte, int, error) {
	chunk := d.spare
	if chunk == nil {
		chunk = make([]byte, headroom+d.size)
	}
	d.spare = old
	n, err := fill(d.r, chunk[headroom:])
	return chunk, n, err
}

// fill fills b, or returns why there is less: io.EOF at the end of the input.
func fill(r io.Reader, b []byte) (int, error) {
	n, err := io.ReadFull(r, b)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}

const aheadChunk = 256 << 10

// ahead reads on a goroutine of its own, a few chunks ahead of the consumer.
type ahead struct {
	full chan piece
	free chan []byte
	stop chan struct{}
	held []byte // the chunk returned last, whose end may still be copied
}

type piece struct {
	chunk []byte
	n     int
	err   error
}

// readAhead starts reading; the caller must call close and not use r until that has returned.
func readAhead(r io.Reader) *ahead {
	a := &ahead{full: make(chan piece, 4), free: make(chan []byte, 7), stop: make(chan struct{})}
	for range cap(a.free) - 1 {
		a.free <- make([]byte, headroom+aheadChunk)
	}
	go a.run(r)
	return a
}

func (a *ahead) run(r io.Reader) {
	defer close(a.full)
	defer func() {
		// This goroutine has no other handler for a panic of the decompressor.
		if p := recover(); p != nil {
			a.give(piece{err: model.Recovered(p)})
		}
	}()
	for {
		select {
		case <-a.stop:
			return
		case chunk := <-a.free:
			n, err := fill(r, chunk[headroom:])
			if !a.give(piece{chunk, n, err}) || err != nil {
				return
			}
		}
	}
}

func (a *ahead) give(p piece) bool {
	select {
	case a.full <- p:
		return true
	case <-a.stop:
		return false
	}
}

func (a *ahead) feed(old []byte) ([]byte, int, error) {
	if a.held != nil {
		a.free <- a.held
	}
	a.held = old
	p, ok := <-a.full
	if !ok {
		return nil, 0, io.EOF
	}
	return p.chunk, p.n, p.err
}

// close waits for the goroutine.
func (a *ahead) close() {
	close(a.stop)
	for range a.full {
	}
}
