package views

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/stacks"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// openTwo starts the program on two files that are compared.
func openTwo(t testing.TB, w, h int, name string, before []byte, other string, after []byte) *program {
	t.Helper()
	store, ix := loadBytes(t, name, before)
	store2, ix2 := loadBytes(t, other, after)
	second := &compare.Second{Name: other, Path: other, Store: store2}
	if store2.Current().Allocations != nil {
		second.Trace = ix2
	}
	return openSides(t, w, h, store, ix, second)
}

// openSides starts the program on a file and the one that it is compared with.
func openSides(t testing.TB, w, h int, store *model.Store, ix analysis.Trace, second *compare.Second) *program {
	t.Helper()
	u := openUI(t, w, h, colorCaps, store, ix)
	u.sim.Do(func() {
		u.app.adoptSecond(second, newSecondFile(second, nil))
		u.app.emit(state.ShowDifference{On: true})
	})
	u.sim.Settle()
	return u
}

func TestDifferenceGoldens(t *testing.T) {
	goldenSizes(t, "ab-overview", "p", "A", "e", "d")
	goldenSizes(t, "ab-sites", "p", "A", "e", "d", "3")
	goldenSizes(t, "ab-tree", "p", "A", "e", "d", "5")
	goldenSizes(t, "ab-flame", "p", "A", "e", "d", "5", "f")
	goldenSizes(t, "ab-blocks", "p", "A", "e", "d", "6", "o")
	goldenSizes(t, "ab-timeline", "p", "A", "e", "d", "2")
}

// What the screen says is what analysis says of the same two moments.
func TestDifferenceOfInstants(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "A").has("marked as A: peak")
	u.keys("e", "d", "3").has("before A peak", "after B end", "Sites · difference", "more in B than in A")
	var sides [2]*diff.Side
	peak, _, err := u.app.Trace.Peak(t.Context(), analysis.FullRange)
	if err != nil {
		t.Fatal(err)
	}
	stacks := u.app.state.Profile.Stacks
	for i, at := range []analysis.Instant{peak.Instant, analysis.End} {
		q := diff.TraceQuestion{Group: diff.GroupStack, Figure: diff.FigureOf(analysis.CostLive), At: at, Range: analysis.FullRange}
		if sides[i], err = diff.TraceSide(t.Context(), u.app.Trace, stacks, calltree.FilterStacks, q); err != nil {
			t.Fatal(err)
		}
		sides[i].File = "one"
	}
	want, err := diff.Compare(t.Context(), sides[0], sides[1], diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got *compare.Set
	u.sim.Do(func() { got = u.app.current().(*compare.Screen).Set })
	if got.Totals != want.Totals || got.Counts != want.Counts || len(got.Rows) != len(want.Rows) {
		t.Errorf("totals %+v, counts %v; want %+v, %v", got.Totals, got.Counts, want.Totals, want.Counts)
	}
	u.keys("~").has("before B end → after A peak", "more in A than in B")
	u.keys("~", "!").has("changed only").keys("!").has("new only")
	u.keys("d")
	if u.app.state.Compare.On || strings.Contains(u.Text(), "difference") {
		t.Error("d does not end the difference")
	}
}

func TestDifferenceNeedsNoMark(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("d")
	u.has("compared with the start of the run", "before A start → after B end")
	u.keys("Esc").has("Overview")
	if u.app.state.Compare.On {
		t.Error("Esc does not end the difference")
	}
	u.keys("B", "B").has("B is no longer marked")
}

func TestDifferenceOfRanges(t *testing.T) {
	u := openKvleak(t, 140, 40, colorCaps)
	u.sim.Do(func() {
		u.app.emit(state.SetRange{R: analysis.Range{From: 10_000, To: 20_000}})
		u.app.emit(state.SetCost{Cost: analysis.CostTotal})
	})
	u.keys("A").has("marked as A: 10.0 ms – 20.0 ms")
	u.sim.Do(func() { u.app.emit(state.SetRange{R: analysis.Range{From: 30_000, To: 40_000}}) })
	u.keys("d", "3").has("before A 10.0 ms – 20.0 ms → after B 30.0 ms – 40.0 ms", "Allocated bytes by stack")
	words := u.app.current().(ui.Commander).CommandLine([]string{"f.mlyze"})
	if got := strings.Join(words, " "); got != "memtui diff --a 10000us..20000us --b 30000us..40000us --group stack --by alloc_bytes f.mlyze" {
		t.Error(got)
	}
	u.keys("2").has("aligned at the start")
}

