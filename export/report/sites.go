package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// sortKey is one way to sort sites: by a value, with ties broken by a count.
type sortKey struct {
	name         string
	value, count func(*analysis.Site) uint64
}

// sortKeys returns the values of --by. The first is the default.
func sortKeys() []sortKey {
	allocs := func(s *analysis.Site) uint64 { return s.AllocCount }
	lives := func(s *analysis.Site) uint64 { return s.LiveCount }
	leaked := func(s *analysis.Site) uint64 { return s.LeakCount }
	return []sortKey{
		{"alloc_bytes", func(s *analysis.Site) uint64 { return s.AllocBytes }, allocs},
		{"alloc_count", allocs, allocs},
		{"live_bytes", func(s *analysis.Site) uint64 { return s.LiveBytes }, lives},
		{"live_count", lives, lives},
		{"peak_bytes", func(s *analysis.Site) uint64 { return s.PeakBytes }, allocs},
		{"temporary_count", func(s *analysis.Site) uint64 { return s.Temporary }, allocs},
		{"freed_bytes", func(s *analysis.Site) uint64 { return s.FreedBytes }, func(s *analysis.Site) uint64 { return s.FreedCount }},
		{"overwritten_bytes", func(s *analysis.Site) uint64 { return s.OverwrittenBytes },
			func(s *analysis.Site) uint64 { return s.OverwrittenCount }},
		{"leaked_bytes", func(s *analysis.Site) uint64 { return s.LeakBytes }, leaked},
		{"leaked_count", leaked, leaked},
	}
}

// siteOrders are orders of sites and groups by values that do not add up. Only tables of reports have them.
var siteOrders = []sortKey{
	{"mean_bytes", (*analysis.Site).MeanSize, func(s *analysis.Site) uint64 { return s.AllocCount }},
	{"temporary_share", shareOrder((*analysis.Site).TemporaryShare), func(s *analysis.Site) uint64 { return s.AllocCount }},
	{"leaked_share", shareOrder((*analysis.Site).LeakShare), func(s *analysis.Site) uint64 { return s.LeakBytes }},
}

// shareOrder returns the sort value for a share.
func shareOrder(share func(*analysis.Site) float64) func(*analysis.Site) uint64 {
	return func(s *analysis.Site) uint64 { return math.Float64bits(max(share(s), 0)) }
}

// SiteOrders returns the names of all orders of the tables of sites and groups, the default first.
func SiteOrders() []string {
	names := append(SortKeys(), ByVerdict, ByGrowth)
	for _, k := range siteOrders {
		names = append(names, k.name)
	}
	return names
}

// Orders by verdict: the most significant first, or the leak that grows fastest. Only tables of reports have them.
const (
	ByVerdict = "verdict"
	ByGrowth  = "growth"
)

// orderBy returns the number that sorts by a verdict; ok is false for other orders.
func orderBy(by string) (order func(verdict.Verdict) uint64, ok bool) {
	switch by {
	case ByVerdict:
		return func(v verdict.Verdict) uint64 { return v.Order() }, true
	case ByGrowth:
		return func(v verdict.Verdict) uint64 { return math.Float64bits(max(v.Growth, 0)) }, true
	}
	return nil, false
}

// leakKeys are the orders of leaks except those by verdict. The first is the default.
var leakKeys = []struct {
	name  string
	value func(*analysis.LeakSite) uint64
}{
	{"bytes", func(s *analysis.LeakSite) uint64 { return s.Bytes }},
	{"count", func(s *analysis.LeakSite) uint64 { return s.Count }},
	{"oldest_us", func(s *analysis.LeakSite) uint64 { return uint64(max(s.Oldest, 0)) }},
	{"newest_us", func(s *analysis.LeakSite) uint64 { return uint64(max(s.Newest, 0)) }},
	{"leaked_share", func(s *analysis.LeakSite) uint64 { return shareOrder((*analysis.Site).LeakShare)(&s.Site) }},
}

