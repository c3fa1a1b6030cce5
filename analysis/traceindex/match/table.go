package match

import "github.com/memtui/memtui/model"

// addressTable maps live addresses to numbers other than 0. Allocators keep blocks close together, so a directory of
// small pages beats any hash table: addr>>32 finds a directory, the next 16 bits and bit 3 a page, and the last 16 bits
// a slot in it. A page with few blocks is a small hash table of its own; one with many (while memory is plentiful, more
// than a handful) is an array with a slot every 32 bytes, or every 16 where there are smaller blocks: of 64 KiB, the
// addresses that are multiples of 16 are on one page and those eight after on another. Addresses that fit neither,
// among many blocks, go into a map: that is correct, but slow.
//
// Pages are words of large pieces of memory, without pointers: nothing of them is ever scanned, an empty one is used
// again, and finding a slot takes three dependent reads, the first two of which are near.
type addressTable struct {
	dirs   map[uint64]*pageDir
	last   *pageDir // of lastHi; not nil
	lastHi uint64
	recent [16]recentDir
	memory pageMemory
	odd    map[uint64]uint32 // addresses that fit no page
	sink   uint32            // result of touch, so that it is not optimized away

	spacious int64 // bytes: above this, pages become arrays only if that takes less memory than any other kind
}

type recentDir struct {
	hi  uint64
	dir *pageDir
}

// pageDir holds the pages of 4 GiB, see pageIndex.
type pageDir [1 << 17]pageEntry

type pageEntry struct {
	ref  pageRef
	used uint32 // slots
}

// pageRef is the position of a page, in units of 32 words, shifted left by pageKindBits, and its kind. 0 is none.
type pageRef uint32

// Kinds of pages. The sparse ones are open hash tables with two words per slot: the low half of the address, and the
// value.
const (
	noPage      = iota
	firstSparse // 16 slots
	_           // 64
	_           // 256
	lastSparse  // 512, if memory is short
	pairPage    // a word per 32 bytes: the value, and in the lowest bit which half the address is in
	densePage   // a word per 16 bytes
	pageKinds

	pageKindBits = 3
	pageKindMask = 1<<pageKindBits - 1
)

// pageShifts has log2 of the words of a page, four bits by kind.
const pageShifts = 5<<4 | 7<<8 | 9<<12 | 10<<16 | 11<<20 | 12<<24

// words returns the size of the page in words.
func (p pageRef) words() int { return 1 << (pageShifts >> (p & pageKindMask * 4) & 15) }

const (
	maxPageDirs = 128 // each covers 4 GiB; limits the cost of traces with scattered addresses
	pieceShift  = 18
	pieceWords  = 1 << pieceShift
	pieceMask   = pieceWords - 1
	pieceUnits  = pieceWords >> 5
)

// pageMemory allocates pages, which are zero.
type pageMemory struct {
	pieces []*[pieceWords]uint32 // each for pages of one kind
	next   [pageKinds]uint32     // unused rest of a kind's last piece, in units
	end    [pageKinds]uint32
	free   [pageKinds][]pageRef
	bytes  int64       // allocated
	files  *model.Room // of further pieces, nil for memory
}

func (m *pageMemory) take(kind pageRef) pageRef {
	m.bytes += 4 * int64(kind.words())
	if n := len(m.free[kind]); n > 0 {
		p := m.free[kind][n-1]
		m.free[kind] = m.free[kind][:n-1]
		return p
	}
	if m.next[kind] == m.end[kind] {
		m.next[kind] = uint32(len(m.pieces)) * pieceUnits
		m.end[kind] = m.next[kind] + pieceUnits
		m.pieces = append(m.pieces, (*[pieceWords]uint32)(model.MakeColumn[uint32](m.files, pieceWords)))
	}
	p := pageRef(m.next[kind]<<pageKindBits) | kind
	m.next[kind] += uint32(kind.words()) >> 5
	clear(m.words(p)) // fresh memory that is read first is mapped twice, the second time while all cores are interrupted
	return p
}

// give frees a page, which must be zero.
func (m *pageMemory) give(p pageRef) {
	kind := p & pageKindMask
	m.free[kind] = append(m.free[kind], p)
	m.bytes -= 4 * int64(p.words())
}

// words returns the words of a page.
func (m *pageMemory) words(p pageRef) []uint32 {
	unit := p >> pageKindBits
	at := int(unit) << 5 & pieceMask
	return m.pieces[unit/pieceUnits][at : at+p.words()]
}

