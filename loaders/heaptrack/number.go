package heaptrack

import (
	"encoding/binary"
	"math/bits"
)

// digits is the value of each byte as a hexadecimal digit, 16 for none.
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

// fields reads the fields of one line. A blank before a field is skipped.
type fields struct {
	b  []byte // unread part
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

// window is what the fast reader of events reads at once: any of their lines fits.
const window = 64

// hex reads a number of at most eight lower-case digits at p of a window, and returns its end. If there are more
// digits, the end is at one of them. It handles all bytes at once, as the number of digits is unpredictable. hot kernel
func hex(w *[window]byte, p int) (v uint64, end int) {
	const ones = 0x0101010101010101
	b := binary.LittleEndian.Uint64(w[p&31:])
	low := b &^ (0x80 * ones)
	digit := (low + (0x80-'0')*ones) &^ (low + (0x80-'9'-1)*ones)
	letter := (low + (0x80-'a')*ones) &^ (low + (0x80-'f'-1)*ones)
	n := bits.TrailingZeros64(^(digit|letter)&(0x80*ones)|b&(0x80*ones)) &^ 7 // bits before the first non-digit
	b <<= 64 - n                                                              // leading zeros
	b = b&(0x0f*ones) + b>>6&ones*9
	b = (b<<4 | b>>8) & 0x00ff00ff00ff00ff
	b = (b<<8 | b>>16) & 0x0000ffff0000ffff
	return (b<<16 | b>>32) & 0xffffffff, p + n>>3
}

// hexes is like hex for up to 16 digits.
func hexes(w *[window]byte, p int) (v uint64, end int) {
	v, end = hex(w, p)
	if end == p+8 {
		low, q := hex(w, end)
		v, end = v<<(4*(q-end))|low, q
	}
	return v, end
}
