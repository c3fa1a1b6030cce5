package symbols

import (
	"debug/dwarf"
	"io"
	"path"
	"sort"
)

// row is a place in the source.
type row struct {
	file string
	line int
}

// lineTable is what a unit's line table says about the addresses that were asked for.
type lineTable struct {
	rows  map[uint64]row
	files []*dwarf.LineFile
	dir   string // that relative names count from
}

const maxLineFiles = 1 << 20 // names of files and folders of one unit

// readLines goes over a unit's line table once, as the library's own search gives up in tables of several sequences. addrs are sorted.
func (d *debugInfo) readLines(unit *dwarf.Entry, addrs []uint64, w *work) (t lineTable, err error) {
	t = lineTable{rows: map[uint64]row{}}
	t.dir, _ = unit.Val(dwarf.AttrCompDir).(string)
	off, ok := unit.Val(dwarf.AttrStmtList).(int64)
	if !ok {
		return t, nil
	}
	if err := d.checkLineHeader(off); err != nil {
		return t, err
	}
	lr, err := d.data.LineReader(unit)
	if err != nil || lr == nil {
		return t, err
	}
	starts := map[uint64]uint64{} // of the sequence that an address's row is of
	var seq []dwarf.LineEntry
	for {
		var e dwarf.LineEntry
		if err := lr.Next(&e); err == io.EOF {
			break
		} else if err != nil {
			t.files = lr.Files()
			return t, err
		}
		if err := w.step(); err != nil {
			return t, err
		}
		if seq = append(seq, e); e.EndSequence {
			t.sequence(seq, addrs, starts)
			seq = seq[:0]
		}
	}
	t.files = lr.Files()
	return t, nil
}

// sequence notes the rows of the addresses that a sequence covers. Where several do, the one that begins last is right: the linker
// leaves those of removed functions at zero.
func (t *lineTable) sequence(seq []dwarf.LineEntry, addrs []uint64, starts map[uint64]uint64) {
	sort.SliceStable(seq, func(i, j int) bool { return seq[i].Address < seq[j].Address })
	start, end := seq[0].Address, seq[len(seq)-1].Address
	for _, a := range addrs[sort.Search(len(addrs), func(i int) bool { return addrs[i] >= start }):] {
		if a >= end {
			return
		}
		if old, ok := starts[a]; ok && old >= start {
			continue
		}
		i := sort.Search(len(seq), func(i int) bool { return seq[i].Address > a }) - 1
		starts[a] = start
		t.rows[a] = row{t.name(seq[i].File), seq[i].Line}
	}
}

// name returns the name of a file of the table.
func (t *lineTable) name(f *dwarf.LineFile) string {
	switch {
	case f == nil || f.Name == "":
		return ""
	case path.IsAbs(f.Name) || t.dir == "":
		return f.Name
	}
	return path.Join(t.dir, f.Name)
}

// file returns the name of a file by its number, as inlined calls tell it.
func (t *lineTable) file(n int64) string {
	if n < 0 || n >= int64(len(t.files)) {
		return ""
	}
	return t.name(t.files[n])
}

// checkLineHeader fails where the header of a line table of DWARF 5 claims more names than it can hold: the library makes room for what
// is claimed.
func (d *debugInfo) checkLineHeader(off int64) error {
	if off < 0 || off >= int64(len(d.line)) {
		return damage("a line table lies at %d of %d bytes", off, len(d.line))
	}
	r := fields{b: d.line[off:], order: d.order}
	_, wide := r.length()
	if version := r.uint(2); version < 5 {
		return nil
	}
	r.uint(2) // sizes of addresses and segments
	r.offset(wide)
	r.skip(5)
	for n := r.uint(1); n > 1; n-- {
		r.uint(1)
	}
	for range 2 { // folders, then files
		if err := r.skipEntries(wide); err != nil {
			return err
		}
	}
	if r.bad {
		return damage("the line table at %d is cut", off)
	}
	return nil
}

// skipEntries leaves out a list of folders or files of DWARF 5.
func (r *fields) skipEntries(wide bool) error {
	forms := make([]uint64, r.uint(1))
	for i := range forms {
		r.uleb()
		forms[i] = r.uleb()
	}
	count := r.uleb()
	if count > maxLineFiles || count > uint64(len(r.b)-r.off) {
		return damage("a line table claims %d names", count)
	}
	for range count {
		for _, form := range forms {
			r.skipForm(form, wide)
		}
		if r.bad {
			break
		}
	}
	return nil
}

// skipForm leaves out a value, of the forms that line tables may hold.
func (r *fields) skipForm(form uint64, wide bool) {
	switch form {
	case 0x08: // string
		r.skipString()
	case 0x0e, 0x1f, 0x17, 0x1d: // strp, line_strp, sec_offset, strp_sup
		r.offset(wide)
	case 0x0b, 0x25: // data1, strx1
		r.skip(1)
	case 0x05, 0x26: // data2, strx2
		r.skip(2)
	case 0x27: // strx3
		r.skip(3)
	case 0x06, 0x28: // data4, strx4
		r.skip(4)
	case 0x07: // data8
		r.skip(8)
	case 0x1e: // data16
		r.skip(16)
	case 0x0f, 0x0d, 0x1a: // udata, sdata, strx
		r.uleb()
	case 0x09: // block
		r.skip(r.uleb())
	case 0x0a: // block1
		r.skip(r.uint(1))
	case 0x03: // block2
		r.skip(r.uint(2))
	case 0x04: // block4
		r.skip(r.uint(4))
	default:
		r.bad = true
	}
}
