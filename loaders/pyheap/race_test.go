//go:build race

package pyheap

// underRace says that the race detector makes everything slow: one interpreter has to do.
const underRace = true
