package symbols

// attribute is the meaning of a value.
type attribute uint16

const (
	attrSibling        attribute = 0x01
	attrName           attribute = 0x03
	attrStmtList       attribute = 0x10
	attrLowPC          attribute = 0x11
	attrHighPC         attribute = 0x12
	attrCompDir        attribute = 0x1b
	attrAbstractOrigin attribute = 0x31
	attrSpecification  attribute = 0x47
	attrRanges         attribute = 0x55
	attrCallFile       attribute = 0x58
	attrCallLine       attribute = 0x59
	attrLinkageName    attribute = 0x6e
	attrStrOffsetsBase attribute = 0x72
	attrAddrBase       attribute = 0x73
	attrRnglistsBase   attribute = 0x74
	attrDwoName        attribute = 0x76
	attrMIPSLinkage    attribute = 0x2007
	attrGNUDwoName     attribute = 0x2130 // of split DWARF 4
	attrGNUDwoID       attribute = 0x2131
	attrGNURangesBase  attribute = 0x2132
	attrGNUAddrBase    attribute = 0x2133
)

// role is the meaning of an entry for finding code.
type role uint8

const (
	roleNone     role = iota // there is no code below it, except for functions within types
	roleFunction             // it has code of its own, or describes an entry that has
	roleInlined
	roleScope // it has no code of its own, but entries below it may
)

var roles = map[uint64]role{
	0x2e: roleFunction, 0x03: roleFunction, // subprogram, entry_point
	0x1d: roleInlined,
	0x0b: roleScope, 0x1e: roleScope, 0x22: roleScope, 0x25: roleScope, 0x32: roleScope,
	0x39: roleScope, // lexical_block, module, with, catch, try, namespace
}

// abbrev describes the values of an entry.
type abbrev struct {
	role      role
	children  bool
	size      int // bytes of the values, -1 if they vary
	sibling   int // index of the value that is the position of the next entry not below this one, -1 for none
	siblingAt int // bytes before that value, -1 if they vary
	specs     []spec
}

// spec describes one value of an entry.
type spec struct {
	attr     attribute
	coding   coding
	implicit uint64 // of formImplicitConst
}

// abbrevs is a table of abbreviations, by code - 1 as long as codes are consecutive.
type abbrevs struct {
	list []abbrev
	more map[uint64]*abbrev
}

func (t *abbrevs) get(code uint64) *abbrev {
	if code-1 < uint64(len(t.list)) {
		return &t.list[code-1]
	}
	return t.more[code]
}

// readAbbrevs reads the table at an offset, up to damage, for units of a layout.
func readAbbrevs(section []byte, off uint64, l layout) *abbrevs {
	t := &abbrevs{more: map[uint64]*abbrev{}}
	r := fields{b: section}
	r.seek(off)
	for {
		code := r.uleb()
		if r.bad || code == 0 {
			return t
		}
		a := abbrev{role: roles[r.uleb()], children: r.uint(1) != 0, sibling: -1, siblingAt: -1}
		for {
			attr, f := r.uleb(), r.uleb()
			s := spec{attr: attribute(attr), coding: codingOf(form(f), l)}
			if attr > 0xffff || f > 0xffff {
				s = spec{}
			}
			if form(f) == formImplicitConst {
				s.implicit = uint64(r.sleb())
			}
			if r.bad {
				return t
			}
			if attr == 0 && f == 0 {
				break
			}
			if s.attr == attrSibling && s.coding.class == classRef {
				a.sibling, a.siblingAt = len(a.specs), a.size
			}
			if a.size >= 0 && s.coding.size >= 0 && s.coding.class != classNone {
				a.size += int(s.coding.size)
			} else {
				a.size = -1
			}
			a.specs = append(a.specs, s)
		}
		if code == uint64(len(t.list))+1 {
			t.list = append(t.list, a)
		} else {
			t.more[code] = &a
		}
	}
}
