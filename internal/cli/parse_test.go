package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

func TestMoments(t *testing.T) {
	const duration, peak = 75989, 60988
	for text, want := range map[string]model.Time{
		"0": 0, "start": 0, "end": duration, "END": duration, "peak": peak,
		"12.5s": 12_500_000, "350ms": 350_000, "900us": 900, "900µs": 900, "900μs": 900, "4h3m": 4*3600e6 + 3*60e6,
		"1d2h3m4s5ms6us": 86400e6 + 2*3600e6 + 3*60e6 + 4e6 + 5006, "1500ns": 1, ".5s": 500_000, "1.s": 1e6, "2 s": 2e6,
		"0%": 0, "50%": 37994, "100%": duration, "12.5%": 9498, "33.333333333333333333%": 25329,
		"0.1s": 100_000, "0.3s": 300_000, "1.000001s": 1_000_001, // no rounding through floats
		"9223372036854775807us": model.MaxTime, "18446744073709551600us": model.MaxTime, "99999999999h": model.MaxTime,
	} {
		var m moment
		if err := m.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got := m.resolve(duration, peak); got != want || !m.given() {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
	for _, text := range []string{
		"", "5", "5x", "s", "-5s", "+5s", "5s3", "1e3s", "101%", "%", "x%", "1..2s", "peaks", "0x10s", "NaN", "Infs", "5s;ls",
		"999999999999999999999999s",
	} {
		var m moment
		if err := m.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is taken for %+v", text, m)
		}
	}
	if (moment{}).given() {
		t.Error("the zero moment was given")
	}
}

func TestShareOfTheLongestDuration(t *testing.T) {
	var m moment
	if err := m.UnmarshalText([]byte("50%")); err != nil {
		t.Fatal(err)
	}
	if got := m.resolve(model.MaxTime, 0); got != model.MaxTime/2 {
		t.Errorf("half of the longest time is %d", got)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"4096": 4096, "0": 0, "64KiB": 65536, "64k": 65536, "64KB": 65536, "1.5M": 3 << 19, "1.5 MiB": 3 << 19, "2G": 2 << 30, "1T": 1 << 40,
		"10b": 10, "0.5K": 512, "8E": math.MaxInt64, "99999E": math.MaxInt64,
	} {
		if got, err := parseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, want %d (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{"", "M", "-1", "1X", "1KiBi", "1 M B", "1ib", "0x10", "1e9", "km", "1kg"} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

func FuzzMoment(f *testing.F) {
	f.Add("4h3m")
	f.Add("12.5%")
	f.Fuzz(func(t *testing.T, text string) {
		var m moment
		if m.UnmarshalText([]byte(text)) != nil {
			return
		}
		for _, duration := range []model.Time{0, 1, 1e6, model.MaxTime} {
			got := m.resolve(duration, duration/3)
			if got < 0 || m.kind == percent && got > duration {
				t.Errorf("%q of %d is %d", text, duration, got)
			}
		}
	})
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"report", "report", 0}, {"reprot", "report", 1}, {"rport", "report", 1}, {"", "man", 3}, {"opne", "open", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q are %d changes, want %d", c.a, c.b, got, c.want)
		}
	}
	if distance(strings.Repeat("x", 1<<20), "open") < 4 {
		t.Error("a path of a megabyte is no typo")
	}
}
