package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/check"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/fleet"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/measure"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/model"
)

type checkCmd struct {
	File []string `arg:"" optional:"" help:"A file, or - for standard input. Several heap snapshots or stack profiles, or a folder of them, are read as one recording."`
	measure.LeakFlags
	MaxPeak   arg.Limit       `placeholder:"SIZE" help:"Limit for the peak: the most live bytes of a trace, the largest heap snapshot, or the highest point of a memory dump's curves: 512M, or relative to --base +1M, +10% or 1.2x."`
	MaxLeak   arg.Limit       `placeholder:"SIZE" help:"Limit for memory that was never freed in traces, leak or not, and for leaked or live memory in stack profiles. --min-age ignores younger blocks; --no-leaks limits what grows."`
	MaxGrowth arg.RateLimit   `placeholder:"RATE" help:"Limit for how fast live bytes grow, as verdicts see it: by their lower envelope in the last two thirds of the allocations, so that start-up, bursts and caches that filled up do not count, and over the complete run at least as fast as the sites that leak: 1K/s, 10M/h, or relative to --base."`
	MaxType   arg.Limit       `name:"max-type-growth" placeholder:"SIZE" help:"Limit for the growth of any type of heap snapshots: how many more bytes its objects have in the last snapshot than in the one where they had least."`
	MaxCount  arg.Limit       `name:"max-type-objects" placeholder:"N" help:"The same limit for how many more objects there are of any type."`
	MaxLiveAt []arg.LiveLimit `sep:"none" placeholder:"TIME=SIZE" help:"Limit for the live bytes at an instant: 50%=10M, end=+5%. May be repeated."`
	Base      string          `placeholder:"FILE" help:"The older file that relative limits refer to. Given without limits, it fails the check if peak or leaks grew."`
	Mask      []string        `sep:"none" placeholder:"MASK" help:"With --base: change names before they are matched, as in diff."`
	Match     string          `enum:"frames,files,functions," default:"" placeholder:"HOW" help:"With --base: when two frames match, as in diff."`
	Exact     bool            `help:"Print bytes as exact numbers."`
	fleet.CheckFlags
}

// Run checks whether a file keeps limits. The exit status reports it, too.
func (c *checkCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("check", "text", "json", "markdown", "csv"); err != nil {
		return err
	}
	switch {
	case c.Fleet != "" && len(c.File) > 0:
		return fail.Usage(errors.New("check: give a file or --fleet, not both"))
	case c.Fleet != "":
		return c.CheckFlags.Run(ctx, a.fleetHost())
	case len(c.File) == 0:
		return fail.Usage(errors.New("missing argument: <file>"))
	}
	if n := slices.Index(c.File, "-"); n >= 0 && (c.Base == "-" || slices.Contains(c.File[n+1:], "-")) {
		return fail.Usage(errors.New("check: only one of the files can be standard input"))
	}
	budgets := c.budgets()
	for _, b := range budgets {
		if b.Limit.Relative() && c.Base == "" {
			return fail.Usage(fmt.Errorf("--%s: %s is relative: name the file to compare with by --base", b.Name, b.Limit.Text))
		}
	}
	gate, err := c.ReadGate()
	if err != nil {
		return err
	}
	if len(budgets) == 0 && c.Base == "" && !c.Wanted() {
		return fail.Usage(errors.New("check: no limit given: try --no-leaks, --max-peak 512M, --max-leak 1M, --max-growth 1K/s, --max-type-growth 1M, --max-live-at 50%=10M or --base FILE"))
	}
	a.anew = true // an index from the cache must not make a check pass
	sides := [][]string{c.File}
	if c.Base != "" {
		sides = append(sides, []string{c.Base})
	}
	list, err := a.openSides(ctx, sides...)
	if err != nil {
		return err
	}
	for _, s := range list {
		defer s.close()
	}
	var base *session
	if len(list) > 1 {
		base = list[1]
	}
	return a.check(ctx, c, budgets, gate, list[0], base)
}

// budgets returns the limits given, in the order of the flags.
func (c *checkCmd) budgets() []measure.Budget {
	var out []measure.Budget
	for _, b := range []measure.Budget{
		{Name: "max-peak", Limit: c.MaxPeak}, {Name: "max-leak", Limit: c.MaxLeak},
		{Name: "max-growth", Limit: c.MaxGrowth.Limit, Per: cmp.Or(c.MaxGrowth.Per, "s"), Seconds: cmp.Or(c.MaxGrowth.Seconds, 1)},
		{Name: "max-type-growth", Limit: c.MaxType}, {Name: "max-type-objects", Limit: c.MaxCount},
	} {
		if b.Limit.Given() {
			out = append(out, b)
		}
	}
	for _, l := range c.MaxLiveAt {
		out = append(out, measure.Budget{Name: "max-live-at", Limit: l.Limit, At: l.At})
	}
	return out
}

