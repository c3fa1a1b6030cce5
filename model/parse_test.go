package model

import "testing"

func TestParseSize(t *testing.T) {
	good := map[string]Bytes{"0": 0, "4096": 4096, "64KiB": 64 << 10, "64k": 64 << 10, "1.5M": 3 << 19, "2 GB": 2 << 30,
		"18446744073709551615": 1<<64 - 1, "15E": 15 << 60}
	for s, want := range good {
		if got, err := ParseSize(s); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "M", "1.5X", "-1", "1..5", "99E", "1KM", "NaN", "1e3"} {
		if got, err := ParseSize(s); err == nil {
			t.Errorf("%q accepted as %d", s, got)
		}
	}
}

func TestParseTime(t *testing.T) {
	good := map[string]Time{"0": 0, "12.5s": 12_500_000, "350ms": 350_000, "900us": 900, "7µs": 7, "4h3m": 14580 * Second,
		"1m 2s": 62 * Second, "50%": 500, "100%": 1000, "2d": 172800 * Second}
	for s, want := range good {
		if got, err := ParseTime(s, 1000); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "5", "s", "1x", "-1s", "101%", "%", "1s2", "NaNs", "infs"} {
		if got, err := ParseTime(s, 1000); err == nil {
			t.Errorf("%q accepted as %d", s, got)
		}
	}
}
