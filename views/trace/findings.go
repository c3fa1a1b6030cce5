package trace

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// findingsPane lists the findings. Each line leads to a screen. It is not a [ui.Table]: a few sentences, most
// significant first, have no figures to sort or filter by.
type findingsPane struct {
	env    *ui.Env
	list   widget.List
	state  state.State
	rows   []analysis.Finding
	lines  []findingLine // the rows, wrapped
	width  int           // width at which they are wrapped
	room   int           // height of the pane in rows, 0 before the first frame
	chosen int           // the finding that was shown in full when they were wrapped
	labels *ui.SiteLabels
	lazy   *ui.Lazy[findingsKey, []analysis.Finding]
}

// findingLine is a line of a finding: rows of the list.
type findingLine struct {
	of, nth int
	text    string
}

// findingsKey determines the findings. They cover the whole run, regardless of the instant and the range.
type findingsKey struct {
	revision uint64
	profile  *model.Profile
}

func newFindingsPane(e *ui.Env) *findingsPane {
	p := &findingsPane{env: e, labels: ui.NewSiteLabels(e.Libraries)}
	p.lazy = ui.NewLazy(e, func(ctx context.Context, k findingsKey) ([]analysis.Finding, error) {
		return analysis.Findings(ctx, e.Trace, k.profile, e.Libraries, analysis.UsualFindings)
	})
	p.list = widget.List{
		Table: p, HideHeader: true, SortColumn: -1, Column: -1,
		Columns: []widget.Column{
			{Width: 12}, {Width: 20, Grow: 1}, {Width: 24, Drop: 1},
		},
	}
	return p
}

// Show shows a state. Findings wait until everything is read: they take several walks over the trace.
func (p *findingsPane) Show(s *state.State) {
	p.state = *s
	p.rows, p.list.Empty = nil, []string{"Found when everything is read."}
	if s.Settled() {
		p.lazy.Ask(findingsKey{s.Status.Revision, s.Profile})
		p.list.Empty = []string{"Searching for leaks, bursts and temporary blocks …"}
		if p.lazy.Fresh() {
			p.list.Empty = []string{"Nothing stands out: no leak, no burst, no large share of temporary blocks."}
		}
		if why := ui.Unanswered(p.lazy); why != nil {
			p.list.Empty = why
		}
		p.rows, _ = p.lazy.Get()
	}
	p.wrap(max(p.width, 1), p.room, p.chosen)
}

// Cells of the columns beside the text.
const (
	findingKind  = 12
	findingSpark = 24
	findingWide  = 110 // from here the text leaves room for its curve
)

// fewFindings is the number of findings that stay visible with the chosen one: it is shortened for them.
const fewFindings = 3

// wrap breaks the findings into lines for a pane of w cells and some rows.
func (p *findingsPane) wrap(w, rows, chosen int) {
	p.width, p.room, p.chosen = w, rows, max(0, min(chosen, len(p.rows)-1))
	p.lines = p.broken(w, rows)
	p.list.Refresh()
}

// broken returns the lines of the findings in w cells. If not all fit into the given rows (0 for any number), only the
// chosen one has several lines, as long as some others stay visible; the list cuts the others off.
func (p *findingsPane) broken(w, rows int) (out []findingLine) {
	room := w - findingKind - 5 // pointer, gap and scroll bar
	if w >= findingWide {
		room -= findingSpark + 2
	}
	sentences, total := make([][]string, len(p.rows)), 0
	for i := range p.rows {
		sentences[i] = widget.Wrap(p.text(&p.rows[i]), max(room, 1))
		total += len(sentences[i])
	}
	for i, lines := range sentences {
		if rows > 0 && total > rows {
			most := 1
			if i == p.chosen {
				most = max(rows-min(len(p.rows)-1, fewFindings), 1)
			}
			lines = joinAfter(lines, most)
		}
		for n, text := range lines {
			out = append(out, findingLine{i, n, text})
		}
	}
	return out
}

// joinAfter returns at most so many lines, the last of which has the rest.
func joinAfter(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most-1], strings.Join(lines[most-1:], " "))
}

// selected returns the selected finding, nil for none.
func (p *findingsPane) selected() *analysis.Finding {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.lines) {
		return nil
	}
	return &p.rows[p.lines[row].of]
}

