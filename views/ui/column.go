package ui

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// Figure is how the numbers of a column are written.
type Figure uint8

// The kinds of figures. Columns of text have none.
const (
	NoFigure Figure = iota
	BytesFigure
	CountFigure
	ShareFigure  // Column.Share
	TimeFigure   // microseconds
	AmountFigure // Column.Amounts, in its Unit
)

// Column is one column of a table as data: how it is laid out and drawn, what it sorts by, what filters compare, and
// what reports call it. R is a row of the table. All functions but Cell may be called on any goroutine.
type Column[R any] struct {
	Title    string // one of package titles; also identifies the column
	Shown    string // drawn in place of Title, "" for that
	Width    int    // cells at least
	Wider    int    // additional cells if figures have their units
	Grow     int    // as of [widget.Column]
	MaxWidth int
	Drop     int
	Cut      widget.Cut
	Right    bool // text is right-aligned, as figures always are
	Muted    bool // text is drawn muted
	Hidden   bool // not shown, and cannot sort: it does not apply now

	Key    string   // its name in JSON reports, "" if they do not have it
	Order  string   // the name of its order in reports, if it is not Key
	Fields []string // its names in filters
	Figure Figure
	Unit   ProfileUnit // of amounts

	Value   func(r *R) uint64
	Number  func(r *R) float64         // instead of Value: may be negative or fractional
	Known   func(r *R) bool            // nil if the figure is known for every row
	AtLeast func(r *R) bool            // nil if no figure is a lower bound
	Unknown func() string              // shown for unknown figures, on the event loop; nil for nothing
	Total   uint64                     // the total that Value is a part of, 0 for none
	Share   func(r *R) float64         // instead of Value/Total
	Amounts func(r *R) [2]model.Amount // instead of Value: what it sorts by, and then
	Text    func(r *R) string          // sorts by the alphabet
	Rank    func(r *R) uint64          // sort key instead of Value, larger ones first
	Tie     func(r *R) uint64          // sort key for equal ranks, larger ones first
	Cell    func(r *R) widget.Cell     // on the event loop; nil to draw the figure or text
	Like    string                     // the title of the column whose order it shares: of bars and curves
}

// Sorts reports whether the column has an order of its own.
func (c *Column[R]) Sorts() bool {
	return !c.Hidden && c.Like == "" && (c.Value != nil || c.Share != nil || c.Number != nil || c.Amounts != nil ||
		c.Text != nil || c.Rank != nil)
}

// OrderKey returns the name of the order in reports, "" if they have none.
func (c *Column[R]) OrderKey() string { return cmp.Or(c.Order, c.Key) }

// signed reports whether the column has changes, which sort by their absolute size.
func (c *Column[R]) signed() bool { return c.Number != nil && c.Rank != nil }

// rank returns the sort key of rows, larger ones first; nil if rows sort by text or amounts.
func (c *Column[R]) rank() func(r *R) uint64 {
	switch {
	case c.Rank != nil:
		return c.Rank
	case c.Figure == ShareFigure && c.Share != nil:
		return func(r *R) uint64 { return Sortable(c.Share(r)) }
	case c.Number != nil:
		return func(r *R) uint64 { return Sortable(c.Number(r)) }
	}
	return c.Value
}

// Sortable maps numbers to unsigned ones of the same order.
func Sortable(v float64) uint64 {
	const sign = 1 << 63
	if b := math.Float64bits(v); b&sign == 0 {
		return b | sign
	} else {
		return ^b
	}
}

// Draw returns the cell of a row.
func (c *Column[R]) Draw(r *R, f Figures, k *widget.Look) widget.Cell {
	switch {
	case c.Cell != nil:
		return c.Cell(r)
	case c.Figure == AmountFigure:
		return c.amount(r, f, k)
	case c.Known != nil && !c.Known(r):
		return c.unknown(k)
	}
	var cell widget.Cell
	var n uint64
	if c.Value != nil {
		n = c.Value(r)
	}
	switch c.Figure {
	case BytesFigure:
		if cell.Text = f.Bytes(n); c.AtLeast != nil && c.AtLeast(r) {
			cell.Text = "≥ " + cell.Text
		}
	case CountFigure:
		return widget.Cell{Text: f.Count(n)}
	case ShareFigure:
		cell.Text = ShareText(c.Share(r))
		if c.Value == nil {
			return cell
		}
	case TimeFigure:
		return widget.Cell{Text: f.Time(model.Time(n))}
	default:
		if c.Text != nil {
			cell.Text = c.Text(r)
		}
		if c.Muted {
			cell.Style = k.Muted
		}
		return cell
	}
	if n == 0 {
		cell.Style = k.Muted
	}
	return cell
}

// unknown returns the cell of a figure that is not known.
func (c *Column[R]) unknown(k *widget.Look) widget.Cell {
	if c.Unknown == nil {
		return widget.Cell{}
	}
	return widget.Cell{Text: c.Unknown(), Style: k.Muted}
}

// amount returns the cell of an amount.
func (c *Column[R]) amount(r *R, f Figures, k *widget.Look) widget.Cell {
	if c.Known != nil && !c.Known(r) {
		return widget.Cell{Text: "-", Style: k.Muted}
	}
	cell := widget.Cell{Text: c.Unit.Text(c.Amounts(r)[0], f.Exact)}
	if c.Amounts(r)[0].IsZero() {
		cell.Style = k.Muted
	}
	return cell
}

