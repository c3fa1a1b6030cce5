// Package cli is the command line: one file per command, and what they share. It prints only through [Env], reads the
// environment only through it, and never ends the process: [Main] returns the exit status.
package cli

import (
	"context"
	"io"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	"github.com/memtui/memtui/views/compare"
)

// Env is the environment of one run of the program.
type Env struct {
	Args           []string // without the program's name
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	IsTerminal     bool // standard output is a terminal
	Width          int  // its columns, 0 when unknown

	// Formats are the formats that files may have; nil for all.
	Formats []loaders.Format

	// FullScreen shows a file until the user quits. Where it is nil, `open` prints the report.
	FullScreen func(context.Context, Screen) error
	// Opening is FullScreen for a file that takes long until its contents are known. If it is nil, the program waits
	// for such a file.
	Opening func(context.Context, Opening) error
	// Watched reports whether people watch standard error, so that progress may be shown there; nil for no.
	Watched func() bool
	// Now returns the time; nil for the system clock.
	Now func() time.Time
	// Ticks triggers fetching a polled address again; nil for the interval that the user gives.
	Ticks <-chan time.Time
	// Exit ends the process at once if the memory limit cannot be kept otherwise. If it is nil, only reading keeps the
	// limit.
	Exit func(status int)
}

// inputs returns the formats that files may have.
func (a *app) inputs() []loaders.Format {
	if a.env.Formats != nil {
		return a.env.Formats
	}
	return all.Formats()
}

// Screen is what the full-screen program is started with.
type Screen struct {
	Store *model.Store
	Trace analysis.Trace // nil for heap snapshots

	Second     *compare.Second // a file to compare with, nil for none
	OpenSecond func(path string) (*compare.Second, error)
	Home       string

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

// Exit statuses of the command line's contract.
const (
	statusDone       = 0
	statusViolations = 1 // validate found violations
	statusUsage      = 2
	statusInput      = 3 // the input cannot be used at all
	statusSignal     = 130
)

// statusError is an error with its exit status. err may be nil: then nothing is printed.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

func usageError(err error) error { return &statusError{statusUsage, err} }

func inputError(err error) error { return &statusError{statusInput, err} }
