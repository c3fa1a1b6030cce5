package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/accept"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

// measurer computes the figures of one file that limits apply to.
type measurer struct {
	*app
	s *session
	p *model.Profile

	growing *suspects.Growing // types of heap snapshots; nil until a limit needs them
}

// known returns the limits for which the file has a figure.
func (m *measurer) known() []string {
	switch kind.Of(m.p) {
	case kind.Heap:
		return []string{"max-peak", "max-growth", "max-type-growth", "max-type-objects", "max-live-at"}
	case kind.Dump:
		return []string{"max-peak", "max-growth", "max-live-at"}
	case kind.Stacks:
		_, live := weights.Named(m.p.Weights, "live_bytes")
		_, leaked := weights.Named(m.p.Weights, "leaked_bytes")
		switch {
		case live:
			return []string{"max-leak", "max-live-at"}
		case leaked:
			return []string{"max-leak"}
		}
		return nil
	}
	return []string{"max-peak", "max-leak", "max-growth", "max-live-at"}
}

func (m *measurer) answers(name string) bool { return slices.Contains(m.known(), name) }

// figure returns the figure of a limit.
func (m *measurer) figure(ctx context.Context, b *budget) (figure, error) {
	if !m.answers(b.name) {
		why := map[string]string{
			"max-peak": "peaks of stacks are reached at different times and do not add up", "max-leak": "it does not record what was never freed",
			"max-growth": "its figures are sums over time", "max-live-at": "it does not record what is live",
			"max-type-growth": "it has no types of objects", "max-type-objects": "it has no types of objects",
		}[b.name]
		return figure{}, m.unanswered(b.name, why)
	}
	switch kind.Of(m.p) {
	case kind.Heap:
		if b.name == "max-type-growth" || b.name == "max-type-objects" {
			return m.typeFigure(ctx, b)
		}
		return m.heapFigure(ctx, b)
	case kind.Stacks:
		return m.profileFigure(b)
	case kind.Dump:
		return m.dumpFigure(b)
	}
	return m.traceFigure(ctx, b)
}

// unanswered returns the error for a limit that cannot be checked for a file.
func (m *measurer) unanswered(name, why string) error {
	var flags []string
	for _, k := range m.known() {
		flags = append(flags, "--"+k)
	}
	available := "no limit can be checked for it"
	if len(flags) > 0 {
		available = "available: " + joinWords(flags)
	}
	return usageError(fmt.Errorf("--%s cannot be checked for %s (%s): %s; %s", name, m.p.Meta.Name, m.p.Meta.Format,
		why, available))
}

func (m *measurer) traceFigure(ctx context.Context, b *budget) (f figure, err error) {
	trace := m.s.index
	opt, err := m.options(ctx, trace)
	if err != nil {
		return f, err
	}
	switch b.name {
	case "max-peak":
		peak, ok, err := trace.Peak(ctx, opt.Range)
		if f.value = report.Clamp(peak.Bytes); ok {
			f.at = &peak.Time
		}
		return f, err
	case "max-leak":
		leaks, err := trace.Leaks(ctx, analysis.LeakQuery{Range: opt.Range, MinAge: opt.MinAge})
		f.value = report.Clamp(leaks.Bytes)
		return f, err
	case "max-growth":
		slope, _, err := analysis.TraceGrowth(ctx, trace, opt.Range)
		f.value = rounded(slope * b.seconds)
		return f, err
	}
	duration := trace.Status().Duration
	peak, _, err := trace.Peak(ctx, analysis.FullRange)
	if err != nil {
		return f, err
	}
	at, err := m.instant(b, model.Axis{End: duration, Peak: peak.Time})
	if err != nil {
		return f, err
	}
	instant := analysis.At(at)
	if b.at.IsPeak() {
		instant = peak.Instant
	}
	live, err := trace.Live(ctx, instant)
	f.value, f.at = report.Clamp(live.Bytes), &at
	return f, err
}

// instant returns the instant of a limit in this file, which may be the base and end earlier.
func (m *measurer) instant(b *budget, axis model.Axis) (model.Time, error) {
	at, err := timeIn(b.at, axis)
	if err != nil {
		err = usageError(fmt.Errorf("--%s: %s: %w", b.name, m.p.Meta.Name, err))
	}
	return at, err
}

// rounded returns a number of bytes as an integer.
func rounded(f float64) int64 {
	switch f = math.Round(f); {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= -math.MaxInt64:
		return -math.MaxInt64
	}
	return int64(f)
}

// heapPoint is the size of one snapshot.
type heapPoint struct {
	index int
	at    model.Time
	bytes uint64
}

