package memdump

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// decoder decodes the layout at a position of the file. Any goroutine may use it.
type decoder interface {
	decode(ctx context.Context, i int, ref layoutRef) (*model.Layout, error)
}

const keptBytes = 48 << 20 // of decoded layouts

// pages is the source of a file's layouts. Decoded ones are cached, up to keptBytes.
type pages struct {
	refs   []layoutRef
	d      decoder
	budget *model.Budget // of memory, nil for no bound

	mu   sync.Mutex
	kept map[int]*list.Element // of *keptLayout
	used list.List             // the most recently used first
	size int
}

type keptLayout struct {
	i, size int
	layout  *model.Layout
}

func newPages(refs []layoutRef, d decoder, budget *model.Budget) *pages {
	return &pages{refs: refs, d: d, budget: budget, kept: map[int]*list.Element{}}
}

// Len implements [model.PageSource].
func (p *pages) Len() int { return len(p.refs) }

// Info implements [model.PageSource].
func (p *pages) Info(i int) model.LayoutInfo {
	r := &p.refs[i]
	return model.LayoutInfo{Series: int(r.series), Point: r.point, At: model.Time(r.at), Empty: r.empty}
}

// Open implements [model.PageSource].
func (p *pages) Open(ctx context.Context, i int) (*model.Layout, error) {
	if i < 0 || i >= len(p.refs) {
		return nil, fmt.Errorf("no page layout %d", i)
	}
	if l := p.cached(i); l != nil {
		return l, nil
	}
	l, err := p.d.decode(ctx, i, p.refs[i])
	if err != nil {
		return nil, fmt.Errorf("page layout %d: %w", i, err)
	}
	p.keep(i, l)
	return l, nil
}

func (p *pages) cached(i int) *model.Layout {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.kept[i]
	if e == nil {
		return nil
	}
	p.used.MoveToFront(e)
	return e.Value.(*keptLayout).layout
}

func (p *pages) keep(i int, l *model.Layout) {
	size := 256
	for k := range l.Types {
		t := &l.Types[k]
		size += cap(t.Runs) + 4*cap(t.Start) + 8*cap(t.Sizes) + 4*cap(t.Occupancy) + cap(t.Known) + 128
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	most := int(p.budget.Part(keptBytes, 8))
	if size > most || p.kept[i] != nil {
		return
	}
	p.kept[i] = p.used.PushFront(&keptLayout{i, size, l})
	for p.size += size; p.size > most; {
		oldest := p.used.Remove(p.used.Back()).(*keptLayout)
		delete(p.kept, oldest.i)
		p.size -= oldest.size
	}
}

const (
	directChunk = 64 << 10
	// nearBytes is how far it is cheaper to read on than to begin at a mark.
	nearBytes = markSpacing
)

// mbDecoder decodes layouts of a .mb.
type mbDecoder struct {
	src     *loaders.Source
	header  mbHeader
	marks   *marks // of a compressed body
	strings []string
	tables  []tableAt

	mu   sync.Mutex
	idle *cursor // the one used last, nil while it is in use
}

// cursor is a stream at a position in the body.
type cursor struct {
	s   *stream
	raw *fileReader
}

// decode implements decoder.
func (d *mbDecoder) decode(ctx context.Context, i int, ref layoutRef) (l *model.Layout, err error) {
	c := d.seek(ctx, ref.off)
	var found findings
	limits := limits{d.src}
	err = d.src.Guard(func() error {
		m := mbLayout{s: c.s, strings: d.stringsOf(i), limits: limits, found: &found}
		l = m.read()
		if c.s.big {
			found.add(model.Error, "varint", ref.off, 0, bigNumber)
			c.s.big = false
		}
		if m.reached != "" {
			limits.report(&found, c.s.offset(), 0, m.reached)
		}
		return c.end(&found)
	})
	if err != nil {
		return nil, err
	}
	l.Problems = found.list
	if !c.s.ended {
		d.mu.Lock()
		d.idle = c
		d.mu.Unlock()
	}
	return l, nil
}

// end returns why the stream ended, if it did.
func (c *cursor) end(found *findings) error {
	if !c.s.ended {
		return nil
	}
	var broken *damage
	err := c.s.err()
	if errors.As(err, &broken) {
		found.add(model.Error, "gzip", c.s.offset(), 0, broken.Error())
		return nil
	}
	if err == nil && !c.raw.src.Limited() {
		found.add(model.Error, "truncated", c.s.offset(), 0, "the file ends in the middle of this layout")
	}
	return err
}

// stringsOf returns the strings that had been read before layout i.
func (d *mbDecoder) stringsOf(i int) []string {
	n := 0
	for _, t := range d.tables {
		if t.layout <= i {
			n = t.strings
		}
	}
	return d.strings[:n]
}

// seek returns a cursor at an offset.
func (d *mbDecoder) seek(ctx context.Context, off int64) *cursor {
	d.mu.Lock()
	c := d.idle
	d.idle = nil
	d.mu.Unlock()
	if c == nil || off < c.s.offset() || off-c.s.offset() > nearBytes {
		c = d.open(ctx, off)
	}
	c.raw.ctx = ctx
	c.s.skip(uint64(off - c.s.offset()))
	return c
}

// open returns a cursor at an offset or shortly before it.
func (d *mbDecoder) open(ctx context.Context, off int64) *cursor {
	if !d.header.gzip {
		raw := &fileReader{ctx: ctx, src: d.src, off: off}
		return &cursor{newStream(&direct{r: raw, size: directChunk}, off), raw}
	}
	k := d.marks.before(off - d.header.size)
	g := resumeGunzip(ctx, d.src, k)
	return &cursor{newStream(&direct{r: g, size: directChunk}, d.header.size+k.body), g.raw}
}
