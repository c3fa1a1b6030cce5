package modeltest

import "testing"

// Few returns all cases, and only the first of them under the race detector. It is for cases that differ in results,
// not in concurrency.
func Few[T any](cases []T) []T {
	if UnderRace {
		return cases[:min(1, len(cases))]
	}
	return cases
}

// Plain skips a test under the race detector. It is for long tests whose concurrency is covered by others.
func Plain(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("the race detector has other tests of what runs here at the same time")
	}
}
