package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

type checkCmd struct {
	File      string          `arg:"" help:"A file, or - for standard input."`
	MaxPeak   arg.Limit       `placeholder:"SIZE" help:"Limit for the peak: the most live bytes of a trace, the largest heap snapshot, or the highest point of a memory dump's curves: 512M, or relative to --base +1M, +10% or 1.2x."`
	MaxLeak   arg.Limit       `placeholder:"SIZE" help:"Limit for what was never freed, in traces and stack profiles. --min-age ignores younger blocks."`
	MaxGrowth arg.RateLimit   `placeholder:"RATE" help:"Limit for how fast live bytes grow over the run, by the slope of a straight line through the memory that stays: 1K/s, 10M/h, or relative to --base. --from skips the start-up."`
	MaxLiveAt []arg.LiveLimit `sep:"none" placeholder:"TIME=SIZE" help:"Limit for the live bytes at an instant: 50%=10M, end=+5%. May be repeated."`
	Base      string          `placeholder:"FILE" help:"The older file that relative limits refer to. Given without limits, it fails the check if peak or leaks grew."`
	Mask      []string        `sep:"none" placeholder:"MASK" help:"With --base: change names before they are matched, as in diff."`
	Match     string          `enum:"frames,files,functions," default:"" placeholder:"HOW" help:"With --base: when two frames match, as in diff."`
	Exact     bool            `help:"Print bytes as exact numbers."`
}

// budget is one limit and the figure that it is about.
type budget struct {
	name  string // of the flag
	limit arg.Limit
	at    model.Moment // of max-live-at

	per     string  // of max-growth: the unit of time
	seconds float64 // that it has
}

// Run says whether a file keeps limits. The status says it too.
func (c *checkCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("check", "text", "json", "markdown", "csv"); err != nil {
		return err
	}
	if c.File == "-" && c.Base == "-" {
		return usageError(errors.New("check: only one of the files can be standard input"))
	}
	budgets := c.budgets()
	for _, b := range budgets {
		if b.limit.Relative() && c.Base == "" {
			return usageError(fmt.Errorf("--%s: %s is relative: name the file to compare with by --base", b.name, b.limit.Text))
		}
	}
	if len(budgets) == 0 && c.Base == "" {
		return usageError(errors.New("check: no limit given: try --max-peak 512M, --max-leak 1M, --max-growth 1K/s, --max-live-at 50%=10M or --base FILE"))
	}
	a.anew = true // what lies in a cache must not make a check pass
	files := []string{c.File}
	if c.Base != "" {
		files = append(files, c.Base)
	}
	list, err := a.openAll(ctx, files...)
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
	return a.check(ctx, c, budgets, list[0], base)
}

// budgets returns the limits given, in the order of the flags.
func (c *checkCmd) budgets() []budget {
	var out []budget
	for _, b := range []budget{
		{name: "max-peak", limit: c.MaxPeak}, {name: "max-leak", limit: c.MaxLeak},
		{name: "max-growth", limit: c.MaxGrowth.Limit, per: cmp.Or(c.MaxGrowth.Per, "s"), seconds: cmp.Or(c.MaxGrowth.Seconds, 1)},
	} {
		if b.limit.Given() {
			out = append(out, b)
		}
	}
	for _, l := range c.MaxLiveAt {
		out = append(out, budget{name: "max-live-at", limit: l.Limit, at: l.At})
	}
	return out
}

// check waits for the files and prints the verdict.
func (a *app) check(ctx context.Context, c *checkCmd, budgets []budget, s, base *session) error {
	p, err := s.profile(ctx)
	if err == nil {
		err = s.readWhole(p, noLimits)
	}
	if err != nil {
		return err
	}
	var old *measurer
	var diff *report.Diff
	if base == nil {
		a.warn(p)
	} else {
		q, err := base.profile(ctx)
		if err == nil {
			err = base.readWhole(q, noLimits)
		}
		if err != nil {
			return err
		}
		old = &measurer{a, base, q}
		grown := diffFlags{Mask: c.Mask, Match: c.Match, Only: []string{"new", "grown"}, grown: true}
		if diff, err = a.comparingLive(p, q).diff(ctx, base, s, &grown); err != nil {
			return err
		}
	}
	now := &measurer{a, s, p}
	if len(budgets) == 0 {
		budgets = notWorse(now, old)
	}
	var limits []report.Limit
	for _, b := range budgets {
		l, err := b.measure(ctx, now, old)
		if err != nil {
			return err
		}
		limits = append(limits, l)
	}
	for _, m := range []*measurer{now, old} { // which may have read more
		if m == nil {
			continue
		}
		if err := m.s.readWhole(m.s.store.Current(), noLimits); err != nil {
			return err
		}
	}
	return a.writeCheck(ctx, now, report.NewCheck(p, limits, diff), c.Exact)
}

// comparingLive compares profiles by what they say to be live, unless the user says otherwise: their primary metric is what was
// allocated.
func (a *app) comparingLive(p, q *model.Profile) *app {
	for _, side := range []*model.Profile{p, q} {
		if a.flags.By != "" || kind.Of(side) != kind.Stacks {
			return a
		}
		if _, ok := side.Weights.Metric("live_bytes"); !ok {
			return a
		}
	}
	flags, live := *a.flags, *a
	flags.By, live.flags = "live_bytes", &flags
	return &live
}

// writeCheck prints the verdict, and turns a limit that is exceeded into the status.
func (a *app) writeCheck(ctx context.Context, m *measurer, v *report.Check, exact bool) error {
	if err := m.times(ctx, &v.Time); err != nil {
		return err
	}
	var err error
	switch style := a.style(exact); a.flags.Format {
	case "json":
		err = report.WriteJSON(a.out, v)
	case "markdown":
		err = report.WriteCheckMarkdown(a.out, v, style)
	case "csv":
		err = report.WriteCheckCSV(a.out, v)
	default:
		err = report.WriteCheckText(a.out, v, style)
	}
	if err == nil && !v.OK {
		return &statusError{status: statusViolations}
	}
	return err
}

// notWorse returns the limits of a check against another file that names none: what both files can tell must not be higher.
func notWorse(now, base *measurer) []budget {
	var out []budget
	for _, name := range []string{"max-peak", "max-leak"} {
		if now.answers(name) && base.answers(name) {
			out = append(out, budget{name: name, limit: arg.NoMore()})
		}
	}
	return out
}

// measure compares a figure with its limit.
func (b *budget) measure(ctx context.Context, now, base *measurer) (l report.Limit, err error) {
	f, err := now.figure(ctx, b)
	if err != nil {
		return l, err
	}
	l = report.Limit{
		Name: b.name, Asked: b.limit.Text, Unit: "bytes", Value: f.value, At: f.at, Snapshot: f.snapshot, Series: f.series,
	}
	if b.name == "max-growth" {
		l.Unit = "bytes/" + b.per
	}
	if b.limit.Relative() {
		old, err := base.figure(ctx, b)
		if err != nil {
			return l, err
		}
		l.Base = &old.value
		l.Limit = b.limit.Resolve(old.value)
	} else {
		l.Limit = b.limit.Resolve(0)
	}
	l.OK = l.Value <= l.Limit
	return l, nil
}

// figure is what a limit is about, and where it was found.
type figure struct {
	value    int64 // bytes, or bytes per second
	at       *model.Time
	snapshot *int
	series   *string
}
