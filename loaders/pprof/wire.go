package pprof

import (
	"encoding/binary"
	"fmt"
)

// Wire types of fields.
const (
	wireVarint = 0
	wireFixed8 = 1
	wireBytes  = 2
	wireFixed4 = 5
)

// message reads the fields of a message.
type message struct {
	b  []byte
	at int   // of the next field in b
	of int64 // offset of b in the file

	start  int // of the current field
	number uint64
	wire   uint8
	value  uint64 // of a number
	body   []byte // of a field with a length

	wrong string // why reading ended at a field, "" at the end
}

// next reads a field; false at the end, or if wrong states why nothing more can be read.
func (m *message) next() bool {
	if m.start = m.at; m.at >= len(m.b) || m.wrong != "" {
		return false
	}
	tag, ok := m.varint()
	if !ok {
		return m.fail("a tag is truncated or too long")
	}
	m.number, m.wire = tag>>3, uint8(tag&7)
	m.value, m.body = 0, nil
	left := len(m.b) - m.at
	switch {
	case m.number == 0:
		return m.fail("a field has the number 0")
	case m.wire == wireVarint:
		if m.value, ok = m.varint(); !ok {
			return m.fail("a number is truncated or too long")
		}
	case m.wire == wireFixed8 && left >= 8:
		m.value = binary.LittleEndian.Uint64(m.b[m.at:])
		m.at += 8
	case m.wire == wireFixed4 && left >= 4:
		m.value = uint64(binary.LittleEndian.Uint32(m.b[m.at:]))
		m.at += 4
	case m.wire == wireBytes:
		n, ok := m.varint()
		if left = len(m.b) - m.at; !ok || n > uint64(left) {
			return m.fail(fmt.Sprintf("field %d claims %d bytes, but there are only %d", m.number, n, left))
		}
		m.body = m.b[m.at : m.at+int(n)]
		m.at += int(n)
	default:
		return m.fail(fmt.Sprintf("field %d of wire type %d is unknown or truncated", m.number, m.wire))
	}
	return true
}

func (m *message) fail(wrong string) bool {
	m.wrong, m.at = wrong, m.start
	return false
}

func (m *message) varint() (v uint64, ok bool) {
	v, n := binary.Uvarint(m.b[m.at:])
	if n <= 0 {
		return 0, false
	}
	m.at += n
	return v, true
}

// offset returns the offset of the current field in the file.
func (m *message) offset() int64 { return m.of + int64(m.start) }

// inner returns the message in the current field.
func (m *message) inner() message {
	return message{b: m.body, of: m.of + int64(m.at-len(m.body))}
}

// numbers calls yield with each number of a field that may be packed; it reports whether the field could be read
// completely.
func (m *message) numbers(yield func(uint64)) bool {
	if m.wire == wireVarint {
		yield(m.value)
		return true
	}
	for b := m.body; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return false
		}
		yield(v)
		b = b[n:]
	}
	return m.wire == wireBytes
}
