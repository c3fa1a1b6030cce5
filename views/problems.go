package views

import (
	"slices"
	"strconv"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// problems lists what in the file is damaged, guessed or uncertain, the worst first, and what the file says about itself.
type problems struct {
	ui.Pane
	list widget.List
	rows []model.Problem // those that the search leaves
	all  int
	text string // what is searched

	facts   widget.TextView // about the file
	factsOf factsKey
	inFacts bool // they have the keys
	big     bool // the pane that has the keys fills the screen
}

// factsKey determines the lines of the facts.
type factsKey struct {
	profile *model.Profile
	look    *widget.Look
	read    bool
}

func newProblems(e *ui.Env) *problems {
	p := &problems{Pane: ui.NewPane(e)}
	p.list = widget.List{
		Table: p, SortColumn: -1, Column: -1, Focused: true,
		Columns: []widget.Column{
			{Title: "SEVERITY", Width: 9}, {Title: "COUNT", Width: 6, Align: widget.Right, Drop: 1},
			{Title: "AT BYTE", Width: 9, Align: widget.Right, Drop: 2}, {Title: "WHAT", Width: 20, Grow: 1},
		},
	}
	return p
}

func (p *problems) Name() string { return "Problems" }

func (p *problems) Action() keymap.Action { return keymap.ShowProblems }

func (p *problems) Needs() model.Facet { return model.FacetNone }

func (p *problems) Scopes() []keymap.Scope { return nil }

func (p *problems) Command() []string { return nil }

func (p *problems) About() string {
	if p.all == 0 {
		return ""
	}
	return ui.Plural(p.all, "finding", "findings")
}

func (p *problems) Show(s *state.State) {
	p.State, p.rows, p.all = *s, nil, 0
	if s.Profile != nil {
		p.all = len(s.Profile.Problems)
		match := ui.NameMatcher(p.text)
		for _, q := range s.Profile.Problems {
			if match(q.Code + " " + q.Severity.String() + " " + q.Message) {
				p.rows = append(p.rows, q)
			}
		}
		slices.SortStableFunc(p.rows, func(a, b model.Problem) int { return int(b.Severity) - int(a.Severity) })
		p.rows = model.TellingFirst(p.rows)
	}
	p.list.Refresh()
}

// Len, Cell and ID implement widget.Table.
func (p *problems) Len() int { return len(p.rows) }

func (p *problems) ID(row int) uint64 { return uint64(row) }

func (p *problems) Cell(row, col int) widget.Cell {
	q := p.rows[row]
	switch col {
	case 0:
		return widget.Cell{Text: p.sign(q.Severity) + " " + q.Severity.String(), Style: p.severityStyle(q.Severity)}
	case 1:
		return widget.Cell{Text: model.Group(uint64(q.Count))}
	case 2:
		if q.Offset < 0 {
			return widget.Cell{}
		}
		return widget.Cell{Text: strconv.FormatInt(q.Offset, 10)}
	}
	return widget.Cell{Text: q.Message}
}

func (p *problems) sign(s model.Severity) string {
	return [...]string{p.Look.Glyphs.Bullet, p.Look.Glyphs.Warning, p.Look.Glyphs.Loss}[s]
}

func (p *problems) severityStyle(s model.Severity) tcell.Style {
	return p.Style([...]themes.Role{themes.Note, themes.Warning, themes.Error}[s])
}

// Draw implements tview.Primitive: the list, the selected finding in full, and the facts about the file, one below the other
// without gaps.
func (p *problems) Draw(s tcell.Screen) {
	r := p.Rect()
	p.list.Empty, p.list.Focused = p.emptyText(), !p.inFacts
	if p.big && p.inFacts && p.State.Profile != nil {
		p.drawFacts(s, r)
		return
	}
	rows := len(p.rows)
	if rows == 0 {
		rows = len(p.list.Empty)
	}
	most := max(r.H/2, 3)
	if p.big {
		most = r.H
	}
	list, rest := r.CutTop(min(max(rows+1, 3), most))
	p.list.Draw(s, list, p.Look)
	if p.State.Profile == nil {
		return
	}
	if row, ok := p.list.Selected(); ok && row < len(p.rows) {
		rest = p.drawFinding(s, rest, &p.rows[row])
	}
	_, rest = rest.CutTop(1)
	p.drawFacts(s, rest)
}

// drawFacts shows what the file says about itself.
func (p *problems) drawFacts(s tcell.Screen, r widget.Rect) {
	title, r := r.CutTop(1)
	if r.Empty() {
		return
	}
	look := p.Look
	if p.inFacts {
		look = ui.Dressed(look)
	}
	widget.TitleLine(s, title, look, "This file", p.State.Profile.Meta.Format)
	if k := (factsKey{p.State.Profile, p.Look, p.State.Status.Final}); k != p.factsOf {
		p.factsOf = k
		p.facts.Replace(factLines(k.profile, k.look, k.read))
	}
	p.facts.Draw(s, r.Inset(1, 0), p.Look)
}

func (p *problems) emptyText() []string {
	switch {
	case p.State.Profile == nil:
		return []string{"Opening the file …"}
	case p.all > 0:
		return []string{"No finding has that in it.", "/ and Ctrl-U shows all of them."}
	case p.State.Profile.Complete:
		return []string{p.Look.Glyphs.Check + " Nothing in this file is damaged, guessed or uncertain.",
			"  memtui validate checks every rule of the format."}
	}
	return []string{"Nothing wrong so far, but the file is not read to its end."}
}

// drawFinding shows a finding in full and returns what is left of r.
func (p *problems) drawFinding(s tcell.Screen, r widget.Rect, q *model.Problem) (rest widget.Rect) {
	_, r = r.CutTop(1)
	title, r := r.CutTop(1)
	where := ""
	if q.Count > 1 {
		where = model.Group(uint64(q.Count)) + " times"
	}
	if q.Offset >= 0 {
		if where != "" {
			where += ", first "
		}
		where += "at byte " + model.Group(uint64(q.Offset))
	}
	widget.TitleLine(s, title, p.Look, p.sign(q.Severity)+" "+q.Code, where)
	lines := widget.Wrap(q.Message, r.W-2)
	for i, l := range lines[:min(len(lines), r.H)] {
		widget.Print(s, r.X+1, r.Y+i, r.W-2, l, p.Look.Text)
	}
	_, rest = r.CutTop(len(lines))
	return rest
}

func (p *problems) Do(a keymap.Action) bool {
	switch {
	case a == keymap.NextPane, a == keymap.PreviousPane:
		p.inFacts = !p.inFacts
	case a == keymap.Maximise:
		p.big = !p.big
	case a == keymap.Back && (p.big || p.inFacts):
		p.big, p.inFacts = false, false
	case a == keymap.Back && p.text != "":
		p.Find("")
	case p.inFacts:
		return ui.ScrollText(&p.facts, a)
	default:
		return ui.MoveList(&p.list, a)
	}
	return true
}

// Find implements finder: only findings that match are listed.
func (p *problems) Find(text string) { p.text = text; p.Changed() }

func (p *problems) FindText() string { return p.text }

// Click implements clicker.
func (p *problems) Click(x, y int, _ bool) {
	if row, ok := p.list.HitRow(x, y); ok {
		p.inFacts = false
		p.list.Select(row)
	}
}

func (p *problems) Drag(_, _, _, _ int, _ bool) {}

func (p *problems) Wheel(_, _, rows int) { p.list.Scroll(rows) }

func (p *problems) CopyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return ""
	}
	q := p.rows[row]
	return widget.Clean(q.Severity.String() + " " + q.Code + ": " + q.Message)
}
