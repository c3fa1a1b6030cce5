package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/memtui/memtui/analysis/accept"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/check"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/model"
)

type checkCmd struct {
	File []string `arg:"" help:"A file, or - for standard input. Several heap snapshots or stack profiles, or a folder of them, are read as one recording."`
	leakFlags
	MaxPeak   arg.Limit       `placeholder:"SIZE" help:"Limit for the peak: the most live bytes of a trace, the largest heap snapshot, or the highest point of a memory dump's curves: 512M, or relative to --base +1M, +10% or 1.2x."`
	MaxLeak   arg.Limit       `placeholder:"SIZE" help:"Limit for memory that was never freed in traces, and for leaked or live memory in stack profiles. --min-age ignores younger blocks."`
	MaxGrowth arg.RateLimit   `placeholder:"RATE" help:"Limit for how fast live bytes grow, as verdicts see it: by their lower envelope in the last two thirds of the allocations, so that start-up, bursts and caches that filled up do not count, and over the complete run at least as fast as the sites that leak: 1K/s, 10M/h, or relative to --base."`
	MaxType   arg.Limit       `name:"max-type-growth" placeholder:"SIZE" help:"Limit for the growth of any type of heap snapshots: how many more bytes its objects have in the last snapshot than in the one where they had least."`
	MaxCount  arg.Limit       `name:"max-type-objects" placeholder:"N" help:"The same limit for how many more objects there are of any type."`
	MaxLiveAt []arg.LiveLimit `sep:"none" placeholder:"TIME=SIZE" help:"Limit for the live bytes at an instant: 50%=10M, end=+5%. May be repeated."`
	Base      string          `placeholder:"FILE" help:"The older file that relative limits refer to. Given without limits, it fails the check if peak or leaks grew."`
	Mask      []string        `sep:"none" placeholder:"MASK" help:"With --base: change names before they are matched, as in diff."`
	Match     string          `enum:"frames,files,functions," default:"" placeholder:"HOW" help:"With --base: when two frames match, as in diff."`
	Exact     bool            `help:"Print bytes as exact numbers."`
}

// leakFlags select the leaks that make a check fail.
type leakFlags struct {
	NoLeaks       arg.LeastLeak `optvalue:"SIZE" help:"Fail on leaks: findings of kind leak in traces, types that grow from snapshot to snapshot in heap snapshots, all leaks but those still reachable in leak reports. =SIZE ignores leaks smaller than that. --baseline and --suppressions name leaks to accept."`
	Baseline      string        `placeholder:"FILE" help:"With --no-leaks: the leaks in FILE are known, unless they grew to more than twice their bytes. FILE is what --write-baseline or report -f json wrote for an earlier run."`
	WriteBaseline string        `placeholder:"FILE" help:"Write the leaks of this run to FILE, for --baseline."`
	Suppressions  []string      `sep:"none" placeholder:"FILE" help:"With --no-leaks: accept the leaks that FILE names, in lines leak:pattern as for LeakSanitizer, or in blocks as for Valgrind. May be repeated."`
}

// budget is one limit with the figure that it applies to.
type budget struct {
	name  string // of the flag
	limit arg.Limit
	at    model.Moment // of max-live-at

	per     string  // of max-growth: the unit of time
	seconds float64 // that it has
}

