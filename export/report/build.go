package report

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// Options select the content of a report.
type Options struct {
	At       analysis.Instant
	AtTime   model.Time     // the time of At, for people
	Around   bool           // single events are those around At, rather than the first of the range
	Range    analysis.Range // of sums, sites, leaks
	From, To model.Time     // the user's range; model.NoTime if not given
	By       string         // sort key of sites, one of orders.Shared or orders.ByVerdict; "" is alloc_bytes
	Group    analysis.Group // also a table of these groups, unless ByStack
	MinAge   model.Time     // of leaks
	Cell     analysis.Cell  // of sites, leaks and blocks
	Blocks   string         // also single blocks: "blocks" or "born_blocks"

	BlockOrder string         // one of BlockKeys, "" for the usual one
	LeakOrder  string         // of the tables of leaks, one of orders.Leaks, "" for the usual one
	LiveOrder  string         // of the tables of sites that are live, one of orders.Sites, "" for the most live bytes
	Stacked    int            // number of top sites that divide the curve
	Limit      int            // rows per table, 0 is all
	Libraries  *regexp.Regexp // functions and files that own no memory, in addition to the built-in ones; may be nil
	History    bool           // also the histories that text and markdown draw
	Ages       bool           // also the ages and lifetimes of blocks of findings
	Only       []string       // the tables to build, nil for all; verdicts are known only with "findings"
}

// curveColumns is the width of the curve: that of the chart in an 80 column text report.
const curveColumns = 72

// historyColumns is the width of the small curves in table rows.
const historyColumns = 12

// Build computes a report about trace. p is the revision whose problems and completeness it shows. The only errors are
// those of ctx and of trace.
func Build(ctx context.Context, p *model.Profile, trace analysis.Trace, opt Options) (*Report, error) {
	status := trace.Status()
	r, stacks, err := opening(ctx, p, status, &opt)
	if err != nil {
		return nil, err
	}
	b := &builder{ctx: ctx, trace: trace, profile: p, stacks: stacks, opt: opt, out: &Trace{},
		owners: calltree.NewOwners(p.Stacks, opt.Libraries)}
	if r.NoMatch, err = emptied(ctx, opt.Cell, p.Stacks, trace); err != nil {
		return nil, err
	}
	if err := b.totals(); err != nil {
		return nil, err
	}
	for _, part := range b.parts() {
		if opt.Only != nil && !slices.ContainsFunc(part.tables, func(t string) bool { return slices.Contains(opt.Only, t) }) {
			continue
		}
		if err := b.try(part); err != nil {
			return nil, err
		}
	}
	if b.out.Filters = FilterLines(opt.Cell); len(b.out.Filters) > 0 {
		b.out.Unfiltered = unfiltered(opt.Cell)
	}
	r.measured(p.Timeline, &opt)
	b.out.LiveUpperBound, b.out.Saturated = status.Unfreed, status.Saturated
	r.Trace = b.out
	r.leaveOut(ctx, b.out.left)
	return r, nil
}

// opening returns a report about a trace that has only its header, and the filtered stacks. The error is that of ctx.
func opening(ctx context.Context, p *model.Profile, status analysis.Status, opt *Options) (*Report, *model.Stacks, error) {
	r := &Report{Header: NewHeader(SchemaReport, p)}
	r.Time.Duration, r.Time.At, r.Time.Coarse = &status.Duration, &opt.AtTime, p.Meta.CoarseTimes
	if opt.From != model.NoTime {
		r.Time.From = &opt.From
	}
	if opt.To != model.NoTime {
		r.Time.To = &opt.To
	}
	if opt.Cell.Stacks == "" || p.Stacks == nil {
		return r, p.Stacks, nil
	}
	view, err := calltree.FilterStacks(ctx, p.Stacks, opt.Cell.Stacks, calltree.FullStacks)
	if err != nil {
		return nil, nil, err
	}
	return r, view.Stacks, nil
}

// tracePart is a part of the report that is left out if it does not fit into memory.
type tracePart struct {
	tables []string
	ask    func() error
}

