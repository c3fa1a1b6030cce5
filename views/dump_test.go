package views

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/dump"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// processDump is a real file: the memory of a process over twelve seconds, with fifteen page layouts.
func processDump(t testing.TB) []byte { return sampleFile(t, "real_proc_python.mb") }

func openDump(t testing.TB, w, h int, caps term.Caps) *program {
	t.Helper()
	store, ix := loadBytes(t, "process.mb", processDump(t))
	u := openUI(t, w, h, caps, store, ix)
	u.sim.Do(func() { u.app.o.Command = []string{"process.mb"} })
	return u
}

// dumpGoldens is goldenSizes on a memory dump.
func dumpGoldens(t *testing.T, name string, keys ...string) {
	t.Helper()
	goldensOn(t, "dump-"+name, openDump, keys...)
}

func TestSeriesGolden(t *testing.T) { dumpGoldens(t, "series", "H") }

func TestStackedGolden(t *testing.T) { dumpGoldens(t, "stacked", "&", "H", "v", "H") }

func TestLogGolden(t *testing.T) { dumpGoldens(t, "log", "^") }

func TestPagesGolden(t *testing.T) { dumpGoldens(t, "pages", "2", "Tab") }

func TestHilbertGolden(t *testing.T) { dumpGoldens(t, "hilbert", "2", "C", "b", "Tab") }

func TestPageBitsGolden(t *testing.T) { dumpGoldens(t, "bits", "2", "Tab", "Enter", "Right") }

func TestDifferenceGolden(t *testing.T) { dumpGoldens(t, "difference", "2", "d", "Tab") }

func TestFragmentsGolden(t *testing.T) { dumpGoldens(t, "fragmentation", "3", "h", "j") }

func TestSparsePagesGolden(t *testing.T) { dumpGoldens(t, "sparse", "3", "Tab", "j", "m") }

// h and l go from layout to layout where layouts are shown, and column by column elsewhere.
func TestLayoutsStep(t *testing.T) {
	u := openDump(t, 120, 40, colorCaps).keys("2")
	u.has("layout #14 at")
	u.keys("h").has("layout #13 at")
	u.keys("3").has("layout #13 at")
	u.keys("H").has("layout #3 at")
	u.keys("h", "h", "h").has("layout #0 at")
	u.keys("h").has("no further layout")
	u.keys("2", "l").has("layout #1 at")
	u.keys("t", "0", "Enter").has("05:02:28")
	u.keys("e").has("layout #14 at")
	u.keys("1", "h").has("at 11.9 s")
	u.keys(",", ".", "{", "}", "p").has("at 8.00 s")
}

// The header names the layout by its number in the file and by its own time, wherever the instant is.
func TestLayoutsOwnTime(t *testing.T) {
	u := openDump(t, 80, 24, colorCaps).keys("3")
	u.has("layout #14 at 05:02:39.315", "end 12.0 s")
	if strings.Contains(u.Text(), "05:02:40.094") {
		t.Errorf("the header has the clock of the instant:\n%s", u.Text())
	}
	u.keys("1").has("05:02:40.094")
}

// p goes to the layout that has most of what is charted, P to that of the range.
func TestWorstLayout(t *testing.T) {
	u := openDump(t, 120, 40, colorCaps).keys("3")
	list, err := worstOf(t, u)
	if err != nil {
		t.Fatal(err)
	}
	for figure, want := range list {
		u.keys("e").has("layout #14 at").keys("p").has(fmt.Sprintf("layout #%d at", want))
		if figure < len(list)-1 {
			u.keys("m")
		}
	}
}

// worstOf returns the numbers of the layouts with most occupied bytes, most that packing would reclaim, and the largest
// hole.
func worstOf(t *testing.T, u *program) (out [3]int, err error) {
	t.Helper()
	var most [3]uint64
	p := u.app.Dump.Pages
	for i := range p.Len() {
		l, err := p.Open(t.Context(), i)
		if err != nil {
			return out, err
		}
		f := &pages.SumLayout(l).All
		for k, n := range [3]uint64{f.OccupiedBytes, f.Returned, f.Holes.Largest} {
			if n > most[k] {
				out[k], most[k] = i, n
			}
		}
	}
	return out, nil
}

