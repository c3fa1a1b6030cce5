package model

import (
	"math"
	"testing"
)

func TestShare(t *testing.T) {
	for _, tt := range []struct {
		part, whole uint64
		want        string
	}{
		{0, 0, ""}, {5, 0, ""}, {0, 7, "0 %"}, {7, 7, "100 %"}, {1, 4, "25.0 %"}, {76, 1000, "7.6 %"}, {36, 64, "56.3 %"}, {201, 2000, "10.1 %"}, {9987, 10000, "99.9 %"},
		{1, 1000, "0.1 %"}, {49, 100_000, "<0.1 %"}, {1, math.MaxUint64, "<0.1 %"}, {math.MaxUint64 - 1, math.MaxUint64, ">99.9 %"},
		{9995, 10_000, ">99.9 %"}, {99949, 100_000, "99.9 %"}, {3, 2, "150.0 %"},
	} {
		got := ShareOf(tt.part, tt.whole).String()
		if got != tt.want {
			t.Errorf("%d of %d: %q, want %q", tt.part, tt.whole, got, tt.want)
		}
		if tt.part <= tt.whole && len(got) > ShareWidth {
			t.Errorf("%q is wider than %d cells", got, ShareWidth)
		}
	}
}

func TestChange(t *testing.T) {
	for _, tt := range []struct {
		before, after uint64
		want          string
	}{
		{0, 5, ""}, {5, 5, "0 %"}, {5, 0, "-100 %"}, {1000, 1504, "+50.4 %"}, {1000, 496, "-50.4 %"}, {100_000, 1, "->99.9 %"}, {100_000, 199_990, "+100 %"},
		{100_000, 100_001, "+<0.1 %"}, {1, 10, "+900.0 %"}, {1, 11, "11.0 ×"}, {1, 123_456, "123,456 ×"}, {math.MaxUint64 - 1, math.MaxUint64, "+<0.1 %"},
	} {
		if got := Change(tt.before, tt.after); got != tt.want {
			t.Errorf("%d to %d: %q, want %q", tt.before, tt.after, got, tt.want)
		}
	}
}

func TestRatesAndIntervals(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Time(89).Each(100), "0.89 µs"}, {Time(0).Each(3), "0 µs"}, {Time(12).Each(1), "12 µs"}, {Time(25).Each(2), "12.5 µs"}, {Time(1).Each(1000), "<0.01 µs"},
		{Time(1999).Each(2), "1.00 ms"}, {Time(25_000).Each(2), "12.5 ms"}, {Time(999_500).Each(1000), "1.00 ms"},
		{Rate(0), "0 B/s"}, {Rate(0.5), "0.50 B/s"}, {Rate(-1.996), "2.00 B/s"}, {Rate(0.001), "<0.01 B/s"}, {Rate(1535.9), "1.50 KiB/s"}, {Rate(12), "12 B/s"},
		{ShortRate(0.5), "0.50 B/s"}, {ShortRate(1010), "0.99K/s"}, {ShortRate(452_608), "442K/s"}, {Rate(math.Inf(1)), "8.00 EiB/s"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	for _, tt := range [][3]uint64{{0, 3, 0}, {1, 3, 0}, {3, 2, 2}, {5, 3, 2}, {math.MaxUint64, 1, math.MaxUint64}, {math.MaxUint64, math.MaxUint64, 1}} {
		if got := Mean(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%d / %d: %d, want %d", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestDone(t *testing.T) {
	for share, want := range map[Share]string{0: "0 %", -1: "0 %", ShareOf(1, 0): "0 %", 0.379: "37 %", 0.9999: "99 %", 1: "100 %", 7: "100 %"} {
		if got := share.Done(); got != want {
			t.Errorf("%v: %s, want %s", float64(share), got, want)
		}
	}
}
