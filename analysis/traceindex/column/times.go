package column

import "github.com/memtui/memtui/model"

// WideTimes is a column of times in any order: four bytes each, and four more from the first one that needs them.
type WideTimes struct{ Lo, Hi Column[uint32] }

// Room appends n zero times, or as many as are contiguous.
func (c *WideTimes) Room(n int) {
	c.Lo.Room(n)
	if c.Hi.N > 0 {
		c.widen(c.Lo.N)
	}
}

func (c *WideTimes) widen(n int) {
	for c.Hi.N < n {
		c.Hi.Append(0)
	}
}

// Set replaces the time at index i, which must be within the column.
func (c *WideTimes) Set(i int, t model.Time) {
	c.Lo.Set(i, uint32(t))
	if t>>32 != 0 || i < c.Hi.N {
		c.widen(i + 1)
		c.Hi.Set(i, uint32(t>>32))
	}
}

// At returns the time at index i, which must be within the column.
func (c *WideTimes) At(i int) model.Time {
	t := model.Time(c.Lo.At(i))
	if i < c.Hi.N {
		t |= model.Time(c.Hi.At(i)) << 32
	}
	return t
}
