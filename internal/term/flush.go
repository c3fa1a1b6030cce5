package term

import (
	"sync"

	"github.com/gdamore/tcell/v2"
)

// flusher sends frames from the UI goroutine to the terminal. It has two copies of the screen: the newest frame
// (guarded by mu) and the one sent to the terminal (its own). It never writes to the terminal while it holds mu, so the
// UI goroutine never waits for the terminal.
type flusher struct {
	mu      sync.Mutex
	frame   []cell
	w, h    int
	at      point
	styles  []tcell.Style // by number
	changed bool          // the frame differs from the previous one
	stale   bool          // the sent copy is uncertain: pass everything to tcell again
	refresh bool          // the terminal's content is uncertain: clear it and send everything
	ops     []func()
	after   []func() // to run once the next frame was sent
	busy    bool     // a flush is in progress
	closed  bool
	frames  int
	wake    chan struct{} // nil: flush in show
	done    chan struct{} // closed when the goroutine has ended
	idle    func()        // called without mu whenever a flush ends; may be nil

	// Only for the flushing goroutine.
	out      tcell.Screen
	sent     []cell
	sentW    int
	sentAt   point
	scroller scroller
	scroll   scroll   // what of the sent copy was moved, before diff
	diff     []int32  // indexes of cells that the terminal lacks then
	replaced []int32  // indexes of cells that differ from the last frame, for tcell, after a scroll
	complete bool     // diff is everything
	enc      *encoder // nil: tcell writes
	parked   bool     // tcell has released the terminal: its Show would never return
}

// drawing is a frame as passed to show.
type drawing struct {
	cells  []cell
	w, h   int
	cursor point
	styles []tcell.Style // by number; entries never change
	fresh  bool          // the numbers differ from those of the previous frame
}

func (f *flusher) start(out tcell.Screen, async bool) {
	f.out = out
	f.at, f.sentAt = hidden(), hidden()
	f.done = make(chan struct{})
	if !async {
		close(f.done)
		return
	}
	f.wake = make(chan struct{}, 1)
	go func() {
		defer close(f.done)
		for range f.wake {
			f.flush()
		}
	}()
}

// show accepts a frame: it copies the changed cells and wakes the flusher if there are any.
func (f *flusher) show(p drawing, refresh bool) {
	f.mu.Lock()
	if p.w != f.w || p.h != f.h {
		f.frame, f.w, f.h = make([]cell, len(p.cells)), p.w, p.h
		f.changed = true
	}
	for i := range p.cells {
		if c := &p.cells[i]; *c != f.frame[i] {
			f.frame[i] = *c
			f.changed = true
		}
	}
	if p.cursor != f.at {
		f.at, f.changed = p.cursor, true
	}
	f.styles, f.stale = p.styles, f.stale || p.fresh
	f.refresh = f.refresh || refresh
	work := f.changed || f.stale || f.refresh
	f.mu.Unlock()
	if work {
		f.request()
	}
}

// later runs op on the flushing goroutine before the next frame.
func (f *flusher) later(op func()) {
	f.mu.Lock()
	f.ops = append(f.ops, op)
	f.mu.Unlock()
	f.request()
}

// park runs give, which makes tcell release the terminal, on the flushing goroutine, and holds frames back from then
// on.
func (f *flusher) park(give func()) {
	f.do(func() { f.parked = true; give() })
}

// unpark runs take and ends park.
func (f *flusher) unpark(take func()) {
	f.do(func() { take(); f.parked = false })
}

// afterNext runs op on the flushing goroutine once the next frame was sent.
func (f *flusher) afterNext(op func()) {
	f.mu.Lock()
	f.after = append(f.after, op)
	f.mu.Unlock()
}

// do is later and waits until op has run. It must not be called by an op.
func (f *flusher) do(op func()) {
	done := make(chan struct{})
	f.later(func() { defer close(done); op() })
	select {
	case <-done:
	case <-f.done:
	}
}

