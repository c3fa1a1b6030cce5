package ui

import (
	"context"
	"regexp"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// Screen is one of the numbered screens, a tview primitive that shows the state within its rectangle.
type Screen interface {
	tview.Primitive
	Name() string          // as titles and the palette call it
	Action() keymap.Action // what leads to it from anywhere
	Needs() model.Facet    // it is offered only when the file has them
	// Scopes are those of the focused pane, the most special first, without keymap.ScopeGlobal.
	Scopes() []keymap.Scope
	// Show adopts a state. It asks for what it needs and does not wait longer than lazy values do.
	Show(s *state.State)
	// Do carries out an action; false means that it is none of the screen's business.
	Do(a keymap.Action) bool
	// About says in a few words what the screen shows beyond its name ("flame"), "" for nothing.
	About() string
	// CopyText is the selected row or stack as text, "" when nothing is selected.
	CopyText() string
	// Command is the arguments that follow "memtui report" to print what is shown, without instant, range and file.
	Command() []string
}

// Commander is a screen that another command than "memtui report" prints.
type Commander interface {
	CommandLine(file []string) []string // the whole command; file is how the file is named
}

// Unprinted is a screen that shows some things that no command prints.
type Unprinted interface{ Unprinted() string } // why, and what can be done instead; "" where a command prints what is shown

// Offered is a screen that only some files with its facets have.
type Offered interface{ OfferedFor(p *model.Profile) bool }

// Finder is a screen in which / searches instead of filtering tables.
type Finder interface {
	Find(text string) // as it is typed; "" ends the search
	FindText() string
}

// Searcher is a screen that knows itself what / filters or searches.
type Searcher interface {
	Search(text string) // as it is typed
	SearchText() string
}

// Hinter is a screen in which more can be typed after / than a filter.
type Hinter interface{ SearchHint() string }

// Filtered is a screen with a table that / filters.
type Filtered interface {
	Fields() []analysis.Field // figures that a filter can compare
}

// Sorting is a screen with a table that can be sorted.
type Sorting interface {
	// Sorting returns the title of the column that rows are sorted by, what reports call it, "" for nothing, and
	// whether rows stand as at first.
	Sorting() (title, key string, usual bool)
}

// Follower is a screen that shows what filters leave of stacks.
type Follower interface {
	// Follows says what of the screen is about all stacks nevertheless, "" for nothing.
	Follows() string
}

// Functioner is a screen on which functions can be selected, to filter stacks by, or files and modules.
type Functioner interface {
	// Function returns the name of the selected one as [calltree.Step] takes it, "" for none.
	Function() string
}

// Lister is a screen with lists or trees whose selected row can be shown in full.
type Lister interface {
	// FocusedList returns the list that has the keys, nil for none.
	FocusedList() *widget.List
}

// Maximizer is a screen in which one pane can have all of the room.
type Maximizer interface {
	// Hides names the panes that a maximized one hides, "" when none is maximized.
	Hides() string
}

// Unopener is a screen with rows that cannot be opened.
type Unopener interface {
	// Unopened says why the selected row cannot be, "" when it can.
	Unopened() string
}

// Narrower is a screen that can show the blocks of one size and lifetime alone.
type Narrower interface{ Narrows() bool }

// Revealer is a screen that shows what objects state and say, hidden until one asks for it.
type Revealer interface{ Reveals() bool }

// Worker is a screen whose answers may take long: while it works, it is drawn again and again, and can be stopped.
type Worker interface {
	Working() bool
	StopWork()
}

// Refuser is a screen on which some actions have nothing to do: hints leave them out.
type Refuser interface{ Useless(a keymap.Action) bool }

// Clicker is a screen that knows the mouse. Coordinates are the screen's.
type Clicker interface {
	Click(x, y int, double bool)
	Drag(fromX, fromY, x, y int, done bool)
	Wheel(x, y, rows int)
}

// Peeker is an overlay about one function, its callers and what it calls.
type Peeker interface{ Peeked() string } // the function's name

// Pane is what every screen embeds: tview's box, the program around it, and the state it was shown last.
type Pane struct {
	*tview.Box
	*Env
	State state.State
}

// NewPane returns a pane that draws nothing yet.
func NewPane(e *Env) Pane { return Pane{Box: tview.NewBox(), Env: e} }

func (p *Pane) About() string { return "" }

// Rect returns where the pane draws.
func (p *Pane) Rect() widget.Rect {
	x, y, w, h := p.GetRect()
	return widget.Rect{X: x, Y: y, W: max(w, 0), H: max(h, 0)}
}

// DrawTitled draws a title line where there is room for one, and returns what is below it.
func (p *Pane) DrawTitled(s tcell.Screen, r widget.Rect, title, answer string) widget.Rect {
	if r.H <= 3 {
		return r
	}
	line, body := r.CutTop(1)
	widget.TitleLine(s, line, p.Look, title, answer)
	return body
}

// Env is what screens may use of the program.
type Env struct {
	Ctx        context.Context
	Trace      analysis.Trace  // nil for files without allocations
	Libraries  *regexp.Regexp  // functions and files that own no memory, beside those that are known; may be nil
	Heaps      heapgraph.Heaps // nil for files without heap snapshots
	Dump       *DumpFile       // nil for files without measured series
	Layouts    *layoutLoads    // of page layouts, which screens share
	Loads      *HeapLoads      // the decoded snapshot that heap screens share
	Prof       *ProfileFile    // nil for files without weighted stacks
	First      *ComparedFile   // the file opened first, for comparisons
	Second     *ComparedFile   // what it is compared with, nil for none
	Joins      *JoinCache
	Views      *StackViews  // of traces
	Keys       *keymap.Map  // with the user's bindings; never nil
	Look       *widget.Look // of the current theme
	Theme      *themes.Theme
	Patience   time.Duration
	Opening    bool      // no frame has been shown yet
	Until      time.Time // when showing the state ends waiting for answers
	Work       *Work
	Post       func(func())                      // any goroutine: run on the event loop
	Background func(func())                      // run off the event loop
	Emit       func(state.Intent)                // change the state
	Open       func(keymap.Action)               // go to another screen
	Visit      func(keymap.Action, state.Intent) // change the state on the way to a screen, even the same: one can come back
	Changed    func()                            // a lazy value arrived: show the state again before the next frame
	Say        func(text string)                 // one line of feedback, until the next key
	Popup      func(o Overlay)                   // show something over the screen
}

// Style is shorthand for a role of the current theme.
func (e *Env) Style(r themes.Role) tcell.Style { return e.Theme.Style(r) }

// Overlay lies over the screen until Esc: help, palette, lists.
type Overlay interface {
	Draw(s tcell.Screen, r widget.Rect, k *widget.Look)
	Scopes() []keymap.Scope
	Do(a keymap.Action) bool
	Key(ev *tcell.EventKey) bool // typing, before scopes; false: not mine
}
