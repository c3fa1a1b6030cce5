package model

import "testing"

func TestSnapshotText(t *testing.T) {
	for want, at := range map[string][2]int{
		"snapshot #0 (the only one)":        {0, 1},
		"snapshot #0 (1st of 3)":            {0, 3},
		"snapshot #1 (2nd of 3)":            {1, 3},
		"snapshot #2 (last of 3)":           {2, 3},
		"snapshot #2 (3rd of 4)":            {2, 4},
		"snapshot #10 (11th of 30)":         {10, 30},
		"snapshot #20 (21st of 30)":         {20, 30},
		"snapshot #111 (112th of 1,200)":    {111, 1200},
		"snapshot #1000 (1,001st of 1,200)": {1000, 1200},
	} {
		if got := SnapshotText(at[0], at[1]); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
