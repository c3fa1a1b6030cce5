package heapgraph

import (
	"context"

	"github.com/memtui/memtui/model"
)

// Holding knows which references of a snapshot keep their targets alive under a policy.
type Holding interface {
	// Of returns that for each reference of a row, in the file's order. The list is appended to list[:0].
	Of(r model.Row, list []bool) []bool
}

// NewHolding finds the references that keep memory alive: those that the policy follows. Unless the policy is Lost, those
// from an unreachable row to a reachable one do not.
func NewHolding(ctx context.Context, h *model.Heap, p Policy) (Holding, error) {
	if err := checkHeap(h); err != nil {
		return nil, err
	}
	if wideHeap(h) {
		return newHolding[uint64](ctx, h, p)
	}
	return newHolding[uint32](ctx, h, p)
}

// holding has the rows that the root reaches, nil for a policy that is Lost.
type holding[I index] struct {
	*core[I]
	reached rowBits
}

func newHolding[I index](ctx context.Context, h *model.Heap, p Policy) (Holding, error) {
	c, err := newCore[I](ctx, h, p, &shared{}, pathRowBytes, 0, "following references")
	if err != nil {
		return nil, err
	}
	scratch := make([]I, h.Len())
	if err := c.leaveOut(ctx, scratch); err != nil {
		return nil, err
	}
	x := &holding[I]{core: c}
	if !c.policy.Lost {
		x.reached = newRowBits(h.Len())
		err = c.flood(ctx, scratch, x.reached, nil, 0)
	}
	return x, err
}

// Of implements [Holding].
func (x *holding[I]) Of(r model.Row, list []bool) []bool {
	list = list[:0]
	first, end := uint64(x.start[r]), uint64(x.start[r+1])
	garbage := x.reached != nil && !x.reached.has(uint64(r))
	for e := first; e < end; e++ {
		list = append(list, !garbage || !x.reached.has(uint64(x.to[e])))
	}
	if x.cut == nil || !x.cut.set.has(uint64(r)) {
		return list
	}
	left := map[I]int{} // how often a target is followed through references that the policy leaves out
	for _, t := range x.cut.out(I(r)) {
		left[t]++
	}
	for e := first; e < end; e++ {
		if !x.skips(uint64(r), e) {
			left[x.to[e]]--
		}
	}
	for e := first; e < end; e++ {
		if x.skips(uint64(r), e) && left[x.to[e]] <= 0 {
			list[e-first] = false
		}
	}
	return list
}
