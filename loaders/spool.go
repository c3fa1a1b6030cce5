package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"github.com/memtui/memtui/model"
)

const (
	spoolChunk  = 1 << 20
	spoolMemory = 64 << 20  // bytes kept in memory; the rest goes to an unlinked temporary file
	spoolPart   = 8 << 20   // bytes of a range that are copied between two checks of its context
	spoolRange  = 512 << 20 // bytes that one range may copy: a small compressed file can claim, and contain, any number

	// An input that decompresses to more than both is not read to its end. Logs and dumps of real programs expand 10 to
	// 100 times.
	spoolExpansion = 200       // times what has arrived, or the size of the file
	spoolUnasked   = 256 << 20 // bytes

	// The temporary copy of a pipe, which may never end, leaves a part of the free space of its disk to others.
	spoolSpare = 16

	// A pipe whose contents are kept in memory is not read on when there is more than both: all of it would not fit.
	spoolKept      = 4       // times the memory limit
	spoolKeptLeast = 4 << 30 // bytes
)

// errReadTwice is a defect: a reader that reads once wants bytes again.
var errReadTwice = errors.New("bytes that are read once were asked for again")

// spool holds the bytes of a stream that can be read only once, so that they can be read at any offset, any number of
// times. One goroutine fills it as fast as the stream delivers; readers wait for what they need.
type spool struct {
	received atomic.Int64  // bytes of the stream before decompression
	allowed  atomic.Int64  // bytes that the user allows after decompression
	kept     atomic.Int64  // bytes of a pipe that are read at most, 0 for no such limit
	stored   int64         // bytes of the input file, 0 for a pipe
	opened   chan struct{} // closed when outer is known
	budget   *model.Budget
	free     func(f *os.File) int64 // bytes that are free on the disk of the temporary file
	memory   int64                  // bytes kept in memory: spoolMemory, or less if the budget requires

	mu       sync.Mutex
	arrived  *sync.Cond // something below changed
	chunks   [][]byte   // each spoolChunk long, up to memory in total; bytes below size never change
	once     bool       // bytes are read once, in order: chunks are freed, and filling waits for room in memory
	first    int64      // number of the first of chunks, 0 unless once
	spare    []byte     // a free chunk, nil for none
	tail     []byte     // the chunk being filled, after chunks and those in the file; nil while everything fits
	last     []byte     // the chunk that was written last; nil before
	file     *os.File   // full chunks that do not fit; nil while there are none
	places   []int64    // their positions by number, in chunks: chunks equal to the previous one share its position
	written  int64      // chunks in the file
	most     int64      // chunks after those in memory that there is room for
	size     int64
	done     bool // the end was reached
	err      error
	outer    string
	side     *Side // of a recording in a pipe; valid once opened is closed
	problem  []model.Problem
	input    io.Closer // the stream, if it can be closed
	detached func() bool
}

// startSpool starts filling from the result of open, which runs on the spool's goroutine and may block.
func startSpool(ctx context.Context, stored int64, open func() (io.Reader, error)) *spool {
	s := &spool{opened: make(chan struct{}), stored: stored, budget: model.BudgetOf(ctx), free: freeSpace}
	s.memory = s.budget.Part(spoolMemory, 8) / spoolChunk * spoolChunk
	s.arrived = sync.NewCond(&s.mu)
	s.detached = context.AfterFunc(ctx, func() { s.stop(context.Cause(ctx)) })
	go s.run(open)
	return s
}

func (s *spool) run(open func() (io.Reader, error)) {
	defer s.finish(nil)
	defer s.recoverPanic()
	raw, err := open()
	if err != nil {
		close(s.opened)
		s.finish(err)
		return
	}
	if c, ok := raw.(io.Closer); ok && raw != io.Reader(os.Stdin) {
		if !s.adopt(c) {
			close(s.opened)
			return
		}
	}
	plain, outer, release, err := inflate(&countingReader{raw, &s.received}, uint64(s.budget.Part(maxWindow, 4)))
	s.mu.Lock()
	s.outer = outer
	if d, ok := plain.(*recorded); ok {
		s.side = d.side
	}
	s.mu.Unlock()
	close(s.opened)
	if err != nil {
		s.damage(outer, err)
		return
	}
	defer release()
	if err := s.fill(plain); err != nil {
		s.damage(outer, err)
	}
}

// recoverPanic ends the input after a panic in the decompressor. Deferred by run, whose goroutine has no other handler.
func (s *spool) recoverPanic() {
	r := recover()
	if r == nil {
		return
	}
	s.damage(s.outer, model.Recovered(r))
	select {
	case <-s.opened:
	default:
		close(s.opened)
	}
}

// adopt makes c the stream to close when stopping; false if it was stopped already.
func (s *spool) adopt(c io.Closer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		c.Close()
		return false
	}
	s.input = c
	return true
}

