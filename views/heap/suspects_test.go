package heap

import "testing"

// What is as likely as not is not given as a certainty.
func TestOutlook(t *testing.T) {
	for confidence, want := range map[float64]string{
		0.4:  "uncertain whether it goes on growing",
		0.5:  "uncertain whether it goes on growing",
		0.6:  "60 % certain that it goes on growing",
		0.75: "75 % certain that it goes on growing",
	} {
		if got := outlook(confidence); got != want {
			t.Errorf("%v: %q, not %q", confidence, got, want)
		}
	}
}
