package views

import (
	"strconv"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// problems lists what in the file is damaged, guessed or uncertain, and what the file says about itself.
type problems struct {
	pane
	list widget.List
	rows []model.Problem
}

func newProblems(e *env) *problems {
	p := &problems{pane: newPane(e)}
	p.list = widget.List{
		Table: p, SortColumn: -1, Column: -1, Focused: true,
		Columns: []widget.Column{
			{Title: "SEVERITY", Width: 9}, {Title: "COUNT", Width: 8, Align: widget.Right, Drop: 1},
			{Title: "OFFSET", Width: 14, Align: widget.Right, Drop: 2}, {Title: "WHAT", Width: 20, Grow: 1},
		},
		Empty: []string{"Nothing in this file is damaged, guessed or uncertain.", "`memtui validate` checks every rule of the format."},
	}
	return p
}

func (p *problems) name() string           { return "Problems" }
func (p *problems) action() keymap.Action  { return keymap.ShowProblems }
func (p *problems) needs() model.Facet     { return model.FacetNone }
func (p *problems) scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeTable} }

func (p *problems) about() string {
	if len(p.rows) == 0 {
		return ""
	}
	return plural(len(p.rows), "finding", "findings")
}

func (p *problems) show(s *State) {
	p.state, p.rows = *s, nil
	if s.Profile != nil {
		p.rows = s.Profile.Problems
	}
	p.list.Refresh()
}

// Len, Cell and ID implement widget.Table.
func (p *problems) Len() int          { return len(p.rows) }
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
	return [...]string{p.look.Glyphs.Bullet, p.look.Glyphs.Warning, p.look.Glyphs.Loss}[s]
}

func (p *problems) severityStyle(s model.Severity) tcell.Style {
	return p.style([...]themes.Role{themes.Note, themes.Warning, themes.Error}[s])
}

// Draw implements tview.Primitive: the list, and the selected finding in full below it with the facts about the file.
func (p *problems) Draw(s tcell.Screen) {
	list, detail := p.rect().CutBottom(min(p.rect().H/2, 10))
	p.list.Draw(s, list, p.look)
	if detail.Empty() || p.state.Profile == nil {
		return
	}
	title, rest := detail.CutTop(1)
	widget.TitleLine(s, title, p.look, "This file", p.state.Profile.Meta.Format)
	var lines []string
	if row, ok := p.list.Selected(); ok && row < len(p.rows) {
		lines = append(widget.Wrap(p.rows[row].Code+": "+p.rows[row].Message, rest.W-2), "")
	}
	for _, f := range fileFacts(p.state.Profile) {
		lines = append(lines, widget.Wrap(f, rest.W-2)...)
	}
	for i, l := range lines[:min(len(lines), rest.H)] {
		widget.Print(s, rest.X+1, rest.Y+i, rest.W-2, l, p.look.Text)
	}
}

func (p *problems) do(a keymap.Action) bool { return moveList(&p.list, a) }

func (p *problems) copyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return ""
	}
	q := p.rows[row]
	return widget.Clean(q.Severity.String() + " " + q.Code + ": " + q.Message)
}

// moveList moves the selection of a list by the usual actions.
func moveList(l *widget.List, a keymap.Action) bool {
	switch a {
	case keymap.Up:
		l.Move(-1)
	case keymap.Down:
		l.Move(1)
	case keymap.PageUp:
		l.Page(-1)
	case keymap.PageDown:
		l.Page(1)
	case keymap.First:
		l.Home()
	case keymap.Last:
		l.End()
	default:
		return false
	}
	return true
}
