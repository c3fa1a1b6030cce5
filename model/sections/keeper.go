package sections

import (
	"context"
	"io"
	"time"
)

// Keeper keeps files of what was made of one input between runs. Any goroutine may use it.
type Keeper interface {
	// Open returns the file of a name, mapped as long as the program runs. An error says why there is none.
	Open(name string) (*File, error)
	// Key is that of the input as it is now.
	Key() Key
	// Keep has a file written in the background. write may be called after Keep has returned, by another goroutine, or
	// never. What it reads must not change.
	Keep(name string, write func(ctx context.Context, w io.Writer) error)
	// Discard says that the file of a name must not be opened again.
	Discard(name string)
}

// Files of more than so many bytes are not verified completely before they are used, which would take time in
// proportion to their size: only sections of at most smallSection bytes are, and a few blocks of each of the others.
// The rest follows.
const (
	largeFile    = 32 << 20
	smallSection = 1 << 20
)

// verifyAfter is how long after a large file was opened the rest of it is verified: a command has ended by then.
const verifyAfter = time.Second

// Restore takes what list moves out of the file of a name. A small file is verified before, of a large one the rest
// later. It returns nil where there is none, or one of another state or program. One that is damaged is discarded;
// where that is found later, what is returned tells it.
func (f Format) Restore(ctx context.Context, k Keeper, name string, layout []byte, list func(*Codec)) *Sums {
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
		time.AfterFunc(verifyAfter, func() { c.Sums.verifyRest(func() { k.Discard(name) }) })
	}
	return c.Sums
}

// verifyRest verifies what was not yet, one block after the other, and calls discard where it is damaged.
func (s *Sums) verifyRest(discard func()) {
	ctx := context.Background()
	if err := s.Verify(ctx, s.data); err != nil {
		s.broken.Store(true)
		discard()
		return
	}
	s.all.Store(true)
}

// Broken reports whether damage was found after the file had been taken into use.
func (s *Sums) Broken() bool { return s != nil && s.broken.Load() }

// Keep has what list moves written to the file of a name, in the background: list may be called after Keep has
// returned.
func (f Format) Keep(k Keeper, name string, list func(*Codec)) {
	k.Keep(name, func(ctx context.Context, w io.Writer) error { return f.Write(ctx, w, k.Key(), list) })
}

// Named are the files of a keeper whose names begin alike.
type Named struct {
	Keeper
	Prefix string
}

// Open implements [Keeper].
func (n *Named) Open(name string) (*File, error) { return n.Keeper.Open(n.Prefix + "-" + name) }

// Keep implements [Keeper].
func (n *Named) Keep(name string, write func(ctx context.Context, w io.Writer) error) {
	n.Keeper.Keep(n.Prefix+"-"+name, write)
}

// Discard implements [Keeper].
func (n *Named) Discard(name string) { n.Keeper.Discard(n.Prefix + "-" + name) }
