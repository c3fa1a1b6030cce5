package verdict

import "github.com/memtui/memtui/model"

// Windows is how many parts of equal numbers of allocations a run has.
const Windows = 64

// Block is a block that lived for long enough to matter. Events are counted from the start of the trace.
type Block struct {
	Size           uint64
	Born, Died     uint32 // events; Died is beyond the run for one that lives
	BornAt, DiedAt model.Time
}

// Evidence is what the blocks of one site tell, up to the end of the run.
type Evidence struct {
	Born, Freed uint64 // all its blocks; the others live at the end of the run
	Live, Bytes uint64

	births [Windows]uint32 // survivors by the window of their birth
	ages   [Windows]uint32 // freed blocks by lifetime in windows; none that lived less than one
	count  [Windows]int32  // how the level changes in each window, by blocks that outlive one
	bytes  [Windows]int64

	first, last model.Time // births of survivors
	longest     model.Time // lifetime of a freed block
	chain       chain
}

// chain follows a block that is replaced by larger ones.
type chain struct {
	links     uint64    // how often it was
	size, was uint64    // of the last block, and of the one before
	least     uint64    // of the first
	born      [2]uint32 // windows of the births of the block before and of the last
	died      uint32    // event that ends the last one
	lives     bool      // the last one, at the end of the run
}

// replaceWithin is how many events apart the birth of a larger block and the end of the one that it replaces are at
// most: what is moved in between may be copied one by one.
const replaceWithin = 1 << 10

// Gatherer sums up blocks by site. Blocks of one site come in the order of birth.
type Gatherer struct {
	edges [Windows + 1]uint32 // events before each window, and before the end of the run
	short model.Time          // an upper bound of the lifetimes of blocks that are left out
	sites []Evidence
}

// SiteBytes is how much memory a Gatherer takes for a site, about.
const SiteBytes = 1408

// NewGatherer returns one for a number of sites. edges are the numbers of events before each window, and before the end
// of the run. Blocks that lived shorter than about a window may be left out; none of them lived longer than short.
func NewGatherer(edges [Windows + 1]uint32, short model.Time, sites int) *Gatherer {
	return &Gatherer{edges: edges, short: short, sites: make([]Evidence, sites)}
}

// window returns the window of an event, Windows for one after the run.
func (g *Gatherer) window(event uint32) int {
	lo, hi := 0, Windows+1
	for lo+1 < hi {
		if mid := (lo + hi) / 2; g.edges[mid] <= event {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// Add takes a block of a site.
func (g *Gatherer) Add(site int, b *Block) {
	born := g.window(b.Born)
	if born == Windows {
		return
	}
	e := &g.sites[site]
	died := g.window(b.Died)
	e.chain.add(b, uint32(born), died == Windows)
	if died == Windows {
		if e.last == 0 && e.first == 0 {
			e.first = b.BornAt
		}
		e.last = max(e.last, b.BornAt)
		e.births[born]++
	} else {
		e.longest = max(e.longest, b.DiedAt-b.BornAt)
		if died == born {
			return
		}
		e.ages[died-born]++
		e.count[died]--
		e.bytes[died] -= int64(b.Size)
	}
	e.count[born]++
	e.bytes[born] += int64(b.Size)
}

// add takes the next block of a site.
func (c *chain) add(b *Block, window uint32, lives bool) {
	switch {
	case c.size == 0 || b.Size > c.size && !c.replacedBy(b):
		*c = chain{least: b.Size}
	case b.Size > c.size:
		c.links++
	default:
		return // a smaller one beside it
	}
	c.was, c.size, c.died, c.lives = c.size, b.Size, b.Died, lives
	c.born = [2]uint32{c.born[1], window}
}

// replacedBy reports whether the last block ended when b was born, or soon before or after.
func (c *chain) replacedBy(b *Block) bool {
	return uint64(c.died) <= uint64(b.Born)+replaceWithin && uint64(b.Born) <= uint64(c.died)+replaceWithin
}

// Site completes the evidence of a site with the sums that do not depend on the blocks that were left out.
func (g *Gatherer) Site(site int, born, freed, bytes uint64) *Evidence {
	e := &g.sites[site]
	e.Born, e.Freed, e.Live, e.Bytes = born, freed, born-min(freed, born), bytes
	if e.Freed > 0 {
		e.longest = max(e.longest, g.short)
	}
	return e
}
