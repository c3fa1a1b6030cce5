package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/fetch"
	"github.com/memtui/memtui/internal/indexcache"
	"github.com/memtui/memtui/internal/reading"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/join"
)

// session is one input being read: symbols and events in parallel, into a store and an index that can be queried at the
// same time.
type session struct {
	src   *loaders.Source
	store *model.Store
	index *traceindex.KeptIndex
	place *indexcache.Place // of the index; nil if it is not stored

	noPlace string // why there is none

	tables *indexcache.Parts // storage of decoded snapshots and names; nil for none
	kept   sync.WaitGroup    // done when the index is written
	unkept error             // why it was not written; valid after kept
	note   string            // the same for the user, where it matters
	stderr io.Writer         // for the note, nil in the full-screen program
	// snapshot is the one that the user selects, nil for none. Negative numbers count from the end.
	snapshot *int

	format    loaders.Format
	parts     []*session     // further files of the same recording
	together  *join.Together // what is found in all of them; nil for a single file
	joined    []string       // names of all of them on a command line; nil for a single file
	after     *session       // a second file to compare with, nil for none
	afterPath string         // how a command line names it

	polled chan struct{} // closed when an address is no longer polled; nil where it is not

	lent  bool               // it belongs to another session, which closes it
	early bool               // its profile is what was read so far
	stop  context.CancelFunc // ends the reading of events; what was read stays
	done  chan struct{}      // closed when everything has been read
	err   error              // why nothing can be shown; valid once done is closed
}

// openInput opens a file, standard input or an address.
func (a *app) openInput(ctx context.Context, path string) (*loaders.Source, error) {
	if fetch.IsURL(path) {
		return fetch.Open(ctx, path, int64(a.flags.MaxMemory), a.flags.Insecure, a.keep)
	}
	open := func() (*loaders.Source, error) { return loaders.OpenSource(ctx, path, a.env.Stdin) }
	if (a.screen || a.served) && path != "-" && (a.follow || loaders.Written(path)) {
		open = func() (*loaders.Source, error) { return loaders.OpenGrowing(ctx, path) }
	}
	src, err := open()
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, a.missing(path))
	}
	return src, nil
}

// source opens an input and finds its format.
func (a *app) source(ctx context.Context, path string) (*loaders.Source, loaders.Format, error) {
	src, err := a.openInput(ctx, path)
	if err != nil {
		return nil, loaders.Format{}, fail.Input(err)
	}
	if a.flags.MaxMemory > 0 { // the system's limit is not set by the user
		src.Allow(a.memoryLimit())
	}
	a.progress.Reads(src)
	format, err := loaders.Detect(src, a.inputs())
	if err != nil {
		src.Close()
		return nil, loaders.Format{}, fail.Input(err)
	}
	return src, format, nil
}

