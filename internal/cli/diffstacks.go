package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// stacks compares traces and profiles of stacks, each with each.
func (d *diffing) stacks(ctx context.Context) error {
	mixed := (kind.Of(d.sides[0].p) != kind.Stacks) != (kind.Of(d.sides[1].p) != kind.Stacks)
	known := d.groupWords()
	word, err := grouping(d.flags.Group).among(known)
	if err != nil {
		return err
	}
	group, _ := diff.GroupNamed(word, mixed || kind.Of(d.sides[0].p) != kind.Stacks)
	metric, err := d.metric(mixed)
	if err != nil {
		return err
	}
	if mixed && d.flags.Match == "" {
		d.opt.Match = diff.MatchFunctions
	}
	d.opt.What, d.opt.Metric, d.opt.Measure = group.Thing(), metric, weights.Measures()[metric]
	label, labeled := strings.CutPrefix(word, weights.LabelPrefix)
	if labeled {
		d.opt.What = model.Clean(label) + " value" // a key alone may read as a plural: bytes
	}
	for _, in := range d.sides {
		in.label = label
		if kind.Of(in.p) == kind.Stacks {
			if m, ok := weights.Comparable(in.p.Weights, metric); ok {
				d.opt.Unit = in.p.Weights.Metrics[m].Unit
			}
		}
	}
	if d.peaks(metric) {
		d.opt.Measure = "peak memory"
	}
	if err := d.leaveNames(group); err != nil {
		return err
	}
	if d.lean { // the sum is the same for all groupings
		group = diff.GroupThread
	}
	if err := d.askTraces(ctx, metric, group); err != nil {
		return err
	}
	for _, in := range d.sides {
		if in.trace != nil {
			d.opt.Counted = "blocks"
			in.side, err = diff.TraceSide(ctx, in.s.index, in.p.Stacks, calltree.FilterStacks, *in.trace)
			err = asUsage(err)
		} else {
			var counted string
			counted, err = in.profileSide(ctx, metric, group, d.opt.Cell.Stacks)
			d.opt.Counted = cmp.Or(counted, d.opt.Counted)
		}
		if err != nil {
			return err
		}
		if mixed {
			in.side.Unlist()
		}
	}
	if !slices.ContainsFunc(d.sides[:], func(in *diffInput) bool { return kind.Of(in.p) == kind.Stacks }) {
		d.opt.Counted = diff.Blocks([2]string{d.sides[0].p.Meta.Sampled, d.sides[1].p.Meta.Sampled})
	}
	d.warnSampled()
	return nil
}

// formerLine is the former name of the grouping by lines.
const formerLine = "line"

// groupWords returns the groupings of rows of stacks, with the labels that either file has.
func (d *diffing) groupWords() []string {
	traces, profiles, labels := false, false, []string{}
	for _, in := range d.sides {
		if kind.Of(in.p) != kind.Stacks {
			traces = true
			continue
		}
		profiles = true
		labels = append(labels, weights.LabelKeys(in.p.Weights)...)
	}
	slices.Sort(labels)
	if d.flags.Group == formerLine {
		d.flags.Group = diff.GroupLine.String()
	}
	return diff.GroupWords(traces, profiles, slices.Compact(labels)...)
}

// warnSampled notes that estimates are compared with exact figures.
func (d *diffing) warnSampled() {
	var names, sampled [2]string
	for i, in := range d.sides {
		names[i] = in.p.Meta.Name
		if kind.Of(in.p) != kind.Stacks {
			sampled[i] = in.p.Meta.Sampled
			continue
		}
		if e, ok, err := pick.Event(in.p, in.event); ok && err == nil {
			sampled[i] = in.p.Weights.Sampled(e)
		}
	}
	note := diff.SamplingNote(names, sampled)
	if note == "" {
		return
	}
	for i, in := range d.sides {
		if sampled[i] == "" {
			in.from.Problems = append(in.from.Problems,
				model.Problem{Severity: model.Warning, Code: "sampled-and-exact", Count: 1, Offset: model.NoOffset, Message: note})
		}
	}
}

// leaveNames leaves out rows if names needed for them were not read: otherwise stacks would appear new or gone. It
// fails if sums depend on names, too.
func (d *diffing) leaveNames(group diff.StackGroup) error {
	filtered := d.flags.StepFlags.Given() != ""
	if !filtered && slices.Contains([]diff.StackGroup{diff.GroupThread, diff.GroupSize, diff.GroupLifetime}, group) {
		return nil
	}
	for _, in := range d.sides {
		q := in.s.nameless(in.p)
		switch {
		case q == nil:
		case filtered, !d.canBeLean():
			return partError(in.p.Meta.Name, noComparison, q.Message)
		default:
			d.lean, d.cut = true, q
		}
	}
	return nil
}

// peaks reports whether both sides are complete traces compared by their peaks: the peaks of rows do not add up to the
// total peak, and for a part of the blocks the total is unknown.
func (d *diffing) peaks(metric string) bool {
	return metric == "peak_bytes" && kind.Of(d.sides[0].p) != kind.Stacks && kind.Of(d.sides[1].p) != kind.Stacks && d.opt.Cell.IsAll()
}

