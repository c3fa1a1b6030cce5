package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// stackFlags narrow stacks of traces and of stack profiles, as the screens do.
type stackFlags struct {
	arg.StepFlags
	Window string `placeholder:"NAME" help:"For stack profiles: the time window of the tables, by its id or as #N, counted from 0."`
}

// treeFlags shape the table "tree".
type treeFlags struct {
	Invert    bool     `help:"With --table tree: bottom-up, from allocating functions to their callers."`
	Recursion bool     `help:"With --table tree: show direct recursion as one row."`
	Depth     int      `placeholder:"N" help:"With --table tree and the treemaps: the most levels to show. 0 is all (the default)."`
	Below     []string `sep:"none" placeholder:"NAME" help:"With the treemaps: only what is below this part, named as the table does; a second one is below the first. For dominator_treemap an object: its number or id."`
}

// treeTable is the name of the call tree.
const treeTable = "tree"

// shape checks the flags, and the figure of a trace, and returns how the tree is made.
func (f *treeFlags) shape() (report.TreeShape, error) {
	if f.Depth < 0 {
		return report.TreeShape{}, fail.Usage(fmt.Errorf("--depth: must not be negative, but is %d", f.Depth))
	}
	return report.TreeShape{Invert: f.Invert, Recursion: f.Recursion, Depth: f.Depth}, nil
}

// traceTree returns the call tree of a trace.
func (a *app) traceTree(ctx context.Context, s *session, p *model.Profile, c *reportCmd, opt report.Options) (*report.Report, error) {
	shape, err := c.shape()
	if err != nil {
		return nil, err
	}
	return report.BuildTree(ctx, p, s.index, shape, opt)
}

// stacksTree returns the call tree of a stack profile.
func (a *app) stacksTree(ctx context.Context, p *model.Profile, c *reportCmd, opt report.StackOptions) (*report.Report, error) {
	shape, err := c.shape()
	if err != nil {
		return nil, err
	}
	r, err := report.BuildStacksTree(ctx, p, shape, opt)
	if errors.Is(err, report.ErrNoSum) {
		err = fail.Usage(fmt.Errorf("--table %s: %w", treeTable, err))
	}
	return r, err
}

// filterOf returns the filter of stacks in flags.
func filterOf(f *arg.StepFlags) (calltree.Filter, error) {
	filter, err := f.Filter()
	if err != nil {
		err = fail.Usage(err)
	}
	return filter, err
}

// warnUnmatched warns on standard error about filters that match nothing in the stacks. The error is that of ctx.
func (a *app) warnUnmatched(ctx context.Context, filter calltree.Filter, stacks *model.Stacks) error {
	lost, err := places.UnmatchedIn(ctx, filter, stacks)
	a.warnFilters(lost)
	return err
}

func (a *app) warnFilters(lost []places.Unmatched) {
	for _, u := range lost {
		fmt.Fprintf(a.env.Stderr, "memtui: warning: --%s\n", u)
	}
}

// stacksReport returns the report about weighted stacks.
func (a *app) stacksReport(ctx context.Context, p *model.Profile, c *reportCmd) (*report.Report, error) {
	if err := a.orderStacks(p, c); err != nil {
		return nil, err
	}
	opt, err := a.stackOptions(ctx, p, c)
	if err != nil {
		return nil, err
	}
	if c.Table == eventsTable && a.flags.Format == "json" {
		return nil, hasAll(c.Table)
	}
	var r *report.Report
	if c.Peek != "" {
		if err := a.warnUnmatched(ctx, opt.Filter, p.Stacks); err != nil {
			return nil, err
		}
		r, err = a.around(report.BuildStacksAround(ctx, p, c.Peek, opt))
	} else if c.listed() {
		r, err = a.stackLines(ctx, p, c, opt)
	} else if c.Table == areas.TreemapTable {
		r, err = a.stacksMap(ctx, p, c, opt)
	} else if c.Table == treeTable {
		r, err = a.stacksTree(ctx, p, c, opt)
	} else {
		r, err = report.BuildStacks(ctx, p, opt)
	}
	if err != nil {
		return nil, err
	}
	a.warnFilters(r.NoMatch)
	a.warnMemory(p, &r.Header)
	if opt.Selection == nil {
		return r, nil
	}
	r.Time.From, r.Time.To = opt.Range()
	return r, nil
}

// orderStacks applies --by to a table of a stack profile if it is no metric, but a column.
func (a *app) orderStacks(p *model.Profile, c *reportCmd) error {
	metrics, what := pick.Metrics(p.Weights), c.prints(kind.Stacks, nil, a.flags.Format)
	if !a.isGiven("by") || what.table == "" || slices.Contains(metrics, a.flags.By) {
		return nil
	}
	if order, err := what.order(a.flags.By); err == nil && order.Column != "" {
		a.orderRows(order.Column, c)
		return nil
	}
	if slices.Contains(metrics, state.SortKey(a.flags.By, metrics)) {
		return nil
	}
	return fail.Usage(fmt.Errorf("--by: %s has no metric and the table no column %q%s", p.Meta.Name, a.flags.By,
		near.Available(a.flags.By, slices.Concat(metrics, what.blank.SortColumns(what.table)))))
}

// around turns errors of --peek into usage errors.
func (a *app) around(r *report.Report, err error) (*report.Report, error) {
	none := (*report.NoFunctionError)(nil)
	if errors.As(err, &none) || errors.Is(err, report.ErrNoSum) {
		err = fail.Usage(fmt.Errorf("--peek: %w", err))
	}
	return r, err
}

