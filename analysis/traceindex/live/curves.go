package live

import (
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis"
)

// Curves caches the last few curves. The zero value is empty.
type Curves struct {
	mu   sync.Mutex
	kept [4]keptCurve
	next int
}

type keptCurve struct {
	key  CurveKey
	cols []analysis.Column
}

// CurveKey determines a curve.
type CurveKey struct {
	Range  analysis.Range
	N      int // columns
	Events int // of the index
	Exact  bool
}

// Get returns a copy of a cached curve, or nil.
func (c *Curves) Get(key CurveKey) []analysis.Column {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.kept {
		if k := &c.kept[i]; len(k.cols) > 0 && k.key == key {
			return slices.Clone(k.cols)
		}
	}
	return nil
}

// Put caches a copy of a curve.
func (c *Curves) Put(key CurveKey, cols []analysis.Column) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[c.next] = keptCurve{key, append(c.kept[c.next].cols[:0], cols...)}
	c.next = (c.next + 1) % len(c.kept)
}