// open starts to read an input in the background. The caller closes the session.
func (a *app) open(ctx context.Context, path string) (*session, error) {
	list, err := a.openAll(ctx, path)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// openAll starts to read all inputs of a command, which must fit its flags. The caller closes the sessions. Lent ones
// fit the flags, which a screen has written.
func (a *app) openAll(ctx context.Context, paths ...string) ([]*session, error) {
	list, sources := make([]*session, len(paths)), make([]*loaders.Source, len(paths))
	inputs := make([]uses.Input, len(paths))
	lent := false
	for i, path := range paths {
		if a.lend != nil {
			if s := a.lend(a.target(path)); s != nil && s.joined == nil { // else it is about more files
				list[i], lent = s, true
				continue
			}
		}
		src, format, err := a.source(ctx, a.target(path).path)
		if err != nil {
			closeAll(sources)
			if i > 0 {
				err = fmt.Errorf("%w%s", err, arg.CommandHint(paths, commandNames))
			}
			return nil, err
		}
		sources[i], inputs[i] = src, uses.Input{Name: src.Name(), Path: src.Path(), Format: format, Numbered: a.target(path).numbered}
	}
	if !lent {
		err := uses.Fits(a.parsed, a.inputs(), inputs...)
		if err == nil {
			err = a.refuseValues(inputs)
		}
		if err == nil {
			err = a.symbolFolders()
		}
		if err != nil {
			closeAll(sources)
			return nil, fail.Usage(err)
		}
	}
	for i, src := range sources {
		if src != nil {
			list[i] = a.start(ctx, src, inputs[i].Format)
			list[i].snapshot = a.target(paths[i]).snapshot
		}
	}
	return list, nil
}

func closeAll(sources []*loaders.Source) {
	for _, src := range sources {
		if src != nil {
			src.Close()
		}
	}
}

func (a *app) start(ctx context.Context, src *loaders.Source, format loaders.Format) *session {
	a.collector.Start()
	reading, stop := context.WithCancel(ctx)
	s := &session{src: src, format: format, store: &model.Store{}, snapshot: a.flags.Snapshot, stop: stop, done: make(chan struct{})}
	if s.place, s.noPlace = a.indexPlace(src, format); s.place != nil {
		s.index = traceindex.NewKeptIndex(s.place)
	} else {
		s.index = traceindex.NewKeptIndex(nil)
	}
	s.index.SetBudget(a.memoryLimit())
	s.index.SetLibraries(settings.Libraries(a.config))
	if !a.screen {
		s.stderr = a.env.Stderr
	}
	opt := a.loading()
	if s.tables = a.tables(ctx, src, format); s.tables != nil {
		opt.Kept = s.tables
	}
	s.kept.Go(func() {
		if kind.OfFormat(format) == kind.Trace {
			a.collector.Traces.Add(1)
			defer a.collector.Traces.Add(-1)
		}
		s.read(reading, format, opt)
		s.releaseMemory()
		s.keep(ctx)
	})
	return s
}

// loading returns the user's options for what files leave open.
func (a *app) loading() loaders.Options {
	return loaders.Options{
		FrameOrder: a.frameOrder(), Unit: a.flags.Unit, Sizes: a.heapSizes(), Symbols: a.symbols(), AllocatorFrames: a.flags.AllocFrames,
	}
}

// symbols returns where names of addresses are searched, and cached between runs: next to indexes, unless there are
// none.
func (a *app) symbols() loaders.Symbols {
	s := loaders.Symbols{Off: a.flags.NoSymbols, Dirs: a.flags.Symbols, Sysroot: a.flags.Sysroot}
	dir := indexcache.Dir(a.env.Getenv)
	if a.flags.Index == "none" {
		dir = ""
	}
	if dir != "" && !s.Off {
		s.Names = indexcache.Names{Dir: dir}
	}
	if servers, err := fetch.Servers(a.flags.Debuginfod, a.env.Getenv); err == nil && len(servers) > 0 {
		d := &fetch.DebugServers{Servers: servers, Cache: dir, Limit: int64(a.flags.MaxMemory), Insecure: a.flags.Insecure}
		if !a.screen {
			d.Note = a.env.Stderr
		}
		s.Fetcher = d
	}
	return s
}

// symbolFolders fails if a folder for symbols does not exist, or a server has no valid address: otherwise a mistyped
// name would go unnoticed.
func (a *app) symbolFolders() error {
	for _, dir := range a.flags.Symbols {
		if err := arg.MustBeFolder("symbols", dir); err != nil {
			return err
		}
	}
	if a.flags.Sysroot != "" {
		if err := arg.MustBeFolder("sysroot", a.flags.Sysroot); err != nil {
			return err
		}
	}
	_, err := fetch.Servers(a.flags.Debuginfod, a.env.Getenv)
	return err
}

// answers returns the flags of [app.loading] as they were given.
func (a *app) answers() (words []string) {
	if a.flags.FrameOrder != "auto" {
		words = append(words, "--frame-order", a.flags.FrameOrder)
	}
	if a.flags.Unit != "" {
		words = append(words, "--unit", a.flags.Unit)
	}
	if a.heapSizes() == loaders.SizesLayout {
		words = append(words, "--sizes", a.flags.Sizes)
	}
	for _, dir := range a.flags.Symbols {
		words = append(words, "--symbols", dir)
	}
	if a.flags.Sysroot != "" {
		words = append(words, "--sysroot", a.flags.Sysroot)
	}
	for _, server := range a.flags.Debuginfod {
		words = append(words, "--debuginfod", server)
	}
	if a.flags.NoSymbols {
		words = append(words, "--no-symbols")
	}
	if a.flags.AllocFrames {
		words = append(words, "--allocator-frames")
	}
	return words
}

func (a *app) heapSizes() loaders.HeapSizes {
	if a.flags.Sizes == "layout" {
		return loaders.SizesLayout
	}
	return loaders.SizesAuto
}

func (a *app) frameOrder() loaders.FrameOrder {
	switch a.flags.FrameOrder {
	case "leaf-first":
		return loaders.LeafFirst
	case "root-first":
		return loaders.RootFirst
	}
	return loaders.FrameOrderAuto
}

// read loads symbols and replays events at the same time, and closes done.
func (s *session) read(ctx context.Context, format loaders.Format, opt loaders.Options) {
	defer close(s.done)
	defer s.stop()
	in := reading.Input{Source: s.src, Format: format, Options: opt, Store: s.store, Index: s.index, Loaded: s.publishIndexFact}
	s.err = in.Read(ctx)
	s.publishIndexFact()
}

// publishIndexFact publishes the origin of the index of a trace.
func (s *session) publishIndexFact() {
	fact, ok := s.indexFact() // not while the store is locked: the index uses it
	if !ok {
		return
	}
	s.store.Update(func(p *model.Profile) *model.Profile {
		if kind.Of(p) != kind.Trace {
			return nil
		}
		next := *p
		next.Meta.Facts = slices.DeleteFunc(slices.Clone(p.Meta.Facts), func(f model.Fact) bool { return f.Key == fact.Key })
		next.Meta.Facts = append(next.Meta.Facts, fact)
		return &next
	})
}

// profile waits until everything is read and returns the last revision. It fails when nothing can be shown, and when
// ctx is done.
func (s *session) profile(ctx context.Context) (*model.Profile, error) {
	if p := s.store.Current(); s.early && p != nil && kind.Of(p) == kind.Trace {
		return p, ctx.Err()
	}
	<-s.done
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.err != nil:
		return nil, fail.Input(s.err)
	}
	return s.store.Current(), nil
}

