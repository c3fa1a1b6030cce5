package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// problems lists what in the file is damaged, guessed or uncertain, the worst first, and the facts of the file.
type problems struct {
	ui.Pane
	list  ui.ListPane
	table *ui.Table[*model.Profile, problemRow]
	text  string // filter of findings

	facts   widget.TextView // about the file
	factsOf factsKey
	inFacts bool // they have the focus
	big     bool // the pane that has the focus fills the screen
}

// problemRow is a finding, and which one of the file it is.
type problemRow struct {
	*model.Problem
	n int
}

// factsKey determines the lines of the facts.
type factsKey struct {
	profile *model.Profile
	look    *widget.Look
	read    bool
}

func newProblems(e *ui.Env) *problems {
	p := &problems{Pane: ui.NewPane(e)}
	p.table = ui.NewTable(e, &p.list, &model.Profile{}, ui.Spec[*model.Profile, problemRow]{
		Rows: func(of *model.Profile) []problemRow {
			list := model.MergeProblems(of.Problems)
			rows := make([]problemRow, len(list))
			for i := range rows {
				rows[i] = problemRow{&list[i], i}
			}
			return rows
		},
		Columns: p.columns,
		ID:      func(_ *model.Profile, r *problemRow) uint64 { return uint64(r.n) },
		Words: func(*model.Profile) func(r *problemRow) []string {
			return func(r *problemRow) []string { return []string{r.Code, r.Severity.String(), r.Message} }
		},
	})
	return p
}

func (p *problems) columns(of *model.Profile) []ui.Column[problemRow] {
	offset := max(9, len(model.Group(uint64(max(of.Meta.Size, 0)))))
	return []ui.Column[problemRow]{
		{Title: titles.Severity, Key: "severity", Width: 9, Rank: severityRank, Cell: func(r *problemRow) widget.Cell {
			return widget.Cell{Text: p.sign(r.Severity) + " " + r.Severity.String(), Style: p.severityStyle(r.Severity)}
		}},
		{Title: titles.Count, Key: "count", Fields: []string{"count"}, Figure: ui.CountFigure, Drop: 1,
			Value: func(r *problemRow) uint64 { return uint64(r.Count) }},
		{Title: titles.AtByte, Key: "offset", Fields: []string{"offset"}, Figure: ui.BytesFigure, Width: offset, Drop: 2,
			Known: func(r *problemRow) bool { return r.Offset >= 0 },
			Value: func(r *problemRow) uint64 { return uint64(max(r.Offset, 0)) }, Cell: offsetCell},
		{Title: titles.What, Key: "message", Width: 20, Grow: 1, Text: func(r *problemRow) string { return r.Message }},
	}
}

// severityRank puts what the program left out first, as the user can change that.
func severityRank(r *problemRow) uint64 {
	rank := uint64(r.Severity)
	if model.CutShort([]model.Problem{*r.Problem}) != nil {
		rank += 1 << 8
	}
	return rank
}

func offsetCell(r *problemRow) widget.Cell {
	if r.Offset < 0 {
		return widget.Cell{}
	}
	return widget.Cell{Text: model.Group(uint64(r.Offset))}
}

// all returns how many findings there are.
func (p *problems) all() int {
	if p.State.Profile == nil {
		return 0
	}
	return len(p.State.Profile.Problems)
}

func (p *problems) Name() string { return "Problems" }

func (p *problems) Action() keymap.Action { return keymap.ShowProblems }

func (p *problems) Needs() model.Facet { return model.FacetNone }

func (p *problems) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeTable} }

// Useless implements [ui.Refuser]: findings are not grouped, there is nothing further in, and often there is none.
func (p *problems) Useless(a keymap.Action) bool {
	switch a {
	case keymap.Group, keymap.Open:
		return true
	case keymap.Sort, keymap.SortReverse, keymap.FullRow, keymap.Find, keymap.Copy:
		return p.all() == 0
	}
	return false
}

func (p *problems) Command() []string { return nil }

func (p *problems) About() string {
	if p.all() == 0 {
		return ""
	}
	return model.Counted(len(model.MergeProblems(p.State.Profile.Problems)), "remark")
}

func (p *problems) Show(s *state.State) {
	p.State = *s
	if s.Profile == nil {
		p.table.Forget()
		return
	}
	p.table.Ask(s.Profile, p.text)
}

func (p *problems) sign(s model.Severity) string {
	return [...]string{p.Look.Glyphs.Bullet, p.Look.Glyphs.Warning, p.Look.Glyphs.Loss}[s]
}

func (p *problems) severityStyle(s model.Severity) tcell.Style {
	return p.Style([...]themes.Role{themes.Note, themes.Warning, themes.Error}[s])
}

// Draw implements tview.Primitive: the list, the selected finding in full, and the facts about the file, one below the
// other without gaps; the list at the left of the others where there is room.
func (p *problems) Draw(s tcell.Screen) {
	r := p.Rect()
	l := &p.list.List
	l.Empty, l.Focused, l.Highlight = p.emptyText(), !p.inFacts, ui.FilterWord(p.text)
	l.HideHeader = p.all() == 0 // no rows below the titles
	if p.big && p.inFacts && p.State.Profile != nil {
		p.drawFacts(s, r)
		return
	}
	if r.W >= ui.SideWidth && !p.big && p.State.Profile != nil && p.all() > 0 {
		p.drawBeside(s, r)
		return
	}
	p.table.Layout(r.W, &p.State)
	rows := l.Len()
	if rows == 0 {
		rows = len(l.Empty)
	}
	most := max(r.H/2, 3)
	if p.big {
		most = r.H
	}
	list, rest := r.CutTop(min(max(rows+1, 3), most))
	l.Draw(s, list, p.Look)
	if p.State.Profile == nil {
		return
	}
	if row, ok := p.table.Selected(); ok {
		_, rest = rest.CutTop(1)
		rest = p.drawFinding(s, rest, row.Problem)
	}
	_, rest = rest.CutTop(1)
	p.drawFacts(s, rest)
}

