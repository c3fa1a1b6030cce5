package export

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// Stacks are weighted stacks, from which every format of stacks is written. They are read-only.
type Stacks struct {
	Profile *model.Profile
	Metrics []StackMetric
	Main    int        // index of Metrics: the one that formats with one figure write, and others show first
	Rows    []StackRow // in the order of their ids or records; some may have the same frames
	From    model.Time // time range of the figures, since the start of the file
	To      model.Time
}

// StackMetric is one figure of every row.
type StackMetric struct {
	Name string // its name in the report's JSON or in the file
	Unit string // "bytes", "count", or what the file states; "" when unknown
	heap string // its name in pprof's heap profiles, "" if they lack it
}

// StackRow is one stack.
type StackRow struct {
	ID     string       // in the file, "" when it has none
	Node   model.NodeID // its leaf; 0 when no frame of it is known
	Thread model.ThreadID
	Labels model.LabelSetID
	Values []model.Number // by metric

	hidden bool // a filter removed all of its frames
}

// label returns the single frame that represents a stack without known frames.
func (r *StackRow) label() string {
	switch {
	case r.hidden:
		return calltree.NoFrames
	case r.ID == "":
		return spaaNoStack
	}
	return "<stack " + r.ID + "?>"
}

// traceMetric is a figure of the stacks of traces.
type traceMetric struct {
	StackMetric
	of func(*analysis.Site) uint64
}

// The first figures of traces.
const (
	metricAllocBytes = iota
	metricAllocCount
	metricLiveBytes
	metricLiveCount
)

// traceMetrics returns the figures of traces, named as the report sorts by them. Peaks of sites are not among them:
// they are reached at different times and do not add up.
func traceMetrics() []traceMetric {
	const bytes, count = "bytes", "count"
	return []traceMetric{
		{StackMetric{"alloc_bytes", bytes, "alloc_space"}, func(s *analysis.Site) uint64 { return s.AllocBytes }},
		{StackMetric{"alloc_count", count, "alloc_objects"}, func(s *analysis.Site) uint64 { return s.AllocCount }},
		{StackMetric{"live_bytes", bytes, "inuse_space"}, func(s *analysis.Site) uint64 { return s.LiveBytes }},
		{StackMetric{"live_count", count, "inuse_objects"}, func(s *analysis.Site) uint64 { return s.LiveCount }},
		{StackMetric{"leaked_bytes", bytes, ""}, func(s *analysis.Site) uint64 { return s.LeakBytes }},
		{StackMetric{"leaked_count", count, ""}, func(s *analysis.Site) uint64 { return s.LeakCount }},
		{StackMetric{"freed_bytes", bytes, ""}, func(s *analysis.Site) uint64 { return s.FreedBytes }},
		{StackMetric{"overwritten_bytes", bytes, ""}, func(s *analysis.Site) uint64 { return s.OverwrittenBytes }},
		{StackMetric{"temporary_count", count, ""}, func(s *analysis.Site) uint64 { return s.Temporary }},
	}
}

// TraceMetrics returns the names of the figures that stacks of traces have, in their order.
func TraceMetrics() []string {
	var names []string
	for _, m := range traceMetrics() {
		names = append(names, m.Name)
	}
	return names
}

// TraceOptions select the figures of the stacks of a trace.
type TraceOptions struct {
	At     analysis.Instant // live figures
	Range  analysis.Range   // everything else
	MinAge model.Time       // of leaks, at the end of the range
	By     string           // one of TraceMetrics
}

