// Package rowindex finds the rows of a heap by the identities of their objects.
package rowindex

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/memtui/memtui/model"
)

// None is returned for unknown ids.
const None = ^uint32(0)

// Index finds the row of an id. Ids that are addresses are close together: then a bit set marks the existing ones, in
// pages for the used ranges only, with the number of ids below each word.
type Index struct {
	IDs  []uint64 // by row
	Rows []uint32 // sorted by id, each id once: the first row that has it

	room  *model.Room
	paged bool
	Least uint64  // of the identities
	Most  uint64  // of the identities
	Shift uint    // number of low bits in which all ids agree with the least one
	dir   []int32 // by range: page number plus one
	pages []page
	Same  int64 // rows with the id of another one
}

const (
	pageWords = 64
	pageShift = 12 // log2 of bits in a page
)

type page [pageWords]word

// word is 64 ids.
type word struct {
	bits  uint64
	below uint32 // ids below them
}

// New indexes the rows from 1, in a room.
func New(ids []uint64, room *model.Room) *Index {
	x := &Index{IDs: ids, Least: ^uint64(0), room: room}
	or := uint64(0)
	for _, id := range ids[1:] {
		x.Least, x.Most = min(x.Least, id), max(x.Most, id)
	}
	for _, id := range ids[1:] {
		or |= id - x.Least
	}
	if len(ids) < 2 {
		return x
	}
	x.Shift = uint(bits.TrailingZeros64(or)) & 63
	if x.paged = x.makePages(); x.paged {
		x.fill()
	} else {
		x.sort()
	}
	return x
}

// makePages allocates the pages that contain ids, unless they are too far apart.
func (x *Index) makePages() bool {
	n := (x.Most-x.Least)>>x.Shift>>pageShift + 1
	if n > uint64(len(x.IDs))+1<<22 {
		return false
	}
	x.dir = model.MakeColumn[int32](x.room, int(n))
	used := int32(0)
	for _, id := range x.IDs[1:] {
		if p := &x.dir[(id-x.Least)>>x.Shift>>pageShift]; *p == 0 {
			used++
			*p = used
		}
	}
	if int(used)*pageWords > 4*len(x.IDs)+1<<12 {
		x.dir = nil
		return false
	}
	x.pages = model.MakeColumn[page](x.room, int(used))
	next := int32(0) // pages in the order of their ids
	for i := range x.dir {
		if x.dir[i] > 0 {
			next++
			x.dir[i] = next
		}
	}
	return true
}

func (x *Index) fill() {
	for _, id := range x.IDs[1:] {
		at := (id - x.Least) >> x.Shift
		w := &x.pages[x.dir[at>>pageShift]-1][at>>6%pageWords]
		if w.bits&(1<<(at&63)) != 0 {
			x.Same++
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
	x.Rows = model.MakeColumn[uint32](x.room, int(n))
	for r := len(x.IDs) - 1; r > 0; r-- {
		rank, _ := x.rank(x.IDs[r])
		x.Rows[rank] = uint32(r)
	}
}

// rank returns how many ids are below an existing one.
func (x *Index) rank(id uint64) (uint32, bool) {
	at := (id - x.Least) >> x.Shift
	p := x.dir[at>>pageShift]
	if p == 0 {
		return 0, false
	}
	w := x.pages[p-1][at>>6%pageWords]
	bit := uint64(1) << (at & 63)
	return w.below + uint32(bits.OnesCount64(w.bits&(bit-1))), w.bits&bit != 0
}

func (x *Index) sort() {
	x.Rows = model.MakeColumn[uint32](x.room, len(x.IDs)-1)
	for i := range x.Rows {
		x.Rows[i] = uint32(i + 1)
	}
	slices.SortFunc(x.Rows, func(a, b uint32) int { return cmp.Or(cmp.Compare(x.IDs[a], x.IDs[b]), cmp.Compare(a, b)) })
	all := len(x.Rows)
	x.Rows = slices.CompactFunc(x.Rows, func(a, b uint32) bool { return x.IDs[a] == x.IDs[b] })
	x.Same = int64(all - len(x.Rows))
}

// Find returns the row of an id, None if there is none.
func (x *Index) Find(id uint64) uint32 {
	if id < x.Least || id > x.Most {
		return None
	}
	if !x.paged {
		i, ok := slices.BinarySearchFunc(x.Rows, id, func(r uint32, id uint64) int { return cmp.Compare(x.IDs[r], id) })
		if !ok {
			return None
		}
		return x.Rows[i]
	}
	if (id-x.Least)&(1<<x.Shift-1) != 0 {
		return None
	}
	rank, ok := x.rank(id)
	if !ok {
		return None
	}
	return x.Rows[rank]
}
