package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/model"
	"golang.org/x/sys/unix"
)

// Source is the decompressed bytes of one input, for any number of goroutines. A plain regular file is read in place
// and mapped on demand, one compressed with a seek table is decompressed where it is read; everything else (pipes,
// standard input, other compressed files) runs through a [spool].
//
// Offsets and lengths are in decompressed bytes. A regular file keeps the size it had when it was opened.
type Source struct {
	path    string
	outer   string
	file    *os.File    // regular files; nil for pipes
	info    os.FileInfo // of file when it was opened
	owned   bool        // file is closed with the source
	spool   *spool      // nil for files that are read in place
	frames  *frames     // of a compressed file with a seek table, which is read in place, too; nil for others
	more    []io.Closer // closed with the source; see Attach
	growing *growing    // of a file that is still written, nil for others

	allowed int64         // bytes of memory that the user allows for it, 0 if unset
	read    atomic.Int64  // bytes that were read, counting repetitions
	worked  atomic.Uint64 // bits of the share of the work that is done
	budget  *model.Budget // of the context that it was opened under

	attach     sync.Mutex // for more
	mapOnce    sync.Once
	mapped     []byte
	mapErr     error
	unregister func() // unregisters from memory pressure; nil before there is a mapping
}

// OpenSource opens a file, a FIFO, or standard input for the path "-". Canceling ctx ends every read that waits for
// more input. The budget of ctx bounds the source's memory. The caller must Close the source.
func OpenSource(ctx context.Context, path string, stdin io.Reader) (*Source, error) {
	if path == "-" {
		if f, ok := stdin.(*os.File); ok && atStart(f) {
			return openRegular(ctx, path, f, false)
		}
		if stdin == nil {
			return nil, errors.New("-: no standard input")
		}
		return openStream(ctx, path, func() (io.Reader, error) { return stdin, nil })
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, describe(path, err)
	case info.IsDir():
		return nil, fmt.Errorf("%s: %w", path, ErrDirectory)
	case !info.Mode().IsRegular():
		// Opening a FIFO waits for its writer, which must not block the caller.
		return openStream(ctx, path, func() (io.Reader, error) { return os.Open(path) })
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, describe(path, err)
	}
	src, err := openRegular(ctx, path, f, true)
	if err != nil {
		f.Close()
		return nil, err
	}
	return src, nil
}

// atStart reports whether f is a regular file of which nothing has been read yet.
func atStart(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	at, err := f.Seek(0, io.SeekCurrent)
	return err == nil && at == 0
}

// describe translates an error of the system for the command line.
func describe(path string, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: no such file", path)
	case errors.Is(err, os.ErrPermission):
		return fmt.Errorf("%s: no permission to read it", path)
	}
	return err
}

func openRegular(ctx context.Context, path string, f *os.File, owned bool) (*Source, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, describe(path, err)
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("%s: %w", path, ErrEmpty)
	}
	head := make([]byte, magicLength)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, describe(path, err)
	}
	s := &Source{path: path, file: f, info: info, owned: owned, budget: model.BudgetOf(ctx)}
	if s.outer = outerFormat(head[:n]); s.outer != "" {
		if s.frames = openFrames(ctx, f, s.outer, info.Size()); s.frames != nil {
			return s, nil
		}
		s.spool = startSpool(ctx, info.Size(), func() (io.Reader, error) { return io.NewSectionReader(f, 0, info.Size()), nil })
	}
	return s, nil
}

func openStream(ctx context.Context, path string, open func() (io.Reader, error)) (*Source, error) {
	return &Source{path: path, spool: startSpool(ctx, 0, open), budget: model.BudgetOf(ctx)}, nil
}

// Allow sets how many bytes of memory the user allows for what is read. Guards against files that expand to far more
// than their size then accept what fits. Call it before anything is read.
func (s *Source) Allow(bytes int64) {
	s.allowed = bytes
	if s.spool != nil {
		s.spool.allowed.Store(bytes)
	}
	if s.frames != nil {
		s.frames.allowed.Store(bytes)
	}
}

