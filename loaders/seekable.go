package loaders

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/memtui/memtui/model"
)

// The seek table of zstd's seekable format is a skippable frame at the end of the file: an entry for each frame, with
// its compressed and decompressed size, and after them their number, a byte of flags and a magic number. Frames of LZ4
// may be followed by one, too: both compressions skip such frames.
const (
	seekMagic     = 0x8f92eab1
	skippable     = 0x184d2a5e
	seekFooter    = 9    // bytes
	seekHead      = 8    // bytes of a skippable frame before its contents
	seekChecksums = 0x80 // flag: entries have a checksum, four bytes more
	seekReserved  = 0x7c // flags that no version uses yet
	seekFrame     = 16 << 20
	seekCache     = 32 << 20 // bytes of frames that are kept decompressed
	seekEntry     = 16       // bytes of memory for each frame
	seekLeast     = 4        // frames that are kept at least
	seekDamages   = 100      // damaged frames that have problems of their own
)

// frames is a compressed file whose frames are decompressed one by one as they are read: neither a copy nor the whole is
// ever made. A damaged frame is zeros, and a problem. Any goroutine may read.
type frames struct {
	file    *os.File
	outer   string
	starts  []int64 // of the frames in the file, and where the last one ends
	ends    []int64 // of the frames in decompressed bytes
	stored  int64
	allowed atomic.Int64
	budget  *model.Budget
	unpack  func(dst, frame []byte) ([]byte, error)

	mu      sync.Mutex
	recent  []*frame // the one that was used last is last
	keep    int
	bad     map[int]bool // frames that are damaged
	problem []model.Problem
	watch   func(model.Problem) // is called with what is found from then on; nil if nothing is
	closed  bool
}

// frame is a decompressed frame; data is valid once done is closed.
type frame struct {
	number int
	done   chan struct{}
	data   []byte
	err    error
}

// openFrames returns the frames of a compressed file that has a seek table, nil if it has none that is sound.
func openFrames(ctx context.Context, file *os.File, outer string, size int64) *frames {
	f := &frames{file: file, outer: outer, stored: size, budget: model.BudgetOf(ctx)}
	if outer != "zstd" && outer != lz4Outer || !f.table() || !f.decoder() {
		return nil
	}
	for _, i := range []int{0, len(f.ends) - 1} { // a table of another file would make everything look damaged
		if _, err := f.decompress(i); err == nil {
			return f
		}
	}
	return nil
}

// table reads the seek table, and reports whether it describes the file.
func (f *frames) table() bool {
	var footer [seekFooter]byte
	if _, err := f.file.ReadAt(footer[:], f.stored-seekFooter); err != nil || binary.LittleEndian.Uint32(footer[5:]) != seekMagic ||
		footer[4]&seekReserved != 0 {
		return false
	}
	n, entry := int64(binary.LittleEndian.Uint32(footer[:])), int64(8)
	if footer[4]&seekChecksums != 0 {
		entry += 4
	}
	length := n*entry + seekFooter
	begin := f.stored - length - seekHead
	var head [seekHead]byte
	if n == 0 || begin <= 0 || !f.budget.Fits(n*seekEntry) {
		return false
	}
	if _, err := f.file.ReadAt(head[:], begin); err != nil || binary.LittleEndian.Uint32(head[:]) != skippable ||
		int64(binary.LittleEndian.Uint32(head[4:])) != length {
		return false
	}
	return f.entries(io.NewSectionReader(f.file, begin+seekHead, n*entry), n, int(entry)) && f.starts[n] == begin
}

