package source

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Screen shows a source file.
type Screen struct {
	ui.TablePane
	table *ui.Table[data, row]
	sums  *ui.Lazy[sumsKey, *sums]
	text  *ui.Lazy[string, *text]
	calls *ui.Lazy[callsKey, lines.Neighbors]
	first *ui.Lazy[*sums, lines.Place] // while nothing is chosen
	sites *ui.SiteLabels

	facet    model.Facet
	place    lines.Place // that is shown
	followed uint64      // of state.Spot.Requests: what was followed already
	chosen   bool        // a user chose the place
	placed   bool        // the line was selected
	ids      int         // number of stacks requested
}

// columnLine is the index of the column of line numbers.
const columnLine = 0

// maxDetail is the maximum number of rows of the detail below the list.
const maxDetail = 13

// New returns the screen of source files of a trace.
func New(e *ui.Env) *Screen { return newScreen(e, model.FacetAllocations) }

// NewProfile returns the screen of source files of a stack profile.
func NewProfile(e *ui.Env) *Screen { return newScreen(e, model.FacetProfile) }

func newScreen(e *ui.Env, facet model.Facet) *Screen {
	p := &Screen{TablePane: ui.NewTablePane(e), facet: facet, sites: ui.NewSiteLabels(e.Libraries)}
	p.sums = ui.NewLazy(e, func(ctx context.Context, k sumsKey) (*sums, error) { return weigh(ctx, e, k) })
	p.text = ui.NewLazy(e, func(ctx context.Context, name string) (*text, error) { return read(ctx, e.Sources, name) })
	p.calls = ui.NewLazy(e, callsOf)
	p.first = ui.NewLazy(e, func(ctx context.Context, s *sums) (lines.Place, error) { return s.begin(ctx, e.Sources) })
	p.table = ui.NewTable(e, &p.ListPane, data{}, ui.Spec[data, row]{
		Rows:    data.rows,
		Columns: p.columns,
		First:   columnLine,
		ID:      func(_ data, r *row) uint64 { return uint64(r.line) },
		Words: func(data) func(r *row) []string {
			return func(r *row) []string { return []string{r.said(), strconv.FormatInt(r.line, 10)} }
		},
		Most: func(d data) (bytes, count uint64) { return d.sums.most() },
	})
	p.Enter, p.Low = func() { p.follow(false) }, maxDetail
	return p
}

func (p *Screen) Name() string { return "Source" }

func (p *Screen) Action() keymap.Action { return keymap.ShowSource }

func (p *Screen) Needs() model.Facet { return p.facet }

// OfferedFor implements [ui.Offered]: the stacks name files.
func (p *Screen) OfferedFor(f *model.Profile) bool { return f.Stacks != nil && len(f.Stacks.Files) > 1 }

func (p *Screen) Narrows() bool { return true }

func (p *Screen) Follows() string { return "" }

func (p *Screen) Scopes() []keymap.Scope {
	if p.facet == model.FacetProfile {
		return []keymap.Scope{keymap.ScopeSource, keymap.ScopeTable, keymap.ScopeProfile}
	}
	return []keymap.Scope{keymap.ScopeSource, keymap.ScopeTable}
}

// Useless implements [ui.Refuser]: lines are not grouped.
func (p *Screen) Useless(a keymap.Action) bool { return a == keymap.Group }

// Show shows a state.
func (p *Screen) Show(s *state.State) {
	p.State = *s
	if s.Profile == nil || s.Profile.Stacks == nil || p.Trace == nil && p.Prof == nil {
		return
	}
	p.sums.Ask(p.keyOf(s))
	sums, ok := p.sums.Get()
	if !ok {
		return
	}
	p.choose(sums)
	name := s.Profile.Stacks.Files[p.place.File]
	p.text.Ask(name)
	text, ok := p.text.Get()
	if !ok || text.name != name {
		return
	}
	if !p.table.Ask(data{sums, text, p.place.File}, s.Filter) {
		return
	}
	p.reach()
	p.explain()
}

// choose finds out which file is shown: that of the place that a user asked for, or else that of the site that is
// selected elsewhere, or of the costliest line.
func (p *Screen) choose(s *sums) {
	st := &p.State
	if want := st.Spot; want.Requests != p.followed {
		at := want.At
		if best, ok := s.CostliestOf(want.Function); at.Line == model.NoLine && want.Function != "" && ok {
			at = best
		}
		if p.followed, p.chosen = want.Requests, at.File != 0; p.chosen {
			p.goTo(at)
			return
		}
	}
	if p.chosen || p.place.File != 0 {
		return
	}
	at, ok := p.sites.Place(s.key.stacks, st.Selected.By, st.Selected.Stack, st.FullName)
	if st.Selected.Set && ok {
		p.goTo(at)
	} else if p.first.Ask(s); p.first.Good() {
		at, _ := p.first.Get()
		p.goTo(at)
	}
}

func (p *Screen) goTo(at lines.Place) {
	if at.File != p.place.File {
		p.table.Forget()
		p.table.Home()
	}
	p.place, p.placed = at, false
}