func TestDifferenceOfTwoTraces(t *testing.T) {
	u := openTwo(t, 140, 40, "old.mlyze", kvleak(), "new.mlyze", kvleak())
	u.has("before A old.mlyze end → after B new.mlyze end", "Nothing changed", "aligned at the start")
	u.keys("p").has("A old.mlyze peak", "B new.mlyze peak")
	u.keys("|").has("no marker in common").keys("|").has("at the start")
	u.keys("%").has("as shares of the total", "same total").keys("\"").has("matched by files")
	u.sim.Do(func() {
		if err := u.app.maskCommand("paths"); err != nil {
			t.Error(err)
		}
		if u.app.maskCommand("(") == nil {
			t.Error("a mask that is no expression is accepted")
		}
	})
	u.has("names masked by paths")
	words := u.app.current().(ui.Commander).CommandLine([]string{"old.mlyze"})
	if got := strings.Join(words, " "); !strings.HasSuffix(got, "--mask paths --match files --normalize total old.mlyze new.mlyze") {
		t.Error(got)
	}
	for _, k := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		u.keys(k).has("difference", "A old.mlyze")
	}
}

// sampledStore returns a file of which every second block was recorded.
func sampledStore(t testing.TB, name string) (*model.Store, analysis.Trace) {
	store, ix := loadBytes(t, name, kvleak())
	p, sampled := *store.Current(), &model.Store{}
	p.Meta.Sampled, p.Meta.Sampling = "sampled: 50 % of blocks", model.Sampling{Rate: 0.5}
	sampled.Publish(&p)
	return sampled, ix
}

// A sampled side has marks, differences have errors, and what sampling may have caused is not named.
func TestDifferenceOfSampledTraces(t *testing.T) {
	store, ix := loadBytes(t, "exact.mlyze", kvleak())
	second := &compare.Second{Name: "sampled.mlyze", Path: "sampled.mlyze"}
	second.Store, second.Trace = sampledStore(t, "sampled.mlyze")
	u := openSides(t, 160, 40, store, ix, second).keys("p", "A", "e", "3")
	u.has("live bytes changed by no more than the error of sampling (±", "in total, from 1.13 MiB to ~429 KiB; put shrank by ~58.6 KiB",
		"5 within ±", "exceeded by 3 of 8", "~−977 KiB  ±1.87 MiB", "% of all changes; within the error of sampling")
	u.keys("2").has("A at most 1.13 MiB · B at most ~1.13 MiB").keys("3")
	u.has("before A exact.mlyze peak").keys("y")
	if got := u.sim.Clipboard(); !strings.Contains(got, "before 977 KiB, after 0 B: ~−977 KiB ±1.87 MiB") {
		t.Error(got)
	}
	u.keys("5").has("before ").keys("~").has("after A exact.mlyze peak").keys("1").has("±")

	sampled, ix2 := sampledStore(t, "one.mlyze")
	one := openUI(t, 160, 40, colorCaps, sampled, ix2).keys("p", "A", "e", "d", "3")
	one.has("shrank by ~", " ±", "exceeded by ", "within ±")
	openKvleak(t, 160, 40, colorCaps).keys("p", "A", "e", "d", "3").hasNot("±", "~4", "~−")
}

// What changed between files of which one was cut is no more than what was read says.
func TestDifferenceSaysWhatWasCut(t *testing.T) {
	for name, data := range map[string][]byte{"x.mlyze": kvleak(), "x.spaa": serverProfile(t)} {
		u := openTwo(t, 140, 40, "old-"+name, data, "new-"+name, data)
		if text := u.Text(); strings.Contains(text, "Part of a side was not read") {
			t.Error(text)
		}
		cut := model.Problem{Severity: model.Warning, Code: model.CodeMemory, Message: "the rest was left out", Offset: model.NoOffset}
		u.sim.Do(func() {
			next := *u.app.Second.Store.Current()
			next.Problems, next.Complete = model.AddProblem(next.Problems, cut), false
			u.app.Second.Now = &next
		})
		u.keys("1").has("Part of a side was not read: Nothing changed")
	}
}

