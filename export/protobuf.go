package export

import (
	"encoding/binary"
	"math"
)

// The wire types of protocol buffers.
const (
	protoVarint  = 0
	protoFixed64 = 1
	protoBytes   = 2
)

// appendProtoNumber appends a field that is a number.
func appendProtoNumber(b []byte, field int, n uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3|protoVarint), n)
}

// appendProtoFloat appends a field of type double.
func appendProtoFloat(b []byte, field int, f float64) []byte {
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(b, uint64(field)<<3|protoFixed64), math.Float64bits(f))
}

// appendProtoText appends a field that is a text.
func appendProtoText(b []byte, field int, text string) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3|protoBytes), uint64(len(text)))
	return append(b, text...)
}

// appendProtoMessage appends a field that is a message, or a list of packed numbers, which fill appends.
func appendProtoMessage(b []byte, field int, fill func([]byte) []byte) []byte {
	start := len(b)
	b = fill(b)
	var buf [2 * binary.MaxVarintLen64]byte
	head := binary.AppendUvarint(binary.AppendUvarint(buf[:0], uint64(field)<<3|protoBytes), uint64(len(b)-start))
	b = append(b, head...)
	copy(b[start+len(head):], b[start:])
	copy(b[start:], head)
	return b
}
