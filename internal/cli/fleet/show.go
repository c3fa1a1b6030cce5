package fleet

import (
	"context"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis/fleet"
	printed "github.com/memtui/memtui/export/report/fleet"
	store "github.com/memtui/memtui/internal/fleet"
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
	return h.Screen(ctx, &Asked{store: s, place: h.From}, q)
}

// Asked is a fleet as screens ask it. Any goroutine may call its methods: one question is asked at a time.
type Asked struct {
	mu    sync.Mutex
	store store.Store
	place string
}

// Place returns where the fleet is, as the command line names it.
func (s *Asked) Place() string { return s.place }

// Ask returns the answer to a question. A comparison without versions is of the newest two, which it fills in; a site
// that a table has cut is the one that it was cut from.
func (s *Asked) Ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error) {
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
	return named(ctx, s.store, q)
}

// lock waits until no other question is asked.
func (s *Asked) lock(ctx context.Context) error {
	s.mu.Lock()
	if err := ctx.Err(); err != nil {
		s.mu.Unlock()
		return err
	}
	return nil
}

// Stack returns a stack, nil if the fleet has none of that key.
func (s *Asked) Stack(ctx context.Context, key fleet.Key) (*fleet.Stack, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.store.Stack(ctx, key)
}

// Names returns the names that recordings have in a column.
func (s *Asked) Names(ctx context.Context, column string) ([]string, error) {
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return s.store.Names(ctx, column)
}

// Warnings returns what could not be read since it was called last, each once.
func (s *Asked) Warnings() []string { return s.store.Warnings() }

// Report returns what is printed of an answer, with the stacks that it is about.
func (s *Asked) Report(ctx context.Context, q *fleet.Question, a *fleet.Answer) (*printed.Report, error) {
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

// Words returns the command that prints the answer to a question, without the name of the program.
func (s *Asked) Words(q *fleet.Question) []string {
	words := []string{"fleet", q.Kind.String()}
	if q.Site != "" && q.Kind != fleet.Outliers {
		words = append(words, q.Site)
	}
	words = append(words, "--from", s.place)
	flag := func(name, value string) {
		if value != "" {
			words = append(words, "--"+name, value)
		}
	}
	if q.Kind == fleet.Outliers {
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
	if q.All {
		words = append(words, "--all-versions")
	}
	return words
}