// Space plays to the end, R to the beginning; Space again and whatever goes elsewhere pauses.
func TestLayoutsPlay(t *testing.T) {
	u := openDump(t, 80, 24, colorCaps).keys("2", "h", "h")
	u.sim.Do(func() { u.app.current().(*dump.Pages).Frame = time.Millisecond })
	u.keys("Space").has("layout #14 at")
	u.keys("R").has("layout #0 at")
	u.sim.Do(func() {
		p := u.app.current().(*dump.Pages)
		p.Frame = time.Hour
		for _, end := range []keymap.Action{keymap.Toggle, keymap.Screen1, keymap.StepForward} {
			p.Do(keymap.Toggle)
			if p.Playing != 1 {
				t.Error("it does not play")
			}
			if p.Do(end); p.Playing != 0 {
				t.Errorf("%s does not pause", end)
			}
		}
	})
}

func TestDifferenceOfLayouts(t *testing.T) {
	u := openDump(t, 120, 40, colorCaps).keys("2", "d")
	u.has("compared with the first layout", "(here)", "newly occupied", "since A:")
	u.keys("d", "h", "v").has("marked as A")
	u.keys("l", "d").has("newly free")
	u.keys("h").has("nothing changed")
	u.keys("B").has("marked as B")
	u.keys("u")
	if c := u.app.state.Compare; c.Marks != [2]state.Mark{} || c.On {
		t.Errorf("u leaves %+v", c)
	}
}

// What the grid says of a whole layout is what analysis says.
func TestPagesShowTheAnswersOfAnalysis(t *testing.T) {
	u := openDump(t, 120, 60, colorCaps).keys("3", "=")
	var f *pages.LayoutFigures
	u.sim.Do(func() {
		l, err := u.app.Dump.Pages.Open(t.Context(), u.app.Dump.Layout(&u.app.state))
		if err != nil {
			t.Error(err)
			return
		}
		f = pages.SumLayout(l)
	})
	u.has(ui.BytesText(f.All.Returned, true), model.Group(uint64(f.All.Pages)))
	for i := range f.Types {
		if v := &f.Types[i]; v.Pages > 0 {
			u.has(v.Name, ui.ShareText(v.Share()), ui.BytesText(v.Returned, true))
		}
	}
	u.keys("Tab", "Enter").has("page ")
}

func TestSeriesTogglesAndScales(t *testing.T) {
	u := openDump(t, 120, 40, colorCaps)
	u.keys("o").has("hidden").keys("o")
	u.keys("j", "Space").has("hidden").keys("Space")
	u.keys("^").has("log").keys("^", "&").has("stacked").keys("&")
	u.keys("+", "+", ")", "(", "-", "0", "z", "z")
	u.keys("v", "H", "v").has("IN RANGE").keys("u")
	u.keys("G", "Enter").has("no page layouts")
	u.keys("g", "Enter").has("Pages")
}

// Every screen can be printed by a command.
func TestDumpCommands(t *testing.T) {
	u := openDump(t, 120, 40, colorCaps)
	for _, c := range [][2]string{
		{"1", "memtui report --table series process.mb"}, {"2", "memtui pages --map 'process.mb#14'"}, {"3", "memtui pages 'process.mb#14'"}, {"2", "memtui pages --map 'process.mb#14'"},
		{"d", "memtui diff 'process.mb#0' 'process.mb#14'"},
	} {
		u.keys(c[0])
		var got string
		u.sim.Do(func() { got = u.app.commandLine() })
		if got != c[1] {
			t.Errorf("after %s: %q, want %q", c[0], got, c[1])
		}
		u.keys("y")
	}
}

// A program that is asked for a layout begins with it.
func TestBeginWithLayout(t *testing.T) {
	store, ix := loadBytes(t, "process.mb", processDump(t))
	sim, n := term.NewSimulationCaps(80, 24, colorCaps), 3
	a := newApp(Options{Terminal: sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: themes.Usable(1<<24, false), HeapStart: HeapStart{Snapshot: &n}})
	if got := a.current().Name(); got != "Pages" || a.Dump.Layout(&a.state) != n {
		t.Errorf("it begins on %s with layout %d", got, a.Dump.Layout(&a.state))
	}

	was := a.state.Apply(state.ChooseLayout{Layout: 7, At: a.Dump.Time(7)}) // the file is read again
	a = newApp(Options{Terminal: sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: themes.Usable(1<<24, false), HeapStart: HeapStart{Snapshot: &n}, Memory: &Memory{state: &was}})
	if got := a.Dump.Layout(&a.state); got != 7 {
		t.Errorf("layout %d is shown after layout 7 was read again", got)
	}
}

