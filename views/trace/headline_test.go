package trace

import (
	"slices"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/views/widget"
)

// Where there is no room for numbers of blocks, the other figures are still shown.
func TestFiguresWithoutNumbersOfBlocks(t *testing.T) {
	cols := [][2]item{
		{{"live now", "4.37 MiB", " in 28,874 blocks"}, {"unfreed", "nothing", ""}},
		{{"growth", "+421K/s", ""}, {"sites", "41", ""}},
		{{"allocated", "73.9 MiB", " in 603,140"}, {"freed", "69.5 MiB", " in 574,266"}},
	}
	for w, want := range map[int]string{
		90: "live now 4.37 MiB in 28,874 blocks   growth +421K/s   allocated 73.9 MiB in 603,140",
		80: "live now 4.37 MiB in 28,874 blocks   growth +421K/s   allocated 73.9 MiB",
		60: "live now 4.37 MiB in 28,874 blocks   growth +421K/s",
	} {
		sim := tcell.NewSimulationScreen("UTF-8")
		if err := sim.Init(); err != nil {
			t.Fatal(err)
		}
		sim.SetSize(w, 2)
		drawItems(sim, widget.Rect{W: w, H: 2}, slices.Clone(cols), &widget.Look{})
		var got strings.Builder
		for x := range w {
			s, _, _ := sim.Get(x, 0)
			got.WriteString(s)
		}
		if strings.TrimSpace(got.String()) != want {
			t.Errorf("%d cells: %q, want %q", w, got.String(), want)
		}
		sim.Fini()
	}
}
