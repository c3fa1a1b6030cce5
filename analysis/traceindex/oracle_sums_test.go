package traceindex

import (
	"sort"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

const (
	checkpointEvery         = 1 << 16
	checkpointEventsPerCell = 16
)

func (ix *Index) checkpointIfDue() {
	n, last := ix.time.n, 0
	if k := len(ix.checkpoints); k > 0 {
		last = ix.checkpoints[k-1].Events
	}
	if n-last < checkpointEvery || n-last < checkpointEventsPerCell*len(ix.sums[column.DimStack]) {
		return
	}
	c := column.Checkpoint{Events: n}
	for d := range ix.sums {
		c.Sums[d] = append([]column.Cell(nil), ix.sums[d]...)
	}
	ix.checkpoints = append(ix.checkpoints, c)
}

// key is the block's key in a dimension.
func (ix *Index) key(d column.Dim, block uint32) uint32 {
	switch d {
	case column.DimStack:
		return ix.stack.At(int(block))
	case column.DimThread:
		return uint32(ix.thread.At(int(block)))
	}
	return sizeClass(ix.size.At(int(block)))
}

// sumsAt returns the sums of one dimension after n events, as long as the dimension is now. The result may be shared:
// read-only.
func (ix *Index) sumsAt(d column.Dim, n int) []column.Cell {
	now := ix.sums[d]
	if n >= ix.time.n {
		return now
	}
	out := make([]column.Cell, len(now))
	from := 0
	if k := sort.Search(len(ix.checkpoints), func(i int) bool { return ix.checkpoints[i].Events > n }); k > 0 {
		from = ix.checkpoints[k-1].Events
		copy(out, ix.checkpoints[k-1].Sums[d])
	}
	ix.replay(from, n, func(_ int, block uint32, size uint64, how column.Change) {
		out[ix.key(d, block)].Apply(how, size)
	})
	return out
}

// replay calls f for every block that is born or ends in events [from, to), in order; an allocation over a live address
// ends the old block first.
func (ix *Index) replay(from, to int, f func(event int, block uint32, size uint64, how column.Change)) {
	over := sort.Search(len(ix.overwritten), func(i int) bool { return int(ix.overwritten[i].event) >= from })
	for i := from; i < to; i++ {
		kind := ix.kind.At(i)
		if kind > evFree {
			continue
		}
		block, how := ix.ref.At(i), column.Born
		switch kind {
		case evFree:
			how = column.Freed
			if int(ix.born.At(int(block)))+1 == i {
				how = column.FreedAtOnce
			}
		case evAllocOver:
			old := ix.overwritten[over].block
			over++
			f(i, old, ix.size.At(int(old)), column.Overwrote)
		}
		f(i, block, ix.size.At(int(block)), how)
	}
}

// eventsAt is the number of events that an instant covers.
func (ix *Index) eventsAt(at analysis.Instant) int {
	if at.Events != 0 {
		return int(min(at.Events, uint64(ix.time.n)))
	}
	return ix.eventsUntil(at.T)
}

// eventsUntil is the number of events with time ≤ t.
func (ix *Index) eventsUntil(t model.Time) int {
	if t >= ix.duration() {
		return ix.time.n
	}
	return ix.time.search(func(x model.Time) bool { return x > t })
}

// eventRange is the half-open range of events that r holds.
func (ix *Index) eventRange(r analysis.Range) (lo, hi int) {
	hi = ix.eventsUntil(r.To)
	if r.From >= 0 {
		lo = min(ix.eventsUntil(r.From), hi)
	}
	return lo, hi
}
