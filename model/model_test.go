package model

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	tests := []struct{ got, want string }{
		{Bytes(0).String(), "0 B"}, {Bytes(1023).String(), "1023 B"}, {Bytes(1024).String(), "1.00 KiB"},
		{Bytes(439382).String(), "429 KiB"}, {Bytes(33280).String(), "32.5 KiB"}, {Bytes(1187022).String(), "1.13 MiB"},
		{Bytes(1<<20 - 1).String(), "1.00 MiB"}, {Bytes(math.MaxUint64).String(), "16.0 EiB"}, {Bytes(439382).Exact(), "439,382 B"},
		{Bytes(33280).Short(), "32.5K"}, {Bytes(960).Short(), "960"},
		{Time(0).String(), "0 µs"}, {Time(75989).String(), "76.0 ms"}, {Time(1_250_000).String(), "1.25 s"},
		{Time(999_999).String(), "1.00 s"}, {(14580 * Second).String(), "4 h 03 m"}, {(90 * Second).String(), "90.0 s"},
		{(100 * Second).String(), "1 m 40 s"}, {(50 * 3600 * Second).String(), "2 d 02 h"},
		{MaxTime.String(), "292,271 years"}, {Time(math.MinInt64).String(), "-292,271 years"}, {Group(7028), "7,028"}, {Group(12), "12"}, {ShortCount(12345), "12.3k"},
		{ShortCount(999_999), "1.00M"}, {ShortCount(math.MaxUint64), "18.4E"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
	if MaxTime.Duration() != time.Duration(math.MaxInt64) {
		t.Error("a long time does not saturate as a duration")
	}
	if sum, ok := (MaxTime - 1).Add(5); ok || sum != MaxTime {
		t.Errorf("sum %d, %v", sum, ok)
	}
}

func TestAddProblemCountsAndLeavesItsArgumentAlone(t *testing.T) {
	a := AddProblem(nil, Problem{Code: "x", Message: "m", Offset: 7})
	b := AddProblem(a, Problem{Code: "x", Message: "m", Offset: 9})
	if len(a) != 1 || a[0].Count != 1 || len(b) != 1 || b[0].Count != 2 || b[0].Offset != 7 {
		t.Errorf("a %+v, b %+v", a, b)
	}
	for i := range 3 * MaxProblemKinds {
		b = AddProblem(b, Problem{Code: Group(uint64(i)), Message: "m"})
	}
	if len(b) != MaxProblemKinds {
		t.Errorf("%d kinds", len(b))
	}
}

func TestStoreWakesWatchers(t *testing.T) {
	s := new(Store)
	p, changed := s.Watch()
	if p != nil {
		t.Fatal("a profile out of nothing")
	}
	s.Publish(&Profile{})
	<-changed
	if p = s.Current(); p.Revision != 1 {
		t.Errorf("revision %d", p.Revision)
	}
	s.Update(func(*Profile) *Profile { return nil })
	s.Publish(&Profile{})
	if p = s.Current(); p.Revision != 2 {
		t.Errorf("revision %d", p.Revision)
	}
}

// A limit comes first, however much else is wrong: it can be helped.
func TestTellingFirst(t *testing.T) {
	list := []Problem{{Code: "enum", Severity: Error}, {Code: "reference", Severity: Error}, {Code: CodeMemory, Severity: Warning}, {Code: "note"}, {Code: "too-large", Severity: Error}}
	var codes []string
	for _, p := range CutFirst(list) {
		codes = append(codes, p.Code)
	}
	if got := strings.Join(codes, " "); got != CodeMemory+" too-large enum reference note" || list[0].Code != "enum" {
		t.Error(got, list)
	}
}
