package symbols

import (
	"bytes"
	"math"

	"github.com/memtui/memtui/model"
)

// unit is a compilation unit, with the data that its entries refer to.
type unit struct {
	d     *debugInfo
	head  unitHead
	table *abbrevs
	top   entry

	low      value // base of its ranges
	addr     []byte
	addrBase uint64
	strBase  uint64
	rngBase  uint64 // of lists with numbers
	oldBase  uint64 // added to the offsets of .debug_ranges, below the top entry
	ranges   []byte // .debug_ranges
}

// entry is the needed values of one entry.
type entry struct {
	off               uint64
	abbrev            *abbrev
	low, high, ranges value
	name, linkage     value
	origin            value // the entry that has the others
	callFile, callLine,
	sibling, stmtList, compDir, dwoName, dwoID, strBase, addrBase, rngBase, oldBase value
}

// unit returns a unit with its top entry.
func (d *debugInfo) unit(i int) (*unit, error) {
	d.mu.Lock()
	u := d.opened[i]
	d.mu.Unlock()
	if u != nil {
		return u, nil
	}
	h := d.units[i]
	table, err := d.table(&h)
	if err != nil {
		return nil, err
	}
	u = &unit{d: d, head: h, table: table, addr: d.addr, ranges: d.ranges}
	r := u.reader(h.die)
	a := r.next()
	if a == nil {
		return nil, damage("the unit at %d has no entry", h.off)
	}
	u.top = r.entry(a)
	if r.bad {
		return nil, damage("the entry of the unit at %d is truncated, or of an unknown form", h.off)
	}
	u.low, u.addrBase, u.strBase, u.rngBase = u.top.low, u.top.addrBase.n, u.top.strBase.n, u.top.rngBase.n
	if d.skeleton != nil {
		u.complete(d.skeleton)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.opened) < maxOpened && !d.budget.Full(model.BudgetOfFile) {
		d.opened[i] = u
	}
	return u, nil
}

const maxOpened = 1 << 16 // units that are kept in memory, if there is enough: the others are read again

// entries reads the entries of a unit.
type entries struct {
	fields
	u  *unit
	at uint64 // where the last one begins
}

// reader returns a reader of the entries starting at an offset.
func (u *unit) reader(off uint64) *entries {
	r := &entries{fields: fields{b: u.d.info[:u.head.end], order: u.d.order}, u: u}
	r.seek(off)
	return r
}

// next begins an entry, whose values follow; nil at the end of a list of entries, and if bad is set.
func (r *entries) next() *abbrev {
	r.at = uint64(r.off)
	code := r.uleb()
	if code == 0 {
		return nil
	}
	a := r.u.table.get(code)
	if a == nil {
		r.bad = true
	}
	return a
}

// entry reads the values of an entry.
func (r *entries) entry(a *abbrev) (e entry) {
	e.off, e.abbrev = r.at, a
	for i := range a.specs {
		s := &a.specs[i]
		v := r.value(s.coding, r.u.head.layout, r.u.head.off)
		if s.coding.form == formImplicitConst {
			v.n = s.implicit
		}
		if to := e.field(s.attr); to != nil {
			*to = v
		}
	}
	return e
}

// field returns the variable of a value, nil if the value is not needed.
func (e *entry) field(a attribute) *value {
	switch a {
	case attrName:
		return &e.name
	case attrLinkageName, attrMIPSLinkage:
		return &e.linkage
	case attrLowPC:
		return &e.low
	case attrHighPC:
		return &e.high
	case attrRanges:
		return &e.ranges
	case attrAbstractOrigin:
		return &e.origin
	case attrSpecification:
		if e.origin.class == classNone {
			return &e.origin
		}
	case attrCallFile:
		return &e.callFile
	case attrCallLine:
		return &e.callLine
	case attrSibling:
		return &e.sibling
	}
	if e.abbrev.role != roleNone {
		return nil
	}
	switch a {
	case attrStmtList:
		return &e.stmtList
	case attrCompDir:
		return &e.compDir
	case attrDwoName, attrGNUDwoName:
		return &e.dwoName
	case attrGNUDwoID:
		return &e.dwoID
	case attrStrOffsetsBase:
		return &e.strBase
	case attrAddrBase, attrGNUAddrBase:
		return &e.addrBase
	case attrRnglistsBase:
		return &e.rngBase
	case attrGNURangesBase:
		return &e.oldBase
	}
	return nil
}

