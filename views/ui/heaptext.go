package ui

import (
	"strings"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// ShareCell returns a bar.
func ShareCell(n, whole uint64) widget.Cell {
	return widget.Cell{Kind: widget.BarCell, Bar: ShareOf(n, whole)}
}

// RowText returns the text for a row by its number ("#40,211").
func RowText(r model.Row) string { return "#" + model.Group(uint64(r)) }

// HeapName returns a name of a snapshot as tables show it.
func HeapName(name string) string {
	if name == "" {
		return "<anon>"
	}
	return name
}

// Note returns a line of text in the muted style.
func (e *Env) Note(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, ""), Style: e.Look.Muted}}, Indent: 2}
}

// TextLine returns a line of text whose continuation rows are indented.
func TextLine(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, "")}}, Indent: 2}
}