// Allowed returns the value set by Allow, 0 if unset.
func (s *Source) Allowed() int64 { return s.allowed }

// Budget returns the memory budget for reading, nil for no bound.
func (s *Source) Budget() *model.Budget { return s.budget }

// Path returns the path as the user named it, "-" for standard input.
func (s *Source) Path() string { return s.path }

// Name returns the last element of the path, for titles.
func (s *Source) Name() string {
	if s.path == "-" {
		return "standard input"
	}
	return filepath.Base(s.path)
}

// StoredSize returns the file's size in bytes as stored; for a pipe, the bytes that have arrived.
func (s *Source) StoredSize() int64 {
	if s.file != nil {
		return s.length()
	}
	return s.spool.received.Load()
}

// length returns the size of a regular file: as it was when it was opened or, while it grows, so far.
func (s *Source) length() int64 {
	if s.growing != nil {
		size, _ := s.growing.now()
		return size
	}
	return s.info.Size()
}

// Stored returns the bytes of a regular file as stored, and its FileInfo when it was opened; both nil for a pipe.
func (s *Source) Stored() (io.ReaderAt, os.FileInfo) {
	if s.file == nil {
		return nil, nil
	}
	return s.file, s.info
}

// Piped reports whether the input is not a regular file, so that its size is known only at its end.
func (s *Source) Piped() bool { return s.file == nil }

// Size returns the number of bytes after decompression, -1 while that is unknown.
func (s *Source) Size() int64 {
	if s.spool != nil {
		return s.spool.finalSize()
	}
	if s.frames != nil {
		return s.frames.finalSize()
	}
	if s.growing != nil && s.Growing() {
		return -1
	}
	return s.length()
}

// Outer names the compression around the input: "", "gzip", "zstd" or "lz4". On a pipe it blocks until the first bytes arrive.
func (s *Source) Outer() string {
	if s.file == nil {
		return s.spool.outerFormat()
	}
	return s.outer
}

// ReadAt fills p from off, waiting for input that has not arrived yet. At the end of the input it returns the available
// bytes and [io.EOF], and [ErrShrank] if a file lost bytes since it was opened.
func (s *Source) ReadAt(p []byte, off int64) (int, error) {
	return s.ReadAtLeast(p, off, len(p))
}

// ReadAtLeast is like ReadAt but waits for some bytes only: it returns fewer than len(p) without an error where the
// others have not arrived yet.
func (s *Source) ReadAtLeast(p []byte, off int64, least int) (int, error) {
	if s.spool != nil {
		return s.counted(s.spool.readAt(context.Background(), p, off, least))
	}
	return s.readArrived(context.Background(), p, off, least)
}

// readArrived reads what a regular file has by now, at least so many bytes.
func (s *Source) readArrived(ctx context.Context, p []byte, off int64, least int) (int, error) {
	if s.frames != nil {
		return s.counted(s.frames.readAt(ctx, p, off))
	}
	if s.growing == nil {
		return s.counted(s.readFile(p, off))
	}
	if _, err := s.growing.await(ctx, off+int64(least)); err != nil {
		return 0, err
	}
	_, more := s.growing.now()
	n, err := s.counted(s.readFile(p, off))
	if err == io.EOF && more && n > 0 {
		err = nil // for now
	}
	return n, err
}

// counted counts n read bytes.
func (s *Source) counted(n int, err error) (int, error) {
	s.read.Add(int64(n))
	return n, err
}

// Progress returns how many bytes were read so far, counting repetitions, and how many there are after decompression,
// -1 while that is unknown.
func (s *Source) Progress() (read, size int64) { return s.read.Load(), s.Size() }

// KeepsInMemory states that what the input holds is kept in memory, so that a pipe that brings much more than fits need
// not be read, and copied to the disk, to an end that may never come.
func (s *Source) KeepsInMemory() {
	if limit := s.budget.Limit(); limit > 0 && s.spool != nil && s.Piped() {
		s.spool.kept.Store(max(spoolKeptLeast, spoolKept*limit))
	}
}