func (b *builder) parts() []tracePart {
	return []tracePart{
		{[]string{"findings"}, b.findings}, {[]string{"sites", "live_sites"}, b.sites},
		{[]string{"peak_sites"}, b.peakSites}, {[]string{"leaks"}, b.leaks},
		{[]string{"late_freed"}, b.lateFreed}, {[]string{"functions"}, b.functions}, {[]string{"groups"}, b.groups},
		{[]string{"threads"}, b.threads}, {[]string{"markers"}, b.markers}, {[]string{"sizes", "lifetimes"}, b.histograms},
		{[]string{"grid"}, b.grid}, {[]string{b.opt.Blocks}, b.blocks}, {[]string{"curve"}, b.curve}, {[]string{"trends"}, b.histories},
		{[]string{"ages"}, b.ages},
	}
}

// try fills in a part, or records that it did not fit into memory.
func (b *builder) try(part tracePart) error {
	whole := b.ctx
	defer func() { b.ctx = whole }()
	left, err := fits(whole, part.tables, func(ctx context.Context) error {
		b.ctx = ctx
		return part.ask()
	})
	b.out.left = append(b.out.left, left...)
	return err
}

// builder holds what the steps of one Build share.
type builder struct {
	ctx     context.Context
	trace   analysis.Trace
	profile *model.Profile
	stacks  *model.Stacks
	opt     Options
	out     *Trace

	owners   *calltree.Owners
	verdicts verdict.List

	peak  *analysis.Peak          // of the range, nil without events
	keys  map[uint64]analysis.Key // of the stacks in the tables
	order []uint64                // the same stacks, in order of appearance
}

func (b *builder) totals() error {
	t, err := b.trace.Totals(b.ctx, b.opt.Range)
	if err != nil {
		return err
	}
	live, err := b.trace.Live(b.ctx, b.opt.At)
	if err != nil {
		return err
	}
	peak, ok, err := b.trace.Peak(b.ctx, b.opt.Range)
	if err != nil {
		return err
	}
	*b.out = Trace{
		Events: t.Events, AllocCount: t.AllocCount, AllocBytes: t.AllocBytes,
		FreeCount: t.FreeCount, FreedCount: t.FreedCount, FreedBytes: t.FreedBytes, UnmatchedFrees: t.UnmatchedFrees,
		OverwrittenCount: t.OverwrittenCount, OverwrittenBytes: t.OverwrittenBytes,
		UnaddressedCount: t.UnaddressedCount, UnaddressedBytes: t.UnaddressedBytes,
		GCCount: t.GCCount, GCObjects: t.GCObjects, GCBytes: t.GCBytes,
		MarkerCount: t.MarkerCount, TemporaryCount: t.TemporaryCount,
		Live: Live{live.Bytes, live.Count},
	}
	if ok {
		b.peak = &peak
		b.out.Peak = &Peak{peak.Bytes, peak.Count, peak.Time}
	}
	return nil
}

// unfiltered returns the names of the figures that filters do not affect: sums of all blocks and, if stacks are
// filtered, counts by lifetime. CSV and JSON use the same names.
func unfiltered(c analysis.Cell) []string {
	out := []string{"sums", "peak", "live", "markers"}
	if c.Stacks != "" {
		out = append(out, "lifetimes", "grid")
	}
	return out
}

func (b *builder) leaks() error {
	leaks, err := b.trace.Leaks(b.ctx, analysis.LeakQuery{Range: b.opt.Range, MinAge: b.opt.MinAge, Cell: b.opt.Cell})
	if err != nil {
		return err
	}
	b.out.Leaks = Leaks{b.opt.MinAge, leaks.Bytes, leaks.Count, b.leakSites(leaks.Sites)}
	b.out.Rows.Leaks = len(leaks.Sites)
	return nil
}

func (b *builder) lateFreed() error {
	late, err := b.trace.LateFreed(b.ctx, b.opt.Cell)
	if err != nil {
		return err
	}
	b.out.LateFreed = Late{late.Bytes, late.Count, b.leakSites(late.Sites)}
	b.out.Rows.LateFreed = len(late.Sites)
	return nil
}

// leakSites returns rows of leaks.
func (b *builder) leakSites(sites []analysis.LeakSite) []LeakSite {
	b.sortLeaks(sites, b.opt.LeakOrder)
	sites = limit(sites, b.opt.Limit)
	out := make([]LeakSite, len(sites))
	for i, s := range sites {
		frames, v := places.NewFrames(b.stacks, s.Stack), b.verdicts.Of(uint32(s.Key))
		out[i] = LeakSite{
			Stack: uint64(s.Stack), Place: frames.Place(s.Stack), Frames: frames,
			Bytes: s.Bytes, Count: s.Count, Oldest: s.Oldest, Newest: s.Newest, Median: s.Median,
			First: s.First, Last: s.Last,
			Shape: cmp.Or(v.Kind.String(), "none"), Owner: b.owner(s.Stack), Growth: perSecond(v.Growth),
			Threads: s.Threads, history: s.History, allocs: s.AllocCount,
		}
		out[i].Verdict, out[i].Sure = wordOf(v)
	}
	return out
}

