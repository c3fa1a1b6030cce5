package traceindex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"unsafe"

	"github.com/memtui/memtui/analysis/traceindex/column"
)

// The file of a [fileIndex] holds its arrays as they lie in memory, so that opening it copies next to nothing:
//
//	magic                  16 bytes
//	sections               each from a multiple of 64 bytes on
//	checksums              CRC-32C of each block of sumBlock bytes so far
//	table                  16 bytes per section: offset, length
//	trailer                see fileTrailer
//
// Everything outside sections is little-endian, sections are as this machine has them. What a section holds is told by its
// place in the table alone; [fileIndex.sections] lists them, and the trailer has a hash of that list and of the layout of
// every type in it, so that a file of a program with other types is never taken for one of this.
const (
	fileMagic    = "memtui.index/1\r\n"
	fileAlign    = 64
	entrySize    = 16
	trailerSize  = 96
	trailerMagic = "memtui.end\r\n"
)

// fileVersion rises when the same types come to mean something else.
const fileVersion = 6

// IndexVersion is that of the files that [KeptIndex.Write] writes.
const IndexVersion = fileVersion

// Key says which state of which input an index belongs to: a hash of whatever tells two apart.
type Key [32]byte

// Why an index file is not used.
var (
	ErrIndexForeign = errors.New("it is not an index of this program")
	ErrIndexVersion = errors.New("another version of the program wrote it")
	ErrIndexStale   = errors.New("the file has changed since it was written")
	ErrIndexDamaged = errors.New("it is damaged")
)

// errKeepNothing says why an index is not written.
var errKeepNothing = errors.New("too much of the trace can only be read from start to end")

