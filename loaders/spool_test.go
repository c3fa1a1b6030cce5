package loaders

import (
	"io"
	"testing"

	"github.com/memtui/memtui/model"
)

// panicking is an input that has a defect behind its first bytes.
type panicking struct{ read bool }

func (p *panicking) Read(b []byte) (int, error) {
	if p.read {
		panic("a mistake")
	}
	p.read = true
	return copy(b, "some bytes that no compression begins with"), nil
}

// A defect in reading a stream ends it, and is not taken for damage.
func TestDefectInStream(t *testing.T) {
	s := startSpool(t.Context(), func() (io.Reader, error) { return &panicking{}, nil })
	<-s.opened
	s.mu.Lock()
	for !s.done {
		s.arrived.Wait()
	}
	s.mu.Unlock()
	p := s.problems()
	if len(p) != 1 || p[0].Code != model.CodeInternal || p[0].Message != "internal error, a defect in memtui: a mistake" {
		t.Errorf("%+v", p)
	}
}