func TestDifferenceOfTraceAndProfile(t *testing.T) {
	u := openTwo(t, 160, 40, "small_kvleak.mlyze", kvleak(), "server.spaa", serverProfile(t))
	u.keys("3").has("A small_k", "B server.spaa", "live_bytes")
}

func TestDifferenceOfProfiles(t *testing.T) {
	u := openTwo(t, 140, 40, "old.spaa", serverProfile(t), "new.spaa", serverProfile(t))
	u.has("before A old.spaa", "after B new.spaa", "Nothing changed")
	for i := range 4 {
		u.keys(string(rune('1' + i))).has("A old.spaa")
	}
	u.keys("d", "c", "d").has("Nothing changed") // the other event, on both sides
}

// What is open and selected in the tree stays while the sides change, and while the difference is switched off and on.
func TestDifferenceTreeKeepsItsPlace(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "A", "h", "h", "h", "d", "5", "Down")
	at := func() (n int32, name string) {
		u.sim.Do(func() { p := u.app.stacks(); n, name = p.Selected(), p.Function() })
		return n, name
	}
	for _, keys := range [][]string{{"5"}, {"i"}, {"i", "Down", "f"}} {
		u.keys(keys...)
		before, name := at()
		u.keys("h", "l")
		if after, _ := at(); after != before || before == 0 || name == "" {
			t.Errorf("%q: selected was %d (%s) and is %d", keys, before, name, after)
		}
		u.keys("d")
		if _, got := at(); got != name {
			t.Errorf("%q: without the difference %q is selected, not %q", keys, got, name)
		}
		u.keys("d")
		if after, got := at(); after != before || got != name {
			t.Errorf("%q: selected was %d (%s) and is %d (%s)", keys, before, name, after, got)
		}
	}
	u.keys("f", "/", "m", "a", "i", "n", "Enter", "n", "f", "i", "f", "Tab", "Down", "Tab")
}

// Around a pivot a difference has the same trees as a file: callers and callees, weighed on both sides.
func TestDifferenceAroundAPivot(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "A", "h", "h", "h", "d", "5", "#")
	name := u.app.state.Filters.Pivot()
	p := u.app.stacks()
	if name == "" || p.Upper == nil || p.Upper.Now == nil || p.Now == nil {
		t.Fatalf("no pivot:\n%s", u.Text())
	}
	u.has("callers of", "Tab changes sides", "around one function")
	for side := range 2 {
		here, there := p.Now.Side(side, 0), p.Upper.Now.Side(side, 0)
		if here != there || here == 0 {
			t.Errorf("side %d: callees weigh %d, callers %d", side, here, there)
		}
	}
	for _, q := range []*stacks.Stacks{p, p.Upper} {
		if top, _ := q.Now.OnlyChild(0); q.Now.Name(top) != name {
			t.Errorf("about %q stands %q", name, q.Now.Name(top))
		}
	}
	u.keys("f").has("width: sum of all changes").keys("Tab", "Tab", "Up")
	u.keys("g", "#").has("top-down")
}

// Callers and callees of a function have figures of both sides in a difference, which add up.
func TestDifferenceAroundOneFunction(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "A", "e", "d", "5", "i", "g", "Enter")
	u.has("Callers and callees of ", "BEFORE", "AFTER", " → ", "called by ")
	u.keys("y").has("copy requested (if nothing arrives, Ctrl-S saves): ")
	u.keys("Esc").has("bottom-up")
	if strings.Contains(u.Text(), "of it its own") {
		t.Errorf("bottom-up a function has nothing but its own:\n%s", u.Text())
	}
}

