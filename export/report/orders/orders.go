// Package orders has the orders of the tables of allocation sites and of blocks.
package orders

import (
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
)

// Key is one way to sort sites: by a value, with ties broken by a count.
type Key struct {
	Name         string
	Value, Count func(*analysis.Site) uint64
}

// sortKeys returns the values of --by. The first is the default.
func sortKeys() []Key {
	allocs := func(s *analysis.Site) uint64 { return s.AllocCount }
	lives := func(s *analysis.Site) uint64 { return s.LiveCount }
	leaked := func(s *analysis.Site) uint64 { return s.LeakCount }
	return []Key{
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
var siteOrders = []Key{
	{"mean_bytes", (*analysis.Site).MeanSize, func(s *analysis.Site) uint64 { return s.AllocCount }},
	{"temporary_share", shareOrder((*analysis.Site).TemporaryShare), func(s *analysis.Site) uint64 { return s.AllocCount }},
	{"leaked_share", shareOrder((*analysis.Site).LeakShare), func(s *analysis.Site) uint64 { return s.LeakBytes }},
}

// shareOrder returns the sort value for a share.
func shareOrder(share func(*analysis.Site) float64) func(*analysis.Site) uint64 {
	return func(s *analysis.Site) uint64 { return math.Float64bits(max(share(s), 0)) }
}

// Sites returns the names of all orders of the tables of sites and groups, the default first.
func Sites() []string {
	names := append(Shared(), ByVerdict, ByGrowth)
	for _, k := range siteOrders {
		names = append(names, k.Name)
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
	Name  string
	value func(*analysis.LeakSite) uint64
}{
	{"bytes", func(s *analysis.LeakSite) uint64 { return s.Bytes }},
	{"count", func(s *analysis.LeakSite) uint64 { return s.Count }},
	{"oldest_us", func(s *analysis.LeakSite) uint64 { return uint64(max(s.Oldest, 0)) }},
	{"newest_us", func(s *analysis.LeakSite) uint64 { return uint64(max(s.Newest, 0)) }},
	{"leaked_share", func(s *analysis.LeakSite) uint64 { return shareOrder((*analysis.Site).LeakShare)(&s.Site) }},
}

// Leaks returns the names of the orders of the tables of leaks, the default first.
func Leaks() []string {
	names := make([]string, len(leakKeys), len(leakKeys)+2)
	for i, k := range leakKeys {
		names[i] = k.Name
	}
	return append(names, ByVerdict, ByGrowth)
}

// Leak returns the figure by which an order of [Leaks] sorts sites, highest first; nil for the default, by bytes.
func Leak(by string, verdicts verdict.List) func(*analysis.LeakSite) uint64 {
	if order, ok := orderBy(by); ok {
		return func(s *analysis.LeakSite) uint64 { return order(verdicts.Of(uint32(s.Key))) }
	}
	for _, k := range leakKeys[1:] {
		if k.Name == by {
			return k.value
		}
	}
	return nil
}

// Of returns the order of sites, or of groups with their verdicts.
func Of(by string, verdicts verdict.List) Key {
	if i := slices.IndexFunc(siteOrders, func(k Key) bool { return k.Name == by }); i >= 0 {
		return siteOrders[i]
	}
	order, ok := orderBy(by)
	if !ok {
		return Named(by)
	}
	return Key{by, func(s *analysis.Site) uint64 { return order(verdicts.Of(uint32(s.Key))) },
		func(s *analysis.Site) uint64 { return s.AllocCount }}
}

// Shared returns the names of the orders of sites that screens and comparisons have as well, the default first.
func Shared() []string {
	var names []string
	for _, k := range sortKeys() {
		names = append(names, k.Name)
	}
	return names
}

// Named returns the order of that name among [Shared], or the default if the name is unknown.
func Named(name string) Key {
	keys := sortKeys()
	for _, k := range keys {
		if k.Name == name {
			return k
		}
	}
	return keys[0]
}

// Blocks returns the names of the orders of single blocks, the default first.
func Blocks() []string {
	return []string{"size", "first_allocated", "last_allocated", "address", "lifetime"}
}

// Block returns the order of that name among [Blocks], or the default if the name is unknown.
func Block(name string) analysis.BlockOrder {
	orders := [...]analysis.BlockOrder{analysis.LargestFirst, analysis.OldestFirst, analysis.NewestFirst, analysis.LowestFirst,
		analysis.ShortestFirst}
	return orders[max(slices.Index(Blocks(), name), 0)]
}