// close ends reading, waits until the index is kept, and releases the input. Where reading does not stop in time, close
// returns, and the input is released when reading has ended: quitting must not wait.
func (s *session) close() {
	if s.lent {
		return
	}
	s.stop()
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-s.done:
		s.release()
	case <-late.C:
		go s.release()
	}
}

// release waits for the end of reading, and closes everything.
func (s *session) release() {
	<-s.done
	if s.together != nil {
		s.together.Close()
	}
	s.kept.Wait()
	if s.tables != nil {
		s.tables.Wait()
	}
	if s.note != "" {
		fmt.Fprintln(s.stderr, "memtui: note: "+model.Clean(s.note))
	}
	s.index.Close()
	s.src.Close()
	for _, part := range s.parts {
		part.close()
	}
}

// report waits for a session and builds its report.
func (a *app) report(ctx context.Context, s *session, c *reportCmd) (*report.Report, error) {
	p, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	a.warn(p)
	if c.Order != "" && c.Order != "line" { // of all lines
		c.order = rowOrder{c.Order, a.flags.Limit}
		a.flags.Limit = 0
	}
	switch kind.Of(p) {
	case kind.Stacks:
		return a.stacksReport(ctx, p, c)
	case kind.Heap:
		return a.heapReport(ctx, s, p, c)
	case kind.Dump:
		return a.dumpReport(ctx, s, p, c)
	}
	return a.traceReport(ctx, s, p, c)
}

