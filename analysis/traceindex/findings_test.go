package traceindex

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// story is a trace with a growing leak, a block kept once, a burst at the peak, and many temporary blocks.
func story() ([]model.Event, *model.Stacks) {
	const leaky, kept, burst, temporary, late = 1, 2, 3, 4, 5
	stacks := model.NewStacks()
	for i, name := range []string{"grow", "keep", "burst", "scratch", "pool"} {
		stacks.Functions = append(stacks.Functions, name)
		stacks.FrameFunc = append(stacks.FrameFunc, model.FuncID(i+1))
		stacks.FrameFile, stacks.FrameLine = append(stacks.FrameFile, 0), append(stacks.FrameLine, model.NoLine)
		stacks.Parent, stacks.Frame = append(stacks.Parent, 0), append(stacks.Frame, model.FrameID(i+1))
		stacks.Depth = append(stacks.Depth, 1)
		stacks.Leaf[model.StackID(i+1)] = model.NodeID(i + 1)
	}
	var events []model.Event
	at := func(t model.Time, stack model.StackID, addr, size uint64) {
		events = append(events, model.Event{Kind: model.Alloc, Time: t, ID: uint64(stack), Addr: addr, Size: size})
	}
	free := func(t model.Time, addr uint64) {
		events = append(events, model.Event{Kind: model.Free, Time: t, Addr: addr})
	}
	at(0, late, 9_000, 40_000)
	at(5, kept, 9_008, 50_000)
	for i := range uint64(100) {
		t := model.Time(i * 100)
		if t >= 10 {
			at(t, leaky, 16*i+16, 1000)
		}
		for j := range uint64(4) {
			at(t+20+model.Time(j), temporary, 8_000, 8)
			free(t+20+model.Time(j), 8_000)
		}
		switch i {
		case 60:
			at(t+50, burst, 9_016, 500_000)
		case 65:
			free(t+50, 9_016)
		case 99:
			free(t+99, 9_000)
		}
	}
	return events, stacks
}