// askTraces makes the questions to the sides that are traces. Two places in one file have blocks in common.
func (d *diffing) askTraces(ctx context.Context, metric string, group diff.StackGroup) error {
	for _, in := range d.sides {
		if kind.Of(in.p) == kind.Stacks {
			continue
		}
		if err := in.askTrace(ctx, metric, group, d.opt.Cell, d.peaks(metric)); err != nil {
			return err
		}
	}
	a, b := d.sides[0], d.sides[1]
	if a.trace != nil && b.trace != nil && a.p.Meta.Path == b.p.Meta.Path {
		of := [2]diff.TraceQuestion{*a.trace, *b.trace}
		a.trace.Beside, b.trace.Beside = &of[1], &of[0]
	}
	return nil
}

// askTrace makes the question to a trace; with peaks the total is that at the trace's peak.
func (in *diffInput) askTrace(ctx context.Context, metric string, group diff.StackGroup, only analysis.Cell,
	peaks bool) error {
	if _, err := in.numberOf(ctx, in.p, in.asked); err != nil {
		return err
	}
	opt, err := in.options(ctx, in.s.index)
	if err != nil {
		return err
	}
	switch {
	case group == diff.GroupLifetime && !only.IsAll():
		return fail.Usage(errors.New("--group lifetime covers all blocks: it cannot be combined with stack filters or --cell"))
	case group == diff.GroupLifetime && metric != "alloc_bytes" && metric != "alloc_count":
		return fail.Usage(errors.New("--group lifetime counts the blocks allocated in a range: add --by alloc_bytes"))
	case group == diff.GroupTotal && metric == "peak_bytes":
		return fail.Usage(errors.New("--group total: peaks of stacks are reached at different times and do not add up"))
	}
	until := opt.Range
	if in.from.At = &opt.AtTime; in.flags.From.Given() || in.flags.To.Given() {
		from, to := max(opt.From, 0), min(opt.Range.To, in.s.index.Status().Duration)
		in.from.From, in.from.To = &from, &to
	} else {
		until = analysis.Range{From: model.NoTime, To: opt.AtTime}
	}
	in.trace = &diff.TraceQuestion{
		Group: group, Figure: report.SiteFigure(metric), Counts: metric == "alloc_count", At: opt.At,
		Range: opt.Range, Only: only, Peak: peaks, Bases: &until,
		Sampled: in.p.Meta.Sampled != "", Sampling: in.p.Meta.Sampling,
	}
	return nil
}

// profileSide computes the rows of a profile. counted is the unit of counts, "" for none.
func (in *diffInput) profileSide(ctx context.Context, metric string, group diff.StackGroup,
	filter calltree.Filter) (counted string, err error) {
	w := in.p.Weights
	e, _, err := pick.Event(in.p, in.event)
	if err != nil {
		return "", err
	}
	m, ok := weights.Comparable(w, metric)
	if !ok {
		return "", fail.Usage(fmt.Errorf("--by: unknown metric %q of %s%s", metric, in.p.Meta.Name,
			near.Available(metric, pick.Metrics(w))))
	}
	q := diff.ProfileQuestion{Group: group, Label: in.label, Event: e, Metric: m, Window: -1, Filter: filter,
		Libraries: settings.Libraries(in.config)}
	if err := in.choosePart(ctx, &q); err != nil {
		return "", err
	}
	if n := weights.SnapshotAtEnd(w, m, metric); n >= 0 && q.Window < 0 && !q.Ranged {
		in.from.Window, q.Window = &n, n
	}
	in.from.Estimates = w.Estimates(e, m)
	if in.side, err = diff.ProfileSide(ctx, in.p, calltree.FilterStacks, q); err != nil {
		return "", asUsage(err)
	}
	counted = "stacks"
	if c, ok := weights.CountMetric(w, m); ok {
		if counted = w.Metrics[c].Name; strings.HasSuffix(counted, "_count") {
			counted = "blocks"
		}
	}
	return counted, nil
}

// choosePart selects the window or the range of samples of a side.
func (in *diffInput) choosePart(ctx context.Context, q *diff.ProfileQuestion) error {
	w := in.p.Weights
	switch {
	case in.asked != nil && in.isGiven("at"):
		return fail.Usage(errors.New("FILE#N and --at cannot be combined: each chooses a window"))
	case in.asked == nil:
		n, err := in.windowAt(ctx, in.p, q.Event, q.Metric)
		if err != nil {
			return err
		}
		if n >= 0 {
			in.from.Window, q.Window = &n, n
			return nil
		}
	}
	if n, err := in.numberOf(ctx, in.p, in.asked); err != nil || n != nil {
		if err == nil {
			in.from.Window, q.Window = n, *n
		}
		return err
	}
	if !in.flags.From.Given() && !in.flags.To.Given() {
		return nil
	}
	if first, last := weights.Span(w); first > last {
		return fail.Usage(fmt.Errorf("--from and --to: %s has neither samples nor windows", in.p.Meta.Name))
	}
	var err error
	q.Ranged = true
	if q.From, q.To, err = pick.SampleSpan(w, in.flags.From.Moment, in.flags.To.Moment); err != nil {
		return err
	}
	in.from.From, in.from.To, in.from.Unit = &q.From, &q.To, w.AxisUnit
	return nil
}

