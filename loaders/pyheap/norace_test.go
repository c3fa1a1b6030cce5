//go:build !race

package pyheap

// underRace says that the race detector makes everything slow.
const underRace = false
