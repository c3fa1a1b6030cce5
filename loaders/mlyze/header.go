package mlyze

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	formatName = "mlyze"
	magic      = "MTRC"
	headerSize = 256
	version    = 1

	offVersion  = 4
	offStart    = 8
	offLength   = 16
	offReserved = 20
)

// header is the fixed part of a file.
type header struct {
	version  uint32
	start    uint64 // microseconds since 1970
	length   int64  // of the metadata, as the file claims
	reserved int64  // offset of the first reserved byte that is not zero, 0 if all are
}

// readHeader reads the header of src. Problems that do not stop reading go to found. The error is a FormatError if the
// file ends within its header or does not begin with the magic bytes.
func readHeader(ctx context.Context, src *loaders.Source, found *findings) (header, error) {
	b := make([]byte, headerSize)
	n, err := readFull(ctx, src, b, 0)
	if err != nil {
		return header{}, err
	}
	fail := func(off int64, field string, err error) (header, error) {
		return header{}, &loaders.FormatError{Format: formatName, Path: src.Path(), Offset: off, Field: field, Err: err}
	}
	if n < len(magic) || string(b[:len(magic)]) != magic {
		return fail(0, "magic", errors.New("the file does not begin with "+magic))
	}
	if n < headerSize {
		return fail(int64(n), "header", fmt.Errorf("the file ends after %d of the header's %d bytes", n, headerSize))
	}
	le := binary.LittleEndian
	h := header{version: le.Uint32(b[offVersion:]), start: le.Uint64(b[offStart:]), length: int64(le.Uint32(b[offLength:]))}
	if h.version != version {
		found.add(model.Error, "version", offVersion, fmt.Sprintf("version %d is not supported, read as version %d", h.version, version))
	}
	for i, x := range b[offReserved:] {
		if x != 0 {
			h.reserved = int64(offReserved + i)
			found.add(model.Warning, "reserved", h.reserved, "reserved bytes of the header are not zero")
			break
		}
	}
	return h, nil
}

// readFull fills p from off as far as the input goes and returns how far that is.
func readFull(ctx context.Context, src *loaders.Source, p []byte, off int64) (n int, err error) {
	for n < len(p) {
		k, err := src.ReadSome(ctx, p[n:], off+int64(n))
		n += k
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// findings collects problems; those of one rule and message are counted as one, at the position of the first.
type findings struct{ list []model.Problem }

func (f *findings) add(severity model.Severity, code string, offset int64, message string) {
	f.addN(severity, code, offset, message, 1)
}

func (f *findings) addN(severity model.Severity, code string, offset int64, message string, count int64) {
	for i := range f.list {
		if p := &f.list[i]; p.Code == code && p.Severity == severity && p.Message == message {
			p.Count += count
			return
		}
	}
	if len(f.list) < model.MaxProblemKinds {
		f.list = append(f.list, model.Problem{Severity: severity, Code: code, Message: message, Offset: offset, Count: count})
	}
}

// leave reports what did not fit a budget.
func (f *findings) leave(b *model.Budget, format string, args ...any) {
	p := b.Problem(fmt.Sprintf(format, args...))
	f.addN(p.Severity, p.Code, p.Offset, p.Message, p.Count)
}

// take returns the problems and removes them.
func (f *findings) take() []model.Problem {
	list := f.list
	f.list = nil
	return list
}
