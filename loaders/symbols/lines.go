package symbols

import (
	"math"
	"path"
	"sort"
)

// row is a position in the source.
type row struct {
	file string
	line int64
}

// lineTable is the rows of a unit's line table for the wanted addresses.
type lineTable struct {
	rows  map[uint64]row
	dirs  []string
	files []lineFile
	dir   string // base of relative names
}

// lineFile is a name, in one of the folders.
type lineFile struct {
	name string
	dir  uint64
}

// file returns the name of a file by its index, "" for none.
func (t *lineTable) file(n uint64) string {
	if n >= uint64(len(t.files)) || t.files[n].name == "" {
		return ""
	}
	f := t.files[n]
	if path.IsAbs(f.name) {
		return f.name
	}
	if f.dir > 0 && f.dir < uint64(len(t.dirs)) {
		f.name = under(t.dirs[f.dir], f.name)
	}
	if !path.IsAbs(f.name) && len(t.dirs) > 0 {
		f.name = under(t.dirs[0], f.name)
	}
	if !path.IsAbs(f.name) && t.dir != "" && (len(t.dirs) == 0 || t.dirs[0] != t.dir) {
		f.name = path.Join(t.dir, f.name)
	}
	return f.name
}

// under joins a folder and a name, as compilers write it.
func under(dir, name string) string {
	switch {
	case dir == "":
		return name
	case dir[len(dir)-1] == '/':
		return dir + name
	}
	return dir + "/" + name
}

// lineProgram computes the rows of a line table.
type lineProgram struct {
	fields
	layout
	version uint16
	minInst, maxOps,
	lineRange, opcodeBase uint64
	lineBase int64
	lengths  []byte // number of operands of the first opcodes

	addr, op, file uint64
	line           int64
}

// readLines reads a unit's line table once. addrs are sorted. With an error, it also returns what could be read.
func (u *unit) readLines(addrs []uint64, w *work) (*lineTable, error) {
	t := &lineTable{rows: map[uint64]row{}, dir: u.text(u.top.compDir)}
	if c := u.top.stmtList.class; c != classOffset && c != classNumber {
		return t, nil
	}
	off := u.top.stmtList.n
	if off >= uint64(len(u.d.line)) {
		return t, damage("a line table starts at %d of %d bytes", off, len(u.d.line))
	}
	p := &lineProgram{fields: fields{b: u.d.line[off:], order: u.d.order}, layout: u.head.layout}
	if !p.header(u, t) {
		return t, damage("the line table at %d is truncated, or of an unknown version", off)
	}
	m := matcher{addrs: addrs, found: map[uint64]match{}}
	err := p.run(t, &m, w)
	for a, f := range m.found {
		t.rows[a] = row{t.file(f.file), lineNumber(f.line)}
	}
	return t, err
}

// lineNumber returns a line number, 0 if it is impossible.
func lineNumber(n int64) int64 {
	if n < 0 || n > math.MaxUint32 {
		return 0
	}
	return n
}

// header reads the header of the program, and limits the program to its end.
func (p *lineProgram) header(u *unit, t *lineTable) bool {
	length, wide := p.length()
	if p.bad || length > uint64(len(p.b)-p.off) {
		return false
	}
	p.b = p.b[:p.off+int(length)]
	p.wide = wide
	p.version = uint16(p.uint(2))
	if p.version < 2 || p.version > 5 {
		return false
	}
	if p.version >= 5 {
		if p.addrSize = uint8(p.uint(1)); p.addrSize != 4 && p.addrSize != 8 {
			return false
		}
		p.uint(1) // size of segments
	}
	size := p.offset(wide)
	begin := uint64(p.off) + size
	p.minInst, p.maxOps = p.uint(1), 1
	if p.version >= 4 {
		p.maxOps = max(1, p.uint(1))
	}
	p.uint(1) // whether rows begin a statement
	p.lineBase, p.lineRange, p.opcodeBase = int64(int8(p.uint(1))), p.uint(1), p.uint(1)
	if p.bad || p.opcodeBase == 0 || p.lineRange == 0 || begin > uint64(len(p.b)) {
		return false
	}
	from := p.off
	if p.skip(p.opcodeBase - 1); p.bad {
		return false
	}
	p.lengths = p.b[from:p.off]
	if p.version >= 5 {
		p.newNames(u, t)
	} else {
		p.oldNames(t)
	}
	if p.bad {
		return false
	}
	p.seek(begin)
	return true
}

// oldNames reads the folders and files of DWARF 2 to 4, which count from 1: 0 is the unit's folder, and no file.
func (p *lineProgram) oldNames(t *lineTable) {
	t.dirs, t.files = []string{t.dir}, make([]lineFile, 1)
	for {
		s := p.skipString()
		if len(s) == 0 {
			break
		}
		t.dirs = append(t.dirs, string(s))
	}
	for !p.bad {
		s := p.skipString()
		if len(s) == 0 {
			break
		}
		p.addFile(t, string(s))
	}
}

// addFile reads the rest after the name of a file of DWARF 2 to 4.
func (p *lineProgram) addFile(t *lineTable, name string) {
	f := lineFile{name: name, dir: p.uleb()}
	p.uleb() // time
	p.uleb() // size
	t.files = append(t.files, f)
}

