package ui

import "github.com/memtui/memtui/analysis"

// DiffRows is what the rows of a difference are.
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
	Tall   bool            // which have most of the room
	Group  *analysis.Group // its own, at first; nil to group as everywhere
	Blocks bool            // single blocks first: those that came and went
}

// Differing is a screen that has another in its place while the difference is shown.
type Differing interface {
	// Difference makes that screen; table makes one that is a table.
	Difference(table func(of Screen, t DiffTable) Screen) Screen
}

// TwoSided is a screen that says itself what it compares while the difference is shown.
type TwoSided interface{ Compares() DiffRows }

// Rangeless is a screen on which ranges mean nothing: their key marks a side of a comparison.
type Rangeless interface{ Rangeless() bool }
