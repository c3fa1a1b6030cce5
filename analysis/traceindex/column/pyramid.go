package column

import (
	"math"
	"math/bits"

	"github.com/memtui/memtui/model"
)

// Pyramid keeps the extremes of the live level over runs of events: level 0 over pyramidBase events, every level above
// over PyramidFan times as many. Any range of events is covered by a few of its spans and two partial runs at the
// bottom, so no extreme is ever averaged away.
type Pyramid struct {
	LiveHi, Live uint64 // 128 bits: hostile sizes add up to more than 64
	Count        uint64
	AllocBytes   uint64
	AllocCount   uint32
	FreeEvents   uint32

	Run    int // events in cur
	Cur    Extremes
	Base   Column[BaseRun]
	Levels []Column[Extremes] // levels[0] over PyramidFan base runs
}

const (
	PyramidFan = 16
)

// Extremes are the least and the highest level after each event of a run. Without events MinBytes > MaxBytes.
type Extremes struct {
	MinBytes, MaxBytes uint64
	MinCount, MaxCount uint32
}

// BaseRun is a complete run of pyramidBase events, with the sums at its end.
type BaseRun struct {
	Extremes
	Level
}

// Level is the state after an event.
type Level struct {
	Bytes, AllocBytes             uint64
	Count, AllocCount, FreeEvents uint32
}

var Nothing = Extremes{MinBytes: math.MaxUint64, MinCount: math.MaxUint32}

// Add widens e by other extremes and adds their sums.
func (e *Extremes) Add(o Extremes) {
	e.MinBytes, e.MaxBytes = min(e.MinBytes, o.MinBytes), max(e.MaxBytes, o.MaxBytes)
	e.MinCount, e.MaxCount = min(e.MinCount, o.MinCount), max(e.MaxCount, o.MaxCount)
}

// AddLevel widens e by one level.
func (e *Extremes) AddLevel(l *Level) {
	e.Add(Extremes{l.Bytes, l.Bytes, l.Count, l.Count})
}

// Alloc adds a block of the given size to the current level.
func (p *Pyramid) Alloc(size uint64) {
	var carry uint64
	p.Live, carry = bits.Add64(p.Live, size, 0)
	p.LiveHi += carry
	p.Count++
	p.AllocBytes, _ = model.SaturatingAdd(p.AllocBytes, size)
	p.AllocCount++
}

// Free subtracts a block of the given size from the current level.
func (p *Pyramid) Free(size uint64) {
	var borrow uint64
	p.Live, borrow = bits.Sub64(p.Live, size, 0)
	p.LiveHi -= borrow
	p.Count--
}

// Reaching returns the first run from i that reaches a level, or the number of runs if none does. It calls look before
// it reads a run. It reads few, as the levels above narrow the search.
func (p *Pyramid) Reaching(i int, bytes uint64, look func(run int)) int {
	for i < p.Base.N {
		skip := 0
		for lv, span := 0, PyramidFan; lv < len(p.Levels) && i%span == 0 && i/span < p.Levels[lv].N; lv, span = lv+1, span*PyramidFan {
			if p.Levels[lv].At(i/span).MaxBytes >= bytes {
				break
			}
			skip = span
		}
		if skip == 0 {
			if look(i); p.Base.At(i).MaxBytes >= bytes {
				break
			}
			skip = 1
		}
		i += skip
	}
	return i
}

// Now returns the current level, saturated.
func (p *Pyramid) Now() Level {
	l := Level{p.Live, p.AllocBytes, uint32(p.Count), p.AllocCount, p.FreeEvents}
	if p.LiveHi != 0 {
		l.Bytes = math.MaxUint64
	}
	return l
}

// Push adds a complete run.
func (p *Pyramid) Push(r BaseRun) {
	p.Base.Append(r)
	n := p.Base.N
	for lv := 0; n%PyramidFan == 0; lv++ {
		p.fold(lv, n)
		n /= PyramidFan
	}
}

// fold appends to levels[lv] the extremes of the last PyramidFan spans of the n below it.
func (p *Pyramid) fold(lv, n int) {
	if lv == len(p.Levels) {
		p.Levels = append(p.Levels, Column[Extremes]{Files: p.Base.Files})
	}
	e := Nothing
	for i := n - PyramidFan; i < n; i++ {
		e.Add(p.Span(lv-1, i))
	}
	p.Levels[lv].Append(e)
}

// Span returns span i of a level; level -1 is the base.
func (p *Pyramid) Span(lv, i int) Extremes {
	if lv < 0 {
		return p.Base.At(i).Extremes
	}
	return p.Levels[lv].At(i)
}

// Spans returns the extremes over base runs [from, to).
func (p *Pyramid) Spans(from, to int) Extremes {
	e := Nothing
	for lv := -1; from < to; lv++ {
		if lv+1 >= len(p.Levels) {
			for ; from < to; from++ {
				e.Add(p.Span(lv, from))
			}
			return e
		}
		for ; from < to && from%PyramidFan != 0; from++ {
			e.Add(p.Span(lv, from))
		}
		for ; from < to && to%PyramidFan != 0; to-- {
			e.Add(p.Span(lv, to-1))
		}
		from, to = from/PyramidFan, to/PyramidFan
	}
	return e
}

// Memory returns about how many bytes the pyramid takes.
func (p *Pyramid) Memory() int64 {
	n := int64(len(p.Base.Chunks)) * ChunkLen * 56
	for i := range p.Levels {
		n += int64(len(p.Levels[i].Chunks)) * ChunkLen * 24
	}
	return n
}