const maxLineFiles = 1 << 20 // names of files and folders of one unit

// newNames reads the folders and files of DWARF 5, which count from 0.
func (p *lineProgram) newNames(u *unit, t *lineTable) {
	p.entries(u, func(f lineFile) { t.dirs = append(t.dirs, f.name) })
	p.entries(u, func(f lineFile) { t.files = append(t.files, f) })
}

// entries reads a list of folders or files of DWARF 5. Each takes at least one byte, whatever number is claimed.
func (p *lineProgram) entries(u *unit, f func(lineFile)) {
	const contentPath, contentDir = 1, 2
	type column struct {
		kind uint64
		coding
	}
	columns := make([]column, p.uint(1))
	for i := range columns {
		columns[i] = column{p.uleb(), codingOf(form(p.uleb()), p.layout)}
	}
	count := p.uleb()
	if count > maxLineFiles || count > uint64(len(p.b)-p.off) || count > 0 && len(columns) == 0 {
		p.bad = true
		return
	}
	for range count {
		var entry lineFile
		for _, c := range columns {
			from := p.off
			v := p.value(c.coding, p.layout, 0)
			switch {
			case p.bad:
				return
			case c.kind == contentDir:
				entry.dir = v.n
			case c.kind != contentPath:
			case v.class == classString:
				entry.name = stringAt(p.b, uint64(from))
			default:
				entry.name = u.text(v)
			}
		}
		f(entry)
	}
}

// match is the row of an address.
type match struct {
	file  uint64
	line  int64
	start uint64 // of the sequence
}

// matcher finds the rows of the wanted addresses.
type matcher struct {
	addrs []uint64
	found map[uint64]match

	start uint64 // of the sequence
	begun bool
	last  match
	from  uint64 // where the last row begins
	next  int    // the first address from there
}

// row adds a row: the previous one covers all addresses up to it. If several sequences cover an address, the one that
// begins last is right: the linker leaves those of removed functions at zero.
func (m *matcher) row(addr, file uint64, line int64, end bool) {
	if !m.begun {
		m.start, m.begun = addr, true
		m.next = sort.Search(len(m.addrs), func(i int) bool { return m.addrs[i] >= addr })
	} else if addr < m.from { // a sequence should not go back
		m.next = sort.Search(len(m.addrs), func(i int) bool { return m.addrs[i] >= addr })
	} else {
		for ; m.next < len(m.addrs) && m.addrs[m.next] < addr; m.next++ {
			a := m.addrs[m.next]
			if old, ok := m.found[a]; !ok || old.start < m.start {
				m.found[a] = m.last
			}
		}
	}
	m.from, m.last = addr, match{file, line, m.start}
	if end {
		m.begun = false
	}
}

// opcodes of line tables that affect the wanted values, by number.
const (
	lineExtended = iota
	lineCopy
	lineAdvancePC
	lineAdvanceLine
	lineSetFile
	lineSetColumn
	lineNegate
	lineBlock
	lineConstAddPC
	lineFixedAdvance

	lineEndSequence = 1
	lineSetAddress  = 2
	lineDefineFile  = 3
)

// run computes the rows.
func (p *lineProgram) run(t *lineTable, m *matcher, w *work) error {
	p.reset()
	for p.off < len(p.b) && !p.bad {
		if err := w.step(); err != nil {
			return err
		}
		op := p.uint(1)
		if op >= p.opcodeBase {
			op -= p.opcodeBase
			p.advance(op / p.lineRange)
			p.line += p.lineBase + int64(op%p.lineRange)
			m.row(p.addr, p.file, p.line, false)
			continue
		}
		switch op {
		case lineExtended:
			p.extended(t, m)
		case lineCopy:
			m.row(p.addr, p.file, p.line, false)
		case lineAdvancePC:
			p.advance(p.uleb())
		case lineAdvanceLine:
			p.line += p.sleb()
		case lineSetFile:
			p.file = p.uleb()
		case lineNegate, lineBlock:
		case lineConstAddPC:
			p.advance((255 - p.opcodeBase) / p.lineRange)
		case lineFixedAdvance:
			p.addr, p.op = p.addr+p.uint(2), 0
		default:
			for range p.lengths[op-1] {
				p.uleb()
			}
		}
	}
	if p.bad {
		return damage("a line table is truncated")
	}
	return nil
}

func (p *lineProgram) reset() { p.addr, p.op, p.file, p.line = 0, 0, 1, 1 }

// advance adds instructions to the address.
func (p *lineProgram) advance(n uint64) {
	p.addr += p.minInst * ((p.op + n) / p.maxOps)
	p.op = (p.op + n) % p.maxOps
}

// extended executes an opcode that has a length.
func (p *lineProgram) extended(t *lineTable, m *matcher) {
	length := p.uleb()
	if p.bad || length == 0 || length > uint64(len(p.b)-p.off) {
		p.bad = p.bad || length > 0
		return
	}
	end := p.off + int(length)
	switch p.uint(1) {
	case lineEndSequence:
		m.row(p.addr, p.file, p.line, true)
		p.reset()
	case lineSetAddress:
		if size := int(length - 1); size == 4 || size == 8 {
			p.addr, p.op = p.uint(size), 0
		}
	case lineDefineFile:
		p.addFile(t, string(p.skipString()))
	}
	p.off = end
}