// Run checks whether a file keeps limits. The exit status reports it, too.
func (c *checkCmd) Run(ctx context.Context, a *app) error {
	if err := a.formats("check", "text", "json", "markdown", "csv"); err != nil {
		return err
	}
	if n := slices.Index(c.File, "-"); n >= 0 && (c.Base == "-" || slices.Contains(c.File[n+1:], "-")) {
		return usageError(errors.New("check: only one of the files can be standard input"))
	}
	budgets := c.budgets()
	for _, b := range budgets {
		if b.limit.Relative() && c.Base == "" {
			return usageError(fmt.Errorf("--%s: %s is relative: name the file to compare with by --base", b.name, b.limit.Text))
		}
	}
	gate, err := c.readGate()
	if err != nil {
		return err
	}
	if len(budgets) == 0 && c.Base == "" && !c.wanted() {
		return usageError(errors.New("check: no limit given: try --no-leaks, --max-peak 512M, --max-leak 1M, --max-growth 1K/s, --max-type-growth 1M, --max-live-at 50%=10M or --base FILE"))
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
func (c *checkCmd) budgets() []budget {
	var out []budget
	for _, b := range []budget{
		{name: "max-peak", limit: c.MaxPeak}, {name: "max-leak", limit: c.MaxLeak},
		{name: "max-growth", limit: c.MaxGrowth.Limit, per: cmp.Or(c.MaxGrowth.Per, "s"), seconds: cmp.Or(c.MaxGrowth.Seconds, 1)},
		{name: "max-type-growth", limit: c.MaxType}, {name: "max-type-objects", limit: c.MaxCount},
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
func (a *app) check(ctx context.Context, c *checkCmd, budgets []budget, gate *leakGate, s, base *session) error {
	p, err := s.completeProfile(ctx)
	if err != nil {
		return err
	}
	var old *measurer
	var diff *report.Diff
	if base == nil {
		a.warn(p)
	} else {
		q, err := base.completeProfile(ctx)
		if err != nil {
			return err
		}
		old = &measurer{app: a, s: base, p: q}
		grown := diffFlags{Mask: c.Mask, Match: c.Match, Only: []string{"new", "grown"}, grown: true}
		if diff, err = a.comparingLive(p, q).diff(ctx, base, s, &grown); err != nil {
			return err
		}
	}
	now := &measurer{app: a, s: s, p: p}
	if len(budgets) == 0 && !c.wanted() {
		if budgets = notWorse(now, old); len(budgets) == 0 {
			return usageError(fmt.Errorf("--base: %s and %s have no figure in common that check can limit; use diff to compare them", p.Meta.Name, old.p.Meta.Name))
		}
	}
	var limits []check.Limit
	for _, b := range budgets {
		l, err := b.measure(ctx, now, old)
		if err != nil {
			return err
		}
		limits = append(limits, l)
	}
	var leaks *check.Leaks
	if c.wanted() {
		if leaks, err = gate.judge(ctx, now); err != nil {
			return err
		}
	}
	if leaks != nil {
		limits = append([]check.Limit{leaks.Limit(c.NoLeaks.Text)}, limits...)
	}
	for _, m := range []*measurer{now, old} { // they may have read more
		if m == nil {
			continue
		}
		if err := m.s.readCompletely(m.s.store.Current(), noLimits); err != nil {
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
func (a *app) writeCheck(ctx context.Context, m *measurer, v *check.Result, exact bool) error {
	if err := m.times(ctx, &v.Time); err != nil {
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
		return &statusError{status: statusViolations}
	}
	return err
}

// notWorse returns the limits of a check against another file that names none: figures that both files have must not be
// higher.
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
func (b *budget) measure(ctx context.Context, now, base *measurer) (l check.Limit, err error) {
	f, err := now.figure(ctx, b)
	if err != nil {
		return l, err
	}
	l = check.Limit{
		Name: b.name, Asked: b.limit.Text, Unit: "bytes", Value: f.value, At: f.at, Snapshot: f.snapshot, Series: f.series, Live: f.live,
	}
	switch b.name {
	case "max-growth":
		l.Unit = "bytes/" + b.per
	case "max-type-objects":
		l.Unit = check.UnitObjects
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
	if f.types != nil {
		l.SetTypes(f.types, now.flags.Limit)
	}
	return l, nil
}

// figure is the value that a limit applies to, and where it was found.
type figure struct {
	value    int64 // bytes, or bytes per second
	at       *model.Time
	snapshot *int
	series   *string
	live     bool // live memory, in place of leaks

	types []suspects.TypeGrowth // types of which it is the highest, most growth first; nil for other figures
}

// wanted reports whether leaks are checked.
func (f *leakFlags) wanted() bool { return f.NoLeaks.Given || f.WriteBaseline != "" }

// leakGate is the content of the files in the flags about leaks.
type leakGate struct {
	*leakFlags
	rules accept.Rules
	notes []string
}

// maxAccepted is the maximum size of files of baselines and suppressions.
const maxAccepted = 256 << 20

// readGate reads the files that the flags name. Errors in them are usage errors.
func (f *leakFlags) readGate() (*leakGate, error) {
	if f.Baseline != "" && !f.NoLeaks.Given {
		return nil, usageError(errors.New("--baseline works only with --no-leaks"))
	}
	if f.WriteBaseline == "-" {
		return nil, usageError(errors.New("--write-baseline: standard output is for the verdict; name a file"))
	}
	if len(f.Suppressions) > 0 && !f.wanted() {
		return nil, usageError(errors.New("--suppressions works only with --no-leaks"))
	}
	g := &leakGate{leakFlags: f, rules: accept.Rules{Least: f.NoLeaks.Bytes}, notes: []string{}}
	if f.Baseline != "" {
		data, err := readAccepted(f.Baseline)
		if err != nil {
			return nil, err
		}
		if g.rules.Baseline, err = accept.ReadBaseline(f.Baseline, data); err != nil {
			return nil, usageError(fmt.Errorf("--baseline: %w", err))
		}
	}
	for _, name := range f.Suppressions {
		data, err := readAccepted(name)
		if err != nil {
			return nil, err
		}
		s, err := accept.ReadSuppressions(name, string(data))
		if err != nil {
			return nil, usageError(fmt.Errorf("--suppressions: %w", err))
		}
		g.rules.Suppressions = append(g.rules.Suppressions, s)
		if note := s.Note(); note != "" {
			g.notes = append(g.notes, note)
		}
	}
	return g, nil
}

// readAccepted reads a file of accepted leaks.
func readAccepted(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, inputError(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAccepted+1))
	switch {
	case err != nil:
		return nil, inputError(err)
	case len(data) > maxAccepted:
		return nil, usageError(fmt.Errorf("%s is larger than %s, the limit for lists of leaks", name, model.Bytes(maxAccepted)))
	}
	return data, nil
}

// leaks returns the leaks that a file has. Kinds of files that find none were refused before.
func (m *measurer) leaks(ctx context.Context) ([]accept.Leak, error) {
	switch kind.Of(m.p) {
	case kind.Heap:
		return m.heapLeaks(ctx)
	case kind.Stacks:
		if !accept.TellsLeaks(m.p.Weights) {
			return nil, m.unanswered("no-leaks", "leak reports of sanitizers and memcheck do, as do traces")
		}
		return accept.OfReport(ctx, m.p, settings.Libraries(m.config))
	}
	if status := m.s.index.Status(); status.FreesNever && status.Events > 0 {
		return nil, usageError(fmt.Errorf("--no-leaks: %s records no frees, so it does not show what leaks", m.p.Meta.Name))
	}
	return accept.OfTrace(ctx, m.s.index, m.p, settings.Libraries(m.config))
}

// judge returns the leaks that are not accepted, and writes the baseline if requested. The result is nil if only that
// is.
func (g *leakGate) judge(ctx context.Context, m *measurer) (*check.Leaks, error) {
	for _, note := range g.notes {
		fmt.Fprintln(m.env.Stderr, "memtui: note: "+model.Clean(note))
	}
	leaks, err := m.leaks(ctx)
	if err != nil {
		return nil, err
	}
	if g.WriteBaseline != "" {
		b, err := accept.NewBaseline(leaks, g.rules.Suppressions)
		if err == nil {
			err = m.writeFile(g.WriteBaseline, b.Write)
		}
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(m.env.Stderr, "memtui: note: %s: %s written\n", model.Clean(g.WriteBaseline),
			model.Counted(uint64(b.Len()), "known leak"))
	}
	if !g.NoLeaks.Given {
		return nil, nil
	}
	result, err := g.rules.Judge(ctx, leaks)
	if err != nil {
		return nil, err
	}
	return check.NewLeaks(&result, g.rules.Least, g.notes, m.flags.Limit), nil
}
