package sections

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Sizes of the parts of a file.
const (
	BlockSize   = 16 << 10 // of a block with its own checksum: few checksums, and little else is read along with a part
	EntrySize   = 16
	TrailerSize = 96

	align        = 64
	trailerMagic = "memtui.end\r\n"
)

// trailer is the last bytes of a file.
type trailer struct {
	Magic    [12]byte
	Version  uint32
	Layout   uint32 // hash of the list of sections
	Order    uint32 // byteOrder as this machine has it
	Key      Key
	Length   uint64 // of the file
	Table    uint64 // where it begins
	Sections uint32
	TableCRC uint32 // of the checksums and the table
	Sums     uint64 // where the checksums begin
	_        [4]byte
	CRC      uint32 // of the bytes before
}

const byteOrder = 0x01020304

// Entry is the position of a section.
type Entry struct{ Offset, Length uint64 }

// Write writes the sections that a function lists.
func (f Format) Write(ctx context.Context, to io.Writer, key Key, list func(*Codec)) error {
	c := &Codec{write: &writer{ctx: ctx, w: to}}
	c.write.bytes([]byte(f.Magic))
	list(c)
	if c.Err != nil {
		return c.Err
	}
	return c.write.finish(f, key, c.layout)
}

// Layout returns the description of the sections of the list. It is part of the format.
func Layout(list func(*Codec)) []byte {
	c := &Codec{write: new(writer)}
	list(c)
	return c.layout
}

// writer writes sections.
type writer struct {
	ctx   context.Context
	w     io.Writer // nil if only the layout is wanted
	at    uint64
	crc   uint32 // of the block so far
	sums  []byte // of the blocks before it
	table []Entry
	err   error
}

const writeAtOnce = 1 << 20

func (w *writer) bytes(b []byte) {
	for w.w != nil && len(b) > 0 && w.err == nil {
		if w.err = w.ctx.Err(); w.err != nil {
			return
		}
		part := b[:min(len(b), writeAtOnce)]
		w.sum(part)
		n, err := w.w.Write(part)
		w.at += uint64(n)
		if w.err = err; err == nil && n < len(part) {
			w.err = io.ErrShortWrite
		}
		b = b[len(part):]
	}
}

// sum adds the bytes that are written next to the checksums.
func (w *writer) sum(b []byte) {
	for at := w.at; len(b) > 0; {
		n := min(uint64(len(b)), BlockSize-at%BlockSize)
		w.crc = crc32.Update(w.crc, crcTable, b[:n])
		b, at = b[n:], at+n
		if at%BlockSize == 0 {
			w.endBlock()
		}
	}
}

func (w *writer) endBlock() {
	w.sums, w.crc = binary.LittleEndian.AppendUint32(w.sums, w.crc), 0
}

func (w *writer) pad() {
	w.bytes(make([]byte, (align-w.at%align)%align))
}

func (w *writer) begin() error {
	w.pad()
	w.table = append(w.table, Entry{Offset: w.at})
	return w.err
}

func (w *writer) end() error {
	e := &w.table[len(w.table)-1]
	e.Length = w.at - e.Offset
	return w.err
}

// finish writes everything after the sections.
func (w *writer) finish(f Format, key Key, layout []byte) error {
	w.pad()
	if w.at%BlockSize != 0 {
		w.endBlock()
	}
	t := trailer{
		Version: f.Version, Layout: crc32.Checksum(layout, crcTable), Order: byteOrder, Key: key,
		Sums: w.at, Table: w.at + uint64(len(w.sums)), Sections: uint32(len(w.table)),
	}
	copy(t.Magic[:], trailerMagic)
	var b bytes.Buffer
	b.Write(w.sums)
	for _, e := range w.table {
		if err := binary.Write(&b, binary.LittleEndian, e); err != nil {
			return err
		}
	}
	t.TableCRC = crc32.Checksum(b.Bytes(), crcTable)
	w.bytes(b.Bytes())
	t.Length = w.at + TrailerSize
	b.Reset()
	if err := binary.Write(&b, binary.LittleEndian, t); err != nil {
		return err
	}
	end := b.Bytes()
	copy(end[20:], BytesOf([]uint32{byteOrder}))
	binary.LittleEndian.PutUint32(end[TrailerSize-4:], crc32.Checksum(end[:TrailerSize-4], crcTable))
	w.bytes(end)
	return w.err
}
