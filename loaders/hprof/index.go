package hprof

import (
	"cmp"
	"math/bits"
	"slices"
)

// noRow stands for a row that there is not.
const noRow = ^uint32(0)

// index finds the row of an id. Ids that are addresses lie close together: then a set of bits says which there are, in pages of those
// places that are used at all, and how many are below.
type index struct {
	ids  []uint64 // by row
	rows []uint32 // in the order of ids, each id once: the first row that has it

	paged bool
	least uint64
	most  uint64
	shift uint
	dir   []int32 // by place: number of the page plus one
	pages []page
	same  int64 // rows whose id another one has
}

const (
	pageWords = 64
	pageShift = 12 // log2 of bits in a page
)

type page [pageWords]word

// word is 64 places.
type word struct {
	bits  uint64
	below uint32 // ids before them
}

// newIndex indexes the rows from 1 on.
func newIndex(ids []uint64) *index {
	x := &index{ids: ids, least: ^uint64(0)}
	or := uint64(0)
	for _, id := range ids[1:] {
		x.least, x.most = min(x.least, id), max(x.most, id)
	}
	for _, id := range ids[1:] {
		or |= id - x.least
	}
	if len(ids) < 2 {
		return x
	}
	x.shift = uint(bits.TrailingZeros64(or)) & 63
	if x.paged = x.makePages(); x.paged {
		x.fill()
	} else {
		x.sort()
	}
	return x
}

// makePages makes the pages that ids lie in, unless they are too far apart.
func (x *index) makePages() bool {
	n := (x.most-x.least)>>x.shift>>pageShift + 1
	if n > uint64(len(x.ids))+1<<22 {
		return false
	}
	x.dir = make([]int32, n)
	used := int32(0)
	for _, id := range x.ids[1:] {
		if p := &x.dir[(id-x.least)>>x.shift>>pageShift]; *p == 0 {
			used++
			*p = used
		}
	}
	if int(used)*pageWords > 4*len(x.ids)+1<<12 {
		x.dir = nil
		return false
	}
	x.pages = make([]page, used)
	next := int32(0) // pages in the order of what they hold
	for i := range x.dir {
		if x.dir[i] > 0 {
			next++
			x.dir[i] = next
		}
	}
	return true
}

func (x *index) fill() {
	for _, id := range x.ids[1:] {
		at := (id - x.least) >> x.shift
		w := &x.pages[x.dir[at>>pageShift]-1][at>>6%pageWords]
		if w.bits&(1<<(at&63)) != 0 {
			x.same++
		}
		w.bits |= 1 << (at & 63)
	}
	n := uint32(0)
	for p := range x.pages {
		for i := range x.pages[p] {
			w := &x.pages[p][i]
			w.below = n
			n += uint32(bits.OnesCount64(w.bits))
		}
	}
	x.rows = make([]uint32, n)
	for r := len(x.ids) - 1; r > 0; r-- {
		rank, _ := x.rank(x.ids[r])
		x.rows[rank] = uint32(r)
	}
}

// rank returns how many ids are below one that is there.
func (x *index) rank(id uint64) (uint32, bool) {
	at := (id - x.least) >> x.shift
	p := x.dir[at>>pageShift]
	if p == 0 {
		return 0, false
	}
	w := x.pages[p-1][at>>6%pageWords]
	bit := uint64(1) << (at & 63)
	return w.below + uint32(bits.OnesCount64(w.bits&(bit-1))), w.bits&bit != 0
}

func (x *index) sort() {
	x.rows = make([]uint32, len(x.ids)-1)
	for i := range x.rows {
		x.rows[i] = uint32(i + 1)
	}
	slices.SortFunc(x.rows, func(a, b uint32) int { return cmp.Or(cmp.Compare(x.ids[a], x.ids[b]), cmp.Compare(a, b)) })
	all := len(x.rows)
	x.rows = slices.CompactFunc(x.rows, func(a, b uint32) bool { return x.ids[a] == x.ids[b] })
	x.same = int64(all - len(x.rows))
}

// find returns the row of an id, noRow where there is none.
func (x *index) find(id uint64) uint32 {
	if id < x.least || id > x.most {
		return noRow
	}
	if !x.paged {
		i, ok := slices.BinarySearchFunc(x.rows, id, func(r uint32, id uint64) int { return cmp.Compare(x.ids[r], id) })
		if !ok {
			return noRow
		}
		return x.rows[i]
	}
	if (id-x.least)&(1<<x.shift-1) != 0 {
		return noRow
	}
	rank, ok := x.rank(id)
	if !ok {
		return noRow
	}
	return x.rows[rank]
}