// heapPoints returns the complete snapshots that the user selects, all by default. Snapshots without sizes in their
// headers are decoded.
func (m *measurer) heapPoints(ctx context.Context) ([]heapPoint, error) {
	only := -1
	if m.s.snapshot != nil {
		n, _, err := m.app.snapshot(m.p, m.s.snapshot)
		if err != nil {
			return nil, err
		}
		only = n
	}
	var out []heapPoint
	for i := range m.p.Heaps.Len() {
		info := m.p.Heaps.Info(i)
		if !info.Complete || only >= 0 && i != only {
			continue
		}
		point := heapPoint{i, info.Time, uint64(max(info.Bytes, 0))}
		if info.Bytes == model.NoCount {
			h, err := m.heap(ctx, m.s, m.p, i)
			if err != nil {
				return nil, err
			}
			totals := heapgraph.Sum(h)
			point.bytes = totals.Bytes()
		}
		out = append(out, point)
	}
	if len(out) == 0 {
		return nil, noComplete(m.p)
	}
	return out, nil
}

func (m *measurer) heapFigure(ctx context.Context, b *budget) (f figure, err error) {
	points, err := m.heapPoints(ctx)
	if err != nil {
		return f, err
	}
	largest := slices.MaxFunc(points, func(x, y heapPoint) int { return cmp.Compare(x.bytes, y.bytes) }) // the first of these
	timed := points[0].at != model.NoTime
	switch {
	case b.name == "max-peak":
		return figure{value: report.Clamp(largest.bytes), snapshot: &largest.index}, nil
	case !timed && b.at.IsEnd():
		last := points[len(points)-1]
		return figure{value: report.Clamp(last.bytes), snapshot: &last.index}, nil
	case !timed:
		return f, m.unanswered(b.name, "it does not record when its snapshots were taken")
	case b.name == "max-growth":
		var times []model.Time
		var values []float64
		for _, p := range points {
			times, values = append(times, p.at), append(values, float64(p.bytes))
		}
		slope, ok := analysis.Growth(times, values)
		if !ok {
			return f, m.unanswered(b.name, "growth needs two snapshots")
		}
		return figure{value: rounded(slope * b.seconds)}, nil
	}
	at, err := m.instant(b, model.Axis{End: points[len(points)-1].at, Peak: largest.at})
	if err != nil {
		return f, err
	}
	for _, p := range slices.Backward(points) {
		if p.at <= at {
			return figure{value: report.Clamp(p.bytes), snapshot: &p.index, at: &p.at}, nil
		}
	}
	return f, usageError(fmt.Errorf("--max-live-at: %s has no complete snapshot up to %s", m.p.Meta.Name, at))
}

// typeFigure returns the growth of the type that grew most, up to the selected snapshot, else over all complete ones.
func (m *measurer) typeFigure(ctx context.Context, b *budget) (f figure, err error) {
	if m.growing == nil {
		if m.growing, err = m.growingTypes(ctx); err != nil {
			return f, err
		}
	}
	if len(m.growing.Snapshots) < 2 {
		return f, m.unanswered(b.name, "growth needs two snapshots")
	}
	counts := b.name == "max-type-objects"
	f.types = m.growing.Types(counts)
	for i := range f.types[:min(len(f.types), 1)] {
		if f.value = report.Clamp(f.types[i].Bytes.Growth()); counts {
			f.value = report.Clamp(f.types[i].Count.Growth())
		}
	}
	return f, nil
}