// ReadOnce states that all bytes will be read once, in order, so that a pipe or a compressed file needs no temporary
// copy. Later reads of earlier bytes fail.
func (s *Source) ReadOnce() {
	if s.spool != nil {
		s.spool.readOnce()
	}
}

// Works records how much of the work on what was read is done, from 0 to 1, for formats that need long for that.
func (s *Source) Works(share float64) { s.worked.Store(math.Float64bits(share)) }

// Worked returns what Works recorded last; 0 if nothing was.
func (s *Source) Worked() float64 { return math.Float64frombits(s.worked.Load()) }

// Arrived returns how many bytes of a compressed file, as stored, or of a pipe were read so far.
func (s *Source) Arrived() int64 {
	if s.spool == nil {
		return s.StoredSize()
	}
	return s.spool.received.Load()
}

// ReadSome is like ReadAt but waits for one byte only and returns what has arrived by then: for slow pipes. It stops
// waiting when ctx is done, and reads nothing then.
func (s *Source) ReadSome(ctx context.Context, p []byte, off int64) (int, error) {
	if s.spool != nil {
		return s.counted(s.spool.readAt(ctx, p, off, 1))
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return s.readArrived(ctx, p, off, 1)
}

func (s *Source) readFile(p []byte, off int64) (int, error) {
	left := s.length() - off
	if left <= 0 || off < 0 {
		return 0, io.EOF
	}
	whole := int64(len(p)) <= left
	if !whole {
		p = p[:left]
	}
	n, err := s.file.ReadAt(p, off)
	switch {
	case n < len(p) && (err == nil || err == io.EOF):
		return n, ErrShrank
	case err != nil && err != io.EOF:
		return n, err
	case !whole:
		return n, io.EOF
	}
	return n, nil
}

// Range returns up to n bytes from off, fewer only at the end of the input. For a plain file they are part of the
// mapping: they must not be changed, are invalid after Close, and may only be read under [Source.Guard]. For a spooled
// input they are a copy, and an error if that would be larger than a small file should cost. Waiting and copying end
// when ctx is done.
func (s *Source) Range(ctx context.Context, off, n int64) ([]byte, error) {
	b, err := s.rangeOf(ctx, off, n)
	s.read.Add(int64(len(b)))
	return b, err
}

func (s *Source) rangeOf(ctx context.Context, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 {
		return nil, fmt.Errorf("range of %d bytes at %d", n, off)
	}
	if s.spool != nil {
		return s.spool.copyRange(ctx, off, n)
	}
	if s.frames != nil {
		return s.frames.copyRange(ctx, off, n)
	}
	if s.growing != nil { // a mapping would not grow
		if _, err := s.growing.await(ctx, off+n); err != nil {
			return nil, err
		}
		return s.readRange(ctx, off, n)
	}
	s.mapOnce.Do(func() {
		if !mappable(s.info.Size()) {
			s.mapErr = unix.ENOMEM
			return
		}
		s.mapped, s.mapErr = unix.Mmap(int(s.file.Fd()), 0, int(s.info.Size()), unix.PROT_READ, unix.MAP_SHARED)
		if s.mapErr == nil {
			mapped := s.mapped
			s.unregister = s.budget.AtPressure(func() { unix.Madvise(mapped, unix.MADV_DONTNEED) }) // errors are harmless
		}
	})
	if s.mapErr != nil {
		return s.readRange(ctx, off, n)
	}
	size := int64(len(s.mapped))
	off = min(off, size)
	return s.mapped[off : off+min(n, size-off)], nil
}

// Forget frees the physical memory of bytes returned by Range. They can still be read, which allocates it again. Call
// it only after Range, on the same goroutine.
func (s *Source) Forget() {
	if s.mapped != nil {
		unix.Madvise(s.mapped, unix.MADV_DONTNEED) // errors are harmless
	}
}

// readRange replaces the mapping on file systems without mappings, and if there is no address space for it.
func (s *Source) readRange(ctx context.Context, off, n int64) ([]byte, error) {
	n = max(0, min(n, s.length()-off))
	if !s.budget.Fits(n) {
		return nil, s.budget.Error(model.Bytes(n).String() + " of a file that cannot be mapped")
	}
	b := make([]byte, n)
	for got := 0; got < len(b); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := s.readFile(b[got:min(len(b), got+spoolPart)], off+int64(got))
		if got += m; err == io.EOF {
			return b[:got], nil
		}
		if err != nil {
			return b[:got], err
		}
	}
	return b, nil
}

