package traceindex

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// Times of short and of endless runs come back as they were put in, also where a chunk outgrows its offsets.
func TestTimeColumn(t *testing.T) {
	for _, gap := range []int64{3, 1 << 14, 1 << 20, 1 << 45} {
		r := rand.New(rand.NewPCG(uint64(gap), 1))
		var c timeColumn
		var want []model.Time
		at := model.Time(r.Int64N(100))
		for range 3 * column.ChunkLen / 2 {
			c.append(at)
			want = append(want, at)
			at, _ = at.Add(r.Uint64N(uint64(gap)))
		}
		got := make([]model.Time, c.n)
		for i := range got {
			got[i] = c.At(i)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("gap %d: times differ", gap)
		}
		for range 100 {
			x := want[r.IntN(len(want))]
			after := func(y model.Time) bool { return y > x }
			if i := c.search(after); i != sort.Search(len(want), func(i int) bool { return after(want[i]) }) {
				t.Fatalf("gap %d: search for %d gives %d", gap, x, i)
			}
		}
	}
}

func TestSizeColumns(t *testing.T) {
	want := []uint64{0, 1, math.MaxUint32 - 1, math.MaxUint32, math.MaxUint32 + 1, 1 << 63, 7, 1<<64 - 1}
	var c sizeColumn
	var o column.OriginColumn
	for i, v := range want {
		c.Append(v)
		o.Room(1)[0] = column.Origin{Site: uint32(i), Size: o.Large.Low(i, v)}
	}
	for i, v := range want {
		if got := c.At(i); got != v {
			t.Errorf("size %d: %d, want %d", i, got, v)
		}
		if site, got := o.At(i); got != v || site != uint32(i) {
			t.Errorf("size %d of site %d: %d of %d", i, i, got, site)
		}
	}
}

// TestAlikeAreNotSorted lists blocks of one size, of which there may be any number: that takes no memory.
func TestAlikeAreNotSorted(t *testing.T) {
	ix := newFileIndex(0)
	refs := make([]uint32, 100_000)
	for i := range refs {
		ix.records.origin.Append(column.Origin{Size: 48})
		refs[i] = uint32(i)
	}
	s := &sortedRefs{ix: ix, by: analysis.LargestFirst}
	least := math.Inf(1)
	for range 5 { // other goroutines of the process may allocate as well
		least = min(least, testing.AllocsPerRun(1, func() { s.sort(refs) }))
	}
	if least != 0 {
		t.Errorf("%v allocations", least)
	}
	ix.records.origin.Set(70_000, column.Origin{Size: 64})
	if s.sort(refs); refs[0] != 70_000 || refs[1] != 0 || refs[len(refs)-1] != 99_999 {
		t.Error(refs[:3])
	}
}
