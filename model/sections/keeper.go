package sections

import (
	"context"
	"io"
	"time"
)

// Keeper stores files of data computed from one input between runs. Any goroutine may use it.
type Keeper interface {
	// Open returns the file of a name, mapped as long as the program runs. The error states why there is none.
	Open(name string) (*File, error)
	// Key identifies the current state of the input.
	Key() Key
	// Keep has a file written in the background. write may be called after Keep has returned, by another goroutine, or
	// never. The data it reads must not change.
	Keep(name string, write func(ctx context.Context, w io.Writer) error)
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

// verifyRest verifies the remaining blocks, one by one, and calls discard if one is damaged.
func (s *Sums) verifyRest(discard func()) {
	ctx := context.Background()
	if err := s.Verify(ctx, s.data); err != nil {
		s.broken.Store(true)
		discard()
		return
	}
	s.all.Store(true)
}

// Broken reports whether damage was found after the file was opened.
func (s *Sums) Broken() bool { return s != nil && s.broken.Load() }

// Keep writes the sections of list to a file in the background: list may be called after Keep has returned.
func (f Format) Keep(k Keeper, name string, list func(*Codec)) {
	k.Keep(name, func(ctx context.Context, w io.Writer) error { return f.Write(ctx, w, k.Key(), list) })
}

// Named is a keeper that adds a prefix to names.
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
