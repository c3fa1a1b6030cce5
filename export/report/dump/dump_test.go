package dump

import (
	"math"
	"testing"
)

func TestMeasuredNumbers(t *testing.T) {
	for f, want := range map[float64]string{
		20971520: "20971520", 0: "0", math.Copysign(0, -1): "0", -5: "-5", 3145728.5: "3145728.5", 1 << 60: "1152921504606846976",
		1e300: "1e+300", 1e-9: "1e-09", 0.25: "0.25",
	} {
		if got := string(Value(f).AppendJSON(nil)); got != want {
			t.Errorf("%v is written %s", f, got)
		}
	}
	for f, want := range map[float64]string{42: "42.0", 0: "0.0", 2.5: "2.5", 1e300: "1e+300"} {
		if got := string(Mean(f).AppendJSON(nil)); got != want {
			t.Errorf("the mean %v is written %s", f, got)
		}
	}
}
