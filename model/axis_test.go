package model

import "testing"

func TestTimesOfOtherUnits(t *testing.T) {
	for _, c := range []struct {
		at         Time
		unit, want string
	}{{2_131_904, "", "2.13 s"}, {2_131_904, "instructions", "2.13M instructions"}, {512, "bytes", "512 bytes"}} {
		if got := c.at.In(c.unit); got != c.want {
			t.Errorf("%d in %q is %q, want %q", c.at, c.unit, got, c.want)
		}
	}
}
