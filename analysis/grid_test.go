package analysis

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memtui/memtui/model"
)

// block is a block as the answers show it.
func (w *twin) block(b *twinBlock) Block {
	out := Block{Addr: b.Addr, Size: b.Size, Born: b.Time, Died: model.NoTime, Stack: model.StackID(b.ID), Thread: b.Thread}
	if b.died >= 0 {
		out.Died = w.events[b.died].Time
	}
	return out
}

func (w *twin) in(c Cell, b *twinBlock) bool {
	x := w.block(b)
	return c.Has(SizeClass(x.Size), x.LifeClass())
}

// list is what Blocks answers, unsorted but for the order of birth.
func (w *twin) list(q BlockQuery) (out []Block) {
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
func someCells(r *rand.Rand) []Cell {
	s, l := uint8(r.IntN(13)), uint8(r.IntN(8))
	cell := func(sizeFrom, sizeTo, lifeFrom, lifeTo uint8) Cell {
		return Cell{SizeFrom: sizeFrom, SizeTo: sizeTo, LifeFrom: lifeFrom, LifeTo: lifeTo}
	}
	return []Cell{{}, cell(s, s+1, l, l+1), cell(s, s+1, 0, LifeClasses), cell(0, SizeClasses, l, l+1),
		cell(0, SizeClasses, NeverFreed, LifeClasses), cell(0, SizeClasses, 0, LifeClasses)}
}

func TestCellsAgreeWithTwin(t *testing.T) {
	for seed := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, 2))
		events := randomTrace(r, []int{0, 1, 40, 300, 500}[seed%5])
		ix, w := buildIndex(t, events, testStacks()), newTwin(events, testStacks())
		end := ix.Status().Duration
		for _, rg := range []Range{Whole, {end / 3, end}, {model.NoTime, end / 2}} {
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

func checkGrid(t *testing.T, ix *Index, w *twin, rg Range) {
	want, keyed := new(Grid), new(Grid)
	for _, b := range w.list(BlockQuery{Born: true, Range: rg}) {
		for _, g := range []*Grid{want, keyed} {
			at := &g[SizeClass(b.Size)][b.LifeClass()]
			if g == want || b.Stack == 3 {
				*at = GridCell{at.Count + 1, at.Bytes + b.Size}
			}
		}
	}
	got, err := ix.Grid(t.Context(), GridQuery{Range: rg, All: true})
	if err != nil || *got != *want {
		t.Errorf("grid of %v: %v", rg, err)
	}
	key := slices.Index(ix.StackIDs(), 3)
	if key < 0 {
		return
	}
	got, err = ix.Grid(t.Context(), GridQuery{Range: rg, Key: Key(key)})
	if err != nil || *got != *keyed {
		t.Errorf("grid of stack 3 in %v: %v", rg, err)
	}
}

func checkCell(t *testing.T, ix *Index, w *twin, rg Range, c Cell) {
	for by := range GroupCount {
		q := Query{At: At(rg.To / 2), Range: rg, By: by, Cell: c}
		for range 2 { // the second answer may come from what the first has kept
			if d := gocmp.Diff(w.sites(q), siteMap(t, ix, q), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("sites by %v of %v in %v (-twin +index):\n%s", by, rg, c, d)
			}
		}
		q.At = End
		if d := gocmp.Diff(w.sites(q), siteMap(t, ix, q), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("sites by %v of %v in %v at the end (-twin +index):\n%s", by, rg, c, d)
		}
	}
	for _, q := range []BlockQuery{{At: At(rg.To / 2)}, {At: End}, {Born: true}, {Born: true, Addr: 20}, {At: End, Addr: 33}} {
		q.Range, q.Cell, q.All = rg, c, true
		checkList(t, ix, w, q)
	}
	leaks, err := ix.Leaks(t.Context(), LeakQuery{Range: rg, Cell: c})
	list, err2 := ix.Blocks(t.Context(), BlockQuery{Leaked: true, Range: rg, Cell: c, All: true})
	if err != nil || err2 != nil || leaks.Count != uint64(list.Len()) || leaks.Bytes != list.Bytes() {
		t.Errorf("%d leaks of %d bytes in %v, but %d blocks of %d", leaks.Count, leaks.Bytes, c, list.Len(), list.Bytes())
	}
}

func checkList(t *testing.T, ix *Index, w *twin, q BlockQuery) {
	want := w.list(q)
	less := map[BlockOrder]func(a, b Block) int{
		LargestFirst: func(a, b Block) int { return cmp.Compare(b.Size, a.Size) },
		OldestFirst:  func(Block, Block) int { return 0 },
		LowestFirst:  func(a, b Block) int { return cmp.Compare(a.Addr, b.Addr) },
		ShortestFirst: func(a, b Block) int {
			life := func(x Block) uint64 {
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
		got, bytes := []Block(nil), uint64(0)
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
	for seed := range uint64(10) {
		events := randomTrace(rand.New(rand.NewPCG(seed, 3)), 300)
		ix, w := buildIndex(t, events, testStacks()), newTwin(events, testStacks())
		for _, addr := range []uint64{0, 1, 8, 9, 88, 1 << 63} {
			var want []Block
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
	b := Block{Addr: 1<<64 - 16, Size: 1 << 40}
	if !b.Holds(1<<64-1) || b.Holds(5) || (&Block{Addr: 8}).Holds(9) || !(&Block{Addr: 8}).Holds(8) || (&Block{Size: 9}).Holds(1) {
		t.Error("wrong")
	}
}
