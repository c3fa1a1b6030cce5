package treemap

import (
	"cmp"
	"math/bits"
	"slices"
)

// Rect is a rectangle in whole units; one of no width or height is not visible.
type Rect struct{ X, Y, W, H int }

// Empty reports whether nothing of a rectangle is visible.
func (r Rect) empty() bool { return r.W <= 0 || r.H <= 0 }

// item is what a rectangle represents. A key is that of one item.
type item struct {
	Step
	weight uint64
}

// plan is an arrangement of items in rows: each fills one side of what the rows before it leave. It keeps its order
// while weights change, so that rectangles grow and shrink where they are.
type plan struct {
	w, h, tall int // of the area, and the height of a unit in widths
	rows       []planRow
}

// planRow is items side by side: below each other at the left if it is upright, else next to each other on top.
type planRow struct {
	upright bool
	items   []Step
}

// worse is how many times worse than a new plan the shapes of an old one may be before it is given up, in quarters.
const worse = 6

// arrange returns a plan for items in an area: the last one, without what is gone and with what is new at its end,
// unless it is for another area or a new one has much better shapes. last may be nil.
func arrange(items []item, w, h, tall int, last *plan) *plan {
	made := squarify(items, w, h, tall)
	if last == nil || last.w != w || last.h != h || last.tall != tall {
		return made
	}
	kept := last.follow(items)
	if kept.cost(items) <= made.cost(items)/4*worse {
		return kept
	}
	return made
}

// unit is the precision of edges before they are rounded.
const unit = 1 << 16

// area is a rectangle in parts of units.
type area struct{ x, y, w, h int64 }

// cutRow takes a row of a share of the area. The rest is empty if the row has all.
func (a area) cutRow(upright bool, part, of uint64) (row, rest area) {
	row, rest = a, a
	if upright {
		row.w = scale(a.w, part, of)
		rest.x, rest.w = a.x+row.w, a.w-row.w
	} else {
		row.h = scale(a.h, part, of)
		rest.y, rest.h = a.y+row.h, a.h-row.h
	}
	return row, rest
}

// part returns the part of a row from one sum of weights to another.
func (a area) part(upright bool, from, to, of uint64) area {
	if upright {
		y := scale(a.h, from, of)
		return area{a.x, a.y + y, a.w, scale(a.h, to, of) - y}
	}
	x := scale(a.w, from, of)
	return area{a.x + x, a.y, scale(a.w, to, of) - x, a.h}
}

// round returns the rectangle with its edges at the nearest units.
func (a area) round() Rect {
	at := func(v int64) int { return int((v + unit/2) / unit) }
	return Rect{at(a.x), at(a.y), at(a.x+a.w) - at(a.x), at(a.y+a.h) - at(a.y)}
}

// aspect returns how far from a square an area is whose units are so tall: 64 for a square, twice that for two squares.
func (a area) aspect(tall int) uint64 {
	w, h := uint64(max(a.w, 1)), uint64(max(a.h, 1))*uint64(tall)
	hi, lo := bits.Mul64(max(w, h), 64)
	if hi >= min(w, h) {
		return 1 << 32
	}
	out, _ := bits.Div64(hi, lo, min(w, h))
	return min(out, 1<<32)
}

// scale returns n × part/of, rounded down; n is not negative, and part at most of.
func scale(n int64, part, of uint64) int64 {
	if of == 0 || part >= of {
		return n
	}
	hi, lo := bits.Mul64(uint64(n), part)
	out, _ := bits.Div64(hi, lo, of)
	return int64(out)
}

// shift returns by how many bits weights are shifted so that their sum fits 62 bits.
func shift(items []item) uint {
	most := uint64(1)
	for i := range items {
		most = max(most, items[i].weight)
	}
	return uint(max(bits.Len64(most)+bits.Len64(uint64(len(items)))-62, 0))
}

