// Package cli is the command line: one file per command, and what they share. It prints only through [Env], reads the
// environment only through it, and never ends the process: [Main] returns the exit status.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/fleet"
	"github.com/memtui/memtui/internal/cli/progress"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/memory"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	fleetview "github.com/memtui/memtui/views/fleet"
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
	FullScreen func(context.Context, screen.Screen) error
	// Opening is FullScreen for a file that takes long until its contents are known. If it is nil, the program waits
	// for such a file.
	Opening func(context.Context, screen.Opening) error
	// Fleet shows a fleet until the user quits or opens a recording. Where it is nil, `fleet` prints sites.
	Fleet func(context.Context, screen.Fleet) (*fleetview.Opened, error)
	// Start is what files begin with on screens.
	Start views.Start
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

const description = "Shows in a terminal where memory went. memtui FILE opens a file; two files are compared. Two heap dumps of one snapshot each are the snapshots of one recording, as are more, three or more profiles, or a folder of them: the Comparison screen compares any two."

// globals are the flags that mean the same everywhere. Each may also be in the environment as MEMTUI_NAME and in the
// config file as name = value; the command line wins, then the environment.
type globals struct {
	Format      string       `short:"f" enum:"text,json,markdown,csv,html" default:"text" placeholder:"FORMAT" help:"Output: text, json, markdown or csv."`
	Limit       int          `default:"20" placeholder:"N" help:"Rows per table, 0 for all (${default})."`
	At          model.Moment `placeholder:"TIME" help:"The instant: 12.5s, 350ms, 5min, 4h3m, 50%, peak, end (the default); 120000 where the unit of the file is not time."`
	From        arg.TimeOr   `placeholder:"TIME" help:"Start of the range (the start of the file)."`
	To          arg.TimeOr   `placeholder:"TIME" help:"End of the range (the end of the file)."`
	By          string       `aliases:"cost" placeholder:"KEY" help:"Sort key."`
	Event       string       `placeholder:"NAME" help:"The event that tables show (the first that has stacks)."`
	MinAge      arg.Length   `placeholder:"TIME" help:"Minimum age of leaks (0)."`
	FrameOrder  string       `enum:"auto,leaf-first,root-first" default:"auto" placeholder:"ORDER" help:"Order of frames: auto, leaf-first or root-first."`
	Unit        string       `placeholder:"UNIT" help:"Unit of the weights in folded stacks, whose files do not state one: bytes, ns, …"`
	Snapshot    *int         `placeholder:"N" help:"The snapshot or layout, counted from 0, or from the end as in --snapshot=-1 (the last complete one). FILE#N means the same."`
	Series      *int         `placeholder:"N" help:"The curve, counted from 0, in the file's order."`
	Point       *int         `placeholder:"N" help:"The page layout of this point, counted from 0, in the file's order."`
	Edges       string       `enum:"${edges}," default:"" placeholder:"WHICH" help:"The references that keep memory alive. ${edgehelp}."`
	Sizes       string       `enum:"gaps,layout" default:"gaps" placeholder:"WHICH" help:"Where the sizes of objects come from, which some formats leave open. ${sizehelp}."`
	Symbols     []string     `sep:"none" placeholder:"DIR" help:"Look for programs, libraries and their debug files in this folder first, to name the addresses in a file. May be repeated."`
	Sysroot     string       `placeholder:"DIR" help:"The folder with the files of the recorded machine, to use instead of this machine's."`
	Debuginfod  []string     `sep:"none" placeholder:"URL" help:"Ask this debuginfod server, by build id, for debug files that are not on this machine; env means the servers in the environment variable DEBUGINFOD_URLS. May be repeated. Without this flag nothing is fetched."`
	NoSymbols   bool         `help:"Leave addresses unnamed instead of looking for the programs on this machine."`
	Source      []string     `sep:"none" placeholder:"DIR" help:"Look for source files in this folder, by the longest end of their names, in addition to the git checkout around the current folder and to where the recording names them. May be repeated."`
	MapPath     []string     `sep:"none" placeholder:"FROM=TO" help:"Look for sources whose names begin with FROM in the folder TO. May be repeated."`
	AllocFrames bool         `name:"allocator-frames" help:"Keep the frames of the allocator itself at the end of stacks."`
	MaxMemory   arg.Bytes    `placeholder:"SIZE" help:"The most memory that the program may use: 64MiB, 1.5G. What does not fit is left out and reported as the problem memory-limit. This flag also replaces the limit for files that expand to far more than their size. The limits of ulimit and control groups, less what the program itself needs, also apply: the lowest counts."`
	Insecure    bool         `help:"Fetch URLs that begin with https:// without verifying the server's certificate."`
	Index       string       `enum:"cache,beside,none" default:"cache" placeholder:"PLACE" help:"Where to keep indexes of traces and decoded heap snapshots: cache (the user's cache folder, large ones only), beside (next to the file) or none. An index that other users can write is not used. check does not read an index, but keeps the one that it builds."`
	Color       string       `enum:"auto,always,never" default:"auto" placeholder:"WHEN" help:"Colors: auto, always or never."`
	ASCII       bool         `name:"ascii" help:"Draw with ASCII characters only."`
	Mouse       bool         `default:"true" negatable:"" help:"Use the mouse."`
	Theme       string       `placeholder:"NAME" help:"Color theme."`
}

