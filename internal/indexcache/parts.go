package indexcache

import (
	"context"
	"io"
	"strings"
	"sync"

	"github.com/memtui/memtui/model/sections"
)

// Parts stores several files of one input, each under its own name. It implements [sections.Cache].
type Parts struct {
	place *Place

	writing sync.WaitGroup
	stop    context.CancelFunc
	ctx     context.Context

	mu     sync.Mutex
	open   map[string]*sections.File // nil for discarded ones
	own    map[string]bool           // those that this run wrote
	failed error                     // why the first one that failed was not written
}

// NewParts returns the files stored next to the index of an input. Writing them ends with ctx.
func NewParts(ctx context.Context, place *Place) *Parts {
	p := &Parts{place: place, open: map[string]*sections.File{}, own: map[string]bool{}}
	p.ctx, p.stop = context.WithCancel(ctx)
	return p
}

// partMark separates the names of the input and the part in a file name.
const partMark = ".part-"

// part returns the place of the file of a name. anew says that files of earlier runs are not read.
func (p *Parts) part(name string, anew bool) *Place {
	k := p.place
	return &Place{src: k.src, NextToInput: k.NextToInput, anew: anew, Path: strings.TrimSuffix(k.Path, Suffix) + partMark + name + Suffix}
}

// Key implements [sections.Cache].
func (p *Parts) Key() sections.Key { return p.place.Key() }

// Open implements [sections.Cache]. A file is mapped once, and stays mapped: its readers keep pointers into it.
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
	file, err := p.part(name, p.place.anew && !p.own[name]).Open()
	if err != nil {
		return nil, err
	}
	p.open[name] = file
	return file, nil
}

// Discard implements [sections.Cache].
func (p *Parts) Discard(name string) {
	p.mu.Lock()
	p.open[name] = nil
	p.mu.Unlock()
	p.part(name, p.place.anew).Discard()
}

// Keep implements [sections.Cache].
func (p *Parts) Keep(name string, write func(ctx context.Context, w io.Writer) error) {
	if p.ctx.Err() != nil {
		return
	}
	p.writing.Go(func() { _ = p.Write(p.ctx, name, write) }) // Wait returns the error
}

// Write implements [sections.Cache].
func (p *Parts) Write(ctx context.Context, name string, write func(ctx context.Context, w io.Writer) error) error {
	err := p.part(name, p.place.anew).write(func(w io.Writer) error { return write(ctx, w) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		delete(p.open, name) // the old one
		p.own[name] = true
	} else if p.failed == nil && ctx.Err() == nil {
		p.failed = err
	}
	return err
}

// Wait waits until all requested files are written, and returns why one was not.
func (p *Parts) Wait() error {
	p.writing.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// Stop ends writing: incomplete files are left out.
func (p *Parts) Stop() { p.stop() }
