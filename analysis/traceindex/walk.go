package traceindex

import (
	"math"
	"slices"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/match"
	"github.com/memtui/memtui/model"
)

// small reports whether no sum can overflow.
func (f *folder) small() bool {
	const limit = 1 << 61
	all := uint64(0)
	for _, size := range f.j.events.Size {
		all |= size
	}
	return all < limit/chunkEvents && f.live.AllocBytes < limit && f.live.LiveHi == 0
}

// noKind is the kind of no event.
const noKind = math.MaxUint8

// walk replays the chunk's events. If no sum can overflow, it adds without checks, keeps levels in registers, and only
// counts small sizes. Otherwise, which takes sizes that no process has, each event goes through rare. hot kernel
func (f *folder) walk() {
	j, kinds := f.j, f.j.events.Kind
	if !f.parts {
		kinds = slices.Repeat([]model.EventKind{noKind}, len(kinds))
	}
	sizes, sites, ended, event := j.events.Size, j.siteOf, j.Ended, j.event
	cells, bySize, allocs, frees, codes := f.siteCells, f.dimCells[column.DimSize], &f.allocs, &f.sizes.Count, &f.sizes.Code
	firstBorn := j.FirstPayload + 1
	p, over, nextOver := 0, 0, f.nextOver(0)
	for begin, to := 0, 0; begin < len(kinds); begin = to {
		if begin%runLength == 0 {
			f.startRun(begin, p)
		}
		to = f.partEnd(begin)
		ends, end := f.ends.Room(column.PartLength)
		freed, at := f.sizes.Room(column.PartLength)
		live, count, allocBytes := f.live.Live, uint32(f.live.Count), f.live.AllocBytes
		var e column.Extremes
		for k, kind := range kinds[begin:to] {
			switch {
			case kind == model.Alloc && begin+k != nextOver:
				size, c := sizes[p], &cells[sites[p]]
				event[p] = uint32(begin + k)
				p++
				c.AllocBytes += size
				c.AllocCount++
				if size < column.SmallSizes {
					allocs[size]++
				} else {
					c := &bySize[sizeClass(size)]
					c.AllocBytes += size
					c.AllocCount++
				}
				allocBytes += size
				live += size
				count++
				e.MaxBytes, e.MaxCount = max(e.MaxBytes, live), max(e.MaxCount, count)
			case kind == model.Free:
				v := ended[begin+k-p]
				if v == 0 {
					ends[end], freed[at] = 0, 0
					end++
					at++
					break
				}
				var site, now uint32
				var size uint64
				if v >= firstBorn {
					q := int(v - firstBorn)
					site, size = sites[q], sizes[q]
					if p-q <= column.EndNear {
						ends[end] = byte(p - q)
						end++
					} else {
						end = column.PutLocal(ends, end, p-q)
					}
					if q == p-1 && kinds[begin+k-1] == model.Alloc {
						now = 1
					}
				} else {
					d := &f.dead[f.death]
					f.death++
					site, size = d.Site, d.Size
					end = f.ends.PutRecord(ends, end, d.Record)
					if begin+k == 0 && f.endsLast(d.Record) {
						now = 1
					}
				}
				c := &cells[site]
				c.EndedBytes += size
				c.EndedCount++
				c.Temporary += now
				code := byte(column.RareSize)
				if size < column.SmallSizes {
					frees[size]++
					code = codes[size]
				} else {
					c := &bySize[sizeClass(size)]
					c.EndedBytes += size
					c.EndedCount++
				}
				if now != 0 {
					bySize[sizeClass(size)].Temporary++
				}
				freed[at] = code
				at++
				if code == column.RareSize {
					at = column.PutRare(freed, at-1, size)
				}
				live -= size
				count--
				e.MinBytes, e.MinCount = min(e.MinBytes, live), min(e.MinCount, count)
			default:
				f.ends.B, f.sizes.B = ends[:end], freed[:at]
				f.live.Live, f.live.Count, f.live.AllocBytes = live, uint64(count), allocBytes
				p, over = f.rare(begin+k, p, over)
				live, count, allocBytes = f.live.Live, uint32(f.live.Count), f.live.AllocBytes
				ends, end = f.ends.Room(column.PartLength)
				freed, at = f.sizes.Room(column.PartLength)
				nextOver = f.nextOver(over)
				level := f.live.Now()
				e.AddLevel(&level)
			}
			if k == 0 {
				first := column.Shown(f.live.LiveHi, live)
				e = column.Extremes{MinBytes: first, MaxBytes: first, MinCount: count, MaxCount: count}
			}
		}
		f.ends.B, f.sizes.B = ends[:end], freed[:at]
		f.live.Live, f.live.Count, f.live.AllocBytes = live, uint64(count), allocBytes
		f.live.AllocCount, f.live.FreeEvents = f.before.AllocCount+uint32(p-f.others()), f.before.FreeEvents+uint32(to-p)
		f.part(begin, to, e)
	}
	f.sumUp()
}

// others returns the number of events of the chunk so far that are neither ALLOC nor FREE.
func (f *folder) others() int { return int(f.c.totals.GCCount + f.c.totals.MarkerCount) }

// nextOver returns the number of the next event that overwrites a block, -1 if there is none.
func (f *folder) nextOver(over int) int {
	if over < len(f.j.Over) {
		return int(f.j.Over[over].Event)
	}
	return -1
}

// endsLast reports whether a record's block was born by the last event before the chunk.
func (f *folder) endsLast(record uint32) bool {
	return int(f.records.born.At(int(record)))+1 == f.c.first
}