func TestFindingsTellTheStory(t *testing.T) {
	events, stacks := story()
	ix := buildIndex(t, events, stacks)
	list, err := analysis.Findings(t.Context(), ix, nil, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, f.Kind.String()+" | "+f.Site.Name+": "+f.Text)
		if f.Site.Name != "" && len(f.History) != analysis.HistoryColumns {
			t.Errorf("%v has %d columns of history", f.Kind, len(f.History))
		}
		if f.HasAt != (f.Kind == analysis.FindingBurst || f.Kind == analysis.FindingPeak) {
			t.Errorf("%v leads to an instant: %v", f.Kind, f.HasAt)
		}
	}
	want := []string{
		"leak | grow: 99 blocks (96.7 KiB), allocated from 100 µs to 9.90 ms, throughout the run; none was freed; a cache not yet full looks alike",
		"burst | burst: 488 KiB of the peak (76.3 %) for 500 µs",
		"kept | keep: 1 block (48.8 KiB), allocated at 5 µs; none was freed",
		"peak | pool: 39.1 KiB of the peak (6.1 %) for 10.0 ms",
		"temporary | scratch: 100 % of 400 blocks freed at once",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Samples tell how long blocks lived, if there are enough of them and times are not estimates.
func TestFindingsOfShortLives(t *testing.T) {
	const sampled = "sampled every 4.00 KiB"
	for _, c := range []struct {
		name string
		meta model.Meta
		keep int // of how many of the temporary blocks
		life model.Time
		want string
	}{
		{"exact", model.Meta{}, 400, 0, "100 % of 400 blocks freed at once"},
		{"sampled", model.Meta{Sampled: sampled}, 400, 1, "100 % of 400 samples freed in less than 2 µs"},
		{"few samples", model.Meta{Sampled: sampled}, fewShort, 1, ""},
		{"longer lives", model.Meta{Sampled: sampled}, 400, 2, ""},
		{"coarse times", model.Meta{Sampled: sampled, CoarseTimes: true}, 400, 1, ""},
	} {
		events, stacks := story()
		kept, left := events[:0], c.keep
		for _, e := range events {
			if e.Addr == 8_000 {
				if left == 0 {
					continue
				}
				e.Addr = 100_000 + uint64(16*left) // others may be allocated before its end
				if e.Kind == model.Free {
					left, e.Time = left-1, e.Time+c.life
				}
			}
			kept = append(kept, e)
		}
		slices.SortStableFunc(kept, func(a, b model.Event) int { return cmp.Compare(a.Time, b.Time) })
		list, err := analysis.Findings(t.Context(), buildIndex(t, kept, stacks), &model.Profile{Meta: c.meta, Stacks: stacks, Complete: true}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range list {
			if list[i].Kind == analysis.FindingTemporary {
				got = list[i].Text
			}
			if list[i].Kind == analysis.FindingPeak && strings.Contains(list[i].Text, "in 1 sample") != (c.meta.Sampled != "") {
				t.Errorf("%s: %q", c.name, list[i].Text)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// fewShort is a number of samples of which a share says little.
const fewShort = 20

func TestFindingsWithoutFrees(t *testing.T) {
	events := []model.Event{{Size: 10, ID: 1}, {Size: 30, ID: 2, Time: 5}, {Size: 30, ID: 2, Time: 9}}
	list, err := analysis.Findings(t.Context(), buildIndex(t, events, nil), &model.Profile{Lost: 2048, Complete: false}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make([]analysis.FindingKind, len(list))
	for i, f := range list {
		kinds[i] = f.Kind
	}
	want := []analysis.FindingKind{analysis.FindingDamage, analysis.FindingNoAddress}
	if len(list) != 3 || !slices.Equal(kinds[:2], want) || !strings.Contains(list[2].Text, "of all allocated bytes") {
		t.Errorf("kinds %v", kinds)
	}
	if want := "2.00 KiB of the file could not be read: allocated totals are lower bounds, live may be too high"; list[0].Text != want {
		t.Errorf("%q", list[0].Text)
	}
}

func TestFindingsWithoutLeaks(t *testing.T) {
	events := []model.Event{
		{Addr: 16, Size: 10}, {Addr: 32, Size: 1000, Time: 50}, {Kind: model.Free, Addr: 16, Time: 60}, {Kind: model.Free, Addr: 32, Time: 70},
	}
	list, err := analysis.Findings(t.Context(), buildIndex(t, events, nil), nil, nil, 0)
	if err != nil || len(list) == 0 || list[0].Kind != analysis.FindingClean || list[0].Text != "all 2 blocks were freed" {
		t.Errorf("%v, %v", list, err)
	}
}

func TestFindingsOfNothing(t *testing.T) {
	list, err := analysis.Findings(t.Context(), NewIndex(), nil, nil, 0)
	if err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestFindingsStop(t *testing.T) {
	events, stacks := story()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := analysis.Findings(ctx, buildIndex(t, events, stacks), nil, nil, 0); err == nil {
		t.Error("no error though it was canceled")
	}
}

// TestFindingsOfOwners asks who is named first, in runs of a program whose truth is known.
func TestFindingsOfOwners(t *testing.T) {
	for seed := range uint64(3) {
		run := modeltest.NewPlanted(seed, 6000)
		truth := map[string]string{}
		for _, p := range run.Parts {
			truth[p.Function] = p.Truth
		}
		list, err := analysis.Findings(t.Context(), builtIndex(t, run, 1<<20), &model.Profile{Stacks: run.Stacks, Complete: true}, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var before analysis.Finding
		for i, f := range list {
			said := f.Kind == analysis.FindingLeak || f.Kind == analysis.FindingLate
			if real := truth[f.Owner.Function]; said && real != f.Kind.String() || (f.Kind == analysis.FindingKept || f.Kind == analysis.FindingBounded) && (real == "leak" || real == "late") {
				t.Errorf("finding %d: %v of %s, which is %s: %s", i, f.Kind, f.Owner.Function, real, f.Text)
			}
			if f.Kind == analysis.FindingLeak {
				delete(truth, f.Owner.Function)
				if i > 0 && (before.Kind != f.Kind || before.Growth*before.Confidence < f.Growth*f.Confidence) {
					t.Errorf("finding %d, %s, comes too late", i, f.Owner.Function)
				}
			}
			before = f
		}
		for function, real := range truth {
			if real == "leak" {
				t.Errorf("%s is not found", function)
			}
		}
	}
}

// Sites of one owner are one finding.
func TestFindingOfSeveralSites(t *testing.T) {
	events, stacks := story()
	for i := range events {
		if e := &events[i]; e.ID == 1 && i%2 == 0 {
			e.ID = 6 // grow, by way of the allocator
		}
	}
	allocatorStack(stacks)
	list, err := analysis.Findings(t.Context(), buildIndex(t, events, stacks), &model.Profile{Stacks: stacks, Complete: true}, nil, 0)
	if err != nil || len(list) == 0 {
		t.Fatalf("%v, %v", list, err)
	}
	f := &list[0]
	if f.Kind != analysis.FindingLeak || f.Owner.Function != "grow" || len(f.Stacks) != 2 || f.Count != 99 || f.Bytes != 99_000 {
		t.Errorf("%v of %s: %d stacks, %d blocks of %d bytes", f.Kind, f.Owner.Function, len(f.Stacks), f.Count, f.Bytes)
	}
	if want := "2 sites, 96.7 KiB in 99 blocks; of the largest: "; !strings.HasPrefix(f.Text, want) {
		t.Errorf("%q", f.Text)
	}
	if live := f.History[analysis.HistoryColumns-1]; live != 99_000 {
		t.Errorf("the history ends with %d bytes", live)
	}
}

// A finding says how many of its sites its figures are of: those that were given back at the end are beside them.
func TestFindingCountsTheSitesOfItsFigures(t *testing.T) {
	events, stacks := story()
	allocatorStack(stacks)
	last := events[len(events)-1].Time
	for i := range events {
		if e := &events[i]; e.ID == 1 && e.Kind == model.Alloc && i%4 == 0 {
			e.ID = 6
			events = append(events, model.Event{Kind: model.Free, Addr: e.Addr, Time: last})
		}
	}
	list, err := analysis.Findings(t.Context(), buildIndex(t, events, stacks), &model.Profile{Stacks: stacks, Complete: true}, nil, 0)
	if err != nil || len(list) == 0 {
		t.Fatalf("%v, %v", list, err)
	}
	f := &list[0]
	if f.Kind != analysis.FindingLeak || len(f.Stacks) != 2 {
		t.Fatalf("%v of %s: %d stacks: %s", f.Kind, f.Owner.Function, len(f.Stacks), f.Text)
	}
	if strings.Contains(f.Text, "2 sites") || !strings.Contains(f.Text, "; in addition 24 blocks ") || !strings.HasSuffix(f.Text, " of 1 site, freed after 9.92 ms") {
		t.Errorf("%q", f.Text)
	}
}

// allocatorStack adds stack 6: the allocator below the leaf of the first stack.
func allocatorStack(stacks *model.Stacks) {
	stacks.Functions, stacks.FrameFunc = append(stacks.Functions, "operator new(unsigned long)"), append(stacks.FrameFunc, 6)
	stacks.FrameFile, stacks.FrameLine = append(stacks.FrameFile, 0), append(stacks.FrameLine, model.NoLine)
	stacks.Parent, stacks.Frame, stacks.Depth = append(stacks.Parent, 1), append(stacks.Frame, 6), append(stacks.Depth, 2)
	stacks.Leaf[6] = 6
}

// A cache whose blocks are replaced all the time is no burst, though those at the peak live for a short time; what is
// allocated once is.
func TestFindingsTellCachesFromBursts(t *testing.T) {
	const slots, rounds = 40, 4000
	var cache, burst []model.Event
	for i := range rounds {
		at, addr := model.Time(i)*1000, uint64(16*(1+i%slots))
		if i >= slots {
			cache = append(cache, model.Event{Kind: model.Free, Time: at, Addr: addr})
		}
		cache = append(cache, model.Event{Kind: model.Alloc, Time: at, ID: 1, Addr: addr, Size: uint64(1000 + i*7%50)})
		if i == rounds/2 {
			burst = append(burst, model.Event{Kind: model.Alloc, Time: at, ID: 1, Addr: 8, Size: 1_000_000})
		}
		burst = append(burst, model.Event{Kind: model.Alloc, Time: at, ID: 2, Addr: 16, Size: 10}, model.Event{Kind: model.Free, Time: at + 1, Addr: 16})
		if i == rounds/2+slots {
			burst = append(burst, model.Event{Kind: model.Free, Time: at + 2, Addr: 8})
		}
	}
	for i := range slots {
		cache = append(cache, model.Event{Kind: model.Free, Time: rounds * 1000, Addr: uint64(16 * (1 + i))})
	}
	for _, c := range []struct {
		events []model.Event
		kind   analysis.FindingKind
		text   string
	}{{cache, analysis.FindingPeak, "at least half as much for 100 % of the run, as others take their place"}, {burst, analysis.FindingBurst, "for 40.0 ms"}} {
		list, err := analysis.Findings(t.Context(), buildIndex(t, c.events, nil), nil, nil, 0)
		if i := slices.IndexFunc(list, func(f analysis.Finding) bool { return f.Kind == c.kind }); err != nil || i < 0 || !strings.HasSuffix(list[i].Text, c.text) {
			t.Errorf("no %v that ends in %q, %v: %v", c.kind, c.text, err, list)
		}
	}
}
