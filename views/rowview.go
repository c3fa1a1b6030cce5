package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// rowView shows a row of a list in full: every column with its title, then what a copy of the row has in addition.
type rowView struct {
	app   *app
	title string
	text  widget.TextView
	copy  string
}

// showRow shows the selected row in full, or the reason why there is none.
func (a *app) showRow() {
	if len(a.overlays) > 0 {
		return
	}
	var lines []widget.Line
	if l, ok := a.current().(ui.Lister); ok {
		lines = rowLines(l.FocusedList(), a.Look.InBox())
	}
	text := a.current().CopyText()
	if text != "" {
		if len(lines) > 0 {
			lines = append(lines, widget.Line{})
		}
		for t := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			lines = append(lines, widget.Plain(strings.ReplaceAll(t, "\t", "  ")))
		}
	}
	if len(lines) == 0 {
		a.say(a.Hint("no row is selected here: {next-pane} goes to the next pane"))
		return
	}
	v := &rowView{app: a, title: "Selected row", copy: text}
	v.text.SetLines(lines)
	a.Popup(v)
}

// rowLines returns the selected row of a list, a line for each column that has a title and a text.
func rowLines(l *widget.List, k *widget.Look) (lines []widget.Line) {
	if l == nil {
		return nil
	}
	width := 0
	for _, f := range l.SelectedFields() {
		width = max(width, widget.Width(f.Title)+2)
	}
	for _, f := range l.SelectedFields() {
		label := f.Title + strings.Repeat(" ", max(width-widget.Width(f.Title), 0))
		lines = append(lines, widget.Line{Spans: []widget.Span{{Text: label, Style: k.Muted}, {Text: f.Text}}, Indent: width})
	}
	return lines
}

func (v *rowView) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeText} }

func (v *rowView) Key(*tcell.EventKey) bool { return false }

func (v *rowView) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	const most = 120
	rows := v.text.Rows(max(min(r.W, most)-5, 1))
	in := ui.OverlayBox(s, r, most, rows+2, k, v.title)
	v.text.Draw(s, in, k.InBox())
}

func (v *rowView) Do(act keymap.Action) bool { return ui.ScrollText(&v.text, act) }

// CopyText implements copier.
func (v *rowView) CopyText() string { return v.copy }
