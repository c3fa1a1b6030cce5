package model

import (
	"context"
	"slices"
)

// askSort is how many comparisons a sort makes before its context is asked again.
const askSort = 1 << 14

// stopSort is what a sort panics with when its context is done: package slices has no other way out.
type stopSort struct{}

// SortStable sorts s, equal elements in their order, and stops when ctx is done: then s has the same elements in any order, and
// the error is that of ctx.
func SortStable[T any](ctx context.Context, s []T, compare func(a, b T) int) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopSort:
			err = ctx.Err()
		default:
			panic(r)
		}
	}()
	n := 0
	slices.SortStableFunc(s, func(a, b T) int {
		if n++; n%askSort == 0 && ctx.Err() != nil {
			panic(stopSort{})
		}
		return compare(a, b)
	})
	return nil
}
