package analysis

import (
	"cmp"
	"slices"
)

// Cost returns one cost of the row. CostPeak is the live bytes at the query's instant, which the caller sets to the
// peak.
func (s *Site) Cost(c Cost) uint64 {
	switch c {
	case CostLive, CostPeak:
		return s.LiveBytes
	case CostLiveCount:
		return s.LiveCount
	case CostTotal:
		return s.AllocBytes
	case CostCount:
		return s.AllocCount
	case CostLeaked:
		return s.LeakBytes
	}
	return s.Temporary
}

// SortSites sorts rows by figure, largest first; ties by count, then by stack id.
func SortSites(rows []Site, figure func(*Site) uint64, count func(*Site) uint64) {
	slices.SortFunc(rows, func(a, b Site) int {
		return cmp.Or(cmp.Compare(figure(&b), figure(&a)), cmp.Compare(count(&b), count(&a)),
			cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
	})
}