// drawBeside shows the list, and the selected finding above the facts at its right.
func (p *problems) drawBeside(s tcell.Screen, r widget.Rect) {
	list, rest := r.CutLeft(r.W * 3 / 5)
	_, rest = rest.CutLeft(2)
	p.table.Layout(list.W, &p.State)
	p.list.List.Draw(s, list, p.Look)
	if row, ok := p.table.Selected(); ok {
		rest = p.drawFinding(s, rest, row.Problem)
		_, rest = rest.CutTop(1)
	}
	p.drawFacts(s, rest)
}

// drawFacts shows the facts that the file records about itself.
func (p *problems) drawFacts(s tcell.Screen, r widget.Rect) {
	title, r := r.CutTop(1)
	if r.Empty() {
		return
	}
	look := p.Look
	if p.inFacts {
		look = ui.FocusedLook(look)
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
	case p.all() > 0:
		return []string{"No remark contains that.", p.Hint("{find} and {input.clear-line} show all of them.")}
	case p.State.Profile.Complete:
		return []string{p.Look.Glyphs.Check + " Nothing in this file is damaged, guessed or uncertain.",
			"  memtui validate checks every rule of the format."}
	}
	return []string{"No problems so far, but the file was not read to its end."}
}

// meanings says what findings of a severity are.
var meanings = [...]string{
	model.Note:    "A note says what to know when reading the figures; nothing is damaged.",
	model.Warning: "A warning makes some figures uncertain.",
	model.Error:   "An error breaks a rule of the format.",
}

// consequences says, by code, what findings that several formats have mean for the figures, and what to do.
var consequences = map[string]string{
	"truncated": "The file ends early: its writer was killed, a disk was full, or a copy is not whole. What was read up to there is shown; " +
		"sums lack the rest, and what is released later looks as if it stayed.",
	model.CodeMemory: "What is shown is right for the part that was read. A larger --max-memory reads more.",
	"stopped":        "What is shown is right for the part that was read: sums are lower bounds.",
	"unmatched-free": "These blocks were allocated before the recording began, or their allocation was not recorded. Live figures " +
		"do not contain them; freed bytes lack them.",
	"overwritten": "A free was not recorded, or something frees memory that the recorder does not see. Where this is often, " +
		"live figures are too high.",
	"unaddressed":     "Such blocks stay live to the end of the recording: a leak that consists of them need not be one.",
	"sum-overflow":    "No real program allocates that much: the sizes in the file are wrong.",
	"dangling-stack":  "The table of stacks lacks them: the file was cut or changed. Their bytes count; what allocated them has a number for a name.",
	"dangling-marker": "The table of names lacks them: the file was cut or changed. The markers keep their times.",
	"lost-events":     "The recorder did not keep up: blocks are missing, and blocks whose free was lost look like leaks. A larger ring or sampling helps.",
	"gzip":            "The compressed data are damaged, often by an incomplete copy. What could be unpacked before that place is shown.",
}

// drawFinding shows a finding in full and returns what is left of r.
func (p *problems) drawFinding(s tcell.Screen, r widget.Rect, q *model.Problem) (rest widget.Rect) {
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
	if q.Line > 0 {
		if where != "" {
			where += ", "
		}
		where += "in line " + model.Group(uint64(q.Line))
	}
	widget.TitleLine(s, title, p.Look, p.sign(q.Severity)+" "+q.Code, where)
	lines := append(widget.Wrap(q.Message, r.W-2), widget.Wrap(meanings[q.Severity], r.W-2)...)
	if text := consequences[q.Code]; text != "" {
		lines = append(lines, widget.Wrap(text, r.W-2)...)
	}
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
	case a == keymap.Maximize:
		p.big = !p.big
	case a == keymap.Back && (p.big || p.inFacts):
		p.big, p.inFacts = false, false
	case a == keymap.Back && p.text != "":
		p.Search("")
	case p.inFacts:
		return ui.ScrollText(&p.facts, a)
	default:
		return p.table.OrderBy(a) || ui.MoveList(&p.list.List, a)
	}
	return true
}

// FocusedList implements [ui.Lister].
func (p *problems) FocusedList() *widget.List { return p.list.FocusedList() }

// Hides implements [ui.Maximizer].
func (p *problems) Hides() string {
	switch {
	case !p.big:
		return ""
	case p.inFacts:
		return "the findings"
	}
	return "the facts of the file"
}

// Fields implements [ui.Filtered].
func (p *problems) Fields() []analysis.Field { return p.table.Fields() }

// SearchText and Search implement [ui.Searcher]: findings have a filter of their own.
func (p *problems) SearchText() string { return p.text }

func (p *problems) Search(text string) { p.text = text; p.Changed() }

// Click implements clicker.
func (p *problems) Click(x, y int, _ bool) {
	if p.list.Hit(x, y) {
		p.inFacts = false
	}
}

func (p *problems) Drag(_, _, _, _ int, _ bool) {}

func (p *problems) Wheel(_, _, rows int) { p.list.List.Scroll(rows) }

func (p *problems) CopyText() string {
	q, ok := p.table.Selected()
	if !ok {
		return ""
	}
	text := widget.Clean(q.Severity.String() + " " + q.Code + ": " + q.Message)
	if q.Line > 0 {
		text += "\nfirst in line " + model.Group(uint64(q.Line))
	}
	return text
}
