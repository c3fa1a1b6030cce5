package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/ask"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/model"
)

type diffCmd struct {
	Before string   `arg:"" help:"The older file. FILE#3 is snapshot or page layout 3 of a file."`
	After  string   `arg:"" optional:"" help:"The newer file. Without it two places in one file are compared: --a and --b name them."`
	More   []string `arg:"" optional:"" help:"More files: then all of them are one recording, of which two snapshots or windows are compared."`
	diffFlags
	Table string   `enum:"treemap,dominator_treemap," default:"" placeholder:"NAME" help:"Print a treemap of both sides instead of rows: treemap (of stacks modules, files and functions; of heap snapshots types and retainers; of memory dumps page types) or dominator_treemap (of heap snapshots)."`
	Below []string `sep:"none" placeholder:"NAME" help:"With --table: only what is below this part, named as the table does; a second one is below the first."`
	Exact bool     `help:"Print bytes as exact numbers."`
	Out   string   `name:"output" short:"o" placeholder:"FILE" help:"Write to this file instead of standard output."`
}

// diffFlags select what is compared, and how rows are matched.
type diffFlags struct {
	A         model.Place `name:"a" placeholder:"PLACE" help:"The place in the older file: an instant such as 12s, 50% or peak, a range such as 10s..20s, or the number of a snapshot, page layout or window."`
	B         model.Place `name:"b" placeholder:"PLACE" help:"The place in the newer file, or in the only file."`
	Group     string      `placeholder:"KIND" help:"What each row represents. For traces and stack profiles: stack (the default), function, total (functions with all they call), owner (the first function outside of allocators and libraries), file, module or thread; for traces also size or lifetime, for stack profiles dso, source, kind or the values of a label, as in label:tenant. For heap snapshots: type (the default), frame, dominators (what retains more, by its place in the dominator tree), kind, or any other property that both sides have: ${axes}. For memory dumps: page-type (the default) or series."`
	Mask      []string    `sep:"none" placeholder:"MASK" help:"Change names before they are matched: paths, templates, addresses, hashes, or REGEXP=REPLACEMENT. May be repeated."`
	Match     string      `enum:"frames,files,functions," default:"" placeholder:"HOW" help:"When two frames match: frames (equal function, file and line), files (equal function and file name) or functions, without those that allocate or start a thread. The default is frames; between files of different formats functions."`
	Depth     int         `placeholder:"N" help:"Match stacks by the N frames nearest to the leaf only: recorders cut stacks at different depths. 0 is all (the default)."`
	Normalize string      `enum:"none,total,duration,allocations,gcs,markers," default:"" placeholder:"BY" help:"Scale the figures of before so that both sides have the same total, duration, or number of allocations, collections or markers."`
	Only      []string    `enum:"new,gone,grown,shrunk,same,unknown" placeholder:"STATUS" help:"Only rows that are new, gone, grown, shrunk, same or, with lower bounds, unknown; separate several with commas."`
	Swap      bool        `help:"Swap before and after."`
	Cell      arg.Cell    `placeholder:"SIZE,LIFETIME" help:"For traces: only blocks of that size and lifetime, as in report."`
	arg.StepFlags
	arg.RowFlags

	grown bool // only rows that are larger after
}

// Run prints what changed between two files, or between two places of one.
func (c *diffCmd) Run(ctx context.Context, a *app) error {
	return a.withSides(ctx, c, func(before, after *session) error { return a.writeDiff(ctx, before, after, c) })
}

// withSides opens the files of a comparison while f runs.
func (a *app) withSides(ctx context.Context, c *diffCmd, f func(before, after *session) error) error {
	files := slices.DeleteFunc(slices.Concat([]string{c.Before, c.After}, c.More), func(file string) bool { return file == "" })
	if n := slices.Index(files, "-"); n >= 0 && slices.Contains(files[n+1:], "-") {
		return fail.Usage(errors.New("diff: only one of the files can be standard input"))
	}
	if err := a.namedTwice(c); err != nil {
		return err
	}
	sides := [][]string{files}
	if len(files) == 2 { // more are one recording
		sides = [][]string{files[:1], files[1:]}
	}
	list, err := a.openSides(ctx, sides...)
	if err != nil {
		return err
	}
	for _, s := range list {
		defer s.close()
	}
	return f(list[0], list[len(list)-1])
}