// growingTypes decodes the snapshots, one after the other.
func (m *measurer) growingTypes(ctx context.Context) (*suspects.Growing, error) {
	last := m.p.Heaps.Len() - 1
	if m.s.snapshot != nil {
		n, _, err := m.app.snapshot(m.p, m.s.snapshot)
		if err != nil {
			return nil, err
		}
		last = n
	}
	edges, err := m.edges(m.p)
	if err != nil {
		return nil, err
	}
	g := new(suspects.Growing)
	for i := range last + 1 {
		if !m.p.Heaps.Info(i).Complete {
			continue
		}
		h, err := m.heap(ctx, m.s, m.p, i)
		if err != nil {
			return nil, err
		}
		if err := m.s.src.Guard(func() error { g.Add(h, i, edges); return nil }); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// heapLeaks returns what grows over the snapshots of a file, up to the last complete one or the selected one.
func (m *measurer) heapLeaks(ctx context.Context) (leaks []accept.Leak, err error) {
	at, _, err := m.app.snapshot(m.p, m.s.snapshot)
	if err != nil {
		return nil, err
	}
	if counted := suspects.Counted(m.p.Heaps, at); len(counted) < 2 {
		return nil, usageError(fmt.Errorf("--no-leaks: %s has %s; growth needs two", m.p.Meta.Name,
			tooFewComplete(len(counted))))
	}
	h, err := m.heap(ctx, m.s, m.p, at)
	if err != nil {
		return nil, err
	}
	edges, err := m.edges(m.p)
	if err != nil {
		return nil, err
	}
	err = m.s.src.Guard(func() error {
		g, err := heapgraph.NewGraph(ctx, h, edges)
		if err != nil {
			return err
		}
		others, err := new(suspects.Counts).All(ctx, m.p.Heaps, at, edges, func(float64) {})
		if err != nil {
			return err
		}
		if len(others) == 0 {
			return inputError(fmt.Errorf("--no-leaks: no snapshot of %s except %d can be read", m.p.Meta.Name, at))
		}
		list, err := suspects.Find(ctx, g, at, others, 0)
		leaks = accept.OfSuspects(g, list)
		return err
	})
	return leaks, err
}

// tooFewComplete returns a message about too few complete snapshots.
func tooFewComplete(n int) string {
	if n == 0 {
		return "no complete snapshot"
	}
	return "one complete snapshot"
}

// dumpFigure returns the highest figure of any curve, or of the one that --series selects.
func (m *measurer) dumpFigure(b *budget) (f figure, err error) {
	opt, err := m.dumpOptions(m.p)
	if err != nil {
		return f, err
	}
	t := m.p.Timeline
	if n := m.flags.Series; n != nil && (*n < 0 || *n >= len(t.Series)) {
		return f, usageError(fmt.Errorf("%s has no series %d: it has %d, counted from 0", m.p.Meta.Name, *n,
			len(t.Series)))
	}
	from, to := max(opt.From, 0), model.MaxTime
	if opt.To != model.NoTime {
		to = opt.To
	}
	at := model.NoTime
	if b.name == "max-live-at" {
		if at, err = m.instant(b, dumpAxis(t)); err != nil {
			return f, err
		}
	}
	found := false
	for i := range t.Series {
		if n := m.flags.Series; n != nil && i != *n {
			continue
		}
		one, ok := seriesFigure(&t.Series[i], b, from, to, at)
		if ok && (!found || one.value > f.value) {
			f, found = one, true
			f.series = &t.Series[i].Name
		}
	}
	if !found {
		return f, usageError(fmt.Errorf("--%s: %s has no points there", b.name, m.p.Meta.Name))
	}
	return f, nil
}

// seriesFigure returns the figure of one curve; ok is false where it has too few points.
func seriesFigure(s *model.Series, b *budget, from, to, at model.Time) (f figure, ok bool) {
	switch b.name {
	case "max-peak":
		sum := pages.SumSeries(s, from, to)
		return figure{value: rounded(sum.Max), at: &sum.MaxAt}, sum.Points > 0
	case "max-growth":
		var times []model.Time
		var values []float64
		for i, t := range s.Times {
			if t >= from && t <= to {
				times, values = append(times, t), append(values, s.Values[i])
			}
		}
		slope, ok := analysis.Growth(times, values)
		return figure{value: rounded(slope * b.seconds)}, ok
	}
	v, _, ok := pages.ValueAt(s, at)
	return figure{value: rounded(v), at: &at}, ok
}

// profileFigure returns the live memory at the end of a profile.
func (m *measurer) profileFigure(b *budget) (f figure, err error) {
	if b.name == "max-live-at" && !b.at.IsEnd() {
		return f, m.unanswered(b.name, "it records only what is live at its end, as in --max-live-at end=10M")
	}
	metrics := []string{"leaked_bytes", "live_bytes"}
	if b.name == "max-live-at" {
		metrics = metrics[1:]
	}
	w := m.p.Weights
	for e, totals := range weights.Totals(w) {
		if name := m.flags.Event; name != "" && name != w.Events[e].Name {
			continue
		}
		for _, metric := range metrics {
			named, ok := weights.Named(w, metric)
			for _, sum := range totals.Sums {
				if ok && sum.Metric == named {
					return figure{value: report.Clamp(sum.Sum.Uint64()), live: b.name == "max-leak" && metric != metrics[0]}, nil
				}
			}
		}
	}
	return f, m.unanswered(b.name, "no event of it has "+metrics[len(metrics)-1])
}

// times fills the times of the head.
func (m *measurer) times(ctx context.Context, t *report.Time) error {
	if k := kind.Of(m.p); k != kind.Trace && k != kind.None {
		return nil
	}
	opt, err := m.options(ctx, m.s.index)
	if err != nil {
		return err
	}
	duration := m.s.index.Status().Duration
	t.Duration, t.At = &duration, &opt.AtTime
	if opt.From != model.NoTime {
		t.From = &opt.From
	}
	if opt.To != model.NoTime {
		t.To = &opt.To
	}
	return nil
}
