package sections

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"
)

// Cache stores files of data computed from one input between runs. Any goroutine may use it.
type Cache interface {
	// Open returns the file of a name, mapped as long as the program runs. The error states why there is none.
	Open(name string) (*File, error)
	// Key identifies the current state of the input.
	Key() Key
	// Keep has a file written in the background. write may be called after Keep has returned, by another goroutine, or
	// never. The data it reads must not change.
	Keep(name string, write func(ctx context.Context, w io.Writer) error)
	// Write writes a file before it returns. The error states why it was not written.
	Write(ctx context.Context, name string, write func(ctx context.Context, w io.Writer) error) error
	// Discard marks a file as not to be opened again.
	Discard(name string)
}

// Larger files are not verified completely before they are used, which would take time in proportion to their size:
// only sections of at most smallSection bytes are, and a few blocks of each of the others. The rest is verified later.
const (
	largeFile    = 32 << 20
	smallSection = 1 << 20
)

// verifyAfter is the delay until the rest of a large file is verified: a command has ended by then.
const verifyAfter = time.Second

// Restore reads the sections of list from a file. A small file is verified first, most of a large one later. It returns
// nil if there is none, or one of another state or program. A damaged one is discarded; damage found later is reported
// by the result.
func (f Format) Restore(ctx context.Context, k Cache, name string, layout []byte, list func(*Codec)) *Sums {
	if k == nil {
		return nil
	}
	file, err := k.Open(name)
	if err != nil {
		return nil
	}
	c, err := f.Open(ctx, file, k.Key(), layout)
	if err == nil {
		if c.spot = len(file.Data) > largeFile; !c.spot {
			err = c.Sums.VerifyAll(ctx)
		}
	}
	if err == nil {
		list(c)
		err = c.Done()
	}
	if err != nil {
		if ctx.Err() == nil {
			k.Discard(name)
		}
		return nil
	}
	if c.spot {
		c.Sums.discard = func() { k.Discard(name) }
		uses := UsesOf(ctx)
		uses.add(c.Sums)
		time.AfterFunc(verifyAfter, func() {
			if c.Sums.verifyRest(context.Background()) != nil {
				uses.signal()
			}
		})
	}
	return c.Sums
}

// verifyRest verifies what was not yet, and discards a damaged file. It fails where ctx ends and where the file is
// damaged.
func (s *Sums) verifyRest(ctx context.Context) error {
	s.rest.Lock()
	defer s.rest.Unlock()
	if s.Broken() {
		return Damaged("a checksum is wrong")
	}
	if s.Verified() {
		return nil
	}
	err := s.VerifyAll(ctx)
	if err != nil && ctx.Err() == nil {
		s.broken.Store(true)
		s.discard()
	}
	return err
}

// Broken reports whether damage was found after the file was opened.
func (s *Sums) Broken() bool { return s != nil && s.broken.Load() }

// Uses are the large files that were taken into use before all of them was verified: what is made of one that turns out
// to be damaged is wrong. Any goroutine may use it; nil notes nothing.
type Uses struct {
	mu      sync.Mutex
	list    []*Sums
	damaged chan struct{}
}

type usesKey struct{}

// In returns a context under which [Format.Restore] notes what it takes into use.
func (u *Uses) In(ctx context.Context) context.Context { return context.WithValue(ctx, usesKey{}, u) }

// UsesOf returns what notes the files that are taken into use under a context, nil for nothing.
func UsesOf(ctx context.Context) *Uses {
	u, _ := ctx.Value(usesKey{}).(*Uses)
	return u
}

func (u *Uses) add(s *Sums) {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = append(u.list, s)
}

// Verify verifies what was taken into use so far, and forgets it. It fails where ctx ends and where a file is damaged:
// that was discarded then.
func (u *Uses) Verify(ctx context.Context) error {
	u.mu.Lock()
	list := u.list
	u.list = nil
	u.mu.Unlock()
	var errs []error
	for _, s := range list {
		errs = append(errs, s.verifyRest(ctx))
	}
	return errors.Join(errs...)
}

// Distrust verifies what was taken into use, as a panic may come from it. It fails where a file is damaged, which was
// discarded then, and closes the channel of [Uses.Damaged].
func (u *Uses) Distrust() error {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	list := slices.Clone(u.list)
	u.mu.Unlock()
	var errs []error
	for _, s := range list {
		errs = append(errs, s.verifyRest(context.Background()))
	}
	err := errors.Join(errs...)
	if err != nil {
		u.signal()
	}
	return err
}

// Damaged returns a channel that is closed when a file turns out to be damaged from now on. It is the only one: those
// returned before are no longer closed.
func (u *Uses) Damaged() <-chan struct{} {
	if u == nil {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.damaged = make(chan struct{})
	return u.damaged
}

// signal closes the channel.
func (u *Uses) signal() {
	if u == nil {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.damaged != nil {
		close(u.damaged)
		u.damaged = nil
	}
}

// Keep has what list moves written to the file of a name, in the background: list may be called after Keep has
// returned.
func (f Format) Keep(k Cache, name string, list func(*Codec)) {
	k.Keep(name, func(ctx context.Context, w io.Writer) error { return f.Write(ctx, w, k.Key(), list) })
}

// Store writes what list moves to the file of a name now, and then reads the sections of back from that file, which
// holds what was written and needs no verifying. It returns nil if the file could not be written or read.
func (f Format) Store(ctx context.Context, k Cache, name string, layout []byte, list, back func(*Codec)) *Sums {
	write := func(ctx context.Context, w io.Writer) error { return f.Write(ctx, w, k.Key(), list) }
	if k.Write(ctx, name, write) != nil {
		return nil
	}
	file, err := k.Open(name)
	if err != nil {
		return nil
	}
	c, err := f.Open(ctx, file, k.Key(), layout)
	if err != nil {
		return nil
	}
	c.Sums.all.Store(true)
	if back(c); c.Done() != nil {
		return nil
	}
	return c.Sums
}

// Named is a keeper that adds a prefix to names.
type Named struct {
	Cache
	Prefix string
}

// Open implements [Cache].
func (n *Named) Open(name string) (*File, error) { return n.Cache.Open(n.Prefix + "-" + name) }

// Keep implements [Cache].
func (n *Named) Keep(name string, write func(ctx context.Context, w io.Writer) error) {
	n.Cache.Keep(n.Prefix+"-"+name, write)
}

// Write implements [Cache].
func (n *Named) Write(ctx context.Context, name string, write func(ctx context.Context, w io.Writer) error) error {
	return n.Cache.Write(ctx, n.Prefix+"-"+name, write)
}

// Discard implements [Cache].
func (n *Named) Discard(name string) { n.Cache.Discard(n.Prefix + "-" + name) }
