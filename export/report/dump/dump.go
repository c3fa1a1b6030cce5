// Package dump is the part of reports that memory dumps have: measured curves, and the pages of layouts.
package dump

import (
	"math"
	"strconv"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// Value is a measured number: bytes, usually whole, but files may hold fractions and negative ones. Whole ones are
// written without a fraction.
type Value float64

// exponents is from where on numbers are written with an exponent.
const exponents = 1e21

func (v Value) append(dst []byte) []byte {
	f := float64(v)
	if size := math.Abs(f); f == 0 || size >= 1e-6 && size < exponents {
		if f == math.Trunc(f) {
			return strconv.AppendFloat(dst, f+0, 'f', 0, 64) // every digit, not only those needed to distinguish it
		}
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'g', -1, 64)
}

// AppendJSON appends the number to a report as JSON.
func (v Value) AppendJSON(dst []byte) []byte { return v.append(dst) }

// Mean is a mean of measured numbers. It is always written as a number with a fraction.
type Mean float64

// AppendJSON appends the number to a report as JSON.
func (m Mean) AppendJSON(dst []byte) []byte {
	dst = Value(m).append(dst)
	if f := float64(m); f == math.Trunc(f) && math.Abs(f) < exponents {
		dst = append(dst, ".0"...)
	}
	return dst
}

// Series is one measured curve over the range. What the file or the range does not have is nil.
type Series struct {
	Index   int     `json:"index"` // in the file
	ID      *string `json:"id,omitzero"`
	Name    string  `json:"name"`
	Color   *string `json:"color,omitzero"`
	Visible *bool   `json:"visible,omitzero"`
	Points  int     `json:"points"`            // of the range; of the complete file also those not usable
	Dropped int     `json:"dropped_points"`    // those without a usable time or value, of the complete file
	FirstUS *int64  `json:"first_us,omitzero"` // since 1970, like the other times of a series
	LastUS  *int64  `json:"last_us,omitzero"`
	First   *Value  `json:"first,omitzero"`
	Last    *Value  `json:"last,omitzero"`
	Min     *Value  `json:"min,omitzero"`
	MinUS   *int64  `json:"min_us,omitzero"`
	Max     *Value  `json:"max,omitzero"`
	MaxUS   *int64  `json:"max_us,omitzero"`
	Mean    *Mean   `json:"mean,omitzero"`
	At      *Value  `json:"at,omitzero"` // at the instant
	Events  int     `json:"events"`
	Layouts int     `json:"layouts"` // of the complete file

	History []uint64 // highest values of columns of time, for people
}

// Event is a named moment of a curve.
type Event struct {
	Series int        `json:"series"`
	Time   model.Time `json:"time_us"` // since the start of the file
	Value  Value      `json:"value"`
	Name   string     `json:"name"`
}

// Lengths says how long lists are without a limit.
type Lengths struct {
	Series int `json:"series"`
	Events int `json:"series_events"`

	Points, Layouts int // of the complete file, for people
}

// Pages is one page layout. 1 bit represents 8 bytes.
type Pages struct {
	Layout int         `json:"layout"` // which of the file's layouts
	Series int         `json:"series"` // index of the series in the file
	Point  uint32      `json:"point"`  // index of the point in the file
	Time   *model.Time `json:"time_us,omitzero"`
	Types  []PageType  `json:"types"` // in the file's order, whatever the limit
	PageTotals
	Holes       []RunClass   `json:"holes"`        // by length
	Runs        []RunClass   `json:"runs"`         // of occupied bits, by length
	Sparse      []SparsePage `json:"sparse_pages"` // the partial pages with the fewest occupied bits
	SparseCount int          `json:"sparse_page_count"`

	SeriesName string
}

// PageTotals are sums over pages.
type PageTotals struct {
	Bytes         uint64 `json:"bytes"`
	OccupiedBits  uint64 `json:"occupied_bits"`
	FreeBits      uint64 `json:"free_bits"`
	FullPages     int    `json:"full_pages"`
	EmptyPages    int    `json:"empty_pages"`
	PartialPages  int    `json:"partial_pages"`
	OccupiedBytes uint64 `json:"occupied_bytes"` // at most 8 per bit: the last bit of a page may represent fewer
	RunCount      uint64 `json:"run_count"`
	HoleCount     uint64 `json:"hole_count"`
	LargestHole   uint64 `json:"largest_hole_bits"`
	Returned      uint64 `json:"returned_bytes"` // by packing occupied memory into the fewest pages of its type
}

// PageType is the pages of one type.
type PageType struct {
	Name  string `json:"name"`
	Pages int    `json:"pages"`
	PageTotals
}

// RunClass counts runs of Min to Max bits.
type RunClass struct {
	Min   uint64 `json:"min_bits"`
	Max   uint64 `json:"max_bits"`
	Count uint64 `json:"count"`
	Bits  uint64 `json:"bits"`
}

// SparsePage is a page of which little is occupied.
type SparsePage struct {
	Type     int    `json:"type"` // index in the layout
	Name     string `json:"name"` // of the type
	Page     int    `json:"page"`
	Size     uint64 `json:"size"`
	Occupied uint64 `json:"occupied_bits"`
	Free     uint64 `json:"free_bits"`
}

func newPageTotals(f *pages.Figures) PageTotals {
	return PageTotals{
		Bytes: f.Bytes, OccupiedBits: f.OccupiedBits, FreeBits: f.FreeBits, FullPages: f.Full, EmptyPages: f.Empty,
		PartialPages: f.Partial(), OccupiedBytes: f.OccupiedBytes, RunCount: f.Runs.Count, HoleCount: f.Holes.Count,
		LargestHole: f.Holes.Largest, Returned: f.Returned,
	}
}

// newRunClasses leaves out lengths that no run has.
func newRunClasses(f *pages.RunFigures) []RunClass {
	out := []RunClass{}
	for i, n := range f.Counts {
		if n > 0 {
			out = append(out, RunClass{1 << i, 1<<i<<1 - 1, n, f.Bits[i]})
		}
	}
	return out
}

// NewSeries returns a curve of t over a range and at an instant, with a history of so many columns.
func NewSeries(t *model.Timeline, i int, from, to, at model.Time, columns int) Series {
	s := &t.Series[i]
	f := pages.SumSeries(s, from, to)
	out := Series{Index: i, Name: s.Name, Points: f.Points, Dropped: s.Dropped, Events: f.Events, Layouts: s.Layouts}
	if from == 0 && to == model.MaxTime {
		out.Points += s.Dropped
	}
	if s.ID != "" {
		out.ID = &s.ID
	}
	if s.Color != "" {
		out.Color = &s.Color
	}
	if s.HasVisible {
		out.Visible = &s.Visible
	}
	if v, _, ok := pages.ValueAt(s, at); ok {
		out.At = (*Value)(&v)
	}
	if f.Points == 0 {
		return out
	}
	absolute := func(at model.Time) *int64 { us := t.Start + int64(at); return &us }
	out.FirstUS, out.LastUS, out.MinUS, out.MaxUS = absolute(f.FirstAt), absolute(f.LastAt), absolute(f.MinAt), absolute(f.MaxAt)
	out.First, out.Last, out.Min, out.Max = (*Value)(&f.First), (*Value)(&f.Last), (*Value)(&f.Min), (*Value)(&f.Max)
	out.Mean = (*Mean)(&f.Mean)
	for _, c := range pages.NewSeriesCurve(s).Columns(f.FirstAt, f.LastAt, columns) {
		v := c.Last
		if c.Points > 0 {
			v = c.Max
		}
		out.History = append(out.History, uint64(max(v, 0)))
	}
	return out
}

// NewPages returns the content of a layout of p, with at most n of its pages with the fewest occupied bits, 0 for all.
func NewPages(p *model.Profile, layout int, l *model.Layout, n int) *Pages {
	info, f := p.Pages.Info(layout), pages.SumLayout(l)
	out := &Pages{
		Layout: layout, Series: info.Series, Point: info.Point, Types: []PageType{}, PageTotals: newPageTotals(&f.All),
		Holes: newRunClasses(&f.All.Holes), Runs: newRunClasses(&f.All.Runs), Sparse: []SparsePage{},
	}
	if info.At != model.NoTime {
		out.Time = &info.At
	}
	if p.Timeline != nil && info.Series < len(p.Timeline.Series) {
		out.SeriesName = p.Timeline.Series[info.Series].Name
	}
	for i := range f.Types {
		out.Types = append(out.Types, PageType{f.Types[i].Name, f.Types[i].Pages, newPageTotals(&f.Types[i])})
	}
	if n == 0 {
		n = f.All.Pages
	}
	var sparse []pages.Ref
	sparse, out.SparseCount = pages.SparsePages(l, n)
	for _, s := range sparse {
		out.Sparse = append(out.Sparse, SparsePage{s.Type, l.Types[s.Type].Name, s.Page, s.Size, s.Occupied, s.Bits - s.Occupied})
	}
	return out
}

// MostBits returns the most bits of a class.
func MostBits(classes []RunClass) uint64 {
	top := uint64(0)
	for _, c := range classes {
		top = max(top, c.Bits)
	}
	return top
}
