package symbols

import (
	"context"
	"debug/elf"
	"sort"
)

// symbol is a symbol that covers an address, named as in the file.
type symbol struct {
	name  string
	start uint64
	rank  int
}

// ranks of symbols at one address, by binding.
var symbolRanks = map[elf.SymBind]int{elf.STB_GLOBAL: 3, elf.STB_WEAK: 2, elf.STB_LOCAL: 1}

const checkEvery = 1 << 16 // rows between two checks of the context

// symbolsAt finds the symbols that cover sorted virtual addresses. An address that has one in found keeps it, unless
// another one is closer.
func (im *image) symbolsAt(ctx context.Context, addrs []uint64, found map[uint64]symbol) error {
	for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
		for _, s := range im.elf.Sections {
			if s.Type != kind || int(s.Link) >= len(im.elf.Sections) || s.Flags&elf.SHF_COMPRESSED != 0 {
				continue
			}
			if err := im.scanSymbols(ctx, im.stored(s), im.stored(im.elf.Sections[s.Link]), addrs, found); err != nil {
				return err
			}
		}
	}
	return nil
}

// scanSymbols scans one table: once, as addresses are few and symbols are many.
func (im *image) scanSymbols(ctx context.Context, table, names []byte, addrs []uint64, found map[uint64]symbol) error {
	size := elf.Sym64Size
	if im.elf.Class == elf.ELFCLASS32 {
		size = elf.Sym32Size
	}
	for n := 0; len(table) >= size; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		sym := im.symbolOf(table)
		table = table[size:]
		if !namesCode(sym) {
			continue
		}
		if im.elf.Machine == elf.EM_ARM {
			sym.Value &^= 1 // marks Thumb code
		}
		first := sort.Search(len(addrs), func(i int) bool { return addrs[i] >= sym.Value })
		for _, a := range addrs[first:] {
			if a-sym.Value >= sym.Size {
				break
			}
			rank := symbolRanks[elf.ST_BIND(sym.Info)]
			old, ok := found[a]
			if ok && (old.start > sym.Value || old.start == sym.Value && old.rank >= rank) {
				continue
			}
			if name := stringAt(names, uint64(sym.Name)); name != "" {
				found[a] = symbol{name, sym.Value, rank}
			}
		}
	}
	return nil
}

// namesCode reports whether a symbol is a function, or a label with a size.
func namesCode(s elf.Sym64) bool {
	if s.Size == 0 || s.Shndx == uint16(elf.SHN_UNDEF) || s.Shndx == uint16(elf.SHN_ABS) {
		return false
	}
	switch elf.ST_TYPE(s.Info) {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC, elf.STT_NOTYPE:
		return true
	}
	return false
}

// symbolOf reads the first symbol of a table.
func (im *image) symbolOf(b []byte) elf.Sym64 {
	o := im.elf.ByteOrder
	if im.elf.Class == elf.ELFCLASS32 {
		return elf.Sym64{Name: o.Uint32(b), Value: uint64(o.Uint32(b[4:])), Size: uint64(o.Uint32(b[8:])),
			Info: b[12], Other: b[13], Shndx: o.Uint16(b[14:])}
	}
	return elf.Sym64{Name: o.Uint32(b), Info: b[4], Other: b[5], Shndx: o.Uint16(b[6:]), Value: o.Uint64(b[8:]), Size: o.Uint64(b[16:])}
}

const maxName = 64 << 10 // bytes of a name that is read
