// Package live computes the live bytes of parts of a trace from column to column. Segments of events are summed up
// separately, each from a level of 0, and then joined in order.
package live

import (
	"math"
	"math/bits"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// wide is a signed sum of 128 bits: sizes that a file claims may not fit 64 bits.
type wide struct {
	hi int64
	lo uint64
}

func (a wide) plus(b wide) wide {
	lo, carry := bits.Add64(a.lo, b.lo, 0)
	return wide{a.hi + b.hi + int64(carry), lo}
}

func (a wide) minus(size uint64) wide {
	lo, borrow := bits.Sub64(a.lo, size, 0)
	return wide{a.hi - int64(borrow), lo}
}

func (a wide) less(b wide) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// shown returns a level as in answers: capped at 2^64-1.
func (a wide) shown() uint64 {
	switch {
	case a.hi < 0:
		return 0
	case a.hi > 0:
		return math.MaxUint64
	}
	return a.lo
}

// Moves are the changes of the blocks of one part in a segment of events. Levels are relative to the one before it.
type Moves struct {
	bytes, low, high           wide // after the segment; extremes after any of its events with a change
	count, lowCount, highCount int64
	atHigh                     int64 // count when high is reached
	allocBytes                 uint64
	allocCount, frees, changes uint64
	first, event, reaches      int // events: of the first change, of the last one, and when high is first reached
	changed                    bool
}

// Add adds a change, in the order of events. Changes by one event count together.
func (m *Moves) Add(event int, size uint64, how column.Change) {
	switch {
	case !m.changed:
		m.changed, m.first = true, event
		m.event = event
	case event != m.event:
		m.level()
		m.event = event
	}
	if how == column.Born {
		m.bytes = m.bytes.plus(wide{0, size})
		m.count++
		m.allocBytes, _ = model.SaturatingAdd(m.allocBytes, size)
		m.allocCount++
		return
	}
	m.bytes = m.bytes.minus(size)
	m.count--
	if how != column.Overwrote {
		m.frees++
	}
}

// level records the level after the last event.
func (m *Moves) level() {
	if m.changes == 0 || m.high.less(m.bytes) {
		m.high, m.reaches, m.atHigh = m.bytes, m.event, m.count
	}
	if m.changes == 0 || m.bytes.less(m.low) {
		m.low = m.bytes
	}
	if m.changes == 0 {
		m.lowCount, m.highCount = m.count, m.count
	}
	m.lowCount, m.highCount = min(m.lowCount, m.count), max(m.highCount, m.count)
	m.changes++
}

// End records the level after the segment, and reports whether anything changed in it.
func (m *Moves) End() bool {
	if m.changed {
		m.level()
	}
	return m.changed
}

// Level is the live memory of a part.
type Level struct {
	bytes wide
	count int64
}

// LevelOf returns the Level of bytes that fit 64 bits.
func LevelOf(bytes, count uint64) Level { return Level{wide{0, bytes}, int64(count)} }

// Curve is the level of one part from column to column.
type Curve struct {
	Columns []analysis.Column
	at      int // current column
	Level

	lo, hi int // events of the range
	top    wide
	topN   uint64 // blocks at the highest level
	topAt  int    // number of events until it is reached, 0 before any
}

// NewCurve returns a curve of n columns for the range from, to, whose events are [lo, hi).
func NewCurve(from, to model.Time, n, lo, hi int, before Level) *Curve {
	c := &Curve{Columns: make([]analysis.Column, n), Level: before, lo: lo, hi: hi, at: -1}
	for i := range c.Columns {
		c.Columns[i].From, c.Columns[i].To = analysis.ColumnEdge(from, to, i, n), analysis.ColumnEdge(from, to, i+1, n)
	}
	c.until(0)
	return c
}

// until ends the columns before column i, and begins that.
func (c *Curve) until(i int) {
	for ; c.at < i; c.at++ {
		if c.at+1 < len(c.Columns) {
			x := &c.Columns[c.at+1]
			x.MinBytes, x.MaxBytes, x.LastBytes = c.bytes.shown(), c.bytes.shown(), c.bytes.shown()
			x.MinCount, x.MaxCount, x.LastCount = uint64(c.count), uint64(c.count), uint64(c.count)
		}
	}
}

// Add adds a segment that is within column i. Segments come in order.
func (c *Curve) Add(i int, m *Moves) {
	c.until(i)
	if c.topAt == 0 && m.first > c.lo { // the level carried in remains after the first event
		c.top, c.topAt, c.topN = c.bytes, c.lo+1, uint64(c.count)
	}
	high := c.bytes.plus(m.high)
	if c.topAt == 0 || c.top.less(high) {
		c.top, c.topAt, c.topN = high, m.reaches+1, uint64(c.count+m.atHigh)
	}
	x := &c.Columns[i]
	x.MinBytes = min(x.MinBytes, c.bytes.plus(m.low).shown())
	x.MaxBytes = max(x.MaxBytes, high.shown())
	x.MinCount = min(x.MinCount, uint64(c.count+m.lowCount))
	x.MaxCount = max(x.MaxCount, uint64(c.count+m.highCount))
	c.bytes = c.bytes.plus(m.bytes)
	c.count += m.count
	x.LastBytes, x.LastCount = c.bytes.shown(), uint64(c.count)
	x.AllocBytes, _ = model.SaturatingAdd(x.AllocBytes, m.allocBytes)
	x.AllocCount += m.allocCount
	x.FreeCount += m.frees
	x.Events += m.changes
}

// End completes the curve. It returns the highest level after any event of the range, and the number of events until it
// is first reached; 0 if the range has no events.
func (c *Curve) End() (bytes, count uint64, events int) {
	c.until(len(c.Columns))
	if c.topAt == 0 && c.lo < c.hi {
		c.top, c.topAt, c.topN = c.bytes, c.lo+1, uint64(c.count)
	}
	return c.top.shown(), c.topN, c.topAt
}
