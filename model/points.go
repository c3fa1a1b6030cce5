package model

import "context"

// PointRecord is one point of a curve as the file has it: not rounded, sorted or left out. For writing another file.
type PointRecord struct {
	Series int     // index into Timeline.Series; never falls
	Time   float64 // microseconds since 1970; NaN or infinite where the file says so, NaN where it says nothing usable
	Value  float64 // likewise

	ID       string // as the file has it, "" for none
	Name     string // when HasName
	Event    string // when HasEvent
	HasName  bool
	HasEvent bool
	HasMeta  bool // there are metadata, be they empty
	Layout   int  // number in the profile's Pages, NoLayout for none
}

// NoLayout says that a point carries no page layout.
const NoLayout = -1

// PointSource gives the points of a file again. Any goroutine may use it.
type PointSource interface {
	// Points reads the file again and calls yield with every point in the file's order. The record is reused: valid
	// only until yield returns. It ends with yield's error, that of ctx, or that of reading; damage ends it early,
	// without an error.
	Points(ctx context.Context, yield func(*PointRecord) error) error
}
