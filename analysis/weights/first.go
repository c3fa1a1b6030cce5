package weights

import "slices"

// KeepFirst adds x to a sorted list of at most n elements and returns it: the first n, in the order of compare, of all
// that were added. Elements that compare equal stay in the order in which they came. It reuses the list.
func KeepFirst[T any](list []T, x T, n int, compare func(a, b T) int) []T {
	if n <= 0 || len(list) >= n && compare(list[len(list)-1], x) <= 0 {
		return list
	}
	if len(list) >= n {
		list = list[:n-1]
	}
	at, _ := slices.BinarySearchFunc(list, x, func(have, x T) int {
		if compare(have, x) <= 0 {
			return -1
		}
		return 1
	})
	return slices.Insert(list, at, x)
}
