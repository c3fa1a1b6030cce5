// Package fleet turns a recording into rows of the tables of a fleet: one row for the recording, and those of its sites
// with their stacks and verdicts, of its curve, of the types of its heap, and of its pages.
package fleet

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// About is what a file does not say about itself.
type About struct {
	ID                     [32]byte // SHA-256 of its content
	Service, Version, Host string
	Labels                 []string // "key=value"
	URI                    string
	Modified               time.Time // when the file was written
	Time                   time.Time // when it was recorded, in place of the time in the file; zero for that
	Secret                 []byte    // names are replaced by words that depend on it; nil to keep them
}

// columns is the number of rows that the curve of a recording has at most.
const columns = 512

// Rows returns the rows of a recording that is completely read. trace is nil unless it is an allocation trace. Errors
// are those of ctx, and of reading the file again.
func Rows(ctx context.Context, p *model.Profile, trace analysis.Trace, about About) (*fleet.Batch, error) {
	names := namer{secret: about.Secret}
	b := &builder{ctx: ctx, p: p, trace: trace, stacks: newKeys(p.Stacks, names), names: names, out: &fleet.Batch{}}
	b.about(about)
	var err error
	switch {
	case p.Weights != nil:
		err = b.profile()
	case p.Heaps != nil:
		err = b.heap()
	case p.Timeline != nil && p.Allocations == nil:
		err = b.dump()
	case trace != nil:
		err = b.ofTrace()
	}
	if r := &b.r; r.Alloc == nil && r.Live == nil && r.Peak == nil && r.Leaked == nil {
		r.Lacks = fleet.LacksMemory
	}
	b.out.Recordings, b.out.Stacks = []fleet.Recording{b.r}, b.stacks.list
	return b.out, err
}

type builder struct {
	ctx    context.Context
	p      *model.Profile
	trace  analysis.Trace
	stacks *keys
	names  namer
	r      fleet.Recording
	out    *fleet.Batch
}

// about fills in what is known of any recording.
func (b *builder) about(a About) {
	m := &b.p.Meta
	start, dated := a.Modified, fleet.ByFile
	switch {
	case !a.Time.IsZero():
		start, dated = a.Time, fleet.ByUser
	case m.HasStart && m.Start < 1<<53:
		start, dated = time.UnixMicro(int64(m.Start)), fleet.ByRecording
	}
	start = start.UTC()
	b.r = fleet.Recording{
		Recording: keyOf(a.ID[:]), ID: hexadecimal(a.ID[:]), Recipe: fleet.Recipe, Service: valid(a.Service), Version: valid(a.Version),
		Host: valid(a.Host), Labels: []string{}, Date: start.Format(time.DateOnly), Start: start.UnixMicro(), Format: m.Format,
		URI:      valid(a.URI),
		Complete: b.p.Complete, Sampled: m.Sampled != "", Dated: dated,
	}
	for _, l := range a.Labels {
		b.r.Labels = append(b.r.Labels, valid(l))
	}
	slices.Sort(b.r.Labels)
}

