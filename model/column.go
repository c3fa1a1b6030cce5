package model

import (
	"iter"
	"math"
	"slices"
)

// Column holds a number for each row or reference. It takes four bytes for each as long as all are below 2^32, which is
// nearly always so, and eight otherwise. The zero value is empty. Loops over large columns read Narrow or Wide
// directly.
type Column[N ~uint64] struct {
	Narrow []uint32
	Wide   []uint64 // instead of Narrow; nil if four bytes suffice
}

// Len returns how many numbers there are.
func (c *Column[N]) Len() int { return len(c.Narrow) + len(c.Wide) }

// At returns the number at index i.
func (c *Column[N]) At(i int) N {
	if c.Wide != nil {
		return N(c.Wide[i])
	}
	return N(c.Narrow[i])
}

// Set replaces the number at index i. Setting the first one that needs eight bytes copies the column.
func (c *Column[N]) Set(i int, n N) {
	if c.Wide == nil && n <= math.MaxUint32 {
		c.Narrow[i] = uint32(n)
		return
	}
	c.Widen()
	c.Wide[i] = uint64(n)
}

// Append adds a number. Adding the first one that needs eight bytes copies the column.
func (c *Column[N]) Append(n N) {
	if c.Wide == nil {
		if n <= math.MaxUint32 {
			c.Narrow = append(c.Narrow, uint32(n))
			return
		}
		c.Widen()
	}
	c.Wide = append(c.Wide, uint64(n))
}

// Widen converts a column to eight bytes per number.
func (c *Column[N]) Widen() {
	if c.Wide != nil {
		return
	}
	c.Wide = make([]uint64, len(c.Narrow), len(c.Narrow)+1)
	for i, n := range c.Narrow {
		c.Wide[i] = uint64(n)
	}
	c.Narrow = nil
}

// Slice returns the numbers at [from, to). They share their memory with the column.
func (c *Column[N]) Slice(from, to int) Column[N] {
	if c.Wide != nil {
		return Column[N]{Wide: c.Wide[from:to]}
	}
	return Column[N]{Narrow: c.Narrow[from:to]}
}

// Grow reserves capacity for n more numbers.
func (c *Column[N]) Grow(n int) {
	if c.Wide != nil {
		c.Wide = slices.Grow(c.Wide, n)
	} else {
		c.Narrow = slices.Grow(c.Narrow, n)
	}
}

// All iterates over the numbers and their indexes.
func (c Column[N]) All() iter.Seq2[int, N] {
	return func(yield func(int, N) bool) {
		for i, n := range c.Narrow {
			if !yield(i, N(n)) {
				return
			}
		}
		for i, n := range c.Wide {
			if !yield(i, N(n)) {
				return
			}
		}
	}
}

// Search returns the index of a number in an ascending column, or where it would be inserted, and whether it is there.
func (c *Column[N]) Search(n N) (int, bool) {
	switch {
	case c.Wide != nil:
		return slices.BinarySearch(c.Wide, uint64(n))
	case n > math.MaxUint32:
		return len(c.Narrow), false
	}
	return slices.BinarySearch(c.Narrow, uint32(n))
}

// SearchFrom returns the index of the first number not below n in an ascending column, starting at i. It is fast if
// that is near.
func (c *Column[N]) SearchFrom(i int, n N) int {
	end, step := i, 1
	for end < c.Len() && c.At(end) < n {
		i, end, step = end+1, end+step, 2*step
	}
	part := c.Slice(i, min(max(end, i), c.Len()))
	at, _ := part.Search(n)
	return i + at
}

// Bytes returns how much memory the numbers take.
func (c *Column[N]) Bytes() int64 { return 4*int64(len(c.Narrow)) + 8*int64(len(c.Wide)) }
