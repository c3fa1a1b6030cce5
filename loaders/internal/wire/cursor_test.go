package wire

import (
	"encoding/binary"
	"errors"
	"testing"
)

func TestCursor(t *testing.T) {
	b := []byte{1, 2, 3, 4, 1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 0xff}
	c := NewCursor(b, 100)
	if c.U32() != 0x04030201 || c.U64() != 1 || string(c.Bytes(2)) != "\t\t" {
		t.Error("wrong values")
	}
	if c.Err() != nil || c.Len() != 1 || c.Offset() != 114 {
		t.Error(c.Err(), c.Len(), c.Offset())
	}
	if c.U64() != 0 || c.U32() != 0 || c.Bytes(1) != nil || c.Len() != 0 {
		t.Error("read on after the end")
	}
	var e *Error
	if !errors.As(c.Err(), &e) || e.Offset != 114 || !errors.Is(e, ErrShort) {
		t.Error(c.Err())
	}
	huge := NewCursor(b, 0)
	if huge.Bytes(1<<63+5) != nil || !errors.Is(huge.Err(), ErrShort) {
		t.Error("a huge length was given")
	}
}

// FuzzCursor reads values in any order from any bytes and compares them with encoding/binary.
func FuzzCursor(f *testing.F) {
	f.Add([]byte{1, 2, 3, 0x80, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{0, 4, 1, 2, 3, 5})
	f.Fuzz(func(t *testing.T, b, ops []byte) {
		c, p := NewCursor(b, 0), 0
		for _, op := range ops {
			var got, want uint64
			n := 0
			rest := b[p:]
			switch op % 3 {
			case 0:
				if got = uint64(c.U32()); len(rest) >= 4 {
					want, n = uint64(binary.LittleEndian.Uint32(rest)), 4
				}
			case 1:
				if got = c.U64(); len(rest) >= 8 {
					want, n = binary.LittleEndian.Uint64(rest), 8
				}
			case 2:
				if got = uint64(len(c.Bytes(uint64(op)))); len(rest) >= int(op) {
					want, n = uint64(op), int(op)
				}
			}
			if n <= 0 {
				if c.Err() == nil || got != 0 || c.Offset() != int64(p) {
					t.Fatalf("at %d: %d, %v at %d", p, got, c.Err(), c.Offset())
				}
				return
			}
			if p += n; got != want || c.Err() != nil || c.Offset() != int64(p) {
				t.Fatalf("at %d: %d, want %d (%v)", p, got, want, c.Err())
			}
		}
	})
}
