package traceindex

import (
	"errors"
	"math"
	"math/bits"
)

const (
	alive     = math.MaxUint32
	maxEvents = math.MaxUint32 - 1 // limit on all counts of events and blocks
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
	errBlocks = errors.New("more than 2,147,483,646 blocks that live for long")
)

// sizeClass returns the bit length of a size: class b holds 2^(b-1) … 2^b-1, class 0 the size 0.
func sizeClass(size uint64) uint32 { return uint32(bits.Len64(size)) }
