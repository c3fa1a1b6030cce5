package sections

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Open finds the sections of a file. It reads only the two ends of the file.
func (f Format) Open(ctx context.Context, file *File, key Key, layout []byte) (*Codec, error) {
	data := file.Data
	if len(data) < len(f.Magic)+TrailerSize || string(data[:len(f.Magic)]) != f.Magic {
		return nil, ErrForeign
	}
	end := data[len(data)-TrailerSize:]
	var t trailer
	if err := binary.Read(bytes.NewReader(end), binary.LittleEndian, &t); err != nil {
		return nil, err
	}
	switch {
	case string(t.Magic[:]) != trailerMagic, t.CRC != crc32.Checksum(end[:TrailerSize-4], crcTable), t.Length != uint64(len(data)):
		return nil, Damaged("its end is missing")
	case t.Version != f.Version, t.Layout != crc32.Checksum(layout, crcTable), !bytes.Equal(end[20:24], BytesOf([]uint32{byteOrder})):
		return nil, errVersion
	case t.Key != key:
		return nil, ErrStale
	}
	size := uint64(t.Sections) * EntrySize
	if t.Sections > math.MaxUint16 || t.Table > t.Length || size != t.Length-TrailerSize-min(t.Table, t.Length-TrailerSize) {
		return nil, Damaged("its table has no room")
	}
	if t.Sums > t.Table || t.Table-t.Sums != (t.Sums+BlockSize-1)/BlockSize*4 {
		return nil, Damaged("its checksums have no room")
	}
	if Checksum(data[t.Sums:t.Table+size]) != t.TableCRC {
		return nil, Damaged("its table is wrong")
	}
	c := &Codec{ctx: ctx, Sums: newSums(file, data[:t.Sums], data[t.Sums:t.Table]), Table: make([]Entry, t.Sections)}
	if err := binary.Read(bytes.NewReader(data[t.Table:t.Table+size]), binary.LittleEndian, c.Table); err != nil {
		return nil, err
	}
	for _, e := range c.Table {
		if e.Offset%align != 0 || e.Offset > t.Sums || e.Length > t.Sums-e.Offset {
			return nil, Damaged("a section is outside of it")
		}
	}
	return c, nil
}

// Done fails if the file has sections that were not read, or after an error.
func (f *Codec) Done() error {
	if f.Err == nil && f.next != len(f.Table) {
		f.Fail("it has sections that this program does not know")
	}
	return f.Err
}