// grammar is the complete command line.
type grammar struct {
	globals
	Open       openCmd        `cmd:"" default:"withargs" aliases:"analyze" help:"Open a file in the full-screen program (the default command)."`
	Demo       demoCmd        `cmd:"" help:"Open a sample that is built into the program."`
	Live       liveCmd        `cmd:"" help:"Show a recording on screens that follow it while it grows (record --live does both)."`
	Serve      serveCmd       `cmd:"" help:"Show files in a browser: the same screens, on this machine only."`
	Record     recordCmd      `cmd:"" help:"Run a program and record what it allocates, or watch any process from outside."`
	Info       infoCmd        `cmd:"" help:"Describe files from their headers only."`
	Report     reportCmd      `cmd:"" help:"Print everything that the screens show, at an instant or over a range."`
	Validate   validateCmd    `cmd:"" help:"Check files against every rule of their format."`
	Diff       diffCmd        `cmd:"" help:"Show what changed between two files, or between two places in one."`
	Check      checkCmd       `cmd:"" help:"Check a file against limits, for CI: exit status 1 if one is exceeded."`
	Index      indexCmd       `cmd:"" help:"Build the indexes of traces in advance and keep them, so that opening is instant."`
	Fleet      fleet.Commands `cmd:"" help:"Ask many recordings at once: which sites leak on how many hosts, what a version made worse, which host is an outlier."`
	Heap       heapCmd        `cmd:"" help:"Examine heap snapshots: snapshots, types, frames, find, peek, object, path, dominators, suspects, holders, threads, waste, dumper."`
	Pages      pagesCmd       `cmd:"" help:"Describe one page layout of a memory dump, or draw it with --map."`
	Convert    convertCmd     `cmd:"" help:"Write a file in another format, or part of a trace: for flame graphs, speedscope, pprof, spreadsheets and scripts."`
	Evidence   evidenceCmd    `cmd:"" help:"Write the report, stacks and commands to a folder or archive, for a ticket; --redact replaces names."`
	Guide      guideCmd       `cmd:"" help:"Print a guide for scripts: which command answers which question, and what scripts may rely on."`
	Keys       keysCmd        `cmd:"" help:"Print the table of keys."`
	Version    versionCmd     `cmd:"" help:"Print the version."`
	Completion completionCmd  `cmd:"" help:"Print a completion script for a shell."`
	Man        manCmd         `cmd:"" help:"Print the manual page."`
}

// app is the context of every command.
type app struct {
	env       Env
	out       *bufio.Writer // of standard output; Main flushes it
	written   *soundWriter  // below it
	flags     *globals
	parser    *kong.Kong    // of the complete command line, nil where nothing needed it
	parsed    *kong.Context // the command line
	config    *keymap.Config
	keys      *keymap.Map
	memory    views.Memory // of the full-screen program, for reading the file again
	collector *memory.Collector
	ending    *ending
	progress  *progress.Line // of slow work, nil for none
	budget    *model.Budget  // of memory, nil for no bound
	watch     *memory.Watch  // keeps it; nil without one
	keep      io.Writer      // where fetched data is copied, nil for none
	lend      lender         // files that are already open, nil for none
	screen    bool           // opened files are shown full-screen
	always    bool           // small traces get an index file, too
	live      bool           // an address is polled
	follow    bool           // files are read on as they grow
	killed    string         // what to say where the process was killed, "" for the usual
	anew      bool           // existing index files are not read
	served    bool           // a browser asks: source files are read only below folders that the user names
	notes     []string       // about what a file that is saved lacks
}

// inputs returns the formats that files may have.
func (a *app) inputs() []loaders.Format {
	if a.env.Formats != nil {
		return a.env.Formats
	}
	return all.Formats()
}

