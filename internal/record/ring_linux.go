package record

import (
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What both sides of a ring state: hook.c has the same numbers.
const (
	ringMagic   = 0x4d54524e
	ringVersion = 2
	ringHead    = 1 << 16

	ringFull    = 1 // every event, not samples
	ringDrop    = 2 // allocations are dropped where the ring is full
	ringCounted = 4 // samples are so many blocks apart, not bytes
	ringNative  = 8 // native frames as well where there are frames of Python
)

// ringPage is how the memory of a ring begins. The program and the recorder write different lines of it.
type ringPage struct {
	magic, size                  uint64
	start, period                uint64
	flags, frames, pid, version  uint32
	_                            [64 - 48]byte
	head                         atomic.Uint64
	_                            [64 - 8]byte
	tail, heartbeat              atomic.Uint64
	closed, shift                atomic.Uint32
	_                            [64 - 24]byte
	lostAllocs, lostFrees, waits atomic.Uint64
	cut                          atomic.Uint64
	threads, ready, python       atomic.Uint32
}

// ring is memory that a program writes events to. It is for one goroutine.
type ring struct {
	file   *os.File
	memory []byte
	page   *ringPage
	data   []byte
	read   uint64 // bytes, ever; the page's tail follows
	joined []byte // a record that wraps
}

// newRing returns a ring of size bytes, a power of two, or of less where files may not be that large (ulimit -f).
func newRing(size int, o Options) (*ring, error) {
	fd, err := unix.MemfdCreate("memtui-ring", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot share memory with the program: %w", err)
	}
	r := &ring{file: os.NewFile(uintptr(fd), "ring")}
	for err = unix.Ftruncate(fd, int64(ringHead+size)); errors.Is(err, unix.EFBIG) && size > smallestRing; {
		size /= 2
		err = unix.Ftruncate(fd, int64(ringHead+size))
	}
	if err == nil {
		r.memory, err = unix.Mmap(fd, 0, ringHead+size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	if err != nil {
		_ = r.file.Close()
		return nil, fmt.Errorf("cannot share memory with the program: %w", err)
	}
	r.page, r.data = (*ringPage)(unsafe.Pointer(&r.memory[0])), r.memory[ringHead:]
	p := r.page
	p.magic, p.version, p.size, p.period, p.frames = ringMagic, ringVersion, uint64(size), uint64(o.Sample), uint32(o.Frames)
	p.start = monotonic()
	switch {
	case o.full():
		p.flags |= ringFull
	case o.Rate > 0: // so that the chance of a block is the rate
		p.flags |= ringCounted
		p.period = uint64(max(-1/math.Log1p(-min(o.Rate, 0.999999)), 1.0/16) * (1 << 20))
	}
	if o.Native {
		p.flags |= ringNative
	}
	if o.Drop {
		p.flags |= ringDrop
	}
	p.heartbeat.Store(p.start)
	return r, nil
}

// monotonic returns the time of the clock that programs stamp events with, in nanoseconds.
func monotonic() uint64 {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return uint64(time.Now().UnixNano())
	}
	return uint64(t.Nano())
}

// errRing is the error of a ring whose contents no hook writes.
var errRing = errors.New("the program wrote over the memory that it shares with the recorder")

// word returns the first word of the record at an offset.
func (r *ring) word(at uint64) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(&r.data[at&uint64(len(r.data)-1)]))
}

// drain yields the records that are complete, oldest first, and returns how many bytes they took. A record is valid
// until yield returns.
func (r *ring) drain(yield func(record) error) (n uint64, err error) {
	r.page.heartbeat.Store(monotonic())
	head, size := r.page.head.Load(), uint64(len(r.data))
	stored := r.read
	for r.read < head {
		word := r.word(r.read).Load()
		if word == 0 {
			break
		}
		length := uint64(word>>8) * grain
		if length == 0 || length > maxRecord || length > size {
			return n, errRing
		}
		from := r.read & (size - 1)
		to := from + length
		b := r.data[from:min(to, size)]
		if to > size {
			r.joined = append(append(r.joined[:0], b...), r.data[:to-size]...)
			b = r.joined
		}
		if err := yield(record{word: word, b: b}); err != nil {
			return n, err
		}
		clear(r.data[from:min(to, size)])
		if to > size {
			clear(r.data[:to-size])
		}
		r.read += length
		n += length
		if r.read-stored >= 1<<15 {
			r.page.tail.Store(r.read)
			stored = r.read
		}
	}
	r.page.tail.Store(r.read)
	return n, nil
}

// touched returns how many bytes of it the program has written to, and so has in its resident set.
func (r *ring) touched() uint64 {
	page := uint64(os.Getpagesize())
	written := min(r.page.head.Load(), uint64(len(r.data)))
	return page + (written+page-1)/page*page
}

// close lets the program know that the ring is no longer read.
func (r *ring) close() {
	r.page.closed.Store(1)
	_ = unix.Munmap(r.memory)
	_ = r.file.Close()
}
