package symbols

import (
	"context"
	"debug/dwarf"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/memtui/memtui/model"
)

const maxReaders = 4 // units that are read at once

// unitsOf says which units hold sorted addresses, and which addresses each of them holds.
func (d *debugInfo) unitsOf(ctx context.Context, addrs []uint64) (map[int][]uint64, error) {
	of := make(map[uint64]int, len(addrs))
	d.fromIndex(addrs, of)
	if len(of) < len(addrs) {
		if err := d.fromUnits(ctx, addrs, of); err != nil {
			return nil, err
		}
	}
	units := map[int][]uint64{}
	for _, a := range addrs {
		if unit, ok := of[a]; ok {
			units[unit] = append(units[unit], a)
		}
	}
	return units, nil
}

// fromIndex takes the units from .debug_aranges, which many files have and which names most of their units.
func (d *debugInfo) fromIndex(addrs []uint64, of map[uint64]int) {
	for b := d.arange; len(b) > 0; {
		r := fields{b: b, order: d.order}
		length, wide := r.length()
		if r.bad || length > uint64(len(b)-r.off) {
			return
		}
		set := fields{b: b[:r.off+int(length)], off: r.off, order: d.order}
		b = b[r.off+int(length):]
		set.uint(2)
		unit := d.starting(set.offset(wide))
		size := int(set.uint(1))
		set.uint(1)
		if unit < 0 || size != 4 && size != 8 {
			continue
		}
		if over := set.off % (2 * size); over > 0 {
			set.skip(uint64(2*size - over))
		}
		for !set.bad && set.off+2*size <= len(set.b) {
			start := set.uint(size)
			length := set.uint(size)
			claim(addrs, [2]uint64{start, start + length}, unit, of)
		}
	}
}

// starting returns the position of the unit that starts at an offset, -1 for none.
func (d *debugInfo) starting(off uint64) int {
	i, ok := slices.BinarySearchFunc(d.units, off, func(u unitHead, off uint64) int {
		switch {
		case u.off < off:
			return -1
		case u.off > off:
			return 1
		}
		return 0
	})
	if !ok {
		return -1
	}
	return i
}

// claim gives a unit the addresses of a range that no unit has yet.
func claim(addrs []uint64, r [2]uint64, unit int, of map[uint64]int) {
	for _, a := range addrs[sort.Search(len(addrs), func(i int) bool { return addrs[i] >= r[0] }):] {
		if a >= r[1] {
			return
		}
		if _, ok := of[a]; !ok {
			of[a] = unit
		}
	}
}

// fromUnits asks the units themselves for the addresses that have none yet.
func (d *debugInfo) fromUnits(ctx context.Context, addrs []uint64, of map[uint64]int) error {
	left := slices.DeleteFunc(slices.Clone(addrs), func(a uint64) bool { _, ok := of[a]; return ok })
	w := work{ctx: ctx}
	for i, u := range d.units {
		if u.kind != unitCompile && u.kind != unitSkeleton {
			continue
		}
		e, _, err := d.entry(i)
		if err != nil {
			d.note(err)
			continue
		}
		ranges, err := d.data.Ranges(e)
		if err != nil {
			d.note(err)
			continue
		}
		if err := w.steps(int64(len(ranges)) + checkEvery/64); err != nil {
			return err
		}
		for _, r := range ranges {
			claim(left, r, i, of)
		}
	}
	return nil
}

// note keeps the first damage.
func (d *debugInfo) note(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.damaged == nil && err != nil {
		d.damaged = damage("%v", err)
	}
}

// located is what DWARF says about an address.
type located struct {
	frames []Frame
	named  bool // the last frame has a linker's name, or none is needed
}

