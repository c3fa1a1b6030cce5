package views

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/trace"
)

func TestOverviewGolden(t *testing.T) { goldenSizes(t, "overview") }

func TestOverviewWideGolden(t *testing.T) {
	openKvleak(t, 200, 50, colorCaps).golden("overview-200x50-dark")
}

func TestOverviewNamesTheLeak(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}} {
		openKvleak(t, size[0], size[1], colorCaps).has(
			"small_kvleak.mlyze", "close_session", "429 KiB in 44 blocks", "3.14 MiB in 7,028", "peak 1.13 MiB at 61.0 ms", "growth +886")
	}
}

// Figures of the instant and of the run, or the range, can be told apart.
func TestOverviewFiguresNameTheirTime(t *testing.T) {
	openKvleak(t, 80, 24, colorCaps).has("live now 429 KiB")
	u := openKvleak(t, 120, 40, colorCaps)
	u.has("live now 429 KiB", "run: allocated 3.14 MiB")
	u.keys("H", "v", "H", "H", "v").has("live now", "range: allocated")
}

// state is the program's state, read on its loop.
func (u *program) state() (s state.State) {
	u.sim.Settle()
	u.sim.Do(func() { s = u.app.state })
	return s
}

// onScreen is the screen that is shown, read on the loop.
func (u *program) onScreen() (a keymap.Action) {
	u.sim.Settle()
	u.sim.Do(func() { a = u.app.current().Action() })
	return a
}

func TestFindingsLeadSomewhere(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("Enter")
	if s := u.state(); u.onScreen() != keymap.ShowLeaks || !s.Selected.Set || s.Selected.By != analysis.ByStack {
		t.Errorf("the growing leak leads to %s with %+v", u.onScreen(), s.Selected)
	}
	u = openKvleak(t, 80, 24, colorCaps).keys("Down", "Down", "Enter")
	if s := u.state(); u.onScreen() != keymap.ShowSites || s.At.Events == 0 {
		t.Errorf("the burst leads to %s at %+v", u.onScreen(), s.At)
	}
}

func TestAllocatorsAreSortedAndOpened(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("Tab", "s", "s", "s")
	u.has("by allocated bytes", "alloc_buffer ")
	if got := strings.Join(u.app.commandWords(), " "); !strings.Contains(got, "--by alloc_bytes") {
		t.Errorf("the command is %q", got)
	}
	u.keys("b")
	u.has("Top owners")
	u.keys("Down", "Enter")
	if s := u.state(); u.onScreen() != keymap.ShowSites || s.Selected.By != analysis.ByOwner || !s.Selected.Set {
		t.Errorf("opened %s with %+v", u.onScreen(), s.Selected)
	}
}

// commandWords is the command of what is on screen.
func (a *app) commandWords() []string { return a.current().Command() }

func TestOverviewFilters(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("/", "c", "l", "o", "s", "e", "_", "Enter")
	u.has("1 of 6 pass the filter", "close_session  ")
	u.keys("/", "Ctrl+U", "z", "z", "z", "Enter")
	u.has("No matches for “zzz”.")
}

func TestOverviewFallsBackToThePeak(t *testing.T) {
	data := memtest.TraceOf([]byte(`{"stack_traces":{},"files":{},"functions":{}}`), []memtest.TraceEvent{
		{Delta: 10, Addr: 16, Size: 4096, ID: 7}, {Delta: 1000, Addr: 32, Size: 100, ID: 8},
		{Kind: 1, Delta: 10, Addr: 16}, {Kind: 1, Delta: 10, Addr: 32},
	})
	store, ix := loadBytes(t, "clean.mlyze", data)
	u := openUI(t, 80, 24, colorCaps, store, ix)
	u.has("nothing is live at the end: by live bytes at the peak", "<stack 7?>", "4.00 KiB", "clean", "all 2 blocks were freed")
}

// Of a run that freed nearly everything at its end, the Overview shows who had the memory, not what a runtime leaves
// behind; other screens and instants show what is live.
func TestOverviewOfARunThatFreedItsMemory(t *testing.T) {
	data := memtest.TraceOf([]byte(`{"stack_traces":{},"files":{},"functions":{}}`), []memtest.TraceEvent{
		{Delta: 10, Addr: 16, Size: 4096, ID: 7}, {Delta: 1000, Addr: 32, Size: 100, ID: 8},
		{Kind: 1, Delta: 10, Addr: 16}, {Delta: 10, Addr: 48, Size: 8, ID: 8},
	})
	store, ix := loadBytes(t, "clean.mlyze", data)
	u := openUI(t, 80, 24, colorCaps, store, ix).has("little is live at the end: by live bytes at the peak", "<stack 7?>")
	u.keys("2").has("by live bytes at the end").hasNot("<stack 7?>")
	u.keys("1", "h").has("by live bytes at ").hasNot("little is live")
}

