package pages

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"github.com/memtui/memtui/model"
)

// RunFigures are figures about runs of bits of one kind, occupied or free. A run ends where its page ends.
type RunFigures struct {
	Count   uint64
	Largest uint64 // bits
	// By length: element i counts the runs of 2^i bits to less than 2^(i+1).
	Counts [64]uint64
	Bits   [64]uint64
}

func (r *RunFigures) add(n uint64) {
	class := bits.Len64(n) - 1
	r.Count++
	r.Largest = max(r.Largest, n)
	r.Counts[class]++
	r.Bits[class], _ = model.SaturatingAdd(r.Bits[class], n)
}

func (r *RunFigures) join(o *RunFigures) {
	r.Count += o.Count
	r.Largest = max(r.Largest, o.Largest)
	for i := range r.Counts {
		r.Counts[i] += o.Counts[i]
		r.Bits[i], _ = model.SaturatingAdd(r.Bits[i], o.Bits[i])
	}
}

// Figures are the figures of pages: those of one type, or of a whole layout. Sums saturate.
type Figures struct {
	Name          string // of the type, not cleaned; "" for a whole layout
	Pages         int
	Full, Empty   int // pages without a free bit, and without an occupied one; the others are partial
	Bytes         uint64
	OccupiedBits  uint64
	FreeBits      uint64
	OccupiedBytes uint64 // 8 for each occupied bit, but never more than a page has
	Returned      uint64 // bytes of the pages that would become empty if occupied bits were packed
	Runs, Holes   RunFigures
}

// Partial returns the number of pages that are neither full nor empty.
func (f *Figures) Partial() int { return f.Pages - f.Full - f.Empty }

// Share returns the occupied part of all bits, 0 … 1; 0 without any.
func (f *Figures) Share() float64 {
	if f.OccupiedBits == 0 {
		return 0
	}
	return float64(f.OccupiedBits) / (float64(f.OccupiedBits) + float64(f.FreeBits))
}

func (f *Figures) addPage(size, occupied, free uint64) {
	f.Pages++
	switch {
	case occupied == 0:
		f.Empty++
	case free == 0:
		f.Full++
	}
	f.Bytes, _ = model.SaturatingAdd(f.Bytes, size)
	f.OccupiedBits, _ = model.SaturatingAdd(f.OccupiedBits, occupied)
	f.FreeBits, _ = model.SaturatingAdd(f.FreeBits, free)
	f.OccupiedBytes, _ = model.SaturatingAdd(f.OccupiedBytes, bitBytes(occupied, size))
}

// bitBytes returns the number of bytes of n bits of a page.
func bitBytes(n, size uint64) uint64 {
	if n > size/8 {
		return size
	}
	return 8 * n
}

func (f *Figures) join(o *Figures) {
	f.Pages += o.Pages
	f.Full += o.Full
	f.Empty += o.Empty
	for _, sum := range []struct{ to, from *uint64 }{
		{&f.Bytes, &o.Bytes}, {&f.OccupiedBits, &o.OccupiedBits}, {&f.FreeBits, &o.FreeBits},
		{&f.OccupiedBytes, &o.OccupiedBytes}, {&f.Returned, &o.Returned},
	} {
		*sum.to, _ = model.SaturatingAdd(*sum.to, *sum.from)
	}
	f.Runs.join(&o.Runs)
	f.Holes.join(&o.Holes)
}

// LayoutFigures are the figures of a layout.
type LayoutFigures struct {
	Types []Figures // as in the layout
	All   Figures   // Returned packs each type separately
}

// SumLayout computes the figures of a layout in one pass over its runs.
func SumLayout(l *model.Layout) *LayoutFigures {
	out := &LayoutFigures{Types: make([]Figures, len(l.Types))}
	for i := range l.Types {
		sumType(&l.Types[i], &out.Types[i])
		out.All.join(&out.Types[i])
	}
	return out
}

func sumType(t *model.PageType, f *Figures) {
	f.Name = t.Name
	for page := range t.Len() {
		var occupied, free uint64
		EachPageRun(t, page, func(on bool, n uint64) {
			if on {
				occupied += n
				f.Runs.add(n)
				return
			}
			free += n
			f.Holes.add(n)
		})
		f.addPage(t.Size(page), occupied, free)
	}
	f.Returned = returned(t, f)
}

