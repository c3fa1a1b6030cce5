package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// Lead is something to look at first.
type Lead struct {
	Sign  string
	Role  themes.Role // of the sign
	Kind  string      // in a word, "" for none
	Text  string      // a sentence
	Spark []uint64    // how it developed; nil where that says nothing
}

// Leads is the pane of what to look at first: sentences that are wrapped, the most telling first. It is no [Table]:
// there are no figures to sort or filter by.
type Leads struct {
	env    *Env
	Of     string // what the rows cover, to follow their number; "" for everything
	noun   string // of one row
	kind   int    // cells of signs and words
	follow func()
	list   widget.List
	at     widget.Rect
	rows   []Lead
	lines  []leadLine // of the rows, wrapped
	width  int        // that they are wrapped for
	room   int        // lines that there are for them, 0 while nothing was drawn
	chosen int        // the row that was in full when they were wrapped
}

// leadLine is a line of a sentence: a row of the list.
type leadLine struct {
	of, nth int
	text    string
}

// Cells of the columns next to the text.
const (
	leadSpark = 24
	leadWide  = 110 // from here on the text leaves room for its curve
)

// fewLeads is the number of rows that stay visible around the selected one: it gives up lines for them.
const fewLeads = 3

// NewLeads returns an empty pane whose rows are called by a noun, with so many cells for signs and kinds. follow goes
// where the chosen row leads.
func NewLeads(e *Env, noun string, kind int, follow func()) *Leads {
	p := &Leads{env: e, noun: noun, kind: kind, follow: follow}
	p.list = widget.List{
		Table: p, HideHeader: true, SortColumn: -1, Column: -1,
		Columns: []widget.Column{{Width: kind}, {Width: 20, Grow: 1}, {Width: leadSpark, Drop: 1}},
	}
	return p
}

// Show adopts rows, or says why there are none.
func (p *Leads) Show(rows []Lead, empty []string) {
	p.rows, p.list.Empty = rows, empty
	p.wrap(max(p.width, 1), p.room, p.chosen)
}

// Begin chooses the first row.
func (p *Leads) Begin() { p.choose(0) }

// Place moves the pane; it is not drawn where the place is empty.
func (p *Leads) Place(r widget.Rect) { p.at = r }

// Contains reports whether the pane is at a place.
func (p *Leads) Contains(x, y int) bool { return p.at.Contains(x, y) }

// Height returns the lines that the pane would like to have, its heading included.
func (p *Leads) Height(w int) int { return 1 + max(len(p.broken(w, 0)), 1) }

// wrap breaks the sentences into lines for a pane of w cells and some lines.
func (p *Leads) wrap(w, room, chosen int) {
	p.width, p.room, p.chosen = w, room, max(0, min(chosen, len(p.rows)-1))
	p.lines = p.broken(w, room)
	p.list.Refresh()
}

// sparks reports whether any row has a curve.
func (p *Leads) sparks() bool {
	for i := range p.rows {
		if p.rows[i].Spark != nil {
			return true
		}
	}
	return false
}

// broken returns the lines of the sentences in w cells. Where some lines, 0 for any number, are too few for all of
// them, the chosen one has as many as leave some others in view, and these as many
// clauses as what is left has room for.
func (p *Leads) broken(w, lines int) (out []leadLine) {
	room := w - p.kind - 5 // pointer, gap and scroll bar
	if w >= leadWide && p.sparks() {
		room -= leadSpark + 2
	}
	sentences, total := make([][]string, len(p.rows)), 0
	for i := range p.rows {
		sentences[i] = widget.Wrap(p.rows[i].Text, max(room, 1))
		total += len(sentences[i])
	}
	spare := max(lines-len(sentences), 0)
	if n := len(sentences); lines > 0 && total > lines && n > 0 {
		c := max(0, min(p.chosen, n-1))
		sentences[c] = widget.Clauses(sentences[c], max(lines-min(n-1, fewLeads), 1))
		spare -= len(sentences[c]) - 1
		for i := range sentences {
			if i != c {
				sentences[i] = widget.Clauses(sentences[i], 1+max(spare, 0))
				spare -= len(sentences[i]) - 1
			}
		}
	}
	for i, list := range sentences {
		for n, text := range list {
			out = append(out, leadLine{i, n, text})
		}
	}
	return out
}

// Selected returns the number of the chosen row, -1 for none.
func (p *Leads) Selected() int {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.lines) {
		return -1
	}
	return p.lines[row].of
}

// choose selects a row by its first line; all of its lines come into view.
func (p *Leads) choose(of int) {
	p.wrap(p.width, p.room, of)
	first, last := -1, 0
	for i := range p.lines {
		if p.lines[i].of == p.chosen {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first >= 0 {
		p.list.Select(last)
		p.list.Select(first)
	}
}

// Draw draws the pane where it was placed.
func (p *Leads) Draw(s tcell.Screen, focused bool) {
	if p.at.Empty() {
		return
	}
	head, body := p.at.CutTop(1)
	look := p.env.Look
	if focused {
		look = FocusedLook(look)
	}
	answer := ""
	if n := len(p.rows); n > 0 {
		answer = model.Counted(n, p.noun) + p.Of
	}
	widget.TitleLine(s, head, look, "Look here first", answer)
	p.list.Focused = focused && len(p.rows) > 0
	if p.width != p.at.W || p.room != body.H {
		p.wrap(p.at.W, body.H, p.chosen)
	}
	p.list.Columns[2].Width = leadSpark
	if p.at.W < leadWide || !p.sparks() { // the text is worth more than its curve: no room for it
		p.list.Columns[2].Width = p.at.W
	}
	p.list.Draw(s, body, p.env.Look)
}

// Len, ID and Cell implement widget.Table.
func (p *Leads) Len() int { return len(p.lines) }

func (p *Leads) ID(row int) uint64 { return uint64(p.lines[row].of)<<16 | uint64(p.lines[row].nth) }

func (p *Leads) Cell(row, col int) widget.Cell {
	l := &p.lines[row]
	f := &p.rows[l.of]
	switch {
	case col == 1:
		return widget.Cell{Text: l.text}
	case l.nth > 0:
		return widget.Cell{}
	case col == 0:
		return widget.Cell{Text: strings.TrimSuffix(f.Sign+" "+f.Kind, " "), Style: p.env.Style(f.Role)}
	}
	return widget.Cell{Kind: widget.SparkCell, Spark: f.Spark}
}

// Do follows the chosen row, or chooses another one.
func (p *Leads) Do(a keymap.Action) bool {
	of := max(p.Selected(), 0)
	switch a {
	case keymap.Open:
		p.follow()
	case keymap.Up:
		p.choose(of - 1)
	case keymap.Down:
		p.choose(of + 1)
	case keymap.First:
		p.choose(0)
	case keymap.Last:
		p.choose(len(p.rows) - 1)
	default:
		return MoveList(&p.list, a)
	}
	return true
}

// Hit chooses the row at a place; false means that there is none.
func (p *Leads) Hit(x, y int) bool {
	row, ok := p.list.HitRow(x, y)
	if ok {
		p.choose(p.lines[row].of)
	}
	return ok
}

// Scroll moves the lines.
func (p *Leads) Scroll(lines int) { p.list.Scroll(lines) }

// CopyText returns the chosen row.
func (p *Leads) CopyText() string {
	n := p.Selected()
	if n < 0 {
		return ""
	}
	r := &p.rows[n]
	if r.Kind == "" {
		return model.Clean(r.Text)
	}
	return model.Clean(r.Kind + "  " + r.Text)
}
