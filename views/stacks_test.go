package views

import "testing"

func TestStacksKeys(t *testing.T) {
	u := openKvleak(t, 80, 24, colourCaps)
	u.keys("5", "f")
	u.has("Stacks · flame")
	u.keys("p")
	u.has("(peak)")
}
