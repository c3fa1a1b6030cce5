package views

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
	reported "github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/areas"
)

func TestTreemapLooksRight(t *testing.T) {
	goldenSizes(t, "treemap", "@")
	openKvleak(t, 200, 50, colorCaps).keys("@").golden("treemap-200x50-dark")
}

func TestHeatMapLooksRight(t *testing.T) {
	goldenSizes(t, "heat", "$")
	openKvleak(t, 200, 50, colorCaps).keys("$", "m", "p").golden("heat-200x50-lifetimes")
}

// TestTreemapSaysWhatReportSays compares every area with the row of the command.
func TestTreemapSaysWhatReportSays(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "@")
	opt := report.Options{At: u.app.state.At, Range: analysis.FullRange, From: model.NoTime, To: model.NoTime} // and the default of both
	r, err := reported.OfTrace(t.Context(), u.app.state.Profile, u.app.Trace, reported.Limits{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]uint64{}
	for _, row := range r.Alone[0].(*reported.Treemap).Rows {
		values[strings.Join(row.Path, "\x00")] = row.Value.Uint64()
	}
	found := 0
	u.sim.Do(func() {
		for _, b := range screenOf[*areas.StackMap](u).Areas() {
			if b.Merged > 0 {
				continue
			}
			var path []string
			for _, step := range b.Steps {
				path = append(path, step.Name)
			}
			if want, ok := values[strings.Join(path, "\x00")]; !ok || want != b.Weight {
				t.Errorf("%v is %d, in the report %d", path, b.Weight, want)
			}
			found++
		}
	})
	if found < 4 {
		t.Errorf("%d areas", found)
	}
}

// TestTreemapZooms goes into a part and out again, to the site of a function, and back.
func TestTreemapZooms(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "@").has("All", "kvleak.cpp")
	before := u.Text()
	u.keys("Enter")
	if u.Text() == before {
		t.Errorf("Enter does not zoom:\n%s", before)
	}
	if u.keys("Esc").Text() != before {
		t.Errorf("Esc does not zoom out:\n%s", u.Text())
	}
	for n := 0; n < 5 && !strings.Contains(u.Text(), "Sites by stack"); n++ {
		u.keys("Enter")
	}
	u.has("Sites by stack")
	u.keys("Alt+Left").has("Treemap")
	u.keys("Y").has("--table treemap", "--by live_bytes", "--at peak")
}

// The command of a treemap prints what is below the part that fills the screen.
func TestTreemapPrintsWhatItZoomsTo(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("@", "Enter")
	words := strings.Join(u.app.command([]string{"FILE"}), " ")
	if !strings.Contains(words, "--table treemap --below /home/dev/") || !strings.HasSuffix(words, "/ht/src --by live_bytes FILE") {
		t.Errorf("zoomed to a module: %s", words)
	}
	if u.keys("0"); slices.Contains(u.app.command([]string{"FILE"}), "--below") {
		t.Error("of the complete treemap, too")
	}
	h := openJava(t, 120, 40).keys("@", "b")
	for range 3 {
		h.keys("Enter")
	}
	if words := strings.Join(h.app.command([]string{"FILE"}), " "); !strings.Contains(words, "--table dominator_treemap") || !strings.Contains(words, "--below ") {
		t.Errorf("zoomed to an object: %s", words)
	}
}

// TestTreemapFollowsTheSelection begins with the site that is selected elsewhere.
func TestTreemapFollowsTheSelection(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("3", "Down", "@").has("close_session")
	u.keys("J").has("Source")
}

// TestTreemapOfADifference weighs parts by the larger side, and says in signs what grew.
func TestTreemapOfADifference(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("H", "H", "A", "e", "@", "d")
	u.has("Treemap · difference", "- alloc_buffer", "of the larger side").keys("~").has("+ alloc_buffer")
	u.golden("ab-treemap-120x40-dark")
}