// sumUp adds up what walk only counted.
func (f *folder) sumUp() {
	bySize, t := f.dimCells[column.DimSize], f.c.totals
	t.Events, t.FreeCount = uint64(f.j.events.Len()), uint64(len(f.j.Ended))
	if !f.parts {
		return
	}
	for s := range uint64(column.SmallSizes) {
		if n := f.allocs[s] | f.sizes.Count[s]; n == 0 {
			continue
		}
		c := &bySize[sizeClass(s)]
		c.AllocCount += f.allocs[s]
		c.AllocBytes += uint64(f.allocs[s]) * s
		c.EndedCount += f.sizes.Count[s]
		c.EndedBytes += uint64(f.sizes.Count[s]) * s
	}
	t.AllocCount, t.AllocBytes = 0, 0
	for i := range bySize {
		c := &bySize[i]
		t.AllocCount += uint64(c.AllocCount)
		t.AllocBytes += c.AllocBytes
		t.FreedCount += uint64(c.EndedCount)
		t.FreedBytes += c.EndedBytes
		t.TemporaryCount += uint64(c.Temporary)
	}
	t.FreedCount -= t.OverwrittenCount
	t.FreedBytes -= t.OverwrittenBytes
	t.UnmatchedFrees = t.FreeCount - t.FreedCount
}

// rare handles an event that walk does not handle inline. p is the number of earlier events that are not FREE, over the
// number of blocks overwritten so far.
func (f *folder) rare(i, p, over int) (nextP, nextOver int) {
	e, t := &f.j.events, f.c.totals
	switch e.Kind[i] {
	case model.Free:
		f.free(i, p)
		return p, over
	case model.Alloc:
		if i == f.nextOver(over) {
			f.overwrite(f.j.Over[over])
			over++
		}
		f.j.event[p] = uint32(i)
		f.alloc(p)
	case model.GC:
		t.GCCount++
		t.GCObjects = f.sum(t.GCObjects, e.ID[p])
		t.GCBytes = f.sum(t.GCBytes, e.Size[p])
		f.mark(i, mark{gc: true, id: e.ID[p], bytes: e.Size[p]})
	case model.Marker:
		t.MarkerCount++
		f.mark(i, mark{id: e.ID[p]})
	}
	return p + 1, over
}

func (f *folder) alloc(p int) {
	t, size := f.c.totals, f.j.events.Size[p]
	t.AllocCount++
	t.AllocBytes = f.sum(t.AllocBytes, size)
	f.siteCells[f.j.siteOf[p]].Apply(column.Born, size)
	f.dimCells[column.DimSize][sizeClass(size)].Apply(column.Born, size)
	f.live.Alloc(size)
}

func (f *folder) free(event, p int) {
	t := f.c.totals
	f.live.FreeEvents++
	v := f.j.Ended[event-p]
	if v == 0 {
		t.UnmatchedFrees++
		f.ends.None()
		f.sizes.None()
		return
	}
	r, site, size := f.block(v)
	how := column.Freed
	if q, ok := r.Local(); ok {
		f.ends.Local(p - q)
		if q == p-1 && f.j.events.Kind[event-1] == model.Alloc {
			how = column.FreedAtOnce
		}
	} else {
		f.ends.Record(uint32(r))
		if event == 0 && f.endsLast(uint32(r)) {
			how = column.FreedAtOnce
		}
	}
	if how == column.FreedAtOnce {
		t.TemporaryCount++
	}
	t.FreedCount++
	t.FreedBytes = f.sum(t.FreedBytes, size)
	f.sizes.Add(size)
	f.end(site, size, how)
}

func (f *folder) overwrite(end match.Over) {
	ref, site, size := f.block(end.Ended)
	o := overEnd{event: end.Event, ref: ref, size: size}
	f.over = append(f.over, o)
	f.c.totals.OverwrittenCount++
	f.c.totals.OverwrittenBytes = f.sum(f.c.totals.OverwrittenBytes, o.size)
	f.end(site, o.size, column.Overwrote)
}

func (f *folder) end(site uint32, size uint64, how column.Change) {
	f.siteCells[site].Apply(how, size)
	f.dimCells[column.DimSize][sizeClass(size)].Apply(how, size)
	f.live.Free(size)
}

// block returns the block of the next end, numbered as in match.Ends, with its site in the chunk and its size.
func (f *folder) block(v uint32) (r column.Ref, site uint32, size uint64) {
	if p := v - 1 - f.j.FirstPayload; v > f.j.FirstPayload {
		return column.LocalRef | column.Ref(p), f.j.siteOf[p], f.j.events.Size[p]
	}
	d := &f.dead[f.death]
	f.death++
	return column.Ref(d.Record), d.Site, d.Size
}

func (f *folder) startRun(event, p int) {
	e := &f.j.events
	s := runStart{time: e.Since(event), at: uint32(p), freed: uint32(len(f.sizes.B))}
	if f.parts {
		s.fine = uint32(len(f.fine.B))
	}
	if f.c.kept == nil {
		s.at = uint32(e.Offset[event/runLength] - f.j.from)
	}
	f.starts = append(f.starts, s)
	f.live.Cur = column.Nothing
}

func (f *folder) sum(a, b uint64) uint64 {
	s, ok := model.SaturatingAdd(a, b)
	if !ok {
		f.saturated = true
	}
	return s
}

func (f *folder) mark(event int, m mark) {
	m.event = uint32(f.c.first + event)
	f.marks = append(f.marks, fileMark{m, f.c.begin + f.j.events.Since(event)})
}