// Main runs one command and returns the exit status. Canceling ctx ends it early.
func Main(ctx context.Context, env Env) int {
	var line *progress.Line
	env.Stdout, env.Stderr, line = progress.Watch(env.Stdout, env.Stderr, env.IsTerminal, env.Watched)
	a := &app{env: env, progress: line, collector: &memory.Collector{}, ending: &ending{}}
	defer a.collector.Stop()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // whoever goes on has a limit of his own
	err, ended := a.runSound(ctx)
	if !ended {
		a.ending.removeUnfinished()
		return a.interrupted(ctx)
	}
	return a.status(ctx, err)
}

// interrupted reports that the command did not finish, and returns the status that shells give the signal that ended
// ctx.
func (a *app) interrupted(ctx context.Context) int {
	fmt.Fprintln(a.env.Stderr, "memtui: interrupted")
	if sig := (*term.SignalError)(nil); errors.As(context.Cause(ctx), &sig) {
		return sig.Status()
	}
	return fail.StatusSignal
}

// status prints an error and returns its exit status.
func (a *app) status(ctx context.Context, err error) int {
	if err == nil {
		return fail.Done
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return a.interrupted(ctx)
	}
	if text := err.Error(); text != "" {
		fmt.Fprintln(a.env.Stderr, "memtui: "+model.Clean(text))
	}
	if sig := (*term.SignalError)(nil); errors.As(err, &sig) {
		return sig.Status()
	}
	var coded *fail.Error
	if errors.As(err, &coded) {
		return coded.Status
	}
	return fail.StatusInput
}

func (a *app) run(ctx context.Context) error {
	config, configErr := settings.Read(a.env.Getenv)
	a.config = config
	parsed, err := a.parse()
	if parsed == nil || err != nil {
		return err
	}
	a.parsed = parsed
	g := a.flags
	if err := misplaced(g, firstWord(parsed.Command())); err != nil {
		return fail.Usage(err)
	}
	if err := uses.Check(parsed); err != nil {
		return fail.Usage(err)
	}
	if err := uses.Possible(parsed, a.numbered(parsed.Selected())); err != nil {
		return fail.Usage(err)
	}
	if over := (model.Period{From: g.From.Moment, To: g.To.Moment}); over.Reversed() {
		_, _, err := over.In(model.Axis{End: model.MaxTime})
		return fail.Usage(err)
	}
	if g.Format == "html" && !writesHTML(parsed.Command()) {
		if err := a.formats(parsed.Command(), "text", "json", "markdown", "csv"); err != nil {
			return err
		}
	}
	if !needsNothing(parsed.Command()) {
		if err := a.configure(configErr); err != nil {
			return fail.Usage(err)
		}
		if ctx, err = a.bound(ctx); err != nil {
			return err
		}
		defer a.watch.Close()
	}
	a.screen = a.env.IsTerminal && a.env.FullScreen != nil && slices.Contains([]string{"open", "demo", "live"}, firstWord(parsed.Command()))
	a.progress.Start()
	defer a.progress.End()
	err = a.execute(ctx)
	if short := (*model.MemoryError)(nil); errors.As(context.Cause(ctx), &short) {
		return fail.Input(short) // regardless of other errors
	}
	return err
}

// needsNothing reports whether a command must work even with an invalid config file.
func needsNothing(command string) bool {
	return slices.Contains([]string{"version", "completion", "man", "guide"}, firstWord(command))
}

func firstWord(command string) string {
	first, _, _ := strings.Cut(command, " ")
	return first
}

// configure checks what the parser cannot, and applies the settings of all commands.
func (a *app) configure(configErr error) error {
	if configErr != nil {
		return configErr
	}
	a.keys = keymap.Default()
	if err := a.keys.Merge(a.config.Bindings); err != nil {
		return fmt.Errorf("%s: %w", settings.Path(a.env.Getenv), err)
	}
	if a.flags.Limit < 0 {
		return fmt.Errorf("--limit: must not be negative, but is %d", a.flags.Limit)
	}
	return nil
}

// formats checks that a command can write the requested format. A format from the user's settings is replaced by text
// if a command does not support it.
func (a *app) formats(command string, known ...string) error {
	if slices.Contains(known, a.flags.Format) {
		return nil
	}
	if !a.isGiven("format") {
		a.flags.Format = "text"
		return nil
	}
	return fail.Usage(fmt.Errorf("%s writes %s, not %s", command, strings.Join(known, " or "), a.flags.Format))
}