// check waits for the files and prints the verdict.
func (a *app) check(ctx context.Context, c *checkCmd, budgets []measure.Budget, gate *measure.Gate, s, base *session) error {
	p, err := s.completeProfile(ctx)
	if err != nil {
		return err
	}
	var old *measure.File
	var diff *report.Diff
	if base == nil {
		a.warn(p)
	} else {
		q, err := base.completeProfile(ctx)
		if err != nil {
			return err
		}
		old = a.measured(base, q)
		grown := diffFlags{Mask: c.Mask, Match: c.Match, Only: []string{"new", "grown"}, grown: true}
		if diff, err = a.comparingLive(p, q).diff(ctx, base, s, &grown); err != nil {
			return err
		}
	}
	now := a.measured(s, p)
	if len(budgets) == 0 && !c.Wanted() {
		if budgets = measure.NotWorse(now, old); len(budgets) == 0 {
			return fail.Usage(fmt.Errorf("--base: %s and %s have no figure in common that check can limit; use diff to compare them", p.Meta.Name, old.Profile.Meta.Name))
		}
	}
	var limits []check.Limit
	for _, b := range budgets {
		l, err := b.Measure(ctx, now, old)
		if err != nil {
			return err
		}
		limits = append(limits, l)
	}
	var leaks *check.Leaks
	if c.Wanted() {
		if leaks, err = gate.Judge(ctx, now, a.checkOutput()); err != nil {
			return err
		}
	}
	if leaks != nil {
		limits = append([]check.Limit{leaks.Limit(c.NoLeaks.Text)}, limits...)
	}
	for _, s := range []*session{s, base} { // they may have read more
		if s == nil {
			continue
		}
		if err := s.readCompletely(s.store.Current(), noLimits); err != nil {
			return err
		}
	}
	return a.writeCheck(ctx, now, check.New(p, limits, diff, leaks), c.Exact)
}

// completeProfile waits for a file whose limits are checked.
func (s *session) completeProfile(ctx context.Context) (*model.Profile, error) {
	p, err := s.profile(ctx)
	if err == nil {
		err = s.readCompletely(p, noLimits)
	}
	return p, err
}

// comparingLive compares profiles by live memory unless the user chooses another metric: their primary metric is
// allocated memory.
func (a *app) comparingLive(p, q *model.Profile) *app {
	var names []string
	for _, side := range []*model.Profile{p, q} {
		if a.flags.By != "" || kind.Of(side) != kind.Stacks {
			return a
		}
		m, ok := weights.Named(side.Weights, "live_bytes")
		if !ok {
			return a
		}
		names = append(names, side.Weights.Metrics[m].Name)
	}
	if names[0] != names[1] {
		return a
	}
	flags, live := *a.flags, *a
	flags.By, live.flags = names[0], &flags
	return &live
}

// writeCheck prints the verdict, and returns an exceeded limit as the exit status.
func (a *app) writeCheck(ctx context.Context, m *measure.File, v *check.Result, exact bool) error {
	if err := m.Times(ctx, &v.Time); err != nil {
		return err
	}
	var err error
	switch style := a.style(exact); a.flags.Format {
	case "json":
		err = report.WriteJSON(a.out, v)
	case "markdown":
		err = check.WriteMarkdown(a.out, v, style)
	case "csv":
		err = check.WriteCSV(a.out, v)
	default:
		err = check.WriteText(a.out, v, style)
	}
	if err == nil && !v.OK {
		return &fail.Error{Status: fail.Violated}
	}
	return err
}

// measured returns a file whose figures are checked.
func (a *app) measured(s *session, p *model.Profile) *measure.File {
	return &measure.File{
		Profile: p, Trace: s.index, Libraries: settings.Libraries(a.config), Limit: a.flags.Limit,
		Series: a.flags.Series, Event: a.flags.Event,
		Chosen: s.snapshot != nil, Guard: s.src.Guard,
		Options: func(ctx context.Context) (report.Options, error) { return a.options(ctx, s.index) },
		Span: func() (from, to model.Time, err error) {
			opt, err := a.dumpOptions(p)
			return opt.From, opt.To, err
		},
		Snapshot: func() (int, bool, error) { return pick.Snapshot(p, s.snapshot, a.flags.At) },
		Edges:    func() (heapgraph.Policy, error) { return pick.Edges(p, a.flags.Edges) },
		Decode:   func(ctx context.Context, n int) (*model.Heap, error) { return a.heap(ctx, s, p, n) },
	}
}

// checkOutput returns where a check writes, in addition to its verdict.
func (a *app) checkOutput() measure.Output {
	return measure.Output{Note: func(text string) { fmt.Fprintln(a.env.Stderr, "memtui: note: "+text) }, Write: a.writeFile}
}
