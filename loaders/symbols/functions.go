package symbols

import (
	"context"
	"debug/dwarf"
	"errors"
	"sort"
)

// work counts what is read of one file, so that a damaged one ends.
type work struct {
	ctx  context.Context
	done int64
}

// maxWork bounds the entries, rows and ranges that are read for one file. A browser with all its debug information has fewer.
const maxWork = 1 << 30

var errWork = errors.New("reading its debug information takes too long")

func (w *work) step() error { return w.steps(1) }

func (w *work) steps(n int64) error {
	before := w.done
	if w.done += n; w.done/checkEvery != before/checkEvery {
		if w.done > maxWork {
			return errWork
		}
		return w.ctx.Err()
	}
	return nil
}

// call is a function around an address: one with code of its own, or one that is inlined.
type call struct {
	depth    int // of the entry
	entry    *dwarf.Entry
	function bool  // it has code of its own
	file     int64 // where it is called, of inlined ones
	line     int64
}

// finder looks for the functions around some addresses of one unit.
type finder struct {
	d     *debugInfo
	w     *work
	addrs []uint64 // sorted
	calls map[uint64][]call
}

// functions finds the functions around sorted addresses, outermost first.
func (d *debugInfo) functions(unit int, addrs []uint64, w *work) (map[uint64][]call, error) {
	f := &finder{d: d, w: w, addrs: addrs, calls: map[uint64][]call{}}
	if err := f.walk(unit, false); err != nil {
		return f.calls, err
	}
	for _, a := range addrs {
		if f.calls[a] == nil { // its function may lie within another
			return f.calls, f.walk(unit, true)
		}
	}
	return f.calls, nil
}

// walk goes over the entries of a unit. With everything, it leaves out none that could hold no code of ours.
func (f *finder) walk(unit int, everything bool) error {
	e, r, err := f.d.entry(unit)
	if err != nil || !e.Children {
		return err
	}
	for depth := 1; depth > 0; {
		if e, err = r.Next(); err != nil || e == nil {
			return err
		}
		if err := f.w.step(); err != nil {
			return err
		}
		if e.Tag == 0 {
			depth--
			continue
		}
		enter := true
		switch e.Tag {
		case dwarf.TagSubprogram, dwarf.TagInlinedSubroutine, dwarf.TagEntryPoint:
			if enter, err = f.covers(e, depth); err != nil {
				return err
			}
		case dwarf.TagNamespace, dwarf.TagModule, dwarf.TagLexDwarfBlock, dwarf.TagTryDwarfBlock, dwarf.TagCatchDwarfBlock, dwarf.TagWithStmt:
		default:
			enter = false
		}
		if !e.Children {
			continue
		}
		if enter || everything {
			depth++
		} else {
			r.SkipChildren()
		}
	}
	return nil
}

// covers notes a function where it has code at addresses that are looked for, and reports whether it has.
func (f *finder) covers(e *dwarf.Entry, depth int) (any bool, err error) {
	ranges, err := f.d.data.Ranges(e)
	if err != nil {
		return false, err
	}
	if err := f.w.steps(int64(len(ranges))); err != nil {
		return false, err
	}
	for _, r := range ranges {
		for _, a := range f.addrs[sort.Search(len(f.addrs), func(i int) bool { return f.addrs[i] >= r[0] }):] {
			if a >= r[1] {
				break
			}
			any = true
			f.note(a, e, depth)
		}
	}
	return any, nil
}

// note puts a function into the list of an address's, in place of those that it is not within.
func (f *finder) note(a uint64, e *dwarf.Entry, depth int) {
	list := f.calls[a]
	if e.Tag != dwarf.TagInlinedSubroutine {
		f.calls[a] = []call{{depth: depth, entry: e, function: true}}
		return
	}
	for len(list) > 0 && list[len(list)-1].depth >= depth {
		list = list[:len(list)-1]
	}
	if len(list) == 0 || len(list) >= maxFrames {
		return
	}
	c := call{depth: depth, entry: e}
	c.file, _ = e.Val(dwarf.AttrCallFile).(int64)
	c.line, _ = e.Val(dwarf.AttrCallLine).(int64)
	f.calls[a] = append(list, c)
}

const (
	maxOrigins      = 16 // entries from an inlined function to the one with its name
	attrMIPSLinkage = dwarf.Attr(0x2007)
)

// name returns the name of a function: the one that the linker knows where there is one, as it says namespaces and parameters. linkage
// says which it is.
func (d *debugInfo) name(e *dwarf.Entry) (name string, linkage bool) {
	for hops := 0; e != nil && hops < maxOrigins; hops++ {
		for _, a := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkage} {
			if s, ok := e.Val(a).(string); ok && s != "" {
				return s, true
			}
		}
		if s, ok := e.Val(dwarf.AttrName).(string); ok && name == "" {
			name = s
		}
		off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			off, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			return name, false
		}
		r := d.data.Reader()
		r.Seek(off)
		var err error
		if e, err = r.Next(); err != nil {
			return name, false
		}
	}
	return name, false
}