// compared returns the figure that filters compare, or its share.
func (c *Column[R]) compared(r *R, share bool) (v float64, ok bool) {
	if c.Known != nil && !c.Known(r) {
		return 0, false
	}
	switch {
	case share && c.Share != nil:
		return c.Share(r), true
	case share && c.Value != nil && c.Total > 0:
		return ShareOf(c.Value(r), c.Total), true
	case share:
		return 0, false
	case c.Value != nil:
		return float64(c.Value(r)), true
	case c.Number != nil:
		return c.Number(r), true
	case c.Amounts != nil:
		return c.Amounts(r)[0].Float64(), true
	}
	return 0, false
}

// named reports whether the column has texts alone, which filters search by the column's name.
func (c *Column[R]) named() bool {
	return c.Text != nil && c.Value == nil && c.Number == nil && c.Amounts == nil && c.Share == nil
}

// fields returns the figures of columns that filters can compare, and the texts that they can search.
func fields[R any](cols []Column[R]) (all []analysis.Field) {
	for i := range cols {
		if c := &cols[i]; len(c.Fields) > 0 {
			example := [...]string{BytesFigure: ">1M", CountFigure: ">100", ShareFigure: ">=50%", TimeFigure: ">2s",
				AmountFigure: ">1M"}[c.Figure]
			switch {
			case c.signed():
				example = "<0"
			case c.named():
				example = ":text"
			}
			all = append(all, analysis.Field{Names: c.Fields, Time: c.Figure == TimeFigure, Text: c.named(),
				Example: c.Fields[0] + example})
		}
	}
	return all
}

// FilterHint returns what can be typed to filter a table: words, and the first comparisons that do not look alike.
func FilterHint(fields []analysis.Field) string {
	const most = 3
	var seen []string
	hint := "text, !text, "
	for _, f := range fields {
		kind := strings.TrimPrefix(f.Example, f.Names[0])
		if f.Inside && f.Example != "" { // it has a form of its own
			hint += f.Example + ", "
			continue
		}
		if len(seen) == most || slices.Contains(seen, kind) {
			continue
		}
		seen = append(seen, kind)
		hint += f.Example + ", "
	}
	return hint + "/regex/"
}

// Filter parses a filter of a table. A filter that this table cannot apply, such as a comparison of a figure of another
// table, hides the rows that do not match; an invalid filter hides nothing.
func Filter(text string, fields []analysis.Field) *analysis.Filter {
	f, err := analysis.ParseFilter(text, fields...)
	if err != nil {
		f, _ = analysis.ParseFilter(text)
	}
	return f
}

// FilterRow implements [analysis.Row] for rows of a table.
type FilterRow[R any] struct {
	Row   *R
	Words func(r *R) []string // what words of a filter look at; nil for the texts of the columns

	cols  []Column[R]
	texts []string
}

// newFilterRow returns a FilterRow, to be pointed at one row after the other.
func newFilterRow[R any](cols []Column[R], words func(r *R) []string) *FilterRow[R] {
	return &FilterRow[R]{cols: cols, Words: words}
}

// Texts implements [analysis.Row].
func (f *FilterRow[R]) Texts() []string {
	if f.Words != nil {
		return f.Words(f.Row)
	}
	f.texts = f.texts[:0]
	for i := range f.cols {
		if c := &f.cols[i]; c.Text != nil && !c.Hidden {
			f.texts = append(f.texts, c.Text(f.Row))
		}
	}
	return f.texts
}

// Value implements [analysis.Row].
func (f *FilterRow[R]) Value(field string, share bool) (float64, bool) {
	for i := range f.cols {
		if slices.Contains(f.cols[i].Fields, field) {
			return f.cols[i].compared(f.Row, share)
		}
	}
	return 0, false
}

// Part returns the text of a column, for filters.
func (f *FilterRow[R]) Part(name string) (text string, ok bool) {
	for i := range f.cols {
		if c := &f.cols[i]; c.named() && slices.Contains(c.Fields, name) {
			return model.Matched(c.Text(f.Row)), true
		}
	}
	return "", false
}

// Matching returns a function that reports whether a row of a table with such columns passes a filter. It is for one
// goroutine.
func Matching[R any](text string, cols []Column[R]) func(r *R) bool {
	if text == "" {
		return func(*R) bool { return true }
	}
	f, row := Filter(text, fields(cols)), newFilterRow(cols, nil)
	return func(r *R) bool {
		row.Row = r
		return f.Match(row)
	}
}

// exactTime is the width in cells of a time in microseconds.
const exactTime = 14

// layoutOf converts columns for figures up to the given bytes and counts.
func layoutOf[R any](cols []Column[R], f Figures, bytes, count uint64) []widget.Column {
	out := make([]widget.Column, len(cols))
	for i := range cols {
		c := &cols[i]
		out[i] = widget.Column{Title: cmp.Or(c.Shown, c.Title), Width: c.Width, Grow: c.Grow, MaxWidth: c.MaxWidth,
			Drop: c.Drop, Cut: c.Cut}
		if f.Wide {
			out[i].Width += c.Wider
		}
		out[i].Width = max(out[i].Width, len(c.Shown))
		need := 0
		switch c.Figure {
		case BytesFigure:
			need = f.BytesWidth(bytes)
		case CountFigure:
			need = f.CountWidth(count)
		case ShareFigure:
			need = model.ShareWidth
		case AmountFigure:
			need = amountWidth(f.Exact)
		case TimeFigure:
			if f.Exact {
				need = exactTime
			}
		}
		if c.signed() {
			need++
		}
		if c.Figure != NoFigure { // whose title alone says what it is
			need = max(need, widget.Width(out[i].Title))
		}
		out[i].Width = max(out[i].Width, need)
		if c.MaxWidth > 0 {
			out[i].Width = min(out[i].Width, c.MaxWidth)
		}
		if c.Right || c.Figure != NoFigure {
			out[i].Align = widget.Right
		}
		if c.Hidden {
			hide(&out[i])
		}
	}
	return out
}
