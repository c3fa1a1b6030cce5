//go:build unix

package term

import (
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// maxPaste bounds one paste to a primitive, in bytes.
const maxPaste = 64 << 10

// ui is the state of the loop.
type ui struct {
	root, focus tview.Primitive
	keys        func(*tcell.EventKey) *tcell.EventKey
	mouse       mouse
	mouseOn     bool
	pasting     bool
	paste       strings.Builder

	due     bool          // something must be drawn
	urgent  bool          // due to a key or the like: without waiting for the budget
	drawn   time.Time     // when the last frame was drawn
	posted  time.Time     // when the last frame was drawn due to a Post; zero after a key
	budget  time.Duration // minimum time between two of those
	resumed time.Time     // when the last suspension ended
}

// SetRoot replaces the primitive that fills the screen and gives it the focus.
func (t *Terminal) SetRoot(p tview.Primitive) {
	t.root = p
	t.SetFocus(p)
	t.due, t.urgent = true, true
}

// SetFocus moves the focus to p, which may pass it on. With nil, nothing has the focus.
func (t *Terminal) SetFocus(p tview.Primitive) {
	if t.focus != nil {
		t.focus.Blur()
	}
	t.focus = p
	t.screen.HideCursor()
	if p != nil {
		p.Focus(t.SetFocus)
	}
}

// Focus returns the primitive that last got the focus, or nil.
func (t *Terminal) Focus() tview.Primitive { return t.focus }

// SetKeys sets a function that gets every key before the root does, except pasted ones. It returns the event to
// continue with, or nil if the key is handled. Ctrl-Z is handled earlier and suspends; a Ctrl-C that is returned
// unchanged quits.
func (t *Terminal) SetKeys(f func(*tcell.EventKey) *tcell.EventKey) { t.keys = f }

// SetMouse turns mouse reports on or off. When off, the terminal selects text.
func (t *Terminal) SetMouse(on bool) {
	t.mouseOn = on
	if on { // no motion without a button, which would be too many reports
		t.screen.EnableMouse(tcell.MouseButtonEvents | tcell.MouseDragEvents)
		return
	}
	t.screen.DisableMouse()
}

// Mouse reports whether mouse reports are on.
func (t *Terminal) Mouse() bool { return t.mouseOn }

// Redraw clears the terminal and sends everything again with the next frame.
func (t *Terminal) Redraw() {
	t.screen.invalidate(true)
	t.due, t.urgent = true, true
}

// loop is the UI goroutine.
func (t *Terminal) loop(root tview.Primitive) {
	t.work()
	t.SetRoot(root)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !t.ending() {
		if wait := t.untilDraw(); wait == 0 {
			t.draw()
			t.rest()
		} else if wait > 0 {
			timer.Reset(wait)
		} else {
			t.rest()
		}
		select {
		case <-t.quit:
			return
		case e := <-t.events:
			t.work()
			t.handle(e)
			t.handleWaiting()
		case <-t.wake:
			t.runPosted()
		case s := <-t.job:
			t.work()
			t.jobControl(s)
		case <-timer.C:
		}
	}
}

// handleWaiting handles the events that have already arrived, so that a burst of keys is drawn once. It stops when the
// end begins: type-ahead after a quit is dropped.
func (t *Terminal) handleWaiting() {
	for n := len(t.events); n > 0 && !t.ending(); n-- {
		t.handle(<-t.events)
	}
}

// ending reports whether the end has begun.
func (t *Terminal) ending() bool { return t.ctx.Err() != nil }

func (t *Terminal) runPosted() {
	for _, f := range t.take() {
		if t.ending() {
			return
		}
		f()
		t.due = true
	}
}

// untilDraw returns how long to wait before drawing: 0 is now, negative is never. A burst of keys is drawn at the same
// rate as posted functions.
func (t *Terminal) untilDraw() time.Duration {
	switch {
	case !t.due:
		return -1
	case t.urgent && len(t.events) == 0:
		return 0
	case t.urgent:
		return max(0, t.budget-time.Since(t.drawn))
	}
	return max(0, t.budget-time.Since(t.posted))
}

// draw draws a frame and shows it.
func (t *Terminal) draw() {
	t.drawn = time.Now()
	t.posted = t.drawn
	if t.urgent {
		t.posted = time.Time{} // the result of what the key started is drawn when it is done
	}
	t.due, t.urgent = false, false
	s := t.screen
	s.Clear()
	s.HideCursor()
	if t.root != nil {
		t.root.SetRect(0, 0, s.w, s.h)
		t.root.Draw(s)
	}
	s.Show()
}

// handle routes one event and requests a frame if it was handled.
func (t *Terminal) handle(e tcell.Event) {
	switch e := e.(type) {
	case *tcell.EventKey:
		t.key(e)
	case *tcell.EventPaste:
		t.pasted(e)
	case *tcell.EventMouse:
		if t.mouse.fire(t.root, e, t.SetFocus) {
			t.due, t.urgent = true, true
		}
	case *tcell.EventResize:
		t.resize()
	case *tcell.EventError:
		// That of a reader that was ended to lend the terminal may be left in the queue when the terminal is taken
		// back.
		if e.Error() != errClosing.Error() {
			t.stop(ErrGone)
		}
	}
}

func (t *Terminal) key(e *tcell.EventKey) {
	if t.pasting {
		t.pasteKey(e)
		return
	}
	t.due, t.urgent = true, true
	if e.Key() == tcell.KeyCtrlZ {
		t.Suspend()
		return
	}
	original := e
	if t.keys != nil {
		if e = t.keys(e); e == nil {
			return
		}
	}
	if e == original && e.Key() == tcell.KeyCtrlC {
		t.Quit()
		return
	}
	if t.root == nil || !t.root.HasFocus() {
		return
	}
	if handler := t.root.InputHandler(); handler != nil {
		handler(e, t.SetFocus)
	}
}

func (t *Terminal) pasteKey(e *tcell.EventKey) {
	if t.paste.Len() >= maxPaste {
		return
	}
	switch e.Key() {
	case tcell.KeyRune:
		t.paste.WriteRune(e.Rune())
	case tcell.KeyEnter, tcell.KeyLF:
		t.paste.WriteByte('\n')
	case tcell.KeyTab:
		t.paste.WriteByte('\t')
	}
}

// pasted passes a complete paste to the primitive with the focus; pasted text is never a command.
func (t *Terminal) pasted(e *tcell.EventPaste) {
	t.pasting = e.Start()
	if e.Start() {
		t.paste.Reset()
		return
	}
	if t.root == nil || !t.root.HasFocus() || t.paste.Len() == 0 {
		return
	}
	if handler := t.root.PasteHandler(); handler != nil {
		handler(t.paste.String(), t.SetFocus)
		t.due, t.urgent = true, true
	}
}

// resize adopts the terminal's size. That of the event may be outdated: tcell posts each from a goroutine of its own.
func (t *Terminal) resize() {
	t.due, t.urgent = true, true
	t.screen.invalidate(false)
	if t.tty == nil {
		return
	}
	if size, err := t.tty.WindowSize(); err == nil && (size.Width != t.screen.w || size.Height != t.screen.h) {
		t.screen.resize(size.Width, size.Height)
	}
}
