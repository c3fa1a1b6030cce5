package group

import (
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Shares of the duration that define a block as late-freed.
const (
	LatePercent = 2
	LongPercent = 50
)

// PercentOf returns floor(t*p/100) without overflow.
func PercentOf(t model.Time, p int64) model.Time {
	return t/100*model.Time(p) + t%100*model.Time(p)/100
}

// HistoryRows is the number of leaking groups, largest first, that get a history: users do not look at more, and a
// hostile file has as many stacks as events.
const HistoryRows = 4096

// ColumnOf returns the history column of a time.
func ColumnOf(t, from, to model.Time) int {
	if to <= from {
		return analysis.HistoryColumns - 1
	}
	share := float64(t-from) / float64(to-from)
	return min(max(int(share*analysis.HistoryColumns), 0), analysis.HistoryColumns-1)
}

// AddThread adds a thread to a list of at most 8: more would be of no use.
func AddThread(threads []uint16, t uint16) []uint16 {
	const few = 8
	if len(threads) < few && !slices.Contains(threads, t) {
		return append(threads, t)
	}
	return threads
}

// LeakRow has what a walk over blocks finds out about those of one stack that were never freed, or freed late. It has
// no pointers: index files store it as is.
type LeakRow struct {
	Key                     uint64
	Count, Bytes            uint64
	newest, median, oldest  model.Time
	first, last             model.Time
	threadCount, historyRow uint32 // its threads; number of its history + 1, 0 for none
	threads                 [8]uint16
}

// LeakRows are all rows of a list, most bytes first. Read-only once made.
type LeakRows struct {
	Rows      []LeakRow
	Histories [][]byte // packed; of the first rows
}

// Add adds the row with the next most bytes. Only the first ones get a history.
func (l *LeakRows) Add(key uint64, s *analysis.LeakSite) {
	row := LeakRow{Key: key, Count: s.Count, Bytes: s.Bytes, newest: s.Newest, median: s.Median, oldest: s.Oldest,
		first: s.First, last: s.Last, threadCount: uint32(len(s.Threads))}
	copy(row.threads[:], s.Threads)
	if len(l.Rows) < HistoryRows {
		l.Histories = append(l.Histories, packLevels(s.History))
		row.historyRow = uint32(len(l.Histories))
	}
	l.Rows = append(l.Rows, row)
}

// Site returns the figures of a row.
func (l *LeakRows) Site(i int) (s analysis.LeakSite, err error) {
	r := &l.Rows[i]
	s = analysis.LeakSite{Count: r.Count, Bytes: r.Bytes, Newest: r.newest, Median: r.median, Oldest: r.oldest,
		First: r.first, Last: r.last, Threads: slices.Clone(r.threads[:min(int(r.threadCount), len(r.threads))])}
	if r.historyRow > 0 {
		s.History, err = unpackLevels(l.Histories[r.historyRow-1])
	}
	return s, err
}

// Fit reports whether all rows have what they refer to.
func (l *LeakRows) Fit(stacks int) bool {
	for i := range l.Rows {
		r := &l.Rows[i]
		if r.Key >= uint64(stacks) || int(r.historyRow) > len(l.Histories) {
			return false
		}
	}
	return true
}
