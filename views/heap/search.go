package heap

import (
	"math"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// search is how far objects are looked through.
type search struct{ done atomic.Uint64 } // bits of a share

// begin returns what notes how far it is, from nothing on.
func (s *search) begin() func(done float64) {
	s.done.Store(0)
	return func(done float64) { s.done.Store(math.Float64bits(done)) }
}

// text says how far it is ("40 %"), "" before there is anything to say.
func (s *search) text() string {
	if done := math.Float64frombits(s.done.Load()); done > 0 {
		return model.Share(done).Done()
	}
	return ""
}