// Guard runs f, which may read bytes of Range, and returns its error, or [ErrShrank] if such a byte was gone. A defect
// that makes f panic becomes a [model.InternalError]: a bad file must never break the terminal.
func (s *Source) Guard(f func() error) error {
	err := model.Guarded(f)
	if errors.Is(err, model.ErrGone) {
		return ErrShrank
	}
	return err
}

// Problems returns the problems of decompression; complete once Size is known.
func (s *Source) Problems() []model.Problem {
	switch {
	case s.frames != nil:
		return s.frames.problems()
	case s.spool != nil:
		return s.spool.problems()
	}
	return nil
}

// Watch is Problems, and calls f with damage that is found later, on any goroutine: in a file with a seek table each
// frame is decompressed only where it is read.
func (s *Source) Watch(f func(model.Problem)) []model.Problem {
	if s.frames != nil {
		s.frames.mu.Lock()
		s.frames.watch = f
		s.frames.mu.Unlock()
	}
	return s.Problems()
}

// Limited reports whether the decompressed bytes end at a limit, or at damage of the compression, which Problems states,
// rather than at the end of the input: that they end within a record is no damage of its own then. It is known once a read
// has reached the end.
func (s *Source) Limited() bool {
	return slices.ContainsFunc(s.Problems(), func(p model.Problem) bool {
		return p.Code == "too-large" || p.Code == model.CodeMemory || p.Code == codeCompression && s.spool != nil
	})
}

// Grown reports whether a regular file has become longer since it was opened: it is probably still being written.
func (s *Source) Grown() bool { return s.sizeNow() > s.StoredSize() }

// Shrunk reports whether a regular file has become shorter since it was opened.
func (s *Source) Shrunk() bool { return s.sizeNow() < s.StoredSize() }

// Changed reports whether a regular file has changed since it was opened: its size differs, or it was written. It
// checks the open file, even if that was moved. One that is followed has changed if it has shrunk.
func (s *Source) Changed() bool {
	if s.growing != nil {
		return s.Shrunk()
	}
	if s.file == nil {
		return false
	}
	now, err := s.file.Stat()
	return err != nil || now.Size() != s.info.Size() || !now.ModTime().Equal(s.info.ModTime())
}

func (s *Source) sizeNow() int64 {
	if s.file != nil {
		if info, err := s.file.Stat(); err == nil {
			return info.Size()
		}
	}
	return s.StoredSize()
}

// Attach has c, which uses the bytes of the source, closed before the source.
func (s *Source) Attach(c io.Closer) {
	s.attach.Lock()
	defer s.attach.Unlock()
	s.more = append(s.more, c)
}

// Close releases everything. Waiting reads return [os.ErrClosed]; slices of Range are invalid afterwards.
func (s *Source) Close() error {
	if s.growing != nil {
		s.growing.end(os.ErrClosed) // before it ends for another reason
		s.growing.stop()
	}
	s.attach.Lock()
	for _, c := range s.more {
		c.Close()
	}
	s.more = nil
	s.attach.Unlock()
	if s.spool != nil {
		s.spool.close()
	}
	if s.frames != nil {
		s.frames.close()
	}
	s.mapOnce.Do(func() { s.mapErr = os.ErrClosed })
	if s.mapped != nil {
		s.unregister()
		if err := unix.Munmap(s.mapped); err != nil {
			return err
		}
		s.mapped, s.mapErr = nil, os.ErrClosed
	}
	if s.file != nil && s.owned {
		return s.file.Close()
	}
	return nil
}
