package views

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/trace"
)

func TestTimelineGolden(t *testing.T) { goldenSizes(t, "timeline", "2", "p") }

func TestTimelineWideGolden(t *testing.T) {
	openKvleak(t, 200, 50, colorCaps).keys("2", "H", "v", "H", "H", "v", "+").golden("timeline-200x50-dark")
}

// What the screen says at every instant is what the trace answers there.
func TestReadoutFollowsTheInstant(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 120, 40, colorCaps, store, ix).keys("2")
	for range 12 {
		before := u.state()
		u.keys("h", "h", "H")
		s := u.state()
		if s.Now() >= before.Now() {
			t.Fatalf("h goes from %v to %v", before.Now(), s.Now())
		}
		level, err := ix.Live(t.Context(), s.At)
		if err != nil {
			t.Fatal(err)
		}
		u.has(fmt.Sprintf("live %v in %s", model.Bytes(level.Bytes), model.Blocks(level.Count)), "at "+model.StepTime(int64(s.Now()), 1))
		if s.Now() == 0 {
			break
		}
	}
}

func TestStepsAreColumns(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("2", "h")
	if s := u.state(); s.Columns != 80-6 || s.Status.Duration-s.Now() != s.StepWidth() {
		t.Errorf("%d columns; one step goes to %v", s.Columns, s.Now())
	}
}

// TestStepFiguresAreExact compares what stands below the chart about the column under the instant with the sums of that
// column's time.
func TestStepFiguresAreExact(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 160, 40, colorCaps, store, ix).keys("2", "p")
	for range 12 {
		u.keys("h")
		s := u.state()
		from, to := s.Visible()
		over := trace.EvenColumn(from, to, s.Columns, s.Now())
		if s.Now() <= over.From || s.Now() > over.To || over.To-max(over.From, 0) > s.StepWidth()+1 {
			t.Fatalf("the column of %v is %v", s.Now(), over)
		}
		totals, err := ix.Totals(t.Context(), over)
		if err != nil {
			t.Fatal(err)
		}
		rate := analysis.Rate(totals.AllocBytes, over.To-max(over.From, 0))
		u.has("events in this column "+model.Group(totals.Events), fmt.Sprintf("allocating %v/s in this column of %v", model.Bytes(uint64(rate)), over.To-max(over.From, 0)))
	}
}

// TestShapesInARange asks that the sites of a range say which of their columns are about the whole run.
func TestShapesInARange(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("2", "H", "v", "H", "H", "v", "3")
	u.has("trend, verdict: whole run", "over the whole run")
	if u.keys("u"); strings.Contains(u.Text(), "whole run") {
		t.Error("without a range the table still speaks of the whole run")
	}
}

func TestEvenColumns(t *testing.T) {
	for _, c := range []struct {
		from, to model.Time
		n        int
	}{{0, 10, 3}, {7, 8, 1}, {5, 1 << 61, 74}, {0, 74, 74}} {
		last := c.from
		for at := c.from; last < c.to; at = last + 1 {
			r := trace.EvenColumn(c.from, c.to, c.n, at)
			if max(r.From, 0) != last || r.To <= last || at > r.To {
				t.Fatalf("%d in %v: %v after %v", at, c, r, last)
			}
			last = r.To
		}
	}
}

func TestRangeFigures(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 160, 40, colorCaps, store, ix).keys("2", "H", "v", "H", "H", "v")
	s := u.state()
	totals, err := ix.Totals(t.Context(), s.Range)
	if err != nil || s.Range.IsFull() {
		t.Fatal(s.Range, err)
	}
	from, _ := ix.Live(t.Context(), analysis.At(s.Range.From))
	to, _ := ix.Live(t.Context(), analysis.At(s.Range.To))
	peak, _, _ := ix.Peak(t.Context(), s.Range)
	u.has(
		fmt.Sprintf("allocated %v in %s", model.Bytes(totals.AllocBytes), model.Group(totals.AllocCount)),
		fmt.Sprintf("freed %v in %s", model.Bytes(totals.FreedBytes), model.Group(totals.FreedCount)),
		fmt.Sprintf("start %v", model.Bytes(from.Bytes)), fmt.Sprintf("end %v", model.Bytes(to.Bytes)),
		fmt.Sprintf("high %v at %v", model.Bytes(peak.Bytes), peak.Time))
	u.keys("u").has("Top allocators")
	if s := u.state(); !s.Range.IsFull() {
		t.Error("u does not forget the range")
	}
}

