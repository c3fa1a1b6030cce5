package group

import (
	"sync"

	"github.com/memtui/memtui/analysis"
)

// cellPeaks caches the peaks of every group for the last range and cell. The zero value is empty.
type cellPeaks struct {
	mu   sync.Mutex
	kept [analysis.GroupCount]groupPeaks
}

// groupPeaks are the peaks of a group. Read-only once made.
type groupPeaks struct {
	key  CellPeaksKey
	fold *Fold
	peak []uint64 // by key
}

// CellPeaksKey determines the peaks of groups within a scope and a range of events.
type CellPeaksKey struct {
	By     analysis.Group
	In     Scope
	Lo, Hi int // events
	Keys   int
}

// Get returns the peaks by key, or nil if they are not cached.
func (c *cellPeaks) Get(key CellPeaksKey, f *Fold) []uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := &c.kept[key.By]; k.key == key && k.fold == f {
		return k.peak
	}
	return nil
}

// Put caches peaks in place of those of another range or cell.
func (c *cellPeaks) Put(key CellPeaksKey, f *Fold, peak []uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept[key.By] = groupPeaks{key, f, peak}
}
