package traceindex

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/traceindex/shared"
	"github.com/memtui/memtui/model"
)

// keyLevel is how the level of a key changes over a segment of events, relative to 0 before it.
type keyLevel struct {
	end int64  // level after the segment
	top int64  // highest level after any of the key's events
	age uint32 // number of the segment that the fields are about
}

// segment is a range of events within a chunk and within a column, with the changes of the levels of the keys of each
// group.
type segment struct {
	column int // of the history
	keys   [analysis.GroupCount][]analysis.Key
	levels [analysis.GroupCount][]keyLevel
}

// levelScan computes the levels of several groups over all events of a range: first each chunk on its own, relative to
// the level before it, and then chunk after chunk.
type levelScan struct {
	ix     *fileIndex
	groups []*grouping
	in     *membership
	keyOf  [][]analysis.Key // by group, by site; nil if keys depend on the size
	edges  []int            // number of events up to and including each column
	take   func(s *segment)
	before func()         // called before the segments of a chunk; may be nil
	counts *blockCounts   // what is counted of all blocks, too; nil for nothing
	parts  []*blockCounts // one per worker, if counts is set

	spare   chan *segment
	ordered shared.InOrder[[]*segment]
}

// levelsFit reports whether levels of keys fit 63 bits, so that they can be added up in any order.
func (ix *fileIndex) levelsFit() bool { return ix.totals.AllocBytes < 1<<62 }

// run calls take with every segment of events [lo, hi), in order.
func (c *levelScan) run(ctx context.Context, lo, hi int) error {
	c.prepare()
	return c.ix.together(ctx, lo, hi, c.worker)
}

// prepare prepares for workers.
func (c *levelScan) prepare() {
	c.spare = make(chan *segment, 256)
	c.ordered.Take = func(list []*segment) {
		if c.before != nil {
			c.before()
		}
		for _, s := range list {
			c.take(s)
			select {
			case c.spare <- s:
			default:
			}
		}
	}
	for _, g := range c.groups {
		c.keyOf = append(c.keyOf, g.keysOfSites())
	}
}

// worker returns a worker, which is not used by others.
func (c *levelScan) worker() chunkWork {
	w := levelWorker{levelScan: c}
	if c.counts != nil {
		w.blocks = c.counts.fresh()
		c.parts = append(c.parts, w.blocks)
	}
	for _, g := range c.groups {
		w.now = append(w.now, make([]keyLevel, g.keys))
	}
	return w.chunk
}

// columnOf returns the column of an event.
func (c *levelScan) columnOf(event int) int {
	return sort.Search(len(c.edges), func(i int) bool { return c.edges[i] > event })
}

// levelWorker is the worker of a levelScan.
type levelWorker struct {
	*levelScan
	now     [][]keyLevel // by group, by key
	age     uint32
	touched [analysis.GroupCount][]analysis.Key
	member  []bool       // by event that is not a FREE: whether the block is in the cell
	moves   []move       // not yet applied
	blocks  *blockCounts // nil if they are not needed
}

// move is one change of a block.
type move struct {
	by   int64
	site uint32
}

const movesKept = 512 // as many as fit the first-level cache

func (w *levelWorker) chunk(n int, v *view, from, to int) {
	w.member = w.in.of(v, w.member)
	if w.blocks != nil {
		w.blocks.add(v, from, to)
	}
	var list []*segment
	for from < to {
		column := w.columnOf(v.c.first + from)
		end := to
		if column < len(w.edges) {
			end = min(to, w.edges[column]-v.c.first)
		}
		w.age++
		w.follow(v, from, end)
		w.apply()
		list = append(list, w.segment(column))
		from = end
	}
	w.ordered.Put(n, list)
}

// segment returns the segment that was followed last.
func (w *levelWorker) segment(column int) *segment {
	var s *segment
	select {
	case s = <-w.spare:
	default:
		s = new(segment)
	}
	s.column = column
	for i := range w.groups {
		s.keys[i] = append(s.keys[i][:0], w.touched[i]...)
		s.levels[i] = s.levels[i][:0]
		for _, k := range w.touched[i] {
			s.levels[i] = append(s.levels[i], w.now[i][k])
		}
		w.touched[i] = w.touched[i][:0]
	}
	return s
}

// apply applies the moves, group by group. hot kernel
func (w *levelWorker) apply() {
	for i, of := range w.keyOf {
		now, touched, age := w.now[i], w.touched[i], w.age
		for _, m := range w.moves {
			var k analysis.Key
			if of != nil {
				k = of[m.site]
			} else {
				k = analysis.Key(sizeClass(uint64(max(m.by, -m.by))))
			}
			c := &now[k]
			if c.age != age {
				*c = keyLevel{top: math.MinInt64, age: age}
				touched = append(touched, k)
			}
			c.end += m.by
			c.top = max(c.top, c.end)
		}
		w.touched[i] = touched
	}
	w.moves = w.moves[:0]
}

// follow is eachChange inlined, since it runs for every event of the trace. hot kernel
func (w *levelWorker) follow(v *view, from, to int) {
	ix, p, over := w.ix, 0, v.c.over
	if from > 0 {
		p = v.payload(from)
		over = over[sort.Search(len(over), func(i int) bool { return int(over[i].event) >= from }):]
	}
	free, all := from-p, w.in.all()
	sites, sizes, refs := v.site, v.events.Size, v.refs
	for i, kind := range v.events.Kind[from:to] {
		if len(w.moves) >= movesKept {
			w.apply()
		}
		switch kind {
		case model.Alloc:
			if len(over) > 0 && int(over[0].event) == from+i {
				if r := over[0].ref; all || w.in.has(r, w.member) {
					site, size := ix.siteSize(v, r)
					w.moves = append(w.moves, move{-int64(size), site})
				}
				over = over[1:]
			}
			if all || w.member[p] {
				w.moves = append(w.moves, move{int64(sizes[p]), sites[p]})
			}
			p++
		case model.Free:
			r := refs[free]
			free++
			if r == column.NoRef || !all && !w.in.has(r, w.member) {
				continue
			}
			if q, ok := r.Local(); ok {
				w.moves = append(w.moves, move{-int64(sizes[q]), sites[q]})
			} else {
				site, size := ix.records.origin.At(int(r))
				w.moves = append(w.moves, move{-int64(size), site})
			}
		default:
			p++
		}
	}
}