func TestZoomToSingleMicroseconds(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("2", "p")
	for range 12 {
		u.keys("+")
	}
	from, to := ptr(u.state()).Visible()
	if to-from > 80 || to-from < 10 {
		t.Errorf("zoomed to %v – %v", from, to)
	}
	u.has("60.98")
	u.keys("0")
	if s := u.state(); !s.View.IsFull() {
		t.Error("0 does not show everything")
	}
}

func ptr[T any](v T) *T { return &v }

func TestSeriesInTurn(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("2", "m")
	u.has("Live blocks", "at most 501 blocks")
	u.keys("m").has("Allocation rate", "/s")
	u.keys("m").has("Live bytes", "peak 1.13 MiB at 61.0 ms")
}

func TestTimelinePanes(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("2", "Down", "Tab")
	u.has("worker_reader(int)", "close_session ─")
	u.keys("z").has("clone3")
	u.keys("Tab").has("Live bytes ─")
	u.keys("z").has("Top allocators")
	openKvleak(t, 120, 40, colorCaps).keys("2").has("__libc_start_main_impl", "Top allocators")
}

func TestMarksAndCollections(t *testing.T) {
	meta := []byte(`{"files":{"0":"warm-up"},"functions":{"0":"warm-up"}}`)
	events := []memtest.TraceEvent{{Delta: 10, Addr: 16, Size: 4096}, {Kind: 3, Delta: 1000}, {Kind: 2, Delta: 3000, ID: 5, Size: 9}}
	store, ix := loadBytes(t, "marks.mlyze", memtest.TraceOf(meta, append(events, memtest.TraceEvent{Delta: 5000, Addr: 32, Size: 1})))
	u := openUI(t, 80, 24, colorCaps, store, ix).keys("2")
	u.has("◆ ", "╵")
	u.keys("{")
	if s := u.state(); s.Now() != 4010 {
		t.Errorf("the collection is at %v", s.Now())
	}
	u.keys("{")
	if s := u.state(); s.Now() != 1010 {
		t.Errorf("the marker is at %v", s.Now())
	}
}

// TestMeasuredBesideEvents shows the resident memory of a recording of heaptrack, and no address of a block that is
// invented.
func TestMeasuredBesideEvents(t *testing.T) {
	data, err := os.ReadFile("../loaders/heaptrack/testdata/shop.zst")
	if err != nil {
		t.Fatal(err)
	}
	store, ix := loadBytes(t, "shop.zst", data)
	u := openUI(t, 140, 40, colorCaps, store, ix).keys("2")
	u.has("resident 4.74 MiB", "live 21.2 KiB in 162 blocks")
	if strings.Contains(u.Text(), "Series") {
		t.Error("a trace has the screens of memory dumps")
	}
	blocks := openUI(t, 140, 40, colorCaps, store, ix).keys("6").has("162 blocks", "the file has no addresses")
	if text := blocks.Text(); strings.Contains(text, "0x1") || strings.Contains(text, "ADDRESS") {
		t.Errorf("an invented address is shown:\n%s", text)
	}
	blocks.keys("Enter").has("162 blocks", "the file has no addresses")
}

// TestWhatARecordingLacks opens each screen of recordings of heaptrack, whose times are estimates between steps, and of
// which one form has no addresses: no screen shows one, or offers to sort by it, and each says what its times are.
func TestWhatARecordingLacks(t *testing.T) {
	for _, c := range []struct {
		name              string
		estimated, places bool
	}{
		{"loaders/heaptrack/testdata/shop.zst", true, false},
		{"loaders/heaptrack/testdata/shop.raw.zst", true, true},
		{"testdata/small_kvleak.mlyze", false, true},
	} {
		data, err := os.ReadFile("../" + c.name)
		if err != nil {
			t.Fatal(err)
		}
		store, ix := loadBytes(t, filepath.Base(c.name), data)
		u, addresses := openUI(t, 140, 40, colorCaps, store, ix), false
		for _, screen := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			u.keys(screen)
			for range 6 { // the orders of its list
				text := u.Text()
				if strings.Contains(text, "times estimated") != c.estimated {
					t.Errorf("%s, screen %s: times are marked: %v", c.name, screen, !c.estimated)
				}
				addresses = addresses || strings.Contains(text, "ADDRESS") || strings.Contains(text, "lowest address") || strings.Contains(text, "at 0x")
				u.keys("s")
			}
		}
		if addresses != c.places {
			t.Errorf("%s: addresses are shown: %v", c.name, addresses)
		}
		block := u.keys("6").keys("Enter").Text()
		if strings.Contains(block, "allocated at about ") != c.estimated {
			t.Errorf("%s: the times of a block:\n%s", c.name, block)
		}
	}
}
