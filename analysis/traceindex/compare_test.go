package traceindex

import (
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
)

func TestCompareCurves(t *testing.T) {
	events := func(n int) (out []model.Event) {
		for i := range n {
			out = append(out, model.Event{Kind: model.Alloc, Time: model.Time(i * 10), Addr: uint64(i + 1), Size: 100})
		}
		return out
	}
	traces := [2]analysis.Trace{buildIndex(t, events(11), nil), buildIndex(t, events(21), nil)} // until 100 and 200
	spans := [2]diff.TimeSpan{{From: 0, To: 100}, {From: 0, To: 200}}
	for align, want := range map[diff.Align][2][]uint64{
		diff.AlignStart:  {{300, 500, 700, 900, 1100, 0, 0, 0, 0, 0}, {300, 500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2100}},
		diff.AlignMarker: {{0, 0, 0, 0, 0, 300, 500, 700, 900, 1100}, {300, 500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2100}},
		diff.AlignShare:  {{200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100}, {300, 500, 700, 900, 1100, 1300, 1500, 1700, 1900, 2100}},
	} {
		m := diff.NewTimeMap(align, spans[0], spans[1], 0, 100)
		cols, err := diff.Curves(t.Context(), traces, m, m.Axis(), 10)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range cols {
			for side := range want {
				if got := c.Sides[side].LastBytes; got != want[side][i] || c.Known[side] != (want[side][i] > 0) {
					t.Errorf("%s, column %d, side %d: %d, want %d", align, i, side, got, want[side][i])
				}
			}
		}
	}
}
