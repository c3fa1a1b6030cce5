package arg

import (
	"math"
	"testing"
)

func TestLimits(t *testing.T) {
	tests := []struct {
		text       string
		base, want int64
	}{
		{"512M", 7, 512 << 20}, {"0", 7, 0}, {"+1K", 1000, 2024}, {"+0", -5, -5}, {"+10%", 1000, 1100}, {"+10%", -1000, -900},
		{"+0.5%", 1000, 1005}, {"1.2x", 1000, 1200}, {"2x", -3, -6}, {"0x", 9, 0}, {"+1K", math.MaxInt64, math.MaxInt64},
		{"+100%", math.MaxInt64, math.MaxInt64}, {"16E", 0, math.MaxInt64},
	}
	for _, tt := range tests {
		var l Limit
		if err := l.UnmarshalText([]byte(tt.text)); err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if got := l.Resolve(tt.base); got != tt.want {
			t.Errorf("%s of %d is %d, want %d", tt.text, tt.base, got, tt.want)
		}
		if rate := (&RateLimit{}); rate.UnmarshalText([]byte(tt.text)) == nil && !l.Relative() {
			t.Errorf("%s is taken for a rate", tt.text)
		}
	}
	for _, bad := range []string{"", "10%", "+2x", "x", "%", "+%", "-1", "1M/s", "lots"} {
		if err := new(Limit).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a limit", bad)
		}
	}
	for _, bad := range []string{"", "1M", "1M/", "1M/fortnight", "+10%/s", "x/s", "+1K"} {
		if err := new(RateLimit).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is taken for a rate", bad)
		}
	}
	var r RateLimit
	if err := r.UnmarshalText([]byte("1.5K/min")); err != nil || r.bytes != 1536 || r.Seconds != 60 || r.Per != "min" {
		t.Errorf("1.5K/min is %+v, %v", r, err)
	}
}
