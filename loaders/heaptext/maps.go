package heaptext

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/weighted"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// mapping is the memory range of a part of a file.
type mapping struct {
	from, to, offset uint64
	file             string
}

// parseMapping reads a line of /proc/self/maps.
func parseMapping(line []byte) (m mapping, ok bool) {
	f := bytes.Fields(line)
	if len(f) < 5 {
		return m, false
	}
	from, to, ok := bytes.Cut(f[0], []byte("-"))
	if !ok || len(f[1]) != 4 {
		return m, false
	}
	var bad [3]error
	m.from, bad[0] = strconv.ParseUint(string(from), 16, 64)
	m.to, bad[1] = strconv.ParseUint(string(to), 16, 64)
	m.offset, bad[2] = strconv.ParseUint(string(f[2]), 16, 64)
	if len(f) > 5 { // paths may contain blanks
		m.file = string(bytes.TrimSpace(line[bytes.LastIndex(line, f[4])+len(f[4]):]))
		if i := bytes.Index(line, f[5]); i > 0 && bytes.HasPrefix(f[5], []byte("/")) {
			m.file = string(bytes.TrimSpace(line[i:]))
		}
	}
	return m, bad == [3]error{} && m.from < m.to
}

// addresses resolves addresses to frames.
type addresses struct {
	b     *weighted.Builder
	maps  []mapping
	names map[uint64]string // symbols in the file itself
	table *symbols.Table
	ids   map[uint64]int // of addresses in table
	known map[uint64][]model.FrameID
}

// load adds the mappings to the table of symbols. Adjacent ones of a file are one module.
func (a *addresses) load(opt loaders.Symbols) {
	a.sort()
	a.table, a.ids = symbols.NewTable(opt), map[uint64]int{}
	for i := 0; i < len(a.maps); {
		m := symbols.Module{Path: a.maps[i].file}
		for ; i < len(a.maps) && a.maps[i].file == m.Path; i++ {
			m.Mappings = append(m.Mappings, symbols.Mapping{Start: a.maps[i].from, End: a.maps[i].to, Offset: a.maps[i].offset})
		}
		if m.Path != "" {
			a.table.Add(m)
		}
	}
}

// want adds an address to be looked up, unless the file itself names it.
func (a *addresses) want(addr uint64) {
	if _, ok := a.name(addr); ok {
		return
	}
	if _, ok := a.ids[addr]; !ok {
		a.ids[addr] = a.table.Address(addr, true)
	}
}

// symbolized returns the frames found for an address, leaf first, or none.
func (a *addresses) symbolized(addr uint64, frame weighted.Frame) (out []model.FrameID) {
	id, ok := a.ids[addr]
	if !ok {
		return nil
	}
	for _, f := range a.table.Frames(id) {
		if f.Function == "" {
			return nil
		}
		frame.Function, frame.File, frame.Line, frame.Flags = f.Function, f.File, model.NoLine, 0
		if f.Line > 0 {
			frame.Line = f.Line
		}
		if f.Inlined {
			frame.Flags = model.FrameInlined
		}
		out = append(out, a.b.Frame(frame))
	}
	return out
}

// sort prepares the mappings for searching.
func (a *addresses) sort() {
	slices.SortStableFunc(a.maps, func(x, y mapping) int { return cmp.Compare(x.from, y.from) })
}

// at returns the mapping of an address; ok is false if there is none.
func (a *addresses) at(addr uint64) (m mapping, ok bool) {
	i, found := slices.BinarySearchFunc(a.maps, addr, func(m mapping, addr uint64) int { return cmp.Compare(m.from, addr) })
	if !found {
		i--
	}
	if i < 0 || addr >= a.maps[i].to {
		return m, false
	}
	return a.maps[i], true
}

// frames returns the frames of a return address, leaf first.
func (a *addresses) frames(addr uint64) []model.FrameID {
	if f, ok := a.known[addr]; ok {
		return f
	}
	f := a.resolve(addr)
	a.known[addr] = f
	return f
}

func (a *addresses) resolve(addr uint64) (out []model.FrameID) {
	m, mapped := a.at(addr - 1) // the call may be the last of its mapping
	frame := weighted.Frame{Line: model.NoLine}
	if mapped && m.file != "" {
		frame.DSO = a.b.DSO(model.DSO{Name: m.file, Kernel: m.file == "[vsyscall]"})
	}
	if name, ok := a.name(addr); ok {
		list := inlined(name)
		for i, n := range slices.Backward(list) {
			frame.Function, frame.Flags = n, 0
			if i > 0 {
				frame.Flags = model.FrameInlined
			}
			out = append(out, a.b.Frame(frame))
		}
		return out
	}
	if found := a.symbolized(addr, frame); len(found) > 0 {
		return found
	}
	if mapped && m.file != "" {
		addr -= m.from - m.offset
	}
	frame.Function, frame.Flags = symbols.Unnamed(addr, m.file), model.FrameUnresolved
	return []model.FrameID{a.b.Frame(frame)}
}

var (
	allocatorFile = regexp.MustCompile(`^lib(jemalloc|tcmalloc)[^/]*\.so`)
	allocatorCode = regexp.MustCompile(`^(je_|_rjem_|prof_backtrace|prof_alloc_prep|prof_tctx|tcmalloc::|MallocHook::|tc_)`)
)

// allocates reports whether an address belongs to the allocator that wrote the profile.
func (a *addresses) allocates(addr uint64, frames []model.FrameID) bool {
	if m, ok := a.at(addr - 1); ok && allocatorFile.MatchString(path.Base(m.file)) {
		return true
	}
	return len(frames) > 0 && allocatorCode.MatchString(a.b.Function(frames[0]))
}

// name returns the symbol of an address or, as some writers subtract the call, of the previous byte.
func (a *addresses) name(addr uint64) (string, bool) {
	if n, ok := a.names[addr]; ok {
		return n, true
	}
	n, ok := a.names[addr-1]
	return n, ok
}

// inlined splits a name into the function and those inlined into it, the outermost first. An operator-- does not
// separate.
func inlined(name string) (out []string) {
	for part := range strings.SplitSeq(name, "--") {
		if n := len(out); n > 0 && strings.HasSuffix(out[n-1], "operator") {
			out[n-1] += "--" + part
			continue
		}
		if part != "" {
			out = append(out, part)
		}
	}
	if len(out) == 0 {
		return []string{name}
	}
	return out
}