// returned returns the bytes freed by packing occupied bits into the fewest pages, largest first.
func returned(t *model.PageType, f *Figures) uint64 {
	if t.Uniform != 0 && t.Len() > 0 {
		per := t.Bits(0)
		needed := f.OccupiedBits / per
		if f.OccupiedBits%per != 0 {
			needed++
		}
		hi, lo := bits.Mul64(uint64(f.Pages)-min(needed, uint64(f.Pages)), t.Uniform)
		if hi != 0 {
			return math.MaxUint64
		}
		return lo
	}
	sizes := slices.Clone(t.Sizes)
	slices.SortFunc(sizes, func(x, y uint64) int { return cmp.Compare(y, x) })
	left, sum := f.OccupiedBits, uint64(0)
	for _, size := range sizes {
		if left == 0 {
			sum, _ = model.SaturatingAdd(sum, size)
			continue
		}
		left -= min(left, size/8+min(size%8, 1))
	}
	return sum
}

// stated returns the number of occupied bits of a page for which the file has no bitmap but an occupancy. It rounds
// down as the format's application does; ok is false if the page has runs.
func stated(t *model.PageType, page int) (occupied uint64, ok bool) {
	if t.Known == nil || t.Known[page] || t.Occupancy == nil || t.Start[page] != t.Start[page+1] {
		return 0, false
	}
	share := float64(t.Occupancy[page])
	if !(share >= 0) {
		return 0, false
	}
	n := t.Bits(page)
	if share >= 1 {
		return n, true
	}
	return min(shareOfBits(t.Occupancy[page], n), n), true
}

// shareOfBits returns a share of n, rounded down. A float32 represents a decimal share only approximately: if that
// matters, the shortest decimal that it represents is used, so that 0.7 of 10 is 7.
func shareOfBits(share float32, n uint64) uint64 {
	const nearly = 1 + 1.0/(1<<23)
	low := math.Floor(float64(share) * float64(n))
	if math.Floor(float64(share)*nearly*float64(n)) == low {
		return uint64(low)
	}
	exact, err := strconv.ParseFloat(strconv.FormatFloat(float64(share), 'g', -1, 32), 64)
	if err != nil {
		return uint64(low)
	}
	return uint64(exact * float64(n))
}

// EachPageRun calls f with the runs of a page in order: those of [model.PageType.EachRun] with adjacent runs of one
// kind merged, and for a page without a bitmap its occupancy, occupied bits first. The lengths add up to the page's
// bits.
func EachPageRun(t *model.PageType, page int, f func(occupied bool, bits uint64)) {
	c := newRunCursor(t, page)
	for on, n := c.next(); n > 0; on, n = c.next() {
		f(on, n)
	}
}

// runCursor reads the runs of a page one by one.
type runCursor struct {
	data     []byte
	left     uint64 // bits that were not read
	occupied bool   // kind of the next run of data
	free     bool   // bits without a run are free

	on  bool // kind of the run that was read but not returned
	run uint64
}

func newRunCursor(t *model.PageType, page int) runCursor {
	if n, ok := stated(t, page); ok {
		return runCursor{left: t.Bits(page) - n, free: true, on: true, run: n}
	}
	return runCursor{data: t.RunsOf(page), left: t.Bits(page), occupied: true}
}

// read reads the next run with a length; 0 bits mark the end of the page.
func (c *runCursor) read() (on bool, run uint64) {
	for c.left > 0 && run == 0 {
		used := 0
		if run, used = model.RunLength(c.data); used > 0 {
			on, c.occupied, c.data = c.occupied, !c.occupied, c.data[used:]
		} else {
			on, run, c.data = !c.free, c.left, nil
		}
		run = min(run, c.left)
		c.left -= run
	}
	return on, run
}