// ofTrace fills in an allocation trace.
func (b *builder) ofTrace() error {
	status := b.trace.Status()
	b.r.Events, b.r.Duration = status.Events, int64(status.Duration)
	totals, err := b.trace.Totals(b.ctx, analysis.FullRange)
	if err != nil {
		return err
	}
	live, err := b.trace.Live(b.ctx, analysis.End)
	if err != nil {
		return err
	}
	peak, _, err := b.trace.Peak(b.ctx, analysis.FullRange)
	if err != nil {
		return err
	}
	b.r.Alloc, b.r.Live, b.r.Leaked, b.r.Peak, b.r.PeakAt = &totals.AllocBytes, &live.Bytes, &live.Bytes, &peak.Bytes, int64(peak.Time)
	if status.FreesNever { // then everything seems to live
		b.r.Live, b.r.Leaked, b.r.Peak, b.r.Lacks = nil, nil, nil, fleet.LacksFrees
	}
	for _, f := range []func() error{b.traceSites, b.verdicts, b.curve} {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// traceSites adds the sites of a trace. Stacks with the same key are one.
func (b *builder) traceSites() error {
	sites, err := b.trace.Sites(b.ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange, NoPeaks: true})
	if err != nil {
		return err
	}
	peaks, err := b.trace.Weights(b.ctx, analysis.CostPeak, analysis.Query{At: analysis.End, Range: analysis.FullRange})
	if err != nil {
		return err
	}
	sums := newSums(b)
	for i := range sites {
		s := &sites[i]
		row := sums.of(b.stacks.ofStack(s.Stack))
		row.Alloc, row.AllocCount, row.Temporary = row.Alloc+s.AllocBytes, row.AllocCount+s.AllocCount, row.Temporary+s.Temporary
		if b.r.Live == nil {
			continue
		}
		row.Live, row.LiveCount = row.Live+s.LiveBytes, row.LiveCount+s.LiveCount
		row.Leaked, row.LeakedCount = row.Leaked+s.LeakBytes, row.LeakedCount+s.LeakCount
		if int(s.Key) < len(peaks) {
			row.Peak += peaks[s.Key]
		}
	}
	sums.finish()
	return nil
}

// verdicts adds what became of the memory of each stack; of several with one key the one that leaks most.
func (b *builder) verdicts() error {
	if b.r.Leaked == nil {
		return nil
	}
	list, err := b.trace.Verdicts(b.ctx, analysis.ByStack, "")
	if err != nil {
		return err
	}
	leaks, err := b.trace.Leaks(b.ctx, analysis.LeakQuery{Range: analysis.FullRange})
	if err != nil {
		return err
	}
	ages, ids := map[analysis.Key]*analysis.LeakSite{}, b.trace.StackIDs()
	for i := range leaks.Sites {
		ages[leaks.Sites[i].Key] = &leaks.Sites[i]
	}
	for i := range list {
		v := &list[i]
		if int(v.Key) >= len(ids) || v.Kind == verdict.None {
			continue
		}
		row := fleet.Leak{
			Service: b.r.Service, Stack: b.stacks.ofStack(ids[v.Key]), Version: b.r.Version, Host: b.r.Host, Recording: b.r.Recording,
			Verdict: v.Kind.String(), Confidence: float64(v.Confidence), Growth: v.Growth, Bytes: v.Bytes, Count: v.Live,
		}
		if l := ages[analysis.Key(v.Key)]; l != nil {
			row.Oldest, row.Median = int64(l.Oldest), int64(l.Median)
		}
		b.out.Leaks = append(b.out.Leaks, row)
	}
	slices.SortFunc(b.out.Leaks, func(x, y fleet.Leak) int {
		return cmp.Or(cmp.Compare(x.Stack, y.Stack), cmp.Compare(y.Growth, x.Growth), cmp.Compare(y.Bytes, x.Bytes))
	})
	b.out.Leaks = slices.CompactFunc(b.out.Leaks, func(x, y fleet.Leak) bool { return x.Stack == y.Stack })
	return nil
}

// curve adds the live bytes over time.
func (b *builder) curve() error {
	if b.r.Live == nil {
		return nil
	}
	list, err := b.trace.Curve(b.ctx, analysis.FullRange, columns)
	for i := range list {
		c := &list[i]
		b.out.Curve = append(b.out.Curve, fleet.Point{Service: b.r.Service, Recording: b.r.Recording, At: int64(c.To),
			Min: c.MinBytes, Max: c.MaxBytes, Last: c.LastBytes})
	}
	return err
}

// profile adds the figures that a stack profile records under their usual names.
func (b *builder) profile() error {
	w := b.p.Weights
	b.r.Events, b.r.Duration = uint64(w.Records.Len()), int64(max(w.End, 0))
	sums := newSums(b)
	for _, f := range []struct {
		name, from string
		total      **uint64
		of         func(*fleet.Site) *uint64
	}{
		{"alloc_bytes", "", &b.r.Alloc, func(s *fleet.Site) *uint64 { return &s.Alloc }},
		{"alloc_count", "", nil, func(s *fleet.Site) *uint64 { return &s.AllocCount }},
		{"live_bytes", "heap_bytes", &b.r.Live, func(s *fleet.Site) *uint64 { return &s.Live }},
		{"live_count", "", nil, func(s *fleet.Site) *uint64 { return &s.LiveCount }},
		{"leaked_bytes", "", &b.r.Leaked, func(s *fleet.Site) *uint64 { return &s.Leaked }},
		{"leaked_count", "", nil, func(s *fleet.Site) *uint64 { return &s.LeakedCount }},
	} {
		m, ok := weights.Comparable(w, f.name)
		if !ok {
			continue
		}
		sel := weights.SelectProfile(b.p, weights.DefaultEvent(w), m)
		if n := weights.SnapshotAtEnd(w, m, f.name); n >= 0 {
			sel = weights.SelectWindows(b.p, weights.DefaultEvent(w), m, n)
		}
		total := uint64(0)
		for i := range w.Records.Len() {
			if i%model.AskEvery == 0 && b.ctx.Err() != nil {
				return b.ctx.Err()
			}
			if v, ok := sel.Weight(model.RecordID(i)); ok && v.Float64() > 0 && v.Float64() < 1<<63 {
				n := uint64(v.Float64())
				*f.of(sums.of(b.stacks.ofNode(w.Records.Node[i]))) += n
				total += n
			}
		}
		if f.total != nil {
			*f.total = &total
		}
	}
	sums.finish()
	return nil
}

// heap adds the types of the last complete snapshot.
func (b *builder) heap() error {
	n, most := -1, int64(0)
	for i := range b.p.Heaps.Len() {
		if info := b.p.Heaps.Info(i); info.Complete {
			n = i
			if b.r.Duration = max(b.r.Duration, int64(info.Time)); info.Bytes > most {
				most, b.r.PeakAt = info.Bytes, max(int64(info.Time), 0)
			}
		}
	}
	if n < 0 {
		return nil
	}
	h, err := b.p.Heaps.Open(b.ctx, n, nil)
	if err != nil {
		return err
	}
	live, at := uint64(0), map[string]int{} // types with the same name are one
	for _, g := range heapgraph.Types(h) {
		live += g.Bytes()
		name := b.names.name(g.Name)
		i, ok := at[name]
		if !ok {
			i, at[name] = len(b.out.Types), len(b.out.Types)
			b.out.Types = append(b.out.Types, fleet.Type{Service: b.r.Service, Recording: b.r.Recording, Snapshot: int64(n), Name: name})
		}
		b.out.Types[i].Count, b.out.Types[i].Bytes = b.out.Types[i].Count+g.Count, b.out.Types[i].Bytes+g.Bytes()
	}
	peak := max(live, uint64(most))
	b.r.Live, b.r.Peak, b.r.Events = &live, &peak, uint64(b.p.Heaps.Len())
	return nil
}

// dump adds the curves of a memory dump, and the pages of the last layout of each.
func (b *builder) dump() error {
	t := b.p.Timeline
	peak := uint64(0)
	for i := range t.Series {
		s := &t.Series[i]
		step := max(1, (len(s.Times)+columns-1)/columns)
		for from := 0; from < len(s.Times); from += step {
			part := s.Values[from:min(from+step, len(s.Times))]
			point := fleet.Point{Service: b.r.Service, Recording: b.r.Recording, Series: b.names.name(s.Name),
				At: int64(s.Times[from+len(part)-1]), Min: whole(slices.Min(part)), Max: whole(slices.Max(part)),
				Last: whole(part[len(part)-1])}
			b.r.Duration, peak = max(b.r.Duration, point.At), max(peak, point.Max)
			b.out.Curve = append(b.out.Curve, point)
		}
		b.r.Events += uint64(len(s.Times))
	}
	b.r.Peak = &peak
	if b.p.Pages == nil {
		return nil
	}
	return b.pages()
}

// pages adds the pages of the last layout of each curve.
func (b *builder) pages() error {
	t, last := b.p.Timeline, map[int]int{}
	for i := range b.p.Pages.Len() {
		if info := b.p.Pages.Info(i); !info.Empty {
			last[info.Series] = i
		}
	}
	for series := range t.Series {
		n, ok := last[series]
		if !ok {
			continue
		}
		l, err := b.p.Pages.Open(b.ctx, n)
		if err != nil {
			return err
		}
		at := map[string]int{} // types with the same name are one
		for i, f := range pages.SumLayout(l).Types {
			name := b.names.name(l.Types[i].Name)
			k, ok := at[name]
			if !ok {
				k, at[name] = len(b.out.Pages), len(b.out.Pages)
				b.out.Pages = append(b.out.Pages, fleet.Page{Service: b.r.Service, Recording: b.r.Recording, Layout: int64(n),
					Series: b.names.name(t.Series[series].Name), Name: name})
			}
			row := &b.out.Pages[k]
			row.Pages, row.Bytes, row.Used = row.Pages+uint64(f.Pages), row.Bytes+f.Bytes, row.Used+f.OccupiedBytes
		}
	}
	return nil
}

// whole returns bytes as measured, 0 if they are negative.
func whole(v float64) uint64 { return uint64(min(max(v, 0), 1<<63)) }

// sums are the rows of sites by key.
type sums struct {
	b  *builder
	at map[uint64]int
}

func newSums(b *builder) *sums { return &sums{b, map[uint64]int{}} }

// of returns the row of a stack, which is valid until the next call.
func (s *sums) of(stack uint64) *fleet.Site {
	n, ok := s.at[stack]
	if !ok {
		n = len(s.b.out.Sites)
		s.at[stack] = n
		s.b.out.Sites = append(s.b.out.Sites, fleet.Site{Service: s.b.r.Service, Stack: stack, Version: s.b.r.Version,
			Host: s.b.r.Host, Recording: s.b.r.Recording})
	}
	return &s.b.out.Sites[n]
}

// finish sorts the rows.
func (s *sums) finish() {
	slices.SortFunc(s.b.out.Sites, func(x, y fleet.Site) int { return cmp.Compare(x.Stack, y.Stack) })
}
