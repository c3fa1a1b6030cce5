package symbols

// form is how a value is stored.
type form uint16

const (
	formAddr          form = 0x01
	formBlock2        form = 0x03
	formBlock4        form = 0x04
	formData2         form = 0x05
	formData4         form = 0x06
	formData8         form = 0x07
	formString        form = 0x08
	formBlock         form = 0x09
	formBlock1        form = 0x0a
	formData1         form = 0x0b
	formFlag          form = 0x0c
	formSdata         form = 0x0d
	formStrp          form = 0x0e
	formUdata         form = 0x0f
	formRefAddr       form = 0x10
	formRef1          form = 0x11
	formRef2          form = 0x12
	formRef4          form = 0x13
	formRef8          form = 0x14
	formRefUdata      form = 0x15
	formIndirect      form = 0x16
	formSecOffset     form = 0x17
	formExprloc       form = 0x18
	formFlagPresent   form = 0x19
	formStrx          form = 0x1a
	formAddrx         form = 0x1b
	formRefSup4       form = 0x1c
	formStrpSup       form = 0x1d
	formData16        form = 0x1e
	formLineStrp      form = 0x1f
	formRefSig8       form = 0x20
	formImplicitConst form = 0x21
	formLoclistx      form = 0x22
	formRnglistx      form = 0x23
	formRefSup8       form = 0x24
	formStrx1         form = 0x25
	formStrx2         form = 0x26
	formStrx3         form = 0x27
	formStrx4         form = 0x28
	formAddrx1        form = 0x29
	formAddrx2        form = 0x2a
	formAddrx3        form = 0x2b
	formAddrx4        form = 0x2c
	formGNUAddrIndex  form = 0x1f01 // of split DWARF 4
	formGNUStrIndex   form = 0x1f02
	formGNURefAlt     form = 0x1f20 // of dwz
	formGNUStrpAlt    form = 0x1f21
)

// class is the kind of a value.
type class uint8

const (
	classNone     class = iota
	classOther          // a block, an expression, a signature: never needed
	classNumber         // a constant or a flag
	classOffset         // an offset in another section
	classAddr           // an address
	classAddrx          // the index of an address in .debug_addr
	classRnglistx       // the index of a list of ranges
	classRef            // an offset in .debug_info
	classRefAlt         // an offset in .debug_info of the shared file
	classString         // an offset in the section that is read
	classStrp           // an offset in .debug_str
	classLineStrp       // an offset in .debug_line_str
	classStrx           // the index of a string in .debug_str_offsets
	classStrpAlt        // an offset in .debug_str of the shared file
)

// value is a value of an attribute. Strings are read only if needed.
type value struct {
	class class
	n     uint64
}

// layout determines the sizes of forms.
type layout struct {
	addrSize uint8
	wide     bool // offsets have 8 bytes
	old      bool // DWARF 2, where references to other units have the size of addresses
}

func (l layout) offsetSize() int {
	if l.wide {
		return 8
	}
	return 4
}

// fixed are forms of one size.
var fixed = map[form]struct {
	size  int
	class class
}{
	formData1: {1, classNumber}, formData2: {2, classNumber}, formData4: {4, classNumber},
	formData8: {8, classNumber}, formData16: {16, classOther},
	formFlag: {1, classNumber}, formFlagPresent: {0, classNumber}, formImplicitConst: {0, classNumber},
	formRef1: {1, classRef}, formRef2: {2, classRef}, formRef4: {4, classRef}, formRef8: {8, classRef},
	formRefSig8: {8, classOther}, formRefSup4: {4, classRefAlt}, formRefSup8: {8, classRefAlt},
	formStrx1: {1, classStrx}, formStrx2: {2, classStrx}, formStrx3: {3, classStrx}, formStrx4: {4, classStrx},
	formAddrx1: {1, classAddrx}, formAddrx2: {2, classAddrx}, formAddrx3: {3, classAddrx}, formAddrx4: {4, classAddrx},
}

// offsets are forms of the size of an offset.
var offsets = map[form]class{formStrp: classStrp, formLineStrp: classLineStrp, formSecOffset: classOffset, formStrpSup: classStrpAlt,
	formGNURefAlt: classRefAlt, formGNUStrpAlt: classStrpAlt, formRefAddr: classRef}

// numbered are forms of variable length.
var numbered = map[form]class{formUdata: classNumber, formStrx: classStrx, formGNUStrIndex: classStrx,
	formAddrx: classAddrx, formGNUAddrIndex: classAddrx,
	formRefUdata: classRef, formLoclistx: classOther, formRnglistx: classRnglistx}

// coding is how a form is read.
type coding struct {
	form  form
	class class
	size  int8 // bytes, -1 if the value itself determines it
}

// codingOf returns how a form is read in units of a layout; its class is classNone if it is unknown.
func codingOf(f form, l layout) coding {
	if c, ok := fixed[f]; ok {
		return coding{f, c.class, int8(c.size)}
	}
	if f == formAddr || f == formRefAddr && l.old {
		c := coding{f, classAddr, int8(l.addrSize)}
		if f == formRefAddr {
			c.class = classRef
		}
		return c
	}
	if c, ok := offsets[f]; ok {
		return coding{f, c, int8(l.offsetSize())}
	}
	if c, ok := numbered[f]; ok {
		return coding{f, c, -1}
	}
	switch f {
	case formString:
		return coding{f, classString, -1}
	case formSdata:
		return coding{f, classNumber, -1}
	case formBlock, formBlock1, formBlock2, formBlock4, formExprloc, formIndirect:
		return coding{f, classOther, -1}
	}
	return coding{form: f}
}

// value reads a value. unit is where its unit begins, which most references are relative to.
func (r *fields) value(c coding, l layout, unit uint64) value {
	if c.form == formIndirect {
		if c = codingOf(form(r.uleb()), l); c.form == formIndirect || c.form == formImplicitConst {
			c.class = classNone
		}
	}
	v := value{class: c.class}
	switch {
	case c.class == classNone:
		r.bad = true
	case c.size > 8:
		r.skip(uint64(c.size))
	case c.size > 0:
		v.n = r.uint(int(c.size))
	case c.size == 0:
		v.n = 1
	case c.form == formString:
		v.n = uint64(r.off)
		r.skipString()
	case c.form == formSdata:
		v.n = uint64(r.sleb())
	case c.form == formBlock1:
		r.skip(r.uint(1))
	case c.form == formBlock2:
		r.skip(r.uint(2))
	case c.form == formBlock4:
		r.skip(r.uint(4))
	case c.form == formBlock, c.form == formExprloc:
		r.skip(r.uleb())
	default:
		v.n = r.uleb()
	}
	if c.class == classRef && c.form != formRefAddr {
		v.n += unit
	}
	return v
}