// next returns the next run, merged with adjacent runs of its kind; 0 bits at the end of the page.
func (c *runCursor) next() (occupied bool, n uint64) {
	occupied, n = c.on, c.run
	if n == 0 {
		occupied, n = c.read()
	}
	for {
		c.on, c.run = c.read()
		if c.run == 0 || c.on != occupied {
			return occupied, n
		}
		n += c.run
	}
}

// Occupied returns the number of occupied bits of a page, and the number of all its bits.
func Occupied(t *model.PageType, page int) (occupied, all uint64) {
	all = t.Bits(page)
	if n, ok := stated(t, page); ok {
		return n, all
	}
	return sumRuns(t.RunsOf(page), all), all
}

// sumRuns sums up the occupied runs of a page with left bits. It is the kernel of [Fills].
func sumRuns(data []byte, left uint64) (occupied uint64) {
	mask := ^uint64(0) // all ones during an occupied run
	for i := 0; i < len(data) && left > 0; mask = ^mask {
		run := uint64(data[i])
		switch {
		case run < 0x80:
			i++
		case i+1 < len(data) && data[i+1] < 0x80:
			run = run&0x7f | uint64(data[i+1])<<7
			i += 2
		default:
			n := 0
			if run, n = model.RunLength(data[i:]); n == 0 {
				return occupied + left
			}
			i += n
		}
		run = min(run, left)
		left -= run
		occupied += run & mask
	}
	return occupied + left
}

// Fill is the occupied share of a page, in 65535ths. 0 means none and [FullFill] all of it, regardless of rounding.
type Fill uint16

// FullFill is the fill of a page without a free bit.
const FullFill Fill = math.MaxUint16

// FillLevels is the number of shades in which pages are drawn.
const FillLevels = 5

// Level returns 0 for empty, then 1 below 25 %, 2 below 75 %, 3 for more, and 4 for full.
func (f Fill) Level() int {
	switch {
	case f == 0:
		return 0
	case f == FullFill:
		return 4
	case f < FullFill/4:
		return 1
	case f < math.MaxUint16*3/4:
		return 2
	}
	return 3
}

// FillOf returns the fill of a page; a page without bits has 0.
func FillOf(occupied, all uint64) Fill {
	switch {
	case occupied == 0:
		return 0
	case occupied >= all:
		return FullFill
	}
	if shift := bits.Len64(all); shift > 48 {
		occupied, all = occupied>>(shift-48), all>>(shift-48)
	}
	return min(max(Fill(occupied*uint64(FullFill)/all), 1), FullFill-1)
}

// Fills returns the fill of every page of a type.
func Fills(t *model.PageType) []Fill {
	out := make([]Fill, t.Len())
	for i := range out {
		out[i] = FillOf(Occupied(t, i))
	}
	return out
}

// MixFills returns the mean fill of pages: 0 only if all are empty, FullFill only if all are full. Without pages it is
// 0.
func MixFills(pages []Fill) Fill {
	sum := uint64(0)
	for _, p := range pages {
		sum += uint64(p)
	}
	return FillOf(sum, uint64(len(pages))*uint64(FullFill))
}

// Ref is one page of a layout.
type Ref struct {
	Type, Page     int // indexes in the layout and in the type
	Size           uint64
	Occupied, Bits uint64 // bits
}

// SparsePages returns at most n pages with the fewest occupied bits that are neither empty nor full, larger pages first
// among equals. all is the number of such pages.
func SparsePages(l *model.Layout, n int) (pages []Ref, all int) {
	order := func(x, y Ref) int {
		return cmp.Or(cmp.Compare(x.Occupied, y.Occupied), cmp.Compare(y.Size, x.Size), cmp.Compare(x.Type, y.Type),
			cmp.Compare(x.Page, y.Page))
	}
	for i := range l.Types {
		t := &l.Types[i]
		for page := range t.Len() {
			occupied, bits := Occupied(t, page)
			if occupied == 0 || occupied == bits {
				continue
			}
			all++
			pages = append(pages, Ref{i, page, t.Size(page), occupied, bits})
			if len(pages) >= 1024+16*n { // most pages are never sorted
				slices.SortFunc(pages, order)
				pages = pages[:n]
			}
		}
	}
	slices.SortFunc(pages, order)
	return pages[:min(n, len(pages))], all
}
