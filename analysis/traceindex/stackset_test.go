package traceindex

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// someFilters are filters of the stacks that Stacks defines, the first without any effect.
func someFilters() []calltree.Filter {
	return []calltree.Filter{"", "focus parse", "ignore malloc", "show-from parse", "hide malloc", "hide main\nhide malloc\nhide parse", "pivot main", "hide malloc\nfocus parse"}
}

// without makes markers of what stacks allocate that a filter leaves out. Blocks of two stacks never share an address,
// so that nothing else changes.
func without(events []model.Event, drop func(model.StackID) bool) []model.Event {
	out := slices.Clone(events)
	for i, e := range events {
		if e.Kind == model.Alloc && drop(model.StackID(e.ID)) {
			out[i] = model.Event{Time: e.Time, Kind: model.Marker}
		}
	}
	return out
}

// What a filter leaves of a trace is the trace of what it leaves.
func TestFilteredTrace(t *testing.T) {
	filters := []calltree.Filter{"focus parse", "ignore malloc", "pivot malloc", "focus main\nignore parse"}
	for seed := range uint64(16) {
		r := rand.New(rand.NewPCG(seed, 9))
		events := randomTrace(r, []int{30, 400, 900}[seed%3])
		for i, e := range events {
			switch {
			case e.Addr == 0:
			case e.Kind == model.Alloc:
				events[i].Addr += e.ID << 20
			case e.Kind == model.Free:
				events[i].Addr += uint64(r.IntN(7)) << 20
			}
		}
		filter, s := filters[seed%4], modeltest.Stacks()
		view, err := calltree.FilterStacks(t.Context(), s, filter, calltree.FullStacks)
		if err != nil {
			t.Fatal(err)
		}
		rest := without(events, func(id model.StackID) bool {
			leaf, known := s.Node(id)
			_, kept := view.Node(leaf)
			return known && !kept || !known && !calltree.StacksAreKept(filter)
		})
		got, want := buildIndex(t, events, s), buildIndex(t, rest, s)
		end := got.Status().Duration
		for _, rg := range []analysis.Range{analysis.FullRange, {From: end / 3, To: end}, {From: model.NoTime, To: end / 2}} {
			for by := range analysis.GroupCount {
				compareFiltered(t, got, want, by, rg, analysis.Cell{Stacks: filter})
				if t.Failed() {
					t.Fatalf("seed %d: %q by %v in %v", seed, filter, by, rg)
				}
			}
		}
	}
}

func compareFiltered(t *testing.T, got, want analysis.Trace, by analysis.Group, rg analysis.Range, in analysis.Cell) {
	ctx, at := t.Context(), analysis.At(rg.To/2)
	sites := func(x analysis.Trace, in analysis.Cell) []analysis.Site {
		rows, err := x.Sites(ctx, analysis.Query{At: at, Range: rg, By: by, Cell: in})
		if err != nil {
			t.Fatal(err)
		}
		keys := make([]analysis.Key, len(rows))
		for i := range rows {
			keys[i] = rows[i].Key
		}
		history, _ := x.History(ctx, by, in.Stacks, keys, 20)
		for i := range rows {
			lives, _ := x.Lifetimes(ctx, by, keys[i], rg, in.Stacks)
			sum := uint64(0)
			for _, v := range history[i] {
				sum += v
			}
			// what belongs to the row, where it can be compared
			rows[i].Key, rows[i].Where = analysis.Key(sum), lives.Median.String()
		}
		slices.SortFunc(rows, func(a, b analysis.Site) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Stack, b.Stack))
		})
		return rows
	}
	same(t, "sites", sites(got, in), sites(want, in.Rectangle()))
	leaks := func(x analysis.Trace, in analysis.Cell) analysis.Leaks {
		l, err := x.Leaks(ctx, analysis.LeakQuery{Range: rg, By: by, Cell: in})
		if err != nil {
			t.Fatal(err)
		}
		for i := range l.Sites {
			l.Sites[i].Key = 0
		}
		slices.SortFunc(l.Sites, func(a, b analysis.LeakSite) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Stack, b.Stack))
		})
		return l
	}
	same(t, "leaks", leaks(got, in), leaks(want, in.Rectangle()))
}

// Groups are those of the frames that are left, and nothing gets lost on the way there.
func TestHiddenFramesGiveToCallers(t *testing.T) {
	events := randomTrace(rand.New(rand.NewPCG(1, 1)), 500)
	ix := buildIndex(t, events, modeltest.Stacks())
	rows := func(by analysis.Group, only calltree.Filter) map[string]uint64 {
		list, err := ix.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: by, Cell: analysis.Cell{Stacks: only}})
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]uint64{}
		for _, s := range list {
			out[s.Name] += s.AllocBytes
		}
		return out
	}
	plain, hidden := rows(analysis.ByFunction, ""), rows(analysis.ByFunction, "hide malloc")
	if plain["malloc"] == 0 || hidden["malloc"] != 0 || hidden["parse"]+hidden["main"] != plain["parse"]+plain["main"]+plain["malloc"] {
		t.Errorf("%v became %v", plain, hidden)
	}
	if all := rows(analysis.ByFunction, "hide /./"); all[calltree.NoFrames] == 0 {
		t.Errorf("nothing without frames: %v", all)
	}
	stacks := rows(analysis.ByStack, "hide malloc\nhide parse")
	if stacks["parse"]+stacks["malloc"] != 0 || stacks["main"] == 0 {
		t.Errorf("stacks are named after hidden frames: %v", stacks)
	}
}
