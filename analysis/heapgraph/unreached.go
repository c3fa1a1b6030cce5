package heapgraph

import (
	"context"
	"slices"
)

// unreachedTops returns the unreachable rows that get the root as dominator, ascending: those that no other unreachable row
// refers to, and the first row of each cycle that nothing else refers to. They reach all others. queue has space for as
// many rows as are not in reached.
func (c *core[I]) unreachedTops(ctx context.Context, reached rowBits, queue []I) ([]I, error) {
	seen := slices.Clone(reached)
	var starts, tops []I // starts of floods over all rows, in their order
	for r := range c.heap.Len() {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !seen.has(uint64(r)) {
			starts = append(starts, I(r))
			if err := c.spread(ctx, queue, seen, I(r)); err != nil {
				return nil, err
			}
		}
	}
	// No flood reaches the start of a later one. So a start that no later flood reaches is referred to only by its own
	// cycle.
	copy(seen, reached)
	for i := len(starts) - 1; i >= 0; i-- {
		if !seen.has(uint64(starts[i])) {
			tops = append(tops, starts[i])
			if err := c.spread(ctx, queue, seen, starts[i]); err != nil {
				return nil, err
			}
		}
	}
	slices.Reverse(tops)
	return tops, nil
}

// spread adds to seen all rows that from reaches, itself included, without passing rows that are in it.
func (c *core[I]) spread(ctx context.Context, queue []I, seen rowBits, from I) error {
	seen.set(uint64(from))
	queue[0] = from
	for i, n := 0, 1; i < n; i++ {
		for _, t := range c.out(queue[i]) {
			if !seen.has(uint64(t)) {
				seen.set(uint64(t))
				queue[n] = t
				n++
			}
		}
		if i%pauseEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}
