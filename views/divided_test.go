package views

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui/livechart"
)

// The chart is of what filters leave, and its peak is theirs.
func TestChartFollowsFilters(t *testing.T) {
	for _, screen := range []string{"1", "2"} {
		u := openKvleak(t, 120, 40, colorCaps).keys("3", "o", screen)
		name := u.app.state.Filters.Steps()[0].Name
		all, err := u.app.Env.Trace.LiveOf(t.Context(), analysis.LiveQuery{Range: analysis.FullRange, Columns: 1, Cell: u.app.state.Only()})
		if err != nil {
			t.Fatal(err)
		}
		u.has("Live bytes of "+name, "peak "+model.Bytes(all.Peak.Bytes).String()+" at ")
		whole, _, _ := u.app.Env.Trace.Peak(t.Context(), analysis.FullRange)
		if all.Peak.Bytes == whole.Bytes {
			t.Error("the filter leaves the peak as it is: choose another one")
		}
		if small := livechart.TooSmall(all.Peak.Bytes, whole.Bytes); small != strings.Contains(u.Text(), "own scale") {
			t.Errorf("%v of %v: the title does not tell which scale the chart has", all.Peak.Bytes, whole.Bytes)
		}
		u.keys("m").has("Live blocks of " + name)
	}
}

// A part that is not small is drawn before all of it, which the title says.
func TestChartOfALargePartShowsAllBehindIt(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("2", ":")
	typeText(u, "focus alloc_buffer")
	u.keys("Enter").has("Live bytes of alloc_buffer, all in the background", "1.00M┤")
	lacks(t, u, "own scale")
	if livechart.TooSmall(50, 100) || !livechart.TooSmall(34, 100) {
		t.Error("a part of a third does not fill an axis of all, one of half does")
	}
}

// A part that would be a line at the bottom has a scale of its own, and says so.
func TestChartOfASmallPartHasItsOwnScale(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("2")
	lacks(t, u, "own scale")
	u.keys(":")
	typeText(u, "focus close_session")
	u.keys("Enter").has("Live bytes of close_session · own scale")
	lacks(t, u, "1.00M┤")
}

// One key divides the chart by its top sites, shows the selected group alone, and brings all of it back.
func TestChartIsDivided(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		u := openKvleak(t, size[0], size[1], colorCaps).keys("2", "V").has("Live bytes by owner", "others")
		named := strings.Contains(u.Text(), " a alloc")
		if !named {
			t.Errorf("%d cells: no names in the legend", size[0])
		}
		if u.app.state.ChartOf != state.ChartTop {
			t.Errorf("the chart is of %v", u.app.state.ChartOf)
		}
		u.keys("j", "V")
		if !u.app.state.Selected.Set {
			t.Fatal("nothing is selected")
		}
		u.has("at most ")
		u.keys("V").has("Live bytes ─")
	}
}

// The copied command divides the curve as the chart on screen is; of the selected group alone there is none, which is
// said.
func TestCommandOfADividedChart(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("2", "V")
	if got := strings.Join(u.app.commandWords(), " "); got != "--table curve --group owner --stacked 6" {
		t.Errorf("the command is %q", got)
	}
	u.keys("j", "V", "Y").has("no command prints this", "shows only what is selected")
	u.keys("V")
	if got := strings.Join(u.app.commandWords(), " "); got != "--table curve" {
		t.Errorf("the command of the whole chart is %q", got)
	}
}

// What leaks stands before larger rows that do not, and the header says so.
func TestLeaksBeginWithLeaks(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("4").has("VERDICT▼")
	text := u.Text()
	if leak, big := strings.Index(text, "32.5K"), strings.Index(text, "391K"); leak < 0 || big < leak {
		t.Errorf("the order is\n%s", text)
	}
}

// A chart of the selected site shows what a filter leaves once the filter leaves nothing of that site.
func TestChartOfASelectionOutsideTheFilter(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3", "Down", "Down", "Enter", "Esc")
	u.keys(":").keys(strings.Split("focus close_session", "")...).keys("Enter", "2", "V", "V")
	if u.state().ChartOf != state.ChartSelected {
		t.Fatal("the chart is not that of the selected group")
	}
	u.has("Live bytes of close_session", "peak 32.6 KiB")
	lacks(t, u, "of main")
}
