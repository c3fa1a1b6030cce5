package views

import (
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Opening is shown while it is unknown what a file contains, and so which screens it offers.
type Opening struct {
	Terminal *term.Terminal
	Keys     *keymap.Map
	Theme    *themes.Theme
	Name     string        // of the file; not cleaned
	Progress func() string // how far reading is; called off the event loop
	// Ready waits for what Run needs, off the event loop. Its error ends the program.
	Ready func() (Options, error)
}

// openingEvery is how often the progress is redrawn.
const openingEvery = 100 * time.Millisecond

// RunOpening is Run for a file that takes long until its contents are known: until then a frame shows the progress of
// reading, and the keys that quit, suspend and help work. It returns what Run returns, or the error of Ready.
func RunOpening(o Opening) error {
	v := newOpening(o)
	err := o.Terminal.Run(v)
	if v.failed != nil {
		return v.failed
	}
	return err
}

// openingView is the root primitive until the file can be shown.
type openingView struct {
	*tview.Box
	o      Opening
	look   *widget.Look
	text   string // how far reading is
	help   bool
	typed  []*tcell.EventKey // for the screens, when they are there
	failed error             // of Ready; valid at the end
}

// newOpening starts to wait for the file, and takes the keys.
func newOpening(o Opening) *openingView {
	v := &openingView{Box: tview.NewBox(), o: o, look: ui.LookOf(o.Theme, o.Terminal.Caps().Unicode), text: o.Progress()}
	o.Terminal.Screen().SetStyle(o.Theme.Style(themes.Text))
	o.Terminal.SetKeys(v.key)
	ready := make(chan struct{})
	o.Terminal.Background(func() {
		defer close(ready)
		opt, err := o.Ready()
		o.Terminal.Post(func() { v.finish(opt, err) })
	})
	o.Terminal.Background(func() { v.followProgress(ready) })
	return v
}

// followProgress draws how far reading is until ready is closed, or the program ends.
func (v *openingView) followProgress(ready <-chan struct{}) {
	tick := time.NewTicker(openingEvery)
	defer tick.Stop()
	for {
		select {
		case <-ready:
			return
		case <-v.o.Terminal.Context().Done():
			return
		case <-tick.C:
			text := v.o.Progress()
			v.o.Terminal.Post(func() { v.text = text })
		}
	}
}

// finish shows the file in place of the frame, or ends the program.
func (v *openingView) finish(o Options, err error) {
	if err != nil {
		v.failed = err
		v.o.Terminal.Quit()
		return
	}
	a := newApp(o)
	v.o.Terminal.SetKeys(a.ownKey)
	a.follow()
	v.o.Terminal.SetRoot(a)
	v.o.Terminal.Post(func() { // after the first frame, as keys refer to what is on screen
		if v.help {
			a.do(keymap.Help)
		}
		for _, ev := range v.typed {
			a.key(ev)
		}
	})
}

// mostTyped is the maximum number of keys that are kept for the screens.
const mostTyped = 64

// key handles every key. Those that only screens handle are kept for them, as a terminal does for a busy program.
func (v *openingView) key(ev *tcell.EventKey) *tcell.EventKey {
	act, _ := v.o.Keys.Lookup(ui.ChordOf(ev), keymap.ScopeGlobal)
	switch {
	case ev.Key() == tcell.KeyCtrlC, act == keymap.Quit:
		v.o.Terminal.Quit()
	case act == keymap.Help:
		v.help = !v.help
	case act == keymap.Back:
		v.help = false
	case act == keymap.Suspend:
		v.o.Terminal.Suspend()
	case len(v.typed) < mostTyped:
		v.typed = append(v.typed, ev)
	}
	return nil
}

// HasFocus implements tview.Primitive.
func (v *openingView) HasFocus() bool { return true }

// Draw implements tview.Primitive.
func (v *openingView) Draw(s tcell.Screen) {
	x, y, w, h := v.GetRect()
	if w < 1 || h < 1 {
		return
	}
	bar := v.o.Theme.Style(themes.StatusBar)
	widget.Fill(s, widget.Rect{X: x, Y: y, W: w, H: 1}, bar)
	widget.Print(s, x+1, y, w-2, v.o.Name, bar)
	lines := []string{v.text + "…"}
	if v.help {
		lines = append(lines, "", "The kind of this file is not known yet. Its screens appear as soon as it is known;",
			"their keys work from then on.")
	}
	for i, line := range lines {
		if 2+i < h-1 {
			widget.Print(s, x+1, y+2+i, w-2, line, v.o.Theme.Style(themes.Text))
		}
	}
	if h > 2 {
		last := y + h - 1
		widget.Fill(s, widget.Rect{X: x, Y: last, W: w, H: 1}, bar)
		widget.Print(s, x+1, last, w-2, v.hints(w), bar)
	}
}

// hints returns the names of the keys that work, in w cells.
func (v *openingView) hints(w int) string {
	var words []string
	works := func(act keymap.Action) bool { return act == keymap.Help || act == keymap.Quit }
	for _, h := range v.o.Keys.UsefulHints(w, works, keymap.ScopeGlobal) {
		words = append(words, strings.TrimSpace(h.Keys+" "+h.Text))
	}
	return strings.Join(words, "  ")
}
