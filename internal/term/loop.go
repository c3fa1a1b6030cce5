package term

import (
	"context"
	"runtime/debug"
	"sync"
)

// Loop is the only way to run functions on the UI goroutine, and to start goroutines while the screen is up. All
// methods may be called from any goroutine, at any time: before Run functions are kept for it, after the end they are
// dropped.
type Loop struct {
	mu    sync.Mutex
	calm  *sync.Cond // something that WaitIdle checks has changed
	queue []func()
	tasks int  // goroutines started with Go
	busy  bool // the UI goroutine has something to do or to draw
	ended bool
	wake  chan struct{}

	panicked func(value any, stack []byte)
	flushed  func() bool // nothing waits for the terminal
}

func newLoop(panicked func(any, []byte), flushed func() bool) *Loop {
	l := &Loop{wake: make(chan struct{}, 1), panicked: panicked, flushed: flushed}
	l.calm = sync.NewCond(&l.mu)
	return l
}

// Post runs f on the UI goroutine, after everything posted before it, and then draws the screen: once for everything
// that waits, at most thirty times a second, but at once after a key. It never blocks. The caller must not post faster
// than f runs.
func (l *Loop) Post(f func()) {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, f)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Go runs f in a goroutine that WaitIdle waits for. A panic in f ends Run in order instead of killing the process with
// the terminal in raw mode.
func (l *Loop) Go(f func()) {
	l.mu.Lock()
	l.tasks++
	l.mu.Unlock()
	go func() {
		defer func() {
			l.mu.Lock()
			l.tasks--
			l.mu.Unlock()
			l.calm.Broadcast()
		}()
		l.guard(f)
	}()
}

// Background is Go for goroutines that mostly wait, such as the follower of a store: WaitIdle does not wait for them.
func (l *Loop) Background(f func()) { go l.guard(f) }

func (l *Loop) guard(f func()) {
	debug.SetPanicOnFault(true) // of this goroutine, which is the loop's own
	defer func() {
		if p := recover(); p != nil {
			l.panicked(p, debug.Stack())
		}
	}()
	f()
}

// WaitIdle returns when no function waits, no goroutine of Go runs, nothing is to be drawn and everything drawn has
// been written; or with ctx's error. It must not be called on the UI goroutine.
func (l *Loop) WaitIdle(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.calm.Broadcast()
	})
	defer stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.idle() {
		if err := ctx.Err(); err != nil {
			return err
		}
		l.calm.Wait()
	}
	return nil
}

// idle needs mu. After the end nothing is drawn, but tasks may still run.
func (l *Loop) idle() bool {
	if l.ended {
		return l.tasks == 0
	}
	return l.tasks == 0 && !l.busy && len(l.queue) == 0 && l.flushed()
}

// take returns the posted functions, in order, and counts the UI goroutine as busy until rest.
func (l *Loop) take() []func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch := l.queue
	l.queue = nil
	l.busy = true
	return batch
}

// work counts the UI goroutine as busy until rest.
func (l *Loop) work() {
	l.mu.Lock()
	l.busy = true
	l.mu.Unlock()
}

// rest reports that the UI goroutine has nothing left to do or to draw.
func (l *Loop) rest() {
	l.mu.Lock()
	l.busy = false
	l.mu.Unlock()
	l.calm.Broadcast()
}

// end makes Post a no-op and drops waiting functions.
func (l *Loop) end() {
	l.mu.Lock()
	l.ended, l.queue, l.busy = true, nil, false
	l.mu.Unlock()
	l.calm.Broadcast()
}
