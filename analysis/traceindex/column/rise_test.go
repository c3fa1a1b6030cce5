package column

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRiseColumn reads numbers that never fall in every way, over several chunks of steps.
func TestRiseColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	var c RiseColumn
	var want []uint64
	v := uint64(0)
	for range 50_000 {
		v += r.Uint64() >> (24 + r.IntN(40))
		c.Append(v)
		want = append(want, v)
	}
	if len(c.Steps.Chunks) < 3 {
		t.Error(len(c.Steps.Chunks), "chunks of steps")
	}
	all := c.Reader()
	for i, v := range want {
		if got := c.At(i); got != v {
			t.Fatalf("number %d: %d, want %d", i, got, v)
		}
		if got := all.To(i); got != v {
			t.Fatalf("number %d in order: %d, want %d", i, got, v)
		}
	}
	leaps := c.Reader()
	for i := r.IntN(3); i < len(want); i += 1 + r.IntN(1+r.IntN(200)) {
		if got := leaps.To(i); got != want[i] {
			t.Fatalf("number %d in leaps: %d, want %d", i, got, want[i])
		}
	}
	for range 2000 {
		i := r.IntN(len(want))
		x := want[i] + uint64(r.IntN(3)) - 1
		first, _ := slices.BinarySearch(want, x)
		if got := c.Search(x); got != first {
			t.Fatalf("search for %d: %d, want %d", x, got, first)
		}
	}
}

// TestRiseColumnBeyond4GiB has more steps than 32 bits count. All of those before are the same memory.
func TestRiseColumnBeyond4GiB(t *testing.T) {
	c := RiseColumn{Steps: Column[byte]{Chunks: slices.Repeat([][]byte{make([]byte, ChunkLen)}, 1<<32/ChunkLen), N: 1 << 32}}
	for i := range uint64(3 * riseSpan) {
		c.Append(i * 1000)
	}
	for i := range 3 * riseSpan {
		if got := c.At(i); got != uint64(i)*1000 {
			t.Fatalf("number %d: %d", i, got)
		}
	}
}