// entries reads the entries of the table; false if a frame is too large to be decompressed at once.
func (f *frames) entries(r io.Reader, n int64, entry int) bool {
	f.starts, f.ends = make([]int64, 1, n+1), make([]int64, 0, n)
	at, end := int64(0), int64(0)
	largest := int64(1)
	for buf := make([]byte, 4096*entry); int64(len(f.ends)) < n; {
		part := buf[:min(int64(len(buf)), (n-int64(len(f.ends)))*int64(entry))]
		if _, err := io.ReadFull(r, part); err != nil {
			return false
		}
		for ; len(part) > 0; part = part[entry:] {
			packed, plain := int64(binary.LittleEndian.Uint32(part)), int64(binary.LittleEndian.Uint32(part[4:]))
			if packed == 0 || packed > 2*seekFrame || plain > seekFrame {
				return false
			}
			at, end, largest = at+packed, end+plain, max(largest, plain)
			f.starts, f.ends = append(f.starts, at), append(f.ends, end)
		}
	}
	f.keep = int(max(seekLeast, f.budget.Part(seekCache, 16)/largest))
	return true
}

// decoder sets how frames are decompressed.
func (f *frames) decoder() bool {
	if f.outer == lz4Outer {
		readers := sync.Pool{New: func() any { return lz4.NewReader(nil) }}
		f.unpack = func(dst, packed []byte) ([]byte, error) {
			z := readers.Get().(*lz4.Reader)
			defer readers.Put(z)
			z.Reset(bytes.NewReader(packed))
			n, err := io.ReadFull(z, dst[:cap(dst)])
			if err == nil {
				err = moreThan(z)
			}
			return dst[:n], err
		}
		return true
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(seekFrame))
	if err != nil {
		return false
	}
	f.unpack = func(dst, packed []byte) ([]byte, error) { return z.DecodeAll(packed, dst) }
	return true
}

// moreThan returns an error if r has bytes, or its checksum is wrong.
func moreThan(r io.Reader) error {
	var one [1]byte
	switch n, err := r.Read(one[:]); {
	case n > 0:
		return errors.New("it is longer than the seek table says")
	case err == io.EOF:
		return nil
	default:
		return err
	}
}

// span returns where the decompressed bytes of a frame are.
func (f *frames) span(i int) (from, to int64) {
	if i > 0 {
		from = f.ends[i-1]
	}
	return from, f.ends[i]
}

// decompress returns the bytes of a frame.
func (f *frames) decompress(i int) (data []byte, err error) {
	from, to := f.span(i)
	packed := make([]byte, f.starts[i+1]-f.starts[i])
	if n, err := f.file.ReadAt(packed, f.starts[i]); n < len(packed) {
		if err == io.EOF {
			err = ErrShrank
		}
		return nil, err
	}
	err = model.Guarded(func() error {
		data, err = f.unpack(make([]byte, 0, to-from), packed)
		return err
	})
	if err == nil && int64(len(data)) != to-from {
		err = fmt.Errorf("it has %s bytes, and the seek table says %s", model.Group(uint64(len(data))), model.Group(uint64(to-from)))
	}
	return data, err
}

// get returns a frame, decompressed. One goroutine decompresses it for all.
func (f *frames) get(i int) ([]byte, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, os.ErrClosed
	}
	for at, x := range slices.Backward(f.recent) {
		if x.number == i {
			f.recent = append(slices.Delete(f.recent, at, at+1), x)
			f.mu.Unlock()
			<-x.done
			return x.data, x.err
		}
	}
	x := &frame{number: i, done: make(chan struct{})}
	if len(f.recent) >= f.keep {
		f.recent = slices.Delete(f.recent, 0, 1)
	}
	f.recent = append(f.recent, x)
	f.mu.Unlock()
	defer close(x.done)
	if x.data, x.err = f.decompress(i); x.err != nil && !errors.Is(x.err, ErrShrank) && !errors.Is(x.err, os.ErrClosed) {
		x.data, x.err = f.damaged(i, x.err), nil
	}
	return x.data, x.err
}

