// Package keymap is the only table of actions and their keys. Help, footer hints, the command palette, `memtui keys`,
// docs/keys.md and the manual page are generated from it; no other part of the program knows a key.
//
// A key has the same meaning everywhere. h and l always move the instant, also in trees and flame graphs, so that
// holding one of them animates any view. The arrows are spatial: left and right move the instant too, but in a tree
// they close and open a node, and in a flame graph they go to the neighboring frame. Esc goes back one level and never
// quits; Ctrl-C ends the most urgent activity: typing, or else loading, or else the program.
//
// The package imports the standard library only, so it also defines the key names and reads the text of the config
// file.
package keymap

// Action is something that a user can do. Its text is its name in the palette, the config file and `memtui keys`.
type Action string

// Actions that work everywhere.
const (
	Quit           Action = "quit"
	Help           Action = "help"
	Palette        Action = "palette"
	Back           Action = "back"
	HistoryBack    Action = "history-back"
	HistoryForward Action = "history-forward"
	Copy           Action = "copy"
	CopyCommand    Action = "copy-command"
	Save           Action = "save"
	Evidence       Action = "evidence"
	Exact          Action = "exact"
	Names          Action = "names"
	Theme          Action = "theme"
	Mouse          Action = "mouse"
	Reload         Action = "reload"
	Redraw         Action = "redraw"
	Suspend        Action = "suspend"
	StopLoading    Action = "stop-loading"
)

// Screens and panes. Screen1 … Screen9 are the screens of the loaded file, in order; the named ones have no key of
// their own and are reached through the palette.
const (
	Screen1        Action = "screen-1"
	Screen2        Action = "screen-2"
	Screen3        Action = "screen-3"
	Screen4        Action = "screen-4"
	Screen5        Action = "screen-5"
	Screen6        Action = "screen-6"
	Screen7        Action = "screen-7"
	Screen8        Action = "screen-8"
	Screen9        Action = "screen-9"
	NextScreen     Action = "next-screen"
	PreviousScreen Action = "previous-screen"
	LastScreen     Action = "last-screen"
	Screens        Action = "screens" // lists them
	NextPane       Action = "next-pane"
	PreviousPane   Action = "previous-pane"
	Maximize       Action = "maximize"
	ShowOverview   Action = "overview"
	ShowTimeline   Action = "timeline"
	ShowSites      Action = "sites"
	ShowLeaks      Action = "leaks"
	ShowStacks     Action = "stacks"
	ShowBlocks     Action = "blocks"
	ShowEvents     Action = "events"
	ShowLifetimes  Action = "lifetimes"
	ShowSource     Action = "source"
	ShowTreemap    Action = "treemap"
	ShowHeat       Action = "heat-map"
	ShowProblems   Action = "problems"
	ShowSeries     Action = "measured-series"
	ShowPages      Action = "pages"
	ShowFragments  Action = "fragmentation"
	ShowSnapshots  Action = "snapshots"
	ShowTypes      Action = "types"
	ShowFrames     Action = "frames"
	ShowDominators Action = "dominators"
	ShowThreads    Action = "heap-threads"
	ShowObject     Action = "object"
	ShowComparison Action = "comparison"
	ShowWaste      Action = "waste"
	ShowFind       Action = "find-objects"
	ShowProfile    Action = "profile"
	ShowFunctions  Action = "functions"
)

// Moving within the focused pane, and finding.
const (
	Up           Action = "up"
	Down         Action = "down"
	PageUp       Action = "page-up"
	PageDown     Action = "page-down"
	First        Action = "first"
	Last         Action = "last"
	Open         Action = "open"
	FullRow      Action = "row"
	SideLeft     Action = "scroll-left"
	SideRight    Action = "scroll-right"
	Find         Action = "find" // filters the rows of a table, searches in trees, flame graphs and texts
	FindNext     Action = "find-next"
	FindPrevious Action = "find-previous"
)

// The instant, the range and the time axis.
const (
	StepBack        Action = "step-back"
	StepForward     Action = "step-forward"
	LeapBack        Action = "leap-back"
	LeapForward     Action = "leap-forward"
	LandmarkBack    Action = "landmark-back"
	LandmarkForward Action = "landmark-forward"
	EventBack       Action = "event-back"
	EventForward    Action = "event-forward"
	Peak            Action = "peak"
	PeakInRange     Action = "peak-in-range"
	End             Action = "end"
	GotoTime        Action = "time"
	Range           Action = "range"
	ClearRange      Action = "clear-range"
	ZoomIn          Action = "zoom-in"
	ZoomOut         Action = "zoom-out"
	ZoomReset       Action = "zoom-reset"
	PanLeft         Action = "pan-left"
	PanRight        Action = "pan-right"
	Series          Action = "series"
)

// Tables, trees and flame graphs.
const (
	Sort        Action = "sort"
	SortReverse Action = "sort-reverse"
	ColumnLeft  Action = "column-left"
	ColumnRight Action = "column-right"
	Group       Action = "group"
	AgeUp       Action = "min-age-up"
	AgeDown     Action = "min-age-down"
	Flame       Action = "flame"
	Invert      Action = "invert"
	Cost        Action = "cost"
	Recursion   Action = "recursion"
	HotPath     Action = "hot-path"
	Collapse    Action = "collapse"
	Expand      Action = "expand"
	Toggle      Action = "toggle"
	ExpandAll   Action = "expand-all"
	Left        Action = "left"
	Right       Action = "right"
)

// Source files.
const SourceOf Action = "source-of-this"