// namedTwice refuses places that are named in more than one way.
func (a *app) namedTwice(c *diffCmd) error {
	switch g := a.flags; {
	case c.A.Given() && a.target(c.Before).numbered:
		return fail.Usage(errors.New("diff: FILE#N and --a each choose the place in the older file: give one of them"))
	case c.B.Given() && a.target(c.After).numbered:
		return fail.Usage(errors.New("diff: FILE#N and --b each choose the place in the newer file: give one of them"))
	case c.A.Given() && c.B.Given() && (g.At.Given() || g.From.Given() || g.To.Given()):
		return fail.Usage(errors.New("diff: --at, --from and --to apply to both sides, but --a and --b choose for each side"))
	}
	return nil
}

// writeDiff waits for both files and prints what changed.
func (a *app) writeDiff(ctx context.Context, before, after *session, c *diffCmd) error {
	if a.flags.Format == "html" {
		if err := a.pageFits(c.Out); err != nil {
			return err
		}
		a.limitPage()
	}
	if c.Table != "" || len(c.Below) > 0 {
		return a.writeAreas(ctx, before, after, c)
	}
	rows := a.filterRows(c.RowFlags)
	of, d, err := a.diffThatFits(ctx, before, after, &c.diffFlags)
	if err == nil && rows.Text != "" && d.HasRows() {
		if err = d.Filter(rows); err != nil {
			err = fail.Usage(fmt.Errorf("--filter: %w", err))
		}
	}
	if err != nil {
		return err
	}
	if a.flags.Format == "csv" && !d.HasRows() {
		return fail.Input(errors.New(d.Problems[len(d.Problems)-1].Message)) // of the rows
	}
	a.warnMemory(after.store.Current(), &d.Header)
	a.warnFilters(d.NoMatch)
	return a.writeFile(cmp.Or(c.Out, "-"), func(w io.Writer) error {
		switch style := a.style(c.Exact); a.flags.Format {
		case "html":
			page := of.page(d, append([]string{"memtui"}, a.env.Args...))
			page.Terminal = ask.Keys(a.keys)
			_, err := html.WriteDiff(ctx, w, page)
			return err
		case "json":
			return report.WriteJSON(w, d)
		case "markdown":
			return report.WriteDiffMarkdown(w, d, style)
		case "csv":
			return report.WriteDiffCSV(w, d)
		default:
			return report.WriteDiffText(w, d, style)
		}
	})
}

// diffInput is one side as the user selected it.
type diffInput struct {
	*app           // with the flags of this side
	s     *session // which both sides may share
	p     *model.Profile
	asked *int // the snapshot, layout or window of this side, nil for none
	side  *diff.Side
	from  report.DiffSource
	event string              // of a profile
	label string              // key whose values are the rows
	trace *diff.TraceQuestion // nil for other files
}

// diffing is a comparison in preparation.
type diffing struct {
	flags  *diffFlags
	sides  [2]*diffInput
	opt    report.DiffOptions
	layout [2]*model.Layout // of page layouts
	lean   bool             // memory is short: rows of stacks and changes of single pages are left out
	cut    *model.Problem   // why names needed for rows were not read, so that rows are left out; nil if they were
}

// diff waits for both files and compares them.
func (a *app) diff(ctx context.Context, before, after *session, c *diffFlags) (*report.Diff, error) {
	d, err := a.newDiffing(ctx, before, after, c)
	if err != nil {
		return nil, err
	}
	return d.run(ctx)
}

// newDiffing waits for both files and selects the parts to compare.
func (a *app) newDiffing(ctx context.Context, before, after *session, c *diffFlags) (*diffing, error) {
	d := &diffing{flags: c}
	if err := d.choose(&d.opt); err != nil {
		return nil, err
	}
	for i, s := range []*session{before, after} {
		p, err := s.profile(ctx)
		if err != nil {
			return nil, err
		}
		if err := s.readCompletely(p, noComparison); err != nil {
			return nil, err
		}
		if i == 0 || p.Meta.Path != d.sides[0].p.Meta.Path {
			a.warn(p)
		}
		d.sides[i] = &diffInput{app: a, s: s, p: p, asked: s.snapshot, from: report.DiffSource{Profile: p}}
	}
	if before == after {
		if err := d.onePlaces(); err != nil {
			return nil, err
		}
	}
	d.sides[0].move(c.A)
	d.sides[1].move(c.B)
	return d, nil
}

// run compares both sides.
func (d *diffing) run(ctx context.Context) (*report.Diff, error) {
	if err := d.collect(ctx); err != nil {
		return nil, err
	}
	if err := d.decodedCompletely(); err != nil {
		return nil, err
	}
	return d.compare(ctx)
}

