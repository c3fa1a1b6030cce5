package traceindex

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// sortedRefs are blocks in the order of a list. At first they are only counted, by class of about the same rank: the
// blocks of a class are collected and sorted on first use. The lock of the list is held.
type sortedRefs struct {
	ix      *fileIndex
	by      analysis.BlockOrder
	counts  [rankClasses]int
	classes [rankClasses][]uint32 // nil until first use: records, or indexes into near plus nearBlock
	near    []nearRank            // blocks born in the last chunk, by birth
	find    refScan
	n       int
	bytes   uint64
}

// nearRank is the rank of a block that was born in the last chunk.
type nearRank struct {
	ranked
	class int
}

const (
	rankClasses = 66
	nearBlock   = 1 << 31
	atOnce      = 4096 // number of classes that are collected at once
)

// rank returns the class of a block and its key within the class; smaller ones come first.
func (s *sortedRefs) rank(size uint64, died uint32, life model.Time) (class int, key uint64) {
	switch {
	case s.by == analysis.LargestFirst:
		return 64 - bits.Len64(size), ^size
	case s.by != analysis.ShortestFirst:
		return 0, 0
	case died == alive:
		return rankClasses - 1, math.MaxUint64
	}
	return bits.Len64(uint64(life)), uint64(life)
}

func (s *sortedRefs) add(class, n int, bytes uint64) {
	s.counts[class] += n
	s.n += n
	s.bytes, _ = model.SaturatingAdd(s.bytes, bytes)
}

// event returns the event of the birth of block i. The index is locked.
func (s *sortedRefs) event(i int) uint32 {
	if s.by == analysis.NewestFirst {
		i = s.n - 1 - i
	}
	k := 0
	for ; i >= s.counts[k]; k++ {
		i -= s.counts[k]
	}
	if s.classes[k] == nil {
		s.fill(k)
	}
	ref := s.classes[k][i]
	if ref&nearBlock != 0 {
		return s.near[ref&^nearBlock].block
	}
	return uint32(s.ix.records.born.At(int(ref)))
}

// fill collects the blocks of a class, and of the following ones as long as they are few.
func (s *sortedRefs) fill(k int) {
	end, n := k+1, s.counts[k]
	for ; end < rankClasses && n+s.counts[end] <= atOnce; end++ {
		n += s.counts[end]
	}
	parts, err := s.find.parts(k, end)
	if err != nil {
		return // in a damaged file: the row is out of range
	}
	for c := k; c < end; c++ {
		s.classes[c] = make([]uint32, 0, s.counts[c])
	}
	for _, part := range parts {
		for c := k; c < end; c++ {
			s.classes[c] = append(s.classes[c], part[c]...)
		}
	}
	for i, b := range s.near {
		if b.class >= k && b.class < end {
			s.classes[b.class] = append(s.classes[b.class], nearBlock+uint32(i))
		}
	}
	for c := k; c < end; c++ {
		s.sort(s.classes[c])
	}
}

// sort sorts the blocks of a class; ties stay in order of birth.
func (s *sortedRefs) sort(refs []uint32) {
	if s.by == analysis.OldestFirst || s.by == analysis.NewestFirst {
		return
	}
	if s.alike(refs) { // there may be hundreds of millions of one size
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
	place := make([]int, most-least+2) // by key: index of its first block
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

// alike reports whether all blocks have the same rank.
func (s *sortedRefs) alike(refs []uint32) bool {
	if len(refs) == 0 {
		return true
	}
	first := s.key(refs[0])
	return !slices.ContainsFunc(refs, func(ref uint32) bool { return s.key(ref) != first })
}

func (s *sortedRefs) key(ref uint32) uint64 {
	if ref&nearBlock != 0 {
		return s.near[ref&^nearBlock].key
	}
	var b fileBlock
	_, b.size = s.ix.records.origin.At(int(ref))
	if s.by == analysis.ShortestFirst {
		b = s.ix.recordBlock(int(ref))
	}
	_, key := s.rank(b.size, b.died, b.diedAt-b.bornAt)
	return key
}

// keptRefs returns the blocks that a query selects among those that are born in events [lo, hi), at until or before,
// and alive after hi. It does not read addresses.
func (ix *fileIndex) keptRefs(ctx context.Context, q analysis.BlockQuery, in group.Scope, g *grouping, lo, hi int,
	until model.Time) (*sortedRefs, error) {
	s := &sortedRefs{ix: ix, by: q.Sort}
	s.find = refScan{ix: ix, by: s, q: q, g: g, members: ix.membership(in), hi: hi}
	s.find.from, s.find.to = ix.records.born.Search(uint64(lo)), ix.recordsBefore(hi)
	if until < model.MaxTime {
		s.find.to = min(s.find.to, ix.records.bornAt.Search(uint64(max(until, -1)+1)))
	}
	err := ix.keptOfChunk(ctx, lo, hi, func(b *fileBlock) {
		if b.bornAt <= until && (q.All || g.keyOf(b) == q.Key) && ix.in(in, b) {
			class, key := s.rank(b.size, b.died, b.diedAt-b.bornAt)
			s.add(class, 1, b.size)
			s.near = append(s.near, nearRank{ranked{key, b.born}, class})
		}
	})
	if err != nil {
		return s, err
	}
	if err := s.count(); err != nil {
		return s, err
	}
	if !ix.settled() { // blocks may still end
		for k := range s.classes {
			if s.counts[k] > 0 && s.classes[k] == nil {
				s.fill(k)
			}
		}
	}
	return s, nil
}

// count counts the records of every class.
func (s *sortedRefs) count() error {
	var mu sync.Mutex
	return s.find.split(func(from, to int) {
		var counts [rankClasses]int
		bytes := uint64(0)
		if s.find.plain() {
			bytes = s.find.countPlain(from, to, &counts)
		} else {
			s.find.scan(from, to, func(class int, _ uint32, size uint64) {
				counts[class]++
				bytes, _ = model.SaturatingAdd(bytes, size)
			})
		}
		mu.Lock()
		defer mu.Unlock()
		for k, n := range counts {
			s.add(k, n, 0)
		}
		s.add(0, 0, bytes)
	})
}

// refScan finds the records of a list.
type refScan struct {
	ix       *fileIndex
	by       *sortedRefs
	q        analysis.BlockQuery
	g        *grouping
	members  *membership
	from, to int // records
	hi       int // events
}

// split calls f for parts of the records, on all processors.
func (s *refScan) split(f func(from, to int)) error {
	n := runtime.GOMAXPROCS(0)
	span := ((s.to-s.from)/n/column.ChunkLen + 1) * column.ChunkLen
	var scanning sync.WaitGroup
	errs := make([]error, n+1)
	for i, begin := 0, s.from&^column.ChunkMask; begin < s.to; i, begin = i+1, begin+span {
		scanning.Go(func() {
			errs[i] = model.Guarded(func() error { f(max(begin, s.from), min(begin+span, s.to)); return nil })
		})
	}
	scanning.Wait()
	return errors.Join(errs...)
}

// parts returns the blocks of classes [k, end), by part of the records, in order.
func (s *refScan) parts(k, end int) ([]*[rankClasses][]uint32, error) {
	var mu sync.Mutex
	found := map[int]*[rankClasses][]uint32{}
	err := s.split(func(from, to int) {
		p := new([rankClasses][]uint32)
		if s.plain() {
			s.listPlain(from, to, k, end, p)
		} else {
			s.scan(from, to, func(class int, ref uint32, _ uint64) {
				if class >= k && class < end {
					p[class] = append(p[class], ref)
				}
			})
		}
		mu.Lock()
		defer mu.Unlock()
		found[from] = p
	})
	var out []*[rankClasses][]uint32
	for _, from := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[from])
	}
	return out, err
}

