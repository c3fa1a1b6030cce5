package export

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// blockBytes is how much each frame of a [BlockWriter] holds.
const blockBytes = 64 << 10

// BlockWriter compresses what is written to it in blocks that can be decompressed one by one: each is a frame, and a
// seek table follows, in the seekable format of zstd. Programs that know nothing of it read the frames one after the
// other.
type BlockWriter struct {
	w     io.Writer
	pack  func(block []byte) ([]byte, error)
	block []byte
	table []byte
}

// NewBlockWriter returns a writer of frames of zstd or, if lz4 is set, of LZ4. The caller must Close it.
func NewBlockWriter(w io.Writer, useLZ4 bool) (*BlockWriter, error) {
	b := &BlockWriter{w: w, block: make([]byte, 0, blockBytes)}
	if !useLZ4 {
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		var packed []byte
		b.pack = func(block []byte) ([]byte, error) {
			packed = z.EncodeAll(block, packed[:0])
			return packed, nil
		}
		return b, nil
	}
	var packed bytes.Buffer
	z := lz4.NewWriter(&packed)
	if err := z.Apply(lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(true)); err != nil {
		return nil, err
	}
	b.pack = func(block []byte) ([]byte, error) {
		packed.Reset()
		z.Reset(&packed)
		if _, err := z.Write(block); err != nil {
			return nil, err
		}
		err := z.Close()
		return packed.Bytes(), err
	}
	return b, nil
}

// Write implements [io.Writer].
func (b *BlockWriter) Write(p []byte) (n int, err error) {
	for len(p) > 0 {
		part := p[:min(len(p), blockBytes-len(b.block))]
		b.block = append(b.block, part...)
		n, p = n+len(part), p[len(part):]
		if len(b.block) == blockBytes {
			if err := b.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// flush writes the block as a frame.
func (b *BlockWriter) flush() error {
	packed, err := b.pack(b.block)
	if err != nil {
		return err
	}
	b.table = binary.LittleEndian.AppendUint32(b.table, uint32(len(packed)))
	b.table = binary.LittleEndian.AppendUint32(b.table, uint32(len(b.block)))
	b.block = b.block[:0]
	_, err = b.w.Write(packed)
	return err
}

// Close writes what is left, and the seek table.
func (b *BlockWriter) Close() error {
	if len(b.block) > 0 || len(b.table) == 0 {
		if err := b.flush(); err != nil {
			return err
		}
	}
	const entry, footer = 8, 9
	head := binary.LittleEndian.AppendUint32(nil, 0x184d2a5e) // a frame that decompressors skip
	head = binary.LittleEndian.AppendUint32(head, uint32(len(b.table)+footer))
	tail := binary.LittleEndian.AppendUint32(b.table, uint32(len(b.table)/entry))
	tail = binary.LittleEndian.AppendUint32(append(tail, 0), 0x8f92eab1)
	_, err := b.w.Write(append(head, tail...))
	return err
}
