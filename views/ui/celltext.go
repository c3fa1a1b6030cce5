package ui

import (
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// SizeEdge returns the smallest size of a class ("64 B", "2 KiB").
func SizeEdge(class int) string {
	lo, _ := analysis.ClassBounds(class)
	unit := 0
	for ; lo >= 1024; lo /= 1024 {
		unit++
	}
	return fmt.Sprintf("%d %s", lo, [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}[unit])
}

// LifeEdge returns the shortest lifetime of a class ("1.02 ms").
func LifeEdge(class int) string {
	lo, _ := analysis.ClassBounds(class)
	return model.Time(lo).String()
}

// SizesText returns which sizes a cell holds ("64 … 127 B", "any size").
func SizesText(c analysis.Cell) string {
	if c.SizeFrom == 0 && (c.SizeTo == 0 || c.SizeTo >= analysis.SizeClasses) {
		return "any size"
	}
	lo, _ := analysis.ClassBounds(int(c.SizeFrom))
	_, hi := analysis.ClassBounds(int(c.SizeTo) - 1)
	switch {
	case lo == hi:
		return fmt.Sprintf("%d B", lo)
	case hi < 1024:
		return fmt.Sprintf("%d–%d B", lo, hi)
	case c.SizeTo >= analysis.SizeClasses:
		return SizeEdge(int(c.SizeFrom)) + " or more"
	}
	return SizeEdge(int(c.SizeFrom)) + "–" + SizeEdge(int(c.SizeTo))
}

// LivesText returns which lifetimes a cell holds ("1.02 ms–2.05 ms", "never freed").
func LivesText(c analysis.Cell) string {
	switch {
	case c.LifeTo == 0 || c.LifeFrom == 0 && c.LifeTo == analysis.LifeClasses:
		return "any life"
	case c.LifeFrom == analysis.NeverFreed:
		return "never freed"
	}
	lo, _ := analysis.ClassBounds(int(c.LifeFrom))
	_, hi := analysis.ClassBounds(int(c.LifeTo) - 1)
	if lo == hi {
		return model.Time(lo).String()
	}
	return model.Time(lo).String() + "–" + model.Time(min(hi, uint64(model.MaxTime))).String()
}

// CellText returns the name of a cell.
func CellText(c analysis.Cell) string { return SizesText(c) + ", " + LivesText(c) }

// NoneInCell returns why nothing is shown while blocks are restricted to one cell.
func (e *Env) NoneInCell(c analysis.Cell) []string {
	return []string{"No block of " + CellText(c) + " is here.", e.Hint("{back} shows blocks of every size and lifetime again.")}
}
