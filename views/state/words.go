package state

import (
	"slices"

	"github.com/memtui/memtui/analysis"
)

// CostKey returns the name of a cost in reports and flags: "live_bytes".
func CostKey(c analysis.Cost) string {
	return [...]string{"live_bytes", "live_count", "peak_bytes", "alloc_bytes", "alloc_count", "leaked_bytes", "temporary_count"}[c]
}

// ParseCost parses a cost: its name on screens, "live", or its key in reports, "live_bytes".
func ParseCost(text string) (c analysis.Cost, ok bool) {
	for c := range analysis.CostCountOf {
		if text == c.String() || text == CostKey(c) {
			return c, true
		}
	}
	return 0, false
}

// SortKey returns the key that a text represents: itself, or that of a cost by its name on screens. Other texts are
// returned unchanged.
func SortKey(text string, keys []string) string {
	if slices.Contains(keys, text) {
		return text
	}
	if c, ok := ParseCost(text); ok && slices.Contains(keys, CostKey(c)) {
		return CostKey(c)
	}
	return text
}