// fill reads r to its end, or to the limit of its decompressed size.
func (s *spool) fill(r io.Reader) error {
	for {
		if s.expanded() || s.crowds() || s.endless() {
			return nil
		}
		buf, stopped := s.room()
		if stopped {
			return nil
		}
		n, err := r.Read(buf)
		if werr := s.add(buf[:n]); werr != nil {
			s.finish(fmt.Errorf("no space for the temporary copy: %w", werr))
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// expanded reports whether the input expanded to far more than its size, and records that as a problem.
func (s *spool) expanded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := expansionLimit(max(s.stored, s.received.Load()), s.allowed.Load())
	if s.outer == "" || s.size < limit {
		return false
	}
	s.problem = append(s.problem, tooLarge(limit, s.size))
	return true
}

// crowds reports whether the temporary copy has taken the space that it may, and records that as a problem.
func (s *spool) crowds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := int64(len(s.places))
	if s.outer != "" { // what it expands to is limited
		taken = s.written
	}
	if s.file == nil || taken < s.most {
		return false
	}
	s.problem = append(s.problem, model.Problem{Severity: model.Error, Code: "too-large", Count: 1, Offset: s.size, Message: fmt.Sprintf(
		"the limit of %s for the temporary copy of a pipe or a compressed file, nearly all that is free in %s, is reached: the rest was not read; "+
			"set TMPDIR to a folder with more space, or give the program a decompressed file, which is not copied",
		model.Bytes(s.most*spoolChunk), os.TempDir())})
	return true
}

// endless reports whether more of a pipe arrived than can be kept, and records that as a problem.
func (s *spool) endless() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit := s.kept.Load()
	if limit == 0 || s.stored > 0 || s.size < limit {
		return false
	}
	s.problem = append(s.problem, model.Problem{Severity: model.Error, Code: "too-large", Count: 1, Offset: s.size, Message: fmt.Sprintf(
		"the limit of %s for a pipe of this format is reached: the rest was not read; %s; a file has no such limit",
		model.Bytes(limit), model.RaiseHint(2*limit/spoolKept))})
	return true
}

// room returns the buffer for the next bytes: the end of the last chunk.
func (s *spool) room() (buf []byte, stopped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.once && !s.done && s.size-s.first*spoolChunk >= s.memory {
		s.arrived.Wait()
	}
	if s.done {
		return nil, true
	}
	used := s.size % spoolChunk
	if s.beyond() {
		if s.tail == nil {
			s.tail = make([]byte, spoolChunk)
		}
		return s.tail[used:], false
	}
	if int(s.size/spoolChunk-s.first) == len(s.chunks) {
		if s.spare == nil {
			s.spare = make([]byte, spoolChunk)
		}
		s.chunks, s.spare = append(s.chunks, s.spare), nil
	}
	return s.chunks[len(s.chunks)-1][used:], false
}

// add adds b, which is in the buffer returned by room, to the spool.
func (s *spool) add(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done || len(b) == 0 {
		return nil
	}
	if s.beyond() && s.size%spoolChunk+int64(len(b)) == spoolChunk {
		if err := s.store(); err != nil {
			return err
		}
	}
	s.size += int64(len(b))
	s.arrived.Broadcast()
	return nil
}

// beyond reports whether the next bytes go to the file.
func (s *spool) beyond() bool { return !s.once && s.size >= s.memory }

// readOnce states that bytes are read once, in order. Nothing is then written to a file, unless it has been already.
func (s *spool) readOnce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.once = s.memory > 0 && s.size < s.memory
}

// release frees the chunks below an offset.
func (s *spool) release(below int64) {
	if n := min(below/spoolChunk-s.first, int64(len(s.chunks))); n > 0 {
		s.spare = s.chunks[0]
		s.chunks = slices.Delete(s.chunks, 0, int(n))
		s.first += n
		s.arrived.Broadcast()
	}
}

// store writes the tail, which is full, to the file, unless it equals the previous chunk: a small input can decompress
// to any number of equal chunks.
func (s *spool) store() error {
	if s.last != nil && bytes.Equal(s.tail, s.last) {
		s.places = append(s.places, s.written-1)
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "memtui-*")
		if err != nil {
			return err
		}
		os.Remove(f.Name())
		s.file = f
		free := s.free(f)
		s.most = (free - free/spoolSpare) / spoolChunk
	}
	if _, err := s.file.WriteAt(s.tail, s.written*spoolChunk); err != nil {
		return err
	}
	s.places = append(s.places, s.written)
	s.written++
	s.tail, s.last = s.last, s.tail
	return nil
}