func TestOverviewOfNothing(t *testing.T) {
	store, ix := loadBytes(t, "empty.mlyze", memtest.TraceOf([]byte(`{}`), nil))
	u := openUI(t, 80, 24, colorCaps, store, ix)
	u.has("the file has no events", "The file has no events.")
	u.keys("2", "h", "l", "+", "v", "p", "m").has("the file has no events")
}

// stopped is a trace that was stopped, and whose events cannot be read again.
type stopped struct{ *traceindex.KeptIndex }

func (s stopped) Status() analysis.Status {
	st := s.KeptIndex.Status()
	st.Final, st.Stopped = false, true
	return st
}

func (s stopped) Chart(context.Context, analysis.Range, int) ([]analysis.Column, error) {
	return nil, errors.New("it shrank")
}

func TestOverviewOfNothingReadable(t *testing.T) {
	store, ix := loadBytes(t, "empty.mlyze", memtest.TraceOf([]byte(`{}`), nil))
	openUI(t, 80, 24, colorCaps, store, stopped{ix}).has("stopped before the first events", "Stopped before the first events.")
	store, ix = loadBytes(t, "small_kvleak.mlyze", kvleak())
	openUI(t, 80, 24, colorCaps, store, stopped{ix}).has("the events cannot be read: it shrank").keys("2").has("the events cannot be read: it shrank")
}

func TestOverviewExactNumbers(t *testing.T) {
	openKvleak(t, 120, 40, colorCaps).keys("=").has("439,382 B in 44 blocks", "3,296,735 B in 7,028", "peak 1,187,022 B at 60.988 ms")
}

func TestChartTakesTheMouse(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	u.sim.Click(40, 4)
	s := u.state()
	if s.AtEnd() || s.Now() < 30*1000 || s.Now() > 45*1000 {
		t.Errorf("a click in the middle goes to %v", s.At)
	}
	mouse := func(x int, b tcell.ButtonMask) { u.sim.Event(tcell.NewEventMouse(x, 4, b, tcell.ModNone)) }
	mouse(20, tcell.ButtonPrimary)
	mouse(30, tcell.ButtonPrimary)
	mouse(40, tcell.ButtonPrimary)
	mouse(40, tcell.ButtonNone)
	s = u.state()
	if s.Range.IsFull() || s.Range.To-s.Range.From < 20*model.Time(1000) {
		t.Errorf("dragging selects %v", s.Range)
	}
	mouse(40, tcell.WheelUp)
	if s = u.state(); s.View.IsFull() {
		t.Error("the wheel does not zoom")
	}
	mouse(40, tcell.WheelDown)
	if s = u.state(); !s.View.IsFull() {
		t.Errorf("the wheel does not zoom out: %v", s.View)
	}
}

func TestClicksSelectRows(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	lines := strings.Split(u.Text(), "\n")
	for y, l := range lines {
		if strings.Contains(l, "close_session  ") {
			u.sim.Click(10, y)
		}
	}
	if s := u.state(); !s.Selected.Set {
		t.Error("a click selects nothing")
	}
}

// unfinished is a trace of which more is to come.
type unfinished struct{ *traceindex.KeptIndex }

func (u unfinished) Status() analysis.Status {
	s := u.KeptIndex.Status()
	s.Final = false
	return s
}

func TestOverviewWhileLoading(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 80, 24, colorCaps, store, unfinished{ix})
	u.has("unfreed  429 KiB", "by live bytes so far", "Found when everything is read.", "loading")
}

// reading counts the answers that cost a walk over all events or blocks.
type reading struct {
	unfinished
	walks *atomic.Int64
}

func (r reading) History(ctx context.Context, by analysis.Group, only calltree.Filter, keys []analysis.Key, n int) ([][]uint64, error) {
	r.walks.Add(1)
	return r.KeptIndex.History(ctx, by, only, keys, n)
}

func (r reading) Verdicts(ctx context.Context, by analysis.Group, only calltree.Filter) (verdict.List, error) {
	r.walks.Add(1)
	return r.KeptIndex.Verdicts(ctx, by, only)
}

