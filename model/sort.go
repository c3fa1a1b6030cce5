package model

import (
	"context"
	"slices"
)

// sortRun is how many elements are sorted or merged between two checks of the context.
const sortRun = 1 << 12

// SortStable sorts s, keeping equal elements in order. It stops when ctx is done: then s has the same elements in any
// order, and the error is that of ctx.
func SortStable[T any](ctx context.Context, s []T, compare func(a, b T) int) error {
	for run := range slices.Chunk(s, sortRun) {
		if err := ctx.Err(); err != nil {
			return err
		}
		slices.SortStableFunc(run, compare)
	}
	if len(s) <= sortRun {
		return nil
	}
	from, to := slices.Clone(s), make([]T, len(s))
	for width := sortRun; width < len(s); width *= 2 {
		for at := 0; at < len(s); at += 2 * width {
			mid, end := min(at+width, len(s)), min(at+2*width, len(s))
			if err := merge(ctx, to[at:end], from[at:mid], from[mid:end], compare); err != nil {
				return err
			}
		}
		from, to = to, from
	}
	copy(s, from)
	return nil
}

// merge fills to with the elements of two sorted lists; of equal ones, those of a are first.
func merge[T any](ctx context.Context, to, a, b []T, compare func(a, b T) int) error {
	for i := range to {
		if i%sortRun == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if len(a) == 0 || len(b) > 0 && compare(b[0], a[0]) < 0 {
			to[i], b = b[0], b[1:]
		} else {
			to[i], a = a[0], a[1:]
		}
	}
	return nil
}
