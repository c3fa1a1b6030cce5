package symbols

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// sections are the sections of a file with debug information. For a package, they are the parts that belong to one
// unit.
type sections struct {
	info, abbrev, str, lineStr, strOffsets, addr, ranges, rnglists, line, aranges []byte
}

// debugInfo is the DWARF of one file.
type debugInfo struct {
	sections
	order  binary.ByteOrder
	units  []unitHead // by offset
	budget *model.Budget
	alt    *debugInfo // of the shared file (.gnu_debugaltlink), nil for none

	skeleton *unit // that the units complete, nil if they are complete

	mu      sync.Mutex
	tables  map[tableKey]*abbrevs
	opened  map[int]*unit
	damaged error // the first damage
}

// tableKey is the key of a table of abbreviations.
type tableKey struct {
	off uint64
	layout
}

// unitHead is the position of a unit in .debug_info.
type unitHead struct {
	off, end, die, abbrev uint64
	id                    uint64 // of a unit that is split in two, in DWARF 5
	version               uint16
	kind                  byte
	layout
}

// kinds of units that DWARF 5 names.
const (
	unitCompile  = 1
	unitType     = 2
	unitPartial  = 3
	unitSkeleton = 4
	unitSplit    = 5
	unitSplitTyp = 6
)

var errDWARF = errors.New("its debug information is damaged")

// damage returns the error of damage in a section.
func damage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDWARF, fmt.Sprintf(format, args...))
}

// openDWARF reads the sections of a file, and the positions of its units.
func (im *image) openDWARF(ctx context.Context) (*debugInfo, error) {
	d := &debugInfo{order: im.elf.ByteOrder, budget: model.BudgetOf(ctx)}
	for name, to := range map[string]*[]byte{".debug_info": &d.info, ".debug_abbrev": &d.abbrev, ".debug_str": &d.str,
		".debug_line_str":    &d.lineStr,
		".debug_str_offsets": &d.strOffsets, ".debug_addr": &d.addr, ".debug_ranges": &d.ranges, ".debug_rnglists": &d.rnglists,
		".debug_line": &d.line, ".debug_aranges": &d.aranges} {
		b, err := im.section(ctx, name)
		if err != nil {
			return nil, err
		}
		*to = b
	}
	if err := d.scan(ctx); err != nil {
		return nil, err
	}
	if len(d.units) == 0 {
		return nil, damage("there are no units")
	}
	return d, nil
}

// scan finds the units, and fails if reading them would take forever.
func (d *debugInfo) scan(ctx context.Context) error {
	d.tables, d.opened = map[tableKey]*abbrevs{}, map[int]*unit{}
	d.units = scanUnits(d.info, d.order)
	return checkAbbrevs(ctx, d.abbrev, d.units)
}

// scanUnits lists the units, as far as their headers can be read.
func scanUnits(info []byte, order binary.ByteOrder) (units []unitHead) {
	for off := uint64(0); off < uint64(len(info)); {
		r := fields{b: info[off:], order: order}
		length, wide := r.length()
		end := off + uint64(r.off) + length
		u := unitHead{off: off, end: end, kind: unitCompile, version: uint16(r.uint(2)), layout: layout{wide: wide}}
		if u.old = u.version <= 2; u.version >= 5 {
			u.kind = byte(r.uint(1))
			u.addrSize = uint8(r.uint(1))
			u.abbrev = r.offset(wide)
		} else {
			u.abbrev = r.offset(wide)
			u.addrSize = uint8(r.uint(1))
		}
		switch u.kind {
		case unitSkeleton, unitSplit:
			u.id = r.uint(8)
		case unitType, unitSplitTyp:
			r.uint(8)
			r.offset(wide)
		}
		u.die = off + uint64(r.off)
		if r.bad || length > uint64(len(info)) || end > uint64(len(info)) || u.die > end {
			return units
		}
		if u.version >= 2 && u.version <= 5 && (u.addrSize == 4 || u.addrSize == 8) {
			units = append(units, u)
		}
		off = end
	}
	return units
}

// checkAbbrevs fails if tables of abbreviations overlap so much that reading them all takes forever.
func checkAbbrevs(ctx context.Context, abbrev []byte, units []unitHead) error {
	seen, left := map[uint64]bool{}, 4*len(abbrev)+sectionMin
	for _, u := range units {
		if seen[u.abbrev] {
			continue
		}
		seen[u.abbrev] = true
		if u.abbrev > uint64(len(abbrev)) {
			return damage("a unit's abbreviations start at %d of %d bytes", u.abbrev, len(abbrev))
		}
		if left -= abbrevLength(abbrev[u.abbrev:]); left < 0 {
			return damage("tables of abbreviations overlap")
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// abbrevLength returns the length of a table of abbreviations in bytes.
func abbrevLength(b []byte) int {
	r := fields{b: b}
	for !r.bad && r.uleb() != 0 {
		r.uleb() // tag
		r.uint(1)
		for !r.bad {
			attr, f := r.uleb(), r.uleb()
			if form(f) == formImplicitConst {
				r.uleb()
			}
			if attr == 0 && f == 0 {
				break
			}
		}
	}
	return min(r.off, len(b))
}

// table returns the abbreviations of a unit.
func (d *debugInfo) table(h *unitHead) (*abbrevs, error) {
	key := tableKey{h.abbrev, h.layout}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.tables[key]
	if t == nil {
		if d.budget.Full(model.BudgetOfFile) {
			return nil, d.budget.Error("the debug information")
		}
		t = readAbbrevs(d.abbrev, h.abbrev, h.layout)
		d.tables[key] = t
	}
	return t, nil
}

// starting returns the index of the unit that starts at an offset, -1 for none.
func (d *debugInfo) starting(off uint64) int {
	i := d.unitAt(off)
	if i < 0 || d.units[i].off != off {
		return -1
	}
	return i
}

// unitAt returns the index of the unit that contains an offset, -1 for none.
func (d *debugInfo) unitAt(off uint64) int {
	i, ok := slices.BinarySearchFunc(d.units, off, func(u unitHead, off uint64) int {
		switch {
		case u.end <= off:
			return -1
		case u.off > off:
			return 1
		}
		return 0
	})
	if !ok {
		return -1
	}
	return i
}

// note keeps the first damage.
func (d *debugInfo) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.damaged == nil && err != nil {
		d.damaged = damage("%v", err)
	}
}
