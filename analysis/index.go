package analysis

import (
	"errors"
	"math"
	"math/bits"

	"github.com/memtui/memtui/model"
)

const (
	alive     = math.MaxUint32
	maxEvents = math.MaxUint32 - 1
)

type mark struct {
	event uint32
	gc    bool
	id    uint64 // marker: name id; GC: objects
	bytes uint64 // GC
}

var (
	errBudget = errors.New("the memory budget is used up")
	errEvents = errors.New("more than 4,294,967,294 events")
)

// with is the status of an index that has come so far; p may be nil.
func (s Status) with(t *Totals, duration model.Time, stacks int, p *model.Profile) Status {
	s.Events, s.Duration, s.Stacks, s.FreesNever = t.Events, duration, stacks, t.FreedCount == 0
	s.Revision = s.Events << 8
	if s.Final {
		s.Revision++
	}
	if p != nil {
		s.Revision += uint64(p.Revision) << 1
	}
	return s
}

// sizeClass is the bit length of a size: class b holds 2^(b-1) … 2^b-1, class 0 the size 0.
func sizeClass(size uint64) uint32 { return uint32(bits.Len64(size)) }
