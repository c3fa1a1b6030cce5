package ui

import (
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// LookOf returns the look of widgets in a theme.
func LookOf(t *themes.Theme, unicode bool) *widget.Look {
	k := &widget.Look{
		Text: t.Style(themes.Text), Muted: t.Style(themes.Muted), Title: t.Style(themes.Title), Rule: t.Style(themes.Rule),
		Header: t.Style(themes.Header), Sorted: t.Style(themes.Accent),
		Selected: t.Style(themes.Selection), Inactive: t.Style(themes.Unfocused), Match: t.Style(themes.Match),
		Bar: t.Style(themes.Bar), Spark: t.Style(themes.Spark),
		Band: t.Style(themes.ChartBand), Area: t.Style(themes.ChartArea), Axis: t.Style(themes.Axis),
		Cursor: t.Style(themes.Cursor), Range: t.Style(themes.RangeMark), Peak: t.Style(themes.PeakMark), Mark: t.Style(themes.Mark),
		Frames: t.Flames(), Box: t.Style(themes.Popup),
		Glyphs: widget.UnicodeGlyphs(),
	}
	if !unicode {
		k.Glyphs = widget.ASCIIGlyphs()
	}
	return k
}
