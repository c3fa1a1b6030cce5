package verdict

import (
	"math"
	"math/bits"
	"sort"

	"github.com/memtui/memtui/model"
)

// Windows is the number of parts, with equal numbers of allocations, that a run is divided into.
const Windows = 64

// Block is a block that lived long enough to matter. Events are counted from the start of the trace.
type Block struct {
	Size           uint64
	Born, Died     uint32 // events; Died is past the end of the run for a live block
	BornAt, DiedAt model.Time
}

// Evidence is what is known about the blocks of one site at the end of the run.
type Evidence struct {
	*sums
	dates *[Windows + 1]model.Time // see Gatherer
}

// sums are the figures of one site. There is no pointer among them: many sites have many of them, which are never scanned.
type sums struct {
	born, freed     uint64 // all its blocks; Born-Freed are live at the end of the run
	live, liveBytes uint64

	births [Windows]uint32 // survivors by the window of their birth
	ages   [Windows]uint32 // freed blocks by lifetime in windows, from one window up
	count  [Windows]int32  // change of the level in each window, in blocks that outlive one window
	bytes  [Windows]int64

	first, last model.Time // births of survivors
	longest     model.Time // lifetime of a freed block
	chain       chain
}

// chain follows a block that is replaced by larger ones. Positions are those of births, in windows.
type chain struct {
	links        uint64  // number of replacements
	size, was    uint64  // of the last block, and of the one before
	least        uint64  // of the first
	begun, grown float64 // positions of the first and of the last block
	died         uint32  // event that ended the last one
	lives        bool    // the last one is live at the end of the run
	doubled      [3]mark // the latest replacements of blocks at least twice as large as at the one before
}

// mark is a replacement of a block: where it was too small.
type mark struct {
	at   float64
	full uint64 // size of the block
}

// replaceWithin is the largest distance in events between the birth of a larger block and the end of the one it
// replaces: their contents may be copied element by element in between.
const replaceWithin = 1 << 10

// Gatherer sums up blocks by site. Blocks of one site must come in order of birth.
type Gatherer struct {
	edges [Windows + 1]uint32      // events before each window, and before the end of the run
	cells [windowCells]uint8       // windows of the first events of cells of equally many events each
	shift int                      // events of a cell, as a power of two
	dates *[Windows + 1]model.Time // when windows begin, and when the run ends; nil if they are equally long
	short model.Time               // upper bound of the lifetimes of blocks that are left out
	sites []sums
}

// Date sets when each window begins, and when the run ends. Without it, windows are taken to be equally long.
func (g *Gatherer) Date(windows [Windows + 1]model.Time) { g.dates = &windows }

// windowCells is large enough that a cell rarely has events of more than two windows.
const windowCells = 1 << 10

// SiteBytes is about how much memory a Gatherer takes per site.
const SiteBytes = 1472

// NewGatherer returns a Gatherer for a number of sites. edges are the numbers of events before each window, and before
// the end of the run. Blocks that lived shorter than about a window may be left out; none of those lived longer than
// short.
func NewGatherer(edges [Windows + 1]uint32, short model.Time, sites int) *Gatherer {
	g := &Gatherer{edges: edges, short: short, sites: make([]sums, sites)}
	clear(g.sites) // a fresh page that is read before it is written faults twice
	g.shift = max(bits.Len32(edges[Windows])-bits.Len(windowCells-1), 0)
	for i := range g.cells {
		g.cells[i] = uint8(g.search(uint32(i) << g.shift))
	}
	return g
}

// window returns the window of an event, Windows if it is after the run.
func (g *Gatherer) window(event uint32) int {
	if event >= g.edges[Windows] {
		return Windows
	}
	w := int(g.cells[event>>g.shift])
	for g.edges[w+1] <= event {
		w++
	}
	return w
}

// search is window without cells.
func (g *Gatherer) search(event uint32) int {
	return sort.Search(Windows, func(w int) bool { return g.edges[w+1] > event })
}

// Add adds a block of a site.
func (g *Gatherer) Add(site int, b *Block) {
	born := g.window(b.Born)
	if born == Windows {
		return
	}
	e := &g.sites[site]
	died := g.window(b.Died)
	if e.chain.grows(b) {
		e.chain.add(b, g.position(born, b.Born), died == Windows)
	}
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

// position returns where an event is in the run, in windows.
func (g *Gatherer) position(window int, event uint32) float64 {
	from, to := g.edges[window], g.edges[window+1]
	return float64(window) + float64(event-from)/float64(to-from)
}

// grows reports whether a block is larger than the current one: a smaller one is in addition to that.
func (c *chain) grows(b *Block) bool { return c.size == 0 || b.Size > c.size }

// add adds the next block of the site, which grows.
func (c *chain) add(b *Block, at float64, lives bool) {
	if c.size == 0 || !c.replacedBy(b) {
		*c = chain{least: b.Size, begun: at}
	} else if c.links++; c.size/2 >= c.doubled[2].full {
		c.doubled = [3]mark{c.doubled[1], c.doubled[2], {at, c.size}}
	}
	c.was, c.size, c.died, c.lives, c.grown = c.size, b.Size, b.Died, lives, at
}

// paces returns by how many bytes per window the contents grew until the last block was allocated: since they were half
// as large, and before. Of the time before, it is the slower of the pace while they doubled and that from the beginning:
// what was loaded at the start says nothing about the run. The pace is 0 if the block never doubled.
func (c *chain) paces() (last, before float64) {
	to := c.doubled[:]
	if to[2].full > c.was/2 {
		to = to[:2]
	}
	half, quarter := to[len(to)-1], to[len(to)-2]
	if half.full == 0 {
		return 0, 0
	}
	if quarter.full == 0 {
		quarter.at = c.begun
	}
	pace := func(bytes uint64, windows float64) float64 { return float64(bytes) / math.Max(windows, 1.0/Windows) }
	return pace(c.was-half.full, c.grown-half.at),
		math.Min(pace(half.full-quarter.full, half.at-quarter.at), pace(half.full, half.at-c.begun))
}

// replacedBy reports whether the last block ended when b was allocated, or shortly before or after.
func (c *chain) replacedBy(b *Block) bool {
	return uint64(c.died) <= uint64(b.Born)+replaceWithin && uint64(b.Born) <= uint64(c.died)+replaceWithin
}

// Site returns the evidence of a site, completed with sums that include the blocks that were left out.
func (g *Gatherer) Site(site int, born, freed, bytes uint64) *Evidence {
	e := &Evidence{&g.sites[site], g.dates}
	e.born, e.freed, e.live, e.liveBytes = born, freed, born-min(freed, born), bytes
	if e.freed > 0 {
		e.longest = max(e.longest, g.short)
	}
	return e
}
