package traceindex

import (
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// errParts means that a stream of parts is invalid.
var errParts = sections.Damaged("parts of a run are inconsistent")

// partEnd returns the end of the part of the chunk that begins at an event.
func (f *folder) partEnd(begin int) int {
	e := &f.j.events
	end := f.usualEnd(begin)
	last := min(end, e.Len()-1)
	if e.Since(last)-e.Since(begin) < f.longPart {
		return end
	}
	to, most := end, model.Time(0)
	for i := begin + 1; i <= last; i++ {
		if gap := e.Since(i) - e.Since(i-1); gap > most {
			to, most = i, gap
		}
	}
	if most < f.longGap() {
		return end
	}
	return to
}

func (f *folder) usualEnd(begin int) int {
	in := begin % runLength
	return min(begin-in%column.PartLength+column.PartLength, begin-in+runLength, len(f.j.events.Time))
}

// usualParts resets the parts for a new chunk: a part is long if it takes twice as long as the mean.
func (f *folder) usualParts() {
	n := f.j.events.Len()
	f.fine.B, f.partBegin = f.fine.B[:0], f.before
	f.longPart = 2 * min(f.j.events.Since(n-1)/model.Time(n/column.PartLength+1)+1, model.MaxTime/2)
}

func (f *folder) longGap() model.Time { return f.longPart / 2 }

// part adds the part of events [begin, to) of the chunk, with its extremes, and the run if it ends there.
func (f *folder) part(begin, to int, e column.Extremes) {
	if f.parts {
		f.putPart(begin, to, &e)
	}
	if f.live.Cur.Add(e); to%runLength == 0 || to == f.j.events.Len() {
		f.runs = append(f.runs, column.BaseRun{Extremes: f.live.Cur, Level: f.live.Now()})
	}
}

// putPart encodes a part.
func (f *folder) putPart(begin, to int, e *column.Extremes) {
	times, a, b := &f.j.events, &f.partBegin, &f.live
	behind, count := min(to, times.Len()-1), uint32(b.Count)
	p := column.Part{Events: uint64(to - begin), Time: uint64(times.Since(behind) - times.Since(begin))}
	if gap := times.Since(behind) - times.Since(to-1); p.Time >= uint64(f.longPart) && gap >= f.longGap() {
		p.Gap = uint64(gap)
	}
	p.Allocs, p.Frees = uint64(b.AllocCount-a.AllocCount), uint64(b.FreeEvents-a.FreeEvents)
	p.AllocBytes = b.AllocBytes - a.AllocBytes
	p.Ended = uint64(a.Count + uint32(p.Allocs) - count)
	p.EndedBytes = a.Bytes + p.AllocBytes - b.Live
	p.Up, p.Down = column.Excursion(a.Bytes, b.Live, e.MinBytes, e.MaxBytes)
	p.CountsUp, p.CountsDown = column.Excursion(uint64(a.Count), uint64(count), uint64(e.MinCount), uint64(e.MaxCount))
	f.fine.Put(&p, f.usualEnd(begin)-begin)
	// One by one: copying the structure would wait for the fields just written.
	a.Bytes, a.AllocBytes, a.Count, a.AllocCount, a.FreeEvents = b.Live, b.AllocBytes, count, b.AllocCount, b.FreeEvents
}