// selection returns the selection by --event, --by, --from and --to, or nil if the profile has nothing to select from.
func (a *app) selection(ctx context.Context, p *model.Profile, name string) (*weights.Selection, error) {
	w := p.Weights
	event, ok, err := pick.Event(p, name)
	if !ok {
		return nil, err
	}
	metric, ok := weights.DefaultMetric(w, event)
	if by := a.flags.By; by != "" {
		if m, known := w.Metric(state.SortKey(by, pick.Metrics(w))); known {
			metric, ok = m, true
		} else if a.isGiven("by") { // a setting, which is for all files, is ignored
			return nil, fail.Usage(fmt.Errorf("--by: %s has no metric %q%s", p.Meta.Name, by, near.Available(by, pick.Metrics(w))))
		}
	}
	if !ok {
		return nil, nil
	}
	if n, err := a.windowAt(ctx, p, event, metric); err != nil {
		return nil, err
	} else if n >= 0 {
		return weights.SelectWindows(p, event, metric, n), nil
	}
	if !a.flags.From.Given() && !a.flags.To.Given() {
		return weights.SelectProfile(p, event, metric), nil
	}
	return a.rangeSelection(ctx, p, event, metric)
}

// windowAt returns the window that --at selects, or -1 without --at. The peak is the window with the largest sum.
func (a *app) windowAt(ctx context.Context, p *model.Profile, event uint16, metric model.MetricID) (int, error) {
	w, at := p.Weights, a.flags.At
	switch {
	case !at.Given() || len(w.Windows) == 0 && !a.isGiven("at"): // a setting, which is for all files
		return -1, nil
	case len(w.Windows) == 0:
		return -1, fail.Usage(fmt.Errorf("--at: %s has totals and no windows: it does not record what was at an instant; --from and --to choose a range of samples", p.Meta.Name))
	case at.IsPeak() && w.Metrics[metric].NoSum():
		return -1, fail.Usage(fmt.Errorf("--at peak: values of %s do not add up", w.Metrics[metric].Name))
	case at.IsPeak():
		n, _, err := weights.SelectProfile(p, event, metric).LargestWindow(ctx)
		return n, err
	}
	end := weights.End(w)
	t, err := arg.TimeIn(at, model.Axis{End: end, Peak: end, Unit: w.AxisUnit})
	if err != nil {
		return -1, err
	}
	n, ok := weights.WindowAt(w, t)
	if !ok {
		first, _ := weights.Span(&model.StackProfile{Windows: w.Windows})
		return -1, fail.Usage(fmt.Errorf("--at: %s has no window up to %s: the first begins at %s", p.Meta.Name,
			t.In(w.AxisUnit), first.In(w.AxisUnit)))
	}
	return n, nil
}

// rangeSelection weighs stacks by their samples between --from and --to.
func (a *app) rangeSelection(ctx context.Context, p *model.Profile, event uint16,
	metric model.MetricID) (*weights.Selection, error) {
	if first, last := weights.Span(p.Weights); first > last {
		return nil, fail.Usage(fmt.Errorf("--from and --to: %s has neither samples nor windows", p.Meta.Name))
	}
	from, to, err := pick.SampleSpan(p.Weights, a.flags.From.Moment, a.flags.To.Moment)
	if err != nil {
		return nil, err
	}
	s, ok, err := weights.SelectSamples(ctx, p, event, metric, from, to)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fail.Usage(fmt.Errorf("--by: samples do not record %s, only the event's primary metric and counts", p.Weights.Metrics[metric].Name))
	}
	return s, nil
}

// grouping is the kind of rows of a table of groups. "label:" is followed by a key.
type grouping string

// String returns the value as help lists it.
func (g grouping) String() string {
	if strings.HasPrefix(string(g), weights.LabelPrefix) {
		return weights.LabelPrefix + "KEY"
	}
	return string(g)
}

// chosenWindow returns the window that --window or --at selects, or -1 for none.
func (a *app) chosenWindow(ctx context.Context, p *model.Profile, c *reportCmd, sel *weights.Selection) (int, error) {
	if c.Window == "" {
		return a.windowAt(ctx, p, sel.Event, sel.Metric)
	}
	if a.flags.From.Given() || a.flags.To.Given() {
		return -1, fail.Usage(errors.New("--window: cannot be combined with --from and --to"))
	}
	return pick.Window(p, c.Window)
}

// stackOptions returns the options of a report about weighted stacks from the flags.
func (a *app) stackOptions(ctx context.Context, p *model.Profile, c *reportCmd) (opt report.StackOptions, err error) {
	opt.Limit, opt.Libraries = a.flags.Limit, settings.Libraries(a.config)
	if opt.By, opt.Group, err = pick.ProfileGroup(p.Weights, string(c.Group)); err != nil {
		return opt, err
	}
	sel, err := a.selection(ctx, p, a.flags.Event)
	if err != nil || sel == nil {
		return opt, err
	}
	if n, err := a.chosenWindow(ctx, p, c, sel); err != nil {
		return opt, err
	} else if n >= 0 {
		sel, opt.Window = weights.SelectWindows(p, sel.Event, sel.Metric, n), &p.Weights.Windows[n]
	}
	from, to, err := pick.SampleSpan(p.Weights, a.flags.From.Moment, a.flags.To.Moment)
	if a.flags.From.Given() {
		opt.From = &from
	}
	if a.flags.To.Given() {
		opt.To = &to
	}
	if err != nil && (opt.From != nil || opt.To != nil) {
		return opt, err
	}
	if opt.Filter, err = filterOf(&c.StepFlags); err != nil {
		return opt, err
	}
	opt.Selection = sel
	if opt.Filter != "" {
		view, err := calltree.FilterStacks(ctx, p.Stacks, opt.Filter, calltree.FullStacks)
		if err != nil {
			return opt, err
		}
		opt.Selection = sel.Filter(view)
	}
	return opt, nil
}
