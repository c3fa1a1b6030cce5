package verdict

import "slices"

// Thresholds of the clock: most allocations of the run are in such a short part of its time.
const (
	burstPart = 20  // one part of the time in so many, the densest ones together
	burstHas  = 0.8 // share of all allocations
)

// ClockParts is the number of parts of equal duration that a Clock is made of.
const ClockParts = 8 * Windows

// Clock divides a run into windows: into equal numbers of allocations, as time is full of pauses. Where one burst has
// nearly all allocations, such as a table that is loaded at the start, it divides the time in which anything is allocated:
// otherwise all that happens after the burst would be in one window.
type Clock struct {
	parts []uint64 // allocations in parts of the run of equal duration, nil where allocations are counted
}

// NewClock returns the clock of a run. parts are the allocations in parts of it of equal duration.
func NewClock(parts []uint64) Clock {
	dense, all, active := slices.Sorted(slices.Values(parts)), uint64(0), 0
	for _, n := range parts {
		if all += n; n > 0 {
			active++
		}
	}
	most := uint64(0)
	for _, n := range dense[len(dense)-len(dense)/burstPart:] {
		most += n
	}
	if active < 2*Windows || float64(most) < burstHas*float64(all) {
		return Clock{}
	}
	return Clock{parts}
}

// OfTime reports whether the clock divides time.
func (c Clock) OfTime() bool { return c.parts != nil }

// Windows returns how many allocations come before each window of the first last allocations, and before their end.
func (c Clock) Windows(last uint64) (before [Windows + 1]uint64) {
	for w := range before {
		before[w] = last/Windows*uint64(w) + last%Windows*uint64(w)/Windows
	}
	var ends []uint64 // of the parts that have allocations
	sum := uint64(0)
	for _, n := range c.parts {
		if sum >= last {
			break
		}
		if sum += n; n > 0 {
			ends = append(ends, min(sum, last))
		}
	}
	if len(ends) < Windows {
		return before
	}
	for w := 1; w < Windows; w++ {
		before[w] = ends[w*len(ends)/Windows-1]
	}
	return before
}
