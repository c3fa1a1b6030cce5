package traceindex

import (
	"math"
	"math/bits"

	"github.com/memtui/memtui/model"
)

// pyramid keeps the extremes of the live level over runs of events: level 0 over pyramidBase events, every level above over
// pyramidFan times as many. Any range of events is covered by a few of its spans and two partial runs at the bottom, so no
// extreme is ever averaged away.
type pyramid struct {
	liveHi, live uint64 // 128 bits: hostile sizes add up beyond 64
	count        uint64
	allocBytes   uint64
	allocCount   uint32
	freeEvents   uint32

	run    int // events in cur
	cur    extremes
	base   column[baseRun]
	levels []column[extremes] // levels[0] over pyramidFan base runs
}

const (
	pyramidFan = 16
)

// extremes of the level after each event of a run. An empty one has minBytes > maxBytes.
type extremes struct {
	minBytes, maxBytes uint64
	minCount, maxCount uint32
}

// baseRun is a whole run of pyramidBase events and the sums at its end.
type baseRun struct {
	extremes
	level
}

// level is the state after an event.
type level struct {
	bytes, allocBytes             uint64
	count, allocCount, freeEvents uint32
}

var nothing = extremes{minBytes: math.MaxUint64, minCount: math.MaxUint32}

func (e *extremes) add(o extremes) {
	e.minBytes, e.maxBytes = min(e.minBytes, o.minBytes), max(e.maxBytes, o.maxBytes)
	e.minCount, e.maxCount = min(e.minCount, o.minCount), max(e.maxCount, o.maxCount)
}

func (e *extremes) addLevel(l *level) {
	e.add(extremes{l.bytes, l.bytes, l.count, l.count})
}

func (p *pyramid) alloc(size uint64) {
	var carry uint64
	p.live, carry = bits.Add64(p.live, size, 0)
	p.liveHi += carry
	p.count++
	p.allocBytes, _ = model.SaturatingAdd(p.allocBytes, size)
	p.allocCount++
}

func (p *pyramid) free(size uint64) {
	var borrow uint64
	p.live, borrow = bits.Sub64(p.live, size, 0)
	p.liveHi -= borrow
	p.count--
}

// reaching is the first run from i on that reaches a level, the number of runs if none does. look is called before a run is looked
// at: few are, as the levels above tell where.
func (p *pyramid) reaching(i int, bytes uint64, look func(run int)) int {
	for i < p.base.n {
		skip := 0
		for lv, span := 0, pyramidFan; lv < len(p.levels) && i%span == 0 && i/span < p.levels[lv].n; lv, span = lv+1, span*pyramidFan {
			if p.levels[lv].at(i/span).maxBytes >= bytes {
				break
			}
			skip = span
		}
		if skip == 0 {
			if look(i); p.base.at(i).maxBytes >= bytes {
				break
			}
			skip = 1
		}
		i += skip
	}
	return i
}

// now is the level after what was added last, saturated.
func (p *pyramid) now() level {
	l := level{p.live, p.allocBytes, uint32(p.count), p.allocCount, p.freeEvents}
	if p.liveHi != 0 {
		l.bytes = math.MaxUint64
	}
	return l
}

// push adds a whole run.
func (p *pyramid) push(r baseRun) {
	p.base.append(r)
	n := p.base.n
	for lv := 0; n%pyramidFan == 0; lv++ {
		p.fold(lv, n)
		n /= pyramidFan
	}
}

// fold appends to levels[lv] the extremes of the last pyramidFan spans of the n below it.
func (p *pyramid) fold(lv, n int) {
	if lv == len(p.levels) {
		p.levels = append(p.levels, column[extremes]{})
	}
	e := nothing
	for i := n - pyramidFan; i < n; i++ {
		e.add(p.span(lv-1, i))
	}
	p.levels[lv].append(e)
}

// span is span i of a level; level -1 is the base.
func (p *pyramid) span(lv, i int) extremes {
	if lv < 0 {
		return p.base.at(i).extremes
	}
	return p.levels[lv].at(i)
}

// spans returns the extremes over base runs [from, to).
func (p *pyramid) spans(from, to int) extremes {
	e := nothing
	for lv := -1; from < to; lv++ {
		if lv+1 >= len(p.levels) {
			for ; from < to; from++ {
				e.add(p.span(lv, from))
			}
			return e
		}
		for ; from < to && from%pyramidFan != 0; from++ {
			e.add(p.span(lv, from))
		}
		for ; from < to && to%pyramidFan != 0; to-- {
			e.add(p.span(lv, to-1))
		}
		from, to = from/pyramidFan, to/pyramidFan
	}
	return e
}

func (p *pyramid) memory() int64 {
	n := int64(len(p.base.chunks)) * chunkLen * 56
	for i := range p.levels {
		n += int64(len(p.levels[i].chunks)) * chunkLen * 24
	}
	return n
}