func (r reading) Lifetimes(ctx context.Context, by analysis.Group, k analysis.Key, over analysis.Range, only calltree.Filter) (analysis.Lifetimes, error) {
	r.walks.Add(1)
	return r.KeptIndex.Lifetimes(ctx, by, k, over, only)
}

func (r reading) Leaks(ctx context.Context, q analysis.LeakQuery) (analysis.Leaks, error) {
	r.walks.Add(1)
	return r.KeptIndex.Leaks(ctx, q)
}

// While a file is read, nothing on the first screens holds that up.
func TestNoWalksWhileLoading(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	r := reading{unfinished{ix}, new(atomic.Int64)}
	u := openUI(t, 200, 50, colorCaps, store, r)
	u.keys("2", "h", "3", "Down", "5", "1").has("Found when everything is read")
	u.keys("3").has("lifetimes: when everything is read")
	if n := r.walks.Load(); n > 0 {
		t.Errorf("%d walks over a trace that is being read", n)
	}
}

// What a whole run keeps is the same whether it is taken from the level and the sites or found among the blocks.
func TestHeadlineKeeps(t *testing.T) {
	for name, data := range map[string][]byte{"real": kvleak(), "damaged": damagedKvleak(), "cut": kvleak()[:len(kvleak())/2]} {
		_, ix := loadBytes(t, "a.mlyze", data)
		h, err := trace.FetchHeadline(t.Context(), ix, trace.HeadlineKey{Revision: 0, R: analysis.FullRange})
		if err != nil {
			t.Fatal(err)
		}
		slow := trace.Headline{HeadlineKey: h.HeadlineKey}
		if err := slow.Keep(t.Context(), ix); err != nil {
			t.Fatal(err)
		}
		if h.Kept.Bytes != slow.Kept.Bytes || h.Kept.Count != slow.Kept.Count || h.Leaking != slow.Leaking || h.Leaking == 0 {
			t.Errorf("%s: %+v in %d sites, not %+v in %d", name, h.Kept, h.Leaking, slow.Kept, slow.Leaking)
		}
	}
}

// Who filters by peaks needs them, also while a file is read, and in capitals as the columns are headed.
func TestFiltersOfPeaksWhileLoading(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 200, 50, colorCaps, store, unfinished{ix}).keys("3")
	for _, filter := range []string{"peak>1", "PEAK>1"} {
		u.keys("/", "Ctrl+U").keys(strings.Split(filter, "")...)
		for _, screen := range []string{"1", "3"} {
			if text := u.keys("Enter", screen).Text(); strings.Contains(text, "No matches") || !strings.Contains(text, "main") {
				t.Errorf("%s on screen %s:\n%s", filter, screen, text)
			}
		}
	}
}

// The Overview shows the growth that check --max-growth judges, of the run and of a range.
func TestOverviewShowsGrowth(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 120, 40, colorCaps, store, ix)
	shows := func() {
		t.Helper()
		growth, ok, err := analysis.TraceGrowth(t.Context(), ix, u.state().Range)
		if err != nil || !ok || growth.PerSecond < 1 {
			t.Fatal(growth, ok, err)
		}
		u.has("growth +" + model.Rate(growth.PerSecond))
	}
	shows()
	u.keys(strings.Split(":range 0s 50ms", "")...).keys("Enter")
	shows()
	if u.state().Range.IsFull() {
		t.Error("no range")
	}
}

// Rows that look the same have the numbers of their stacks.
func TestOverviewTellsEqualNamesApart(t *testing.T) {
	data := memtest.TraceOf([]byte(`{"stack_traces":{"7":[{"file_id":1,"line":5,"func_id":1},{"file_id":1,"line":6,"func_id":2}],"8":[{"file_id":1,"line":5,"func_id":1},{"file_id":1,"line":7,"func_id":3}],"9":[{"file_id":1,"line":6,"func_id":2}]},`+
		`"files":{"1":"a.c"},"functions":{"1":"take","2":"left","3":"right"}}`), []memtest.TraceEvent{
		{Delta: 10, Addr: 16, Size: 4096, ID: 7}, {Delta: 1000, Addr: 32, Size: 100, ID: 8}, {Delta: 1000, Addr: 64, Size: 10, ID: 9},
	})
	store, ix := loadBytes(t, "equal.mlyze", data)
	u := openUI(t, 120, 40, colorCaps, store, ix)
	u.has("#7", "#8").hasNot("#9")
}
