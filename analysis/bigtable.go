package analysis

// addressTable maps live addresses to numbers other than 0. Allocators keep blocks close together, so a directory of small
// pages beats any hash table: addr>>32 finds a directory, the next 16 bits a page of 64 KiB, and the last 16 bits a slot in
// it. A page with few blocks is a small hash table of its own; one with many is an array with a slot for each address that
// is aligned like its first blocks. What fits neither goes into a map: that is correct, and slow.
type addressTable struct {
	dirs   map[uint32]*pageDir
	last   *pageDir // of lastHi
	lastHi uint32
	odd    map[uint64]uint32 // addresses that no page takes
	bytes  int64             // taken by directories and pages
}

type pageDir [1 << 16]*page

// page holds the slots of 64 KiB.
type page struct {
	used  int
	shift uint8    // dense: slot = offset >> shift
	keys  []uint16 // sparse: open addressing; nil if dense
	vals  []uint32 // 0 is empty

	// Where both are at first: heaps that are spread thin have millions of pages.
	firstKeys [sparsest]uint16
	firstVals [sparsest]uint32
}

const (
	pageDirBytes = 8 << 16
	maxPageDirs  = 128 // each covers 4 GiB; traces with addresses all over the place must not cost more
	sparsest     = 16
	sparseMost   = 256 // slots of the largest sparse page
)

func newAddressTable() *addressTable {
	return &addressTable{dirs: map[uint32]*pageDir{}, odd: map[uint64]uint32{}}
}

// dir returns the directory of the upper half of an address, nil if there is none and make is false, or there are too many.
func (t *addressTable) dir(hi uint32, make bool) *pageDir {
	d := t.dirs[hi]
	if d == nil && make && len(t.dirs) < maxPageDirs {
		d = new(pageDir)
		t.dirs[hi] = d
		t.bytes += pageDirBytes
	}
	if d != nil {
		t.last, t.lastHi = d, hi
	}
	return d
}

// put stores v, which is not 0, for addr and returns what was there, 0 if nothing.
func (t *addressTable) put(addr uint64, v uint32) (old uint32) {
	d := t.last
	if hi := uint32(addr >> 32); d == nil || hi != t.lastHi {
		if d = t.dir(hi, true); d == nil {
			return t.putOdd(addr, v)
		}
	}
	p := d[uint16(addr>>16)]
	off := uint16(addr)
	if p == nil {
		p = new(page)
		p.keys, p.vals = p.firstKeys[:], p.firstVals[:]
		d[uint16(addr>>16)] = p
		t.bytes += p.bytes()
	}
	if p.keys == nil {
		slot := off >> p.shift
		if slot<<p.shift != off {
			return t.putOdd(addr, v)
		}
		old, p.vals[slot] = p.vals[slot], v
		if old == 0 {
			p.used++
		}
		return old
	}
	i, found := p.find(off)
	if found {
		old, p.vals[i] = p.vals[i], v
		return old
	}
	p.keys[i], p.vals[i] = off, v
	if p.used++; p.used > len(p.vals)*3/4 {
		t.bytes -= p.bytes()
		t.grow(p, addr&^0xffff)
		t.bytes += p.bytes()
	}
	return 0
}

func (t *addressTable) putOdd(addr uint64, v uint32) (old uint32) {
	old = t.odd[addr]
	t.odd[addr] = v
	return old
}

// take removes addr and returns what was there, 0 if nothing.
func (t *addressTable) take(addr uint64) (old uint32) {
	d := t.last
	if hi := uint32(addr >> 32); d == nil || hi != t.lastHi {
		if d = t.dir(hi, false); d == nil {
			return t.takeOdd(addr)
		}
	}
	p := d[uint16(addr>>16)]
	if p == nil {
		return 0
	}
	off := uint16(addr)
	if p.keys == nil {
		slot := off >> p.shift
		if slot<<p.shift != off {
			return t.takeOdd(addr)
		}
		old, p.vals[slot] = p.vals[slot], 0
	} else if i, found := p.find(off); found {
		old = p.vals[i]
		p.remove(i)
	}
	if old != 0 {
		// A dense page that goes would leave those behind that it did not take.
		if p.used--; p.used == 0 && len(p.vals) > sparsest && (p.keys != nil || len(t.odd) == 0) {
			d[uint16(addr>>16)] = nil
			t.bytes -= p.bytes()
		}
	}
	return old
}

func (t *addressTable) takeOdd(addr uint64) (old uint32) {
	if len(t.odd) == 0 {
		return 0
	}
	old = t.odd[addr]
	delete(t.odd, addr)
	return old
}

// memory estimates the bytes that the table takes.
func (t *addressTable) memory() int64 { return t.bytes + int64(len(t.odd))*24 }

func (p *page) bytes() int64 { return 176 + int64(len(p.keys))*2 + int64(len(p.vals))*4 }

// home is where an offset belongs in a sparse page.
func (p *page) home(off uint16) int { return int(off*0x9e35>>4) & (len(p.vals) - 1) }

// find returns the slot of an offset in a sparse page, or the empty one where it belongs.
func (p *page) find(off uint16) (slot int, found bool) {
	mask := len(p.vals) - 1
	for i := p.home(off); ; i = (i + 1) & mask {
		if p.vals[i] == 0 {
			return i, false
		}
		if p.keys[i] == off {
			return i, true
		}
	}
}

// remove empties a slot of a sparse page and closes the gap.
func (p *page) remove(i int) {
	mask := len(p.vals) - 1
	for j := (i + 1) & mask; p.vals[j] != 0; j = (j + 1) & mask {
		if h := p.home(p.keys[j]); (j-h)&mask >= (j-i)&mask {
			p.keys[i], p.vals[i] = p.keys[j], p.vals[j]
			i = j
		}
	}
	p.vals[i] = 0
}

// grow makes a full page larger, or dense; base is its first address.
func (t *addressTable) grow(p *page, base uint64) {
	keys, vals := p.keys, p.vals
	if n := len(vals) * 4; n <= sparseMost {
		p.keys, p.vals = make([]uint16, n), make([]uint32, n)
		for i, v := range vals {
			if v != 0 {
				slot, _ := p.find(keys[i])
				p.keys[slot], p.vals[slot] = keys[i], v
			}
		}
		return
	}
	eight := 0
	for i, v := range vals {
		if v != 0 && keys[i]%16 == 8 {
			eight++
		}
	}
	p.shift = 4
	if eight > p.used/8 {
		p.shift = 3
	}
	p.keys, p.vals = nil, make([]uint32, 1<<16>>p.shift)
	for i, v := range vals {
		switch slot := keys[i] >> p.shift; {
		case v == 0:
		case slot<<p.shift == keys[i]:
			p.vals[slot] = v
		default:
			t.odd[base|uint64(keys[i])] = v
			p.used--
		}
	}
}