// choose selects a finding by its first line, all of which come into view.
func (p *findingsPane) choose(of int) {
	p.wrap(p.width, p.room, of)
	of = p.chosen
	first, last := -1, 0
	for i := range p.lines {
		if p.lines[i].of == of {
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

// followed reports whether any finding is about sites, which have a curve.
func (p *findingsPane) followed() bool {
	return slices.ContainsFunc(p.rows, func(f analysis.Finding) bool { return len(f.Keys) > 0 })
}

// height returns the rows that the pane would like to have, its heading included.
func (p *findingsPane) height(w int) int {
	return 1 + max(len(p.broken(w, 0)), 1)
}

func (p *findingsPane) draw(s tcell.Screen, r widget.Rect, focused bool) {
	head, body := r.CutTop(1)
	look := p.env.Look
	if focused {
		look = ui.Dressed(look)
	}
	answer := ""
	if n := len(p.rows); n > 0 {
		answer = model.Counted(n, "finding")
	}
	widget.TitleLine(s, head, look, "Look here first", answer)
	p.list.Focused = focused && len(p.rows) > 0
	if p.width != r.W || p.room != body.H {
		p.wrap(r.W, body.H, p.chosen)
	}
	p.list.Columns[2].Width = findingSpark
	if r.W < findingWide { // the text has priority over its curve
		p.list.Columns[2].Width = r.W
	}
	p.list.Draw(s, body, p.env.Look)
}

// Len, ID and Cell implement widget.Table.
func (p *findingsPane) Len() int { return len(p.lines) }

func (p *findingsPane) ID(row int) uint64 {
	return uint64(p.lines[row].of)<<16 | uint64(p.lines[row].nth)
}

func (p *findingsPane) Cell(row, col int) widget.Cell {
	l := &p.lines[row]
	f := &p.rows[l.of]
	switch {
	case col == 1:
		return widget.Cell{Text: l.text}
	case l.nth > 0:
		return widget.Cell{}
	case col == 0:
		sign, role := p.sign(f.Kind)
		return widget.Cell{Text: sign + " " + f.Kind.String(), Style: p.env.Style(role)}
	}
	return widget.Cell{Kind: widget.SparkCell, Spark: f.History}
}

// text returns the finding in one line, with how certain a verdict is.
func (p *findingsPane) text(f *analysis.Finding) string {
	text := ": " + f.Text
	if f.Kind.IsVerdict() {
		text = " (" + ui.Certain(f.Confidence) + ")" + text
	}
	if f.HasOwner && f.Owner.Function != "" {
		name := f.Owner.Function
		if !p.state.FullName {
			name = funcname.Bare(name)
		}
		return calltree.InModule(name, f.Owner.File) + text
	}
	if f.Site.Name != "" {
		return p.labels.Label(p.state.Stacks(), analysis.ByStack, &f.Site, p.state.FullName).Name + text
	}
	return f.Text
}

// sign returns what is beside a finding's color.
func (p *findingsPane) sign(k analysis.FindingKind) (string, themes.Role) {
	g := &p.env.Look.Glyphs
	switch k {
	case analysis.FindingDamage:
		return g.Warning, themes.Error
	case analysis.FindingNoAddress:
		return g.Warning, themes.Warning
	case analysis.FindingLeak:
		return g.Loss, themes.Loss
	case analysis.FindingKept:
		return g.Bullet, themes.Note
	case analysis.FindingBounded:
		return g.Same, themes.Note
	case analysis.FindingBurst, analysis.FindingPeak:
		return g.Marker, themes.PeakMark
	case analysis.FindingLate:
		return g.Gain, themes.Warning
	case analysis.FindingClean:
		return g.Check, themes.Gain
	}
	return g.Bullet, themes.Warning
}

// function returns the function that a finding is about, "" for none.
func (p *findingsPane) function() string {
	f := p.selected()
	switch {
	case f == nil:
		return ""
	case f.HasOwner:
		return f.Owner.Function
	case f.Site.Name != "":
		return p.labels.FilterName(p.state.Stacks(), analysis.ByStack, &f.Site)
	}
	return ""
}

// follow opens the screen that a finding leads to. If an owner has several sites, all are listed, with the most
// significant one selected.
func (p *findingsPane) follow() {
	f := p.selected()
	if f == nil {
		return
	}
	if f.HasAt {
		p.env.Emit(state.MoveTo{At: f.At})
	}
	if f.Site.Name != "" {
		p.env.Emit(state.SetGroup{By: analysis.ByStack})
		p.env.Emit(state.SelectKey{Sel: state.Selection{By: analysis.ByStack, Key: f.Site.Key, Stack: f.Site.Stack, Set: true}})
	}
	if len(f.Keys) > 1 && f.HasOwner && f.Owner.Function != "" {
		p.env.Emit(state.SetFilter{Text: "/^" + regexp.QuoteMeta(ownerWord(f.Owner.Function)) + "$/"})
	}
	p.env.Open(screenOf(f.Kind))
}

// screenOf returns the screen with more about a finding.
func screenOf(k analysis.FindingKind) keymap.Action {
	switch k {
	case analysis.FindingDamage, analysis.FindingNoAddress:
		return keymap.ShowProblems
	case analysis.FindingLeak, analysis.FindingLate, analysis.FindingKept, analysis.FindingBounded:
		return keymap.ShowLeaks
	}
	return keymap.ShowSites
}

func (p *findingsPane) Do(a keymap.Action) bool {
	row, _ := p.list.Selected()
	of := 0
	if row < len(p.lines) {
		of = p.lines[row].of
	}
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
		return ui.MoveList(&p.list, a)
	}
	return true
}

// click selects a finding, or follows it; it returns false if there is none.
func (p *findingsPane) click(x, y int, double bool) bool {
	row, ok := p.list.HitRow(x, y)
	if !ok {
		return false
	}
	p.choose(p.lines[row].of)
	if double {
		p.follow()
	}
	return true
}

func (p *findingsPane) CopyText() string {
	f := p.selected()
	if f == nil {
		return ""
	}
	return model.Clean(f.Kind.String() + "  " + p.text(f))
}
