package symbols

import "math"

// kinds of entries of .debug_rnglists.
const (
	rangesEnd = iota
	rangesBaseAddressx
	rangesStartxEndx
	rangesStartxLength
	rangesOffsetPair
	rangesBaseAddress
	rangesStartEnd
	rangesStartLength
)

// rangesOf calls f with each range of addresses of an entry.
func (u *unit) rangesOf(e *entry, w *work, f func(start, end uint64)) error {
	if e.ranges.class != classNone {
		return u.listed(e, w, f)
	}
	start, ok := u.address(e.low)
	if !ok || e.high.class == classNone {
		return nil
	}
	end, absolute := u.address(e.high)
	if !absolute {
		end = start + e.high.n
	}
	if start < end {
		f(start, end)
	}
	return w.step()
}

// listed calls f with the ranges of an entry's list.
func (u *unit) listed(e *entry, w *work, f func(start, end uint64)) error {
	base, _ := u.address(u.low)
	v := e.ranges
	switch {
	case u.head.version >= 5:
		off := v.n
		if v.class == classRnglistx {
			size := uint64(u.head.offsetSize())
			r := fields{b: u.d.rnglists, order: u.d.order}
			if v.n > uint64(len(r.b))/size {
				return damage("there is no list %d of ranges", v.n)
			}
			r.seek(u.rngBase + v.n*size)
			off = u.rngBase + r.offset(u.head.wide)
		}
		return u.newList(off, base, w, f)
	case v.class == classOffset, v.class == classNumber:
		if e.off != u.head.die {
			v.n += u.oldBase
		}
		return u.oldList(v.n, base, w, f)
	}
	return nil
}

// oldList reads a list of .debug_ranges.
func (u *unit) oldList(off, base uint64, w *work, f func(start, end uint64)) error {
	r := fields{b: u.ranges, order: u.d.order}
	r.seek(off)
	size := int(u.head.addrSize)
	highest := uint64(math.MaxUint64)
	if size == 4 {
		highest = math.MaxUint32
	}
	for {
		start, end := r.uint(size), r.uint(size)
		switch {
		case r.bad:
			return damage("the list of ranges at %d is truncated", off)
		case start == 0 && end == 0:
			return nil
		case start == highest:
			base = end
		case start < end:
			f(base+start, base+end)
		}
		if err := w.step(); err != nil {
			return err
		}
	}
}

// newList reads a list of .debug_rnglists.
func (u *unit) newList(off, base uint64, w *work, f func(start, end uint64)) error {
	r := fields{b: u.d.rnglists, order: u.d.order}
	r.seek(off)
	size := int(u.head.addrSize)
	indexed := func() uint64 {
		a, ok := u.address(value{classAddrx, r.uleb()})
		r.bad = r.bad || !ok
		return a
	}
	for {
		var start, end uint64
		switch kind := r.uint(1); kind {
		case rangesEnd:
			if r.bad {
				return damage("the list of ranges at %d is truncated", off)
			}
			return nil
		case rangesBaseAddressx:
			base = indexed()
		case rangesStartxEndx:
			start = indexed()
			end = indexed()
		case rangesStartxLength:
			start = indexed()
			end = start + r.uleb()
		case rangesOffsetPair:
			start = base + r.uleb()
			end = base + r.uleb()
		case rangesBaseAddress:
			base = r.uint(size)
		case rangesStartEnd:
			start = r.uint(size)
			end = r.uint(size)
		case rangesStartLength:
			start = r.uint(size)
			end = start + r.uleb()
		default:
			r.bad = true
		}
		if r.bad {
			return damage("the list of ranges at %d is truncated, or of an unknown kind", off)
		}
		if start < end {
			f(start, end)
		}
		if err := w.step(); err != nil {
			return err
		}
	}
}