// squarify returns the plan that adds items to a row, heaviest first, as long as that makes the shapes of the row more
// like squares.
func squarify(items []item, w, h, tall int) *plan {
	p, by := &plan{w: w, h: h, tall: tall}, shift(items)
	list, left := make([]item, 0, len(items)), uint64(0)
	for _, it := range items {
		if it.weight >>= by; it.weight > 0 {
			list, left = append(list, it), left+it.weight
		}
	}
	slices.SortStableFunc(list, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
	})
	free := area{0, 0, int64(w) * unit, int64(h) * unit}
	for len(list) > 0 {
		upright := free.w >= free.h*int64(tall)
		n, sum := fill(list, free, upright, left, tall)
		row := planRow{upright: upright}
		for _, it := range list[:n] {
			row.items = append(row.items, it.Step)
		}
		p.rows = append(p.rows, row)
		_, free = free.cutRow(upright, sum, left)
		list, left = list[n:], left-sum
	}
	return p
}

// fill returns how many of the first items make the best row, and their sum.
func fill(list []item, free area, upright bool, left uint64, tall int) (n int, sum uint64) {
	best := ^uint64(0)
	for try := 1; try <= len(list); try++ {
		more := sum + list[try-1].weight
		row, _ := free.cutRow(upright, more, left)
		worst := max(row.part(upright, 0, list[0].weight, more).aspect(tall),
			row.part(upright, 0, list[try-1].weight, more).aspect(tall))
		if worst > best {
			break
		}
		best, n, sum = worst, try, more
	}
	return n, sum
}

// follow returns the plan for other items: without those that are gone, and with new ones in the last row.
func (p *plan) follow(items []item) *plan {
	there := make(map[Step]bool, len(items))
	for _, it := range items {
		there[it.Step] = true
	}
	out := &plan{w: p.w, h: p.h, tall: p.tall}
	for _, row := range p.rows {
		kept := planRow{upright: row.upright}
		for _, s := range row.items {
			if there[s] {
				kept.items = append(kept.items, s)
				delete(there, s)
			}
		}
		out.rows = append(out.rows, kept)
	}
	for _, it := range items {
		if there[it.Step] {
			if len(out.rows) == 0 {
				out.rows = append(out.rows, planRow{upright: p.w >= p.h*p.tall})
			}
			last := &out.rows[len(out.rows)-1]
			last.items = append(last.items, it.Step)
		}
	}
	return out
}

// areas returns the areas of items by their order in the list: empty ones for items that weigh nothing.
func (p *plan) areas(items []item) []area {
	index, by := make(map[Step]int, len(items)), shift(items)
	left := uint64(0)
	for i, it := range items {
		index[it.Step] = i
		left += it.weight >> by
	}
	out := make([]area, len(items))
	free := area{0, 0, int64(p.w) * unit, int64(p.h) * unit}
	for _, row := range p.rows {
		sum := uint64(0)
		for _, s := range row.items {
			sum += items[index[s]].weight >> by
		}
		if sum == 0 {
			continue
		}
		var at area
		at, free = free.cutRow(row.upright, sum, left)
		left -= sum
		done := uint64(0)
		for _, s := range row.items {
			w := items[index[s]].weight >> by
			if w > 0 {
				out[index[s]] = at.part(row.upright, done, done+w, sum)
			}
			done += w
		}
	}
	return out
}

// place returns the rectangles of items by their order in the list.
func (p *plan) place(items []item) []Rect {
	out := make([]Rect, len(items))
	for i, a := range p.areas(items) {
		if a.w > 0 && a.h > 0 {
			out[i] = a.round()
		}
	}
	return out
}

// worstAspect is the aspect from which a shape costs no more.
const worstAspect = 32 * 64

// cost returns how far from squares the shapes of items are: half of that by weight, half alike for every item.
func (p *plan) cost(items []item) uint64 {
	const all = 1 << 20
	total, by := uint64(0), shift(items)
	for _, it := range items {
		total += it.weight >> by
	}
	sum := uint64(0)
	for i, a := range p.areas(items) {
		if w := items[i].weight >> by; w > 0 {
			sum += (uint64(scale(all, w, total)) + all/uint64(len(items))) * min(a.aspect(p.tall), worstAspect)
		}
	}
	return sum
}
