package symbols

import (
	"context"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mangled"
)

const maxReaders = 4 // units that are read at once

// unitsOf returns which units contain sorted addresses, and which ones.
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

// fromIndex finds the units in .debug_aranges, which many files have and which lists most of their units.
func (d *debugInfo) fromIndex(addrs []uint64, of map[uint64]int) {
	for b := d.aranges; len(b) > 0; {
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

// claim assigns the addresses of a range that no unit has yet to a unit.
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

// fromUnits finds the units of the remaining addresses by reading the units themselves.
func (d *debugInfo) fromUnits(ctx context.Context, addrs []uint64, of map[uint64]int) error {
	left := slices.DeleteFunc(slices.Clone(addrs), func(a uint64) bool { _, ok := of[a]; return ok })
	w := &work{ctx: ctx}
	for i, h := range d.units {
		if h.kind != unitCompile && h.kind != unitSkeleton {
			continue
		}
		if err := w.steps(checkEvery / 64); err != nil {
			return err
		}
		u, err := d.unit(i)
		if err == nil {
			err = u.rangesOf(&u.top, w, func(start, end uint64) { claim(left, [2]uint64{start, end}, i, of) })
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.note(err)
	}
	return nil
}

// located is DWARF's result for an address.
type located struct {
	frames []Frame
	named  bool // the last frame has a linker's name, or needs none
}

// lookup finds the functions and lines at sorted addresses. Damaged parts are left out and recorded. inside reports
// which addresses must be in a function.
func (d *debugInfo) lookup(ctx context.Context, files *companions, addrs []uint64, inside func(uint64) bool) (map[uint64]located, error) {
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
				err := files.image.guard(func() (err error) {
					found, err = d.lookupUnit(unit, units[unit], inside, files, &w)
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

// lookupUnit reads one unit. With an error, it also returns what could be read.
func (d *debugInfo) lookupUnit(i int, addrs []uint64, inside func(uint64) bool, files *companions, w *work) (map[uint64]located, error) {
	u, err := d.unit(i)
	if err != nil {
		return nil, err
	}
	lines, lineErr := u.readLines(addrs, w)
	found := make(map[uint64]located, len(addrs))
	locate := func(code *unit) error {
		calls, err := code.functions(addrs, inside, w)
		for _, a := range addrs {
			if l := code.locate(calls[a], lines.rows[a], lines); len(l.frames) > 0 {
				found[a] = l
			}
		}
		return err
	}
	if u.top.dwoName.class == classNone {
		err = locate(u)
	} else if there, failed := files.split(w.ctx, u, locate); there {
		err = failed
	} else {
		for _, a := range addrs {
			if l := u.locate(nil, lines.rows[a], lines); len(l.frames) > 0 {
				found[a] = l
			}
		}
	}
	if err == nil {
		err = lineErr
	}
	return found, err
}

// locate converts the functions around an address, outermost first, and its position in the source to frames.
func (u *unit) locate(calls []call, at row, lines *lineTable) (l located) {
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		name, linkage := u.nameOf(c.entry)
		l.frames = append(l.frames, Frame{Function: name, File: at.file, Line: at.line, Inlined: !c.function})
		l.named = linkage
		at = row{lines.file(c.entry.callFile.n), lineNumber(int64(c.entry.callLine.n))}
	}
	if len(calls) == 0 && at.file != "" {
		l.frames = append(l.frames, Frame{File: at.file, Line: at.line})
	}
	return l
}

// problems reports what is missing or damaged in a file's debug information.
func (d *debugInfo) problems(path string) (list []model.Problem) {
	if d.damaged != nil {
		list = append(list, model.Problem{Severity: model.Warning, Code: "symbols-damaged", Message: path + ": " +
			d.damaged.Error() + "; what could be read is used", Offset: -1})
	}
	return list
}

// finish uses symbols if DWARF knows no function, or only a bare name that the linker's is better than, and demangles.
// names caches demangled names.
func finish(l located, s symbol, names map[string]string) []Frame {
	frames := l.frames
	switch {
	case len(frames) == 0 && s.name == "":
		return nil
	case len(frames) == 0:
		frames = []Frame{{Function: s.name}}
	default:
		last := &frames[len(frames)-1]
		whole, _, _ := strings.Cut(s.name, ".cold") // compilers move the rare parts of a function out of it
		switch {
		case s.name == "":
		case last.Function == "", strings.HasPrefix(last.Function, "__second_sect_of_"):
			last.Function = s.name
		case !l.named && (mangled.Is(whole) || strings.HasPrefix(whole, last.Function+".")):
			last.Function = whole
		}
	}
	for i := range frames {
		raw := frames[i].Function
		name, ok := names[raw]
		if !ok {
			name = mangled.Demangle(raw)
			names[raw] = name
		}
		frames[i].Function = name
	}
	return frames
}
