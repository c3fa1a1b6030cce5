package symbols

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// pageSizes are the page sizes of systems that map files.
var pageSizes = [...]uint64{4 << 10, 16 << 10, 64 << 10}

// mismatch returns why an image is not the file of a recorded module, "" if it is.
func (im *image) mismatch(m *Module) string {
	if m.BuildID != "" {
		switch {
		case im.buildID == "":
			return "it has no build id, but " + shortID(m.BuildID) + " was recorded"
		case !sameID(m.BuildID, im.buildID):
			return fmt.Sprintf("its build id is %s, but %s was recorded", shortID(im.buildID), shortID(m.BuildID))
		}
		return ""
	}
	switch {
	case len(m.Segments) > 0:
		return im.otherSegments(m.Segments)
	case len(m.Mappings) > 0:
		return im.otherMappings(m.Mappings)
	}
	return "the recording has neither a build id nor sizes to compare"
}

// sameID reports whether two build ids are equal. perf pads those of fewer than 20 bytes with zeros.
func sameID(a, b string) bool {
	if len(a) != len(b) {
		a, b = strings.TrimRight(a, "0"), strings.TrimRight(b, "0")
	}
	return strings.EqualFold(a, b)
}

// shortID returns the part of a build id that people compare.
func shortID(id string) string { return id[:min(len(id), 12)] }

// loads returns the segments that are mapped.
func (im *image) loads() (list []*elf.Prog) {
	for _, p := range im.elf.Progs {
		if p.Type == elf.PT_LOAD {
			list = append(list, p)
		}
	}
	return list
}

// otherSegments describes the first recorded segment that the file lacks.
func (im *image) otherSegments(want []Segment) string {
	have := map[Segment]bool{}
	for _, p := range im.loads() {
		have[Segment{p.Vaddr, p.Memsz}] = true
	}
	for _, s := range want {
		if !have[s] {
			return fmt.Sprintf("the recording has a segment of %d bytes at 0x%x, which the file does not have", s.Size, s.Addr)
		}
	}
	if len(want) != len(have) {
		return fmt.Sprintf("it has %d segments, but %d were recorded", len(have), len(want))
	}
	return ""
}

// otherMappings describes the first of the file's segments with code that was not mapped. Only those are compared:
// others are split when the program starts.
func (im *image) otherMappings(have []Mapping) string {
	compared := false
	for _, p := range im.loads() {
		if p.Flags&elf.PF_X == 0 || p.Filesz == 0 {
			continue
		}
		compared = true
		if !slices.ContainsFunc(have, func(w Mapping) bool { return shows(w, p) }) {
			return fmt.Sprintf("no mapping that was recorded has the size of its code, %d bytes at 0x%x", p.Filesz, p.Off)
		}
	}
	if !compared {
		return "it has no code to compare with the mappings that were recorded"
	}
	return ""
}

// shows reports whether a mapping begins and ends where a segment does, up to page boundaries.
func shows(w Mapping, p *elf.Prog) bool {
	for _, page := range pageSizes {
		start := p.Off &^ (page - 1)
		end := (p.Off + p.Filesz + page - 1) &^ (page - 1)
		if w.Offset == start && w.End-w.Start == end-start {
			return true
		}
	}
	return false
}

// address returns the file's virtual address for one of a module; false if the file has nothing there.
func (im *image) address(m *Module, addr uint64) (uint64, bool) {
	if len(m.Segments) > 0 {
		return im.loaded(addr - m.Base)
	}
	for _, w := range m.Mappings {
		if addr < w.Start || addr >= w.End {
			continue
		}
		off := addr - w.Start + w.Offset
		for _, code := range []bool{true, false} {
			for _, p := range im.loads() {
				if (p.Flags&elf.PF_X != 0) == code && off >= p.Off && off-p.Off < p.Filesz {
					return off - p.Off + p.Vaddr, true
				}
			}
		}
		return im.bySize(w, addr)
	}
	return 0, false
}

// loaded returns a virtual address if it is within a segment.
func (im *image) loaded(v uint64) (uint64, bool) {
	for _, p := range im.loads() {
		if v >= p.Vaddr && v-p.Vaddr < p.Memsz {
			return v, true
		}
	}
	return 0, false
}

// bySize returns the virtual address for one in a mapping if the file, which has debug information only, has lost its
// offsets: its only segment with code has the mapping's size.
func (im *image) bySize(w Mapping, addr uint64) (uint64, bool) {
	if !im.debugOnly() {
		return 0, false
	}
	for _, page := range pageSizes {
		for _, p := range im.loads() {
			start := p.Vaddr &^ (page - 1)
			end := (p.Vaddr + p.Memsz + page - 1) &^ (page - 1)
			if p.Flags&elf.PF_X != 0 && end-start == w.End-w.Start {
				return im.loaded(addr - w.Start + start)
			}
		}
	}
	return 0, false
}
