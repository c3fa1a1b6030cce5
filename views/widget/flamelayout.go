package widget

import "math/bits"

// flameCell is one drawn frame, or several merged ones.
type flameCell struct {
	id     uint64
	x, w   int32 // cells from the left edge
	parent int32 // index on the level above, -1 for the first
	more   int32 // number of merged frames, 0 for a single one
}

// flameLayout holds the levels laid out so far, from the shown ancestors of the zoomed node down.
type flameLayout struct {
	width  int
	first  int // level of the zoomed node: the number of ancestors shown
	cells  []flameCell
	starts []int // first cell of every level
	done   bool  // there are no more levels
}

// start lays out the zoomed node and its nearest ancestors over w cells.
func (l *flameLayout) start(src FlameSource, zoom uint64, w int) {
	*l = flameLayout{width: w, cells: l.cells[:0], starts: l.starts[:0]}
	var above []uint64
	for id := zoom; len(above) < maxAncestors; {
		p, ok := src.Parent(id)
		if !ok {
			break
		}
		above = append(above, p)
		id = p
	}
	l.first = len(above)
	for i := range above {
		l.full(above[len(above)-1-i])
	}
	l.full(zoom)
}

// full adds a level of one frame that has the whole width.
func (l *flameLayout) full(id uint64) {
	parent := int32(0)
	if len(l.starts) == 0 {
		parent = -1
	}
	l.starts = append(l.starts, len(l.cells))
	l.cells = append(l.cells, flameCell{id: id, w: int32(l.width), parent: parent})
}

// level returns the frames of a level from left to right, none where nothing is laid out.
func (l *flameLayout) level(i int) []flameCell {
	switch {
	case i < 0 || i >= len(l.starts):
		return nil
	case i == len(l.starts)-1:
		return l.cells[l.starts[i]:]
	}
	return l.cells[l.starts[i]:l.starts[i+1]]
}

// extend lays out levels up to and with last.
func (l *flameLayout) extend(src FlameSource, last int) {
	for !l.done && len(l.starts) > 0 && len(l.starts) <= last {
		from, to := l.starts[len(l.starts)-1], len(l.cells)
		for i := from; i < to; i++ {
			if l.cells[i].more == 0 {
				l.children(src, l.cells[i], int32(i-from))
			}
		}
		if len(l.cells) == to {
			l.done = true
			return
		}
		l.starts = append(l.starts, to)
	}
}

// children lays out what is below p, the frame with index parent on its level.
func (l *flameLayout) children(src FlameSource, p flameCell, parent int32) {
	ids := src.Children(p.id)
	if len(ids) == 0 {
		return
	}
	whole, sum := src.Value(p.id), uint64(0)
	for _, id := range ids {
		sum = addSaturating(sum, src.Value(id))
	}
	whole = max(whole, sum)
	if whole == 0 {
		return
	}
	w := uint64(p.w)
	before, x := uint64(0), int32(0)
	for i, id := range ids {
		before = addSaturating(before, src.Value(id))
		end := int32(mulDiv(before, w, whole))
		if end == x {
			if end = int32(mulDiv(sum, w, whole)); end > x {
				l.cells = append(l.cells, flameCell{0, p.x + x, end - x, parent, int32(len(ids) - i)})
			}
			return
		}
		l.cells = append(l.cells, flameCell{id, p.x + x, end - x, parent, 0})
		x = end
	}
}

func addSaturating(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return ^uint64(0)
	}
	return sum
}
