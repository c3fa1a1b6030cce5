package modeltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// TimeTexts returns what users may type for a time: usual texts, mistakes, and n random ones, most of which are valid
// in a recording of some 76 ms.
func TimeTexts(rng *rand.Rand, n int) []string {
	texts := []string{
		"0", "start", "end", "peak", "END", "12.5ms", "900us", "900µs", "1500ns", "0.00001h", "1m", "5min", "5MIN",
		"0.0001min", "4h3m", "2d", "1ms 5us", "2 ms",
		"50%", "33.333333333333333333%", "100%", "50 %", "101%", "%", "5", "5x", "-5ms", "+5ms", "1e3us", "NaNs",
		"1..2s", "0.1ms", "0.3ms", "nowhere", "1 2ms",
		"99999999999999999999s",
	}
	units := []string{"ns", "us", "µs", "ms", "s", "min", "m", "h", "d", "%", "", "x"}
	for range n {
		var b strings.Builder
		for range 1 + rng.IntN(2) {
			fmt.Fprintf(&b, "%.*f%s", rng.IntN(7), rng.Float64()*[]float64{1e-3, 1, 50}[rng.IntN(3)], units[rng.IntN(len(units))])
		}
		texts = append(texts, b.String())
	}
	return texts
}
