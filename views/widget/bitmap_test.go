package widget

import "testing"

func TestHilbertIsACurve(t *testing.T) {
	for side := 1; side <= 64; side *= 2 {
		px, py := hilbertPlace(side, 0)
		for d := range side * side {
			x, y := hilbertPlace(side, d)
			if got := hilbertCell(side, x, y); got != d {
				t.Fatalf("side %d: cell %d is at %d,%d, where cell %d is", side, d, x, y, got)
			}
			if dx, dy := x-px, y-py; d > 0 && dx*dx+dy*dy != 1 {
				t.Fatalf("side %d: cell %d at %d,%d is no neighbour of the one before at %d,%d", side, d, x, y, px, py)
			}
			px, py = x, y
		}
	}
}

// The curve of a square of four is known.
func TestHilbertIsTheKnownCurve(t *testing.T) {
	want := [4][4]int{{0, 1, 14, 15}, {3, 2, 13, 12}, {4, 7, 8, 11}, {5, 6, 9, 10}}
	for y, row := range want {
		for x, d := range row {
			if got := hilbertCell(4, x, y); got != d {
				t.Errorf("at %d,%d is cell %d, want %d", x, y, got, d)
			}
		}
	}
}

func TestMortonInterleaves(t *testing.T) {
	want := [4][4]int{{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}}
	for y, row := range want {
		for x, d := range row {
			if got := mortonCell(4, x, y); got != d {
				t.Errorf("at %d,%d is cell %d, want %d", x, y, got, d)
			}
		}
	}
}

func TestBitmapPlacesEveryCellOnce(t *testing.T) {
	for order := range CellOrders {
		for _, b := range []Bitmap{{Cells: 1, Width: 1, Most: 1}, {Cells: 100, Width: 7, Most: 3}, {Cells: 1000, Width: 64, Most: 20}, {Cells: 17, Width: 80, Most: 40}} {
			b.Order = order
			seen := map[[2]int]bool{}
			for cell := range b.Cells {
				x, y := b.Place(cell)
				if at, ok := b.At(x, y); !ok || at != cell || x >= b.Width || y >= b.Rows() {
					t.Fatalf("%+v: cell %d is at %d,%d, where %d is (%v); %d rows", b, cell, x, y, at, ok, b.Rows())
				}
				seen[[2]int{x, y}] = true
			}
			if len(seen) != b.Cells {
				t.Errorf("%+v: %d places for %d cells", b, len(seen), b.Cells)
			}
			found := 0
			for y := range b.Rows() + 1 {
				for x := range b.Width + 1 {
					if _, ok := b.At(x, y); ok {
						found++
					}
				}
			}
			if found != b.Cells {
				t.Errorf("%+v: %d places hold a cell", b, found)
			}
		}
	}
}
