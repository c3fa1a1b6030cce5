package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report/cells"
	printed "github.com/memtui/memtui/export/report/fleet"
	store "github.com/memtui/memtui/internal/fleet"
	view "github.com/memtui/memtui/views/fleet"
)

// showCmd asks full-screen.
type showCmd struct{ topCmd }

// Run shows the screens, or lists sites where there is no terminal.
func (c *showCmd) Run(ctx context.Context, h *Host) error {
	if h.Screen == nil {
		return c.topCmd.Run(ctx, h)
	}
	s, err := h.open("from", h.From, &c.placeFlags)
	if err != nil {
		return err
	}
	q, err := c.ask(ctx, h, s)
	if err != nil {
		return err
	}
	return h.show(ctx, &shownFleet{host: h, store: s, place: h.From}, q)
}

// show shows a fleet, and the recordings that the user opens there, until the user quits.
func (h *Host) show(ctx context.Context, s *shownFleet, q *fleet.Question) error {
	o := view.Options{Fleet: s, Place: s.place, Start: *q, Memory: &view.Memory{}, Openable: openable, Save: s.save,
		Notes: func(q *fleet.Question, a *fleet.Answer) []string {
			notes := printed.New(q, a, nil).Notes
			for i := range notes {
				notes[i] = onScreen(notes[i])
			}
			return notes
		},
		Command: func(q *fleet.Question) []string { return append([]string{"memtui"}, s.words(q)...) }}
	for {
		opened, err := h.Screen(ctx, o)
		if err != nil || opened == nil {
			return err
		}
		if text := h.Open(ctx, opened); text != "" {
			o.Memory.Say(text)
		}
	}
}

// openable returns why a recording of a fleet cannot be opened, nil if it probably can.
func openable(uri string) error {
	if strings.HasPrefix(uri, "http://") || strings.HasPrefix(uri, "https://") {
		return nil
	}
	if uri == "-" {
		return errors.New("it was read from standard input, and not kept as a file")
	}
	if _, err := os.Stat(uri); err != nil {
		return fmt.Errorf("%w; it was added from there, perhaps on another machine", err)
	}
	return nil
}

// shownFleet is a fleet on screens. Any goroutine may call its methods: questions wait for each other.
type shownFleet struct {
	mu    sync.Mutex
	host  *Host
	store store.Store
	place string // as the command line names it
}

// Ask returns the answer to a question. A comparison without versions is of the newest two, which it fills in; a site
// that a table has cut is the one that it was cut from.
func (s *shownFleet) Ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
	a, err := s.ask(ctx, q)
	if err != nil && ctx.Err() == nil {
		return nil, errors.New(onScreen(err.Error()))
	}
	return a, err
}

// typed are the words that screens take in place of flags.
var typed = strings.NewReplacer("--by alloc_bytes", ":figure alloc", "--by", ":figure", "--what", ":what", "--service", ":service",
	"--before", ":before", "--after", ":after")

// onScreen returns a sentence about flags as one about what screens take.
func onScreen(text string) string {
	if flag, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(flag, "--") { // the screen shows what is kept only
		text = rest
	}
	return typed.Replace(text)
}

func (s *shownFleet) ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	if q.Kind == fleet.Diff && (q.Before == "" || q.After == "") {
		var err error
		if q.Before, q.After, err = lastTwo(ctx, s.store, q); err != nil {
			return nil, err
		}
	}
	if err := same(q); err != nil {
		return nil, err
	}
	return named(ctx, s.store, q)
}

// lock waits until no other question is queried.
func (s *shownFleet) lock(ctx context.Context) error {
	s.mu.Lock()
	if err := ctx.Err(); err != nil {
		s.mu.Unlock()
		return err
	}
	return nil
}

// Stack returns a stack, nil if the fleet has none of that key.
func (s *shownFleet) Stack(ctx context.Context, key fleet.Key) (*fleet.Stack, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.store.Stack(ctx, key)
}

// Names returns the names that recordings have in a column.
func (s *shownFleet) Names(ctx context.Context, column string) ([]string, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.store.Names(ctx, column)
}

// Places returns the names of all things of a kind.
func (s *shownFleet) Places(ctx context.Context, what fleet.What) ([]fleet.Place, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.store.Places(ctx, what)
}

// Warnings returns what could not be read since it was called last, each once.
func (s *shownFleet) Warnings() []string { return s.store.Warnings() }

// report returns what is printed of an answer, with the stacks that it is about.
func (s *shownFleet) report(ctx context.Context, q *fleet.Question, a *fleet.Answer) (*printed.Report, error) {
	var stacks []printed.Stack
	if q.Kind == fleet.Spread && q.What.Stacks() && q.Site != "" {
		if err := s.lock(ctx); err != nil {
			return nil, err
		}
		defer s.mu.Unlock()
		var err error
		if stacks, err = stacksOf(ctx, s.store, q); err != nil {
			return nil, failed(ctx, err)
		}
	}
	return printed.New(q, a, stacks), nil
}

// suffixes are the names of formats by the suffixes of files.
var suffixes = map[string]string{".txt": "text", ".md": "markdown", ".csv": "csv", ".json": "json", ".html": "html"}

// save writes an answer to a file that does not exist, in the format of its suffix.
func (s *shownFleet) save(ctx context.Context, path string, x view.Answer) (n int64, err error) {
	format, ok := suffixes[strings.ToLower(filepath.Ext(path))]
	if !ok {
		return 0, errors.New("end the name in .txt, .md, .csv, .json or .html")
	}
	if _, err := os.Lstat(path); err == nil {
		return 0, fmt.Errorf("%s exists: choose another name", path)
	}
	r, err := s.report(ctx, x.Question, x.Answer)
	if err != nil {
		return 0, err
	}
	err = s.host.File(path, func(w io.Writer) error {
		if format == "html" {
			return s.host.Page(ctx, w, r)
		}
		return r.Write(w, format, cells.Style{Width: wide})
	})
	if info, e := os.Stat(path); err == nil && e == nil {
		n = info.Size()
	}
	return n, err
}

// wide is the width of tables in files.
const wide = 160

// words returns the command that prints the answer to a question, without the name of the program.
func (s *shownFleet) words(q *fleet.Question) []string {
	words := []string{"fleet", q.Kind.String()}
	flagged := q.Kind == fleet.Top || q.Kind == fleet.Diff || q.Kind == fleet.Outliers
	if q.Site != "" && !flagged {
		words = append(words, q.Site)
	}
	words = append(words, "--from", s.place)
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name, value)
		}
	}
	if flagged {
		flag("site", q.Site)
	}
	if q.What != fleet.Sites {
		flag("what", string(q.What))
	}
	if q.What.Figure() == "" {
		flag("by", strings.TrimSuffix(string(q.Figure), "_bytes"))
	}
	flag("service", q.Service)
	flag("version", q.Version)
	flag("host", q.Host)
	for _, l := range q.Labels {
		flag("label", l)
	}
	flag("before", q.Before)
	flag("after", q.After)
	if q.Every {
		words = append(words, "--all-hosts")
	}
	if q.All {
		words = append(words, "--all-versions")
	}
	return words
}
