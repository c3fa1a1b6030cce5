package ui

import (
	"context"
	"regexp"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/sources"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// Screen is one of the numbered screens, a tview primitive that shows the state within its rectangle.
type Screen interface {
	tview.Primitive
	Name() string          // its name in titles and in the palette
	Action() keymap.Action // the action that opens it
	Needs() model.Facet    // it is offered only if the file has these
	// Scopes returns the key scopes of the focused pane, most specific first, without keymap.ScopeGlobal.
	Scopes() []keymap.Scope
	// Show shows a state. It requests what it needs and does not wait longer than lazy values do.
	Show(s *state.State)
	// Do performs an action; it returns false if the screen does not handle it.
	Do(a keymap.Action) bool
	// About returns in a few words what the screen shows in addition to its name ("flame"), or "".
	About() string
	// CopyText returns the selected row or stack as text, "" if there is none.
	CopyText() string
	// Command returns the arguments of "memtui report" that print what is shown, without instant, range and file.
	Command() []string
}

// Commander is a screen that is printed by another command than "memtui report".
type Commander interface {
	CommandLine(file []string) []string // the complete command; file is the name of the file
}

// Stacked is a screen whose rows may be some of all stacks.
type Stacked interface {
	// ShownStacks returns the stacks of the rows shown; some is false if these are all, or rows are no stacks.
	ShownStacks() (ids []model.StackID, some bool)
}

// Saved is a screen of which more is saved than the command for what is on screen prints.
type Saved interface {
	SavedCommand() []string // as [Screen.Command]
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

// Searcher is a screen that decides itself what / filters or searches.
type Searcher interface {
	Search(text string) // as it is typed
	SearchText() string
}

// Hinter is a screen in which / accepts more than filters.
type Hinter interface{ SearchHint() string }

// Explainer is a screen in which it is not obvious what / compares a text with.
type Explainer interface{ Searches() string } // in a sentence

// Filtered is a screen with a table that / filters.
type Filtered interface {
	Fields() []analysis.Field // figures that a filter can compare
}

// Sorting is a screen with a table that can be sorted.
type Sorting interface {
	// Sorting returns the title of the column that rows are sorted by, its name in reports, "" for nothing, and whether
	// rows are in their default order.
	Sorting() (title, key string, usual bool)
}

// Follower is a screen that shows filtered stacks.
type Follower interface {
	// Follows returns which parts of the screen are about all stacks nevertheless, or "".
	Follows() string
}

// Functioner is a screen on which functions, files or modules can be selected to filter stacks by.
type Functioner interface {
	// Function returns the name of the selected one as [calltree.Step] takes it, "" for none.
	Function() string
}

// Lister is a screen with lists or trees whose selected row can be shown in full.
type Lister interface {
	// FocusedList returns the list that has the focus, nil for none.
	FocusedList() *widget.List
}

// Maximizer is a screen in which one pane can fill the screen.
type Maximizer interface {
	// Hides returns the names of the panes that a maximized one hides, "" if none is maximized.
	Hides() string
}

// Unopener is a screen with rows that cannot be opened.
type Unopener interface {
	// Unopened returns why the selected row cannot be opened, "" if it can.
	Unopened() string
}

// Timeless is a screen on which nothing may depend on the instant: its header names the end of the run.
type Timeless interface{ Timeless() bool }

// Narrower is a screen that can be restricted to blocks of one size and lifetime.
type Narrower interface{ Narrows() bool }

// Revealer is a screen that can show the contents of objects, which are hidden at first.
type Revealer interface{ Reveals() bool }

// Worker is a screen whose answers may take long: while it works, it is drawn again and again, and can be stopped.
type Worker interface {
	Working() bool
	StopWork()
}

// Refuser is a screen on which some actions have nothing to do: hints leave them out.
type Refuser interface{ Useless(a keymap.Action) bool }

// Clicker is a screen that handles the mouse. Coordinates are those of the terminal.
type Clicker interface {
	Click(x, y int, double bool)
	Drag(fromX, fromY, x, y int, done bool)
	Wheel(x, y, rows int)
}

// Peeker is an overlay about one function, its callers and its callees.
type Peeker interface {
	Peeked() string        // the function's name
	PeekCommand() []string // the flags that print its callers and callees, beyond the name
}

// Pane is embedded in every screen: tview's box, the program's environment, and the last state shown.
type Pane struct {
	*tview.Box
	*Env
	State state.State
}

// NewPane returns a pane that draws nothing yet.
func NewPane(e *Env) Pane { return Pane{Box: tview.NewBox(), Env: e} }

func (p *Pane) About() string { return "" }

// Rect returns the pane's area.
func (p *Pane) Rect() widget.Rect {
	x, y, w, h := p.GetRect()
	return widget.Rect{X: x, Y: y, W: max(w, 0), H: max(h, 0)}
}

// DrawTitled draws a title line if it fits, and returns the area below it.
func (p *Pane) DrawTitled(s tcell.Screen, r widget.Rect, title, answer string) widget.Rect {
	if r.H <= 3 {
		return r
	}
	line, body := r.CutTop(1)
	widget.TitleLine(s, line, p.Look, title, answer)
	return body
}

// Env is the screens' access to the program.
type Env struct {
	Ctx         context.Context
	Trace       analysis.Trace  // nil for files without allocations
	Libraries   *regexp.Regexp  // functions and files that own no memory, in addition to the built-in ones; may be nil
	Heaps       heapgraph.Heaps // nil for files without heap snapshots
	Sources     *sources.Finder // of source files; never nil
	Dump        *DumpFile       // nil for files without measured series
	Layouts     *layoutLoads    // of page layouts, which screens share
	Loads       *HeapLoads      // the decoded snapshot that heap screens share
	Prof        *ProfileFile    // nil for files without weighted stacks
	First       *ComparedFile   // the file opened first, for comparisons
	Second      *ComparedFile   // what it is compared with, nil for none
	Paths       int             // at the end of what names the file on a command line, of one recording; 0 for a file alone
	JoinedTrees *JoinedTreeCache
	Views       *StackViews  // of traces
	Keys        *keymap.Map  // with the user's bindings; never nil
	Look        *widget.Look // of the current theme
	Theme       *themes.Theme
	Patience    time.Duration
	Opening     bool      // no frame has been shown yet
	Until       time.Time // the time until which showing the state may wait for answers
	Work        *Work
	DeepWork    *Work                                // on answers that take walks over everything
	Post        func(func())                         // any goroutine: run on the event loop
	Background  func(func())                         // run off the event loop
	Emit        func(state.Intent)                   // change the state
	Open        func(keymap.Action)                  // go to another screen
	Visit       func(keymap.Action, ...state.Intent) // change the state on the way to a screen, even the same: one can come back
	Changed     func()                               // a lazy value arrived: show the state again before the next frame
	Say         func(text string)                    // one line of feedback, until the next key
	Popup       func(o Overlay)                      // show something over the screen
}

// Style returns the style of a role in the current theme.
func (e *Env) Style(r themes.Role) tcell.Style { return e.Theme.Style(r) }

// Overlay is drawn over the screen until Esc: help, palette, lists.
type Overlay interface {
	Draw(s tcell.Screen, r widget.Rect, k *widget.Look)
	Scopes() []keymap.Scope
	Do(a keymap.Action) bool
	Key(ev *tcell.EventKey) bool // typed keys, before scopes; false if not handled
}
