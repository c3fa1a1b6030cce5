package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/fetch"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	"github.com/memtui/memtui/views/compare"
)

type openCmd struct {
	File []string `arg:"" optional:"" help:"A file, or - for standard input. Two files are compared. Two heap dumps of one snapshot each, three or more heap snapshots or stack profiles, or a folder of them, are read as one recording: the Comparison screen compares its snapshots."`
	liveFlags
}

// Run shows files full-screen, or prints their report where there is no terminal.
func (c *openCmd) Run(ctx context.Context, a *app) error {
	switch {
	case len(c.File) == 0:
		return fail.Usage(errors.New("no file given: try memtui FILE, memtui demo, or memtui --help"))
	case c.given() && len(c.File) > 1:
		return fail.Usage(errors.New("--every and --save take one URL"))
	case c.given():
		return a.showOne(ctx, c.File, func() (*session, error) { return a.watched(ctx, c.File[0], c.liveFlags, 0) })
	case len(c.File) == 2 && !slices.ContainsFunc(c.File, isFolder):
		return a.again(func() error { return a.openPair(ctx, c.File) })
	}
	return a.showOne(ctx, c.File, func() (*session, error) { return a.recording(ctx, c.File) })
}

// showOne shows a session, and again each time it is reopened.
func (a *app) showOne(ctx context.Context, files []string, open func() (*session, error)) error {
	return a.again(func() error {
		s, err := open()
		if err != nil {
			return err
		}
		defer s.close()
		return a.show(ctx, s, files)
	})
}

// openPair shows two files once: heap dumps of one snapshot each as one recording, others compared.
func (a *app) openPair(ctx context.Context, files []string) error {
	list, err := a.openAll(ctx, files...)
	if err != nil {
		return err
	}
	single, err := a.areSingle(ctx, list, files)
	if err == nil && single {
		err = a.join(ctx, list, false)
	}
	if err != nil || !single {
		defer list[1].close()
	}
	defer list[0].close()
	switch {
	case err != nil:
		return err
	case single:
		list[0].joined = files
		return a.show(ctx, list[0], files)
	}
	return a.compare(ctx, list[0], list[1], files)
}

// areSingle reports whether sessions are of heap dumps in one format with one snapshot each, none of which was named by
// its number.
func (a *app) areSingle(ctx context.Context, list []*session, files []string) (bool, error) {
	for i, s := range list {
		if s.format.Heap == nil || s.format.Heap != list[0].format.Heap || a.target(files[i]).snapshot != nil {
			return false, nil
		}
	}
	for _, s := range list {
		p, err := s.profile(ctx)
		if err != nil || p == nil || p.Heaps == nil || p.Heaps.Len() != 1 {
			return false, err
		}
	}
	return true, nil
}

// isFolder reports whether a path names a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// compare shows two files side by side, or prints the difference where there is no terminal.
func (a *app) compare(ctx context.Context, s, after *session, files []string) error {
	if !a.screen {
		return a.writeDiff(ctx, s, after, &diffCmd{})
	}
	s.after, s.afterPath = after, a.target(files[1]).path
	return a.show(ctx, s, files)
}