// plain reports whether all live blocks are selected and all sizes fit their column.
func (s *refScan) plain() bool {
	return s.q.All && s.members.whole && s.by.by == analysis.LargestFirst && len(s.ix.records.origin.Large) == 0
}

// countPlain counts by class what scan would find if plain, and returns the sum of sizes. It reads every block without
// a branch, as which blocks are alive is hard to predict. hot kernel
func (s *refScan) countPlain(from, to int, counts *[rankClasses]int) (bytes uint64) {
	r, hi := &s.ix.records, uint64(s.hi)
	var bySize [64]int // by bit length of the size
	for base := from; base < to; base = base&^column.ChunkMask + column.ChunkLen {
		died, origins := r.lives(base, to)
		for i := range origins {
			lives := (uint64(died[i])-hi)>>63 ^ 1
			size := origins[i].Size
			bySize[bits.Len32(size)&63] += int(lives)
			bytes += uint64(size) * lives
		}
	}
	for n, count := range bySize {
		counts[64-n] += count
	}
	return bytes
}

// listPlain collects by class, for classes [k, end), what scan would find if plain. hot kernel
func (s *refScan) listPlain(from, to, k, end int, found *[rankClasses][]uint32) {
	r, hi := &s.ix.records, s.hi
	least := uint64(1) << (64 - min(end, 64)) // of the classes before the last one, which has size 0
	if end > 64 {
		least = 0
	}
	span := math.MaxUint64>>min(k, 64) - least
	for base := from; base < to; base = base&^column.ChunkMask + column.ChunkLen {
		died, origins := r.lives(base, to)
		for i := range origins {
			if size := uint64(origins[i].Size); size-least <= span && int(died[i]) >= hi {
				class := 64 - bits.Len64(size)
				found[class] = append(found[class], uint32(base+i))
			}
		}
	}
}

// lives returns the columns of the end and the origin of blocks, starting at a record, as far as they are contiguous
// and before to.
func (r *records) lives(from, to int) (died []uint32, origins []column.Origin) {
	k, begin, end := from>>column.ChunkBits, from&column.ChunkMask, min(column.ChunkLen, to-from&^column.ChunkMask)
	died, origins = r.died.Chunks[k][begin:end], r.origin.Chunks[k][begin:end]
	return died[:len(origins)], origins
}

// scan calls f for the selected blocks of records [from, to) that are alive after hi events.
func (s *refScan) scan(from, to int, f func(class int, ref uint32, size uint64)) {
	if from >= to {
		return
	}
	r := &s.ix.records
	born := r.bornAt.Reader()
	kept := make([]uint16, column.ChunkLen)
	for base := from; base < to; base = base&^column.ChunkMask + column.ChunkLen {
		died := r.died.Chunks[base>>column.ChunkBits][base&column.ChunkMask : min(column.ChunkLen, to-base&^column.ChunkMask)]
		n := 0
		for k, d := range died { // no branch: which blocks are alive is hard to predict
			kept[n] = uint16(k)
			n += int((uint64(d)-uint64(s.hi))>>63 ^ 1)
		}
		for _, k := range kept[:n] {
			i := base + int(k)
			site, size := r.origin.At(i)
			if !s.q.All && s.g.key(site, size) != s.q.Key || !s.members.whole && !s.members.has(column.Ref(i), nil) {
				continue
			}
			life := model.Time(0)
			if s.by.by == analysis.ShortestFirst && died[k] != alive {
				life = r.diedAt.At(i) - model.Time(born.To(i))
			}
			class, _ := s.by.rank(size, died[k], life)
			f(class, uint32(i), size)
		}
	}
}
