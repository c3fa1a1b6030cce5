package group

import (
	"sync"

	"github.com/memtui/memtui/analysis"
)

// GridCache keeps the last grid of all blocks, since it takes reading all events of its range.
type GridCache struct {
	mu     sync.Mutex
	events int // number of events of the index
	lo, hi int // range of the grid
	grid   *analysis.Grid
}

// Get returns a copy of the grid of events [lo, hi), or nil.
func (c *GridCache) Get(events, lo, hi int) *analysis.Grid {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.grid == nil || c.events != events || c.lo != lo || c.hi != hi {
		return nil
	}
	g := *c.grid
	return &g
}

// Put keeps the grid of events [lo, hi).
func (c *GridCache) Put(events, lo, hi int, g analysis.Grid) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events, c.lo, c.hi, c.grid = events, lo, hi, &g
}