// Heap snapshots.
const (
	Edges        Action = "edges"
	DominatorsOf Action = "dominators-of-this"
	ObjectOf     Action = "object-of-this"
	Values       Action = "values"
	OwnersOf     Action = "holders-of-this"
	Exclude      Action = "exclude"
	Only         Action = "only"
	Swap         Action = "swap"
	Normalize    Action = "normalize"
)

// Filters of stacks, with [Only] to focus and [Exclude] to ignore.
const (
	ShowFrom  Action = "show-from"
	HideFrame Action = "hide-frame"
	Pivot     Action = "pivot"
	Filters   Action = "filters" // lists them
	Undo      Action = "undo"
	Redo      Action = "redo"
)

// Measured series and page layouts.
const (
	Log      Action = "logarithmic"
	Stacked  Action = "stacked"
	Divide   Action = "divide" // the live curve of a trace
	PlayBack Action = "play-back"
	Order    Action = "order"
)

// Comparing two moments, or two files.
const (
	MarkA      Action = "mark-a"
	MarkB      Action = "mark-b"
	Difference Action = "difference"
	Align      Action = "align"
	Changes    Action = "changes"
	Match      Action = "match"
)

// Editing one line: a filter, a search, a time, a command.
const (
	Accept       Action = "accept"
	Cancel       Action = "cancel"
	Complete     Action = "complete"
	CompleteBack Action = "complete-back"
	Earlier      Action = "earlier"
	Later        Action = "later"
	DeleteWord   Action = "delete-word"
	ClearLine    Action = "clear-line"
)

// Scope is a place where keys work. Its text is its name in the config file.
type Scope string

const (
	ScopeGlobal     Scope = "global"
	ScopeOverview   Scope = "overview" // footer only
	ScopeTimeline   Scope = "timeline" // footer only
	ScopeTable      Scope = "table"
	ScopeBlocks     Scope = "blocks"      // single blocks instead of a table, footer only: pass it before ScopeTable
	ScopeBlockTable Scope = "block-table" // the Blocks screen: pass it before ScopeTable
	ScopeLifetimes  Scope = "lifetimes"
	ScopeLeaks      Scope = "leaks"  // the Leaks screen: pass it before ScopeTable
	ScopeStacks     Scope = "stacks" // tree or flame graph: pass it after ScopeTree or ScopeFlame
	ScopeTree       Scope = "tree"
	ScopeFlame      Scope = "flame"
	ScopeSource     Scope = "source" // source files: pass it before ScopeTable
	ScopeTreemap    Scope = "treemap"
	ScopeHeat       Scope = "heat-map"
	ScopeSnapshots  Scope = "snapshots" // footer only
	ScopeTypes      Scope = "types"     // objects by type: pass it before ScopeTable
	ScopeHeap       Scope = "heap"      // screens of heap snapshots: pass it after those of the screen
	ScopeDominators Scope = "dominators"
	ScopeObject     Scope = "object" // footer only
	ScopeComparison Scope = "comparison"
	ScopeDifference Scope = "difference" // screens that show a difference
	ScopeSeries     Scope = "series"
	ScopePages      Scope = "pages"
	ScopeFragments  Scope = "fragmentation" // footer only
	ScopeProfile    Scope = "profile"       // screens of stack profiles: pass it after those of the screen
	ScopeFleet      Scope = "fleet"         // many recordings: pass it before ScopeTable
	ScopeFilters    Scope = "filters"       // where functions can be selected: pass it last
	ScopeText       Scope = "text"          // help and other texts
	ScopeLoading    Scope = "loading"       // while a file is read: pass it first
	ScopeInput      Scope = "input"         // editing one line: hides every scope after it
)

// Scopes returns all scopes, the most general first.
func Scopes() []Scope {
	return []Scope{ScopeGlobal, ScopeOverview, ScopeTimeline, ScopeTable, ScopeBlocks, ScopeBlockTable, ScopeLeaks,
		ScopeStacks, ScopeTree, ScopeFlame, ScopeSource, ScopeTreemap, ScopeHeat, ScopeLifetimes,
		ScopeSnapshots, ScopeTypes, ScopeHeap, ScopeDominators, ScopeObject, ScopeComparison, ScopeDifference,
		ScopeSeries, ScopePages, ScopeFragments, ScopeProfile, ScopeFleet, ScopeFilters, ScopeText, ScopeLoading, ScopeInput}
}

// Where describes where the keys of a scope work ("in trees"); "" for everywhere.
func (s Scope) Where() string {
	switch s {
	case ScopeOverview, ScopeTimeline, ScopeBlocks, ScopeLifetimes, ScopeLeaks, ScopeStacks, ScopeSnapshots,
		ScopeTypes, ScopeDominators, ScopeObject, ScopeComparison,
		ScopeSeries, ScopePages, ScopeFragments:
		return "on " + string(s)
	case ScopeBlockTable:
		return "on blocks"
	case ScopeTable, ScopeTree, ScopeText:
		return "in " + string(s) + "s"
	case ScopeFlame:
		return "in flame graphs"
	case ScopeSource:
		return "in source files"
	case ScopeTreemap:
		return "in treemaps"
	case ScopeHeat:
		return "in heat maps"
	case ScopeDifference:
		return "in differences"
	case ScopeProfile:
		return "in stack profiles"
	case ScopeFleet:
		return "of a fleet"
	case ScopeFilters:
		return "on functions and stacks"
	case ScopeHeap:
		return "in heap snapshots"
	case ScopeLoading:
		return "while loading"
	case ScopeInput:
		return "while typing"
	}
	return ""
}

// Current returns the current name of an action: users' files and habits may still have a former spelling.
func (a Action) Current() Action {
	switch a {
	case "maximise":
		return Maximize
	case "normalise":
		return Normalize
	}
	return a
}
