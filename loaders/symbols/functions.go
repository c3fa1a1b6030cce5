package symbols

import (
	"context"
	"errors"
	"sort"
)

// work counts what is read of one file, so that reading a damaged one ends.
type work struct {
	ctx  context.Context
	done int64
}

// maxWork bounds the entries, rows and ranges that are read of one file. A browser with all its debug information has
// fewer.
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

// call is a function around an address: one with code of its own, or an inlined one.
type call struct {
	depth    int // of the entry
	entry    *entry
	function bool // it has code of its own
}

// finder finds the functions around some addresses of one unit.
type finder struct {
	u     *unit
	w     *work
	addrs []uint64 // sorted
	calls map[uint64][]call
	path  []call // inlined functions around the current entry, in DWARF 2
}

// functions finds the functions around sorted addresses, outermost first. If there is none around an address that a
// symbol covers, as inside reports, functions within others are searched, too.
func (u *unit) functions(addrs []uint64, inside func(uint64) bool, w *work) (map[uint64][]call, error) {
	f := &finder{u: u, w: w, addrs: addrs, calls: map[uint64][]call{}}
	if err := f.walk(false); err != nil {
		return f.calls, err
	}
	for _, a := range addrs {
		if f.calls[a] == nil && inside(a) {
			return f.calls, f.walk(true)
		}
	}
	return f.calls, nil
}

// walk visits the entries of a unit. With everything, it also visits those that cannot have code of ours.
func (f *finder) walk(everything bool) error {
	r := f.u.reader(f.u.head.die)
	if a := r.next(); a == nil || !r.leave(a, true) {
		return r.err()
	}
	for depth := 1; depth > 0; {
		a := r.next()
		if r.bad {
			return r.err()
		}
		if err := f.w.step(); err != nil {
			return err
		}
		if a == nil {
			depth--
			continue
		}
		f.leave(depth)
		enter := everything || a.role == roleScope
		more := false
		if a.role == roleFunction || a.role == roleInlined {
			e := r.entry(a)
			partial := f.extend(&e, depth)
			covered, err := f.covers(&e, depth)
			if err != nil {
				return err
			}
			enter, more = enter || covered || partial, a.children
			if more && !enter {
				if err := r.past(&e, f.w); err != nil {
					return err
				}
			}
		} else if more = r.leave(a, enter); more && !enter {
			if err := r.skipTree(f.w); err != nil {
				return err
			}
		}
		if more && enter {
			depth++
		}
	}
	return nil
}

// err returns why no more entries can be read.
func (r *entries) err() error {
	if r.bad {
		return damage("the entry at %d is truncated, or of an unknown form", r.at)
	}
	return nil
}

// past skips the entries below one that was read.
func (r *entries) past(e *entry, w *work) error {
	if e.sibling.class == classRef && e.sibling.n > uint64(r.off) {
		r.seek(e.sibling.n)
		return nil
	}
	return r.skipTree(w)
}

// covers records a function if it has code at the wanted addresses, and reports whether it has.
func (f *finder) covers(e *entry, depth int) (any bool, err error) {
	var kept *entry
	err = f.u.rangesOf(e, f.w, func(start, end uint64) {
		for _, a := range f.addrs[sort.Search(len(f.addrs), func(i int) bool { return f.addrs[i] >= start }):] {
			if a >= end {
				break
			}
			if any = true; kept == nil {
				copied := *e
				kept = &copied
			}
			f.note(a, kept, depth)
		}
	})
	return any, err
}

// leave removes from the path what an entry at a depth is not within.
func (f *finder) leave(depth int) {
	for len(f.path) > 0 && f.path[len(f.path)-1].depth >= depth {
		f.path = f.path[:len(f.path)-1]
	}
}

// extend adds an inlined function to the path, and reports whether functions within it may have code outside of its
// range: strict DWARF 2 has no lists of ranges, so that of a function in several pieces only the first one is known.
func (f *finder) extend(e *entry, depth int) (partial bool) {
	if f.u.head.version > 2 || e.abbrev.role != roleInlined || len(f.path) == maxFrames {
		return false
	}
	copied := *e
	f.path = append(f.path, call{depth: depth, entry: &copied})
	return true
}

// note adds a function to the list of an address, replacing those that it is not within.
func (f *finder) note(a uint64, e *entry, depth int) {
	list := f.calls[a]
	if e.abbrev.role != roleInlined {
		f.calls[a] = []call{{depth: depth, entry: e, function: true}}
		return
	}
	if len(list) > 0 && len(f.path) > 0 {
		f.calls[a] = append(list[:1:1], f.path...)
		return
	}
	for len(list) > 0 && list[len(list)-1].depth >= depth {
		list = list[:len(list)-1]
	}
	if len(list) == 0 || len(list) >= maxFrames {
		return
	}
	f.calls[a] = append(list, call{depth: depth, entry: e})
}

const maxOrigins = 16 // entries from an inlined function to the one with its name

// nameOf returns the name of a function: the linker's if there is one, as it contains namespaces and parameters.
// linkage reports which it is.
func (u *unit) nameOf(e *entry) (name string, linkage bool) {
	for hops := 0; e != nil && hops < maxOrigins; hops++ {
		if s := u.text(e.linkage); s != "" {
			return s, true
		}
		if name == "" {
			name = u.text(e.name)
		}
		u, e = u.refers(e.origin)
	}
	return name, false
}