// reach selects the line once its file is shown: where it has none, the costliest one.
func (p *Screen) reach() {
	now := p.table.Now()
	if p.placed || now == nil || now.Of.file != p.place.File {
		return
	}
	p.placed = true
	want, best := p.place.Line, uint64(0)
	if want == model.NoLine {
		for i := range now.Rows {
			r := &now.Rows[i]
			k := r.costs()
			if r.weights != nil && (want == model.NoLine || k == 0 && r.total(0) > best) {
				best, want = r.total(k), r.line
			}
		}
	}
	p.List.SelectID(uint64(want))
	if h := p.List.Height(); h > 0 { // with the lines above it
		if at, ok := p.List.Selected(); ok {
			p.List.Scroll(at - p.List.Offset() - h/3)
		}
	}
}

// follow goes to a line next to the selected one: to the heaviest callee, or the heaviest caller.
func (p *Screen) follow(up bool) {
	around, ok := p.calls.Get()
	if !ok || !p.calls.Fresh() {
		p.Say("there is nothing to follow from this line")
		return
	}
	list := around.Callees
	if up {
		list = around.Callers
	}
	s := p.State.Profile.Stacks
	for _, c := range list {
		if at := (lines.Place{File: s.FrameFile[c.Frame], Line: s.FrameLine[c.Frame]}); at.File != 0 {
			p.Visit(keymap.ShowSource, state.ShowLine{At: at})
			return
		}
	}
	if up {
		p.Say("no call with a source file leads to this line")
	} else {
		p.Say("this line calls nothing that has a source file")
	}
}

// costly is the share of everything from which a line is a stop of [Screen.seek].
const costly = 0.01

// seek goes to the next line, or the one before, that has a figure worth a look.
func (p *Screen) seek(step int) {
	at, ok := p.List.Selected()
	if !ok {
		return
	}
	sums, n := p.table.Now().Of.sums, p.table.Len()
	for _, least := range []float64{costly, 0} {
		for i := 1; i <= n; i++ {
			to := ((at+i*step)%n + n) % n
			if to != at && p.table.Row(to).costsAtLeast(least, sums) {
				p.List.Select(to)
				p.Changed()
				return
			}
		}
	}
	p.Say("no other line of this file has any weight")
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Screen) Do(a keymap.Action) bool {
	switch a {
	case keymap.FindNext:
		p.seek(1)
	case keymap.FindPrevious:
		p.seek(-1)
	case keymap.Expand:
		p.follow(false)
	case keymap.Collapse:
		p.follow(true)
	case keymap.Cost:
		if p.Prof != nil {
			return false
		}
		p.Emit(state.NextCost{})
	default:
		return p.DoTable(a)
	}
	return true
}

// selected returns the place and the frame of the selected line; ok is false without one.
func (p *Screen) selected() (at lines.Place, frame model.FrameID, ok bool) {
	r, ok := p.table.Selected()
	if !ok {
		return at, 0, false
	}
	return lines.Place{File: p.table.Now().Of.file, Line: r.line}, r.frame, true
}

// Place implements [ui.Placer].
func (p *Screen) Place() (lines.Place, bool) {
	at, _, ok := p.selected()
	return at, ok
}

// Function implements [ui.Functioner].
func (p *Screen) Function() string {
	_, f, ok := p.selected()
	if ok && f != 0 {
		return p.functionAt(f)
	}
	return ""
}

func (p *Screen) functionAt(f model.FrameID) string {
	s := p.State.Profile.Stacks
	return s.Functions[s.FrameFunc[f]]
}

// Columns returns the columns of the lines.
func (p *Screen) Columns() []ui.Column[row] { return p.table.Columns() }

// Fields implements [ui.Filtered].
func (p *Screen) Fields() []analysis.Field { return p.table.Fields() }

// Sorting implements [ui.Sorting].
func (p *Screen) Sorting() (title, key string, usual bool) { return p.table.Sorting() }

func (p *Screen) CopyText() string {
	r, ok := p.table.Selected()
	if !ok {
		return ""
	}
	text := fmt.Sprintf("%s:%d  %s\n", p.table.Now().Of.text.name, r.line, strings.TrimSpace(r.text))
	return widget.Clean(strings.TrimSuffix(text, "\n")) + "\n" + p.Detail.Text()
}

// Command returns the flags that print the lines.
func (p *Screen) Command() []string {
	var q state.Question
	if p.Prof != nil {
		q = p.Prof.Question(&p.State)
	} else {
		q = state.Question{By: state.CostKey(p.State.Cost)}
	}
	if t := p.table.Now(); t != nil {
		q.Lines = t.Of.text.name
	}
	if _, key, usual := p.table.Sorting(); !usual {
		q.Order = key
	}
	q.Filter = p.table.RowFilter(p.State.Filter)
	return append(q.Args(), p.Sources.Flags()...)
}

