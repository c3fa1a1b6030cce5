package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/model"
)

// stacksReport returns the report about weighted stacks.
func (a *app) stacksReport(ctx context.Context, p *model.Profile, c *reportCmd) (*report.Report, error) {
	opt, err := a.stackOptions(ctx, p, c)
	if err != nil {
		return nil, err
	}
	r, err := report.BuildStacks(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	a.warnMemory(p, &r.Header)
	if opt.Selection == nil {
		return r, nil
	}
	if w := opt.Window; w != nil {
		from, to := w.Start, w.End
		r.Time.From, r.Time.To = &from, &to
	}
	_, last := weights.SampleSpan(p.Weights)
	if a.flags.From.Given() {
		from := a.flags.From.In(last, last)
		r.Time.From = &from
	}
	if a.flags.To.Given() {
		to := a.flags.To.In(last, last)
		r.Time.To = &to
	}
	return r, nil
}

// selection returns what --event, --by, --from and --to choose; nil when the profile has nothing to choose from.
func (a *app) selection(ctx context.Context, p *model.Profile, name string) (*weights.Selection, error) {
	w := p.Weights
	event, ok, err := eventNamed(p, name)
	if !ok {
		return nil, err
	}
	metric, ok := weights.DefaultMetric(w, event)
	if by := a.flags.By; by != "" {
		if m, known := w.Metric(by); known {
			metric, ok = m, true
		} else if a.isGiven("by") { // a setting, which is for all files, gives way
			return nil, usageError(fmt.Errorf("--by: %s has no metric %q; available: %s", p.Meta.Name, by, metricNames(w)))
		}
	}
	if !ok {
		return nil, nil
	}
	if !a.flags.From.Given() && !a.flags.To.Given() {
		return weights.SelectProfile(p, event, metric), nil
	}
	return a.rangeSelection(ctx, p, event, metric)
}

// rangeSelection weighs stacks by their samples between --from and --to.
func (a *app) rangeSelection(ctx context.Context, p *model.Profile, event uint16, metric model.MetricID) (*weights.Selection, error) {
	first, last := weights.SampleSpan(p.Weights)
	if first > last {
		return nil, usageError(fmt.Errorf("--from and --to: %s has no samples", p.Meta.Name))
	}
	from, to, err := a.sampleSpan(p.Weights)
	if err != nil {
		return nil, err
	}
	s, ok, err := weights.SelectSamples(ctx, p, event, metric, from, to)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, usageError(fmt.Errorf("--by: samples do not record %s, only the event's primary metric and counts", p.Weights.Metrics[metric].Name))
	}
	return s, nil
}

// sampleSpan returns the range of samples between --from and --to. Shares of the duration are those of the last sample, after which the
// recording may go on.
func (a *app) sampleSpan(w *model.StackProfile) (from, to model.Time, err error) {
	first, last := weights.SampleSpan(w)
	end := max(last, w.End)
	for i := range w.Windows {
		end = max(end, w.Windows[i].End)
	}
	from, to = first, last
	if a.flags.From.Given() {
		from = a.flags.From.In(last, last)
	}
	if a.flags.To.Given() {
		to = a.flags.To.In(last, last)
	}
	if from > to && a.flags.From.Given() && a.flags.To.Given() {
		return from, to, usageError(fmt.Errorf("the range ends at %s, before it begins at %s", to, from))
	}
	return from, to, notBeyond(max(from, to), end)
}

// eventNamed finds the event that tables are about; "" is the first that has stacks. ok is false without an error when the profile has
// no events at all.
func eventNamed(p *model.Profile, name string) (event uint16, ok bool, err error) {
	w := p.Weights
	if name == "" {
		return weights.DefaultEvent(w), len(w.Events) > 0, nil
	}
	if i, ok := w.Event(name); ok {
		return uint16(i), true, nil
	}
	var known []string
	for _, e := range w.Events {
		known = append(known, e.Name)
	}
	return 0, false, usageError(fmt.Errorf("--event: %s has no event %q; available: %s", p.Meta.Name, name, strings.Join(known, ", ")))
}

func metricNames(w *model.StackProfile) string {
	var names []string
	for _, m := range w.Metrics {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// primaryOf returns the name of an event's own metric.
func primaryOf(p *model.Profile, event string) string {
	e, _, _ := eventNamed(p, event)
	m, ok := weights.DefaultMetric(p.Weights, e)
	if !ok {
		return ""
	}
	return p.Weights.Metrics[m].Name
}