// damaged records that a frame cannot be decompressed, and returns zeros in its place.
func (f *frames) damaged(i int, err error) []byte {
	from, to := f.span(i)
	p := model.Problem{Severity: model.Error, Code: codeCompression, Count: 1, Offset: from,
		Message: fmt.Sprintf("the %s frame at byte %s of the file is damaged: %s; its %s are read as zeros",
			f.outer, model.Group(uint64(f.starts[i])), err, model.Bytes(to-from))}
	if watch := f.record(i, p); watch != nil {
		watch(p)
	}
	return make([]byte, to-from)
}

// record adds the problem of a damaged frame, and returns the function to call with it; nil if it is known.
func (f *frames) record(i int, p model.Problem) func(model.Problem) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.bad[i] {
		return nil
	}
	if f.bad == nil {
		f.bad = map[int]bool{}
	}
	f.bad[i] = true
	if len(f.problem) == seekDamages {
		f.problem[seekDamages-1].Count++
		return nil
	}
	f.problem = append(f.problem, p)
	return f.watch
}

// finalSize returns the decompressed size, up to the limit of a file of this size.
func (f *frames) finalSize() int64 { return min(f.ends[len(f.ends)-1], f.limit()) }

func (f *frames) limit() int64 { return expansionLimit(f.stored, f.allowed.Load()) }

func (f *frames) problems() []model.Problem {
	f.mu.Lock()
	list := slices.Clone(f.problem)
	f.mu.Unlock()
	if limit := f.limit(); f.ends[len(f.ends)-1] > limit {
		list = append(list, tooLarge(limit, limit))
	}
	return list
}

// readAt copies to p what is there from off.
func (f *frames) readAt(ctx context.Context, p []byte, off int64) (n int, err error) {
	size := f.finalSize()
	if off < 0 || off >= size {
		return 0, io.EOF
	}
	whole := int64(len(p)) <= size-off
	if !whole {
		p = p[:size-off]
	}
	for i := sort.Search(len(f.ends), func(i int) bool { return f.ends[i] > off }); n < len(p); i++ {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		data, err := f.get(i)
		if err != nil {
			return n, err
		}
		from, _ := f.span(i)
		n += copy(p[n:], data[off+int64(n)-from:])
	}
	if !whole {
		err = io.EOF
	}
	return n, err
}

// copyRange returns up to n bytes from off.
func (f *frames) copyRange(ctx context.Context, off, n int64) ([]byte, error) {
	n = max(0, min(n, f.finalSize()-off))
	if err := rangeFits(f.budget, n); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	got, err := f.readAt(ctx, b, off)
	if err == io.EOF {
		err = nil
	}
	return b[:got], err
}

// close frees what is kept. Reads that wait for a frame return it.
func (f *frames) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed, f.recent = true, nil
}

// expansionLimit returns how many bytes of a compressed file are read.
func expansionLimit(stored, allowed int64) int64 {
	if stored > math.MaxInt64/spoolExpansion {
		return math.MaxInt64
	}
	return max(spoolUnasked, spoolExpansion*stored, allowed)
}

// tooLarge returns the problem of a compressed file that expands to more than the limit.
func tooLarge(limit, at int64) model.Problem {
	return model.Problem{Severity: model.Error, Code: "too-large", Count: 1, Offset: at, Message: fmt.Sprintf(
		"the limit of %s for a compressed file of this size is reached: the rest was not read; %s; a decompressed file has no such limit",
		model.Bytes(limit), model.RaiseHint(2*limit))}
}

// rangeFits reports why so many bytes of a compressed file or a pipe cannot be in memory at once.
func rangeFits(b *model.Budget, n int64) error {
	switch {
	case n > spoolRange:
		return &LimitError{fmt.Sprintf("%s of a compressed file or a pipe exceed the limit of %s for data that must be in memory at once: "+
			"decompress it to a file first, which has no such limit", model.Bytes(n), model.Bytes(spoolRange))}
	case n > b.Part(spoolRange, 4):
		return b.Error(model.Bytes(n).String() + " of a compressed file or a pipe at once")
	}
	return nil
}
