package views

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/stacks"
)

// filteredLive is what is live at the end of the stacks that a filter leaves.
func filteredLive(t *testing.T, u *program, f calltree.Filter) (bytes uint64) {
	t.Helper()
	w, err := u.app.Trace.Weights(t.Context(), analysis.CostLive, analysis.Query{At: analysis.End, Range: analysis.FullRange, Cell: analysis.Cell{Stacks: f}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range w {
		bytes += v
	}
	return bytes
}

// Filters of a trace hold on every screen that shows stacks, and the others say that they do not.
func TestTraceFilters(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3", "=", "X")
	f := u.app.state.Filters
	name := f.Steps()[0].Name
	sum := model.Group(filteredLive(t, u, f))
	u.has("Filters", "without "+name, "live "+sum)
	if strings.Contains(u.Text(), "all stacks") {
		t.Error("the table of sites is about all stacks")
	}
	u.keys("5").has("without "+name, sum+" B = 100 %")
	u.keys("4").has("without "+name, sum)
	u.keys("1").has("without "+name, "figures: all stacks")
	u.keys("7").has("without "+name, "filters not applied")
	u.keys("3", "Y")
	if got, want := u.sim.Clipboard(), "memtui report --ignore="+name+" --table sites --by live_bytes small_kvleak.mlyze"; got != want {
		t.Errorf("copied %q, not %q", got, want)
	}
}

// Any filter can be taken back alone, by key or mouse, and comes back again.
func TestFiltersAreUndoneOneByOne(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("5", "j", "j", "X", "k", "o")
	steps := u.app.state.Filters.Steps()
	if len(steps) != 2 {
		t.Fatalf("%d filters: %q", len(steps), u.app.state.Filters)
	}
	first, second := "without "+steps[0].Name, "only "
	u.has(second, "without ")
	u.keys(";").has("Enter removes the selected filter").keys("Enter", "Esc")
	if got := u.app.state.Filters; got != calltree.NewFilter(steps[1]) {
		t.Errorf("without the first there is %q", got)
	}
	u.keys("U").has(first[:12], second)
	hit := u.app.restrictionHits[1]
	u.sim.Do(func() {
		u.app.mouse(tview.MouseLeftClick, tcell.NewEventMouse(hit.from+1, 1+u.app.screenRows(), tcell.Button1, tcell.ModNone))
	})
	if got := u.app.state.Filters; got != calltree.NewFilter(steps[0]) {
		t.Errorf("without the second there is %q", got)
	}
	if got := u.keys("U", "U").app.state.Filters; got != calltree.NewFilter(steps[0]) {
		t.Errorf("two steps back there is %q", got)
	}
	u.keys("U", "U").has("nothing to undo").keys("Ctrl+Y").has("without ")
}

// About a pivot stand callers and callees, and both weigh the same.
func TestPivot(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("5", "c", "c", "c", "j", "#")
	name := u.app.state.Filters.Pivot()
	p := u.app.current().(*stacks.Stacks)
	if name == "" || p.Upper == nil || p.Upper.Now == nil {
		t.Fatalf("no pivot:\n%s", u.Text())
	}
	if p.Now.Total[0] != p.Upper.Now.Total[0] || p.Now.Total[0] == 0 {
		t.Errorf("callees weigh %d, callers %d", p.Now.Total[0], p.Upper.Now.Total[0])
	}
	u.has("around ", "callers of", "Tab changes sides")
	top := func(q *stacks.Stacks) string {
		id, _ := q.Now.OnlyChild(0)
		return q.Now.Name(id)
	}
	if top(p) != name || top(p.Upper) != name {
		t.Errorf("about %q stand %q and %q", name, top(p), top(p.Upper))
	}
	u.keys("f").has("callers of").keys("Tab", "Tab", "Up", "Up")
	if at := p.Upper.Selected(); p.Upper.Now.Parent(at) <= 0 {
		t.Error("up does not lead to callers in the rising graph")
	}
	u.keys("g", "#")
	if u.app.state.Filters != "" {
		t.Errorf("the pivot is still there: %q", u.app.state.Filters)
	}
}

// Filters can be typed, as expressions too.
func TestFilterCommands(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3", ":").keys(strings.Split("f,o,c,u,s,Space,/,w,o,r,k,e,r,/,Enter", ",")...)
	if got := u.app.state.Filters; got != "focus /worker/" {
		t.Fatalf("the filter is %q:\n%s", got, u.Text())
	}
	u.has("only /worker/").keys(":").keys(strings.Split("h,i,d,e,Space,/,(,/,Enter", ",")...).has("invalid regular expression")
}

// Differences are of what filters leave, and say where they are not.
func TestDifferencesAreFiltered(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3", "X", "d")
	var got *compare.Set
	u.sim.Do(func() { got = u.app.current().(*compare.Screen).Set })
	if want := filteredLive(t, u, u.app.state.Filters); got == nil || got.Totals.AfterBytes != want || want == 0 {
		t.Errorf("%d bytes live after, not %d:\n%s", got.Totals.AfterBytes, want, u.Text())
	}
	if strings.Contains(u.Text(), "stacks here") {
		t.Error("the difference is said not to follow")
	}
	if got := u.app.commandLine(); !strings.Contains(got, " --ignore=") && !strings.Contains(got, "'--ignore=") {
		t.Errorf("the command leaves the filter out: %s", got)
	}
	p := openServer(t, 120, 40).keys("2", "I", "d")
	var set *compare.Set
	p.sim.Do(func() { set = p.app.current().(*compare.Screen).Set })
	if set == nil || set.Totals.AfterBytes == 0 {
		t.Errorf("nothing is left of the profile:\n%s", p.Text())
	}
	p.keys("3").has("hiding ")
}

// A filter that is typed takes names as tables show them; one that matches nothing is refused, with what is near. Names
// are completed, and what was typed stays.
func TestTypedFilters(t *testing.T) {
	u := openKvleak(t, 100, 24, colorCaps)
	typed := func(text string) {
		u.keys("3", ":")
		for _, r := range text {
			if r == ' ' {
				u.keys("Space")
			} else {
				u.keys(string(r))
			}
		}
	}
	typed("focus alloc_bufer")
	u.keys("Enter").has("nothing in this file matches alloc_bufer; near: alloc_buffer")
	if u.app.state.Filters != "" {
		t.Errorf("it filters by %q", u.app.state.Filters)
	}
	typed("focus alloc_bu")
	u.keys("Tab").has(":focus alloc_buffer")
	u.keys("Enter").has("only alloc_buffer")
	if steps := u.app.state.Filters.Steps(); len(steps) != 1 || steps[0].Name != "alloc_buffer" {
		t.Errorf("the steps are %v", steps)
	}
	typed("hide zzz_nothing")
	u.keys("Tab").has(":hide zzz_nothing")
}

// Rows that stand for files and modules are filtered by these.
func TestFiltersByModule(t *testing.T) {
	u := openKvleak(t, 100, 24, colorCaps)
	u.keys("3", "b", "b", "b", "b").has("by module")
	all := filteredLive(t, u, "")
	u.keys("Down", "Down", "X").has("without module:")
	if left := filteredLive(t, u, u.app.state.Filters); left == 0 || left >= all {
		t.Errorf("%d of %d bytes are left", left, all)
	}
}
