package traceindex

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// block is a block as the answers show it.
func (w *twin) block(b *twinBlock) analysis.Block {
	out := analysis.Block{Addr: b.Addr, Size: b.Size, Born: b.Time, Died: model.NoTime, Stack: model.StackID(b.ID), Thread: b.Thread}
	if b.died >= 0 {
		out.Died = w.events[b.died].Time
	}
	return out
}

func (w *twin) in(c analysis.Cell, b *twinBlock) bool {
	x := w.block(b)
	return c.Has(analysis.SizeClass(x.Size), x.LifeClass())
}

// list is what Blocks answers, unsorted but for the order of birth.
func (w *twin) list(q analysis.BlockQuery) (out []analysis.Block) {
	lo, hi := w.span(q.Range)
	at := w.after(q.At)
	for i := range w.blocks {
		b := &w.blocks[i]
		alive := b.born < at && (b.died < 0 || b.died >= at)
		if q.Born {
			alive = b.born >= lo && b.born < hi
		}
		x := w.block(b)
		if alive && w.in(q.Cell, b) && (q.Addr == 0 || x.Holds(q.Addr)) {
			out = append(out, x)
		}
	}
	return out
}

// someCells are everything, one cell, a row, a column, and what was never freed.
func someCells(r *rand.Rand) []analysis.Cell {
	s, l := uint8(r.IntN(13)), uint8(r.IntN(8))
	cell := func(sizeFrom, sizeTo, lifeFrom, lifeTo uint8) analysis.Cell {
		return analysis.Cell{SizeFrom: sizeFrom, SizeTo: sizeTo, LifeFrom: lifeFrom, LifeTo: lifeTo}
	}
	return []analysis.Cell{{}, cell(s, s+1, l, l+1), cell(s, s+1, 0, analysis.LifeClasses), cell(0, analysis.SizeClasses, l, l+1),
		cell(0, analysis.SizeClasses, analysis.NeverFreed, analysis.LifeClasses), cell(0, analysis.SizeClasses, 0, analysis.LifeClasses)}
}

