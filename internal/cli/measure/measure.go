// Package measure computes what checks limit: figures of a file, and its leaks.
package measure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/accept"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/check"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

// File is a file whose figures limits apply to, with what flags select in it.
type File struct {
	Profile   *model.Profile
	Trace     analysis.Trace // of a trace
	Libraries *regexp.Regexp
	Limit     int    // of rows, 0 for none
	Series    *int   // the only curve of a dump that counts, nil for all
	Event     string // the only event of a stack profile that counts, "" for all
	Chosen    bool   // a snapshot is selected

	Guard    func(func() error) error                              // reports damage that is found late
	Options  func(context.Context) (report.Options, error)         // of a trace: the range and the minimum age
	Span     func() (from, to model.Time, err error)               // of a dump, model.NoTime for its end
	Snapshot func() (n int, ok bool, err error)                    // the one that is selected, or the last
	Edges    func() (heapgraph.Policy, error)                      // between objects
	Decode   func(ctx context.Context, n int) (*model.Heap, error) // decodes a snapshot

	growing *suspects.Growing // types of heap snapshots; nil until a limit needs them
}

// known returns the limits for which the file has a figure.
func (m *File) known() []string {
	switch kind.Of(m.Profile) {
	case kind.Heap:
		return []string{"max-peak", "max-growth", "max-type-growth", "max-type-objects", "max-live-at"}
	case kind.Dump:
		return []string{"max-peak", "max-growth", "max-live-at"}
	case kind.Stacks:
		_, live := weights.Named(m.Profile.Weights, "live_bytes")
		_, leaked := weights.Named(m.Profile.Weights, "leaked_bytes")
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

func (m *File) answers(name string) bool { return slices.Contains(m.known(), name) }

// figure returns the figure of a limit.
func (m *File) figure(ctx context.Context, b *Budget) (figure, error) {
	if !m.answers(b.Name) {
		why := map[string]string{
			"max-peak":   "peaks of stacks are reached at different times and do not add up",
			"max-leak":   "it does not record what was never freed",
			"max-growth": "its figures are sums over time", "max-live-at": "it does not record what is live",
			"max-type-growth": "it has no types of objects", "max-type-objects": "it has no types of objects",
		}[b.Name]
		return figure{}, m.unanswered(b.Name, why)
	}
	switch kind.Of(m.Profile) {
	case kind.Heap:
		if b.Name == "max-type-growth" || b.Name == "max-type-objects" {
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
func (m *File) unanswered(name, why string) error {
	var flags []string
	for _, k := range m.known() {
		flags = append(flags, "--"+k)
	}
	available := "no limit can be checked for it"
	if len(flags) > 0 {
		available = "available: " + strings.Join(flags, ", ")
	}
	return fail.Usage(fmt.Errorf("--%s cannot be checked for %s (%s): %s; %s", name, m.Profile.Meta.Name, m.Profile.Meta.Format,
		why, available))
}

func (m *File) traceFigure(ctx context.Context, b *Budget) (f figure, err error) {
	trace := m.Trace
	opt, err := m.Options(ctx)
	if err != nil {
		return f, err
	}
	switch b.Name {
	case "max-peak":
		peak, ok, err := trace.Peak(ctx, opt.Range)
		if f.value = check.Clamp(peak.Bytes); ok {
			f.at = &peak.Time
		}
		return f, err
	case "max-leak":
		leaks, err := trace.Leaks(ctx, analysis.LeakQuery{Range: opt.Range, MinAge: opt.MinAge})
		f.value, f.unfreed = check.Clamp(leaks.Bytes), true
		return f, err
	case "max-growth":
		growth, _, err := analysis.TraceGrowth(ctx, trace, opt.Range)
		f.value = rounded(growth.PerSecond * b.Seconds)
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
	if b.At.IsPeak() {
		instant = peak.Instant
	}
	live, err := trace.Live(ctx, instant)
	f.value, f.at = check.Clamp(live.Bytes), &at
	return f, err
}

// instant returns the instant of a limit in this file, which may be the base and end earlier.
func (m *File) instant(b *Budget, axis model.Axis) (model.Time, error) {
	at, err := arg.TimeIn(b.At, axis)
	if err != nil {
		err = fail.Usage(fmt.Errorf("--%s: %s: %w", b.Name, m.Profile.Meta.Name, err))
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
func (m *File) heapPoints(ctx context.Context) ([]heapPoint, error) {
	only := -1
	if m.Chosen {
		n, _, err := m.Snapshot()
		if err != nil {
			return nil, err
		}
		only = n
	}
	var out []heapPoint
	for i := range m.Profile.Heaps.Len() {
		info := m.Profile.Heaps.Info(i)
		if !info.Complete || only >= 0 && i != only {
			continue
		}
		point := heapPoint{i, info.Time, uint64(max(info.Bytes, 0))}
		if info.Bytes == model.NoCount {
			h, err := m.Decode(ctx, i)
			if err != nil {
				return nil, err
			}
			totals := heapgraph.Sum(h)
			point.bytes = totals.Bytes()
		}
		out = append(out, point)
	}
	if len(out) == 0 {
		return nil, NoComplete(m.Profile)
	}
	return out, nil
}

func (m *File) heapFigure(ctx context.Context, b *Budget) (f figure, err error) {
	points, err := m.heapPoints(ctx)
	if err != nil {
		return f, err
	}
	largest := slices.MaxFunc(points, func(x, y heapPoint) int { return cmp.Compare(x.bytes, y.bytes) }) // the first of these
	timed := points[0].at != model.NoTime
	switch {
	case b.Name == "max-peak":
		return figure{value: check.Clamp(largest.bytes), snapshot: &largest.index}, nil
	case !timed && b.At.IsEnd():
		last := points[len(points)-1]
		return figure{value: check.Clamp(last.bytes), snapshot: &last.index}, nil
	case !timed:
		return f, m.unanswered(b.Name, "it does not record when its snapshots were taken")
	case b.Name == "max-growth":
		var times []model.Time
		var values []float64
		for _, p := range points {
			times, values = append(times, p.at), append(values, float64(p.bytes))
		}
		slope, ok := analysis.Growth(times, values)
		if !ok {
			return f, m.unanswered(b.Name, "growth needs two snapshots")
		}
		return figure{value: rounded(slope * b.Seconds)}, nil
	}
	at, err := m.instant(b, model.Axis{End: points[len(points)-1].at, Peak: largest.at})
	if err != nil {
		return f, err
	}
	for _, p := range slices.Backward(points) {
		if p.at <= at {
			return figure{value: check.Clamp(p.bytes), snapshot: &p.index, at: &p.at}, nil
		}
	}
	return f, fail.Usage(fmt.Errorf("--max-live-at: %s has no complete snapshot up to %s", m.Profile.Meta.Name, at))
}

// typeFigure returns the growth of the type that grew most, up to the selected snapshot, else over all complete ones.
func (m *File) typeFigure(ctx context.Context, b *Budget) (f figure, err error) {
	if m.growing == nil {
		if m.growing, err = m.growingTypes(ctx); err != nil {
			return f, err
		}
	}
	if len(m.growing.Snapshots) < 2 {
		return f, m.unanswered(b.Name, "growth needs two snapshots")
	}
	counts := b.Name == "max-type-objects"
	f.types = m.growing.Types(counts)
	for i := range f.types[:min(len(f.types), 1)] {
		if f.value = check.Clamp(f.types[i].Bytes.Growth()); counts {
			f.value = check.Clamp(f.types[i].Count.Growth())
		}
	}
	return f, nil
}

// growingTypes decodes the snapshots, one after the other.
func (m *File) growingTypes(ctx context.Context) (*suspects.Growing, error) {
	last := m.Profile.Heaps.Len() - 1
	if m.Chosen {
		n, _, err := m.Snapshot()
		if err != nil {
			return nil, err
		}
		last = n
	}
	edges, err := m.Edges()
	if err != nil {
		return nil, err
	}
	g := new(suspects.Growing)
	for i := range last + 1 {
		if !m.Profile.Heaps.Info(i).Complete {
			continue
		}
		h, err := m.Decode(ctx, i)
		if err != nil {
			return nil, err
		}
		if err := m.Guard(func() error { g.Add(h, i, edges); return nil }); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// heapLeaks returns what grows over the snapshots of a file, up to the last complete one or the selected one.
func (m *File) heapLeaks(ctx context.Context) (leaks []accept.Leak, err error) {
	at, _, err := m.Snapshot()
	if err != nil {
		return nil, err
	}
	if counted := suspects.Counted(m.Profile.Heaps, at); len(counted) < 2 {
		return nil, fail.Usage(fmt.Errorf("--no-leaks: %s has %s; growth needs two", m.Profile.Meta.Name,
			tooFewComplete(len(counted))))
	}
	h, err := m.Decode(ctx, at)
	if err != nil {
		return nil, err
	}
	edges, err := m.Edges()
	if err != nil {
		return nil, err
	}
	err = m.Guard(func() error {
		g, err := heapgraph.NewGraph(ctx, h, edges)
		if err != nil {
			return err
		}
		others, err := new(suspects.Counts).All(ctx, heapgraph.NewHeaps(m.Profile.Heaps, 0), at, edges, func(float64) {})
		if err != nil {
			return err
		}
		if len(others) == 0 {
			return fail.Input(fmt.Errorf("--no-leaks: no snapshot of %s except %d can be read", m.Profile.Meta.Name, at))
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
func (m *File) dumpFigure(b *Budget) (f figure, err error) {
	from, to, err := m.Span()
	if err != nil {
		return f, err
	}
	t := m.Profile.Timeline
	if n := m.Series; n != nil && (*n < 0 || *n >= len(t.Series)) {
		return f, fail.Usage(fmt.Errorf("%s has no series %d: it has %d, counted from 0", m.Profile.Meta.Name, *n,
			len(t.Series)))
	}
	if from = max(from, 0); to == model.NoTime {
		to = model.MaxTime
	}
	at := model.NoTime
	if b.Name == "max-live-at" {
		if at, err = m.instant(b, pages.Axis(t)); err != nil {
			return f, err
		}
	}
	found := false
	for i := range t.Series {
		if n := m.Series; n != nil && i != *n {
			continue
		}
		one, ok := seriesFigure(&t.Series[i], b, from, to, at)
		if ok && (!found || one.value > f.value) {
			f, found = one, true
			f.series = &t.Series[i].Name
		}
	}
	if !found {
		return f, fail.Usage(fmt.Errorf("--%s: %s has no points there", b.Name, m.Profile.Meta.Name))
	}
	return f, nil
}

// seriesFigure returns the figure of one curve; ok is false where it has too few points.
func seriesFigure(s *model.Series, b *Budget, from, to, at model.Time) (f figure, ok bool) {
	switch b.Name {
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
		return figure{value: rounded(slope * b.Seconds)}, ok
	}
	v, _, ok := pages.ValueAt(s, at)
	return figure{value: rounded(v), at: &at}, ok
}

// profileFigure returns the live memory at the end of a profile.
func (m *File) profileFigure(b *Budget) (f figure, err error) {
	if b.Name == "max-live-at" && !b.At.IsEnd() {
		return f, m.unanswered(b.Name, "it records only what is live at its end, as in --max-live-at end=10M")
	}
	metrics := []string{"leaked_bytes", "live_bytes"}
	if b.Name == "max-live-at" {
		metrics = metrics[1:]
	}
	w := m.Profile.Weights
	for e, totals := range weights.Totals(w) {
		if name := m.Event; name != "" && name != w.Events[e].Name {
			continue
		}
		for _, metric := range metrics {
			named, ok := weights.Named(w, metric)
			for _, sum := range totals.Sums {
				if ok && sum.Metric == named {
					return figure{value: check.Clamp(sum.Sum.Uint64()), live: b.Name == "max-leak" && metric != metrics[0]}, nil
				}
			}
		}
	}
	return f, m.unanswered(b.Name, "none of its events has "+metrics[len(metrics)-1])
}

// Times fills the times of the head.
func (m *File) Times(ctx context.Context, t *report.Time) error {
	if k := kind.Of(m.Profile); k != kind.Trace && k != kind.None {
		return nil
	}
	opt, err := m.Options(ctx)
	if err != nil {
		return err
	}
	duration := m.Trace.Status().Duration
	t.Duration, t.At = &duration, &opt.AtTime
	if opt.From != model.NoTime {
		t.From = &opt.From
	}
	if opt.To != model.NoTime {
		t.To = &opt.To
	}
	return nil
}

// NoComplete returns the error for a file without a complete snapshot.
func NoComplete(p *model.Profile) error {
	return fail.Input(fmt.Errorf("%s has no complete snapshot; --snapshot 0 shows what could be read of an incomplete one", p.Meta.Name))
}
