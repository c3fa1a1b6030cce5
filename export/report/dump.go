package report

import (
	"math"
	"strconv"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// schemaPages is the name of the object that says what is in one page layout.
const schemaPages = "memtui.pages/1"

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

// AppendJSON implements [object.Appender].
func (v Value) AppendJSON(dst []byte) []byte { return v.append(dst) }

// Mean is a mean of measured numbers. It is always written as a number with a fraction.
type Mean float64

// AppendJSON implements [object.Appender].
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

	history []uint64 // highest values of columns of time, for people
}

// SeriesEvent is a named moment of a curve.
type SeriesEvent struct {
	Series int        `json:"series"`
	Time   model.Time `json:"time_us"` // since the start of the file
	Value  Value      `json:"value"`
	Name   string     `json:"name"`
}

// DumpLengths says how long lists are without a limit.
type DumpLengths struct {
	Series int `json:"series"`
	Events int `json:"series_events"`

	points, layouts int // of the complete file, for people
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

	name string // of the series
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

// dumpList returns a pointer to a table of a dump by its name; "" is the table that the report is about.
func (r *Report) dumpList(table string) (any, bool) {
	switch {
	case r.Series != nil && (table == "series" || table == "" && r.Schema == SchemaReport):
		return &r.Series, true
	case r.Series != nil && table == "treemap":
		return &[]singleRow{}, true
	case r.Series != nil && table == "series_events":
		return &r.SeriesEvents, true
	case r.Pages == nil:
		return nil, false
	}
	switch table {
	case "page_types", "":
		return &r.Pages.Types, true
	case "holes":
		return &r.Pages.Holes, true
	case "runs":
		return &r.Pages.Runs, true
	case "sparse_pages":
		return &r.Pages.Sparse, true
	}
	return nil, false
}
