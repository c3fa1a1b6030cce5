package views

import (
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// Whatever is weighed and sorted by in the difference: after it, the screen is as it was before.
func TestDifferenceRestoresCostAndSort(t *testing.T) {
	for _, screen := range []string{"3", "4", "5"} {
		for _, keys := range modeltest.Few([][]string{{"s", "s", "c", "c"}, {}, {"c"}, {"s"}, {"c", "s"}}) {
			u := openKvleak(t, 120, 40, colorCaps).keys("p", "A", "e", screen)
			if screen != "5" {
				u.keys("s")
			}
			before, cost := u.Text(), u.app.state.Cost
			u.keys("d").keys(keys...).keys("d")
			if after := u.Text(); after != before || u.app.state.Cost != cost {
				t.Errorf("screen %s, %v: cost %v, then %v:\n%s\n%s", screen, keys, cost, u.app.state.Cost, before, after)
			}
		}
	}
}