// Draw implements tview.Primitive.
func (p *Screen) Draw(s tcell.Screen) {
	body := p.DrawTitled(s, p.Rect(), p.title(), p.answer())
	p.Split(body)
	p.table.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

func (p *Screen) title() string {
	now := p.table.Now()
	if now == nil {
		return "Source"
	}
	t := widget.Clean(path.Base(now.Of.text.name))
	if s := now.Of.sums; s.costs != nil {
		t += ", " + strings.ToLower(ui.CostWords(s.costs[0]))
	} else {
		t += ", " + s.key.prof.MetricName()
	}
	if p.State.Filter != "" {
		t += " · filter “" + p.State.Filter + "”"
	}
	return t
}

func (p *Screen) answer() string {
	now := p.table.Now()
	switch {
	case now == nil:
		return ""
	case now.Of.text.file == nil:
		return "no source found: lines that stacks pass"
	}
	return model.Counted(len(now.Of.text.file.Lines), "line") + " · " + widget.Clean(now.Of.text.file.Path)
}

// emptyText returns why there are no rows, and what to do.
func (p *Screen) emptyText() []string {
	if why := ui.Unanswered(p.sums, p.text, p.table); why != nil {
		return why
	}
	now := p.table.Now()
	switch {
	case p.place.File == 0 && p.sums.Fresh():
		return []string{"No stack shown has a source file.", p.Hint("{back} removes the last filter, {clear-range} the range.")}
	case now == nil:
		return []string{"Reading…"}
	case len(now.Rows) > 0:
		return []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	}
	return []string{"No line of this file has any weight here."}
}

// label returns the function of a frame as the state wants names.
func (p *Screen) label(f model.FrameID) string {
	name := p.functionAt(f)
	if p.State.FullName {
		return name
	}
	return funcname.Bare(name)
}

// columns returns those of the lines. A trace has a column for each cost; the others are hidden.
func (p *Screen) columns(d data) []ui.Column[row] {
	profile := p.facet == model.FacetProfile
	figure := func(title, key string, k int, cost analysis.Cost, value func(r *row) uint64) ui.Column[row] {
		c := ui.Column[row]{Title: title, Key: key,
			Fields: []string{strings.ReplaceAll(strings.ToLower(title), " ", "_")}, Width: 7, Total: d.sums.total(k), Value: value,
			Known: func(r *row) bool { return r.weights != nil }}
		switch {
		case profile:
			c.Figure, c.Width = ui.CountFigure, 9
			c.Cell = func(r *row) widget.Cell {
				if r.weights == nil {
					return widget.Cell{}
				}
				return widget.Cell{Text: d.sums.unit.Scaled(value(r), p.State.Exact)}
			}
		case cost.IsBytes():
			c.Figure = ui.BytesFigure
		default:
			c.Figure = ui.CountFigure
		}
		return c
	}
	chosen := analysis.CostLive
	if d.sums != nil && !profile {
		chosen = d.sums.costs[0]
	}
	most := uint64(1)
	if d.sums != nil {
		for _, w := range d.sums.File(d.file) {
			most = max(most, w.Total[0])
		}
	}
	self := figure(titles.Self, "self", 0, chosen, func(r *row) uint64 { return r.self(0) })
	total := figure(titles.Total, "total", 0, chosen, func(r *row) uint64 { return r.total(0) })
	total.Hidden = !profile
	cols := []ui.Column[row]{
		{Title: titles.Line, Width: 5, Right: true, Muted: true, Rank: func(r *row) uint64 { return ^uint64(r.line) }, Text: lineText},
		self, total,
	}
	for c := analysis.Cost(0); c < analysis.CostCountOf; c++ {
		k := d.sums.figure(c)
		col := figure(ui.CostTitle(c), "", k, c, func(r *row) uint64 { return r.total(k) })
		col.Hidden = profile || k < 0 && (d.sums != nil || c != chosen)
		if k > 0 {
			col.Drop = k
		} else if k == 0 {
			col.Key, col.Fields = "total", []string{"total"}
		}
		cols = append(cols, col)
	}
	for i := range cols {
		if cols[i].Hidden {
			cols[i].Fields = nil
		}
	}
	through := titles.Total
	if !profile {
		through = ui.CostTitle(chosen)
	}
	heat := ui.Column[row]{Width: 4, Like: through, Cell: func(r *row) widget.Cell {
		return widget.Cell{Kind: widget.BarCell, Bar: float64(r.total(0)) / float64(most)}
	}}
	return append(cols, heat, ui.Column[row]{Title: titles.Source, Key: "text", Width: 40, Grow: 1, Text: (*row).said, Cell: p.textCell})
}

func lineText(r *row) string {
	if r.line == model.NoLine {
		return "?"
	}
	return strconv.FormatInt(r.line, 10)
}

// textCell returns the text of a line, or the function there.
func (p *Screen) textCell(r *row) widget.Cell {
	if r.in != "" {
		return widget.Cell{Text: r.said(), Style: p.Look.Muted}
	}
	return widget.Cell{Text: r.said()}
}
