package fleet

import (
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// tabHit is where the name of a screen is.
type tabHit struct {
	from, to int
	kind     fleet.Kind
}

// leastTabs is the height from which the screens have a row.
const leastTabs = 12

// drawFrame draws header, screens, restrictions, the screen, and the footer.
func (a *app) drawFrame(s tcell.Screen, r widget.Rect) {
	if r.W < 1 || r.H < 1 {
		return
	}
	header, r := r.CutTop(1)
	a.drawHeader(s, header)
	r, footer := r.CutBottom(1)
	a.tabs = a.tabs[:0]
	if r.H >= leastTabs {
		tabs, rest := r.CutTop(1)
		a.drawTabs(s, tabs)
		r = rest
	}
	if len(a.now.restrictions()) > 0 && r.H > 3 {
		line, rest := r.CutTop(1)
		a.drawRestrictions(s, line)
		r = rest
	}
	a.drawPage(s, r)
	if a.overlay != nil {
		a.overlay.Draw(s, r, a.Look)
	}
	a.drawFooter(s, footer)
}

// over returns the style of a role on the background of another style.
func (a *app) over(r themes.Role, on tcell.Style) tcell.Style {
	_, bg, _ := on.Decompose()
	return a.Style(r).Background(bg)
}

// drawHeader names the fleet, what is listed, and how many recordings that is of.
func (a *app) drawHeader(s tcell.Screen, r widget.Rect) {
	st := a.Style(themes.StatusBar)
	widget.Fill(s, r, st)
	title := nameOf(a.now.kind) + " · " + a.now.title()
	if d, ok := a.page().lazy.Get(); ok && a.now.kind == fleet.Diff && d.question.Before != "" {
		title += " · " + widget.Truncate(model.Clean(d.question.Before+" → "+d.question.After), max(r.W/3, 8))
	}
	right := a.counted()
	room := r.W - widget.Width(title) - widget.Width(right) - 6
	x := r.X + 1
	if name := widget.ShortenPath(model.Clean(a.o.Place), max(room, 8)); room >= 8 {
		x += widget.Print(s, x, r.Y, r.W-2, name, a.over(themes.Accent, st)) + 2
	}
	widget.Print(s, x, r.Y, r.X+r.W-x-1, title, st.Bold(true))
	if r.W-2-widget.Width(title) > widget.Width(right)+2 {
		widget.PrintRight(s, r.X, r.Y, r.W-1, right, st)
	}
}

// counted says how many recordings the rows are of, or that they are requested for.
func (a *app) counted() string {
	p := a.page()
	d, ok := p.lazy.Get()
	switch {
	case p.lazy.Failure() != nil:
		return "no answer"
	case !ok || !p.lazy.Fresh():
		return "asking " + a.Look.Glyphs.Ellipsis
	}
	b := &d.answer.Basis
	if a.now.kind == fleet.Recordings {
		return model.Counted(b.Recordings, "recording")
	}
	text := model.Group(b.Counted) + " of " + model.Counted(b.Recordings, "recording")
	if b.Incomplete > 0 {
		text += ", " + model.Group(b.Incomplete) + " cut"
	}
	return text
}

// drawTabs shows the screens with their numbers.
func (a *app) drawTabs(s tcell.Screen, r widget.Rect) {
	st := a.Style(themes.StatusBar)
	widget.Fill(s, r, st)
	x, gap := r.X, 1
	if r.W < 76 {
		gap = 0
	}
	for i, k := range screens() {
		key, name := a.over(themes.Muted, st), st
		if k == a.now.kind {
			name = a.Style(themes.Selection)
			key = name
		}
		from := x
		x += widget.Print(s, x, r.Y, r.X+r.W-x, " "+strconv.Itoa(i+1), key)
		x += widget.Print(s, x, r.Y, r.X+r.W-x, " "+nameOf(k)+" ", name)
		a.tabs = append(a.tabs, tabHit{from, x, k})
		x += gap
	}
}

// drawRestrictions shows what is kept only, muted where it does not matter on this screen.
func (a *app) drawRestrictions(s tcell.Screen, r widget.Rect) {
	x := r.X + 1
	x += widget.Print(s, x, r.Y, r.W-2, "only", a.Look.Muted) + 1
	for _, q := range a.now.restrictions() {
		style := a.Style(themes.Badge)
		if !a.now.matters(&q) {
			style = a.Look.Muted
		}
		x += widget.Print(s, x, r.Y, r.X+r.W-x-1, " "+q.label+" "+model.Clean(q.value)+" ", style) + 1
	}
}

// drawPage draws the rows of the screen, and what explains the selected one; what the figures are of in the title.
func (a *app) drawPage(s tcell.Screen, r widget.Rect) {
	p := a.page()
	p.List.Empty = a.empty(p)
	p.List.HideHeader = p.List.Len() == 0
	notes := a.notes(r)
	if p.List.Len() == 0 {
		notes = a.notesIn(r.W-2, r.H-4)
	}
	body, below := r.CutBottom(len(notes))
	p.Split(body)
	if !p.ListAt.Empty() {
		p.table.Layout(p.ListAt.W, a.styled(p))
		p.List.Focused = !p.InDetail
		p.List.Draw(s, p.ListAt, a.Look)
	}
	if at := p.DetailAt; !at.Empty() {
		if at.Y == p.ListAt.Y && at.X > p.ListAt.X {
			var rule widget.Rect
			rule, at = at.CutLeft(1)
			for y := range rule.H {
				s.Put(rule.X, rule.Y+y, a.Look.Glyphs.Vertical, a.Look.Rule)
			}
		}
		p.Detail.Draw(s, at, a.Look, p.InDetail)
	}
	for i, line := range notes {
		widget.Print(s, below.X+1, below.Y+i, below.W-2, line, a.Look.Muted)
	}
}

// notes returns the lines about what the figures are of that fit below the rows: of low screens the first.
func (a *app) notes(r widget.Rect) []string {
	const low, high = 16, 30
	switch {
	case r.H < low:
		return nil
	case r.H < high:
		return a.notesIn(r.W-2, 1)
	}
	return a.notesIn(r.W-2, r.H/8)
}

// notesIn returns the notes in at most so many lines: complete ones only.
func (a *app) notesIn(w, lines int) (list []string) {
	d, ok := a.page().lazy.Get()
	if !ok {
		return nil
	}
	all := append([]string{}, d.warnings...)
	for _, n := range append(all, d.notes...) {
		more := widget.Wrap(n, w)
		if len(list)+len(more) > lines {
			break
		}
		list = append(list, more...)
	}
	return list
}

// drawFooter draws the prompt, a message, or the keys that matter here.
func (a *app) drawFooter(s tcell.Screen, r widget.Rect) {
	if a.prompt != nil {
		a.prompt.draw(s, r, a.Look, a.Style(themes.Input))
		return
	}
	st := a.Style(themes.HintText)
	widget.Fill(s, r, st)
	if a.message != "" {
		lines := widget.Wrap(widget.Clean(a.message), max(r.W-2, 1))
		lines = lines[:min(len(lines), r.Y)]
		r = widget.Rect{X: r.X, Y: r.Y - len(lines) + 1, W: r.W, H: len(lines)}
		widget.Fill(s, r, st)
		for i, l := range lines {
			widget.Print(s, r.X+1, r.Y+i, r.W-2, l, a.over(themes.Accent, st))
		}
		return
	}
	x := r.X + 1
	for _, h := range a.Keys.UsefulHints(r.W, a.useful, a.scopes()...) {
		x += widget.Print(s, x, r.Y, r.X+r.W-x, h.Keys, a.Style(themes.HintKey)) + 1
		x += widget.Print(s, x, r.Y, r.X+r.W-x, h.Text, st) + 2
		if h.Text == "" {
			x--
		}
	}
}

// useful reports whether an action does anything now.
func (a *app) useful(act keymap.Action) bool {
	rows := a.page().List.Len()
	switch act {
	case keymap.Open, keymap.FullRow, keymap.Copy:
		return rows > 0
	case keymap.Sort:
		return rows > 1
	case keymap.Only:
		return rows > 0 || a.now.service != ""
	case keymap.Back:
		return len(a.past) > 0 || a.page().filter != ""
	case keymap.Cost:
		return len(a.now.figures()) > 1
	}
	return works(act)
}

// textView is a text over the screen.
type textView struct {
	title string
	text  widget.TextView
}

func newTextView(title string, lines []widget.Line) *textView {
	v := &textView{title: title}
	v.text.SetLines(lines)
	return v
}

// Draw implements [ui.Overlay], as do the methods below.
func (v *textView) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	const width = 100
	in := ui.OverlayBox(s, r, width, v.text.Rows(max(min(r.W, width)-5, 1))+2, k, v.title)
	v.text.Draw(s, in, k.InBox())
}

func (v *textView) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeText} }

func (v *textView) Do(act keymap.Action) bool { return ui.ScrollText(&v.text, act) }

func (v *textView) Key(*tcell.EventKey) bool { return false }

// rowText returns the selected row, a line for each column.
func rowText(l *widget.List, k *widget.Look) (lines []widget.Line, text string) {
	width := 0
	for _, f := range l.SelectedFields() {
		width = max(width, widget.Width(f.Title)+2)
	}
	var all []string
	for _, f := range l.SelectedFields() {
		label := f.Title + strings.Repeat(" ", max(width-widget.Width(f.Title), 0))
		lines = append(lines, widget.Line{Spans: []widget.Span{{Text: label, Style: k.Muted}, {Text: f.Text}}, Indent: width})
		all = append(all, model.Clean(f.Title+"\t"+f.Text))
	}
	return lines, strings.Join(all, "\n")
}
