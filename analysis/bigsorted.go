package analysis

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// sortedRefs are blocks in the order of a list. They are only put into classes of about the same rank at first: a class is
// sorted when somebody looks at it. The lock of the list is held.
type sortedRefs struct {
	ix      *FileIndex
	by      BlockOrder
	classes [rankClasses]rankClass
	near    []ranked // of blocks that were born in the last chunk
	n       int
	bytes   uint64
}

// rankClass holds records, or the places of blocks in near plus nearBlock; by birth until it is sorted.
type rankClass struct {
	refs   []uint32
	sorted bool
}

const (
	rankClasses = 66
	nearBlock   = 1 << 31
)

// rank is the class of a block and its place there: smaller ones first.
func (s *sortedRefs) rank(size uint64, died uint32, life model.Time) (class int, key uint64) {
	switch {
	case s.by == LargestFirst:
		return 64 - bits.Len64(size), ^size
	case s.by != ShortestFirst:
		return 0, 0
	case died == alive:
		return rankClasses - 1, math.MaxUint64
	}
	return bits.Len64(uint64(life)), uint64(life)
}

func (s *sortedRefs) add(class int, ref uint32, size uint64) {
	c := &s.classes[class]
	c.refs = append(c.refs, ref)
	s.n++
	s.bytes, _ = model.SaturatingAdd(s.bytes, size)
}

// event is that of the birth of block i. The index is locked.
func (s *sortedRefs) event(i int) uint32 {
	if s.by == NewestFirst {
		i = s.n - 1 - i
	}
	k := 0
	for ; i >= len(s.classes[k].refs); k++ {
		i -= len(s.classes[k].refs)
	}
	if c := &s.classes[k]; !c.sorted {
		s.sort(c.refs)
		c.sorted = true
	}
	ref := s.classes[k].refs[i]
	if ref&nearBlock != 0 {
		return s.near[ref&^nearBlock].block
	}
	return uint32(s.ix.records.born.at(int(ref)))
}

// sort sorts the blocks of a class; those of one rank stay in the order of birth.
func (s *sortedRefs) sort(refs []uint32) {
	if s.by == OldestFirst || s.by == NewestFirst {
		return
	}
	rows := make([]ranked, len(refs))
	least, most := uint64(math.MaxUint64), uint64(0)
	for i, ref := range refs {
		rows[i] = ranked{s.key(ref), ref}
		least, most = min(least, rows[i].key), max(most, rows[i].key)
	}
	if most-least >= 1<<16 {
		slices.SortStableFunc(rows, func(a, b ranked) int { return cmp.Compare(a.key, b.key) })
		for i := range rows {
			refs[i] = rows[i].block
		}
		return
	}
	place := make([]int, most-least+2) // by key: where its blocks begin
	for i := range rows {
		place[rows[i].key-least+1]++
	}
	for k := 1; k < len(place); k++ {
		place[k] += place[k-1]
	}
	for i := range rows {
		k := rows[i].key - least
		refs[place[k]] = rows[i].block
		place[k]++
	}
}

func (s *sortedRefs) key(ref uint32) uint64 {
	if ref&nearBlock != 0 {
		return s.near[ref&^nearBlock].key
	}
	b := fileBlock{size: s.ix.records.size.at(int(ref))}
	if s.by == ShortestFirst {
		b = s.ix.recordBlock(int(ref))
	}
	_, key := s.rank(b.size, b.died, b.diedAt-b.bornAt)
	return key
}

// keptRefs lists the blocks that are born in events [lo, hi), not after until, and alive after them, and that a query asks for.
// It need not know addresses.
func (ix *FileIndex) keptRefs(ctx context.Context, q BlockQuery, g *grouping, lo, hi int, until model.Time) (*sortedRefs, error) {
	s := &sortedRefs{ix: ix, by: q.Sort}
	from, to := ix.records.born.search(uint64(lo)), ix.recordsBefore(hi)
	if until < model.MaxTime {
		to = min(to, ix.records.bornAt.search(uint64(max(until, -1)+1)))
	}
	members := ix.membership(q.Cell)
	n := runtime.GOMAXPROCS(0)
	parts := make([]*sortedRefs, n)
	span := ((to-from)/n/chunkLen + 1) * chunkLen
	var scanning sync.WaitGroup
	for i := range parts {
		parts[i] = &sortedRefs{ix: ix, by: q.Sort}
		scanning.Go(func() {
			begin := from&^chunkMask + i*span
			parts[i].scan(q, g, members, max(begin, from), min(begin+span, to), hi)
		})
	}
	scanning.Wait()
	for _, p := range parts {
		for k := range p.classes {
			s.classes[k].refs = append(s.classes[k].refs, p.classes[k].refs...)
		}
		s.n += p.n
		s.bytes, _ = model.SaturatingAdd(s.bytes, p.bytes)
	}
	err := ix.keptOfChunk(ctx, lo, hi, func(b *fileBlock) {
		if b.bornAt <= until && (q.All || g.keyOf(b) == q.Key) && ix.in(q.Cell, b) {
			class, key := s.rank(b.size, b.died, b.diedAt-b.bornAt)
			s.add(class, nearBlock+uint32(len(s.near)), b.size)
			s.near = append(s.near, ranked{key, b.born})
		}
	})
	return s, err
}

// scan takes records [from, to) whose blocks are alive after hi events.
func (s *sortedRefs) scan(q BlockQuery, g *grouping, members *membership, from, to, hi int) {
	if from >= to {
		return
	}
	r := &s.ix.records
	born := r.bornAt.readerAt(from)
	for i := from; i < to; i++ {
		at := model.Time(0)
		if s.by == ShortestFirst {
			at = model.Time(born.next())
		}
		died := r.died.at(i)
		if int(died) < hi {
			continue
		}
		size := r.size.at(i)
		if !q.All && g.key(r.site.at(i), size) != q.Key || !members.has(ref(i), nil) {
			continue
		}
		life := model.Time(0)
		if s.by == ShortestFirst && died != alive {
			life = r.diedAt.at(i) - at
		}
		class, _ := s.rank(size, died, life)
		s.add(class, uint32(i), size)
	}
}
