package views

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// Where there is room, the curve of the selected finding stands beside it, and follows the selection.
func TestFindingsShowTheirCurve(t *testing.T) {
	u := openKvleak(t, 200, 50, colorCaps)
	u.has("Live bytes of close_session, 2 sites", "at most 32.6 KiB, all 1.13 MiB")
	u.keys("Down").has("Live bytes of open_session, 2 sites")
	u.keys("Down").has("Live bytes of alloc_buffer", "at most 977 KiB, all 1.13 MiB")
	lacks(t, openKvleak(t, 120, 40, colorCaps), "Live bytes of close_session")
}

// A finding leads to what shows it, on every screen: the sentence, the live curve beside that of all blocks, the ages of
// what is left against the lifetimes of the rest, and the first blocks, which the next step lists.
func TestFindingLeadsToItsEvidence(t *testing.T) {
	for _, size := range modeltest.Few([][2]int{{80, 24}, {120, 40}, {200, 50}}) {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			u := openKvleak(t, size[0], size[1], colorCaps).keys("Enter")
			u.has("VERDICT▼", "leak (84 % certain", "Live bytes", "Ages and lifetimes", "never freed", "First blocks", "of 13", "at 58 µs  512 B")
			u.golden(fmt.Sprintf("finding-%dx%d", size[0], size[1]))
			u.keys("Enter").has("oldest first", "58 µs")
		})
	}
}

// A finding about several sites of an owner leads to all of them, and to no other owner's.
func TestFindingOpensItsOwner(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("Down", "Enter")
	if u.onScreen() != keymap.ShowLeaks || u.state().Filter != "/^owner:open_session$/" {
		t.Fatalf("it opens %s filtered by %q", u.onScreen(), u.state().Filter)
	}
	u.has("never freed 2 of 6 · 1.02 KiB", "open_session › _M_")
	if u.keys("Esc"); u.onScreen() != keymap.ShowOverview || u.state().Filter != "" {
		t.Errorf("going back leads to %s, filtered by %q", u.onScreen(), u.state().Filter)
	}
	u.keys("4").has("close_session")
}

// What was opened from a finding is left in one step, to the screen and the instant where it was opened.
func TestGoingBackReturnsToTheFindingAndItsInstant(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("p")
	peak := u.state().At
	for _, way := range []struct {
		keys []string
		to   keymap.Action
	}{{[]string{"Enter"}, keymap.ShowLeaks}, {[]string{"3"}, keymap.ShowSites}, {[]string{"4", "h", "Esc"}, keymap.ShowLeaks}} {
		if u.keys(way.keys...); u.onScreen() != way.to || u.state().At != peak {
			t.Fatalf("%q leads to %s at %v", way.keys, u.onScreen(), u.state().At)
		}
		if u.keys("Esc"); u.onScreen() != keymap.ShowOverview || u.state().At != peak {
			t.Errorf("after %q, Esc leads to %s at %v", way.keys, u.onScreen(), u.state().At)
		}
	}
	if s := u.keys("Esc").state(); !s.AtEnd() || u.onScreen() != keymap.ShowOverview {
		t.Error("then Esc does not return to the end of the run")
	}
}

// A filter of rows belongs to the screen on which it was typed, and is still there when one comes back.
func TestRowsAreFilteredOnOneScreen(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("3", "/").keys(strings.Split("worker_batch", "")...).keys("Enter")
	if u.keys("4"); u.state().Filter != "" {
		t.Errorf("the filter %q follows to another screen", u.state().Filter)
	}
	u.keys("/").keys(strings.Split("nowhere", "")...).keys("Enter").has("No matches", "Esc clears the filter")
	if u.keys("3"); u.state().Filter != "worker_batch" {
		t.Errorf("back on the screen, the filter is %q", u.state().Filter)
	}
	if u.keys("Esc"); u.onScreen() != keymap.ShowSites || u.state().Filter != "" {
		t.Errorf("Esc leads to %s, filtered by %q", u.onScreen(), u.state().Filter)
	}
}

// Rows are named after their owners, as in reports: what the config calls a library owns nothing.
func TestSitesAreNamedByOwners(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	rows, err := u.app.o.Trace.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByStack})
	if err != nil {
		t.Fatal(err)
	}
	names := func(libraries *regexp.Regexp) map[string]bool {
		out := map[string]bool{}
		labels, stacks := ui.NewSiteLabels(libraries), u.state().Profile.Stacks
		for i := range rows {
			out[labels.Label(stacks, analysis.ByStack, &rows[i], false).Name] = true
			if name := labels.FilterName(stacks, analysis.ByStack, &rows[i]); libraries != nil && name == "close_session" {
				t.Errorf("%s is filtered as %s", rows[i].Name, name)
			}
		}
		return out
	}
	if got := names(nil); !got["close_session"] || !got["main › allocate_dtv"] || !got["open_session › _M_mutate"] {
		t.Errorf("got %v", got)
	}
	if got := names(regexp.MustCompile("^close_session")); !got["worker_reader › close_session"] || got["close_session"] {
		t.Errorf("with a library of one's own %v", got)
	}
}

// Screens have as many findings as reports.
func TestFindingsAreThoseOfReports(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 80, 24, colorCaps, store, ix)
	r, err := report.Build(t.Context(), u.state().Profile, ix, report.Options{Limit: analysis.UsualFindings, At: analysis.End, Range: analysis.FullRange})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Trace.Findings) == 0 {
		t.Fatal("the report has no findings")
	}
	u.has("Look here first ", model.Counted(len(r.Trace.Findings), "finding"))
}
