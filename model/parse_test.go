package model

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]Bytes{
		"0": 0, "4096": 4096, "64KiB": 64 << 10, "64k": 64 << 10, "64KB": 64 << 10, "1.5M": 3 << 19, "1.5 MiB": 3 << 19, "2 GB": 2 << 30, "1T": 1 << 40,
		"10b": 10, "0.5K": 512, "15E": 15 << 60, "0.1K": 102, "18446744073709551615": 1<<64 - 1, "1e": 1 << 60,
		"16E": math.MaxUint64, "99999E": math.MaxUint64,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q is %d, want %d (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{"", "M", "-1", "1X", "1KiBi", "1 M B", "1ib", "0x10", "1e9", "km", "1kg", "1..5", "1KM", "NaN", "18446744073709551616"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

func TestParseMoment(t *testing.T) {
	const duration, peak = 75989, 60988
	for text, want := range map[string]Time{
		"0": 0, "start": 0, "end": duration, "END": duration, "peak": peak, " Peak ": peak,
		"12.5s": 12_500_000, "350ms": 350_000, "900us": 900, "900µs": 900, "900μs": 900, "4h3m": 14580 * Second, "5min": 300 * Second, "5MIN": 300 * Second,
		"1d2h3m4s5ms6us": 86400e6 + 2*3600e6 + 3*60e6 + 4e6 + 5006, "1500ns": 1, ".5s": 500_000, "1.s": 1e6, "2 s": 2e6, "1m 2s": 62 * Second, "2d": 172800 * Second,
		"0%": 0, "50%": 37994, "50 %": 37994, "100%": duration, "12.5%": 9498, "33.333333333333333333%": 25329,
		"0.1s": 100_000, "0.3s": 300_000, "1.000001s": 1_000_001, // no rounding through floats
		"9223372036854775807us": MaxTime, "18446744073709551600us": MaxTime, "99999999999h": MaxTime,
	} {
		m, err := ParseMoment(text)
		if got, wrong := m.In(Axis{End: duration, Peak: peak}); err != nil || wrong != nil || got != want || !m.Given() {
			t.Errorf("%q is %d, want %d (%v)", text, got, want, err)
		}
	}
	for _, text := range []string{
		"", "5.", "5.5", "5x", "s", "-5s", "+5s", "5s3", "1s2", "1 2s", "1e3s", "101%", "%", "x%", "1..2s", "peaks", "0x10s", "NaN", "NaNs", "Infs", "5s;ls",
		"999999999999999999999999s",
	} {
		if m, err := ParseMoment(text); err == nil || m.Given() {
			t.Errorf("%q is taken for %v", text, m)
		}
	}
	if (Moment{}).Given() {
		t.Error("the zero moment was given")
	}
	for _, text := range []string{"peak", "end"} {
		if m, err := ParseLength(text); err == nil || !strings.Contains(err.Error(), "invalid duration") {
			t.Errorf("%q is the length of time %v", text, m)
		}
	}
	if m, err := ParseMoment("50%"); err != nil || m.Of(MaxTime) != MaxTime/2 {
		t.Errorf("half of the longest time is %d", m.Of(MaxTime))
	}
}

// TestMomentsFitTheirAxis expects plain numbers on an axis that counts, times on one of time, and shares, the peak and
// the end on both.
func TestMomentsFitTheirAxis(t *testing.T) {
	counts, times := Axis{End: 2_428_955, Peak: 2_170_000, Unit: "instructions"}, Axis{End: 2_428_955, Peak: 2_170_000}
	for _, c := range []struct {
		text  string
		axis  Axis
		want  Time
		wrong string
	}{
		{"120000", counts, 120_000, ""},
		{"0", counts, 0, ""},
		{"start", counts, 0, ""},
		{"50%", counts, 1_214_477, ""},
		{"peak", counts, 2_170_000, ""},
		{"end", counts, 2_428_955, ""},
		{"18446744073709551615", counts, MaxTime, ""},
		{"2s", counts, 0, "invalid position 2.00 s: the unit is instructions; write a plain number such as 1214477"},
		{"2s", times, 2 * Second, ""},
		{"120000", times, 0, `invalid time "120000": a unit is missing`},
	} {
		m, err := ParseMoment(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		got, err := m.In(c.axis)
		if said := fmt.Sprint(err); got != c.want || (err == nil) != (c.wrong == "") || !strings.Contains(said, c.wrong) && err != nil {
			t.Errorf("%s of %q is %d, %v; want %d, %q", c.text, c.axis.Unit, got, err, c.want, c.wrong)
		}
		if err != nil || got == MaxTime {
			continue
		}
		again, err := ParseMoment(c.axis.Moment(got).String())
		if at, wrong := again.In(c.axis); err != nil || wrong != nil || at != got {
			t.Errorf("%d of %q is written as %s", got, c.axis.Unit, again)
		}
	}
	if m, err := ParseLength("120000"); err == nil {
		t.Errorf("a plain number is the length %s", m)
	}
	for text, want := range map[string]string{"0..120000": "", "120000..60000": "the range ends at 60.0k instructions, before it begins at 120k instructions", "1..9999999": "10.0M instructions is beyond the end of the recording, which is at 2.43M instructions", "1s..": "the unit is instructions"} {
		p, err := ParsePeriod(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := p.In(counts); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestParsePlace(t *testing.T) {
	number := func(n int) *int { return &n }
	for text, want := range map[string]Place{
		"#-1": {Number: number(-1)}, "3": {Number: number(3)}, "0": {Number: number(0), At: MomentAt(0)}, "peak": {At: MomentPeak()},
		"..": {Over: Period{MomentAt(0), MomentEnd()}}, "1s .. peak": {Over: Period{MomentAt(Second), MomentPeak()}}, "5min": {At: MomentAt(300 * Second)},
	} {
		p, err := ParsePlace(text)
		if err != nil || p.At != want.At || p.Over != want.Over || (p.Number == nil) != (want.Number == nil) || p.Number != nil && *p.Number != *want.Number || !p.Given() {
			t.Errorf("%s is %+v, %v", text, p, err)
		}
	}
	for _, bad := range []string{"", "x", "1s..y", "x..", "1s..2s..3s", "#"} {
		if p, err := ParsePlace(bad); err == nil || p.Given() {
			t.Errorf("%q is taken for %+v", bad, p)
		}
	}
}

func TestPeriodsAreChecked(t *testing.T) {
	for text, ok := range map[string]bool{"1s..2s": true, "2s..1s": false, "1s..11s": false, "peak..end": true, "end..peak": false, "50%..": true} {
		p, err := ParsePeriod(text)
		if err != nil {
			t.Fatal(err)
		}
		if from, to, err := p.In(Axis{End: 10 * Second, Peak: 3 * Second}); (err == nil) != ok {
			t.Errorf("%s is from %d to %d, %v", text, from, to, err)
		}
	}
	if from, to, err := (Period{}).In(Axis{End: Second}); from != NoTime || to != NoTime || err != nil {
		t.Errorf("no range is from %d to %d, %v", from, to, err)
	}
}

// What is written can be read again, and means the same.
func TestMomentsAreWrittenAsTheyAreRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		m := MomentAt(Time(rng.Uint64() >> (1 + rng.IntN(63))))
		switch rng.IntN(5) {
		case 0:
			m = Moment{kind: momentShare, share: Decimal{rng.Uint64N(100) * 1000, 3}}
		case 1:
			m = []Moment{MomentPeak(), MomentEnd()}[rng.IntN(2)]
		case 2:
			m = Axis{Unit: "bytes"}.Moment(m.time)
		}
		if again, err := ParseMoment(m.String()); err != nil || again != m {
			t.Fatalf("%+v is written as %q, which is %+v, %v", m, m, again, err)
		}
	}
}

// Products are those of exact arithmetic.
func TestDecimalsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	most := new(big.Int).SetUint64(math.MaxUint64)
	for range 3000 {
		d := Decimal{rng.Uint64() >> rng.IntN(64), rng.IntN(maxDigits + 1)}
		num, den := rng.Uint64()>>rng.IntN(64), 1+rng.Uint64N(1000)
		want := new(big.Int).Mul(new(big.Int).SetUint64(d.mantissa), new(big.Int).SetUint64(num))
		want.Quo(want, new(big.Int).Mul(new(big.Int).SetUint64(d.scale()), new(big.Int).SetUint64(den)))
		if want.Cmp(most) > 0 {
			want = most
		}
		if got := d.Times(num, den); got != want.Uint64() {
			t.Fatalf("%s × %d / %d is %d, want %s", d, num, den, got, want)
		}
		if again, rest, err := CutDecimal(d.String() + "x"); err != nil || again != d || rest != "x" {
			t.Fatalf("%s is read as %s, %q, %v", d, again, rest, err)
		}
	}
}

func FuzzMoment(f *testing.F) {
	for _, text := range []string{"4h3m", "12.5%", "5min", "peak", "1s..2s", "#-1", "1.5 MiB", "0000", "12"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := ParseSize(text); err != nil && err.Error() == "" {
			t.Errorf("%q: no reason", text)
		}
		if p, err := ParsePlace(text); err == nil && !p.Given() {
			t.Errorf("%q is no place", text)
		}
		m, err := ParseMoment(text)
		if err != nil {
			return
		}
		for _, duration := range []Time{0, 1, 1e6, MaxTime} {
			for _, unit := range []string{"", "bytes"} {
				got, err := m.In(Axis{End: duration, Peak: duration / 3, Unit: unit})
				if got < 0 || m.kind == momentShare && got > duration || err != nil && m.kind != momentTime && m.kind != momentCount {
					t.Errorf("%q of %d %s is %d, %v", text, duration, unit, got, err)
				}
			}
		}
		if again, err := ParseMoment(m.String()); err != nil || again != m {
			t.Errorf("%q is %q, which is read as %q, %v", text, m, again, err)
		}
	})
}