// TraceStacks weights the stacks of a trace, with one row for each that allocated in the range or is live at the
// instant. The trace must be completely read.
func TraceStacks(ctx context.Context, p *model.Profile, trace analysis.Trace, opt TraceOptions) (*Stacks, error) {
	sites, err := trace.Sites(ctx, analysis.Query{At: opt.At, Range: opt.Range})
	if err != nil {
		return nil, err
	}
	if opt.MinAge > 0 {
		if err := onlyOld(ctx, trace, opt, sites); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(sites, func(a, b analysis.Site) int {
		if a.Stack < b.Stack {
			return -1
		}
		return 1
	})
	metrics := traceMetrics()
	s := &Stacks{
		Profile: p, Main: slices.Index(TraceMetrics(), opt.By),
		From: max(opt.Range.From, 0), To: min(opt.Range.To, trace.Status().Duration),
		Rows: make([]StackRow, len(sites)),
	}
	if s.Main < 0 {
		return nil, fmt.Errorf("stacks of traces have no metric %q; available: %s", opt.By, strings.Join(TraceMetrics(), ", "))
	}
	values := make([]model.Number, 0, len(metrics)*len(sites))
	for i := range sites {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := &sites[i]
		for _, m := range metrics {
			values = append(values, model.Unsigned(m.of(row)))
		}
		s.Rows[i] = StackRow{ID: fmt.Sprint(uint64(row.Stack)), Node: row.Node, Values: values[len(values)-len(metrics):]}
	}
	for _, m := range metrics {
		s.Metrics = append(s.Metrics, m.StackMetric)
	}
	return s, nil
}

// onlyOld removes young blocks from the leaks.
func onlyOld(ctx context.Context, trace analysis.Trace, opt TraceOptions, sites []analysis.Site) error {
	leaks, err := trace.Leaks(ctx, analysis.LeakQuery{Range: opt.Range, MinAge: opt.MinAge})
	if err != nil {
		return err
	}
	old := map[model.StackID]*analysis.LeakSite{}
	for i := range leaks.Sites {
		old[leaks.Sites[i].Stack] = &leaks.Sites[i]
	}
	for i := range sites {
		sites[i].LeakBytes, sites[i].LeakCount = 0, 0
		if l := old[sites[i].Stack]; l != nil {
			sites[i].LeakBytes, sites[i].LeakCount = l.Bytes, l.Count
		}
	}
	return nil
}

// ProfileStacks returns the records of a stack profile that have a weight in any of the selections, which are of one
// event. main is the index of the main selection. from and to are the time that they cover, both [model.NoTime] if the
// file does not record it. The error is that of ctx.
func ProfileStacks(ctx context.Context, p *model.Profile, selections []*weights.Selection, main int,
	from, to model.Time) (*Stacks, error) {
	s := &Stacks{Profile: p, Main: main, From: from, To: to}
	for _, sel := range selections {
		m := p.Weights.Metrics[sel.Metric]
		if m.Unit == "" && weights.CountsSamples(m.Name) {
			m.Unit = "count"
		}
		s.Metrics = append(s.Metrics, StackMetric{Name: m.Name, Unit: m.Unit})
	}
	records := &p.Weights.Records
	for i := range records.Len() {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		id, any := model.RecordID(i), false
		values := make([]model.Number, len(selections))
		for k, sel := range selections {
			n, ok := sel.Weight(id)
			if ok {
				values[k], any = n, true
			}
		}
		if any {
			name, _ := records.Name(id)
			row := StackRow{ID: name, Node: records.Node[i], Thread: records.Thread[i], Values: values}
			if records.Labels != nil {
				row.Labels = records.Labels[i]
			}
			s.Rows = append(s.Rows, row)
		}
	}
	return s, nil
}

// Filter returns the filtered stacks of s. Rows keep their values.
func (s *Stacks) Filter(ctx context.Context, filter calltree.Filter) (*Stacks, error) {
	switch {
	case filter == "":
		return s, nil
	case s.Profile.Stacks == nil && !calltree.StacksAreKept(filter):
		out := *s
		out.Rows = nil
		return &out, nil
	case s.Profile.Stacks == nil:
		return s, nil
	}
	view, err := calltree.FilterStacks(ctx, s.Profile.Stacks, filter, calltree.FullStacks)
	if err != nil {
		return nil, err
	}
	out, p := *s, *s.Profile
	p.Stacks = view.Stacks
	out.Profile, out.Rows = &p, nil
	for i, r := range s.Rows {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if node, kept := view.Node(r.Node); kept &&
			(!view.AboutLabels() || view.KeepsLabels(p.Weights.LabelSet(r.Labels))) {
			r.hidden = r.Node != 0 && node == 0
			r.Node = node
			out.Rows = append(out.Rows, r)
		}
	}
	return &out, nil
}

// amount returns a number as a sum of itself.
func amount(n model.Number) (a model.Amount) {
	a.Add(n)
	return a
}

// decimal returns a number as text without an exponent.
func decimal(a model.Amount) string {
	if !a.IsFloat() {
		return a.String()
	}
	return formatFloat(a.Float64())
}

// integer returns the nearest integer of 64 bits; exact is false if it differs from n.
func integer(n model.Number) (v int64, exact bool) {
	a := amount(n)
	if !a.IsFloat() && n.Float64() >= 0 {
		if u := a.Uint64(); u <= math.MaxInt64 {
			return int64(u), true
		}
		return math.MaxInt64, false
	}
	f := math.Round(n.Float64())
	if f >= 1<<63 {
		return math.MaxInt64, false
	}
	v = int64(max(f, -(1 << 63)))
	return v, amount(n).Compare(amount(model.Signed(v))) == 0
}
