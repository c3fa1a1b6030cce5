package views

import (
	"os"
	"testing"
)

// largest is when the largest snapshot was taken, in instructions.
const largest = 2167715

// TestPeakOfCurvesBesideStacks expects the key of the peak to work in files that have curves and stacks: those of
// massif.
func TestPeakOfCurvesBesideStacks(t *testing.T) {
	data, err := os.ReadFile("../loaders/valgrind/testdata/massif.default.out")
	if err != nil {
		t.Fatal(err)
	}
	u := openProfile(t, 120, 40, colourCaps, "massif.default.out", data)
	before := u.state()
	if after := u.keys("p").state(); before.Now() == after.Now() || after.Now() != largest {
		t.Errorf("from %d to %d, the largest snapshot is at %d", before.Now(), after.Now(), largest)
	}
}
