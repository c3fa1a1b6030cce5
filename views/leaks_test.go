package views

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/trace"
)

func TestLeaksGolden(t *testing.T) { goldenSizes(t, "leaks", "4", "j") }

func TestLateFreedGolden(t *testing.T) { goldenSizes(t, "late", "4", "c") }

func TestLeaksShowTheAnswersOfAnalysis(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 160, 50, colorCaps, store, ix).keys("4", "=")
	for _, key := range []string{"", "a", "a", "a", "a"} {
		if key != "" {
			u.keys(key)
		}
		var age model.Time
		u.sim.Do(func() { age = u.app.state.MinAge })
		want, err := ix.Leaks(context.Background(), analysis.LeakQuery{Range: analysis.FullRange, MinAge: age})
		if err != nil {
			t.Fatal(err)
		}
		u.has(model.Bytes(want.Bytes).Exact()+" in "+model.Blocks(want.Count), "min age")
		for i := range want.Sites {
			u.has(model.Bytes(want.Sites[i].Bytes).Exact())
		}
	}
}

func TestLeakDetail(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("4")
	u.has("leak (84 % certain, +518 KiB/s): 13 blocks", "13 blocks · 2.50 KiB each", "never freed: 13 of 13 blocks", "thread 2", "one new block every ")
	u.keys("Enter").has("Blocks of close_session", "13 blocks never freed")
	u.keys("Esc", "c", "Enter").has("live at 74.5")
}

// What was freed late is announced with its number and the key that leads there, and says what it is.
func TestLateFreedIsAnnounced(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("4")
	u.has("freed late 90.7 KiB in 139 blocks: c")
	u.keys("a").has("freed late 90.7 KiB", "min age 759 µs")
	u.keys("c").has("never freed 429 KiB: c", "Freed in the last 2 % of the run")
}

// growThenFree is a program that keeps 300 blocks, one each second, and frees all at its end; before it allocates one
// that it keeps.
func growThenFree(t *testing.T) *program {
	stacks := newStackMaker()
	stacks.add(1, "main", "load")
	stacks.add(2, "main", "handle")
	stacks.add(3, "main", "answer")
	events := []model.Event{{Kind: model.Alloc, ID: 1, Addr: 1, Size: 10}}
	const n = 300
	for i := range n {
		at := model.Time(i) * model.Second
		events = append(events, model.Event{Kind: model.Alloc, Time: at, ID: 2, Addr: uint64(100 + i), Size: 10_000},
			model.Event{Kind: model.Alloc, Time: at + 5, ID: 3, Addr: 2, Size: 10}, model.Event{Kind: model.Free, Time: at + 10, Addr: 2})
	}
	for i := range n {
		events = append(events, model.Event{Kind: model.Free, Time: n*model.Second + model.Time(i), Addr: uint64(100 + i)})
	}
	store, ix := loadFake(t, stacks.Stacks, events)
	return openUI(t, 120, 40, colorCaps, store, ix)
}

// What grew like a leak until the program freed it is said first on Overview and Leaks, with the same figures, and one
// key lists it.
func TestLeaksSayWhatGrewUntilItWasFreed(t *testing.T) {
	u := growThenFree(t).has("late        handle", "grew like a leak until the", "program freed it at its end", "all 300 were freed after that", "KiB/s, then freed")
	u.keys("4").has("handle at handle.c:6 grew like a leak, +9.80 KiB/s, until the program freed it at its end: 2.86 MiB (c lists it)")
	u.keys("c").has("▸", "handle", "late", "2.86 MiB, with blocks too", "with younger ones, 300 blocks (2.86 MiB)", "were freed at the end")
	u.keys("c").has("never freed", "load")
	lacks(t, openKvleak(t, 120, 40, colorCaps).keys("4"), "grew like a leak")
}

// A site that was kept until all was freed is not called as one that never was.
func TestKeptThenFreed(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("4")
	lacks(t, u, "was kept")
	u.keys("c").has("● was kept", "was kept (50 % certain): at 61.0 ms")
	u.keys("3").has("was kept")
}

