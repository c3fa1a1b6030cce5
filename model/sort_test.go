package model

import (
	"cmp"
	"context"
	"slices"
	"testing"
)

func TestSortStableStops(t *testing.T) {
	s := make([]int, 1<<20)
	for i := range s {
		s[i] = i * 7919 % len(s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	compared, after := 0, 0
	err := SortStable(ctx, s, func(a, b int) int {
		if compared++; compared == 100_000 {
			cancel()
		}
		if ctx.Err() != nil {
			after++
		}
		return cmp.Compare(a, b)
	})
	if err != context.Canceled || after > 16*sortRun {
		t.Errorf("%v, and %d comparisons after the end", err, after)
	}
	if err := SortStable(t.Context(), s, cmp.Compare[int]); err != nil || !slices.IsSorted(s) || s[len(s)-1] != len(s)-1 {
		t.Error("the elements are not all there, in order")
	}
	for _, n := range []int{0, 1, sortRun, sortRun + 1, 5*sortRun + 7} {
		pairs := make([][2]int, n)
		for i := range pairs {
			pairs[i] = [2]int{i * 7919 % 31, i}
		}
		if err := SortStable(t.Context(), pairs, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) }); err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(pairs, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
			t.Errorf("%d elements are not stably sorted", n)
		}
	}
}
