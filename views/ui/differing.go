package ui

import "github.com/memtui/memtui/analysis"

// DiffRows is the kind of rows of a difference.
type DiffRows uint8

const (
	DiffSites  DiffRows = iota
	DiffLeaked          // sites by what was not freed
	DiffSizes
	DiffLives
	DiffSeries // curves of a dump at an instant
	DiffPages  // page types of a layout
)

// DiffTable describes a table of changes that replaces a screen.
type DiffTable struct {
	Rows   DiffRows
	Chart  bool            // with both curves
	Tall   bool            // the curves get most of the height
	Group  *analysis.Group // its initial group; nil for the state's
	Blocks bool            // single blocks first: those that came and went
}

// Differing is a screen that is replaced by another one while the difference is shown.
type Differing interface {
	// Difference returns that screen; table builds one that is a table.
	Difference(table func(of Screen, t DiffTable) Screen) Screen
}

// TwoSided is a screen that states itself what it compares while the difference is shown.
type TwoSided interface{ Compares() DiffRows }

// Zoomer is a screen whose command names the times that are drawn: those of the zoom, not the range.
type Zoomer interface{ Zooms() bool }

// Rangeless is a screen without ranges: their key marks a side of a comparison instead.
type Rangeless interface{ Rangeless() bool }
