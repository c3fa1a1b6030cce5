package heaptrack

// digits has the value of each byte as a hexadecimal digit, 16 for none.
var digits = func() (t [256]uint8) {
	for i := range t {
		t[i] = 16
	}
	for i := range uint8(10) {
		t['0'+i] = i
	}
	for i := range uint8(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// maxDigits is how many digits 64 bits take.
const maxDigits = 16

// fields reads the fields of one line. A blank before a field is skipped.
type fields struct {
	b  []byte // what is left
	ok bool   // nothing was missing so far
}

func newFields(b []byte) fields { return fields{b, true} }

// more reports whether there is a field left.
func (f *fields) more() bool {
	f.blanks()
	return len(f.b) > 0
}

func (f *fields) blanks() {
	for len(f.b) > 0 && (f.b[0] == ' ' || f.b[0] == '\t' || f.b[0] == '\r') {
		f.b = f.b[1:]
	}
}

// number reads a number of at most 64 bits.
func (f *fields) number() (v uint64) {
	f.blanks()
	n := 0
	for n < len(f.b) && digits[f.b[n]] < 16 {
		if v>>60 != 0 {
			f.ok = false
		}
		v = v<<4 | uint64(digits[f.b[n]])
		n++
	}
	if n == 0 || n < len(f.b) && f.b[n] != ' ' && f.b[n] != '\r' && f.b[n] != '\t' {
		f.ok = false
	}
	f.b = f.b[n:]
	return v
}

// window is what the fast reader of events looks at: any of their lines fits.
const window = 64

// hex reads a number at p of a window and returns where it ends. At most the window is read; the caller sees by the end that a
// number is missing or too long. hot kernel
func hex(w *[window]byte, p int) (v uint64, end int) {
	for {
		d := digits[w[p&(window-1)]]
		if d > 15 || p >= window {
			return v, p
		}
		v = v<<4 | uint64(d)
		p++
	}
}
