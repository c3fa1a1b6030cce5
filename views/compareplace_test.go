package views

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// diffWords is the command that Y copies.
func (u *program) diffWords() (line string) {
	u.sim.Do(func() {
		if c, ok := u.app.current().(ui.Commander); ok {
			line = strings.Join(c.CommandLine([]string{"old.mlyze"}), " ")
		}
	})
	return line
}

// run carries out a command of the palette.
func (u *program) run(text string) (err error) {
	u.sim.Do(func() { err = u.app.runCommand(text) })
	u.sim.Settle()
	return err
}

// With two files each key marks a moment of its own file, and moving goes on with the side that is free.
func TestMarksInBothFiles(t *testing.T) {
	u := openTwo(t, 160, 40, "old.mlyze", kvleak(), "new.mlyze", kvleak()).keys("3", "h", "h", "B")
	u.has("marked as B: new.mlyze", "moving in time moves only A")
	m := u.app.state.Compare.Marks[state.SideB]
	if !m.Other || m.At == analysis.End {
		t.Errorf("B is %+v", m)
	}
	u.keys("h", "h", "h")
	if u.app.state.Compare.Marks[state.SideB] != m || u.app.state.At.T >= m.At.T {
		t.Error("B moved, or A did not")
	}
	u.keys("A").has("both sides are fixed").keys("A").has("A is no longer marked")
	for _, bad := range []string{"b 99h", "b nonsense", "a #3", "b #-1", "compare", "align nowhere"} {
		if err := u.run(bad); err == nil && bad != "align nowhere" {
			t.Errorf("%q is accepted", bad)
		}
	}
	for _, good := range []string{"a 1:10ms..20ms", "b 20ms"} {
		if err := u.run(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	u.has("before A old.mlyze 10.0 ms – 20.0 ms → after B new.mlyze 20.0 ms")
	if got := u.diffWords(); got != "memtui diff --a 20000us --b 20000us --group stack --by live_bytes old.mlyze new.mlyze" {
		t.Error(got)
	}
	if err := errors.Join(u.run("a 2:start"), u.run("b peak")); err != nil {
		t.Error(err)
	}
	u.has("before A new.mlyze start → after B new.mlyze peak")
	if got := u.diffWords(); got != "memtui diff --a 0us --b peak --group stack --by live_bytes new.mlyze" {
		t.Error(got)
	}
	if err := errors.Join(u.run("a none"), u.run("b 1:end"), u.run("align share"), u.run("compare none")); err != nil {
		t.Error(err)
	}
	if u.app.Second != nil || u.app.state.Compare.On || u.run("compare none") == nil || u.run("align share") == nil || u.run("b 2:end") == nil {
		t.Error("the second file is still there")
	}
}

// What a place is called differs where the files do.
func TestNamesOfTwoFiles(t *testing.T) {
	e := &ui.Env{First: &ui.ComparedFile{Name: "run.mlyze", Path: "/x/monday/run.mlyze"}, Second: &ui.ComparedFile{Name: "run.mlyze", Path: "/x/friday/run.mlyze"}}
	if got := compare.FileNames(e, 30); got != [2]string{"monday/run.mlyze", "friday/run.mlyze"} {
		t.Error(got)
	}
	e.First.Name, e.Second.Name = "heaptrack_pyapp_scale2.spaa.zst", "heaptrack_pyapp_scale5.spaa.zst"
	if got := compare.FileNames(e, 14); got[0] == got[1] || !strings.Contains(got[0], "2") || !strings.Contains(got[1], "5") {
		t.Error(got)
	}
	e.Second.Path = e.First.Path
	e.Second.Name = e.First.Name
	if got := compare.FileNames(e, 40); got[0] != got[1] {
		t.Error(got)
	}
}

// A trace and a profile of the same run are equal where they are weighed by the same figure.
func TestDifferenceWeighsBothAlike(t *testing.T) {
	u := openTwo(t, 160, 40, "server.spaa", serverProfile(t), "old.mlyze", kvleak()).keys("2")
	u.sim.Do(func() {
		s := u.app.current().(*compare.Screen)
		if k := s.Sets.Key; k.Sides[1].Unlike == "" && ui.CostNamed(k.Sides[1].Cost) != k.Sides[0].Prof.MetricName() {
			t.Errorf("%s is compared with %s", k.Sides[0].Prof.MetricName(), ui.CostNamed(k.Sides[1].Cost))
		}
		if u.app.state.Compare.Match != diff.MatchFunctions {
			t.Error("frames of different formats are matched by file and line")
		}
	})
	for range 6 { // whatever the metric
		u.keys("m").has("A server")
	}
}

// The blocks that came and those that went are those that one list has and the other has not.
func TestDifferenceOfBlocks(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps)
	if err := errors.Join(u.run("a 20ms"), u.run("b 50ms")); err != nil {
		t.Fatal(err)
	}
	u.keys("d", "6").has("new blocks", "allocated after A and live at B")
	live := func(at model.Time) map[analysis.Block]bool {
		list, err := u.app.Trace.Blocks(t.Context(), analysis.BlockQuery{At: analysis.At(at), All: true})
		if err != nil {
			t.Fatal(err)
		}
		out := map[analysis.Block]bool{}
		for i := range list.Len() {
			out[list.Row(i)] = true
		}
		return out
	}
	before, after := live(20_000), live(50_000)
	count := func(in, not map[analysis.Block]bool) (n int) {
		for b := range in {
			if !not[b] {
				n++
			}
		}
		return n
	}
	listed := func() (n int) {
		u.sim.Do(func() { n = u.app.current().(*compare.Blocks).Blocks.Len() })
		return n
	}
	if got, want := listed(), count(after, before); got != want || want == 0 {
		t.Errorf("%d new blocks, want %d", got, want)
	}
	u.keys("~").has("before B 50.0 ms → after A 20.0 ms", "live at A")
	if got, want := listed(), count(before, after); got != want {
		t.Errorf("%d new blocks after swapping, want %d", got, want)
	}
	u.keys("~", "o").has("gone blocks")
	if got, want := listed(), count(before, after); got != want || want == 0 {
		t.Errorf("%d gone blocks, want %d", got, want)
	}
	u.keys("/", "s", "i", "z", "e", ">", "9", "G", "Enter").has("No matches for")
	u.keys("Enter", "y", "Down", "S", "o").has("Live bytes by size class", "difference by size")
	u.sim.Click(30, 12)
	u.keys("o", "Esc").has("Blocks · live")
}

func TestDifferenceFilters(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "A", "e", "d", "3", "/").has("before>1M, delta<0")
	u.keys("d", "e", "l", "t", "a", "<", "-", "1", "0", "K", "Enter").has("alloc_buffer")
	lacks(t, u, "▸ main")
	u.keys("|").has("no two curves").keys("b", "\"").has("no frames to match")
	u.keys("5", "A", "3", "1", "Alt+Left")
	if !u.app.state.Compare.On || u.app.state.Compare.Marks[state.SideA].At != analysis.End {
		t.Error("going back takes marks back")
	}
}

