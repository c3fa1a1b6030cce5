package record

import (
	"context"
	"os"
	"path"
	"runtime"
	"time"
	"unsafe"

	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// Own records blocks that this program itself allocates and frees with it. It is for one goroutine.
type Own struct {
	file    *traceFile
	start   time.Time
	flushed time.Time
	frames  frameNumbers
	stacks  map[[ownFrames]uintptr]int // IDs
}

// ownFrames is the most frames of a stack of [Own].
const ownFrames = 16

// ownFlush is how often the file is made whole.
const ownFlush = 50 * time.Millisecond

// NewOwn creates a recording at a path where nothing is yet.
func NewOwn(path string) (*Own, error) {
	exe, err := os.Executable()
	if err != nil {
		exe = "memtui"
	}
	now := time.Now()
	f, err := newTraceFile(path, now, exe, Options{})
	if err != nil {
		return nil, err
	}
	return &Own{file: f, start: now, frames: frameNumbers{}, stacks: map[[ownFrames]uintptr]int{}}, nil
}

// Take allocates a block of n bytes, at least one.
func (o *Own) Take(n int) []byte {
	b := make([]byte, max(n, 1))
	var pcs [ownFrames]uintptr
	runtime.Callers(2, pcs[:])
	id, ok := o.stacks[pcs]
	if !ok {
		id = len(o.stacks) + 1
		o.stacks[pcs] = id
		o.stack(pcs[:])
	}
	o.event(&model.Event{Kind: model.Alloc, Addr: address(b), Size: uint64(len(b)), ID: uint64(id), Thread: 1})
	return b
}

// Drop frees a block, which must not be used any longer.
func (o *Own) Drop(b []byte) { o.event(&model.Event{Kind: model.Free, Addr: address(b)}) }

func address(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

func (o *Own) event(e *model.Event) {
	o.file.event(uint64(time.Since(o.start).Microseconds()), e)
	o.Flush()
}

// Flush makes the file whole if that is due.
func (o *Own) Flush() {
	if now := time.Now(); now.Sub(o.flushed) > ownFlush {
		o.flushed = now
		_ = o.file.flush()
	}
}

// stack notes a stack and its frames.
func (o *Own) stack(pcs []uintptr) {
	words := []uint64{}
	list := runtime.CallersFrames(pcs)
	for more := true; more; {
		var f runtime.Frame
		f, more = list.Next()
		if f.Function == "" || f.Function == "runtime.goexit" {
			continue
		}
		word, _ := o.frames.word(journal.Frame{File: path.Base(f.File), Function: path.Base(f.Function), Line: int64(f.Line)}, o.file.note)
		words = append(words, word)
	}
	_ = o.file.note(&journal.Note{Stack: words})
}

// End completes the file.
func (o *Own) End(ctx context.Context) error {
	_, err := o.file.finish(ctx, map[string]any{"recorder": "memtui", "program": o.file.stacks.Program})
	return err
}