// The command of a difference prints the areas of both sides, below the part that fills the screen.
func TestTreemapOfADifferencePrintsBothSides(t *testing.T) {
	for name, c := range map[string]struct {
		of         *program
		keys, want string
		zoomed     string
	}{
		"a trace": {openKvleak(t, 120, 40, colorCaps), "H H A e @ d", "memtui diff --table treemap --a 61337us --group stack --by live_bytes FILE",
			"memtui diff --table treemap --below /home/dev/code/ht/src --a 61337us --group stack --by live_bytes FILE"},
		"types":      {onRecords(t), "A h @ d", "memtui diff --table treemap FILE#2 FILE#1", "memtui diff --table treemap --below VMString FILE#2 FILE#1"},
		"dominators": {onRecords(t), "A h @ d b", "memtui diff --table dominator_treemap FILE#2 FILE#1", "memtui diff --table dominator_treemap --below <mainline> (grow-shrink.nqp:1) FILE#2 FILE#1"},
		"pages":      {openDump(t, 120, 40, colorCaps), "2 A h @ d", "memtui diff --table treemap FILE#14 FILE#13", "memtui diff --table treemap --below Heap FILE#14 FILE#13"},
	} {
		u := c.of.keys(strings.Fields(c.keys)...).has("of the larger side")
		if got := strings.Join(u.app.command([]string{"FILE"}), " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		u.keys("Enter")
		if got := strings.Join(u.app.command([]string{"FILE"}), " "); got != c.zoomed {
			t.Errorf("%s, zoomed: %q, want %q", name, got, c.zoomed)
		}
	}
}

// TestHeatMapLeadsOn moves the instant, goes to the site, and restricts all screens to a lifetime.
func TestHeatMapLeadsOn(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("$", "c", "c", "c").has("Allocated bytes over time, by stack")
	u.keys("Left", "Left").has("at 7")
	u.keys("Down", "Enter").has("Sites by stack")
	u.keys("Alt+Left", "m").has("by lifetime", "never freed")
	u.keys("G", "Enter").has("only ").keys("Y").has("lifetime_heatmap", "--by alloc_bytes", "--cell")
}

// TestHeatMapFollowsTheRange divides a chosen range at once, and the complete run without it.
func TestHeatMapFollowsTheRange(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("$")
	whole := u.Text()
	u.keys("H", "v", "H", "v").has("range")
	chosen := u.app.state.Range
	if chosen.IsFull() || strings.Contains(u.Text(), "└0") {
		t.Errorf("%v:\n%s", chosen, u.Text())
	}
	ask := strings.Join(u.app.command([]string{"FILE"}), " ")
	for _, flag := range []string{"--from " + model.Axis{}.Moment(chosen.From).String(), "--to " + model.Axis{}.Moment(chosen.To).String()} {
		if !strings.Contains(ask, flag) {
			t.Errorf("%s is not in %s", flag, ask)
		}
	}
	if u.keys("u", "e").Text() != whole {
		t.Errorf("without a range:\n%s", u.Text())
	}
}

// TestTreemapsOfOtherFiles draws types and dominators of heap snapshots, page types and stack profiles.
func TestTreemapsOfOtherFiles(t *testing.T) {
	u := onRecords(t).keys("@").has("Bytes of objects by type", "NQPArray")
	u.keys("b").has("Retained bytes by dominator").keys("Enter").has("All › ")
	u.keys("Esc").keys("O").has("Object")
	u.keys("Alt+Left", "b", "d").has("Treemap · difference", "Bytes of objects by type")
	u.keys("b").has("Treemap · difference", "Retained bytes by dominator", "of the larger side", "itself").keys("Enter").has("All › ")
}

// TestHostileNamesStayInTheirAreas draws names with control characters and of any length.
func TestHostileNamesStayInTheirAreas(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "small_kvleak.mlyze"))
	if err != nil {
		t.Fatal(err)
	}
	data = []byte(strings.ReplaceAll(string(data), "close_session", "close\x1b[2Jion\x07"))
	store, ix := loadBytes(t, "hostile.mlyze", data)
	for _, keys := range []string{"@", "$"} {
		u := openUI(t, 80, 24, colorCaps, store, ix).keys(keys)
		if text := u.Text(); strings.ContainsAny(text, "\x1b\x07") || strings.Contains(text, "[2J") && !strings.Contains(text, "␛[2J") {
			t.Errorf("a name reaches the terminal as it is:\n%q", text)
		}
	}
}
