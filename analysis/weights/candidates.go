package weights

import (
	"slices"
	"strings"

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
			c := Candidate{w.Events[e].Name, w.Metrics[m].Name, Compared(w.Metrics[m].Name)}
			if as, ok := Comparable(w, by); ok && as == m {
				c.Key = Compared(by)
			}
			if (by == "" || Compared(by) == c.Key) && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
		if m, ok := DefaultMetric(w, e); ok {
			add(m)
		}
		for _, s := range totals[e].Sums {
			add(s.Metric)
		}
		if m, ok := Comparable(w, by); ok { // it was never sampled: its figure is 0
			add(m)
		}
	}
	return list
}

// snapshotBytes is massif's metric: what lives at a snapshot.
const snapshotBytes = "heap_bytes"

// Compared returns the name under which a metric is compared: one that other formats have, too.
func Compared(name string) string {
	if name == snapshotBytes {
		return "live_bytes"
	}
	return Canonical(name)
}

// Comparable returns the metric that is compared under a name: that of [Named]; for live memory what lives at a snapshot
// of massif; for any amount of memory the weights of a file of which only the unit, bytes, is known.
func Comparable(p *model.StackProfile, name string) (model.MetricID, bool) {
	if m, ok := Named(p, name); ok {
		return m, true
	}
	if m, ok := p.Metric(snapshotBytes); ok && Compared(name) == Compared(snapshotBytes) {
		return m, true
	}
	m, ok := p.Metric("weight")
	return m, ok && strings.HasSuffix(Compared(name), "_bytes") && p.Metrics[m].Measure().Bytes
}

// SnapshotAtEnd returns the window of the last snapshot, where a metric is what lives at one and is compared with live
// memory at the end of another file: stacks of the file itself are those of its largest snapshot. Else it returns -1.
func SnapshotAtEnd(p *model.StackProfile, m model.MetricID, as string) int {
	if n, ok := WindowAt(p, End(p)); ok && p.Metrics[m].Name == snapshotBytes && as != snapshotBytes {
		return n
	}
	return -1
}

// Measures returns the words for what metrics measure.
func Measures() map[string]string {
	return map[string]string{
		"live_bytes": "live memory", "live_count": "the number of live blocks", "alloc_bytes": "allocated memory",
		"alloc_count": "the number of allocations", "peak_bytes": "the sum of the peaks of all stacks", "freed_bytes": "freed memory",
		"overwritten_bytes": "memory of overwritten blocks",
		"temporary_count":   "the number of temporary blocks", "leaked_bytes": "leaked memory",
		"leaked_count": "the number of leaked blocks",
	}
}
