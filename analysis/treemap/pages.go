package treemap

import "github.com/memtui/memtui/analysis/pages"

// Names of the parts of pages.
const (
	occupied = "occupied"
	Free     = "free"
)

// Pages adds the pages of a layout to one side: by type, and what of them is occupied. References are indexes of types.
func (b *Builder) Pages(side int, l *pages.LayoutFigures) {
	for i := range l.Types {
		f := &l.Types[i]
		n := b.below(0, Pages, f.Name)
		used := min(f.OccupiedBytes, f.Bytes)
		b.add(b.below(n, Bits, occupied), side, used, uint64(i))
		b.add(b.below(n, Bits, Free), side, f.Bytes-used, uint64(i))
	}
}
