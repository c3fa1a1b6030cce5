package spaa

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"

	"github.com/memtui/memtui/model"
)

// text decodes a string value; ok is false when the value is none. Without escapes it is a part of value itself.
func text(value []byte) (s []byte, ok bool) {
	if len(value) < 2 || value[0] != '"' {
		return nil, false
	}
	s = value[1 : len(value)-1]
	if bytes.IndexByte(s, '\\') < 0 {
		return s, true
	}
	var out string
	if json.Unmarshal(value, &out) != nil {
		return s, true // what is broken about it is said elsewhere
	}
	return []byte(out), true
}

// unsigned reads a number that is an integer of 64 bits without a sign.
func unsigned(value []byte) (n uint64, ok bool) {
	if len(value) == 0 || len(value) > 19 {
		return slowUnsigned(value)
	}
	for _, c := range value {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, true
}

// slowUnsigned is unsigned for numbers near 2^64.
func slowUnsigned(value []byte) (uint64, bool) {
	n, err := strconv.ParseUint(string(value), 10, 64)
	return n, err == nil && value[0] != '+'
}

// number reads any number exactly. ok is false for what is none, and for one too large for a float.
func number(value []byte) (model.Number, bool) {
	if n, ok := unsigned(value); ok {
		return model.Unsigned(n), true
	}
	if len(value) == 0 || value[0] != '-' && (value[0] < '0' || value[0] > '9') {
		return model.Number{}, false
	}
	for _, c := range value {
		if !numeric(c) {
			return model.Number{}, false
		}
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil {
		return model.Signed(n), true
	}
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return model.Number{}, false
	}
	return model.Float(f), true
}

// tens are the powers of ten that floats hold exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// float reads any number as a float.
func float(value []byte) (f float64, ok bool) {
	digits, point, n := 0, -1, uint64(0)
	for i, c := range value {
		if c == '.' && point < 0 && i > 0 {
			point = i
			continue
		}
		if c -= '0'; c > 9 {
			return slowFloat(value)
		}
		n = n*10 + uint64(c)
		digits++
	}
	if digits == 0 || digits > 18 || n > 1<<53 || value[len(value)-1] == '.' {
		return slowFloat(value)
	}
	if point < 0 {
		return float64(n), true
	}
	return float64(n) / tens[len(value)-1-point], true // exact operands: the nearest float
}

func slowFloat(value []byte) (float64, bool) {
	n, ok := number(value)
	return n.Float64(), ok
}

// isNull reports whether a value is null, which writers put for an optional member that is not there.
func isNull(value []byte) bool { return string(value) == "null" }

// truth reads true or false.
func truth(value []byte) (is, ok bool) {
	return string(value) == "true", string(value) == "true" || string(value) == "false"
}

// identifier is an id of a stack: a string or a number.
type identifier struct {
	value uint64
	kind  model.IDKind
	text  []byte // of IDText
}

// identify reads an id; kind is IDNone when it is neither a string nor an integer.
func identify(value []byte) identifier {
	if len(value) == len(`"0x0123456789abcdef"`) && string(value[:3]) == `"0x` {
		high, ok := hex8(value[3:])
		low, ok2 := hex8(value[11:])
		if ok && ok2 {
			return identifier{value: high<<32 | low, kind: model.IDHex}
		}
	}
	s, ok := text(value)
	if !ok {
		if n, ok := unsigned(value); ok {
			return identifier{value: n, kind: model.IDNumber}
		}
		if n, ok := number(value); ok && n.Integer() {
			return identifier{kind: model.IDText, text: value} // a hash below zero
		}
		return identifier{kind: model.IDNone}
	}
	return identifier{kind: model.IDText, text: s}
}

// String is the id as messages name it.
func (id identifier) String() string {
	switch id.kind {
	case model.IDHex:
		return "0x" + strconv.FormatUint(id.value, 16)
	case model.IDNumber:
		return strconv.FormatUint(id.value, 10)
	case model.IDText:
		return shortened(id.text)
	}
	return "without an id"
}

// shortened is a name that fits into a message.
func shortened(s []byte) string {
	if len(s) > 60 {
		return string(s[:57]) + "..."
	}
	return string(s)
}

// hex8 reads eight hexadecimal digits in lower case, all at once.
func hex8(s []byte) (n uint64, ok bool) {
	x := binary.BigEndian.Uint64(s)
	low, letters := x&(ones*0x0f), x>>6&ones // the digit's low half, and 1 where it is a letter
	bad := x&(ones*0xf0) ^ (ones*0x30 + letters*0x30)
	bad |= (low + ones*6 + letters*3) & (ones * 0x10)          // above 9, above f
	bad |= ^(low + ones*0x0f) & (ones * 0x10) & (letters << 4) // below a
	n = low + letters*9
	n = (n | n>>4) & 0x00ff00ff00ff00ff
	n = (n | n>>8) & 0x0000ffff0000ffff
	return (n | n>>16) & 0xffffffff, bad == 0
}