// LeakKeys returns the names of the orders of the tables of leaks, the default first.
func LeakKeys() []string {
	names := make([]string, len(leakKeys), len(leakKeys)+2)
	for i, k := range leakKeys {
		names[i] = k.name
	}
	return append(names, ByVerdict, ByGrowth)
}

// sortLeaks puts the first rows of a table of leaks in one of [LeakKeys] to the front. Sites are given with the most
// bytes first, which is the order of other names.
func (b *builder) sortLeaks(sites []analysis.LeakSite, by string) {
	var value func(*analysis.LeakSite) uint64
	if order, ok := orderBy(by); ok {
		value = func(s *analysis.LeakSite) uint64 { return order(b.verdicts.Of(uint32(s.Key))) }
	}
	for _, k := range leakKeys[1:] {
		if k.name == by {
			value = k.value
		}
	}
	if value == nil {
		return
	}
	model.SortFirst(sites, b.opt.Limit, func(x, y analysis.LeakSite) int {
		return cmp.Or(cmp.Compare(value(&y), value(&x)),
			cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Stack, y.Stack))
	})
}

// orderOf returns the order of sites, or of groups with their verdicts.
func orderOf(by string, verdicts verdict.List) sortKey {
	if i := slices.IndexFunc(siteOrders, func(k sortKey) bool { return k.name == by }); i >= 0 {
		return siteOrders[i]
	}
	order, ok := orderBy(by)
	if !ok {
		return keyNamed(by)
	}
	return sortKey{by, func(s *analysis.Site) uint64 { return order(verdicts.Of(uint32(s.Key))) },
		func(s *analysis.Site) uint64 { return s.AllocCount }}
}

// SortKeys returns the names of the ways to sort sites, the default first.
func SortKeys() []string {
	var names []string
	for _, k := range sortKeys() {
		names = append(names, k.name)
	}
	return names
}

// keyNamed returns the sort key of that name, or the default if the name is unknown.
func keyNamed(name string) sortKey {
	keys := sortKeys()
	for _, k := range keys {
		if k.name == name {
			return k
		}
	}
	return keys[0]
}

// sorted returns the rows that keep accepts, of which the first n, or all if n is 0, are in order: highest key first,
// ties by the key's count, then by stack, then by name.
func sorted(rows []analysis.Site, key sortKey, n int, keep func(*analysis.Site) bool) []*analysis.Site {
	out := make([]*analysis.Site, 0, len(rows))
	for i := range rows {
		if keep(&rows[i]) {
			out = append(out, &rows[i])
		}
	}
	model.SortFirst(out, n, func(a, b *analysis.Site) int {
		if c := cmp.Compare(key.value(b), key.value(a)); c != 0 {
			return c
		}
		return cmp.Or(cmp.Compare(key.count(b), key.count(a)), cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
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
	key, keep := orderOf(b.opt.By, b.verdicts), allocated
	if strings.HasPrefix(key.name, "live_") || key.name == "freed_bytes" || key.name == "overwritten_bytes" {
		keep = func(s *analysis.Site) bool { return allocated(s) || key.value(s) > 0 }
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
func (b *builder) liveOrder() sortKey {
	if b.opt.LiveOrder == "" {
		return keyNamed("live_bytes")
	}
	return orderOf(b.opt.LiveOrder, b.verdicts)
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
	key := orderOf(b.opt.By, verdicts)
	if key.name == ByVerdict { // within a verdict, or without one: the largest leak first
		key.count = func(s *analysis.Site) uint64 { return s.LeakBytes }
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
	list := sorted(rows, keyNamed("alloc_bytes"), b.opt.Limit, allocated)
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

// SiteFigure returns the figure by which one of [SortKeys] compares sites: its value, and the count that breaks ties.
// An unknown name selects the default.
func SiteFigure(name string) diff.Figure {
	key := keyNamed(name)
	return func(s *analysis.Site) (bytes, count uint64) { return key.value(s), key.count(s) }
}
