package spaa

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/memtui/memtui/loaders/internal/json"
	"github.com/memtui/memtui/model"
)

// Byte patterns for comparing eight bytes at once.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// number reads any number exactly. ok is false for anything else, and for a number too large for a float.
func number(value []byte) (model.Number, bool) {
	if n, ok := json.Uint(value); ok {
		return model.Unsigned(n), true
	}
	if n, ok := json.Int(value); ok {
		return model.Signed(n), true
	}
	f, ok := float(value)
	return model.Float(f), ok
}

// float reads any number as a float. ok is false for anything else, and for a number too large.
func float(value []byte) (f float64, ok bool) {
	f, ok = json.Float(value)
	return f, ok && !math.IsInf(f, 0)
}

// isNull reports whether a value is null, which writers use for an absent optional member.
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

// identify reads an id; kind is IDNone if it is neither a string nor an integer.
func identify(value []byte) identifier {
	if len(value) == len(`"0x0123456789abcdef"`) && string(value[:3]) == `"0x` {
		high, ok := hex8(value[3:])
		low, ok2 := hex8(value[11:])
		if ok && ok2 {
			return identifier{value: high<<32 | low, kind: model.IDHex}
		}
	}
	s, ok := json.Text(value)
	if !ok {
		if n, ok := json.Uint(value); ok {
			return identifier{value: n, kind: model.IDNumber}
		}
		if n, ok := number(value); ok && n.Integer() {
			return identifier{kind: model.IDText, text: value} // a negative hash
		}
		return identifier{kind: model.IDNone}
	}
	return identifier{kind: model.IDText, text: s}
}

// String returns the id as shown in messages.
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

// shortened returns a name that fits a message.
func shortened(s []byte) string {
	if len(s) > 60 {
		return string(s[:57]) + "..."
	}
	return string(s)
}

// hex8 reads eight lower-case hexadecimal digits at once.
func hex8(s []byte) (n uint64, ok bool) {
	x := binary.BigEndian.Uint64(s)
	low, letters := x&(ones*0x0f), x>>6&ones // the digit's low half, and 1 if it is a letter
	bad := x&(ones*0xf0) ^ (ones*0x30 + letters*0x30)
	bad |= (low + ones*6 + letters*3) & (ones * 0x10)          // above 9, above f
	bad |= ^(low + ones*0x0f) & (ones * 0x10) & (letters << 4) // below a
	n = low + letters*9
	n = (n | n>>4) & 0x00ff00ff00ff00ff
	n = (n | n>>8) & 0x0000ffff0000ffff
	return (n | n>>16) & 0xffffffff, bad == 0
}
