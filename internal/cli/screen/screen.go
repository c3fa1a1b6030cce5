// Package screen starts the full-screen program on the terminal of the process.
package screen

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/sources"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/fleet"
)

// Screen is what the full-screen program is started with.
type Screen struct {
	Store *model.Store
	Trace analysis.Trace // nil for heap snapshots

	Second     *compare.Second // a file to compare with, nil for none
	OpenSecond func(path string) (*compare.Second, error)
	Home       string

	Start      views.Start
	HeapStart  views.HeapStart
	HeapBudget int64 // bytes of decoded snapshots to keep, 0 for the usual

	Begun  <-chan struct{} // closed when there are events to chart, or never will be; nil for at once
	Done   <-chan struct{} // closed when loading has ended, for whatever reason
	Cancel func()          // ends loading; what was read stays

	Evidence func(context.Context, views.EvidenceQuery) error // writes what is known about the file; from any goroutine
	Save     func(views.SaveQuery) (views.SaveFunc, error)    // writes what is on screen

	Again func(second string) error // why the file, or the second one unless "", cannot be read again now

	Command []string       // how the file is named on a command line: flags that matter to it, then its path
	Paths   int            // how many paths at the end of Command are one recording; 0 for a file alone
	Opened  func(f func()) // is given what gives the terminal back when the process must end at once; may be nil
	Sources *sources.Finder
	Memory  *views.Memory  // where the user was before it was read again
	Config  *keymap.Config // never nil
	Keys    *keymap.Map    // with the user's bindings
	Theme   string         // "" chooses
	Killed  string         // what to say where the process was killed, "" for the usual
	Mouse   bool
	ASCII   bool
	NoColor bool
}

// Opening is a full-screen program that does not know yet what its file holds.
type Opening struct {
	Screen   Screen                 // only its settings for drawing are set
	Name     string                 // of the file; not cleaned
	Progress func() string          // how far reading is; from any goroutine
	Ready    func() (Screen, error) // waits until there is something to show; from any goroutine
}

// Fleet is what the full-screen program about a fleet is started with.
type Fleet struct {
	Screen  Screen        // only its settings for drawing are set
	Options fleet.Options // all but those of the terminal and for drawing
}
