//go:build unix

package term

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
)

// Simulation is a Terminal without a terminal, for tests of this and other packages; it depends too much on Terminal to
// be elsewhere. It uses the same loop and the same Screen over tcell's simulated one. The frame rate is not limited and
// the loop itself flushes, so the state after WaitIdle is final. No signals are handled and Suspend does nothing.
type Simulation struct {
	*Terminal
	sim  tcell.SimulationScreen
	done chan error
}

// NewSimulation returns a simulation that shows Unicode in true color.
func NewSimulation(w, h int) *Simulation {
	return NewSimulationCaps(w, h, Caps{Unicode: true, Colors: 1 << 24, TrueColor: true, Clipboard: true})
}

// NewSimulationCaps returns a simulation of a less capable terminal: ASCII replaces what it cannot show, and without
// colors only attributes are kept.
func NewSimulationCaps(w, h int, caps Caps) *Simulation {
	prepareTcell(Options{})
	sim := tcell.NewSimulationScreen("UTF-8")
	t := newTerminal()
	t.budget = 0
	if err := sim.Init(); err != nil { // it supports UTF-8
		t.stop(err)
	}
	sim.SetSize(w, h)
	var chars *charset
	if !caps.Unicode {
		chars = newCharset("")
	}
	t.attach(sim, nil, caps, chars, false)
	return &Simulation{Terminal: t, sim: sim, done: make(chan error, 1)}
}

// NewCountedSimulation returns a simulation that writes what a terminal in true color would get to out: Written counts
// it. It has one size and no clipboard. The environment must ask for UTF-8 and true color.
func NewCountedSimulation(w, h int, out io.Writer) (*Simulation, error) {
	prepareTcell(Options{})
	ti, _, err := describe("xterm-256color")
	if err != nil {
		return nil, err
	}
	ti.Columns, ti.Lines = w, h
	t := newTerminal()
	t.budget = 0
	t.tty = newTTY(&mutedTty{Writer: out, size: tcell.WindowSize{Width: w, Height: h}, drained: make(chan struct{})})
	inner, err := tcell.NewTerminfoScreenFromTtyTerminfo(t.tty, &ti)
	if err == nil {
		err = inner.Init()
	}
	if err != nil {
		t.stop(err)
		return nil, err
	}
	t.attach(inner, newEncoder(inner, &ti), Caps{Unicode: true, Colors: 1 << 24, TrueColor: true}, nil, false)
	return &Simulation{Terminal: t, done: make(chan error, 1)}, nil
}

// mutedTty is a terminal without keys.
type mutedTty struct {
	io.Writer
	size    tcell.WindowSize
	drained chan struct{} // closed: reading ends
	once    sync.Once     // closes it
}

func (n *mutedTty) Start() error                          { return nil }
func (n *mutedTty) Stop() error                           { return nil }
func (n *mutedTty) Drain() error                          { n.once.Do(func() { close(n.drained) }); return nil }
func (n *mutedTty) Close() error                          { return nil }
func (n *mutedTty) NotifyResize(func())                   {}
func (n *mutedTty) WindowSize() (tcell.WindowSize, error) { return n.size, nil }
func (n *mutedTty) Read([]byte) (int, error) {
	<-n.drained
	return 0, io.EOF
}

// Start runs root in a goroutine. It may be called once.
func (s *Simulation) Start(root tview.Primitive) {
	go func() { s.done <- s.Run(root) }()
}

// Stop quits and returns the result of Run. It may be called more than once.
func (s *Simulation) Stop() error {
	s.Quit()
	err := <-s.done
	s.done <- err
	return err
}

// Do runs f on the loop and waits only for its end. If the loop ends earlier, it returns without f having run. It must
// not be called on the loop.
func (s *Simulation) Do(f func()) {
	done := make(chan struct{})
	s.Post(func() { defer close(done); f() })
	select {
	case <-done:
	case <-s.Context().Done():
	}
}