// maxStacked is the maximum number of sites in a curve of --stacked.
const maxStacked = 100

// lists reports whether the requested table is one of single blocks.
func (c *reportCmd) lists() bool { return c.Table == "blocks" || c.Table == "born_blocks" }

// traceReport returns the report about what a trace needed, at an instant or over a range.
func (a *app) traceReport(ctx context.Context, s *session, p *model.Profile, c *reportCmd) (*report.Report, error) {
	if err := a.order(c.prints(kind.Trace, nil, a.flags.Format), c); err != nil {
		return nil, err
	}
	blocks, leaks, live := "", "", ""
	switch by := a.flags.By; {
	case c.lists():
		blocks, a.flags.By = by, ""
	case c.Table == "leaks" || c.Table == "late_freed":
		leaks, a.flags.By = by, ""
	case c.Table == "live_sites" || c.Table == "peak_sites":
		live, a.flags.By = by, ""
	case by == orders.ByVerdict, by == orders.ByGrowth:
		leaks = by
	}
	opt, err := a.options(ctx, s.index)
	if err != nil {
		return nil, err
	}
	if err := pick.TraceGroup(string(c.Group)); err != nil {
		return nil, err
	}
	if c.Stacked < 0 || c.Stacked > maxStacked {
		return nil, fail.Usage(fmt.Errorf("--stacked: must be 1 to %d, but is %d", maxStacked, c.Stacked))
	}
	opt.LeakOrder, opt.LiveOrder, opt.Only = leaks, live, c.only
	opt.Ages = c.ages || a.flags.Format == "json" // pages set ages
	opt.Group, opt.Cell, opt.Stacked = groupNamed(string(c.Group)), c.Cell.Cell, c.Stacked
	if opt.Cell.Stacks, err = filterOf(&c.StepFlags); err != nil {
		return nil, err
	}
	if c.lists() {
		opt.Blocks, opt.BlockOrder = string(c.Table), blocks
		if (blocks == "address" || c.order.by == "address") && p.Meta.InventedAddresses {
			return nil, fail.Usage(fmt.Errorf("--by address: the file has no addresses"))
		}
	}
	if c.Peek != "" {
		if err := a.warnUnmatched(ctx, opt.Cell.Stacks, p.Stacks); err != nil {
			return nil, err
		}
		empty, err := report.UnmatchedCell(ctx, opt.Cell, s.index)
		if err != nil {
			return nil, err
		}
		a.warnFilters(empty)
		return a.around(report.BuildAround(ctx, p, s.index, c.Peek, opt))
	}
	var r *report.Report
	if c.Table == eventsTable {
		r, err = report.BuildEvents(ctx, p, s.index, opt)
	} else if c.listed() {
		r, err = a.traceLines(ctx, s, p, c, opt)
	} else if c.drawn() {
		r, err = a.traceAreas(ctx, s, p, c, opt)
	} else if c.Table == treeTable {
		r, err = a.traceTree(ctx, s, p, c, opt)
	} else {
		r, err = report.Build(ctx, p, s.index, opt)
	}
	if err != nil {
		return nil, err
	}
	a.warnFilters(r.NoMatch)
	a.warnMemory(p, &r.Header)
	return r, nil
}

