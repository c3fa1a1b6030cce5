package sections

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Sums verifies an index file block by block, each when a part of it is first read: a file is too large to verify
// completely before the first chart. It reads the file rather than the mapping, whose pages would count as memory. A
// nil Sums has nothing to verify.
type Sums struct {
	at      io.ReaderAt
	data    []byte        // the blocks, mapped
	sums    []byte        // four bytes per block
	done    []atomic.Bool // by block
	all     atomic.Bool
	broken  atomic.Bool
	rest    sync.Mutex // while what was not verified is
	discard func()     // where that is damaged
	forget  func()     // frees the physical memory of the mapping; nil for nothing
	buffers sync.Pool  // *[BlockSize]byte
}

// blocksPerWorker is how many blocks are worth another goroutine.
const blocksPerWorker = 64

func newSums(file *File, data, sums []byte) *Sums {
	s := &Sums{at: file.At, data: data, sums: sums, done: make([]atomic.Bool, len(sums)/4), forget: file.Forget}
	s.buffers.New = func() any { return new([BlockSize]byte) }
	return s
}

// Forget frees the physical memory of what was read. It can still be read, more slowly the next time.
func (s *Sums) Forget() {
	if s != nil && s.forget != nil {
		s.forget()
	}
}

// Verified reports whether nothing is left to verify.
func (s *Sums) Verified() bool { return s == nil || s.all.Load() }

// Verify checks the blocks that contain b, a part of the mapping, or a copy of what was verified.
func (s *Sums) Verify(ctx context.Context, b []byte) error {
	if s.Verified() || len(b) == 0 {
		return nil
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.data)))
	if from >= uintptr(len(s.data)) {
		return nil
	}
	buffer := s.buffers.Get().(*[BlockSize]byte)
	defer s.buffers.Put(buffer)
	for block, end := int(from/BlockSize), int(from)+len(b); block*BlockSize < end; block++ {
		if s.done[block].Load() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		part := buffer[:min(BlockSize, len(s.data)-block*BlockSize)]
		if n, err := s.at.ReadAt(part, int64(block)*BlockSize); n < len(part) {
			return Damaged("%v", err)
		}
		if Checksum(part) != binary.LittleEndian.Uint32(s.sums[4*block:]) {
			return Damaged("a Checksum is wrong")
		}
		s.done[block].Store(true)
	}
	return nil
}

// verifySome checks the ends of b and a few blocks in between.
func (s *Sums) verifySome(ctx context.Context, b []byte) error {
	const some = 4
	for i := range some {
		at := i * (len(b) - 1) / (some - 1)
		if err := s.Verify(ctx, b[at:at+1]); err != nil {
			return err
		}
	}
	return nil
}

// VerifyAll checks all blocks, on all cores.
func (s *Sums) VerifyAll(ctx context.Context) error {
	workers := min(runtime.GOMAXPROCS(0), len(s.done)/blocksPerWorker+1)
	errs := make([]error, workers)
	var wait sync.WaitGroup
	for i := range workers {
		from, to := i*len(s.done)/workers*BlockSize, (i+1)*len(s.done)/workers*BlockSize
		wait.Go(func() { errs[i] = s.Verify(ctx, s.data[from:min(to, len(s.data))]) })
	}
	wait.Wait()
	err := errors.Join(errs...)
	if err == nil {
		s.all.Store(true)
	}
	return err
}

// Read copies a part of the mapping to b without touching more of it.
func (s *Sums) Read(b, part []byte) error {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(s.data)))
	if n, err := s.at.ReadAt(b, int64(from)); n < len(b) {
		return Damaged("%v", err)
	}
	return nil
}