func (b *builder) markers() error {
	if b.out.MarkerCount == 0 {
		return nil
	}
	all := int(min(b.out.MarkerCount+b.out.GCCount, math.MaxInt32))
	marks, _, err := b.trace.Marks(b.ctx, b.opt.Range, all)
	if err != nil {
		return err
	}
	for _, m := range marks {
		if m.GC {
			continue
		}
		b.out.Rows.Markers++
		if b.opt.Limit > 0 && len(b.out.Markers) >= b.opt.Limit {
			continue
		}
		if m.Name == "" {
			m.Name = model.UnknownMarker(m.ID)
		}
		b.out.Markers = append(b.out.Markers, Marker{m.Time, m.Name})
	}
	return nil
}

func (b *builder) histograms() error {
	sizes, lifetimes, err := b.trace.Histograms(b.ctx, b.opt.Range)
	if err != nil {
		return err
	}
	if b.opt.Cell != (analysis.Cell{}) {
		if sizes, lifetimes, err = b.narrowed(sizes, lifetimes); err != nil {
			return err
		}
	}
	for _, s := range sizes {
		if s.Count > 0 {
			b.out.Sizes = append(b.out.Sizes, Size(s))
		}
	}
	for _, s := range lifetimes {
		if s.Count > 0 {
			b.out.Lifetimes = append(b.out.Lifetimes, Lifetime(s))
		}
	}
	return nil
}

// narrowed returns the histograms of the filtered blocks; that of lifetimes only applies the cell.
func (b *builder) narrowed(sizes, lifetimes []analysis.Bucket) (bySize, byLife []analysis.Bucket, err error) {
	rows, err := b.trace.Sites(b.ctx, analysis.Query{At: b.opt.At, Range: b.opt.Range, By: analysis.BySizeClass,
		Cell: b.opt.Cell, NoPeaks: true})
	if err != nil {
		return nil, nil, err
	}
	for _, s := range rows {
		lo, hi := analysis.ClassBounds(int(s.Key))
		bySize = append(bySize, analysis.Bucket{Min: lo, Max: hi, Count: s.AllocCount, Bytes: s.AllocBytes})
	}
	slices.SortFunc(bySize, func(x, y analysis.Bucket) int { return cmp.Compare(x.Min, y.Min) })
	grid, err := b.trace.Grid(b.ctx, analysis.GridQuery{Range: b.opt.Range, All: true})
	if err != nil {
		return nil, nil, err
	}
	for class := range analysis.NeverFreed {
		lo, hi := analysis.ClassBounds(class)
		bucket := analysis.Bucket{Min: lo, Max: hi}
		for size := range grid {
			if c := grid[size][class]; b.opt.Cell.Has(size, class) {
				bucket.Count += c.Count
				bucket.Bytes, _ = model.SaturatingAdd(bucket.Bytes, c.Bytes)
			}
		}
		byLife = append(byLife, bucket)
	}
	return bySize, byLife, nil
}

// histories computes the small curves of all rows at once.
func (b *builder) histories() error {
	if !b.opt.History || len(b.order) == 0 || !b.opt.Cell.Rectangle().IsAll() { // they cover all blocks of a stack
		return nil
	}
	keys := make([]analysis.Key, len(b.order))
	for i, stack := range b.order {
		keys[i] = b.keys[stack]
	}
	curves, err := b.trace.History(b.ctx, analysis.ByStack, b.opt.Cell.Stacks, keys, historyColumns)
	if err != nil {
		return err
	}
	b.out.histories = make(map[uint64][]uint64, len(curves))
	for i, c := range curves {
		b.out.histories[b.order[i]] = c
	}
	return nil
}

// limit cuts a table to n rows, 0 is all.
func limit[T any](rows []T, n int) []T {
	if n > 0 && len(rows) > n {
		return rows[:n]
	}
	return rows
}
