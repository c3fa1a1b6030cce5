package modeltest

import "testing"

// Few returns all cases, and only the first of them under the race detector. It is for cases that differ in what is
// shown or computed, not in what runs at the same time.
func Few[T any](cases []T) []T {
	if UnderRace {
		return cases[:min(1, len(cases))]
	}
	return cases
}

// Plain skips a test under the race detector. It is for long ones that run nothing at the same time that other tests do
// not run, too.
func Plain(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("the race detector has other tests of what runs here at the same time")
	}
}
