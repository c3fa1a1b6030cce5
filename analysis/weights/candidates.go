package weights

import (
	"slices"

	"github.com/memtui/memtui/model"
)

// Candidate is a metric of an event that a profile can be compared by.
type Candidate struct {
	Event, Name string
	Key         string // the canonical name of the metric
}

// Candidates returns the metrics by which a profile can be compared, the best first: the default event's before those
// of others, and the primary metric of each before others in its stacks. event and by restrict them unless "".
func Candidates(w *model.StackProfile, event, by string) (list []Candidate) {
	totals := Totals(w)
	first := DefaultEvent(w)
	for i := -1; i < len(w.Events); i++ {
		e := uint16(max(i, 0))
		if i < 0 {
			e = first
		} else if e == first {
			continue
		}
		if event != "" && w.Events[e].Name != event {
			continue
		}
		add := func(m model.MetricID) {
			c := Candidate{w.Events[e].Name, w.Metrics[m].Name, Canonical(w.Metrics[m].Name)}
			if (by == "" || Canonical(by) == c.Key) && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
		if m, ok := DefaultMetric(w, e); ok {
			add(m)
		}
		for _, s := range totals[e].Sums {
			add(s.Metric)
		}
		if m, ok := Named(w, by); ok { // it was never sampled: its figure is 0
			add(m)
		}
	}
	return list
}

// Measures returns the words for what metrics measure.
func Measures() map[string]string {
	return map[string]string{
		"live_bytes": "live memory", "live_count": "the number of live blocks", "alloc_bytes": "allocated memory",
		"alloc_count": "the number of allocations", "peak_bytes": "the sum of the peaks of all stacks", "freed_bytes": "freed memory",
		"overwritten_bytes": "memory of overwritten blocks",
		"temporary_count":   "the number of temporary blocks", "leaked_bytes": "leaked memory", "leaked_count": "the number of leaked blocks",
	}
}
