package loaders

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// lz4Outer is the name of the compression LZ4.
const lz4Outer = "lz4"

const (
	magicLength = 4
	// maxWindow bounds the window of a zstd decoder: that of `zstd -22 --ultra`.
	maxWindow = 128 << 20
)

// outerFormat recognizes a compressed stream by its first bytes: "gzip", "zstd", "lz4", or "".
func outerFormat(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte(RecordedMagic[:magicLength])):
		return recordedOuter
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case bytes.HasPrefix(head, []byte{0x04, 0x22, 0x4d, 0x18}):
		return lz4Outer
	case len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return "zstd" // a skippable frame, which parallel and seekable writers put first
	}
	return ""
}

// inflate returns a reader of the decompressed r, all members or frames concatenated, the compression's name, and a
// function to call when reading is done. window bounds the window of a zstd decoder, in bytes.
func inflate(r io.Reader, window uint64) (plain io.Reader, outer string, done func(), err error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head, err := b.Peek(magicLength)
	if err != nil && err != io.EOF {
		return nil, "", nil, err
	}
	switch outer = outerFormat(head); outer {
	case recordedOuter:
		d, err := newRecorded(b)
		if err != nil {
			return nil, outer, nil, err
		}
		return d, outer, func() {}, nil
	case "gzip":
		z, err := gzip.NewReader(b)
		return z, outer, func() {}, err
	case lz4Outer:
		return lz4.NewReader(b), outer, func() {}, nil
	case "zstd":
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(max(window, zstd.MinWindowSize)))
		if err != nil {
			return nil, outer, nil, err
		}
		return z, outer, z.Close, nil
	}
	return b, "", func() {}, nil
}

// cut reports whether err means that a compressed stream ends too early.
func cut(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }
