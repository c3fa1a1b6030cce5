package objects

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/cores"
	"github.com/memtui/memtui/model"
)

const (
	unitBytes = 4 << 20
	// maxLine is the longest line that is read: an array of sixty million elements.
	maxLine = 1 << 30

	askLines = 1 << 10 // lines between two checks of the context
)

// Parser parses lines. Only one goroutine may use it.
type Parser interface {
	// Line adds a parsed line to a unit. at is the offset of its first byte; cut reports that the file ends with it,
	// without a line end.
	Line(u *Unit, line []byte, at int64, cut bool)
}

// reading is one pass over a file.
type reading struct {
	ctx     context.Context
	src     *loaders.Source
	size    int64
	advance func(bytes int64)
	next    atomic.Int64
	mu      sync.Mutex
	err     error
}

// read reads all lines of a file on all cores, and returns its units in the order of the file, with their lists in a
// room. It counts their objects.
func read(ctx context.Context, src *loaders.Source, size int64, room *model.Room, count *counting, advance func(int64),
	parser func(*Names) Parser) ([]*Unit, []*Names, error) {
	r := &reading{ctx: ctx, src: src, size: size, advance: advance}
	units := make([]*Unit, (size+unitBytes-1)/unitBytes)
	var names []*Names
	err := cores.Run(func() {
		mine := NewNames()
		r.mu.Lock()
		names = append(names, mine)
		p, mem, last := parser(mine), []byte(nil), fill{}
		r.mu.Unlock()
		for i := r.next.Add(1) - 1; i < int64(len(units)) && r.failed() == nil; i = r.next.Add(1) - 1 {
			u := &Unit{Names: mine}
			u.reserve(last)
			used, err := r.unit(u, p, i*unitBytes, mem)
			if err != nil {
				r.fail(err)
				return
			}
			if mem = used; len(mem) > 4*unitBytes { // of a very long line
				mem = nil
			}
			last = fill{len(u.IDs), len(u.refs)}
			count.add(u)
			u.shrink(room)
			units[i] = u
			advance(min(unitBytes, size-i*unitBytes))
			if src.Budget().Full(model.BudgetOfFile) {
				r.fail(src.Budget().Error("the objects of the dump"))
			}
		}
	})
	if err == nil {
		err = r.failed()
	}
	return units, names, err
}

func (r *reading) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *reading) failed() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// unit reads the lines that start within a part of the file. It returns the memory that it read into.
func (r *reading) unit(u *Unit, p Parser, from int64, mem []byte) ([]byte, error) {
	end := min(from+unitBytes, r.size)
	u.From = from
	lines := lineReader{ctx: r.ctx, src: r.src, size: r.size, mem: mem}
	err := lines.each(from, end, func(line []byte, at int64, cut bool) error {
		p.Line(u, line, at, cut)
		return nil
	}, func(at int64) {
		u.Problem(model.Warning, "line-length", at, "a line is longer than the limit of %s: it was left out", model.Bytes(maxLine))
	})
	return lines.mem, err
}

// fill is how much a unit holds.
type fill struct{ objects, refs int }

// reserve makes room for as much as another unit held, and a little more.
func (u *Unit) reserve(like fill) {
	objects, refs := like.objects+like.objects/16, like.refs+like.refs/16
	if objects == 0 {
		return
	}
	u.IDs, u.Class, u.Size = make([]uint64, 0, objects), make([]uint64, 0, objects), make([]uint64, 0, objects)
	u.Kind, u.Name = make([]model.HeapKind, 0, objects), make([]uint32, 0, objects)
	u.line, u.refEnd = make([]uint32, 0, objects), make([]uint32, 0, objects)
	u.refs, u.labels = make([]uint64, 0, refs), make([]model.EdgeLabel, 0, refs)
}

// shrink releases the room of columns that they do not use.
func (u *Unit) shrink(room *model.Room) {
	u.IDs, u.Class, u.Kind, u.Name, u.Size = clone(room, u.IDs), clone(room, u.Class), clone(room, u.Kind),
		clone(room, u.Name), clone(room, u.Size)
	for i := range u.Extra {
		u.Extra[i] = clone(room, u.Extra[i])
	}
	u.refEnd, u.refs, u.labels = clone(room, u.refEnd), clone(room, u.refs), clone(room, u.labels)
	u.line = clone(nil, u.line) // survives the room
}

// clone copies a slice that has much spare capacity, or that goes to a room.
func clone[T any](room *model.Room, s []T) []T {
	if room == nil && cap(s)-len(s) <= len(s)/8 {
		return s
	}
	return model.CloneColumn(room, s)
}

// lineReader reads lines of a file.
type lineReader struct {
	ctx  context.Context
	src  *loaders.Source
	size int64
	mem  []byte
}

// each calls visit with the lines that start in [from, end), and long with the offsets of those that are too long.
func (r *lineReader) each(from, end int64, visit func(line []byte, at int64, cut bool) error, long func(at int64)) error {
	base := max(from-1, 0)
	b, err := r.fill(nil, base, end)
	if err != nil {
		return err
	}
	if from > 0 { // the part before the first line belongs to a line of another unit
		i := bytes.IndexByte(b, '\n')
		if i < 0 || base+int64(i)+1 >= end {
			return nil
		}
		b, base = b[i+1:], base+int64(i)+1
	}
	for n := 0; len(b) > 0 && base < end; n++ {
		if n%askLines == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			whole := false
			if b, i, whole, err = r.finish(b, base); err != nil {
				return err
			} else if !whole {
				long(base)
				return nil
			}
		}
		line, cut := b, true
		if i >= 0 {
			line, cut = b[:i], false
		}
		if err := visit(line, base, cut); err != nil || cut {
			return err
		}
		b, base = b[i+1:], base+int64(i)+1
	}
	return nil
}

// finish reads the rest of a line whose beginning is in b. i is its end, -1 if that is the end of the file; whole is
// false if it is longer than lines may be.
func (r *lineReader) finish(b []byte, base int64) (line []byte, i int, whole bool, err error) {
	for {
		have := len(b)
		to := base + int64(have) + int64(max(have, 64<<10))
		if base+int64(have) >= r.size {
			return b, -1, true, nil
		}
		if have > maxLine || !r.src.Budget().Fits(3*int64(have)) {
			return nil, 0, false, nil
		}
		if b, err = r.fill(b, base, min(to, r.size)); err != nil {
			return nil, 0, false, err
		}
		if i := bytes.IndexByte(b[have:], '\n'); i >= 0 {
			return b, have + i, true, nil
		}
		if len(b) == have { // the file became shorter
			return b, -1, true, nil
		}
	}
}

// fill reads up to an offset, after the bytes known from base.
func (r *lineReader) fill(b []byte, base, to int64) ([]byte, error) {
	n := int(to - base)
	if n > len(r.mem) {
		mem := make([]byte, n)
		copy(mem, b)
		r.mem = mem
	} else {
		copy(r.mem, b)
	}
	got := len(b)
	for got < n {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		part := r.mem[got:min(n, got+unitBytes)]
		m, err := r.src.ReadAt(part, base+int64(got))
		got += m
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return r.mem[:got], nil
}