// The tree and the flame graph of a difference take the same keys and searches as those of a file.
func TestDifferenceStacksTakeTheSameKeys(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("p", "A", "e", "d", "5", "f", "Home")
	selected := func() (name string) {
		u.sim.Do(func() { name = u.app.current().(*stacks.Difference).Function() })
		return name
	}
	if got := selected(); got != "" {
		t.Errorf("the root is %q", got)
	}
	u.keys("x")
	hot := selected()
	if !strings.Contains(hot, "alloc_buffer") && !strings.Contains(hot, "operator new") {
		t.Errorf("what changed most leads to %q", hot)
	}
	u.keys("Home", "/", "/", "^", "o", "p", ".", "*", "n", "e", "w", "Enter")
	if got := selected(); !strings.HasPrefix(got, "operator new") {
		t.Errorf("the expression finds %q", got)
	}
	u.keys("f").has("top-down")
	if got := selected(); !strings.HasPrefix(got, "operator new") {
		t.Errorf("the tree selects %q", got)
	}
}

func TestCommonMarker(t *testing.T) {
	before := []analysis.Mark{{Time: 5, GC: true}, {Time: 10, Name: "a"}, {Time: 20, Name: "b"}}
	after := []analysis.Mark{{Time: 7, Name: "b"}}
	moments, name, ok := commonMarker(t.Context(), onlyMarks{marks: before}, onlyMarks{marks: after}, "")
	if !ok || name != "b" || moments != [2]model.Time{20, 7} {
		t.Error(moments, name, ok)
	}
	if _, _, ok := commonMarker(t.Context(), onlyMarks{}, onlyMarks{marks: after}, ""); ok {
		t.Error("found what is not there")
	}
	if !slices.Equal(parseMasksTexts("paths\nhashes"), []string{"paths", "hashes"}) {
		t.Error("masks are lost")
	}
}

func parseMasksTexts(text string) (out []string) {
	for _, m := range state.ParseMasks(text) {
		out = append(out, m.String())
	}
	return out
}

// onlyMarks is a trace that is asked for its markers only.
type onlyMarks struct {
	analysis.Trace
	marks []analysis.Mark
}

func (o onlyMarks) Marks(context.Context, analysis.Range, int) ([]analysis.Mark, int, error) {
	return o.marks, len(o.marks), nil
}

func TestDifferenceOfSnapshots(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps)
	u.keys("2", "g", "H", "A", "l", "l", "d").has("Types · difference", "before: #0", "after: #2", "grew")
	u.keys("h", "B", "l").has("after: #1")
	u.keys("3").has("Frames · difference").keys("4").has("Dominators · difference", "Subtrees that grew")
	u.keys("Esc", "2")
	if strings.Contains(u.Text(), "difference") {
		t.Error("Esc does not end the difference")
	}
}

func TestDifferenceOfDumps(t *testing.T) {
	data := processDump(t)
	u := openTwo(t, 120, 40, "old.mb", data, "new.mb", data)
	u.keys("1").has("Series · difference", "A old.mb", "B new.mb", "Nothing changed")
	u.keys("2").has("A old.mb #", "B new.mb #", "nothing changed")
	u.keys("3").has("Fragmentation · difference", "Every page type is on both sides")
	words := u.app.current().(ui.Commander).CommandLine([]string{"old.mb"})
	if got := strings.Join(words, " "); got != "memtui diff --a #14 --b #14 --group page-type old.mb new.mb" {
		t.Error(got)
	}
	u.keys("c").has("Free memory in pages").keys("c").has("Size of pages").keys("c").has("packing")
	u.keys("2", "B").has("marked as B: new.mb layout #14").keys("h", "h").has("B new.mb #14")
	if k := u.app.state.Compare.Marks[state.SideB]; !k.Other || k.Number != 14 {
		t.Errorf("marked %+v", k)
	}
	u.keys("3").has("B new.mb #14").keys("2", "e", "B").has("B is no longer marked")
}

func TestDifferenceOfOneDump(t *testing.T) {
	u := openDump(t, 120, 40, colorCaps).keys("H", "H", "A", "e", "d", "1").has("Series · difference", "more in B than in A")
	u.keys("3").has("occupied memory").keys("A").keys("3").has("Fragmentation · difference")
}
