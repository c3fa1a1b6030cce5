package analysis

import "testing"

// Rows around an instant are half before and half after it, or more on one side where the other has too few.
func TestMiddle(t *testing.T) {
	for _, c := range []struct{ all, until, n, from, to int }{
		{100, 50, 4, 48, 52},
		{100, 50, 5, 47, 52},
		{100, 0, 4, 0, 4},
		{100, 1, 4, 0, 4},
		{100, 100, 4, 96, 100},
		{100, 99, 4, 96, 100},
		{3, 2, 4, 0, 3},
		{0, 0, 4, 0, 0},
	} {
		if from, to := Middle(c.all, c.until, c.n); from != c.from || to != c.to {
			t.Errorf("%d rows of %d around %d: %d to %d, want %d to %d", c.n, c.all, c.until, from, to, c.from, c.to)
		}
	}
}