// heapReport decodes all snapshots, one after the other.
func (a *app) heapReport(ctx context.Context, s *session, p *model.Profile, c *reportCmd) (r *report.Report, err error) {
	if err := a.order(c.prints(kind.Heap, p.Heaps.Schema(), a.flags.Format), c); err != nil {
		return nil, err
	}
	if c.drawn() {
		return a.heapMap(ctx, s, p, c)
	}
	lists := report.EveryList
	if c.order.by != "" { // it is complete, which other lists need not be
		lists = listOf(string(c.Table))
	}
	opt, err := a.heapOptions(s, p)
	if err != nil {
		return nil, err
	}
	opt.Lists = lists
	err = s.src.Guard(func() error {
		r, err = report.BuildHeap(ctx, p, opt)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.renew(s, p, &r.Header)
	a.warnMemory(p, &r.Header)
	return r, nil
}

// renew adds to a report what was found while decoding snapshots, after p was published.
func (a *app) renew(s *session, p *model.Profile, h *report.Header) {
	if s.together != nil {
		s.together.Renew()
	}
	now := s.store.Current()
	if now == p {
		return
	}
	h.Renew(now)
	if p.Complete && !now.Complete {
		a.warn(now)
	}
}

// warn prints a line on standard error if figures do not cover the complete file.
func (a *app) warn(p *model.Profile) {
	if p.Complete {
		return
	}
	var what []string
	if p.Lost > 0 {
		what = append(what, model.Bytes(p.Lost).Exact()+" could not be read")
	}
	if q := model.CutShort(p.Problems); q != nil { // the user can change that
		what = append(what, q.Message)
	} else if i := slices.IndexFunc(p.Problems, func(q model.Problem) bool { return q.Severity == model.Error }); i >= 0 {
		what = append(what, p.Problems[i].Message)
	}
	if len(what) == 0 {
		what = []string{"not all of it was read"}
	}
	fmt.Fprintf(a.env.Stderr, "memtui: warning: %s is incomplete: %s\n", model.Clean(p.Meta.Name),
		model.Clean(strings.Join(what, ": ")))
}

// warnMemory is warn for a report that lacks parts for lack of memory, about a file that was read completely.
func (a *app) warnMemory(p *model.Profile, h *report.Header) {
	if i := slices.IndexFunc(h.Problems, func(q report.Problem) bool { return q.Code == model.CodeMemory }); i >= 0 && p.Complete {
		fmt.Fprintf(a.env.Stderr, "memtui: warning: %s is incomplete: %s\n", model.Clean(p.Meta.Name),
			model.Clean(h.Problems[i].Message))
	}
}

// tableHint suggests the report with a table where a missing file has the name of one.
func tableHint(word string) string {
	if !slices.Contains(report.EveryTable(), word) {
		return ""
	}
	return "; for that table: memtui report --table " + word + " FILE"
}

// missing suggests a command, or a table of a report, where a file does not exist and its name looks like one.
func (a *app) missing(path string) string {
	if _, err := os.Lstat(path); err == nil || path == "-" {
		return ""
	}
	return cmp.Or(tableHint(path), arg.CommandHint([]string{path}, commandNames))
}

// readCompletely fails if the program left out something that figures of the profile depend on. verdict describes what
// cannot be stated then. Figures of a trace depend only on its events; [session.nameless] reports missing names.
func (s *session) readCompletely(p *model.Profile, verdict string) error {
	q := model.CutShort(p.Problems)
	if q == nil || s.allEvents(p) {
		return nil
	}
	return partError(p.Meta.Name, verdict, q.Message)
}

// allEvents reports whether p is a trace of which no byte of an event was left out.
func (s *session) allEvents(p *model.Profile) bool {
	return p.Allocations != nil && s.index.Status().Final && p.Lost == 0 && !s.src.Limited()
}

// nameless returns the problem with the reason why names or stacks of a trace were left out, nil if they were not.
func (s *session) nameless(p *model.Profile) *model.Problem {
	if p.Allocations == nil {
		return nil
	}
	return model.CutShort(p.Problems)
}

// partError returns the error that something cannot be stated about a file, and why.
func partError(name, verdict, why string) error {
	return fail.Input(fmt.Errorf("%s %s: only part of it was read: %s", name, verdict, why))
}

// What cannot be stated about a file that was read in part.
const (
	noComparison = "cannot be compared"
	noLimits     = "cannot be checked against limits"
	noValidity   = "cannot be validated"
)
