package model

import "testing"

func TestStepTimesTellStepsApart(t *testing.T) {
	for _, tt := range []struct {
		t, step int64
		want    string
	}{
		{0, 20_000, "0"}, {20_000, 20_000, "20 ms"}, {61_034, 2, "61.034 ms"}, {61_030, 10, "61.03 ms"}, {500, 100, "500 µs"},
		{1_500_000, 500_000, "1.5 s"}, {2_000_000, 1_000_000, "2 s"}, {12_345_678, 1, "12.345678 s"},
		{65_000_000, 5_000_000, "1:05"}, {65_250_000, 50_000, "1:05.25"}, {3_843_000_000, 1_000_000, "1:04:03"},
		{864_000_000_000, 86_400_000_000, "10 d"}, {7_200_000_000, 1_800_000_000, "2:00 h"}, {1_000_000, 500, "1.0000 s"},
	} {
		if got := StepTime(tt.t, tt.step); got != tt.want {
			t.Errorf("StepTime(%d, %d) = %q, want %q", tt.t, tt.step, got, tt.want)
		}
	}
}

func TestEndsTellHowFarTheyAreApart(t *testing.T) {
	for _, tt := range []struct {
		from, to    Time
		unit        string
		first, last string
	}{
		{300_000, 450_000, "", "300 ms", "450 ms"},
		{300_120, 300_450, "", "300.12 ms", "300.45 ms"},
		{300_120, 300_121, "", "300.120 ms", "300.121 ms"},
		{300_000, 305_000, "", "300 ms", "305 ms"},
		{300_400, 301_600, "", "300.4 ms", "301.6 ms"},
		{10, 12, "", "10 µs", "12 µs"},
		{14_580_000_000, 14_610_000_000, "", "4:03:00", "4:03:30"},
		{12_345_678, 12_345_679, "", "12.345678 s", "12.345679 s"},
		{5, 5, "", "5 µs", "5 µs"},
		{-1, 76_000, "", "-1 µs", "76.0 ms"},
		{2_000_000, 3_000_000, "instructions", "2.00M instructions", "3.00M instructions"},
		{2_000_123, 2_000_456, "instructions", "2,000,123 instructions", "2,000,456 instructions"},
		{9_001, 9_002, "bytes", "9,001 bytes", "9,002 bytes"},
	} {
		if first, last := Ends(tt.from, tt.to, tt.unit); first != tt.first || last != tt.last {
			t.Errorf("Ends(%d, %d, %q) = %q, %q, want %q, %q", tt.from, tt.to, tt.unit, first, last, tt.first, tt.last)
		}
	}
}