// One file opened twice, each time with the number of a layout, compares these layouts on every screen.
func TestBeginWithTwoLayouts(t *testing.T) {
	store, ix := loadBytes(t, "process.mb", processDump(t))
	other, _ := loadBytes(t, "process.mb", processDump(t))
	sim, a, b := term.NewSimulationCaps(120, 40, colorCaps), 3, 7
	u := &program{t: t, sim: sim, app: newApp(Options{
		Terminal: sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: themes.Usable(1<<24, false), Patience: 5 * time.Second,
		HeapStart: HeapStart{Snapshot: &a, After: &b}, Second: &compare.Second{Name: "process.mb", Path: "process.mb", Store: other},
	})}
	u.sim.Start(u.app)
	t.Cleanup(func() { _ = u.sim.Stop() })
	u.sim.Settle()
	u.has("A process.mb #3", "B process.mb #7", "newly occupied")
	u.keys("3").has("A process.mb #3", "B process.mb #7", "grown").keys("1").has("Series · difference", "more in B than in A")
	u.sim.Do(func() {
		if err := errors.Join(u.app.runCommand("a #2"), u.app.runCommand("b #-1")); err != nil {
			t.Error(err)
		}
	})
	u.sim.Settle()
	u.keys("3").has("A process.mb #2", "B process.mb #14")
	for _, bad := range []string{"a #15", "b nonsense", "b 99h"} {
		if u.run(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	if err := errors.Join(u.run("a 1:start"), u.run("b 1:#4")); err != nil {
		t.Error(err)
	}
	u.keys("3").has("B process.mb #4")
	if got := u.diffWords(); got != "memtui diff --a #0 --b #4 --group page-type old.mlyze" {
		t.Error(got)
	}
	u.sim.Do(func() {
		if m := u.app.state.Compare.Marks; m[state.SideA].Other || m[state.SideB].Other {
			t.Errorf("both are places of the first file, but %+v", m)
		}
	})
}

// Whatever can be clicked, dragged and scrolled is, on every screen.
func TestDumpMouse(t *testing.T) {
	u := openDump(t, 120, 40, colorCaps)
	for _, screen := range []string{"1", "2", "3"} {
		for y := 2; y < 38; y += 3 {
			for _, x := range []int{12, 90} {
				u.keys(screen)
				u.sim.Click(x, y)
				u.sim.Settle()
			}
		}
	}
}

// Holding a key down on the grid at every level and in every order never fails.
func TestGridMovesEverywhere(t *testing.T) {
	u := openDump(t, 60, 20, monoCaps).keys("2")
	for range 3 {
		for _, k := range []string{"+", "Right", "Down", "G", "Right", "Down", "Up", "Left", "g", "Left", "Up", "-", "-", "PgDn", "PgUp", "Tab", "b", "Right", "Down", "b", "d", "Down", "d", "Enter", "Down", "Enter", "PgDn", "Esc", "C"} {
			u.keys(k)
		}
	}
}

// madePages is one layout of many pages.
type madePages struct{ layouts []*model.Layout }

func (m madePages) Len() int { return len(m.layouts) }

func (m madePages) Info(i int) model.LayoutInfo {
	return model.LayoutInfo{Point: uint32(i), At: model.Time(i) * model.Second}
}

func (m madePages) Open(context.Context, int) (*model.Layout, error) { return nil, nil }

// makeLayout is n pages of 4 KiB, each with a few holes.
func makeLayout(n, seed int) *model.Layout {
	t := model.PageType{Name: "Heap", Uniform: 4096, Start: []uint32{0}}
	for i := range n {
		switch (i*7 + seed) % 5 {
		case 0:
			t.Runs = append(t.Runs, 0, 0x80, 0x04)
		case 1:
			t.Runs = append(t.Runs, 100, 100, 100, 90, 50, 72)
		default:
			t.Runs = append(t.Runs, 0x80, 0x01, byte(i%100), 20, 20, 60)
		}
		t.Start = append(t.Start, uint32(len(t.Runs)))
	}
	return &model.Layout{Types: []model.PageType{t}}
}

type openPages struct{ madePages }

func (m openPages) Open(_ context.Context, i int) (*model.Layout, error) { return m.layouts[i], nil }

// openMade starts the program on made-up layouts.
func openMade(t testing.TB, w, h, layouts, pages int) *program {
	store := &model.Store{}
	src := openPages{}
	s := model.Series{Name: "made", Layouts: layouts}
	for i := range layouts {
		src.layouts = append(src.layouts, makeLayout(pages, i))
		s.Times = append(s.Times, model.Time(i)*model.Second)
		s.Values = append(s.Values, float64(i)*1e6)
	}
	store.Update(func(*model.Profile) *model.Profile {
		return &model.Profile{Meta: model.Meta{Name: "made.mb", Format: "memory-dump"}, Complete: true, Pages: src, Timeline: &model.Timeline{Series: []model.Series{s}}}
	})
	return openUI(t, w, h, colorCaps, store, nil)
}

func TestAMillionPagesFit(t *testing.T) {
	modeltest.Plain(t)
	u := openMade(t, 80, 24, 2, 1_000_000).keys("2")
	u.has("1,000,000 pages", " pages · ")
	if strings.Contains(u.Text(), "1 cell = 1 page") {
		t.Error("a million pages do not fit into cells of one page")
	}
}

// BenchmarkPageGrid measures a frame of the grid of a million pages.
func BenchmarkPageGrid(b *testing.B) {
	for order := range widget.CellOrders {
		b.Run(order.String(), func(b *testing.B) {
			u := openMade(b, 200, 50, 1, 1_000_000).keys("2")
			screen := tcell.NewSimulationScreen("UTF-8")
			if err := screen.Init(); err != nil {
				b.Fatal(err)
			}
			screen.SetSize(200, 50)
			u.sim.Do(func() {
				p := u.app.current().(*dump.Pages)
				p.Grid.Order = order
				p.Grid.Place(p.Grid.Area, p.Grid.Types, true)
				for b.Loop() {
					p.Grid.Draw(screen)
				}
			})
		})
	}
}

// BenchmarkOccupancy measures how full a million pages are, from their encoded runs.
func BenchmarkOccupancy(b *testing.B) {
	d := ui.NewDumpFile(&model.Profile{Timeline: &model.Timeline{Series: []model.Series{{}}}, Pages: openPages{madePages{[]*model.Layout{makeLayout(1_000_000, 0)}}}})
	for b.Loop() {
		if _, err := ui.FillLayout(b.Context(), ui.LayoutKey{Dump: d, Layout: 0}, &ui.LastLayout{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLayoutScrub measures from the key to the flushed frame of another layout of twenty thousand pages.
func BenchmarkLayoutScrub(b *testing.B) {
	u := openMade(b, 200, 50, 20, 20_000).keys("2")
	key := "h"
	for i := 0; b.Loop(); i++ {
		if i%19 == 0 {
			key = map[string]string{"h": "l", "l": "h"}[key]
		}
		u.keys(key)
	}
}

// Names of events of several series never overwrite each other.
func TestMarksOfSeriesStandInOrder(t *testing.T) {
	event := func(at model.Time) []model.SeriesEvent { return []model.SeriesEvent{{At: at, Name: "GC_END"}} }
	d := &ui.DumpFile{Timeline: &model.Timeline{Series: []model.Series{{Events: event(40)}, {Events: event(10)}}}}
	u := openDump(t, 80, 24, colorCaps)
	u.sim.Do(func() {
		e := u.app.Env
		e.Dump = d
		c := dump.NewChart(&e)
		c.State.View = analysis.FullRange
		c.State.Status.Duration = 100
		c.SetMarks([]int{0, 1})
		if m := c.Chart.Marks; len(m) != 2 || m[0].At != 10 || m[1].At != 40 {
			t.Errorf("marks %+v", m)
		}
	})
}

// A file of very many series is shown without columns for all of them, and each of them can be looked at.
func TestManySeries(t *testing.T) {
	made := make([]model.Series, 3000)
	for i := range made {
		made[i] = model.Series{Name: fmt.Sprint("s", i), Times: []model.Time{0, 10}, Values: []float64{1, float64(i)}}
	}
	store := &model.Store{}
	store.Publish(&model.Profile{Timeline: &model.Timeline{Series: made}, Complete: true})
	u := openUI(t, 80, 24, colorCaps, store, nil).has("3,000 series, 2,744 hidden")
	u.keys("G", "o").has("2,999 hidden", "s2999 at most")
	u.sim.Do(func() {
		set, _ := u.app.current().(*dump.Series).Chart.Columns.Get()
		for n, columns := range set.Series {
			if (columns != nil) != (n == 2999) {
				t.Errorf("series %d: %d columns", n, len(columns))
			}
		}
	})
}