// dense returns the slot of an address on a dense page; the address must be a multiple of 8.
func (m *pageMemory) dense(p pageRef, addr uint64) *uint32 {
	unit := uint32(p) >> pageKindBits
	return &m.pieces[unit/pieceUnits][(unit<<5|uint32(uint16(addr))>>4)&pieceMask]
}

// newAddressTable returns an empty table. Up to spacious bytes of memory pages become arrays early.
func newAddressTable(spacious int64) *addressTable {
	return &addressTable{spacious: spacious, dirs: map[uint64]*pageDir{}, odd: map[uint64]uint32{}, last: new(pageDir), lastHi: 1 << 32}
}

// pageIndex returns the index of an address's page in a directory.
func pageIndex(addr uint64) uint32 { return uint32(addr)>>16 | uint32(addr)&8<<13 }

// nearDir returns the cache entry for a recently used directory.
func (t *addressTable) nearDir(hi uint64) *recentDir { return &t.recent[uint32(hi)*0x9e3779b1>>28] }

// dir returns the directory of the upper half of an address. It returns nil if there is none and make is false, or if
// there are too many.
func (t *addressTable) dir(hi uint64, make bool) *pageDir {
	r := t.nearDir(hi)
	if r.dir == nil || r.hi != hi {
		d := t.dirs[hi]
		if d == nil && make && len(t.dirs) < maxPageDirs {
			d = new(pageDir)
			t.dirs[hi] = d
		}
		if d == nil {
			return nil
		}
		*r = recentDir{hi, d}
	}
	t.last, t.lastHi = r.dir, hi
	return r.dir
}

// pair returns the slot of an address on a pair page, and the bit for its half.
func (m *pageMemory) pair(p pageRef, addr uint64) (slot *uint32, bit uint32) {
	unit := uint32(p) >> pageKindBits
	return &m.pieces[unit/pieceUnits][(unit<<5|uint32(uint16(addr))>>5)&pieceMask], uint32(addr) >> 4 & 1
}

// mostPaired is the largest value that fits a pair page.
const mostPaired = 1<<31 - 1

// put stores v, which is not 0, for addr and returns the previous value, or 0.
func (t *addressTable) put(addr uint64, v uint32) (old uint32) {
	d := t.last
	if hi := addr >> 32; hi != t.lastHi {
		if d = t.dir(hi, true); d == nil {
			return t.putOdd(addr, v)
		}
	}
	k := pageIndex(addr)
	e := &d[k]
	p := e.ref
	switch kind := p & pageKindMask; {
	case kind == densePage:
		if addr&7 != 0 {
			return t.putOdd(addr, v)
		}
		slot := t.memory.dense(p, addr)
		old, *slot = *slot, v
		if old == 0 {
			e.used++
		}
		return old
	case kind == pairPage:
		if addr&7 != 0 {
			return t.putOdd(addr, v)
		}
		slot, bit := t.memory.pair(p, addr)
		if v > mostPaired || *slot != 0 && *slot&1 != bit {
			t.unpair(e)
			return t.put(addr, v)
		}
		old, *slot = *slot>>1, v<<1|bit
		if old == 0 {
			e.used++
		}
		return old
	case kind == noPage:
		p = t.memory.take(firstSparse)
		e.ref = p
	}
	w := t.memory.words(p)
	i, found := findSparse(w, uint16(addr))
	if found {
		old, w[i+1] = w[i+1], v
		return old
	}
	w[i], w[i+1] = uint32(uint16(addr)), v
	if e.used++; int(e.used) > len(w)*3/8 {
		t.grow(e, addr)
	}
	return 0
}

func (t *addressTable) putOdd(addr uint64, v uint32) (old uint32) {
	old = t.odd[addr]
	t.odd[addr] = v
	return old
}

// take removes addr and returns its value, or 0.
func (t *addressTable) take(addr uint64) (old uint32) {
	d := t.last
	if hi := addr >> 32; hi != t.lastHi {
		if d = t.dir(hi, false); d == nil {
			return t.takeOdd(addr)
		}
	}
	e := &d[pageIndex(addr)]
	p := e.ref
	switch p & pageKindMask {
	case noPage:
		return 0
	case densePage:
		if addr&7 != 0 {
			return t.takeOdd(addr)
		}
		slot := t.memory.dense(p, addr)
		old, *slot = *slot, 0
	case pairPage:
		if addr&7 != 0 {
			return t.takeOdd(addr)
		}
		if slot, bit := t.memory.pair(p, addr); *slot&1 == bit {
			old, *slot = *slot>>1, 0
		}
	default:
		w := t.memory.words(p)
		if i, found := findSparse(w, uint16(addr)); found {
			old = w[i+1]
			removeSparse(w, i)
		}
	}
	if old != 0 {
		if e.used--; e.used == 0 {
			t.drop(e)
		}
	}
	return old
}

