package views

import (
	"context"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// screen is one of the numbered screens, a tview primitive that shows the state within its rectangle.
type screen interface {
	tview.Primitive
	name() string          // as titles and the palette call it
	action() keymap.Action // what leads to it from anywhere
	needs() model.Facet    // it is offered only when the file has them
	// scopes are those of the focused pane, the most special first, without keymap.ScopeGlobal.
	scopes() []keymap.Scope
	// show adopts a state. It asks for what it needs and does not wait longer than lazy values do.
	show(s *State)
	// do carries out an action; false means that it is none of the screen's business.
	do(a keymap.Action) bool
	// about says in a few words what the screen shows beyond its name ("flame"), "" for nothing.
	about() string
	// copyText is the selected row or stack as text, "" when nothing is selected.
	copyText() string
	// command is the arguments that follow "memtui report" to print what is shown, without instant, range and file.
	command() []string
}

// commander is a screen that another command than "memtui report" prints.
type commander interface {
	commandLine(file []string) []string // the whole command; file is how the file is named
}

// offered is a screen that only some files with its facets have.
type offered interface{ offeredFor(p *model.Profile) bool }

// finder is a screen in which / searches instead of filtering tables.
type finder interface {
	find(text string) // as it is typed; "" ends the search
	findText() string
}

// clicker is a screen that knows the mouse. Coordinates are the screen's.
type clicker interface {
	click(x, y int, double bool)
	drag(fromX, fromY, x, y int, done bool)
	wheel(x, y, rows int)
}

// pane is what every screen embeds: tview's box, the program around it, and the state it was shown last.
type pane struct {
	*tview.Box
	*env
	state State
}

func newPane(e *env) pane { return pane{Box: tview.NewBox(), env: e} }

func (p *pane) about() string { return "" }

// rect is where the pane draws.
func (p *pane) rect() widget.Rect {
	x, y, w, h := p.GetRect()
	return widget.Rect{X: x, Y: y, W: max(w, 0), H: max(h, 0)}
}

// env is what screens may use of the program.
type env struct {
	ctx        context.Context
	trace      analysis.Trace  // nil for files without allocations
	heaps      heapgraph.Heaps // nil for files without heap snapshots
	after      heapgraph.Heaps // those of the file that this one is compared with, nil for none
	afterName  string
	afterPath  string        // as a command line names that file
	dump       *dumpFile     // nil for files without measured series
	pageFigure pageFigure    // what page types are compared by
	otherDump  *dumpFile     // of the file that this one is compared with, nil for none
	layouts    *layoutLoads  // of page layouts, which screens share
	loads      *heapLoads    // the decoded snapshot that heap screens share
	prof       *profFile     // nil for files without weighted stacks
	first      *comparedFile // the file opened first, for comparisons
	second     *comparedFile // what it is compared with, nil for none
	joins      *joinCache
	views      *stackViews  // of traces
	look       *widget.Look // of the current theme
	theme      *themes.Theme
	patience   time.Duration
	opening    bool      // no frame has been shown yet
	until      time.Time // when showing the state ends waiting for answers
	work       *work
	post       func(func())                // any goroutine: run on the event loop
	background func(func())                // run off the event loop
	emit       func(Intent)                // change the state
	open       func(keymap.Action)         // go to another screen
	visit      func(keymap.Action, Intent) // change the state on the way to a screen, even the same: one can come back
	changed    func()                      // a lazy value arrived: show the state again before the next frame
	say        func(text string)           // one line of feedback, until the next key
	popup      func(o overlay)             // show something over the screen
}

// style is shorthand for a role of the current theme.
func (e *env) style(r themes.Role) tcell.Style { return e.theme.Style(r) }

// overlay lies over the screen until Esc: help, palette, lists.
type overlay interface {
	draw(s tcell.Screen, r widget.Rect, k *widget.Look)
	scopes() []keymap.Scope
	do(a keymap.Action) bool
	key(ev *tcell.EventKey) bool // typing, before scopes; false: not mine
}
