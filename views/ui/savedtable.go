package ui

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/memtui/memtui/views/widget"
)

// Savable is a table of a list whose columns and rows can be saved as they are shown.
type Savable interface {
	// Frozen returns the table as it is now, whatever is shown later.
	Frozen() SavedTable
}

// SavedTable is a table that can be saved. Its methods belong to the event loop.
type SavedTable interface {
	widget.Table
	Heads() []SavedHead
	Plain(row, col int) string // the cell for programs: numbers without units
}

// SavedHead is the head of a column.
type SavedHead struct {
	Title  string
	Key    string // its name for programs
	Right  bool   // its texts are right-aligned
	Unseen bool   // the screen does not have it, or it has no title
}

// Frozen implements [Savable].
func (t *Table[D, R]) Frozen() SavedTable {
	frozen := *t
	frozen.Columns()
	return &frozen
}

// Heads implements [SavedTable].
func (t *Table[D, R]) Heads() []SavedHead {
	cols := t.Columns()
	out := make([]SavedHead, len(cols))
	for i := range cols {
		c := &cols[i]
		title := cmp.Or(c.Shown, c.Title)
		out[i] = SavedHead{Title: title, Key: cmp.Or(c.Key, strings.ReplaceAll(strings.ToLower(title), " ", "_")),
			Right: c.Right || c.Figure != NoFigure, Unseen: c.Hidden || title == ""}
	}
	return out
}

// Plain implements [SavedTable].
func (t *Table[D, R]) Plain(row, col int) string {
	c, r := &t.Columns()[col], t.Row(row)
	switch {
	case c.Known != nil && !c.Known(r):
		return ""
	case c.Figure == ShareFigure && c.Share != nil:
		return strconv.FormatFloat(c.Share(r), 'g', 4, 64)
	case c.Figure != NoFigure && c.Value != nil:
		return strconv.FormatUint(c.Value(r), 10)
	case c.Figure != NoFigure && c.Number != nil:
		return strconv.FormatFloat(c.Number(r), 'f', -1, 64)
	case c.Text != nil:
		return c.Text(r)
	}
	return t.Cell(row, col).Text
}