func TestCellsAgreeWithTwin(t *testing.T) {
	for seed := range rounds(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		events := randomTrace(r, []int{0, 1, 40, 300, 500}[seed%5])
		ix, w := buildIndex(t, events, modeltest.Stacks()), newTwin(events, modeltest.Stacks())
		end := ix.Status().Duration
		for _, rg := range []analysis.Range{analysis.FullRange, {From: end / 3, To: end}, {From: model.NoTime, To: end / 2}} {
			checkGrid(t, ix, w, rg)
			for _, c := range someCells(r) {
				checkCell(t, ix, w, rg, c)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkGrid(t *testing.T, ix *Index, w *twin, rg analysis.Range) {
	want, keyed := new(analysis.Grid), new(analysis.Grid)
	for _, b := range w.list(analysis.BlockQuery{Born: true, Range: rg}) {
		for _, g := range []*analysis.Grid{want, keyed} {
			at := &g[analysis.SizeClass(b.Size)][b.LifeClass()]
			if g == want || b.Stack == 3 {
				*at = analysis.GridCell{Count: at.Count + 1, Bytes: at.Bytes + b.Size}
			}
		}
	}
	got, err := ix.Grid(t.Context(), analysis.GridQuery{Range: rg, All: true})
	if err != nil || *got != *want {
		t.Errorf("grid of %v: %v", rg, err)
	}
	key := slices.Index(ix.StackIDs(), 3)
	if key < 0 {
		return
	}
	got, err = ix.Grid(t.Context(), analysis.GridQuery{Range: rg, Key: analysis.Key(key)})
	if err != nil || *got != *keyed {
		t.Errorf("grid of stack 3 in %v: %v", rg, err)
	}
}

func checkCell(t *testing.T, ix *Index, w *twin, rg analysis.Range, c analysis.Cell) {
	for by := range analysis.GroupCount {
		q := analysis.Query{At: analysis.At(rg.To / 2), Range: rg, By: by, Cell: c}
		for range 2 { // the second answer may come from what the first has kept
			if d := gocmp.Diff(w.sites(q), siteMap(t, ix, q), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("sites by %v of %v in %v (-twin +index):\n%s", by, rg, c, d)
			}
		}
		q.At = analysis.End
		if d := gocmp.Diff(w.sites(q), siteMap(t, ix, q), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("sites by %v of %v in %v at the end (-twin +index):\n%s", by, rg, c, d)
		}
	}
	for _, q := range []analysis.BlockQuery{{At: analysis.At(rg.To / 2)}, {At: analysis.End}, {Born: true}, {Born: true, Addr: 20}, {At: analysis.End, Addr: 33}} {
		q.Range, q.Cell, q.All = rg, c, true
		checkList(t, ix, w, q)
	}
	leaks, err := ix.Leaks(t.Context(), analysis.LeakQuery{Range: rg, Cell: c})
	list, err2 := ix.Blocks(t.Context(), analysis.BlockQuery{Leaked: true, Range: rg, Cell: c, All: true})
	if err != nil || err2 != nil || leaks.Count != uint64(list.Len()) || leaks.Bytes != list.Bytes() {
		t.Errorf("%d leaks of %d bytes in %v, but %d blocks of %d", leaks.Count, leaks.Bytes, c, list.Len(), list.Bytes())
	}
}

func checkList(t *testing.T, ix *Index, w *twin, q analysis.BlockQuery) {
	want := w.list(q)
	less := map[analysis.BlockOrder]func(a, b analysis.Block) int{
		analysis.LargestFirst: func(a, b analysis.Block) int { return cmp.Compare(b.Size, a.Size) },
		analysis.OldestFirst:  func(analysis.Block, analysis.Block) int { return 0 },
		analysis.LowestFirst:  func(a, b analysis.Block) int { return cmp.Compare(a.Addr, b.Addr) },
		analysis.ShortestFirst: func(a, b analysis.Block) int {
			life := func(x analysis.Block) uint64 {
				if x.Died == model.NoTime {
					return 1 << 63
				}
				return uint64(x.Died - x.Born)
			}
			return cmp.Compare(life(a), life(b))
		},
	}
	for order, f := range less {
		q.Sort = order
		sorted := slices.Clone(want)
		slices.SortStableFunc(sorted, f)
		list, err := ix.Blocks(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		got, bytes := []analysis.Block(nil), uint64(0)
		for i := range list.Len() {
			got = append(got, list.Row(i))
			bytes += list.Row(i).Size
		}
		if !slices.Equal(got, sorted) || bytes != list.Bytes() {
			t.Errorf("%+v: %v, want %v", q, got, sorted)
		}
	}
}

func TestUsesAgreeWithTwin(t *testing.T) {
	for seed := range rounds(10) {
		events := randomTrace(rand.New(rand.NewPCG(seed, 3)), 300)
		ix, w := buildIndex(t, events, modeltest.Stacks()), newTwin(events, modeltest.Stacks())
		for _, addr := range []uint64{0, 1, 8, 9, 88, 1 << 63} {
			var want []analysis.Block
			for i := range w.blocks {
				if b := w.block(&w.blocks[i]); b.Holds(addr) && addr != 0 {
					want = append(want, b)
				}
			}
			for _, limit := range []int{0, 3, 1000} {
				got, total, err := ix.Uses(t.Context(), addr, limit)
				if err != nil || total != len(want) || !slices.Equal(got, want[max(0, len(want)-limit):]) {
					t.Errorf("uses of %d: %d, %v, want %v", addr, total, got, want)
				}
			}
		}
	}
}

func TestHoldsDoesNotOverflow(t *testing.T) {
	b := analysis.Block{Addr: 1<<64 - 16, Size: 1 << 40}
	if !b.Holds(1<<64-1) || b.Holds(5) || (&analysis.Block{Addr: 8}).Holds(9) || !(&analysis.Block{Addr: 8}).Holds(8) || (&analysis.Block{Size: 9}).Holds(1) {
		t.Error("wrong")
	}
}