// The minimum age changes which blocks count, never what a site is called; while it is on it can be seen.
func TestMinAgeKeepsVerdicts(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("4")
	said := func() map[string]string {
		out := map[string]string{}
		for _, line := range strings.Split(u.Text(), "\n") {
			for _, word := range []string{"▲ leak ", "● kept  ", "unknown  "} {
				if _, rest, ok := strings.Cut(line, word); ok && strings.Contains(line, "%") && !strings.Contains(line, "certain") {
					name := strings.TrimLeft(strings.Trim(rest, " ▁▂▃▄▅▆▇█│┃|"), "+0123456789.KM/s ▁▂▃▄▅▆▇█")
					out[name] = word
				}
			}
		}
		return out
	}
	whole := said()
	if len(whole) != 6 {
		t.Fatalf("rows %q", whole)
	}
	for range 6 {
		u.keys("a").has("min age " + u.state().MinAge.String())
		for name, word := range said() {
			if whole[name] != word {
				t.Errorf("%s is %q at a min age of %v, was %q", name, word, u.state().MinAge, whole[name])
			}
		}
	}
}

func TestLeaksOfARangeWithoutAny(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("4", ":")
	for _, k := range "range 70ms 71ms" {
		u.keys(map[rune]string{' ': "Space"}[k] + map[bool]string{true: string(k)}[k != ' '])
	}
	u.keys("Enter")
	u.has("u clears the range")
}

func TestMinAges(t *testing.T) {
	for _, d := range []model.Time{0, 1, 57, 76_000, model.Second, 3600 * model.Second, model.MaxTime} {
		steps := trace.MinAges(d)
		if len(steps) == 0 || steps[0] != 0 {
			t.Fatalf("%v: %v", d, steps)
		}
		age := model.Time(0)
		for i := range steps {
			if age != steps[i] || age > d {
				t.Fatalf("%v: step %d is %v of %v", d, i, age, steps)
			}
			if back := trace.NextAge(trace.NextAge(age, d, 1), d, -1); i+1 < len(steps) && back != age {
				t.Errorf("%v: up and down from %v is %v", d, age, back)
			}
			age = trace.NextAge(age, d, 1)
		}
	}
	if got := trace.NextAge(5000, 76_000, 1); got != 7600 {
		t.Errorf("above 5 ms of 76 ms comes %v", got)
	}
	if got := trace.NextAge(5000, 76_000, -1); got != 1000 {
		t.Errorf("below 5 ms of 76 ms comes %v", got)
	}
}

// Where nothing is known of a site, no certainty is stated.
func TestUnknownHasNoCertainty(t *testing.T) {
	for _, keys := range [][]string{{"4", "G"}, {"3"}} {
		u := openKvleak(t, 160, 50, colorCaps).keys(keys...).has("unknown")
		lacks(t, u, "0 % certain")
		for line := range strings.Lines(u.Text()) {
			if strings.Contains(line, " unknown  ") && strings.Contains(strings.SplitN(line, " unknown  ", 2)[1], " 0 % ") {
				t.Errorf("a certainty of nothing: %s", line)
			}
		}
	}
}

// The detail of a block shows the live curve of its site where there is room, for every way to list blocks.
func TestBlocksShowTheCurveOfTheirSite(t *testing.T) {
	for _, keys := range [][]string{{"6"}, {"4", "Enter"}, {"3", "Enter"}, {"4", "b", "b", "Enter"}} {
		openKvleak(t, 200, 50, colorCaps).keys(keys...).has("Live bytes of its site", "Ages and lifetimes")
	}
}

