package sections

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"unsafe"
)

// Format names files of one kind.
type Format struct {
	Magic   string // their first bytes
	Version uint32 // rises when the meaning of the same types changes
}

// Key identifies the state of an input: a hash of everything that distinguishes states.
type Key [32]byte

// File is a file written by an earlier run.
type File struct {
	Data  []byte      // its contents, usually mapped; read-only. Reading it may fault when the file shrinks.
	At    io.ReaderAt // the same bytes
	Close func()      // called once, when they are no longer read
	// Forget frees the physical memory of a part of Data. It can still be read. nil if there is nothing to free.
	Forget func()
}

// Reasons for not using a file.
var (
	ErrForeign = errors.New("it is not an index of this program")
	errVersion = errors.New("another version of the program wrote it")
	ErrStale   = errors.New("the file has changed since it was written")
	ErrDamaged = errors.New("it is damaged")
)

// Damaged returns an ErrDamaged with a description.
func Damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// Checksum returns the CRC-32C of bytes.
func Checksum(b []byte) uint32 { return crc32.Checksum(b, crcTable) }

// Codec writes sections to a file, or reads them: a list of sections serves for both. After the first error it does
// nothing.
type Codec struct {
	Lazy  bool    // reading: the reader of the next sections verifies them, or waits until the file is verified
	Sums  *Sums   // reading: of the file
	Table []Entry // reading: the positions of its sections
	Err   error

	write  *writer // nil when reading
	layout []byte  // names and types of the sections
	ctx    context.Context
	next   int
	spot   bool // reading: only some blocks of large sections are verified now
}

// Writing reports whether sections are written, rather than read.
func (f *Codec) Writing() bool { return f.write != nil }

// Reads reports whether sections are read, and there was no error.
func (f *Codec) Reads() bool { return f.write == nil && f.Err == nil }

// Describe adds a part of a section to the list of sections: values like v, under a name.
func (f *Codec) Describe(name string, v any) { f.layout = appendLayout(f.layout, name, v) }

// Array writes or reads a section with the values of a slice. A slice that is read is the file's memory: read-only. T
// has no pointers and no bool.
func Array[T any](f *Codec, name string, s *[]T) {
	if f.Begin(name, *new(T)); f.Err != nil {
		return
	}
	if f.write != nil {
		f.write.bytes(BytesOf(*s))
		f.End()
		return
	}
	*s = ValuesOf[T](f, f.Section())
}

// Parts writes or reads two sections with one slice for each of n things, concatenated.
func Parts[T any](f *Codec, name string, n int, of func(i int) *[]T) {
	var lengths []uint32
	if f.write != nil {
		for i := range n {
			lengths = append(lengths, uint32(len(*of(i))))
		}
	}
	lazy := f.Lazy
	f.Lazy = false
	Array(f, name+" lengths", &lengths)
	f.Lazy = lazy
	if f.Begin(name, *new(T)); f.Err != nil {
		return
	}
	if f.write != nil {
		for i := range n {
			f.write.bytes(BytesOf(*of(i)))
		}
		f.End()
		return
	}
	all := ValuesOf[T](f, f.Section())
	if len(lengths) != n {
		f.Fail("%s: %d entries instead of %d", name, len(lengths), n)
		return
	}
	for i, k := range lengths {
		if int64(k) > int64(len(all)) {
			f.Fail("%s are too few", name)
			return
		}
		if k > 0 {
			*of(i) = all[:k:k]
		}
		all = all[k:]
	}
	if len(all) > 0 {
		f.Fail("%s are too many", name)
	}
}

// Fail notes that the file is damaged, unless there was an error already.
func (f *Codec) Fail(format string, args ...any) {
	if f.Err == nil {
		f.Err = Damaged(format, args...)
	}
}

// Write adds bytes to the section being written.
func (f *Codec) Write(b []byte) { f.write.bytes(b) }

// Begin begins a section of values like v.
func (f *Codec) Begin(name string, v any) {
	f.Describe(name, v)
	if f.write != nil && f.write.w != nil && f.Err == nil {
		f.Err = f.write.begin()
	}
}

// End ends the section being written.
func (f *Codec) End() {
	if f.write.w != nil && f.Err == nil {
		f.Err = f.write.end()
	}
}

// Section returns the bytes of the next section to read.
func (f *Codec) Section() []byte {
	if f.Err != nil {
		return nil
	}
	if f.next >= len(f.Table) {
		f.Fail("it has only %d sections", len(f.Table))
		return nil
	}
	e := f.Table[f.next]
	f.next++
	b := f.Sums.data[e.Offset : e.Offset+e.Length : e.Offset+e.Length]
	switch {
	case f.Lazy:
	case f.spot && len(b) > smallSection:
		f.Err = f.Sums.verifySome(f.ctx, b)
	default:
		f.Err = f.Sums.Verify(f.ctx, b)
	}
	return b
}

// BytesOf returns the memory of a slice.
func BytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// ValuesOf is the inverse of BytesOf. Memory that is not aligned is copied.
func ValuesOf[T any](f *Codec, b []byte) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if f.Err != nil {
		return nil
	}
	if len(b)%size != 0 {
		f.Fail("a section has %d bytes, which is not a multiple of %d", len(b), size)
		return nil
	}
	if len(b) == 0 {
		return nil
	}
	if uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(*new(T)) != 0 {
		if err := f.Sums.Verify(f.ctx, b); err != nil {
			f.Err = err
			return nil
		}
		s := make([]T, len(b)/size)
		copy(BytesOf(s), b)
		return s
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
}

// Text returns bytes, which never change, as a string that shares their memory.
func Text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
