package symbols

import (
	"bytes"
	"context"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/memtui/memtui/model"
)

// debugInfo is the DWARF of one file.
type debugInfo struct {
	data   *dwarf.Data
	order  binary.ByteOrder
	line   []byte
	units  []unitHead // by offset
	arange []byte

	shared bool // some names lie in another file (.gnu_debugaltlink)

	mu      sync.Mutex
	split   bool  // functions of some units lie in other files (.dwo)
	damaged error // the first damage that was met
}

// unitHead is where a unit lies in .debug_info.
type unitHead struct {
	off, die, abbrev uint64
	kind             byte
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

// damage makes the error of damage in a section.
func damage(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDWARF, fmt.Sprintf(format, args...))
}

// openDWARF reads what finds the rest: headers of units and the tables of abbreviations.
func (im *image) openDWARF(ctx context.Context) (*debugInfo, error) {
	names := []string{".debug_abbrev", ".debug_aranges", ".debug_info", ".debug_line", ".debug_ranges", ".debug_str",
		".debug_addr", ".debug_line_str", ".debug_str_offsets", ".debug_rnglists"}
	sec := map[string][]byte{}
	for _, name := range names {
		b, err := im.section(ctx, name)
		if err != nil {
			return nil, err
		}
		sec[name] = b
	}
	d := &debugInfo{order: im.elf.ByteOrder, line: sec[".debug_line"], arange: sec[".debug_aranges"]}
	if d.units = scanUnits(sec[".debug_info"], d.order); len(d.units) == 0 {
		return nil, damage("there are no units")
	}
	if err := checkAbbrevs(ctx, sec[".debug_abbrev"], d.units); err != nil {
		return nil, err
	}
	data, err := dwarf.New(sec[".debug_abbrev"], sec[".debug_aranges"], nil, sec[".debug_info"], sec[".debug_line"], nil, sec[".debug_ranges"], sec[".debug_str"])
	if err != nil {
		return nil, damage("%v", err)
	}
	for _, name := range names[6:] {
		if err := data.AddSection(name, sec[name]); err != nil {
			return nil, damage("%v", err)
		}
	}
	// The library notes where the tables of a unit begin when it is read first, unguarded: here, before several goroutines read.
	for r, i := data.Reader(), 0; i < len(d.units); i++ {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.Seek(dwarf.Offset(d.units[i].die))
	}
	d.data = data
	d.shared = im.elf.Section(".gnu_debugaltlink") != nil
	return d, nil
}

// scanUnits lists the units, as far as their headers can be read.
func scanUnits(info []byte, order binary.ByteOrder) (units []unitHead) {
	for off := uint64(0); off < uint64(len(info)); {
		r := fields{b: info[off:], order: order}
		length, wide := r.length()
		end := off + uint64(r.off) + length
		u := unitHead{off: off, kind: unitCompile}
		version := r.uint(2)
		if version >= 5 {
			u.kind = byte(r.uint(1))
			r.uint(1)
			u.abbrev = r.offset(wide)
		} else {
			u.abbrev = r.offset(wide)
			r.uint(1)
		}
		switch u.kind {
		case unitSkeleton, unitSplit:
			r.uint(8)
		case unitType, unitSplitTyp:
			r.uint(8)
			r.offset(wide)
		}
		u.die = off + uint64(r.off)
		if r.bad || length > uint64(len(info)) || end > uint64(len(info)) || u.die > end {
			return units
		}
		if version >= 2 && version <= 5 {
			units = append(units, u)
		}
		off = end
	}
	return units
}

// checkAbbrevs fails where tables of abbreviations overlap so much that reading them all takes forever: the library reads every one.
func checkAbbrevs(ctx context.Context, abbrev []byte, units []unitHead) error {
	seen, left := map[uint64]bool{}, 4*len(abbrev)+sectionMin
	for _, u := range units {
		if seen[u.abbrev] {
			continue
		}
		seen[u.abbrev] = true
		if u.abbrev > uint64(len(abbrev)) {
			return damage("a unit's abbreviations lie at %d of %d bytes", u.abbrev, len(abbrev))
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

// abbrevLength returns how many bytes a table of abbreviations has.
func abbrevLength(b []byte) int {
	const implicitConst = 0x21
	r := fields{b: b}
	for !r.bad && r.uleb() != 0 {
		r.uleb() // tag
		r.uint(1)
		for !r.bad {
			attr, form := r.uleb(), r.uleb()
			if form == implicitConst {
				r.uleb()
			}
			if attr == 0 && form == 0 {
				break
			}
		}
	}
	return min(r.off, len(b))
}

// entry returns a unit's own entry and a reader of those below.
func (d *debugInfo) entry(unit int) (*dwarf.Entry, *dwarf.Reader, error) {
	r := d.data.Reader()
	r.Seek(dwarf.Offset(d.units[unit].die))
	e, err := r.Next()
	if err == nil && e == nil {
		err = errDWARF
	}
	return e, r, err
}

// fields reads numbers one after another. After the end they are zero, and bad is set.
type fields struct {
	b     []byte
	off   int
	order binary.ByteOrder
	bad   bool
}

// uint reads a number of 1, 2, 4 or 8 bytes.
func (r *fields) uint(size int) uint64 {
	if r.bad || len(r.b)-r.off < size {
		r.bad = true
		return 0
	}
	b := r.b[r.off:]
	r.off += size
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(r.order.Uint16(b))
	case 4:
		return uint64(r.order.Uint32(b))
	}
	return r.order.Uint64(b)
}

// length reads the length of a unit, and whether its offsets have 8 bytes.
func (r *fields) length() (n uint64, wide bool) {
	if n = r.uint(4); n == 0xffffffff {
		return r.uint(8), true
	}
	return n, false
}

func (r *fields) offset(wide bool) uint64 {
	if wide {
		return r.uint(8)
	}
	return r.uint(4)
}

// uleb reads a number of variable length; those of more than 64 bits lose the upper ones.
func (r *fields) uleb() (n uint64) {
	for shift := uint(0); ; shift += 7 {
		b := r.uint(1)
		if shift < 64 {
			n |= b & 0x7f << shift
		}
		if r.bad || b < 0x80 {
			return n
		}
	}
}

// skip leaves bytes out.
func (r *fields) skip(n uint64) {
	if r.bad || n > uint64(len(r.b)-r.off) {
		r.bad = true
		return
	}
	r.off += int(n)
}

// skipString leaves a string out that ends with a zero.
func (r *fields) skipString() {
	if r.bad {
		return
	}
	end := bytes.IndexByte(r.b[r.off:], 0)
	if end < 0 {
		r.bad = true
		return
	}
	r.off += end + 1
}