// What a sampled recording counts are samples, and their mean size says nothing about blocks.
func TestSampledTablesCountSamples(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	p := *store.Current()
	p.Meta.Sampled = "sampled every 512 KiB"
	sampled := &model.Store{}
	sampled.Publish(&p)
	u := openUI(t, 150, 40, colorCaps, sampled, ix)
	u.keys("3").has("SAMPLES").hasNot("MEAN", "ALLOCS").keys("4").has("SAMPLES").hasNot("BLOCKS", "2.50 KiB each")
	openKvleak(t, 160, 40, colorCaps).keys("3").has("MEAN", "ALLOCS").keys("4").has("BLOCKS", "2.50 KiB each")
}

// Figures of a sampled recording are marked as estimates, and say by how much they are off.
func TestSampledFiguresAreMarked(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	p := *store.Current()
	p.Meta.Sampled, p.Meta.Sampling = "sampled: 50 % of blocks", model.Sampling{Rate: 0.5}
	sampled := &model.Store{}
	sampled.Publish(&p)
	u := openUI(t, 150, 40, colorCaps, sampled, ix)
	u.keys("1").has("live now ~", "allocated ~3.14 MiB", "peak ~", "left by").hasNot("temporary ", "mean block")
	u.keys("2").has("live ~429 KiB", "to peak ~+730 KiB").keys("3").has("~391K", "±", "live ~").hasNot("TEMP")
	u.keys("4").has("±", "never freed ~").keys("5").has("~4").keys("6").has("WEIGHT", "it represents ~")
	u.keys("7").has("Bytes by weight and lifetime", "A row is what samples represent", "Sites of samples that weigh", " weight ")
	u.keys("1").has("peak ~").keys("3").has("at most ~391 KiB", "LIVE▼      ±  ", "SAMPLES       ±")
	u.keys("1").has("LIVE▼      ±  ").keys("c", "c").has("±")
	for key, want := range map[string]string{"3": "live ~391 KiB", "4": "13 samples (~32.5 KiB)", "6": "it represents ~400,000 B", "7": "sample"} {
		u.keys(key, "y")
		if got := u.sim.Clipboard(); !strings.Contains(got, want) || strings.Contains(got, " block ") {
			t.Errorf("screen %s copies %s", key, got)
		}
	}
}

// Titles of columns are not cut: figures do not say what they are.
func TestTitlesAreWhole(t *testing.T) {
	cut := regexp.MustCompile(`(?m)^[^a-z\n]*\b[A-Z]{2,}…`)
	opens := []func(w, h int) *program{
		func(w, h int) *program { return openKvleak(t, w, h, colorCaps) },
		func(w, h int) *program { return openServer(t, w, h) },
		func(w, h int) *program { return openPython(t, w, h) },
		func(w, h int) *program { return openJava(t, w, h) },
		func(w, h int) *program { return openRecords(t, w, h, colorCaps) },
		func(w, h int) *program { return openDump(t, w, h, colorCaps) },
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		for _, open := range opens {
			u := open(size[0], size[1])
			for _, key := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
				u.keys(key)
				if got := cut.FindString(u.Text()); got != "" {
					t.Errorf("screen %s at %d cells: %q in\n%s", key, size[0], got, u.Text())
				}
			}
		}
	}
}

// Figures of profiles that are scaled from samples are marked on every screen.
func TestScaledFiguresAreMarked(t *testing.T) {
	unmarked := regexp.MustCompile(`(^|[^~\w.,])([1-9][\d.,]*|0\.\d+) (B|[KMGTPE]iB)\b`)
	for _, name := range []string{"../loaders/heaptext/testdata/sampled4096.f.heap", "../loaders/v8profile/testdata/shop.heapprofile"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			u := openProfile(t, size[0], size[1], colorCaps, filepath.Base(name), data)
			for _, key := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "@"} {
				u.keys(key)
				for i, line := range strings.Split(u.Text(), "\n") {
					if got := unmarked.FindString(line); i > 0 && got != "" && !strings.Contains(line, "every ") {
						t.Errorf("%s, screen %s at %d cells: %q", name, key, size[0], line)
					}
				}
			}
		}
	}
}
