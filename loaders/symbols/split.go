package symbols

import (
	"context"
	"encoding/binary"
	"path/filepath"

	"github.com/memtui/memtui/model"
)

// split calls f with the unit that has the functions of a unit that was split in two, and reports whether there is one.
func (c *companions) split(ctx context.Context, skeleton *unit, f func(*unit) error) (there bool, err error) {
	c.once.Do(func() { c.openPackage(ctx) })
	if c.pack != nil {
		if d := c.pack.unit(skeleton.id()); d != nil {
			if u := d.completing(ctx, skeleton); u != nil {
				return true, c.packed.guard(func() error { return f(u) })
			}
		}
	}
	name := skeleton.text(skeleton.top.dwoName)
	why := "there is no " + name
	for _, path := range c.moved(skeleton.text(skeleton.top.compDir), name) {
		if ctx.Err() != nil {
			return true, ctx.Err()
		}
		im, failed := openImage(ctx, path)
		if failed != nil {
			continue
		}
		there, err := c.within(ctx, im, skeleton, f)
		im.close()
		if there {
			return true, err
		}
		why = path + " is not the one that belongs to it"
		if err != nil {
			why = path + ": " + err.Error()
		}
	}
	c.addMissing(why)
	return false, nil
}

// within calls f with the unit of a .dwo file that completes a skeleton.
func (c *companions) within(ctx context.Context, im *image, skeleton *unit, f func(*unit) error) (there bool, err error) {
	err = im.guard(func() error {
		s, err := im.splitSections(ctx)
		if err != nil {
			return err
		}
		if u := (&debugInfo{sections: *s, order: im.elf.ByteOrder}).completing(ctx, skeleton); u != nil {
			there = true
			return f(u)
		}
		return nil
	})
	return there, err
}

// splitSections reads the sections of a .dwo file or a package.
func (im *image) splitSections(ctx context.Context) (*sections, error) {
	s := &sections{}
	for name, to := range map[string]*[]byte{".debug_info.dwo": &s.info, ".debug_abbrev.dwo": &s.abbrev, ".debug_str.dwo": &s.str,
		".debug_str_offsets.dwo": &s.strOffsets, ".debug_rnglists.dwo": &s.rnglists} {
		b, err := im.section(ctx, name)
		if err != nil {
			return nil, err
		}
		*to = b
	}
	return s, nil
}

// id returns the ID shared by the two units of one that was split.
func (u *unit) id() uint64 {
	if u.head.version >= 5 {
		return u.head.id
	}
	return u.top.dwoID.n
}

// completing returns the unit of a .dwo file that belongs to a skeleton, nil for none.
func (d *debugInfo) completing(ctx context.Context, skeleton *unit) *unit {
	d.budget = model.BudgetOf(ctx)
	if d.scan(ctx) != nil {
		return nil
	}
	d.skeleton = skeleton
	for i, h := range d.units {
		if h.version != skeleton.head.version || h.version >= 5 && (h.kind != unitSplit || h.id != skeleton.id()) {
			continue
		}
		if u, err := d.unit(i); err == nil && (h.version >= 5 || u.id() == skeleton.id()) {
			return u
		}
	}
	return nil
}

// complete copies what a unit of a .dwo file leaves to its skeleton, and what its position in the file determines.
func (u *unit) complete(skeleton *unit) {
	u.low, u.addr, u.addrBase = skeleton.top.low, skeleton.addr, skeleton.addrBase
	u.ranges, u.oldBase = skeleton.ranges, skeleton.top.oldBase.n
	if u.head.version < 5 {
		return
	}
	length := uint64(4)
	if u.head.wide {
		length = 12
	}
	if u.top.strBase.class == classNone {
		u.strBase = length + 4
	}
	if u.top.rngBase.class == classNone {
		u.rngBase = length + 8
	}
}

// dwp is a package of .dwo files.
type dwp struct {
	sections
	order binary.ByteOrder
	rows  map[uint64][][3]uint64 // by unit ID: section, offset, length
}

// sections of a package, by number.
const (
	dwpInfo       = 1
	dwpAbbrev     = 3
	dwpStrOffsets = 6
	dwpRnglists   = 8 // in DWARF 5 only
)

// openPackage opens the package of the file, or of the binary.
func (c *companions) openPackage(ctx context.Context) {
	var paths []string
	for _, im := range []*image{c.image, c.binary} {
		paths = append(paths, im.path+".dwp")
	}
	for _, dir := range c.search.opt.Dirs {
		paths = append(paths, below(dir, c.search.path)+".dwp", filepath.Join(dir, filepath.Base(c.search.path)+".dwp"))
	}
	if root := c.search.opt.Sysroot; root != "" {
		paths = append(paths, below(root, c.search.path)+".dwp")
	}
	for _, path := range paths {
		im, err := openImage(ctx, path)
		if err != nil {
			continue
		}
		err = im.guard(func() (err error) { c.pack, err = im.readPackage(ctx); return err })
		if err == nil && c.pack != nil {
			c.packed = im
			return
		}
		im.close()
	}
}

// readPackage reads the index of a package, nil if there is none.
func (im *image) readPackage(ctx context.Context) (*dwp, error) {
	index, err := im.section(ctx, ".debug_cu_index")
	if err != nil || index == nil {
		return nil, err
	}
	s, err := im.splitSections(ctx)
	if err != nil {
		return nil, err
	}
	p := &dwp{sections: *s, order: im.elf.ByteOrder, rows: map[uint64][][3]uint64{}}
	r := fields{b: index, order: p.order}
	r.uint(4) // version
	columns, units, slots := r.uint(4), r.uint(4), r.uint(4)
	size := uint64(len(index))
	if r.bad || columns > 16 || units > size || slots > size || 12*slots+4*columns*(2*units+1) > size-uint64(r.off) {
		return nil, damage("the index of the package is truncated")
	}
	ids, rows := r.off, r.off+int(8*slots)
	table := rows + int(4*slots)
	at := func(off int) uint64 { return uint64(p.order.Uint32(index[off:])) }
	for slot := range int(slots) {
		row := int(at(rows + 4*slot))
		if row == 0 || row > int(units) {
			continue
		}
		var parts [][3]uint64
		for c := range int(columns) {
			parts = append(parts, [3]uint64{at(table + 4*c), at(table + 4*(row*int(columns)+c)),
				at(table + 4*((row+int(units))*int(columns)+c))})
		}
		p.rows[p.order.Uint64(index[ids+8*slot:])] = parts
	}
	return p, nil
}

// unit returns the part of a package for a unit, nil if there is none.
func (p *dwp) unit(id uint64) *debugInfo {
	parts, ok := p.rows[id]
	if !ok {
		return nil
	}
	d := &debugInfo{order: p.order}
	d.str = p.str
	for _, part := range parts {
		switch part[0] {
		case dwpInfo:
			d.info = partOf(p.info, part)
		case dwpAbbrev:
			d.abbrev = partOf(p.abbrev, part)
		case dwpStrOffsets:
			d.strOffsets = partOf(p.strOffsets, part)
		case dwpRnglists:
			d.rnglists = partOf(p.rnglists, part)
		}
	}
	return d
}

// partOf returns a part of a section, nil if it is out of range.
func partOf(b []byte, part [3]uint64) []byte {
	if size := uint64(len(b)); part[1] > size || part[2] > size-part[1] {
		return nil
	}
	return b[part[1] : part[1]+part[2]]
}
