package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/model"
)

// stacks compares traces and profiles of stacks, each with each.
func (d *diffing) stacks(ctx context.Context) error {
	known := []string{"stack", "function", "total", "file", "module", "thread", "size", "lifetime"}
	mixed := (d.sides[0].p.Weights == nil) != (d.sides[1].p.Weights == nil)
	if d.sides[0].p.Weights != nil || d.sides[1].p.Weights != nil {
		known = known[:6]
	}
	group, err := d.group(known...)
	if err != nil {
		return err
	}
	metric, err := d.metric(mixed)
	if err != nil {
		return err
	}
	if mixed && d.flags.Match == "" {
		d.opt.Match = diff.MatchFunctions
	}
	d.opt.What, d.opt.Metric, d.opt.Measure = group, metric, measures()[metric]
	if group == "total" {
		d.opt.What = "function"
	}
	if d.peaks(metric) {
		d.opt.Measure = "peak memory"
	}
	if d.lean { // whatever rows are, their sum is the same
		group = "thread"
	}
	found := false
	for _, in := range d.sides {
		if in.p.Weights == nil {
			d.opt.Counted, found = "blocks", true
			err = in.traceSide(ctx, metric, group, d.opt.Cell, d.peaks(metric))
		} else {
			var counted string
			counted, err = in.profileSide(ctx, d.opt.Event, metric, group, d.opt.Cell.Stacks)
			if counted != "" {
				d.opt.Counted, found = counted, true
			}
		}
		if err != nil {
			return err
		}
		for i := range in.side.Rows {
			r := &in.side.Rows[i]
			r.Listed = r.Listed && !mixed // a trace does not list what weighs nothing
		}
	}
	if !found {
		return usageError(fmt.Errorf("--by: there is no metric %q: there are %s", metric, metricNames(d.sides[1].p.Weights)))
	}
	return nil
}

// peaks reports whether both sides are traces compared by their peaks, and all of them: what each row reached on its own does not
// add up to the peak, and of a part of the blocks it is not known.
func (d *diffing) peaks(metric string) bool {
	return metric == "peak_bytes" && d.sides[0].p.Weights == nil && d.sides[1].p.Weights == nil && d.opt.Cell.IsAll()
}

// measures are what metrics measure, in words.
func measures() map[string]string {
	return map[string]string{
		"live_bytes": "live memory", "live_count": "the number of live blocks", "alloc_bytes": "allocated memory",
		"alloc_count": "the number of allocations", "peak_bytes": "the sum of each one's own peak", "freed_bytes": "freed memory",
		"overwritten_bytes": "memory of blocks that others were allocated over",
		"temporary_count":   "the number of temporary blocks", "leaked_bytes": "leaked memory", "leaked_count": "the number of leaked blocks",
	}
}

// metric is what both sides are compared by: what the user asks for, else live bytes of traces, allocated ones of their ranges, the
// primary metric of profiles, and of one of each the first that both have. It also chooses the event.
func (d *diffing) metric(mixed bool) (string, error) {
	flags := d.sides[0].flags
	by := flags.By
	if !mixed && d.sides[0].p.Weights == nil {
		if by == "" {
			if by = "live_bytes"; d.flags.A.Over.Given() && d.flags.B.Over.Given() {
				by = "alloc_bytes"
			}
		}
		return by, checkKey(by, report.SortKeys())
	}
	if mixed {
		return d.sharedMetric(by)
	}
	p := d.sides[0].p
	if d.opt.Event = flags.Event; d.opt.Event == "" {
		e, ok, _ := eventNamed(p, "")
		if !ok {
			return "", usageError(fmt.Errorf("diff: %s has no event", p.Meta.Name))
		}
		d.opt.Event = p.Weights.Events[e].Name
	}
	if by == "" {
		by = primaryOf(p, d.opt.Event)
	}
	return by, nil
}

