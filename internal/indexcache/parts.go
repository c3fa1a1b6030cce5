package indexcache

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/memtui/memtui/model/sections"
)

// Parts keeps several files of one input, each under a name of its own. It implements [sections.Keeper].
type Parts struct {
	place *Place

	writing sync.WaitGroup
	stop    context.CancelFunc
	ctx     context.Context

	mu     sync.Mutex
	open   map[string]*sections.File // nil for those that were discarded
	failed error                     // why the first one that was not written was not
}

// NewParts returns the files that are kept beside the index of an input. Their writing ends with ctx.
func NewParts(ctx context.Context, place *Place) *Parts {
	p := &Parts{place: place, open: map[string]*sections.File{}}
	p.ctx, p.stop = context.WithCancel(ctx)
	return p
}

// partMark stands in the name of a file between that of the input and that of the part.
const partMark = ".part-"

// part returns where the file of a name is kept.
func (p *Parts) part(name string) *Place {
	k := p.place
	return &Place{src: k.src, Beside: k.Beside, anew: k.anew, Path: strings.TrimSuffix(k.Path, Suffix) + partMark + name + Suffix}
}

// Key implements [sections.Keeper].
func (p *Parts) Key() sections.Key { return p.place.Key() }

// Open implements [sections.Keeper]. A file is mapped once, and stays so: who has read from it keeps what it points to.
func (p *Parts) Open(name string) (*sections.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	file, known := p.open[name]
	if known && file == nil {
		return nil, ErrNone
	}
	if known {
		return file, nil
	}
	file, err := p.part(name).Open()
	if err != nil {
		return nil, err
	}
	p.open[name] = file
	return file, nil
}

// Discard implements [sections.Keeper].
func (p *Parts) Discard(name string) {
	p.mu.Lock()
	p.open[name] = nil
	p.mu.Unlock()
	p.part(name).Discard()
}

// Keep implements [sections.Keeper].
func (p *Parts) Keep(name string, write func(ctx context.Context, w io.Writer) error) {
	if p.ctx.Err() != nil {
		return
	}
	p.writing.Go(func() {
		err := p.part(name).write(func(w io.Writer) error { return write(p.ctx, w) })
		p.mu.Lock()
		defer p.mu.Unlock()
		if err == nil {
			delete(p.open, name) // the old one
		} else if p.failed == nil && p.ctx.Err() == nil {
			p.failed = err
		}
	})
}

// Wait returns when what was asked to be kept is written, and why something was not.
func (p *Parts) Wait() error {
	p.writing.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// Stop ends writing: what is not complete is left out.
func (p *Parts) Stop() { p.stop() }