// comparable waits until the contents of a file are known, and fails if it cannot be compared.
func (a *app) comparable(ctx context.Context, s *session) error {
	if err := s.after.begun(ctx); err != nil {
		return err
	}
	if b, p := s.store.Current(), s.after.store.Current(); compareKind(b) != compareKind(p) || compareKind(b) == "" {
		return fail.Usage(fmt.Errorf("%s and %s cannot be compared full-screen; use memtui diff", b.Meta.Name, p.Meta.Name))
	}
	if kind.Of(s.store.Current()) == kind.Heap {
		for _, side := range []*session{s, s.after} {
			if _, err := side.profile(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareKind returns the kind by which files are compared: those of one kind share a facet. It is "" for files that
// cannot be compared.
func compareKind(p *model.Profile) string {
	switch kind.Of(p) {
	case kind.Heap:
		return "snapshots"
	case kind.Dump:
		return "series"
	case kind.Trace, kind.Stacks:
		return "stacks"
	}
	if p.Stacks != nil { // whose weights are still to come
		return "stacks"
	}
	return ""
}

// openSecond opens another file to compare with. It stays open until the program ends.
func (a *app) openSecond(ctx context.Context, first *session, path string, others *openFiles) (*compare.Second, error) {
	s, err := a.open(ctx, path)
	if err != nil {
		return nil, err
	}
	if err = s.begun(ctx); err == nil && compareKind(s.store.Current()) != compareKind(first.store.Current()) {
		err = fmt.Errorf("%s cannot be compared with this file", s.store.Current().Meta.Name)
	}
	if err == nil && kind.Of(s.store.Current()) == kind.Heap { // the number of snapshots must be known
		_, err = s.profile(ctx)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	others.add(s, a.target(path).path)
	return a.second(s, path), nil
}

// second returns a session as a file to compare with.
func (a *app) second(s *session, path string) *compare.Second {
	p := s.store.Current()
	out := &compare.Second{Name: p.Meta.Name, Path: path, Store: s.store}
	if kind.Of(p) == kind.Trace {
		out.Trace = s.index
	}
	if kind.Of(p) == kind.Heap {
		budget := int64(screen.AfterBudget)
		if most := a.memoryLimit(); most > 0 {
			budget = min(budget, most/2)
		}
		out.Heaps = heapgraph.NewHeaps(p.Heaps, budget)
	}
	return out
}

// openFiles are files that were opened from within the full-screen program. Any goroutine may use it.
type openFiles struct {
	mu   sync.Mutex
	list []*session
	done bool

	path []string // by index in list
}

// lender returns a session for a file that is already open, nil for none. The caller need not close it.
type lender func(file target) *session

// share returns a session for the same input with another selected snapshot.
func (s *session) share(snapshot *int) *session {
	return &session{src: s.src, store: s.store, index: s.index, snapshot: snapshot, parts: s.parts, together: s.together,
		joined: s.joined, lent: true, stop: func() {}, done: s.done}
}

// lends returns a lender of the first file, the second one if there is one, and those that were opened from within.
func (a *app) lends(s *session, file string, others *openFiles) lender {
	first := a.target(file).path
	return func(file target) *session {
		switch {
		case s.joined != nil && file.snapshot != nil: // of one of its files, which has numbers of its own
			return nil
		case file.path == first && first != "":
			return s.share(file.snapshot)
		case s.after != nil && file.path == s.afterPath:
			return s.after.share(file.snapshot)
		}
		if other := others.at(file.path); other != nil {
			return other.share(file.snapshot)
		}
		return nil
	}
}

// at returns the last opened file with a path, nil for none.
func (o *openFiles) at(path string) *session {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range slices.Backward(o.list) {
		if !o.done && o.path[i] == path {
			return o.list[i]
		}
	}
	return nil
}

// add keeps a file open until the program ends.
func (o *openFiles) add(s *session, path string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.done {
		s.close()
		return
	}
	o.list, o.path = append(o.list, s), append(o.path, path)
}

func (o *openFiles) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.done = true
	for _, s := range o.list {
		s.close()
	}
}

// again calls f until it no longer asks for the input to be read again.
func (a *app) again(f func() error) error {
	for {
		if err := f(); !errors.Is(err, views.ErrReload) {
			return err
		}
	}
}

// startAt sets where the screens begin: at the snapshots, page layouts or windows that the user selects. If only one of
// two files has a selection, the other one begins where memtui diff would.
func (a *app) startAt(ctx context.Context, s *session, shown *screen.Screen) (err error) {
	p, start := s.store.Current(), &shown.HeapStart
	asked := a.asksIn(s) || s.after != nil && a.asksIn(s.after)
	switch kind.Of(p) {
	case kind.Dump:
		shown.Trace = nil
	case kind.Heap:
		shown.Trace, shown.HeapBudget = nil, a.memoryLimit()/2
		if start.Edges, err = pick.Edges(p, a.flags.Edges); err != nil {
			return err
		}
	}
	if !asked {
		return nil
	}
	if start.Snapshot, err = a.startOf(ctx, s); err != nil || s.after == nil {
		return err
	}
	start.After, err = a.startOf(ctx, s.after)
	return err
}

// asksIn reports whether the user selects a snapshot, page layout or window of a file.
func (a *app) asksIn(s *session) bool {
	switch kind.Of(s.store.Current()) {
	case kind.Heap:
		return s.snapshot != nil || a.flags.At.Given()
	case kind.Stacks:
		return s.snapshot != nil || a.flags.At.Given()
	case kind.Dump:
		return s.snapshot != nil || a.flags.Series != nil || a.flags.Point != nil
	}
	return s.snapshot != nil
}

// startOf returns the snapshot, page layout or window that is shown first. Counting from the end requires everything to
// be read.
func (a *app) startOf(ctx context.Context, s *session) (at *int, err error) {
	p, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	err = s.src.Guard(func() error {
		at, err = a.numberOf(ctx, p, s.snapshot)
		return err
	})
	return at, err
}

// readable returns why files cannot be read again now, nil when they can: one is gone or empty, or can be read only
// once. A sample has no path; second is "" where there is none.
func (a *app) readable(file, second string) error {
	if a.live {
		return errors.New("what was fetched from a URL would be lost")
	}
	if err := readableAgain(file); err != nil || second == "" {
		return err
	}
	if err := readableAgain(a.target(second).path); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(second), err)
	}
	return nil
}

func readableAgain(path string) error {
	if path == "" {
		return nil
	}
	if fetch.IsURL(path) {
		return nil
	}
	if path == "-" {
		return errors.New("standard input can be read only once")
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("the file no longer exists")
	case err != nil:
		return err
	case info.Mode()&fs.ModeNamedPipe != 0:
		return errors.New("a pipe can be read only once")
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Size() == 0:
		return errors.New("the file is now empty")
	}
	return nil
}

// naming returns the words that name the open files on a command line; none for a sample, which has no path.
func (a *app) naming(paths ...string) []string {
	if paths[0] == "" {
		return nil
	}
	return append(a.answers(), paths...)
}

// begun waits for the first revision with something to show, so that an unreadable file gives an error message instead
// of a screen.
func (s *session) begun(ctx context.Context) error {
	for {
		p, changed := s.store.Watch()
		if p != nil && (kind.Of(p) != kind.None || p.Stacks != nil) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-s.done:
			_, err := s.profile(ctx)
			return err
		}
	}
}
