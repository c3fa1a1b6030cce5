package analysis

import (
	"math/bits"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// Classes of the size × lifetime grid. Both kinds are bit lengths: class 0 holds 0, class c holds 2^(c-1) … 2^c-1, of
// sizes in bytes and of lifetimes in microseconds. The last lifetime class holds the blocks that were never freed.
const (
	SizeClasses = 65
	LifeClasses = NeverFreed + 1
	NeverFreed  = 64
)

// Cell selects blocks: those in a rectangle of the size × lifetime grid, of stacks that pass a filter. The zero value
// selects all of them, and so does a zero rectangle.
type Cell struct {
	SizeFrom, SizeTo uint8 // size classes From ≤ c < To
	LifeFrom, LifeTo uint8 // lifetime classes From ≤ c < To
	Stacks           calltree.Filter
}

// Rectangle returns the cell without its filter of stacks.
func (c Cell) Rectangle() Cell {
	c.Stacks = ""
	return c
}

// IsAll reports whether every block is in the cell.
func (c Cell) IsAll() bool { return c == Cell{} }

// Has reports whether the cell's rectangle contains a size class and a lifetime class.
func (c Cell) Has(size, life int) bool {
	return c.Rectangle() == Cell{} || size >= int(c.SizeFrom) && size < int(c.SizeTo) && life >= int(c.LifeFrom) && life < int(c.LifeTo)
}

// SizeClass returns the class of a block's size.
func SizeClass(size uint64) int { return bits.Len64(size) }

// LifeClass returns the class of the block's lifetime.
func (b *Block) LifeClass() int {
	if b.Died == model.NoTime {
		return NeverFreed
	}
	return timeClass(b.Died - b.Born)
}

// timeClass returns the class of a lifetime or an age.
func timeClass(t model.Time) int { return bits.Len64(uint64(max(t, 0))) }

// ClassBounds returns the smallest and the largest value of a class other than NeverFreed.
func ClassBounds(class int) (lo, hi uint64) { return SizeBounds(uint32(class)) }

// GridQuery asks for the grid of the blocks of one group allocated in Range. Lifetimes extend to the end of the run.
type GridQuery struct {
	Range Range
	By    Group
	Key   Key
	All   bool // of every group
}

// GridCell counts the blocks of one size class and one lifetime class.
type GridCell struct{ Count, Bytes uint64 }

// Grid holds its cells by size class and lifetime class.
type Grid [SizeClasses][LifeClasses]GridCell

// Sum returns the sum of the cells in c.
func (g *Grid) Sum(c Cell) GridCell {
	var sum GridCell
	for s := range g {
		for l := range g[s] {
			if c.Has(s, l) {
				sum.Count += g[s][l].Count
				sum.Bytes, _ = model.SaturatingAdd(sum.Bytes, g[s][l].Bytes)
			}
		}
	}
	return sum
}

// Add adds another grid cell by cell.
func (g *Grid) Add(o *Grid) {
	for s := range o {
		for l, c := range o[s] {
			g[s][l].Add(c.Count, c.Bytes)
		}
	}
}

// Add adds count blocks of bytes in all.
func (c *GridCell) Add(count, bytes uint64) {
	c.Count += count
	c.Bytes, _ = model.SaturatingAdd(c.Bytes, bytes)
}