// lookup finds the functions and lines at sorted addresses. What is damaged is left out and noted.
func (d *debugInfo) lookup(ctx context.Context, im *image, addrs []uint64) (map[uint64]located, error) {
	units, err := d.unitsOf(ctx, addrs)
	if err != nil {
		return nil, err
	}
	ids := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	all := make(map[uint64]located, len(addrs))
	var failed error
	for range min(maxReaders, runtime.GOMAXPROCS(0), len(units)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			w := work{ctx: ctx}
			for unit := range ids {
				var found map[uint64]located
				err := im.guard(func() (err error) {
					found, err = d.lookupUnit(unit, units[unit], &w)
					return err
				})
				mu.Lock()
				for a, l := range found {
					all[a] = l
				}
				if err != nil && failed == nil {
					failed = err
				}
				mu.Unlock()
			}
		}()
	}
	for unit := range units {
		ids <- unit
	}
	close(ids)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return all, err
	}
	if failed != nil {
		d.note(failed)
	}
	return all, nil
}

// lookupUnit reads one unit. With an error comes what could be read.
func (d *debugInfo) lookupUnit(unit int, addrs []uint64, w *work) (map[uint64]located, error) {
	e, _, err := d.entry(unit)
	if err != nil {
		return nil, err
	}
	if e.Val(dwarf.AttrDwoName) != nil || e.Val(attrGNUDwoName) != nil {
		d.mu.Lock()
		d.split = true
		d.mu.Unlock()
	}
	lines, lineErr := d.readLines(e, addrs, w)
	calls, err := d.functions(unit, addrs, w)
	if err == nil {
		err = lineErr
	}
	found := make(map[uint64]located, len(addrs))
	for _, a := range addrs {
		if l := d.locate(calls[a], lines.rows[a], &lines); len(l.frames) > 0 {
			found[a] = l
		}
	}
	return found, err
}

const attrGNUDwoName = dwarf.Attr(0x2130)

// locate makes frames of the functions around an address, outermost first, and its place in the source.
func (d *debugInfo) locate(calls []call, at row, lines *lineTable) (l located) {
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		name, linkage := d.name(c.entry)
		l.frames = append(l.frames, Frame{Function: name, File: at.file, Line: int64(at.line), Inlined: !c.function})
		l.named = linkage
		at = row{lines.file(c.file), int(c.line)}
	}
	if len(calls) == 0 && at.file != "" {
		l.frames = append(l.frames, Frame{File: at.file, Line: int64(at.line)})
	}
	return l
}

// problems says what is missing or damaged in a file's debug information.
func (d *debugInfo) problems(path string) (list []model.Problem) {
	if d.damaged != nil {
		list = append(list, model.Problem{Severity: model.Warning, Code: "symbols-damaged", Message: path + ": " + d.damaged.Error() + "; what could be read is used", Offset: -1})
	}
	if d.split {
		list = append(list, model.Problem{Severity: model.Note, Code: "symbols-split",
			Message: path + ": functions inlined by its compiler are unknown, as split debug information (.dwo, .dwp) is not read", Offset: -1})
	}
	if d.shared {
		list = append(list, model.Problem{Severity: model.Note, Code: "symbols-shared",
			Message: path + ": some inlined functions have no name, as those lie in another file (.gnu_debugaltlink of dwz), which is not read", Offset: -1})
	}
	return list
}

// finish puts symbols where DWARF knows no function, or only a bare name of one that the linker knows better, and demangles. names keeps
// what was demangled.
func finish(l located, s symbol, names map[string]string) []Frame {
	frames := l.frames
	switch {
	case len(frames) == 0 && s.name == "":
		return nil
	case len(frames) == 0:
		frames = []Frame{{Function: s.name}}
	default:
		last := &frames[len(frames)-1]
		if s.name != "" && (last.Function == "" || !l.named && (mangled(s.name) || strings.HasPrefix(s.name, last.Function+"."))) {
			last.Function = s.name
		}
	}
	for i := range frames {
		raw := frames[i].Function
		name, ok := names[raw]
		if !ok {
			name = Demangle(raw)
			names[raw] = name
		}
		frames[i].Function = name
	}
	return frames
}
