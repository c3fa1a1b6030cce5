package traceindex

import (
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Shares of the duration that make a block late-freed.
const (
	latePercent = 2
	longPercent = 50
)

// percentOf is floor(t*p/100) without overflow.
func percentOf(t model.Time, p int64) model.Time {
	return t/100*model.Time(p) + t%100*model.Time(p)/100
}

// historyRows is how many leaking groups keep their history, the largest ones: more are not looked at, and a hostile file
// has as many stacks as events.
const historyRows = 4096

// columnOf is the history column that a time falls into.
func columnOf(t, from, to model.Time) int {
	if to <= from {
		return analysis.HistoryColumns - 1
	}
	share := float64(t-from) / float64(to-from)
	return min(max(int(share*analysis.HistoryColumns), 0), analysis.HistoryColumns-1)
}

// addThread adds to the threads that are named; more than a few tell nothing.
func addThread(threads []uint16, t uint16) []uint16 {
	const few = 8
	if len(threads) < few && !slices.Contains(threads, t) {
		return append(threads, t)
	}
	return threads
}
