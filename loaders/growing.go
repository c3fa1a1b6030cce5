package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/model"
)

// How often a growing file is looked at: less and less often while nothing comes.
const (
	growBusy = 20 * time.Millisecond
	growIdle = 250 * time.Millisecond
)

// growing is a file that another process still writes. Its writer holds an exclusive lock (flock) until it ends.
type growing struct {
	file *os.File
	stop context.CancelFunc

	mu      sync.Mutex
	arrived *sync.Cond
	size    int64
	ended   bool // no more comes
	err     error
}

// Written reports whether a writer holds a lock on a regular file, and so still writes it.
func Written(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return locked(f)
}

// locked reports whether another process holds an exclusive lock on a file.
func locked(f *os.File) bool {
	err := unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	}
	return errors.Is(err, unix.EWOULDBLOCK)
}

// OpenGrowing opens a regular file that is being written, and reads on as it grows: until its writer, which holds a
// lock, has ended, or without a lock until the source is closed. Canceling ctx ends every read that waits for more. The
// caller must Close the source.
func OpenGrowing(ctx context.Context, path string) (*Source, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, describe(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: only a regular file can be followed", path)
	}
	head := make([]byte, magicLength)
	n := 0
	if err == nil {
		n, err = f.ReadAt(head, 0)
		err = withoutEOF(err)
	}
	if err == nil && outerFormat(head[:n]) != "" {
		err = fmt.Errorf("%s: a compressed file cannot be followed while it grows", path)
	}
	if err != nil {
		_ = f.Close()
		return nil, describe(path, err)
	}
	watching, stop := context.WithCancel(ctx)
	g := &growing{file: f, stop: stop, size: info.Size()}
	g.arrived = sync.NewCond(&g.mu)
	s := &Source{path: path, file: f, info: info, owned: true, budget: model.BudgetOf(ctx), growing: g}
	go g.watch(watching, locked(f))
	return s, nil
}

func withoutEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// watch looks at the file until its writer has ended, or ctx is done. written reports that there is a writer with a
// lock.
func (g *growing) watch(ctx context.Context, written bool) {
	defer context.AfterFunc(ctx, func() { g.end(context.Cause(ctx)) })()
	for pause := growBusy; ; pause = min(2*pause, growIdle) {
		over := written && !locked(g.file) // asked before the size, so that nothing is missed
		info, err := g.file.Stat()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			g.end(err)
			return
		}
		if g.grew(info.Size()) {
			pause = growBusy / 2
		}
		if over {
			g.end(nil)
			return
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

// grew notes the size of the file, and reports whether it grew. A file that shrinks keeps its size: what reads find
// missing is reported.
func (g *growing) grew(size int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if size <= g.size {
		return false
	}
	g.size = size
	g.arrived.Broadcast()
	return true
}

func (g *growing) end(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		g.ended, g.err = true, err
		g.arrived.Broadcast()
	}
}

// await waits until the file has n bytes, no more come, or ctx is done. It returns the size so far.
func (g *growing) await(ctx context.Context, n int64) (size int64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.size < n && !g.ended {
		defer context.AfterFunc(ctx, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.arrived.Broadcast()
		})()
	}
	for g.size < n && !g.ended && ctx.Err() == nil {
		g.arrived.Wait()
	}
	if ctx.Err() != nil {
		return g.size, ctx.Err()
	}
	if g.size < n {
		err = g.err
	}
	return g.size, err
}

// now returns the size so far, and whether more may come.
func (g *growing) now() (size int64, more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.size, !g.ended
}

// Growing reports whether the source is a file that may still grow, or a recording in a pipe that goes on.
func (s *Source) Growing() bool {
	if s.growing == nil {
		return s.Side() != nil && s.spool.finalSize() < 0
	}
	_, more := s.growing.now()
	return more
}

// Ends notes that nothing more comes to a file that is followed, as its contents say: a file without a lock does not say so.
func (s *Source) Ends() {
	if s.growing != nil {
		s.growing.end(nil)
		s.growing.stop()
	}
}

// Followed reports whether the source was opened while it grew. Nothing that is derived from it should be kept.
func (s *Source) Followed() bool { return s.growing != nil }
