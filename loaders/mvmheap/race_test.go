//go:build race

package mvmheap

// poolLeak is how many times more the race detector's pools allocate: they throw a part of what is put back away, at
// random.
const poolLeak = 3