// decodedCompletely fails if the program left out a part of the snapshots or page layouts that are compared.
func (d *diffing) decodedCompletely() error {
	for i, in := range d.sides {
		if err := in.s.readCompletely(in.s.store.Current(), noComparison); err != nil {
			return err
		}
		if l := d.layout[i]; l != nil {
			if q := model.CutShort(l.Problems); q != nil {
				return partError(in.p.Meta.Name, noComparison, q.Message)
			}
		}
	}
	return nil
}

// choose parses the flags about rows.
func (d *diffing) choose(opt *report.DiffOptions) error {
	if d.flags.Depth < 0 {
		return fail.Usage(fmt.Errorf("--depth: must not be negative, but is %d", d.flags.Depth))
	}
	var err error
	opt.Cell, opt.Grown = d.flags.Cell.Cell, d.flags.grown
	if opt.Cell.Stacks, err = filterOf(&d.flags.StepFlags); err != nil {
		return err
	}
	for _, text := range d.flags.Mask {
		m, err := diff.ParseMask(text)
		if err != nil {
			return fail.Usage(fmt.Errorf("--mask: %w", err))
		}
		opt.Masks = append(opt.Masks, m)
	}
	for _, name := range d.flags.Only {
		for s := range diff.ChangeCount {
			if s.String() == name {
				opt.Only = append(opt.Only, s)
			}
		}
	}
	for m := range diff.MatchCount {
		if m.String() == d.flags.Match {
			opt.Match = m
		}
	}
	return nil
}

// collect makes the rows of both sides.
func (d *diffing) collect(ctx context.Context) error {
	b, p := d.sides[0].p, d.sides[1].p
	stacked := func(p *model.Profile) bool { return kind.Of(p) == kind.Stacks || kind.Of(p) == kind.Trace }
	switch {
	case kind.Of(b) == kind.Heap && kind.Of(p) == kind.Heap:
		return d.heaps(ctx)
	case kind.Of(b) == kind.Dump && kind.Of(p) == kind.Dump:
		return d.dumps(ctx)
	case stacked(b) && stacked(p):
		return d.stacks(ctx)
	}
	return notOfOneKind(b.Meta.Name, b.Meta.Format, p.Meta.Name, p.Meta.Format)
}

// compare matches the rows.
func (d *diffing) compare(ctx context.Context) (*report.Diff, error) {
	opt := diff.Options{Masks: d.opt.Masks, Match: d.opt.Match, Swap: d.flags.Swap, Libraries: settings.Libraries(d.sides[0].config)}
	for n := range diff.NormalCount {
		if n.String() == d.flags.Normalize {
			opt.Per = n
		}
	}
	d.opt.Limit = d.sides[0].flags.Limit
	d.sumUp()
	sources := [2]*report.DiffSource{&d.opt.Before, &d.opt.After}
	for i, in := range d.sides {
		if d.flags.Depth > 0 && !d.lean {
			in.side = diff.CutSide(in.side, d.flags.Depth)
		}
		in.side.Label, in.side.File = in.from.Label(), in.p.Meta.Path
		*sources[i] = in.from
	}
	if l := d.layout; l[0] != nil && l[1] != nil {
		if opt.Swap {
			l[0], l[1] = l[1], l[0]
		}
		d.opt.Layouts = pages.DiffLayouts(l[0], l[1])
	}
	c, err := diff.Compare(ctx, d.sides[0].side, d.sides[1].side, opt)
	if none := (*diff.NoBaseError)(nil); errors.As(err, &none) {
		return nil, fail.Usage(fmt.Errorf("--normalize: %w", err))
	}
	if err != nil {
		return nil, err
	}
	d.opt.Libraries = settings.Libraries(d.sides[0].config)
	out := report.NewDiff(c, d.opt)
	out.NoMatch, err = d.unmatched(ctx)
	return out, err
}

// unmatched returns the filters that match nothing on either side.
func (d *diffing) unmatched(ctx context.Context) ([]places.Unmatched, error) {
	out, err := places.UnmatchedIn(ctx, d.opt.Cell.Stacks, d.sides[0].p.Stacks, d.sides[1].p.Stacks)
	var traces []analysis.Trace
	for _, side := range d.sides {
		if kind.Of(side.p) == kind.Trace {
			traces = append(traces, side.s.index)
		}
	}
	if err != nil || len(traces) == 0 {
		return out, err
	}
	cells, err := report.UnmatchedCell(ctx, d.opt.Cell, traces...)
	return append(out, cells...), err
}