// Type sends keys in order. A key is a single character or a name, with modifiers before it: "q", "Enter", "Esc",
// "PgDn", "F1", "Ctrl+C", "Shift+Right", "Alt+x", "Space". It fails for unknown names, after sending the keys before.
func (s *Simulation) Type(keys ...string) error {
	for _, k := range keys {
		e, err := parseKey(k)
		if err != nil {
			return err
		}
		s.Event(e)
	}
	return nil
}

// Event sends a key, a mouse report or a paste mark, as the terminal would.
func (s *Simulation) Event(e tcell.Event) {
	s.Post(func() { s.handle(e) })
}

// Click presses and releases the left button.
func (s *Simulation) Click(x, y int) {
	s.Event(tcell.NewEventMouse(x, y, tcell.ButtonPrimary, tcell.ModNone))
	s.Event(tcell.NewEventMouse(x, y, tcell.ButtonNone, tcell.ModNone))
}

// Resize changes the size of the terminal.
func (s *Simulation) Resize(w, h int) {
	s.Post(func() {
		s.sim.SetSize(w, h)
		s.screen.resize(w, h)
		s.handle(tcell.NewEventResize(w, h))
	})
}

// Settle is WaitIdle without a limit: tests hang rather than fail.
func (s *Simulation) Settle() { _ = s.WaitIdle(context.Background()) }

// Clipboard returns the last copied text. Call it when the loop is idle.
func (s *Simulation) Clipboard() string { return string(s.sim.GetClipboardData()) }

// Text returns the rows of the screen, without trailing blanks and styles, each
// ended by a newline. Call it when the loop is idle, or on it.
func (s *Simulation) Text() string {
	var b strings.Builder
	w, h := s.screen.Size()
	for y := range h {
		var row strings.Builder
		for x := 0; x < w; {
			text, _, width := s.screen.Get(x, y)
			row.WriteString(text)
			x += width
		}
		b.WriteString(strings.TrimRight(row.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// parseKey converts the notation of Type to an event.
func parseKey(name string) (*tcell.EventKey, error) {
	mod, rest := tcell.ModNone, name
	for {
		head, tail, ok := strings.Cut(rest, "+")
		if !ok || tail == "" {
			break
		}
		m, known := modifiers(head)
		if !known {
			break
		}
		mod, rest = mod|m, tail
	}
	if r := []rune(rest); len(r) == 1 {
		if c := r[0] | 0x20; mod == tcell.ModCtrl && c >= 'a' && c <= 'z' {
			return tcell.NewEventKey(tcell.KeyCtrlA+tcell.Key(c-'a'), c, mod), nil
		}
		return tcell.NewEventKey(tcell.KeyRune, r[0], mod), nil
	}
	if strings.EqualFold(rest, "Space") {
		return tcell.NewEventKey(tcell.KeyRune, ' ', mod), nil
	}
	if mod == tcell.ModShift && strings.EqualFold(rest, "Tab") {
		return tcell.NewEventKey(tcell.KeyBacktab, 0, tcell.ModNone), nil
	}
	for key, n := range tcell.KeyNames {
		if strings.EqualFold(n, alias(rest)) {
			return tcell.NewEventKey(key, 0, mod), nil
		}
	}
	return nil, fmt.Errorf("unknown key %q", name)
}

func modifiers(name string) (tcell.ModMask, bool) {
	switch strings.ToLower(name) {
	case "shift":
		return tcell.ModShift, true
	case "ctrl":
		return tcell.ModCtrl, true
	case "alt":
		return tcell.ModAlt, true
	}
	return 0, false
}

// alias maps the other usual names of keys to tcell's.
func alias(name string) string {
	switch strings.ToLower(name) {
	case "escape":
		return "Esc"
	case "return":
		return "Enter"
	case "pageup":
		return "PgUp"
	case "pagedown":
		return "PgDn"
	case "backspace":
		return "Backspace2" // sent by terminals for it
	case "del":
		return "Delete"
	case "ins":
		return "Insert"
	}
	return name
}
