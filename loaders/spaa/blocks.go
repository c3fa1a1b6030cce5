package spaa

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"io"
	"runtime"
	"sync"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	firstBlock = 64 << 10 // small, so that the first screen comes at once
	blockSize  = 256 << 10
	maxLine    = 64 << 20 // of a line; longer ones are skipped
	maxWorkers = 4
)

// block is a run of complete lines that is read, parsed and merged.
type block struct {
	mem    []byte
	data   []byte
	offset int64
	skip   int64 // bytes of a line that is too long, instead of data
	marked bool  // a byte order mark precedes it
	out    batch
	err    error
	parsed chan struct{}
}

// pipeline reads a source once, in order, and parses blocks on several goroutines.
type pipeline struct {
	ctx    context.Context
	src    *loaders.Source
	strict bool
	queue  chan *block // in the file's order
	work   chan *block
	free   chan *block
	seed   maphash.Seed
	err    error // of reading; valid once queue is closed
}

// each calls f with every block of the source in order; the block is valid until f returns.
func each(ctx context.Context, src *loaders.Source, strict bool, f func(*block) error) error {
	ctx, stop := context.WithCancel(ctx)
	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	n := 2*workers + 2
	p := &pipeline{ctx: ctx, src: src, strict: strict, queue: make(chan *block, n), work: make(chan *block, n),
		free: make(chan *block, n), seed: maphash.MakeSeed()}
	for range n {
		p.free <- &block{parsed: make(chan struct{}, 1)}
	}
	var running sync.WaitGroup
	defer running.Wait() // for the reader of the source; a worker may end its line later, which only it uses by then
	defer stop()
	running.Go(p.read)
	for i := range workers {
		go p.parse(i)
	}
	for b := range p.queue {
		select {
		case <-b.parsed:
		case <-ctx.Done():
			return ctx.Err()
		}
		if b.err != nil {
			return b.err
		}
		if err := f(b); err != nil {
			return err
		}
		p.free <- b
	}
	return p.err
}

// read splits the source into blocks and sends them to both queues.
func (p *pipeline) read() {
	defer close(p.queue)
	defer close(p.work)
	p.err = p.src.Guard(p.cut)
}

func (p *pipeline) cut() error {
	var rest []byte // of the last read: a line without its end
	at := int64(0)  // offset of rest
	size := firstBlock
	marked, err := p.mark(&rest)
	if err != nil {
		return err
	}
	if marked {
		at = int64(len(byteOrderMark))
	}
	for {
		var b *block
		select {
		case b = <-p.free:
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
		end, err := p.fill(b, rest, at, size)
		if err != nil {
			return err
		}
		size = blockSize
		whole := len(b.data)
		switch i := bytes.LastIndexByte(b.data, '\n'); {
		case end:
		case b.skip == 0:
			whole = i + 1
		}
		rest = append(rest[:0], b.data[whole:]...)
		b.data, b.offset, b.marked = b.data[:whole], at, marked
		marked = false
		at += int64(whole) + b.skip
		if err := p.hand(b); err != nil {
			return err
		}
		if end {
			return nil
		}
	}
}

// hand sends a block to both queues.
func (p *pipeline) hand(b *block) error {
	for _, to := range []chan *block{p.queue, p.work} {
		select {
		case to <- b:
		case <-p.ctx.Done():
			return p.ctx.Err()
		}
	}
	return nil
}

// byteOrderMark begins UTF-8 files of some programs, though JSON does not allow it.
const byteOrderMark = "\xef\xbb\xbf"

// mark skips a byte order mark at the start; other bytes become rest.
func (p *pipeline) mark(rest *[]byte) (marked bool, err error) {
	start, n := make([]byte, len(byteOrderMark)), 0
	for n < len(start) {
		more, err := p.src.ReadSome(p.ctx, start[n:], int64(n))
		n += more
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false, err
		}
	}
	if string(start) == byteOrderMark {
		return true, nil
	}
	*rest = start[:n]
	return false, nil
}

// fill reads rest and more into b, until it contains a line end. end reports that the source has ended.
func (p *pipeline) fill(b *block, rest []byte, at int64, size int) (end bool, err error) {
	b.data, b.skip, b.err = append(b.mem[:0], rest...), 0, nil
	for {
		from := len(b.data)
		if need := max(size, from+size/2); cap(b.data) < need+pad {
			b.data = append(make([]byte, 0, max(need, min(2*from, int(p.maxLine())+size))+pad), b.data...)
		}
		n, err := p.src.ReadSome(p.ctx, b.data[from:cap(b.data)-pad], at+int64(from))
		b.data = b.data[:from+n]
		b.mem = b.data
		switch {
		case errors.Is(err, io.EOF):
			return true, nil
		case err != nil:
			return false, err
		case bytes.IndexByte(b.data[from:], '\n') >= 0:
			return false, nil
		case int64(len(b.data)) > p.maxLine():
			return p.pass(b, at)
		}
	}
}

// maxLine returns the maximum length of a line: several are in memory at once, with what is made from them.
func (p *pipeline) maxLine() int64 { return max(p.src.Budget().Part(maxLine, 32), blockSize) }

// pass drops a line that is too long: b becomes a gap up to the next line end.
func (p *pipeline) pass(b *block, at int64) (end bool, err error) {
	b.skip = int64(len(b.data))
	b.data = b.data[:blockSize]
	for {
		n, err := p.src.ReadSome(p.ctx, b.data, at+b.skip)
		if i := bytes.IndexByte(b.data[:n], '\n'); i >= 0 {
			b.skip += int64(i) + 1
			break
		}
		b.skip += int64(n)
		if errors.Is(err, io.EOF) {
			end = true
			break
		}
		if err != nil {
			return false, err
		}
	}
	b.data, b.mem = nil, nil // the long line is freed
	return end, nil
}

// parse is the loop of one worker.
func (p *pipeline) parse(worker int) {
	q := &parser{ctx: p.ctx, limited: p.src.Limited, worker: worker, strict: p.strict, seed: p.seed, units: map[string]string{}}
	for b := range p.work {
		b.err = p.src.Guard(func() error {
			if err := p.ctx.Err(); err != nil {
				return err
			}
			if b.skip > 0 {
				b.out.reset()
				b.out.lines, b.out.lost, b.out.worker = 1, b.skip, worker
				b.out.names = q.names.list
				if most := p.maxLine(); most < maxLine {
					short := p.src.Budget().Problem("a line longer than " + model.Bytes(most).String() + " was skipped")
					b.out.issue(short.Severity, short.Code, place{}, "%s", short.Message)
				} else {
					b.out.issue(model.Error, "line-length", place{},
						"a line is longer than the limit of %s, which applies to every line, and was skipped", model.Bytes(maxLine))
				}
				return nil
			}
			if err := q.block(b.data, &b.out); err != nil {
				return err
			}
			if b.marked {
				b.out.issue(model.Error, "utf-8", place{}, "a byte order mark precedes the header")
			}
			return nil
		})
		b.parsed <- struct{}{}
	}
}