// leave skips an entry's values, and the entries below it if their end is known. It reports whether they are still to
// be read.
func (r *entries) leave(a *abbrev, below bool) (more bool) {
	if below || !a.children || a.sibling < 0 {
		r.values(a, len(a.specs))
		return a.children
	}
	if a.siblingAt >= 0 {
		r.skip(uint64(a.siblingAt))
	} else {
		r.values(a, a.sibling)
	}
	v := r.value(a.specs[a.sibling].coding, r.u.head.layout, r.u.head.off)
	if v.n <= uint64(r.off) {
		r.bad = true // or it never ends
	}
	r.seek(v.n)
	return false
}

// values skips the first values of an entry.
func (r *entries) values(a *abbrev, n int) {
	if n == len(a.specs) && a.size >= 0 {
		r.skip(uint64(a.size))
		return
	}
	for i := range a.specs[:n] {
		r.value(a.specs[i].coding, r.u.head.layout, r.u.head.off)
	}
}

// skipTree skips the entries of a list, and those below.
func (r *entries) skipTree(w *work) error {
	for depth := 1; depth > 0 && !r.bad; {
		if err := w.step(); err != nil {
			return err
		}
		if a := r.next(); a == nil {
			depth--
		} else if r.leave(a, false) {
			depth++
		}
	}
	return nil
}

// text returns a string, "" if there is none.
func (u *unit) text(v value) string {
	d := u.d
	from := d.str
	switch v.class {
	case classString:
		from = d.info
	case classLineStrp:
		from = d.lineStr
	case classStrp:
	case classStrpAlt:
		if d.alt == nil {
			return ""
		}
		from = d.alt.str
	case classStrx:
		size := uint64(u.head.offsetSize())
		r := fields{b: d.strOffsets, order: d.order}
		if v.n > uint64(len(d.strOffsets))/size {
			return ""
		}
		r.seek(u.strBase + v.n*size)
		if v.n = r.offset(u.head.wide); r.bad {
			return ""
		}
	default:
		return ""
	}
	if v.n > math.MaxUint32 && v.n >= uint64(len(from)) {
		return ""
	}
	return stringAt(from, v.n)
}

// stringAt returns the string at an offset, "" if there is no terminated one.
func stringAt(b []byte, off uint64) string {
	if off >= uint64(len(b)) {
		return ""
	}
	b = b[off:]
	end := bytes.IndexByte(b[:min(len(b), maxName)], 0)
	if end < 0 {
		return ""
	}
	return string(b[:end])
}

// address returns an address, which may be stored by its index.
func (u *unit) address(v value) (uint64, bool) {
	switch v.class {
	case classAddr:
		return v.n, true
	case classAddrx:
		size := uint64(u.head.addrSize)
		if v.n > uint64(len(u.addr))/size {
			return 0, false
		}
		r := fields{b: u.addr, order: u.d.order}
		r.seek(u.addrBase + v.n*size)
		a := r.uint(int(size))
		return a, !r.bad
	}
	return 0, false
}

// refers returns the entry that a value refers to, and its unit; nil if it cannot be read.
func (u *unit) refers(v value) (*unit, *entry) {
	d := u.d
	switch v.class {
	case classRef:
	case classRefAlt:
		d = d.alt
	default:
		return nil, nil
	}
	if d != u.d || v.n < u.head.die || v.n >= u.head.end {
		if d == nil {
			return nil, nil
		}
		i := d.holding(v.n)
		if i < 0 {
			return nil, nil
		}
		var err error
		if u, err = d.unit(i); err != nil {
			return nil, nil
		}
	}
	r := u.reader(v.n)
	a := r.next()
	if a == nil {
		return nil, nil
	}
	e := r.entry(a)
	if r.bad {
		return nil, nil
	}
	return u, &e
}
