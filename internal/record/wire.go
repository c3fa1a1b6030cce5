package record

import (
	"encoding/binary"
	"slices"

	"github.com/memtui/memtui/loaders/mlyze/journal"
)

// Records in a ring are a number of grains.
const (
	grain     = 32
	maxRecord = 1 << 16
)

// kinds of records, as hook.c has them.
const (
	kindAlloc = 1 + iota
	kindFree
	kindStack
	kindModule
	kindModules
	kindThread
	kindPyFrame
)

// record is one report of a program. Its lengths are checked, as a program may write over its memory.
type record struct {
	word uint32
	b    []byte // all grains
}

func (r record) kind() int      { return int(r.word & 0xff) }
func (r record) id() uint32     { return binary.LittleEndian.Uint32(r.b[4:]) }
func (r record) nanos() uint64  { return binary.LittleEndian.Uint64(r.b[8:]) & (1<<48 - 1) }
func (r record) thread() uint16 { return binary.LittleEndian.Uint16(r.b[14:]) }
func (r record) addr() uint64   { return binary.LittleEndian.Uint64(r.b[16:]) }
func (r record) size() uint64   { return binary.LittleEndian.Uint64(r.b[24:]) & (1<<56 - 1) }

// shift returns how many times the period was doubled by which a block was chosen.
func (r record) shift() uint { return uint(r.b[31] & 31) }

// words returns n numbers after the first grain, ok = false if there are fewer.
func (r record) words(n uint64) (list []uint64, rest []byte, ok bool) {
	rest = r.b[grain:]
	if n > uint64(len(rest))/8 {
		return nil, nil, false
	}
	list = make([]uint64, n)
	for i := range list {
		list[i] = binary.LittleEndian.Uint64(rest[8*i:])
	}
	return list, rest[8*n:], true
}

// stack returns the addresses of a stack, leaf first.
func (r record) stack() ([]uint64, bool) {
	list, _, ok := r.words(r.size())
	return list, ok
}

// module returns what a program has mapped. Its path is "" for the program itself.
func (r record) module() (m journal.Module, ok bool) {
	if r.size() > maxRecord {
		return m, false
	}
	segments, rest, ok := r.words(2 * r.size())
	if !ok || int(r.id()) > len(rest) {
		return m, false
	}
	return journal.Module{Path: string(rest[:r.id()]), Base: r.addr(), Segments: segments}, true
}

// ownCode knows the code of the hook, which calls what a program would have called itself.
type ownCode struct {
	library string // path by which the program loads it, "" for none
	parts   []part
}

// part is some addresses, to excluded.
type part struct{ from, to uint64 }

// add takes note of a module.
func (o *ownCode) add(m *journal.Module) {
	if o.library == "" || m.Path != o.library {
		return
	}
	for i := 0; i+1 < len(m.Segments); i += 2 {
		from := m.Base + m.Segments[i]
		o.parts = append(o.parts, part{from, from + m.Segments[i+1]})
	}
}

// without removes the hook's frames from a stack, which may be changed. One that has no others is kept.
func (o *ownCode) without(stack []uint64) []uint64 {
	own := func(addr uint64) bool {
		return slices.ContainsFunc(o.parts, func(p part) bool { return addr >= p.from && addr < p.to })
	}
	if !slices.ContainsFunc(stack, func(addr uint64) bool { return !own(addr) }) {
		return stack
	}
	return slices.DeleteFunc(stack, own)
}
