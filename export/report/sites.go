package report

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// sortLeaks puts the first rows of a table of leaks in an order of [orders.Leaks] to the front. Sites are given with the
// most bytes first, which is the order of other names.
func (b *builder) sortLeaks(sites []analysis.LeakSite, by string) {
	value := orders.Leak(by, b.verdicts)
	if value == nil {
		return
	}
	model.SortFirst(sites, b.opt.Limit, func(x, y analysis.LeakSite) int {
		return cmp.Or(cmp.Compare(value(&y), value(&x)),
			cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Stack, y.Stack))
	})
}

// sorted returns the rows that keep accepts, of which the first n, or all if n is 0, are in order: highest key first,
// ties by the key's count, then by stack, then by name.
func sorted(rows []analysis.Site, key orders.Key, n int, keep func(*analysis.Site) bool) []*analysis.Site {
	out := make([]*analysis.Site, 0, len(rows))
	for i := range rows {
		if keep(&rows[i]) {
			out = append(out, &rows[i])
		}
	}
	model.SortFirst(out, n, func(a, b *analysis.Site) int {
		if c := cmp.Compare(key.Value(b), key.Value(a)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(key.Count(b), key.Count(a)), cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// lives reports whether a row belongs in a table of live sites. An empty block counts as live.
func lives(s *analysis.Site) bool { return s.LiveCount > 0 }

func allocated(s *analysis.Site) bool { return s.AllocCount > 0 }

// sites fills the tables of sites of the range and of the instant. If the instant is the range's peak, it fills the
// table of the peak, too.
func (b *builder) sites() error {
	rows, err := b.trace.Sites(b.ctx, analysis.Query{At: b.opt.At, Range: b.opt.Range, Cell: b.opt.Cell})
	if err != nil {
		return err
	}
	key, keep := orders.Of(b.opt.By, b.verdicts), allocated
	if strings.HasPrefix(key.Name, "live_") || key.Name == "freed_bytes" || key.Name == "overwritten_bytes" {
		keep = func(s *analysis.Site) bool { return allocated(s) || key.Value(s) > 0 }
	}
	b.out.Sites, b.out.Rows.Sites = b.table(sorted(rows, key, b.opt.Limit, keep))
	b.out.kept = leftOf(rows)
	b.out.LiveSites, b.out.Rows.LiveSites = b.table(sorted(rows, b.liveOrder(), b.opt.Limit, lives))
	if b.peak != nil && b.peak.Instant == b.opt.At {
		b.atPeak(rows)
	}
	return nil
}

// peakSites fills the table of the range's peak, unless sites has done so.
func (b *builder) peakSites() error {
	if b.peak == nil || b.peak.Instant == b.opt.At && !b.out.left.has("sites") {
		return nil
	}
	rows, err := b.trace.Sites(b.ctx, analysis.Query{At: b.peak.Instant, Range: b.opt.Range, Cell: b.opt.Cell})
	if err != nil {
		return err
	}
	b.atPeak(rows)
	return nil
}

// liveOrder returns the order of the tables of live sites.
func (b *builder) liveOrder() orders.Key {
	if b.opt.LiveOrder == "" {
		return orders.Named("live_bytes")
	}
	return orders.Of(b.opt.LiveOrder, b.verdicts)
}

func (b *builder) atPeak(rows []analysis.Site) {
	b.out.PeakSites, b.out.Rows.PeakSites = b.table(sorted(rows, b.liveOrder(), b.opt.Limit, lives))
	b.out.kept.peak = leftOf(rows).live
}

// filtered is the part of a trace's sums that passes the filters.
type filtered struct{ alloc, live, peak uint64 } // bytes

func leftOf(rows []analysis.Site) (f filtered) {
	for i := range rows {
		f.alloc, _ = model.SaturatingAdd(f.alloc, rows[i].AllocBytes)
		f.live, _ = model.SaturatingAdd(f.live, rows[i].LiveBytes)
	}
	return f
}

// table returns the first rows in the form of the report, and the number of all rows.
func (b *builder) table(rows []*analysis.Site) ([]Site, int) {
	n := len(rows)
	rows = limit(rows, b.opt.Limit)
	out := make([]Site, len(rows))
	for i, s := range rows {
		frames := places.NewFrames(b.stacks, s.Stack)
		out[i] = Site{
			Stack: uint64(s.Stack), Place: frames.Place(s.Stack), Frames: frames,
			AllocBytes: s.AllocBytes, AllocCount: s.AllocCount, FreedBytes: s.FreedBytes, FreedCount: s.FreedCount,
			OverBytes: s.OverwrittenBytes, OverCount: s.OverwrittenCount,
			LiveBytes: s.LiveBytes, LiveCount: s.LiveCount, PeakBytes: s.PeakBytes,
			LeakedBytes: s.LeakBytes, LeakedCount: s.LeakCount, TemporaryCount: s.Temporary,
			Owner: b.owner(s.Stack),
		}
		out[i].Verdict, out[i].Sure = wordOf(b.verdicts.Of(uint32(s.Key)))
		b.remember(uint64(s.Stack), s.Key)
	}
	return out, n
}

// remember records a stack whose history will be drawn.
func (b *builder) remember(stack uint64, key analysis.Key) {
	if b.keys == nil {
		b.keys = map[uint64]analysis.Key{}
	}
	if _, known := b.keys[stack]; !known {
		b.keys[stack] = key
		b.order = append(b.order, stack)
	}
}

func (b *builder) functions() error {
	list, err := b.trace.Functions(b.ctx, b.opt.Range, b.opt.Cell)
	if err != nil {
		return err
	}
	model.SortFirst(list, b.opt.Limit, func(x, y analysis.Function) int {
		return cmp.Or(
			cmp.Compare(y.TotalBytes, x.TotalBytes), cmp.Compare(y.TotalCount, x.TotalCount), cmp.Compare(x.Name, y.Name))
	})
	b.out.Rows.Functions = len(list)
	for _, f := range limit(list, b.opt.Limit) {
		b.out.Functions = append(b.out.Functions, Function{f.Name, f.SelfBytes, f.SelfCount, f.TotalBytes, f.TotalCount})
	}
	return nil
}

// groups fills the table of the requested grouping, sorted like the sites.
func (b *builder) groups() error {
	if b.opt.Group == analysis.ByStack {
		return nil
	}
	rows, err := b.trace.Sites(b.ctx, analysis.Query{At: b.opt.At, Range: b.opt.Range, By: b.opt.Group, Cell: b.opt.Cell})
	if err != nil {
		return err
	}
	verdicts, err := b.trace.Verdicts(b.ctx, b.opt.Group, b.opt.Cell.Stacks)
	if err != nil {
		return err
	}
	key := orders.Of(b.opt.By, verdicts)
	if key.Name == orders.ByVerdict { // within a verdict, or without one: the largest leak first
		key.Count = func(s *analysis.Site) uint64 { return s.LeakBytes }
	}
	list := sorted(rows, key, b.opt.Limit, func(*analysis.Site) bool { return true })
	b.out.Rows.Groups, b.out.grouped = len(list), b.opt.Group
	for _, s := range limit(list, b.opt.Limit) {
		word, sure := wordOf(verdicts.Of(uint32(s.Key)))
		b.out.Groups = append(b.out.Groups, Group{
			s.Name, s.AllocBytes, s.AllocCount, s.LiveBytes, s.LiveCount, s.PeakBytes, s.LeakBytes, s.LeakCount, s.Temporary,
			s.Sites, word, sure,
		})
	}
	return nil
}

// threads lists the allocations of each thread in the range, most bytes first.
func (b *builder) threads() error {
	if b.profile.Meta.NoThreads {
		b.out.Threads = nil
		return nil
	}
	rows, err := b.trace.Sites(b.ctx, analysis.Query{At: b.opt.At, Range: b.opt.Range, By: analysis.ByThread, Cell: b.opt.Cell})
	if err != nil {
		return err
	}
	for i := range rows {
		rows[i].Stack = model.StackID(threadOf(rows[i])) // ties are broken by thread
	}
	list := sorted(rows, orders.Named("alloc_bytes"), b.opt.Limit, allocated)
	b.out.Rows.Threads = len(list)
	for _, s := range limit(list, b.opt.Limit) {
		b.out.Threads = append(b.out.Threads, Thread{uint16(s.Stack), s.AllocBytes, s.AllocCount})
	}
	return nil
}

// threadOf returns the number of a row of threads, which are named "thread 3".
func threadOf(s analysis.Site) uint64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(s.Name, "thread "), 10, 16)
	if err != nil {
		return uint64(s.Key)
	}
	return n
}

// SiteFigure returns the figure by which one of [orders.Shared] compares sites: its value, and the count that breaks ties.
// An unknown name selects the default.
func SiteFigure(name string) diff.Figure {
	key := orders.Named(name)
	return func(s *analysis.Site) (bytes, count uint64) { return key.Value(s), key.Count(s) }
}
