//go:build !race

package mvmheap

// poolLeak is how many times more the race detector's pools allocate.
const poolLeak = 1