func (f *flusher) request() {
	if f.wake == nil {
		f.flush()
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// shut runs last on the flushing goroutine, ends it, and returns when it has ended. Later frames are dropped. Only the
// first call has an effect.
func (f *flusher) shut(last func()) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		<-f.done
		return
	}
	f.ops = append(f.ops, func() { f.parked = true; last() })
	f.mu.Unlock()
	f.request()
	f.mu.Lock()
	f.closed = true
	if f.wake != nil {
		close(f.wake)
	}
	f.mu.Unlock()
	<-f.done
}

// invalidate sends the next frame completely: because the terminal lost its content (refresh), or because tcell may
// have cut its copy of the screen.
func (f *flusher) invalidate(refresh bool) {
	f.mu.Lock()
	f.stale = true
	f.refresh = f.refresh || refresh
	f.mu.Unlock()
}

// resting reports whether nothing waits to be sent.
func (f *flusher) resting() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed || !f.busy && !f.changed && !f.stale && !f.refresh && len(f.ops) == 0
}

// flush sends everything that waits: operations first, then the frame.
func (f *flusher) flush() {
	f.mu.Lock()
	ops, refresh, at, styles := f.ops, f.refresh, f.at, f.styles
	f.collect()
	f.ops, f.busy = nil, true
	f.changed, f.stale, f.refresh = false, false, false
	send := refresh || len(f.diff) > 0 || at != f.sentAt
	var after []func()
	if send {
		f.frames++
		after, f.after = f.after, nil
	}
	f.mu.Unlock()

	for _, op := range ops {
		op()
	}
	if send && !f.parked {
		f.send(styles, at, refresh)
	}
	for _, op := range after {
		op()
	}

	f.mu.Lock()
	f.busy = false
	f.stale = f.stale || f.parked
	f.mu.Unlock()
	if f.idle != nil {
		f.idle()
	}
}

// collect fills diff with what the terminal lacks and counts it as sent. mu is held.
func (f *flusher) collect() {
	f.complete = f.stale || f.refresh || len(f.sent) != len(f.frame) || f.sentW != f.w
	if len(f.sent) != len(f.frame) {
		f.sent = make([]cell, len(f.frame))
	}
	f.sentW, f.scroll = f.w, scroll{}
	f.compare()
	if f.enc != nil && !f.complete && len(f.diff) >= leastDiffer {
		if f.scroll = f.scroller.find(f.sent, f.frame, f.w); f.scroll.by != 0 {
			f.scroll.apply(f.sent, f.w)
			f.diff, f.replaced = f.replaced, f.diff
			f.compare()
		}
	}
	for _, d := range f.diff {
		c := &f.frame[d]
		if f.sent[d] = *c; c.width > 1 && (int(d)+1)%f.w > 0 { // the next cell is covered, whatever it holds
			f.sent[d+1] = cell{width: covered}
		}
	}
}

// compare fills diff with the cells in which the frame differs from the one that was sent.
func (f *flusher) compare() {
	f.diff = f.diff[:0]
	for i := 0; i < len(f.frame); i++ {
		c := &f.frame[i]
		if f.complete || *c != f.sent[i] {
			f.diff = append(f.diff, int32(i))
		}
		if c.width > 1 && (i+1)%f.w > 0 {
			i++
		}
	}
}

// covered is the width of a cell below the right half of a wide one, once that was sent.
const covered = 0xff

// send writes the differences. tcell has them, too, so that it can draw when it learns of another size.
func (f *flusher) send(styles []tcell.Style, at point, refresh bool) {
	cells := f.diff
	if f.scroll.by != 0 {
		cells = f.replaced
	}
	for _, d := range cells {
		c := &f.sent[d]
		f.out.Put(int(d)%f.sentW, int(d)/f.sentW, c.text, styles[c.style])
	}
	f.out.ShowCursor(at.x, at.y)
	switch {
	case f.enc != nil:
		f.enc.write(outgoing{f.diff, f.sent, f.sentW, styles, f.complete, refresh, f.sentAt, at, f.scroll})
	case refresh:
		f.out.Sync()
	default:
		f.out.Show()
	}
	f.sentAt = at
}
