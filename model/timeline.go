package model

// Timeline is the facet of files that hold measured curves.
type Timeline struct {
	Series []Series // in the file's order
	Start  int64    // the earliest finite time of any point, microseconds since 1970; Time 0 of this file

	// AxisUnit is the unit of times that are not microseconds, such as "instructions"; "" for microseconds.
	AxisUnit string

	Points PointSource // every point again, as in the file; nil if the file cannot be read again
}

// Series is one measured curve. Its columns are sorted by time, points of the same time in the file's order.
type Series struct {
	ID         string // as in the file, "" for none
	Name       string // not cleaned, as all strings here
	Color      string // as in the file, "" for none
	Visible    bool
	HasVisible bool // the file says so

	Times  []Time    // since Timeline.Start, never falling
	Values []float64 // bytes as measured: may be fractional or negative, never NaN or infinite
	Point  []uint32  // by sorted position: index of the point in the file; nil where the file is sorted already

	Events  []SeriesEvent // by time
	Layouts int           // points that carry a page layout

	Dropped int // points without a usable time or value, which no column has
}

// SeriesEvent is a named moment.
type SeriesEvent struct {
	At    Time
	Value float64
	Name  string
}

// FilePoint returns the index in the file of the point at sorted position i.
func (s *Series) FilePoint(i int) uint32 {
	if s.Point == nil {
		return uint32(i)
	}
	return s.Point[i]
}
