package diff

import (
	"slices"

	"math"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// PageFigure is the figure by which page types are compared.
type PageFigure uint8

const (
	PageOccupied PageFigure = iota
	pageFree
	pageBytes
	pageReturned // bytes that packing would free
	PageFigures
)

// String returns the word in flags.
func (f PageFigure) String() string {
	return [...]string{"occupied_bytes", "free_bytes", "bytes", "returned_bytes"}[f]
}

// Measure returns the compared figure in words.
func (f PageFigure) Measure() string {
	return [...]string{"occupied memory", "free memory in pages", "size of pages", "memory that packing would reclaim"}[f]
}

// PageFigureWords returns the words of all figures, the default first.
func PageFigureWords() (words []string) {
	for f := range PageFigures {
		words = append(words, f.String())
	}
	return words
}

func (f PageFigure) of(p *pages.Figures) uint64 {
	switch f {
	case pageFree:
		return p.Bytes - p.OccupiedBytes
	case pageBytes:
		return p.Bytes
	case pageReturned:
		return p.Returned
	}
	return p.OccupiedBytes
}

// PagesSide returns a side of the page types of a layout taken at an instant, model.NoTime if unknown. Counts are
// pages. Types of one name are matched in their order.
func PagesSide(l *model.Layout, at model.Time, figure PageFigure) *Side {
	sums := pages.SumLayout(l)
	out := &Side{Rows: make([]SideRow, len(l.Types)), Bases: NoBases}
	out.Bases.duration = at
	seen := map[string]int{}
	for i := range l.Types {
		f := &sums.Types[i]
		name := l.Types[i].Name
		out.Rows[i] = SideRow{Key: name, nth: seen[name], kept: true, Bytes: figure.of(f), Count: uint64(f.Pages)}
		seen[name]++
	}
	return out
}

// SeriesSide returns a side of the curves of a dump by their values at an instant, in whole bytes; negative values are
// 0. Counts are points up to then. Curves of one name are matched in their order.
func SeriesSide(t *model.Timeline, at model.Time) *Side {
	out := &Side{Rows: make([]SideRow, len(t.Series)), Bases: NoBases}
	out.Bases.duration = at
	seen := map[string]int{}
	for i := range t.Series {
		s := &t.Series[i]
		r := SideRow{Key: s.Name, nth: seen[s.Name], kept: true}
		seen[s.Name]++
		if v, last, ok := pages.ValueAt(s, at); ok {
			r.Bytes, r.Count = uint64(math.Round(min(max(v, 0), 1<<63))), uint64(last)+1
		}
		out.Rows[i] = r
	}
	return out
}

// Added returns the rows that only the side after has, by index there, ascending.
func (c *Comparison) Added() (added []int) {
	for i := range c.Rows {
		if c.Rows[i].Row[0] < 0 {
			added = append(added, c.Rows[i].Row[1])
		}
	}
	slices.Sort(added)
	return added
}

// TypeIndex returns where a page type is in [pages.LayoutChange]: those of before, then the new ones.
func TypeIndex(r *Row, added []int, before int) int {
	if r.Row[0] >= 0 {
		return r.Row[0]
	}
	i, _ := slices.BinarySearch(added, r.Row[1])
	return before + i
}