// drop frees an empty page, unless it is an array and t.odd may have addresses that it did not take.
func (t *addressTable) drop(e *pageEntry) {
	if p := e.ref; p&pageKindMask <= lastSparse || len(t.odd) == 0 {
		e.ref = 0
		t.memory.give(p)
	}
}

func (t *addressTable) takeOdd(addr uint64) (old uint32) {
	if len(t.odd) == 0 {
		return 0
	}
	old = t.odd[addr]
	delete(t.odd, addr)
	return old
}

// bytes estimates the memory of the table.
func (t *addressTable) bytes() int64 {
	return t.memory.bytes + int64(len(t.dirs))*(1<<20) + int64(len(t.odd))*24
}

// touch reads the places of some addresses, all at once: in a table that is much larger than the caches, waiting for
// one after the other would take most of the time.
func (t *addressTable) touch(addrs []uint64) {
	sum := uint32(0)
	for _, a := range addrs {
		d := t.last
		if hi := a >> 32; hi != t.lastHi {
			r := t.nearDir(hi)
			if d = r.dir; r.hi != hi || d == nil {
				continue
			}
		}
		p := d[pageIndex(a)].ref
		at := uint32(p) >> pageKindBits
		word := at << 5
		switch p & pageKindMask {
		case noPage:
			continue
		case densePage:
			word |= uint32(uint16(a)) >> 4
		case pairPage:
			word |= uint32(uint16(a)) >> 5
		default:
			word |= uint32(homeSparse(uint16(a), p.words()))
		}
		sum += t.memory.pieces[at/pieceUnits][word&pieceMask]
	}
	t.sink += sum
}

// homeSparse returns the preferred slot of an offset in a sparse page. Distances of blocks are often powers of two, so
// only the upper half of a product distinguishes them.
func homeSparse(off uint16, words int) int {
	return int(uint64(uint32(off)*0x9e3779b1)*uint64(words)>>33) << 1
}

// findSparse returns the slot of an offset in a sparse page, or the empty slot where it belongs.
func findSparse(w []uint32, off uint16) (slot int, found bool) {
	mask := len(w) - 1
	for i := homeSparse(off, len(w)); ; i = (i + 2) & mask {
		if w[i+1] == 0 {
			return i, false
		}
		if w[i] == uint32(off) {
			return i, true
		}
	}
}

// removeSparse empties a slot of a sparse page and moves later entries up.
func removeSparse(w []uint32, i int) {
	mask := len(w) - 1
	for j := (i + 2) & mask; w[j+1] != 0; j = (j + 2) & mask {
		if h := homeSparse(uint16(w[j]), len(w)); (j-h)&mask >= (j-i)&mask {
			w[i], w[i+1] = w[j], w[j+1]
			i = j
		}
	}
	w[i], w[i+1] = 0, 0
}

// grow converts a full sparse page to a larger one, or to an array; addr is one of its addresses.
func (t *addressTable) grow(e *pageEntry, addr uint64) {
	old := e.ref
	kind := old&pageKindMask + 1
	if t.memory.bytes < t.spacious {
		kind = pairPage
	}
	p := t.memory.take(kind)
	e.ref, e.used = p, 0
	from := t.memory.words(old)
	for i := 0; i < len(from); i += 2 {
		off, v := from[i], from[i+1]
		if v == 0 {
			continue
		}
		if kind >= pairPage {
			t.put(addr&^0xffff|uint64(off), v)
			continue
		}
		to := t.memory.words(p)
		slot, _ := findSparse(to, uint16(off))
		to[slot], to[slot+1] = off, v
		e.used++
	}
	clear(from)
	t.memory.give(old)
}

// unpair converts a pair page to a dense one.
func (t *addressTable) unpair(e *pageEntry) {
	old := e.ref
	p := t.memory.take(densePage)
	from, to := t.memory.words(old), t.memory.words(p)
	for i, v := range from {
		if v != 0 {
			to[uint32(i)<<1|v&1] = v >> 1
		}
	}
	clear(from)
	t.memory.give(old)
	e.ref = p
}
