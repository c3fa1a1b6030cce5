package indexcache

import "io"

// behindSize is how much a [behind] collects before it is written.
const behindSize = 256 << 10

// behind writes to another writer on a goroutine of its own, so that whoever makes the bytes waits little. An error may be told
// by a later call than that whose bytes it lost, and is told by all that follow. It must be closed.
type behind struct {
	part  []byte
	full  chan []byte
	empty chan writtenPart
}

// writtenPart is a part to be used again.
type writtenPart struct {
	part []byte
	err  error // of this part or one before
}

func newBehind(w io.Writer) *behind {
	b := &behind{part: make([]byte, 0, behindSize), full: make(chan []byte), empty: make(chan writtenPart, 1)}
	b.empty <- writtenPart{part: make([]byte, 0, behindSize)}
	go func() {
		defer close(b.empty)
		var err error
		for part := range b.full {
			if err == nil {
				_, err = w.Write(part)
			}
			b.empty <- writtenPart{part[:0], err}
		}
	}()
	return b
}

// Write implements [io.Writer].
func (b *behind) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		room := min(cap(b.part)-len(b.part), len(p)-n)
		b.part = append(b.part, p[n:n+room]...)
		n += room
		if len(b.part) == cap(b.part) {
			b.full <- b.part
			last := <-b.empty
			b.part, err = last.part, last.err
		}
	}
	return n, err
}

// Close writes the rest.
func (b *behind) Close() (err error) {
	b.full <- b.part
	close(b.full)
	for last := range b.empty {
		err = last.err
	}
	return err
}