// sharedMetric finds an event of a profile, and one of its metrics, that a trace knows too.
func (d *diffing) sharedMetric(by string) (string, error) {
	p, trace := d.sides[0].p, d.sides[1].p
	if p.Weights == nil {
		p, trace = trace, p
	}
	keys := []string{"live_bytes", "leaked_bytes", "alloc_bytes", "live_count", "alloc_count", "freed_bytes", "temporary_count", "peak_bytes"}
	if by != "" {
		if err := checkKey(by, report.SortKeys()); err != nil {
			return "", err
		}
		keys = []string{by}
	}
	event := d.sides[0].flags.Event
	for e, totals := range weights.ProfileTotals(p.Weights) {
		if name := p.Weights.Events[e].Name; event != "" && name != event {
			continue
		}
		for _, key := range keys {
			m, ok := p.Weights.Metric(key)
			if ok && slices.ContainsFunc(totals.Sums, func(s weights.MetricSum) bool { return s.Metric == m }) {
				d.opt.Event = p.Weights.Events[e].Name
				return key, nil
			}
		}
	}
	return "", usageError(fmt.Errorf("diff: %s and %s have no metric in common: a trace has %s, and the profile %s",
		trace.Meta.Name, p.Meta.Name, listed(report.SortKeys()), metricNames(p.Weights)))
}

// traceSide asks a trace for its rows; with peaks the whole side weighs what the trace did at its peak.
func (in *diffInput) traceSide(ctx context.Context, metric, group string, only analysis.Cell, peaks bool) error {
	if in.asked != nil {
		return usageError(errors.New("diff: traces have no snapshots; choose an instant with --at"))
	}
	opt, err := in.options(ctx, in.s.index)
	if err != nil {
		return err
	}
	opt.Cell = only
	if in.side, err = traceRows(ctx, in.s.index, in.p.Stacks, opt, metric, group); err != nil {
		return err
	}
	if peaks {
		peak, _, err := in.s.index.Peak(ctx, opt.Range)
		if err != nil {
			return err
		}
		in.side.Whole = &diff.SideSum{Bytes: peak.Bytes, Count: in.side.Sum().Count}
	}
	until := opt.Range
	if in.from.At = &opt.AtTime; in.flags.From.Given() || in.flags.To.Given() {
		from, to := max(opt.From, 0), min(opt.Range.To, in.s.index.Status().Duration)
		in.from.From, in.from.To = &from, &to
	} else {
		until = analysis.Range{From: model.NoTime, To: opt.AtTime}
	}
	in.side.Bases, err = diff.TraceBases(ctx, in.s.index, until)
	return err
}

// traceRows are the rows of a trace in one grouping.
func traceRows(ctx context.Context, trace analysis.Trace, stacks *model.Stacks, opt report.Options, metric, group string) (*diff.CompareSide, error) {
	figure := report.SiteFigure(metric)
	switch group {
	case "lifetime":
		if !opt.Cell.IsAll() {
			return nil, usageError(errors.New("--group lifetime is about all blocks: leave filters of stacks and --cell out"))
		}
		if metric != "alloc_bytes" && metric != "alloc_count" {
			return nil, usageError(errors.New("--group lifetime is about what was allocated in a range: add --by alloc_bytes"))
		}
		sizes, lifetimes, err := trace.Histograms(ctx, opt.Range)
		side := diff.LifetimesSide(sizes, lifetimes)
		if metric == "alloc_count" {
			for i := range side.Rows {
				side.Rows[i].Bytes = side.Rows[i].Count
			}
		}
		return side, err
	case "total":
		if metric == "peak_bytes" {
			return nil, usageError(errors.New("--group total: peaks of stacks are reached at different times and do not add up"))
		}
	}
	by := groupNamed(group)
	if group == "total" {
		by = analysis.ByStack
	}
	sites, err := trace.Sites(ctx, analysis.Query{At: opt.At, Range: opt.Range, By: by, Cell: opt.Cell})
	if err != nil {
		return nil, err
	}
	side := diff.SitesSide(by, stacks, sites, figure)
	if by == analysis.ByStack && opt.Cell.Stacks != "" && stacks != nil {
		view, err := calltree.FilterStacks(ctx, stacks, opt.Cell.Stacks, calltree.WholeStacks)
		if err != nil {
			return nil, err
		}
		side.Filter(view)
	}
	if group == "total" {
		side = diff.GroupSide(side, diff.GroupTotal)
	}
	return side, nil
}

