package views

import "testing"

func TestAxisTimesTellStepsApart(t *testing.T) {
	for _, tt := range []struct {
		t, step int64
		want    string
	}{
		{0, 20_000, "0"}, {20_000, 20_000, "20 ms"}, {61_034, 2, "61.034 ms"}, {61_030, 10, "61.03 ms"}, {500, 100, "500 µs"},
		{1_500_000, 500_000, "1.5 s"}, {2_000_000, 1_000_000, "2 s"}, {12_345_678, 1, "12.345678 s"},
		{65_000_000, 5_000_000, "1:05"}, {65_250_000, 50_000, "1:05.25"}, {3_843_000_000, 1_000_000, "1:04:03"},
		{864_000_000_000, 86_400_000_000, "10 d"}, {7_200_000_000, 1_800_000_000, "2:00 h"}, {1_000_000, 500, "1.0000 s"},
	} {
		if got := axisTime(tt.t, tt.step); got != tt.want {
			t.Errorf("axisTime(%d, %d) = %q, want %q", tt.t, tt.step, got, tt.want)
		}
	}
}
