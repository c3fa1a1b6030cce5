package mvmheap

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// kind is the kind of a block.
type kind uint8

// Kinds of blocks. The columns that make a snapshot complete come first.
const (
	colkind kind = iota
	colsize
	coltofi
	colrfcnt
	colrfstr
	colusize
	refdescr
	reftrget
	reprname
	typename
	sfname
	sfcuid
	sfline
	sffile
	topIDs
	topscore
	strings3
	snapmeta
	filemeta
	toc
	coll // of version 2, like the rest
	refs
	strs
	types
	fram
	numKinds

	wholeColumns = reftrget + 1 // columns of rows and references
	integer      = topscore + 1 // columns of integers
	kinds3       = toc + 1
)

// String returns the kind's name in the file.
func (k kind) String() string {
	return [numKinds]string{"colkind", "colsize", "coltofi", "colrfcnt", "colrfstr", "colusize", "refdescr", "reftrget",
		"reprname", "typename", "sfname", "sfcuid", "sfline", "sffile", "topIDs", "topscore", "strings",
		"snapmeta", "filemeta", "toc", "coll", "refs", "strs", "type", "fram"}[k]
}

const (
	nameLength = 8
	tocHeader  = 16 // name and count
	tocEntry   = 24
	tocFooter  = 8 // the toc's own start
)

// header returns the length of a block's header.
func (k kind) header() int64 {
	switch {
	case k < integer:
		return nameLength + 2 + 8
	case k >= coll && k != strs:
		return 4 + 8 + 8
	case k == strs:
		return 4 + 8
	}
	return nameLength + 8
}

// kindOf reads the name of a block of version 3; ok is false if it is unknown.
func kindOf(name []byte) (k kind, ok bool) {
	if len(name) < nameLength {
		return 0, false
	}
	name = bytes.TrimRight(name[:nameLength], "\x00")
	for k := range kinds3 {
		if k.String() == string(name) {
			return k, true
		}
	}
	return 0, false
}

// span is the range of a block, header included; the zero span is no block.
type span struct{ start, end int64 }

func (s span) there() bool { return s.end > s.start }

// Errors of walking a zstd frame.
var (
	errCut   = errors.New("the file ends within it")
	errFrame = errors.New("it is not a zstd frame")
)

const maxBlock = 128 << 10 // bytes of a block of a zstd frame

// frameEnd finds the end of the zstd frame at offset at from the headers of its blocks, without decompressing.
func frameEnd(w *window, at int64) (end int64, err error) {
	head := w.peek(at, 5)
	if len(head) < 5 {
		return 0, w.cut()
	}
	if binary.LittleEndian.Uint32(head) != 0xfd2fb528 {
		return 0, errFrame
	}
	flags := head[4]
	single := flags >> 5 & 1
	at += 5 + int64(1-single) + [4]int64{0, 1, 2, 4}[flags&3] + [4]int64{int64(single), 2, 4, 8}[flags>>6]
	for last := false; !last; {
		b := w.peek(at, 3)
		if len(b) < 3 {
			return 0, w.cut()
		}
		h := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		last = h&1 != 0
		at += 3
		switch size := int64(h >> 3); {
		case h>>1&3 == 3:
			return 0, errFrame
		case h>>1&3 == 1:
			at++ // one byte, repeated
		case size > maxBlock:
			return 0, errFrame
		default:
			at += size
		}
	}
	at += int64(flags >> 2 & 1 * 4) // checksum
	if at > w.size {
		return 0, errCut
	}
	return at, nil
}
