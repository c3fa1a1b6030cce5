package pages

import (
	"math"

	"github.com/memtui/memtui/model"
)

// Change is the change of the pages of one type between two layouts. Bits beyond the end of a page, or of a missing
// page, count as free.
type Change struct {
	name          string // not cleaned; "" for complete layouts
	Before, After Figures
	NewlyOccupied uint64 // bits
	NewlyFree     uint64
	SameOccupied  uint64 // occupied in both
	sameFree      uint64 // free in both, in pages of both
}

// LayoutChange compares two layouts.
type LayoutChange struct {
	Types []Change // in the order of the layout before, then new ones
	all   Change
}

// DiffLayouts compares two layouts page by page. Types are matched by name, the second of a name with the second; pages
// by their number.
func DiffLayouts(before, after *model.Layout) *LayoutChange {
	was, is := SumLayout(before), SumLayout(after)
	out := &LayoutChange{all: Change{Before: was.All, After: is.All}}
	type name struct {
		text string
		nth  int
	}
	place, seen := map[name]int{}, map[string]int{}
	none := &model.PageType{}
	for i := range before.Types {
		n := name{before.Types[i].Name, seen[before.Types[i].Name]}
		seen[n.text]++
		place[n] = i
	}
	clear(seen)
	partner := make([]int, len(before.Types)) // index in before plus one
	for i := range after.Types {
		n := name{after.Types[i].Name, seen[after.Types[i].Name]}
		seen[n.text]++
		if k, ok := place[n]; ok {
			partner[k] = i + 1
			continue
		}
		c := Change{name: n.text, After: is.Types[i]}
		c.compare(none, &after.Types[i])
		out.Types = append(out.Types, c)
	}
	added := out.Types
	out.Types = make([]Change, 0, len(partner)+len(added))
	for i, k := range partner {
		c, with := Change{name: before.Types[i].Name, Before: was.Types[i]}, none
		if k > 0 {
			c.After, with = is.Types[k-1], &after.Types[k-1]
		}
		c.compare(&before.Types[i], with)
		out.Types = append(out.Types, c)
	}
	out.Types = append(out.Types, added...)
	for i := range out.Types {
		out.all.join(&out.Types[i])
	}
	return out
}

func (c *Change) join(o *Change) {
	c.NewlyOccupied, _ = model.SaturatingAdd(c.NewlyOccupied, o.NewlyOccupied)
	c.NewlyFree, _ = model.SaturatingAdd(c.NewlyFree, o.NewlyFree)
	c.SameOccupied, _ = model.SaturatingAdd(c.SameOccupied, o.SameOccupied)
	c.sameFree, _ = model.SaturatingAdd(c.sameFree, o.sameFree)
}

// compare sums up the bits of all pages of a type.
func (c *Change) compare(before, after *model.PageType) {
	for page := range max(before.Len(), after.Len()) {
		was, is := NoPage, NoPage
		if page < before.Len() {
			was = page
		}
		if page < after.Len() {
			is = page
		}
		var one Change
		EachChange(before, was, after, is, func(w, i bool, n uint64) {
			switch {
			case w && i:
				one.SameOccupied += n
			case w:
				one.NewlyFree += n
			case i:
				one.NewlyOccupied += n
			case was != NoPage && is != NoPage:
				one.sameFree += n
			}
		})
		c.join(&one)
	}
}

// NoPage represents a page that a layout does not have.
const NoPage = -1

// EachChange calls f with the bits of a page in two layouts, in order and in runs as long as possible: whether they
// were occupied before, and whether they are now. One of the pages may be [NoPage]; the longer one determines the
// length.
func EachChange(before *model.PageType, was int, after *model.PageType, is int, f func(was, is bool, bits uint64)) {
	a, b := runs(before, was), runs(after, is)
	for a.n > 0 || b.n > 0 {
		step := min(a.rest(), b.rest())
		f(a.on && a.n > 0, b.on && b.n > 0, step)
		a.skip(step)
		b.skip(step)
	}
}

// run is a position in a walk through the runs of a page.
type run struct {
	cursor runCursor
	on     bool
	n      uint64 // bits that are left in this run, 0 after the page
}

func runs(t *model.PageType, page int) *run {
	r := &run{}
	if page != NoPage {
		r.cursor = newRunCursor(t, page)
		r.on, r.n = r.cursor.next()
	}
	return r
}

// rest returns how many bits are like the next one.
func (r *run) rest() uint64 {
	if r.n == 0 {
		return math.MaxUint64
	}
	return r.n
}

func (r *run) skip(n uint64) {
	if r.n == 0 {
		return
	}
	if r.n -= n; r.n == 0 {
		r.on, r.n = r.cursor.next()
	}
}
