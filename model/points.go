package model

import "context"

// PointRecord is one point of a curve as in the file: not rounded, sorted or left out. It serves to write another file.
type PointRecord struct {
	Series int     // index into Timeline.Series; never falls
	Time   float64 // microseconds since 1970; NaN or infinite if the file says so, NaN if it is unusable
	Value  float64 // likewise

	ID       string // as in the file, "" for none
	Name     string // if HasName
	Event    string // if HasEvent
	HasName  bool
	HasEvent bool
	HasMeta  bool // there are metadata, possibly empty
	Layout   int  // number in the profile's Pages, NoLayout for none
}

// NoLayout means that a point has no page layout.
const NoLayout = -1

// PointSource reads the points of a file again. Any goroutine may use it.
type PointSource interface {
	// Points reads the file again and calls yield with every point in the file's order. The record is reused: valid
	// only until yield returns. It ends with yield's error, that of ctx, or that of reading; damage ends it early,
	// without an error.
	Points(ctx context.Context, yield func(*PointRecord) error) error
}
