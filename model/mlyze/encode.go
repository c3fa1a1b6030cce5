// Package mlyze encodes allocation traces in the .mlyze format, version 1. Package loaders/mlyze reads and documents
// it.
package mlyze

import (
	"encoding/binary"

	"github.com/memtui/memtui/model"
)

const headerSize = 256

// AppendHeader appends the fixed part of a file. start is microseconds since 1970, length the bytes of the metadata
// that follow.
func AppendHeader(dst []byte, start uint64, length uint32) []byte {
	var h [headerSize]byte
	copy(h[:], "MTRC")
	binary.LittleEndian.PutUint32(h[4:], 1)
	binary.LittleEndian.PutUint64(h[8:], start)
	binary.LittleEndian.PutUint32(h[16:], length)
	return append(dst, h[:]...)
}

// AppendEvent appends an event. delta is microseconds since the event before; the event's own time is ignored.
func AppendEvent(dst []byte, delta uint64, e *model.Event) []byte {
	dst = binary.AppendUvarint(append(dst, byte(e.Kind)), delta)
	switch e.Kind {
	case model.Alloc:
		dst = binary.LittleEndian.AppendUint64(dst, e.Addr)
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, e.Size), e.ID)
		return binary.LittleEndian.AppendUint16(dst, e.Thread)
	case model.Free:
		return binary.LittleEndian.AppendUint64(dst, e.Addr)
	case model.GC:
		return binary.AppendUvarint(binary.AppendUvarint(dst, e.ID), e.Size)
	}
	return binary.AppendUvarint(dst, e.ID)
}