func damagedFile(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrIndexDamaged, fmt.Sprintf(format, args...))
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// fileTrailer is the last bytes of a file.
type fileTrailer struct {
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

type fileEntry struct{ Offset, Length uint64 }

// fileCodec moves the sections of an index to a file, or takes them out of one: a list of sections is written once for both.
// After the first error it does nothing.
type fileCodec struct {
	write  *fileWriter // nil when reading
	layout []byte      // names and types of the sections
	lazy   bool        // reading: who reads the next sections verifies them, or waits until all of the file is verified
	err    error

	// Reading only.
	ctx   context.Context
	file  *blockSums
	table []fileEntry
	next  int
}

// arraySection is a section with the values of a slice. What is read is the file itself: read-only. T has no pointers and no bool.
func arraySection[T any](f *fileCodec, name string, s *[]T) {
	if f.begin(name, *new(T)); f.err != nil {
		return
	}
	if f.write != nil {
		f.write.bytes(bytesOf(*s))
		f.end()
		return
	}
	*s = valuesOf[T](f, f.section())
}

// columnSection is a section with a column.
func columnSection[T any](f *fileCodec, name string, c *column.Column[T]) {
	if f.begin(name, *new(T)); f.err != nil {
		return
	}
	if f.write != nil {
		for i, part := range c.Chunks {
			f.write.bytes(bytesOf(part[:min(column.ChunkLen, c.N-i*column.ChunkLen)]))
		}
		f.end()
		return
	}
	*c = column.ColumnFrom(valuesOf[T](f, f.section()))
}

// partSections is two sections with one slice of each of n things, one after the other.
func partSections[T any](f *fileCodec, name string, n int, of func(i int) *[]T) {
	var lengths []uint32
	if f.write != nil {
		for i := range n {
			lengths = append(lengths, uint32(len(*of(i))))
		}
	}
	lazy := f.lazy
	f.lazy = false
	arraySection(f, name+" lengths", &lengths)
	f.lazy = lazy
	if f.begin(name, *new(T)); f.err != nil {
		return
	}
	if f.write != nil {
		for i := range n {
			f.write.bytes(bytesOf(*of(i)))
		}
		f.end()
		return
	}
	all := valuesOf[T](f, f.section())
	if len(lengths) != n {
		f.fail("%s: %d entries instead of %d", name, len(lengths), n)
		return
	}
	for i, k := range lengths {
		if int64(k) > int64(len(all)) {
			f.fail("%s are too few", name)
			return
		}
		if k > 0 {
			*of(i) = all[:k:k]
		}
		all = all[k:]
	}
	if len(all) > 0 {
		f.fail("%s are too many", name)
	}
}

func (f *fileCodec) fail(format string, args ...any) {
	if f.err == nil {
		f.err = damagedFile(format, args...)
	}
}

// begin begins a section of values like v.
func (f *fileCodec) begin(name string, v any) {
	f.layout = column.AppendLayout(f.layout, name, v)
	if f.write != nil && f.write.w != nil && f.err == nil {
		f.err = f.write.begin()
	}
}

func (f *fileCodec) end() {
	if f.write.w != nil && f.err == nil {
		f.err = f.write.end()
	}
}

// section returns the bytes of the next section that is read.
func (f *fileCodec) section() []byte {
	if f.err != nil {
		return nil
	}
	if f.next >= len(f.table) {
		f.fail("it has %d sections only", len(f.table))
		return nil
	}
	e := f.table[f.next]
	f.next++
	b := f.file.data[e.Offset : e.Offset+e.Length : e.Offset+e.Length]
	if !f.lazy {
		f.err = f.file.verify(f.ctx, b)
	}
	return b
}

// bytesOf returns the memory of a slice.
func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// valuesOf returns the opposite of bytesOf. Memory that is not aligned is copied.
func valuesOf[T any](f *fileCodec, b []byte) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if f.err != nil {
		return nil
	}
	if len(b)%size != 0 {
		f.fail("a section has %d bytes, which is not a multiple of %d", len(b), size)
		return nil
	}
	if len(b) == 0 {
		return nil
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(*new(T)) != 0 {
		if err := f.file.verify(f.ctx, b); err != nil {
			f.err = err
			return nil
		}
		s := make([]T, len(b)/size)
		copy(bytesOf(s), b)
		return s
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
}

// fileWriter writes sections.
type fileWriter struct {
	ctx   context.Context
	w     io.Writer // nil where only the layout is asked for
	at    uint64
	crc   uint32 // of the block so far
	sums  []byte // of the blocks before it
	table []fileEntry
	err   error
}

const writeAtOnce = 1 << 20

func (w *fileWriter) bytes(b []byte) {
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

// sum adds what is written next to the checksums.
func (w *fileWriter) sum(b []byte) {
	for at := w.at; len(b) > 0; {
		n := min(uint64(len(b)), sumBlock-at%sumBlock)
		w.crc = crc32.Update(w.crc, crcTable, b[:n])
		b, at = b[n:], at+n
		if at%sumBlock == 0 {
			w.endBlock()
		}
	}
}

func (w *fileWriter) endBlock() {
	w.sums, w.crc = binary.LittleEndian.AppendUint32(w.sums, w.crc), 0
}

func (w *fileWriter) align() {
	w.bytes(make([]byte, (fileAlign-w.at%fileAlign)%fileAlign))
}

func (w *fileWriter) begin() error {
	w.align()
	w.table = append(w.table, fileEntry{Offset: w.at})
	return w.err
}

func (w *fileWriter) end() error {
	e := &w.table[len(w.table)-1]
	e.Length = w.at - e.Offset
	return w.err
}

// finish writes what follows the sections.
func (w *fileWriter) finish(key Key, layout []byte) error {
	w.align()
	if w.at%sumBlock != 0 {
		w.endBlock()
	}
	t := fileTrailer{
		Version: fileVersion, Layout: crc32.Checksum(layout, crcTable), Order: byteOrder, Key: key,
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
	t.Length = w.at + trailerSize
	b.Reset()
	if err := binary.Write(&b, binary.LittleEndian, t); err != nil {
		return err
	}
	end := b.Bytes()
	copy(end[20:], bytesOf([]uint32{byteOrder}))
	binary.LittleEndian.PutUint32(end[trailerSize-4:], crc32.Checksum(end[:trailerSize-4], crcTable))
	w.bytes(end)
	return w.err
}

// openFile finds the sections of a file. It touches only its ends.
func openFile(file *File, key Key, layout []byte) (*fileCodec, error) {
	data := file.Data
	if len(data) < len(fileMagic)+trailerSize || string(data[:len(fileMagic)]) != fileMagic {
		return nil, ErrIndexForeign
	}
	end := data[len(data)-trailerSize:]
	var t fileTrailer
	if err := binary.Read(bytes.NewReader(end), binary.LittleEndian, &t); err != nil {
		return nil, err
	}
	switch {
	case string(t.Magic[:]) != trailerMagic, t.CRC != crc32.Checksum(end[:trailerSize-4], crcTable), t.Length != uint64(len(data)):
		return nil, damagedFile("its end is missing")
	case t.Version != fileVersion, t.Layout != crc32.Checksum(layout, crcTable), !bytes.Equal(end[20:24], bytesOf([]uint32{byteOrder})):
		return nil, ErrIndexVersion
	case t.Key != key:
		return nil, ErrIndexStale
	}
	size := uint64(t.Sections) * entrySize
	if t.Sections > math.MaxUint16 || t.Table > t.Length || size != t.Length-trailerSize-min(t.Table, t.Length-trailerSize) {
		return nil, damagedFile("its table has no room")
	}
	if t.Sums > t.Table || t.Table-t.Sums != (t.Sums+sumBlock-1)/sumBlock*4 {
		return nil, damagedFile("its checksums have no room")
	}
	if checksum(data[t.Sums:t.Table+size]) != t.TableCRC {
		return nil, damagedFile("its table is wrong")
	}
	f := &fileCodec{file: newBlockSums(file.At, data[:t.Sums], data[t.Sums:t.Table]), table: make([]fileEntry, t.Sections)}
	if err := binary.Read(bytes.NewReader(data[t.Table:t.Table+size]), binary.LittleEndian, f.table); err != nil {
		return nil, err
	}
	for _, e := range f.table {
		if e.Offset%fileAlign != 0 || e.Offset > t.Sums || e.Length > t.Sums-e.Offset {
			return nil, damagedFile("a section lies outside of it")
		}
	}
	return f, nil
}
