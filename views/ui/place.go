package ui

import (
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/model"
)

// Placer is a screen on which something that has a place in a source file can be selected.
type Placer interface {
	// Place returns the place of the selection; ok is false where it has none.
	Place() (at lines.Place, ok bool)
}

// PlaceOf returns the place of a frame; ok is false for a frame without a file.
func PlaceOf(s *model.Stacks, f model.FrameID) (at lines.Place, ok bool) {
	if s == nil || int(f) >= len(s.FrameFile) {
		return at, false
	}
	at = lines.Place{File: s.FrameFile[f], Line: s.FrameLine[f]}
	return at, at.File != 0
}

// PlaceOfNode returns the place of the frame that the stack of a leaf is named after, or of the first caller that has one.
func PlaceOfNode(s *model.Stacks, leaf model.NodeID) (at lines.Place, ok bool) {
	if leaf == 0 || !s.Has(leaf) {
		return at, false
	}
	for n := calltree.SiteNode(s, leaf); n != 0; n = s.Parent[n] {
		if at, ok = PlaceOf(s, s.Frame[n]); ok {
			return at, true
		}
	}
	return at, false
}
