package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/views/state"
)

// metric returns the metric of a comparison and selects the events: the user's choice; else live bytes for traces, or
// allocated bytes of ranges; for profiles the first metric that both have, primary ones first; for one of each the
// first that both have.
func (d *diffing) metric(mixed bool) (string, error) {
	flags := d.sides[0].flags
	by := state.SortKey(flags.By, report.SortKeys())
	if !mixed && kind.Of(d.sides[0].p) != kind.Stacks {
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
	for _, in := range d.sides {
		if len(in.p.Weights.Events) == 0 {
			return "", usageError(fmt.Errorf("diff: %s has no event", in.p.Meta.Name))
		}
		if _, _, err := eventNamed(in.p, flags.Event); err != nil {
			return "", err
		}
	}
	if flags.By != "" {
		by = state.SortKey(flags.By, slices.Concat(metricsOf(d.sides[0].p.Weights), metricsOf(d.sides[1].p.Weights)))
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
		return "", usageError(fmt.Errorf("diff: %s and %s have no metric in common: the one has %s, the other %s",
			a.p.Meta.Name, b.p.Meta.Name, metricNames(a.p.Weights), metricNames(b.p.Weights)))
	}
	in := a
	if len(both[0]) > 0 {
		in = b
	}
	return "", usageError(fmt.Errorf("--by: unknown metric %q of %s%s", by, in.p.Meta.Name, near.Available(by, metricsOf(in.p.Weights))))
}

// sharedMetric returns an event of a profile with a metric that traces have, too.
func (d *diffing) sharedMetric(by string) (string, error) {
	p, trace := d.sides[0].p, d.sides[1].p
	if kind.Of(p) != kind.Stacks {
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
	return "", usageError(fmt.Errorf("diff: %s and %s have no metric in common: a trace has %s, and the profile %s",
		trace.Meta.Name, p.Meta.Name, joinWords(report.SortKeys()), metricNames(p.Weights)))
}