// passes computes the passes of several groups at once, with the histories of the keys in want for the first group.
func (ix *fileIndex) passes(ctx context.Context, n int, groups []*grouping, want []analysis.Key) ([]*group.Pass, error) {
	c := levelScan{ix: ix, groups: groups, in: ix.membership(groups[0].in)}
	_, counted := ix.whole.livesOf(nil)
	count := ix.settled() && c.in.all() && (!counted || ix.grids.Get(n, 0, n) == nil)
	fromTally := ix.tallied(n, groups)
	if count && !fromTally && !ix.countTallied(ctx) { // at little extra cost
		c.counts = &blockCounts{ix: ix, grid: new(analysis.Grid), lives: ix.judgedLives(ctx)}
	}
	builders := make([]*group.PassBuilder, len(groups))
	for i, g := range groups {
		builders[i] = group.NewPassBuilder(g.f, n, g.keys, want)
		want = nil
	}
	var err error
	if c.edges, err = ix.columnEnds(n); err != nil {
		return nil, err
	}
	column := 0
	until := func(to int) {
		for ; column < to; column++ {
			for _, b := range builders {
				b.EndColumn()
			}
		}
	}
	c.take = func(s *segment) {
		until(s.column)
		for i, b := range builders {
			for j, k := range s.keys[i] {
				addSegment(b, k, &s.levels[i][j])
			}
		}
	}
	run := c.run
	if fromTally {
		run = func(ctx context.Context, _, _ int) error { return c.runTallied(ctx, builders, until) }
	}
	if err := run(ctx, 0, n); err != nil {
		return nil, err
	}
	until(analysis.HistoryColumns)
	if count && fromTally { // last, as it waits for the verdicts; without room for them, counts are made when asked for
		ix.countTallied(ctx)
	}
	if c.counts != nil {
		for _, part := range c.parts {
			c.counts.merge(part)
		}
		ix.grids.Put(n, 0, n, *c.counts.grid)
		ix.whole.keepLives(c.counts.lives)
	}
	out := make([]*group.Pass, len(builders))
	for i, b := range builders {
		out[i] = b.Out
	}
	return out, nil
}

// columnEnds returns the number of events up to and including each column of the history of the first n events.
func (ix *fileIndex) columnEnds(n int) ([]int, error) {
	r, end := ix.reader(), ix.duration()
	edges := slices.Repeat([]int{n}, analysis.HistoryColumns)
	for i := range analysis.HistoryColumns - 1 {
		edges[i] = min(r.eventsUntil(analysis.ColumnEdge(0, end, i+1, analysis.HistoryColumns)), n)
	}
	return edges, r.err
}

// addSegment is change for all events of a segment.
func addSegment(b *group.PassBuilder, k analysis.Key, c *keyLevel) {
	level := int64(b.Live[k])
	top := uint64(level + c.top)
	b.Live[k] = uint64(level + c.end)
	b.Out.Peak[k] = max(b.Out.Peak[k], top)
	if s := b.Out.Slot[k]; s >= 0 {
		b.Now[s], b.Top[s] = b.Live[k], max(b.Top[s], top)
	}
}

// peaksIn returns the highest level of every key of some groups after any of events [lo, hi), counting blocks in a cell
// only. live has the levels before.
func (ix *fileIndex) peaksIn(ctx context.Context, groups []*grouping, lo, hi int, live [][]uint64) ([][]uint64, error) {
	c := levelScan{ix: ix, groups: groups, in: ix.membership(groups[0].in)}
	peaks, first := make([][]uint64, len(groups)), true
	for i, g := range groups {
		peaks[i] = make([]uint64, g.keys)
	}
	c.take = func(s *segment) {
		for i := range groups {
			for j, k := range s.keys[i] {
				m, before := &s.levels[i][j], live[i][k]
				if !first { // the level after the last event of the chunk before
					peaks[i][k] = max(peaks[i][k], before)
				}
				peaks[i][k] = max(peaks[i][k], uint64(int64(before)+m.top))
				live[i][k] = uint64(int64(before) + m.end)
			}
		}
		first = false
	}
	carried := make([][]uint64, len(groups))
	for i := range groups {
		carried[i] = slices.Clone(live[i])
	}
	if err := c.run(ctx, lo, hi); err != nil {
		return nil, err
	}
	return peaks, ix.addCarried(groups, lo, peaks, carried)
}

// addCarried raises peaks to the level carried in, unless the first event changes it.
func (ix *fileIndex) addCarried(groups []*grouping, lo int, peaks, carried [][]uint64) error {
	v, err := ix.view(ix.chunks[ix.chunkAt(lo)])
	if err != nil {
		return err
	}
	defer ix.done(v)
	ix.eachChange(v, lo-v.c.first, lo-v.c.first+1, func(_ int, r column.Ref, _ column.Change) {
		b := ix.refBlock(v, r)
		for i, g := range groups {
			if ix.in(g.in, &b) {
				carried[i][g.keyOf(&b)] = 0
			}
		}
	})
	for i := range groups {
		for k, level := range carried[i] {
			peaks[i][k] = max(peaks[i][k], level)
		}
	}
	return nil
}
