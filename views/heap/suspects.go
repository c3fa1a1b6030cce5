package heap

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// suspectPane lists the suspects of the snapshot, each as a sentence that is wrapped, not cut.
type suspectPane struct {
	p      *snapshots
	at     widget.Rect // where it draws, its heading included
	found  *ui.HeapSuspects
	sel    int
	offset int // first row of text on screen
	rows   []suspectRow
	width  int // width at which rows were wrapped, 0 for none
}

// suspectRow is a row of a sentence.
type suspectRow struct {
	of    int // suspect
	first bool
	text  string
}

// mostSuspectRows is the maximum number of rows of text that the pane asks for.
const mostSuspectRows = 12

// Show adopts a state.
func (l *suspectPane) Show(s *state.State) {
	if found := l.p.Loads.AskSuspects(s); found != l.found {
		l.found, l.sel, l.offset, l.width = found, 0, 0, 0
	}
}

func (l *suspectPane) len() int {
	if l.found == nil {
		return 0
	}
	return len(l.found.List)
}

// wrap breaks the sentences for a width.
func (l *suspectPane) wrap(w int) {
	if l.width == w {
		return
	}
	l.width, l.rows = w, l.rows[:0]
	for i := range l.len() {
		for n, text := range widget.Wrap(suspectText(&l.found.List[i]), w-suspectIndent-1) {
			l.rows = append(l.rows, suspectRow{i, n == 0, text})
		}
	}
}

// suspectIndent is where sentences begin: after the mark of the selected one and the sign.
const suspectIndent = 3

// height returns the preferred height of the pane, including its heading: all sentences if they fit, at least the
// first, and never a part of one.
func (l *suspectPane) height(w, room int) int {
	if l.len() == 0 {
		return 2
	}
	l.wrap(w)
	whole := 0
	for i := range l.rows {
		if i+1 == len(l.rows) || l.rows[i+1].first {
			if n := i + 1; whole == 0 || n <= min(room-1, mostSuspectRows) {
				whole = n
			}
		}
	}
	return whole + 1
}

func (l *suspectPane) Draw(s tcell.Screen) {
	if l.at.Empty() {
		return
	}
	head, body := l.at.CutTop(1)
	look, focused := l.p.Look, l.p.focus == onSuspects
	if focused {
		look = ui.Dressed(look)
	}
	answer := ""
	if n := l.len(); n > 0 {
		answer = model.Counted(n, "suspect")
	}
	widget.TitleLine(s, head, look, "Look here first", answer)
	if l.len() == 0 {
		for i, text := range l.p.Loads.NoSuspects(&l.p.State) {
			if i < body.H {
				widget.Print(s, body.X+suspectIndent, body.Y+i, body.W-suspectIndent, text, l.p.Look.Muted)
			}
		}
		return
	}
	l.wrap(body.W)
	l.reveal(body.H)
	for i := range min(body.H, len(l.rows)-l.offset) {
		l.drawRow(s, body, body.Y+i, &l.rows[l.offset+i], focused)
	}
}

// suspectText returns the sentence about a suspect, with the confidence that it grows.
func suspectText(s *suspects.Suspect) string {
	if s.Verdict != suspects.Grows {
		return s.Evidence()
	}
	return s.Evidence() + "; " + ui.Certain(s.Confidence()) + " to grow on"
}

func (l *suspectPane) drawRow(s tcell.Screen, body widget.Rect, y int, r *suspectRow, focused bool) {
	text, selected := l.p.Look.Text, r.of == l.sel
	mark, glyph, role := "", "", themes.Note
	if glyph, role = l.sign(l.found.List[r.of].Verdict); r.first && selected {
		if mark = l.p.Look.Glyphs.Idle; focused {
			mark = l.p.Look.Glyphs.Pointer
		}
	}
	signed := l.p.Style(role)
	if selected && focused {
		text, signed = widget.Over(text, l.p.Look.Selected), widget.Over(signed, l.p.Look.Selected)
		widget.Fill(s, widget.Rect{X: body.X, Y: y, W: body.W, H: 1}, text)
	}
	widget.Print(s, body.X, y, 1, mark, text)
	if r.first {
		widget.Print(s, body.X+1, y, 1, glyph, signed)
	}
	widget.Print(s, body.X+suspectIndent, y, body.W-suspectIndent, r.text, text)
}

// sign returns the sign next to a sentence, and its color.
func (l *suspectPane) sign(v suspects.Verdict) (string, themes.Role) {
	g := &l.p.Look.Glyphs
	switch v {
	case suspects.Grows:
		return g.Loss, themes.Loss
	case suspects.Bounded:
		return g.Same, themes.Note
	}
	return g.Bullet, themes.Note
}

// reveal scrolls so that all of the selected sentence is visible, or its beginning if it does not fit.
func (l *suspectPane) reveal(h int) {
	first, last := len(l.rows), 0
	for i := range l.rows {
		if l.rows[i].of == l.sel {
			first, last = min(first, i), i
		}
	}
	l.offset = max(l.offset, last-h+1)
	l.offset = max(0, min(l.offset, first))
}

// move selects another suspect.
func (l *suspectPane) move(a keymap.Action) bool {
	n := l.len()
	switch a {
	case keymap.Up, keymap.PageUp:
		l.scroll(-1)
	case keymap.Down, keymap.PageDown:
		l.scroll(1)
	case keymap.First:
		l.scroll(-n)
	case keymap.Last:
		l.scroll(n)
	default:
		return false
	}
	l.p.Changed()
	return true
}

// scroll selects a suspect that is so many further.
func (l *suspectPane) scroll(n int) { l.sel = max(0, min(l.sel+n, l.len()-1)) }

// selected returns the selected suspect, nil for none.
func (l *suspectPane) selected() *suspects.Suspect {
	if l.sel >= l.len() {
		return nil
	}
	return &l.found.List[l.sel]
}

// follow shows the accumulation point of the selected suspect, or its type if there is none.
func (l *suspectPane) follow() {
	f := l.selected()
	if f == nil {
		return
	}
	if !f.HasRow {
		l.p.Visit(keymap.ShowTypes, state.SetFilter{Text: ui.FilterFor(f.Name)})
		return
	}
	l.p.Visit(keymap.ShowDominators, state.SetTop{Of: l.found.I, Row: l.found.Lead[l.sel]})
}

func (l *suspectPane) copyText() string {
	if f := l.selected(); f != nil {
		return model.Clean(f.Evidence())
	}
	return ""
}

// hit selects the suspect at a place; false where there is none.
func (l *suspectPane) hit(y int) bool {
	i := y - l.at.Y - 1 + l.offset
	if y <= l.at.Y || i < 0 || i >= len(l.rows) {
		return false
	}
	l.sel = l.rows[i].of
	return true
}