// profileSide asks a profile for its rows. counted is what counts are, "" where the profile does not have the metric: then the side
// is empty.
func (in *diffInput) profileSide(ctx context.Context, event, metric, group string, filter calltree.StackFilter) (counted string, err error) {
	if in.flags.At.Given() {
		return "", usageError(errors.New("diff: profiles of stacks are sums over time: choose a range, as in --a 10s..20s, or a window by its number"))
	}
	w := in.p.Weights
	e, _, err := eventNamed(in.p, event)
	if err != nil {
		return "", err
	}
	m, ok := w.Metric(metric)
	if !ok {
		in.side = &diff.CompareSide{Stacks: in.p.Stacks, Bases: diff.NoBases}
		return "", nil
	}
	if weights.NoSum(metric) && group != "stack" {
		return "", usageError(fmt.Errorf("--group: %s of stacks are reached at different times and do not add up", metric))
	}
	weighed, err := in.weigh(ctx, e, m, true)
	if err != nil {
		return "", err
	}
	var view *calltree.FilteredStacks
	if filter != "" && in.p.Stacks != nil {
		if view, err = calltree.FilterStacks(ctx, in.p.Stacks, filter, calltree.WholeStacks); err != nil {
			return "", err
		}
		weighed = weighed.Filter(view)
	}
	counted = "stacks"
	var counts *weights.ProfileSelection
	if c, ok := weights.CountMetric(w, m); ok {
		if counts, err = in.weigh(ctx, e, c, false); err != nil {
			return "", err
		}
		if counts != nil {
			counts = counts.Filter(view)
		}
		if counted = w.Metrics[c].Name; strings.HasSuffix(counted, "_count") {
			counted = "blocks"
		}
	}
	if in.side, err = profileRows(ctx, weighed, counts, group); err != nil {
		return "", err
	}
	in.profileBases(ctx, e)
	return counted, nil
}

// weigh chooses what records weigh: whole, in a window, or by the samples of a range. must says that a range whose samples do not
// tell the metric is a mistake; else the result is nil then.
func (in *diffInput) weigh(ctx context.Context, event uint16, metric model.MetricID, must bool) (*weights.ProfileSelection, error) {
	w := in.p.Weights
	if n := in.asked; n != nil {
		i := *n
		if i < 0 {
			i += len(w.Windows)
		}
		if i < 0 || i >= len(w.Windows) {
			return nil, usageError(fmt.Errorf("%s has no window %d: there are %d, from 0", in.p.Meta.Name, *n, len(w.Windows)))
		}
		in.from.Window = &i
		return weights.SelectWindows(in.p, event, metric, i), nil
	}
	if !in.flags.From.Given() && !in.flags.To.Given() {
		return weights.SelectProfile(in.p, event, metric), nil
	}
	s, err := in.rangeSelection(ctx, in.p, event, metric)
	if err != nil && !must {
		return nil, ctx.Err()
	}
	return s, err
}

// profileRows are the rows of a profile in one grouping.
func profileRows(ctx context.Context, weighed, counts *weights.ProfileSelection, group string) (*diff.CompareSide, error) {
	if group == "thread" {
		selections := []*weights.ProfileSelection{weighed}
		if counts != nil {
			selections = append(selections, counts)
		}
		rows, err := weights.ProfileTable(ctx, weights.ByProfileThread, selections...)
		return diff.ProfileRowsSide(rows, selections), err
	}
	side := diff.StacksSide(weighed, counts)
	switch group {
	case "function":
		side = diff.GroupSide(side, diff.GroupFunction)
	case "total":
		side = diff.GroupSide(side, diff.GroupTotal)
	case "file":
		side = diff.GroupSide(side, diff.GroupFile)
	case "module":
		side = diff.GroupSide(side, diff.GroupModule)
	}
	return side, nil
}

// profileBases says what the figures of a profile can be divided by, and which range they are of.
func (in *diffInput) profileBases(ctx context.Context, event uint16) {
	w, bases := in.p.Weights, &in.side.Bases
	first, last := sampleRange(w)
	switch {
	case in.from.Window != nil:
		win := &w.Windows[*in.from.Window]
		bases.Duration = win.End - win.Start
	case in.flags.From.Given() || in.flags.To.Given():
		from, to := first, last
		if in.flags.From.Given() {
			from = in.flags.From.In(last, last)
		}
		if in.flags.To.Given() {
			to = in.flags.To.In(last, last)
		}
		bases.Duration, in.from.From, in.from.To = max(to-from, 0), &from, &to
	case w.End > w.Start:
		bases.Duration = w.End - w.Start
	case last > first:
		bases.Duration = last - first
	}
	if m, ok := w.Metric("alloc_count"); ok {
		if s, err := in.weigh(ctx, event, m, false); err == nil && s != nil {
			total := s.Total()
			bases.Allocations = int64(min(total.Uint64(), 1<<62))
		}
	}
}