// A file is opened from within: of snapshots, too; one that cannot be opened is said.
func TestCompareFromWithin(t *testing.T) {
	store, _ := loadBytes(t, "before.mvmheap", records(t))
	u := openUI(t, 120, 40, colorCaps, store, nil)
	u.sim.Do(func() {
		u.app.o.OpenSecond = func(path string) (*compare.Second, error) {
			if path != "dir/after.mvmheap" {
				return nil, errors.New(path + ": no such file")
			}
			other, _ := loadBytes(t, "after.mvmheap", records(t))
			return &compare.Second{Name: "after.mvmheap", Path: path, Store: other, Heaps: heapgraph.NewHeaps(other.Current().Heaps, 1<<30)}, nil
		}
	})
	if err := u.run("compare nowhere"); err != nil {
		t.Error(err)
	}
	u.has("not opened: nowhere: no such file")
	if err := u.run("compare dir/after.mvmheap"); err != nil {
		t.Error(err)
	}
	u.keys("2").has("Types · difference", "after: after.mvmheap #2", "+ more after")
	if err := errors.Join(u.run("b 1"), u.run("a #0")); err != nil {
		t.Error(err)
	}
	u.has("before: before.mvmheap #0", "after: after.mvmheap #1")
	if got := u.diffWords(); got != "memtui diff old.mlyze#0 dir/after.mvmheap#1" {
		t.Error(got)
	}
	u.keys("B").has("marked as B: after.mvmheap snapshot #2", "both sides are fixed").keys("B").has("B is no longer marked")
	u.keys("h").has("before: before.mvmheap #0", "after: after.mvmheap #1") // A is marked, and stays
	u.keys("A").has("marked as A: before.mvmheap snapshot #2").keys("A").has("A is no longer marked")
	u.keys("h").has("before: before.mvmheap #1", "after: after.mvmheap #1")
}

// Reading again brings the second file and the marks back.
func TestReloadComparesAgain(t *testing.T) {
	memory := &Memory{}
	u := openTwo(t, 120, 40, "old.mlyze", kvleak(), "new.mlyze", kvleak()).keys("3", "h", "h", "A", "h", "!")
	u.sim.Do(func() { memory.keep(u.app) })
	if memory.second != "new.mlyze" {
		t.Errorf("%q was opened", memory.second)
	}
	store, ix := loadBytes(t, "old.mlyze", kvleak())
	again := &program{t: t, sim: term.NewSimulationCaps(120, 40, colorCaps)}
	again.app = newApp(Options{
		Terminal: again.sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: themes.Usable(1<<24, false), Memory: memory,
		Patience: 5 * time.Second, OpenSecond: func(path string) (*compare.Second, error) {
			other, index := loadBytes(t, "new.mlyze", kvleak())
			return &compare.Second{Name: "new.mlyze", Path: path, Store: other, Trace: index}, nil
		},
	})
	again.sim.Start(again.app)
	t.Cleanup(func() { _ = again.sim.Stop() })
	again.sim.Settle()
	again.has("Sites · difference", "B new.mlyze", "changed only")
	if got, want := again.app.state.Compare.Marks, u.app.state.Compare.Marks; got != want || !got[state.SideA].Set {
		t.Errorf("marks are %+v, want %+v", got, want)
	}
}

func TestPathsAreCompleted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"One.mlyze", "other.mlyze", ".hidden"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "Older"), 0o700); err != nil {
		t.Fatal(err)
	}
	u := openKvleak(t, 120, 40, colorCaps)
	u.sim.Do(func() {
		u.app.o.Home = dir
		p := newPalette(u.app)
		for typed, want := range map[string]string{"~/O": "~/Older/ ~/One.mlyze", "~/One": "~/One.mlyze", "~/x": "", "~/.h": "~/.hidden", dir + "/ot": dir + "/other.mlyze"} {
			p.input.SetText("compare " + typed)
			p.narrow()
			var got []string
			for _, r := range p.shown {
				got = append(got, strings.TrimPrefix(r.name, "compare "))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%q: %q, want %q", typed, got, want)
			}
		}
		p.input.SetText("compare ~/Ol")
		p.narrow()
		p.complete()
		if got := p.input.Text(); got != "compare ~/Older/" {
			t.Errorf("completed to %q", got)
		}
	})
}
