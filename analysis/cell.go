package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/memtui/memtui/model"
)

// sizeUnits are the units of sizes in powers of 1024.
var sizeUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// SizeEdge returns the smallest size of a class ("64 B", "2 KiB").
func SizeEdge(class int) string {
	n, unit := sizeEdge(class)
	return fmt.Sprintf("%d %s", n, unit)
}

func sizeEdge(class int) (n uint64, unit string) {
	n, _ = ClassBounds(class)
	power := 0
	for ; n >= 1024; n /= 1024 {
		power++
	}
	return n, sizeUnits[power]
}

// LifeEdge returns the shortest lifetime of a class ("1.02 ms").
func LifeEdge(class int) string {
	lo, _ := ClassBounds(class)
	return model.Time(lo).String()
}

// Sizes returns which sizes a cell holds ("64–127 B", "any size").
func (c Cell) Sizes() string {
	if c.SizeFrom == 0 && (c.SizeTo == 0 || c.SizeTo >= SizeClasses) {
		return "any size"
	}
	lo, _ := ClassBounds(int(c.SizeFrom))
	_, hi := ClassBounds(int(c.SizeTo) - 1)
	switch {
	case lo == hi:
		return fmt.Sprintf("%d B", lo)
	case hi < 1024:
		return fmt.Sprintf("%d–%d B", lo, hi)
	case c.SizeTo >= SizeClasses:
		return SizeEdge(int(c.SizeFrom)) + " or more"
	}
	return SizeEdge(int(c.SizeFrom)) + "–" + SizeEdge(int(c.SizeTo))
}

// Lives returns which lifetimes a cell holds ("1.02 ms–2.05 ms", "never freed").
func (c Cell) Lives() string {
	switch {
	case c.LifeTo == 0 || c.LifeFrom == 0 && c.LifeTo == LifeClasses:
		return "any life"
	case c.LifeFrom == NeverFreed:
		return "never freed"
	}
	lo, _ := ClassBounds(int(c.LifeFrom))
	_, hi := ClassBounds(int(c.LifeTo) - 1)
	if lo == hi {
		return model.Time(lo).String()
	}
	return model.Time(lo).String() + "–" + model.Time(min(hi, uint64(model.MaxTime))).String()
}

// Text returns the name of a cell's rectangle ("64–127 B, never freed").
func (c Cell) Text() string { return c.Sizes() + ", " + c.Lives() }

// Argument returns the cell's rectangle as the flag --cell takes it: a size and a lifetime inside it, "4KiB,never". A
// rectangle of several classes, which no command produces, is named by its first class.
func (c Cell) Argument() string {
	size, life := "any", "any"
	if c.SizeFrom > 0 || c.SizeTo > 0 && c.SizeTo < SizeClasses {
		n, unit := sizeEdge(int(c.SizeFrom))
		size = strconv.FormatUint(n, 10) + unit
	}
	switch {
	case c.LifeFrom >= NeverFreed:
		life = "never"
	case c.LifeFrom > 0 || c.LifeTo > 0 && c.LifeTo < LifeClasses:
		life = roundLife(int(c.LifeFrom))
	}
	return size + "," + life
}

// roundLife returns the roundest lifetime of a class, in the largest unit that has no fraction of it ("3ms").
func roundLife(class int) string {
	lo, hi := ClassBounds(class)
	n := lo
	for step := uint64(10); step <= hi; step *= 10 {
		if up := (lo + step - 1) / step * step; up <= hi {
			n = up
		}
		if step > hi/10 {
			break
		}
	}
	switch {
	case n > 0 && n%1_000_000 == 0:
		return strconv.FormatUint(n/1_000_000, 10) + "s"
	case n > 0 && n%1000 == 0:
		return strconv.FormatUint(n/1000, 10) + "ms"
	}
	return strconv.FormatUint(n, 10) + "us"
}

// FindCell reports whether a trace has blocks in the cell's rectangle. If none has, near are single cells with blocks,
// nearest first, at most n.
func FindCell(ctx context.Context, c Cell, n int, traces ...Trace) (found bool, near []Cell, err error) {
	var all Grid
	for _, t := range traces {
		g, err := t.Grid(ctx, GridQuery{Range: FullRange, All: true})
		if err != nil {
			return false, nil, err
		}
		all.Add(g)
	}
	if all.Sum(c).Count > 0 {
		return true, nil, nil
	}
	return false, all.near(c, n), nil
}

// near returns at most n cells with blocks, nearest to c first, then those with most bytes.
func (g *Grid) near(c Cell, n int) (cells []Cell) {
	for s := range g {
		for l := range g[s] {
			if g[s][l].Count > 0 {
				cells = append(cells, Cell{SizeFrom: uint8(s), SizeTo: uint8(s + 1), LifeFrom: uint8(l), LifeTo: uint8(l + 1)})
			}
		}
	}
	slices.SortStableFunc(cells, func(a, b Cell) int {
		x, y := &g[a.SizeFrom][a.LifeFrom], &g[b.SizeFrom][b.LifeFrom]
		return cmp.Or(cmp.Compare(c.classesTo(a), c.classesTo(b)), cmp.Compare(y.Bytes, x.Bytes))
	})
	return cells[:min(n, len(cells))]
}

// classesTo returns how many classes of sizes and lifetimes separate a single cell from the rectangle of c.
func (c Cell) classesTo(one Cell) int {
	apart := func(from, to, class uint8) int { return max(int(from)-int(class), int(class)-int(to)+1, 0) }
	return apart(c.SizeFrom, c.SizeTo, one.SizeFrom) + apart(c.LifeFrom, c.LifeTo, one.LifeFrom)
}
