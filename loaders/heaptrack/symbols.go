package heaptrack

import (
	"context"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/symbols"
	"github.com/memtui/memtui/model"
)

// namer finds names for the addresses of raw files.
type namer struct {
	table   *symbols.Table
	modules int            // module lines in the table
	ids     []uint32       // by stack: ID in the table
	frames  []span         // by ID: span of builder.flat
	unnamed map[string]int // addresses without a name, by reason
}

func newNamer(opt loaders.Symbols) namer {
	return namer{table: symbols.NewTable(opt), unnamed: map[string]int{}}
}

// resolve finds names for the addresses of all stacks. The modules of an address are those mapped when its stack was
// written.
func (n *namer) resolve(ctx context.Context, t *tables, found *findings) error {
	for i := len(n.ids); i < len(t.ips); i++ {
		if i%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		lines := uint32(len(t.modules))
		if i < len(t.images) {
			lines = t.images[i]
		}
		for ; n.modules < int(lines); n.modules++ {
			n.load(&t.modules[n.modules])
		}
		n.ids = append(n.ids, uint32(n.table.Address(t.ips[i], false)))
	}
	problems, err := n.table.Resolve(ctx)
	for _, p := range problems {
		found.add(p)
	}
	return err
}

// load adds a module line.
func (n *namer) load(m *module) {
	if m.path == "" {
		n.table.Forget()
		return
	}
	of := symbols.Module{Path: m.path, Base: m.base}
	for _, p := range m.parts {
		of.Segments = append(of.Segments, symbols.Segment{Addr: p.offset, Size: p.size})
	}
	n.table.Add(of)
}

// of returns the frames of a stack's own address, outermost first.
func (n *namer) of(b *builder, stack int) []model.FrameID {
	id := int(n.ids[stack])
	for len(n.frames) <= id {
		n.frames = append(n.frames, n.add(b, len(n.frames)))
	}
	s := n.frames[id]
	return b.flat[s.from:s.to]
}

// add adds the frames of an ID.
func (n *namer) add(b *builder, id int) span {
	s := span{from: uint32(len(b.flat))}
	if len(n.table.Frames(id)) == 0 {
		n.unnamed[n.table.Why(id).String()]++
	}
	list := n.table.Named(id)
	for i := len(list) - 1; i >= 0; i-- {
		f := list[i]
		k := frame{b.funcs.id(f.Function), b.files.id(f.File), model.NoLine}
		if f.Line > 0 {
			k.line = f.Line
		}
		b.flat = append(b.flat, b.frame(k))
	}
	s.to = uint32(len(b.flat))
	return s
}
