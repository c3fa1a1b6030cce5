package indexcache

import (
	"bytes"
	"errors"
	"testing"
)

// limited is a writer that fails behind some bytes.
type limited struct {
	bytes.Buffer
	room int
}

var errFull = errors.New("no space left")

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.room {
		return 0, errFull
	}
	return l.Buffer.Write(p)
}

func TestBehind(t *testing.T) {
	all := make([]byte, 5*behindSize/2)
	for i := range all {
		all[i] = byte(i * i >> 7)
	}
	for _, n := range []int{0, 1, behindSize - 1, behindSize, behindSize + 1, 2 * behindSize, len(all)} {
		for _, step := range []int{997, behindSize / 2, len(all)} {
			to := &limited{room: len(all)}
			b := newBehind(to)
			for rest := all[:n]; len(rest) > 0; {
				k := min(step, len(rest))
				if m, err := b.Write(rest[:k]); m != k || err != nil {
					t.Fatal(m, err)
				}
				rest = rest[k:]
			}
			if err := b.Close(); err != nil || !bytes.Equal(to.Bytes(), all[:n]) {
				t.Errorf("%d bytes in steps of %d: %d arrive, %v", n, step, to.Len(), err)
			}
		}
	}
}

func TestBehindFails(t *testing.T) {
	for _, room := range []int{0, behindSize, 2 * behindSize} {
		b := newBehind(&limited{room: room})
		var err error
		for range 5 * behindSize / 1000 {
			if _, err = b.Write(make([]byte, 1000)); err != nil {
				break
			}
		}
		if !errors.Is(err, errFull) {
			t.Errorf("with room for %d: %v", room, err)
		}
		if err := b.Close(); !errors.Is(err, errFull) {
			t.Errorf("with room for %d, in the end: %v", room, err)
		}
	}
	b := newBehind(&limited{room: 10})
	if _, err := b.Write(make([]byte, 11)); err != nil {
		t.Error("before it is written:", err)
	}
	if err := b.Close(); !errors.Is(err, errFull) {
		t.Error(err)
	}
}
