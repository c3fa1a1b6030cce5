package analysis

import (
	"cmp"
	"slices"
)

// Cost returns the row's figure of one cost. CostPeak is what lives at the instant, which the caller chose to be the
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

// SortSites orders rows by a figure, largest first, ties by count and then by stack id.
func SortSites(rows []Site, figure func(*Site) uint64, count func(*Site) uint64) {
	slices.SortFunc(rows, func(a, b Site) int {
		return cmp.Or(cmp.Compare(figure(&b), figure(&a)), cmp.Compare(count(&b), count(&a)),
			cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
	})
}
