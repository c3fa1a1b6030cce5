package traceindex

import (
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// TestVerdictsAgree compares verdicts with those from every single block, where the index reads all chunks again.
func TestVerdictsAgree(t *testing.T) {
	ask := func(by analysis.Group, only calltree.Filter) func(analysis.Trace) (verdict.List, error) {
		return func(x analysis.Trace) (verdict.List, error) { return x.Verdicts(t.Context(), by, only) }
	}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 9))
		events, stacks := randomTrace(r, []int{0, 1, 40, 3000}[seed%4]), modeltest.Stacks()
		if seed > 3 {
			p := modeltest.NewPlanted(seed, 300)
			events, stacks = p.Events, p.Stacks
		}
		if seed == 7 {
			events[5].Size = math.MaxUint64
		}
		ix, twin := buildBoth(t, &chunkedSlice{sliceSource{events, 100}, -1}, stacks, 1<<16)
		for by := range analysis.GroupCount {
			both(t, "verdicts by "+by.String(), ix, twin, ask(by, ""))
			both(t, "verdicts of a filter by "+by.String(), ix, twin, ask(by, "focus [a-m]"))
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// verdictsOf returns the verdicts by stack.
func verdictsOf(t *testing.T, ix *fileIndex) map[model.StackID]verdict.Verdict {
	t.Helper()
	list, err := ix.Verdicts(t.Context(), analysis.ByStack, "")
	if err != nil {
		t.Fatal(err)
	}
	said := map[model.StackID]verdict.Verdict{}
	for _, v := range list {
		said[ix.Ids[v.Key]] = v
	}
	return said
}

// TestVerdictsFromRecords judges a program whose truth is known by the blocks that outlive their chunk, where chunks
// are small, and by all where they are large.
func TestVerdictsFromRecords(t *testing.T) {
	run := modeltest.NewPlanted(3, 4000)
	for _, chunkSize := range []int{1 << 12, 1 << 15, 1 << 22} {
		ix := builtIndex(t, run, chunkSize)
		said := verdictsOf(t, ix)
		for _, p := range run.Parts {
			v := said[p.Stack]
			if grew := v.Kind == verdict.Leak; grew != (p.Truth == "leak") || (v.Kind == verdict.Late) != (p.Truth == "late") {
				t.Errorf("in chunks of %d: %s, %s, is %v: %s", chunkSize, p.Function, p.Truth, v.Kind, v.Evidence())
			}
		}
	}
}

// loadThenLeak is a program that loads a table in 60 ms and then leaks 64 B every 10 ms, for 13 s.
func loadThenLeak() (run *modeltest.Planted, table, leak model.StackID) {
	run = &modeltest.Planted{Stacks: modeltest.Stacks()}
	const scratch = 3
	alloc := func(at model.Time, stack model.StackID) {
		run.Events = append(run.Events, model.Event{Kind: model.Alloc, Time: at, ID: uint64(stack), Addr: 16 * uint64(len(run.Events)+1), Size: 64})
	}
	for i := range model.Time(60_000) {
		alloc(i, 1)
	}
	for i := range model.Time(1300) {
		at := 100_000 + 10_000*i
		alloc(at, 2)
		alloc(at+1, scratch)
		run.Events = append(run.Events, model.Event{Kind: model.Free, Time: at + 2, Addr: run.Events[len(run.Events)-1].Addr})
	}
	return run, 1, 2
}

// A table that is loaded at once, and has nearly all blocks of the run, hides no leak that follows, and is none.
func TestVerdictsAfterBurst(t *testing.T) {
	run, table, leak := loadThenLeak()
	for _, chunkSize := range []int{1 << 12, 1 << 15, 1 << 22} {
		ix := builtIndex(t, run, chunkSize)
		said := verdictsOf(t, ix)
		if said[table].Kind != verdict.Kept || said[leak].Kind != verdict.Leak {
			t.Errorf("in chunks of %d: the table is %v, the leak %v", chunkSize, said[table].Kind, said[leak].Kind)
		}
		if growth, ok, err := analysis.TraceGrowth(t.Context(), ix, analysis.FullRange); err != nil || !ok || growth.PerSecond < 6000 || growth.PerSecond > 6800 {
			t.Errorf("in chunks of %d: growth of %v B/s, %v, %v", chunkSize, growth, ok, err)
		}
	}
}

// growThenFree is a program of one site that keeps n blocks, one each millisecond, and then frees all, the last one first.
func growThenFree(n int) *modeltest.Planted {
	run := &modeltest.Planted{Stacks: modeltest.Stacks()}
	for i := range n {
		run.Events = append(run.Events, model.Event{Kind: model.Alloc, Time: 1000 * model.Time(i), ID: 1, Addr: 16 * uint64(i+1), Size: 64})
	}
	for i := range n {
		run.Events = append(run.Events, model.Event{Kind: model.Free, Time: 1000*model.Time(n) + model.Time(i), Addr: 16 * uint64(n-i)})
	}
	return run
}

// All blocks of a leak that are freed at the end are counted, also those allocated in the chunk in which that begins.
func TestVerdictsCountAllThatIsFreedLate(t *testing.T) {
	const n = 30_000
	for _, chunkSize := range []int{1 << 12, 1 << 15, 1 << 22} {
		v := verdictsOf(t, builtIndex(t, growThenFree(n), chunkSize))[1]
		if v.Kind != verdict.Late || v.Late != n || v.LateBytes != n*64 {
			t.Errorf("in chunks of %d: %v, %d blocks of %d bytes were freed late", chunkSize, v.Kind, v.Late, v.LateBytes)
		}
	}
}

// Where there is no memory for verdicts, that is said, and an index is written all the same.
func TestVerdictsWithoutMemory(t *testing.T) {
	ix := builtIndex(t, modeltest.NewPlanted(3, 500), 1<<20)
	ctx := model.WithBudget(t.Context(), model.NewBudget(verdict.SiteBytes*4))
	if l, err := ix.Verdicts(ctx, analysis.ByStack, ""); !errors.As(err, new(*model.MemoryError)) {
		t.Errorf("%d verdicts, %v", len(l), err)
	}
	if err := ix.save(ctx, io.Discard, sections.Key{}); err != nil {
		t.Error(err)
	}
	if l, err := ix.Verdicts(t.Context(), analysis.ByStack, ""); err != nil || len(l) == 0 {
		t.Errorf("%d verdicts, %v", len(l), err)
	}
	if l, _, err := ix.Events(ctx, analysis.EventQuery{Range: analysis.FullRange}); !errors.As(err, new(*model.MemoryError)) {
		t.Errorf("%d events, %v", len(l), err)
	}
}

func builtIndex(t *testing.T, run *modeltest.Planted, chunkSize int) *fileIndex {
	t.Helper()
	store, ix := new(model.Store), newFileIndex(chunkSize)
	source := &chunkedSlice{sliceSource{run.Events, 100}, -1}
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: run.Stacks, Allocations: source})
	if err := Build(t.Context(), store, ix); err != nil {
		t.Fatal(err)
	}
	return ix
}

// That all was freed says what became more and more until then, and the finding about it agrees.
func TestAllFreedButLate(t *testing.T) {
	const n = 1000
	list, err := analysis.Findings(t.Context(), builtIndex(t, growThenFree(n), 1<<12), nil, nil, analysis.UsualFindings)
	if err != nil || len(list) < 2 {
		t.Fatal(list, err)
	}
	const clean = "all 1,000 blocks were freed, but 1,000 of them only at the end, after 999 ms: they had become more and more until then"
	if f := list[0]; f.Kind != analysis.FindingClean || f.Text != clean {
		t.Errorf("%v: %s", f.Kind, f.Text)
	}
	if f := list[1]; f.Kind != analysis.FindingLate || f.Count != n || f.Bytes != 64*n {
		t.Errorf("%v: %d blocks, %d bytes: %s", f.Kind, f.Count, f.Bytes, f.Text)
	}
}