// damage ends the spool at the bytes decompressed so far.
func (s *spool) damage(outer string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return
	}
	p := model.Problem{Severity: model.Error, Code: "read", Message: "reading the input failed: " + err.Error(), Count: 1, Offset: s.size}
	window := int64(maxWindow)
	switch {
	case model.Internal(err):
		p.Code, p.Message = model.CodeInternal, err.Error()
	case wideWindow(err) && s.budget.Part(window, 4) < window:
		p = s.budget.Problem("reading stopped: not enough memory for the decompressor's window")
		p.Severity, p.Offset = model.Error, s.size
	case wideWindow(err):
		p.Code, p.Message = "too-large", fmt.Sprintf("the zstd stream needs a larger window than the limit of %s, which cannot be raised: "+
			"the rest was not read; decompress the file first", model.Bytes(window))
	case outer == recordedOuter:
		p.Code, p.Message = "recording-cut", "the recording was read through a pipe: "+err.Error()
	case outer != "":
		read := model.Group(uint64(s.received.Load()))
		p.Code, p.Message = codeCompression, "the "+outer+" stream is damaged before byte "+read+" of the file, and the rest was not read: "+err.Error()
		if cut(err) {
			p.Message = "the " + outer + " stream ends too early, at byte " + read + " of the file"
		}
	}
	s.problem = append(s.problem, p)
}

// codeCompression is the code of damage of a compressed stream.
const codeCompression = "compression"

// wideWindow reports whether err means that a zstd frame needs a window larger than allowed.
func wideWindow(err error) bool {
	return errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}

// finish marks the end of the input; the first reason counts.
func (s *spool) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done {
		s.done, s.err = true, err
		s.arrived.Broadcast()
	}
}

// stop finishes and closes a stream that is being waited for.
func (s *spool) stop(err error) {
	s.finish(err)
	s.mu.Lock()
	input := s.input
	s.input = nil
	s.mu.Unlock()
	if input != nil {
		input.Close()
	}
}

func (s *spool) close() {
	s.detached()
	s.stop(os.ErrClosed)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = os.ErrClosed
	s.chunks, s.tail, s.last, s.places = nil, nil, nil, nil
	s.size = 0
	if s.file != nil {
		s.file.Close()
		s.file = nil
	}
	s.arrived.Broadcast()
}

func (s *spool) finalSize() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done {
		return -1
	}
	return s.size
}

func (s *spool) outerFormat() string {
	<-s.opened
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outer
}

func (s *spool) problems() []model.Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem[:len(s.problem):len(s.problem)]
}

// readAt copies to p, waiting until least bytes from off have arrived, the input has ended, or ctx is done.
func (s *spool) readAt(ctx context.Context, p []byte, off int64, least int) (int, error) {
	if off < 0 {
		return 0, io.EOF
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.done && s.size-off < int64(least) {
		defer context.AfterFunc(ctx, s.wake)()
	}
	for !s.done && s.size-off < int64(least) && ctx.Err() == nil {
		s.arrived.Wait()
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if s.err != nil && (errors.Is(s.err, os.ErrClosed) || off >= s.size) {
		return 0, s.err
	}
	n, err := s.copyTo(p, off)
	if s.once && n > 0 {
		s.release(off + int64(n))
	}
	if err == nil && s.done && n < len(p) {
		if err = s.err; err == nil {
			err = io.EOF
		}
	}
	return n, err
}

// wake makes readers check again whether to wait.
func (s *spool) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrived.Broadcast()
}

// copyTo copies available bytes; the lock is held.
func (s *spool) copyTo(p []byte, off int64) (n int, err error) {
	if left := s.size - off; left <= 0 {
		return 0, nil
	} else if int64(len(p)) > left {
		p = p[:left]
	}
	for n < len(p) {
		c, err := s.copyChunk(p[n:], off)
		n += c
		off += int64(c)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// copyChunk copies available bytes of the chunk at off; the lock is held.
func (s *spool) copyChunk(p []byte, off int64) (int, error) {
	if off < s.first*spoolChunk {
		return 0, errReadTwice
	}
	if s.once || off < s.memory {
		return copy(p, s.chunks[off/spoolChunk-s.first][off%spoolChunk:]), nil
	}
	i, within := (off-s.memory)/spoolChunk, off%spoolChunk
	if i == int64(len(s.places)) {
		return copy(p, s.tail[within:]), nil
	}
	return s.file.ReadAt(p[:min(int64(len(p)), spoolChunk-within)], s.places[i]*spoolChunk+within)
}

// copyRange returns up to n bytes from off. It allocates for the available bytes, not for the requested ones.
func (s *spool) copyRange(ctx context.Context, off, n int64) ([]byte, error) {
	defer context.AfterFunc(ctx, s.wake)()
	s.mu.Lock()
	for !s.done && s.size-off < n && ctx.Err() == nil {
		s.arrived.Wait() // also for an impossible length: only the end of the input can refute it
	}
	n = max(0, min(n, s.size-off))
	s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := rangeFits(s.budget, n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	got := 0
	for got < len(b) {
		part := b[got:min(len(b), got+spoolPart)]
		m, err := s.readAt(ctx, part, off+int64(got), len(part))
		got += m
		if err == io.EOF {
			break
		}
		if err != nil {
			return b[:got], err
		}
	}
	return b[:got], nil
}

// countingReader counts the bytes read.
type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}
