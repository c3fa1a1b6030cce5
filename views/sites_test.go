package views

import (
	"context"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/trace"
	"github.com/memtui/memtui/views/ui"
)

func TestSitesGolden(t *testing.T) { goldenSizes(t, "sites", "3", "j") }

func TestBlocksGolden(t *testing.T) { goldenSizes(t, "blocks", "3", "j", "Enter", "j") }

// What the table shows is what the report of the same instant says.
func TestSitesShowTheAnswersOfAnalysis(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 200, 50, colorCaps, store, ix).keys("3", "p", "=")
	var at analysis.Instant
	u.sim.Do(func() { at = u.app.state.At })
	rows, err := ix.Sites(context.Background(), analysis.Query{At: at, Range: analysis.FullRange})
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		u.has(model.Bytes(rows[i].LiveBytes).Exact(), model.Bytes(rows[i].PeakBytes).Exact(), model.Bytes(rows[i].AllocBytes).Exact())
	}
}

// The selected site stays selected whatever happens to the order of rows.
func TestSelectedSiteStays(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3", "j")
	selected := func() string {
		var name string
		u.sim.Do(func() {
			if row, ok := siteScreen(u).Selected(); ok {
				name = row.Name
			}
		})
		return name
	}
	want := selected()
	if !strings.Contains(want, "close_session") {
		t.Fatalf("selected %q", want)
	}
	for _, keys := range [][]string{{"p"}, {"h", "h"}, {"s"}, {"s"}, {"S"}, {"/", "c", "l", "o", "Enter"}, {"Esc"}, {"e"}, {"4"}, {"3"}} {
		if got := func() string { u.keys(keys...); return selected() }(); got != want {
			t.Fatalf("after %v %q is selected", keys, got)
		}
	}
}

func siteScreen(u *program) *trace.Sites { return screenOf[*trace.Sites](u) }

func TestSitesFilter(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("3", "/")
	for _, k := range "live>1K" {
		u.keys(string(k))
	}
	u.has("3 of 21 sites", "live 427 KiB of 429 KiB")
	u.keys("Enter", "/", "Ctrl+U")
	for _, k := range "nowhere" {
		u.keys(string(k))
	}
	u.has("No matches for “nowhere”", "Esc clears the filter")
	u.keys("Enter", "Esc")
	u.has("21 sites · live 429 KiB")
}

func TestSitesByEveryGroup(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3")
	for _, want := range []string{"OWNER", "FUNCTION", "FILE", "MODULE", "THREAD", "SIZE"} {
		u.keys("b").has(" " + want + "\n")
	}
}

func TestSitesSort(t *testing.T) {
	modeltest.Plain(t)
	u := openKvleak(t, 120, 40, colorCaps).keys("3")
	for range 24 { // through all columns and around, both ways
		u.keys("s", "S", "S")
		var sorted, shown string
		u.sim.Do(func() {
			p := siteScreen(u)
			sorted, shown = p.Sorted().Title, p.List.Columns[p.List.SortColumn].Title
		})
		if sorted != shown {
			t.Fatalf("sorted by %s, marked %s", sorted, shown)
		}
	}
	u.keys("<", "<", "<", ">", "b", "<", ">")
}

func TestBlocksOfASite(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("3", "j", "Enter")
	u.has("Blocks of close_session", "13 blocks live at the end", "largest first", "4.50 KiB")
	for _, press := range []struct{ key, order string }{{"s", "oldest"}, {"s", "newest"}, {"S", "oldest"}} {
		u.keys(press.key).has(press.order + " first")
	}
	u.keys("p").has("at 61.0 ms") // follows the instant
	u.keys("Esc")
	u.has("Sites by stack")
}

func TestDetailHasTheWholeStack(t *testing.T) {
	u := openKvleak(t, 80, 31, colorCaps).keys("3", "j")
	u.has("… 5 frames of std::")
	u.keys("Tab", "z").has("clone3")
	u.keys("w").has("std::thread::_Invoker<std::tuple<")
	u.keys("Esc").has("SITE")
}

func TestSitesMouse(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("3")
	u.sim.Click(20, 4+u.app.screenRows())
	u.sim.Settle()
	if row, _ := siteScreen(u).Selected(); row == nil || !strings.Contains(row.Name, "close_session") {
		t.Errorf("a click selected %+v", row)
	}
	u.sim.Click(13, 2+u.app.screenRows())
	u.sim.Settle()
	if p := siteScreen(u); p.Sorted().Title != titles.Peak {
		t.Errorf("a click on a title sorts by %s", p.Sorted().Title)
	}
}

// Owners hold what their stacks do, as the report says, and are filtered by as functions.
func TestSitesByOwner(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3")
	u.keys(":", "g", "r", "o", "u", "p", "Space", "o", "w", "n", "e", "r", "Enter").has("OWNER")
	rows, err := u.app.o.Trace.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByOwner})
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d owners, %v", len(rows), err)
	}
	for i := range rows {
		if strings.HasPrefix(rows[i].Name, "std::") {
			t.Errorf("%s owns memory", rows[i].Name)
		}
		if name := ui.NewSiteLabels(nil).FilterName(nil, analysis.ByOwner, &rows[i]); name != rows[i].Name {
			t.Errorf("%s is filtered as %q", rows[i].Name, name)
		}
	}
	all := filteredLive(t, u, "")
	u.keys("X").has("without ")
	if left := filteredLive(t, u, u.app.state.Filters); left >= all {
		t.Errorf("%d of %d bytes are left", left, all)
	}
}
