package widget

import "github.com/gdamore/tcell/v2"

// CellOrder is how numbered cells follow each other in a [Bitmap].
type CellOrder uint8

const (
	RowOrder     CellOrder = iota // as text is read
	HilbertOrder                  // along Hilbert curves: cells with near numbers are near each other
	MortonOrder                   // along Z curves
	CellOrders
)

func (o CellOrder) String() string { return [...]string{"rows", "Hilbert curve", "Morton curve"}[o] }

// Bitmap lays numbered cells out in a width: in rows, or in square tiles that a curve fills, side by side and then
// below each other. A band is a row of tiles.
type Bitmap struct {
	Cells int
	Width int
	Order CellOrder
	Most  int // rows that a tile may have
}

// Side returns the number of rows and columns of a tile: 1 in rows, else the largest power of two that fits and leaves
// some tiles to stand side by side.
func (b *Bitmap) Side() int {
	side := 1
	if b.Order == RowOrder {
		return side
	}
	for 2*side <= min(b.Most, b.Width, 1<<12) && 16*side*side <= b.Cells {
		side *= 2
	}
	return side
}

// Band returns the number of cells in a row of tiles.
func (b *Bitmap) Band() int {
	side := b.Side()
	return max(b.Width/side, 1) * side * side
}

// Rows returns the number of rows that all cells take.
func (b *Bitmap) Rows() int {
	return (b.Cells + b.Band() - 1) / b.Band() * b.Side()
}

// At returns the cell at column x and row y; ok is false where there is none.
func (b *Bitmap) At(x, y int) (cell int, ok bool) {
	return b.at(b.Side(), x, y)
}

// at is At for tiles of side.
func (b *Bitmap) at(side, x, y int) (cell int, ok bool) {
	across := max(b.Width/side, 1)
	if x < 0 || y < 0 || x >= across*side {
		return 0, false
	}
	tile := y/side*across + x/side
	cell = tile * side * side
	switch b.Order {
	case HilbertOrder:
		cell += hilbertCell(side, x%side, y%side)
	case MortonOrder:
		cell += mortonCell(side, x%side, y%side)
	}
	return cell, cell < b.Cells
}

// Place returns where a cell is.
func (b *Bitmap) Place(cell int) (x, y int) {
	side := b.Side()
	across := max(b.Width/side, 1)
	tile, in := cell/(side*side), cell%(side*side)
	switch b.Order {
	case HilbertOrder:
		x, y = hilbertPlace(side, in)
	case MortonOrder:
		x, y = mortonPlace(in)
	}
	return tile%across*side + x, tile/across*side + y
}

// Draw shows the rows from first on in r. paint gives a cell its sign, one cell wide, and its style. Places without a
// cell stay unchanged.
func (b *Bitmap) Draw(s tcell.Screen, r Rect, first int, paint func(cell int) (string, tcell.Style)) {
	side := b.Side()
	for y := range r.H {
		for x := range min(r.W, b.Width) {
			if cell, ok := b.at(side, x, first+y); ok {
				text, st := paint(cell)
				s.Put(r.X+x, r.Y+y, text, st)
			}
		}
	}
}

// hilbertCell returns the number of a place on the Hilbert curve that fills a square of side, a power of two, from its
// upper left to its upper right corner.
func hilbertCell(side, x, y int) (d int) {
	for s := side / 2; s > 0; s /= 2 {
		rx, ry := 0, 0
		if x&s > 0 {
			rx = 1
		}
		if y&s > 0 {
			ry = 1
		}
		d += s * s * ((3 * rx) ^ ry)
		x, y = turn(side, x, y, rx, ry)
	}
	return d
}

// hilbertPlace is the inverse of hilbertCell.
func hilbertPlace(side, d int) (x, y int) {
	for s := 1; s < side; s *= 2 {
		rx := 1 & (d / 2)
		ry := 1 & (d ^ rx)
		x, y = turn(s, x, y, rx, ry)
		x, y = x+s*rx, y+s*ry
		d /= 4
	}
	return x, y
}

// turn rotates a quadrant of the curve into the orientation of the complete curve.
func turn(side, x, y, rx, ry int) (int, int) {
	if ry == 1 {
		return x, y
	}
	if rx == 1 {
		x, y = side-1-x, side-1-y
	}
	return y, x
}

// mortonCell returns the number of a place on the Z curve, by interleaving the bits of x and y.
func mortonCell(side, x, y int) (d int) {
	for s := 1; s < side; s *= 2 {
		d |= s * (x&s + 2*(y&s))
	}
	return d
}

// mortonPlace is the inverse of mortonCell.
func mortonPlace(d int) (x, y int) {
	for s := 1; d > 0; s *= 2 {
		x, y = x|s*(d&1), y|s*(d>>1&1)
		d >>= 2
	}
	return x, y
}
