package traceindex

import (
	"context"
	"runtime"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/traceindex/tally"
)

// tally adds a folded chunk to a tally.
func (j *job) tally(ix *fileIndex, t *tally.Tally) {
	tops := t.Add(&j.in)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	j.folded.tops = tops
	ix.held += tops.Bytes()
}

// tallyRecord adds the block of a record to the tally.
func (ix *fileIndex) tallyRecord(b *fileBlock) {
	stack := ix.sites.Stack[b.site]
	if b.died == alive {
		ix.tally.Stayed(stack, b.size, ix.duration()-b.bornAt)
	} else {
		ix.tally.Died(stack, b.size, b.diedAt-b.bornAt)
	}
}

// countTallied takes the counts of all blocks from the tally, and reports whether it has them. The index is settled.
func (ix *fileIndex) countTallied(ctx context.Context) bool {
	lives := ix.judgedLives(ctx)
	if ix.tally == nil || !ix.tally.Recorded || lives == nil || !ix.tally.Lives(lives.Keys, lives.Sums) {
		return false
	}
	n := ix.events()
	ix.grids.Put(n, 0, n, ix.tally.Grid)
	ix.whole.keepLives(lives)
	return true
}

// tallied reports whether the tally has the levels of groups.
func (ix *fileIndex) tallied(n int, groups []*grouping) bool {
	return ix.tally != nil && n == ix.events() && !slices.ContainsFunc(groups, func(g *grouping) bool {
		return g.f != nil || g.set != nil || !g.in.IsAll()
	})
}

// runTallied is run for all events, with the levels of the tally: it reads only chunks that are not within one column.
func (c *levelScan) runTallied(ctx context.Context, builders []*group.PassBuilder, until func(column int)) error {
	ix, next := c.ix, 0
	var read []*chunk
	for _, k := range ix.chunks {
		if c.columnOf(k.first) != c.columnOf(k.first+k.n-1) {
			read = append(read, k)
		}
	}
	upTo := func(first int) {
		for ; next < len(ix.chunks) && ix.chunks[next].first < first; next++ {
			k := ix.chunks[next]
			until(c.columnOf(k.first))
			for i, b := range builders {
				k.tops.Each(group.DimOf(c.groups[i].by), func(key uint32, end int64, top uint64) {
					addSegment(b, analysis.Key(key), &keyLevel{end: end, top: int64(top)})
				})
			}
		}
	}
	at := 0
	c.before = func() {
		upTo(read[at].first)
		at, next = at+1, next+1
	}
	c.prepare()
	workers := make([]chunkWork, min(len(read), runtime.GOMAXPROCS(0), mostWorkers))
	for i := range workers {
		workers[i] = c.worker()
	}
	if err := ix.round(ctx, read, 0, len(read), 0, ix.events(), workers); err != nil {
		return err
	}
	upTo(ix.events())
	return nil
}