// asUsage returns an error as a usage error if the side cannot be computed as requested.
func asUsage(err error) error {
	if wrong := (*diff.QuestionError)(nil); errors.As(err, &wrong) {
		return fail.Usage(fmt.Errorf("--%s: %w", wrong.About, err))
	}
	return err
}

// metric returns the metric of a comparison and selects the events: the user's choice; else live bytes for traces, or
// allocated bytes of ranges; for profiles the first metric that both have, primary ones first; for one of each the
// first that both have.
func (d *diffing) metric(mixed bool) (string, error) {
	flags := d.sides[0].flags
	by := state.SortKey(flags.By, orders.Shared())
	if !mixed && kind.Of(d.sides[0].p) != kind.Stacks {
		if by == "" {
			if by = "live_bytes"; d.flags.A.Over.Given() && d.flags.B.Over.Given() {
				by = "alloc_bytes"
			}
		}
		return by, checkKey(by, orders.Shared())
	}
	if mixed {
		return d.sharedMetric(by)
	}
	for _, in := range d.sides {
		if len(in.p.Weights.Events) == 0 {
			return "", fail.Usage(fmt.Errorf("diff: %s has no event", in.p.Meta.Name))
		}
		if _, _, err := pick.Event(in.p, flags.Event); err != nil {
			return "", err
		}
	}
	if flags.By != "" {
		by = state.SortKey(flags.By, slices.Concat(pick.Metrics(d.sides[0].p.Weights), pick.Metrics(d.sides[1].p.Weights)))
	}
	return d.profilesMetric(by)
}

// profilesMetric returns an event of each of two profiles with a common metric: by, or the first one if that is "".
// Events of one name are preferred, but names depend on the recorder.
func (d *diffing) profilesMetric(by string) (string, error) {
	a, b := d.sides[0], d.sides[1]
	both := [2][]weights.Candidate{weights.Candidates(a.p.Weights, a.flags.Event, by), weights.Candidates(b.p.Weights, a.flags.Event, by)}
	for _, same := range []bool{true, false} {
		for _, first := range both[0] {
			for _, second := range both[1] {
				if first.Key == second.Key && (!same || first.Event == second.Event) {
					a.event, b.event, d.opt.Event = first.Event, second.Event, first.Event
					return cmp.Or(by, map[bool]string{true: first.Name, false: first.Key}[first.Name == second.Name]), nil
				}
			}
		}
	}
	if by == "" {
		return "", fail.Usage(fmt.Errorf("diff: %s and %s have no metric in common: the one has %s, the other %s",
			a.p.Meta.Name, b.p.Meta.Name, pick.MetricNames(a.p.Weights), pick.MetricNames(b.p.Weights)))
	}
	in := a
	if len(both[0]) > 0 {
		in = b
	}
	return "", fail.Usage(fmt.Errorf("--by: unknown metric %q of %s%s", by, in.p.Meta.Name, near.Available(by, pick.Metrics(in.p.Weights))))
}

// sharedMetric returns an event of a profile with a metric that traces have, too.
func (d *diffing) sharedMetric(by string) (string, error) {
	p, trace := d.sides[0].p, d.sides[1].p
	if kind.Of(p) != kind.Stacks {
		p, trace = trace, p
	}
	keys := []string{"live_bytes", "leaked_bytes", "alloc_bytes", "live_count", "alloc_count", "freed_bytes",
		"temporary_count", "peak_bytes"}
	if by != "" {
		if err := checkKey(by, orders.Shared()); err != nil {
			return "", err
		}
		keys = []string{by}
	}
	event := d.sides[0].flags.Event
	for e, totals := range weights.Totals(p.Weights) {
		if name := p.Weights.Events[e].Name; event != "" && name != event {
			continue
		}
		for _, key := range keys {
			m, ok := weights.Comparable(p.Weights, key)
			if by == "" && ok && p.Weights.Metrics[m].Name == "weight" {
				continue // which memory was weighed, only the user knows
			}
			if ok && slices.ContainsFunc(totals.Sums, func(s weights.MetricSum) bool { return s.Metric == m }) {
				d.opt.Event = p.Weights.Events[e].Name
				d.sides[0].event, d.sides[1].event = d.opt.Event, d.opt.Event
				return key, nil
			}
		}
	}
	return "", fail.Usage(fmt.Errorf("diff: %s and %s have no metric in common: a trace has %s, and the profile %s",
		trace.Meta.Name, p.Meta.Name, joinWords(orders.Shared()), pick.MetricNames(p.Weights)))
}
