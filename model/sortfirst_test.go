package model

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestSortFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		rows := r.Perm(r.IntN(60))
		want := slices.Sorted(slices.Values(rows))
		n := r.IntN(len(rows)+3) - 1
		got := slices.Clone(rows)
		SortFirst(got, n, cmp.Compare[int])
		if n <= 0 || n > len(rows) {
			n = len(rows)
		}
		if !slices.Equal(got[:n], want[:n]) {
			t.Fatalf("the first %d of %v are %v, want %v", n, rows, got[:n], want[:n])
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("the rows of %v became %v", rows, got)
		}
	}
}
