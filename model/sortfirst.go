package model

import "slices"

// SortFirst sorts rows as far as their first n are concerned: these are the least, in order, and the others follow in
// any order. It sorts all rows if n is not positive. cmp must not be 0 for two different rows, for the order to be
// determined. It takes far less time than sorting all rows where n is small.
func SortFirst[T any](rows []T, n int, cmp func(a, b T) int) {
	if n <= 0 || n >= len(rows) {
		slices.SortFunc(rows, cmp)
		return
	}
	heap := rows[:n] // its greatest row is the first
	for i := n/2 - 1; i >= 0; i-- {
		siftDown(heap, i, cmp)
	}
	for i := n; i < len(rows); i++ {
		if cmp(rows[i], heap[0]) < 0 {
			heap[0], rows[i] = rows[i], heap[0]
			siftDown(heap, 0, cmp)
		}
	}
	slices.SortFunc(heap, cmp)
}

// siftDown moves row i down to where no row below it is greater.
func siftDown[T any](heap []T, i int, cmp func(a, b T) int) {
	for {
		greatest := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if cmp(heap[child], heap[greatest]) > 0 {
				greatest = child
			}
		}
		if greatest == i {
			return
		}
		heap[i], heap[greatest] = heap[greatest], heap[i]
		i = greatest
	}
}
