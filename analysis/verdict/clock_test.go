package verdict

import (
	"slices"
	"testing"
)

// parts are allocations in parts of a run: at first, and in each of the others.
func parts(first, others uint64) []uint64 {
	return append([]uint64{first}, slices.Repeat([]uint64{others}, ClockParts-1)...)
}

// Windows have equal numbers of allocations, unless nearly all are in one burst.
func TestClock(t *testing.T) {
	quiet := parts(100_000, 0)
	for i := range Windows {
		quiet[8*i+4] = 1
	}
	for name, c := range map[string]struct {
		parts []uint64
		time  bool
	}{
		"even": {parts(100, 100), false}, "a burst": {parts(1_000_000, 100), true}, "a small burst": {parts(20_000, 100), false},
		"a burst and hardly anything": {quiet, false}, "nothing": {nil, false},
	} {
		clock, all := NewClock(c.parts), uint64(0)
		for _, n := range c.parts {
			all += n
		}
		if clock.OfTime() != c.time {
			t.Errorf("%s: divides time: %v", name, !c.time)
		}
		for _, last := range []uint64{all, all - all/3, min(all, 10)} {
			before := clock.Windows(last)
			if before[0] != 0 || before[Windows] != last || !slices.IsSorted(before[:]) {
				t.Errorf("%s, %d allocations: %d", name, last, before)
			}
			if !c.time && before[Windows/2] != last/2 {
				t.Errorf("%s: %d of %d allocations are in the first half", name, before[Windows/2], last)
			}
		}
	}
	before := NewClock(parts(1_000_000, 100)).Windows(1_000_000 + 100*(ClockParts-1))
	if before[1] != 1_000_700 || before[2] != 1_001_500 {
		t.Errorf("the burst is not in one window: %d", before[:3])
	}
}
