package group

import (
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Shares of the duration that make a block late-freed.
const (
	LatePercent = 2
	LongPercent = 50
)

// PercentOf is floor(t*p/100) without overflow.
func PercentOf(t model.Time, p int64) model.Time {
	return t/100*model.Time(p) + t%100*model.Time(p)/100
}

// HistoryRows is how many leaking groups keep their history, the largest ones: more are not looked at, and a hostile
// file has as many stacks as events.
const HistoryRows = 4096

// ColumnOf returns the history column that a time falls into.
func ColumnOf(t, from, to model.Time) int {
	if to <= from {
		return analysis.HistoryColumns - 1
	}
	share := float64(t-from) / float64(to-from)
	return min(max(int(share*analysis.HistoryColumns), 0), analysis.HistoryColumns-1)
}

// AddThread adds to the threads that are named; more than a few tell nothing.
func AddThread(threads []uint16, t uint16) []uint16 {
	const few = 8
	if len(threads) < few && !slices.Contains(threads, t) {
		return append(threads, t)
	}
	return threads
}
