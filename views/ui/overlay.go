package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/views/widget"
)

// OverlayBox returns the area of an overlay of at most w×h cells, and draws a frame around it if that fits.
func OverlayBox(s tcell.Screen, r widget.Rect, w, h int, k *widget.Look, title string) widget.Rect {
	const low, narrow = 8, 30
	if r.H < low || r.W < narrow {
		widget.Fill(s, r, k.Box)
		return r
	}
	return widget.Box(s, r.Centered(min(r.W, w), min(r.H, h)), k, title)
}
