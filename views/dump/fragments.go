package dump

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Fragments shows the cost of holes in one layout: by type of page, by length of holes and runs, the pages with the
// fewest occupied bits, and a figure over all layouts.
type Fragments struct {
	ui.Pane
	Types   *fragmentTable
	sparse  *sparseTable
	text    string // the filter of sparse pages
	over    *layoutChart
	figures *ui.LayoutFigures
	focus   fragmentPane
	big     bool
	areas   fragmentAreas
}

// fragmentTable lists types of pages.
type fragmentTable struct {
	ui.ListPane
	*ui.Table[*ui.LayoutFigures, fragmentRow]
}

// fragmentRow is a type of pages, or all of them.
type fragmentRow struct {
	*pages.Figures
	all bool
	typ int
}

// fragmentPane is a pane that can have the focus.
type fragmentPane int

const (
	fragmentTypes fragmentPane = iota
	fragmentSparse
	fragmentLengths
	fragmentPanes
)

// fragmentAreas is where the parts are; those that do not fit are empty.
type fragmentAreas struct{ types, lengths, sparse, chart widget.Rect }

// NewFragments returns the screen of fragmentation.
func NewFragments(e *ui.Env) *Fragments {
	p := &Fragments{Pane: ui.NewPane(e), over: newLayoutChart(e)}
	p.Types, p.sparse = p.newTypes(), p.newSparse()
	return p
}

func (p *Fragments) Name() string { return "Fragmentation" }

func (p *Fragments) Action() keymap.Action { return keymap.ShowFragments }

func (p *Fragments) Needs() model.Facet { return model.FacetTimeline | model.FacetPages }

func (p *Fragments) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeFragments, keymap.ScopeTable}
}

func (p *Fragments) About() string { return layoutPlace(p.Dump, &p.State) }

// Columns returns how many cells the chart has for the time axis.
func (p *Fragments) Columns() int { return p.over.cells() }

func (p *Fragments) Command() []string { return nil }

// CommandLine returns the command that prints what is shown.
func (p *Fragments) CommandLine(file []string) []string {
	words := append([]string{"memtui", "pages"}, file...)
	if p.Dump == nil || len(file) == 0 {
		return words
	}
	if i := p.Dump.Layout(&p.State); i >= 0 {
		words[len(words)-1] += fmt.Sprintf("#%d", i)
	}
	var q state.Question
	if p.focus == fragmentSparse {
		q.Table = "sparse_pages"
		p.sparse.Narrow(&q, p.text)
	} else {
		p.Types.Narrow(&q, p.State.Filter)
		if q.Filter != "" {
			q.Table = "page_types" // whose rows a filter needs
		}
	}
	return append(words, q.Args()...)
}

// Show shows a state.
func (p *Fragments) Show(s *state.State) {
	p.State = *s
	if p.Dump == nil {
		return
	}
	p.figures = nil
	if i := p.Dump.Layout(s); i != state.NoLayout {
		l := p.Layouts.Figures
		l.Ask(ui.LayoutKey{Dump: p.Dump, Layout: i})
		if v, ok := l.Get(); ok && v.Dump == p.Dump && (!l.Fresh() || l.Err == nil) {
			p.figures = v
		}
	}
	sparse := sparseData{p.figures, allTypes}
	if p.figures == nil {
		p.Types.Forget()
		p.sparse.Forget()
	} else {
		p.Types.Ask(p.figures, s.Filter)
	}
	p.areas = p.divide(p.Rect())
	name := ""
	if row, ok := p.Types.Selected(); ok && !row.all {
		name, sparse.typ = row.Name, row.typ
	}
	p.over.show(s, p.areas.chart, name)
	if p.figures != nil {
		p.sparse.Ask(sparse, p.text)
	}
}

// fragmentRows returns all types, then each that has pages, those from which packing frees most first.
func fragmentRows(f *ui.LayoutFigures) (rows []fragmentRow) {
	if f.All.Pages == 0 {
		return nil
	}
	rows = append(rows, fragmentRow{Figures: &f.All, all: true})
	for i := range f.Types {
		if f.Types[i].Pages > 0 {
			rows = append(rows, fragmentRow{Figures: &f.Types[i], typ: i})
		}
	}
	slices.SortStableFunc(rows[1:], func(a, b fragmentRow) int { return cmp.Compare(b.Returned, a.Returned) })
	return rows
}

// noFigures are the figures of no layout.
var noFigures = &ui.LayoutFigures{LayoutFigures: &pages.LayoutFigures{}}

func (p *Fragments) newTypes() *fragmentTable {
	t := &fragmentTable{}
	t.Table = ui.NewTable(p.Pane.Env, &t.ListPane, noFigures, ui.Spec[*ui.LayoutFigures, fragmentRow]{
		Rows:    fragmentRows,
		Columns: p.columns,
		First:   ui.AsGiven,
		Most:    func(d *ui.LayoutFigures) (bytes, count uint64) { return d.All.Bytes, 0 },
		Pinned: func(r *fragmentRow) int {
			if r.all {
				return 1
			}
			return 0
		},
		ID: func(_ *ui.LayoutFigures, r *fragmentRow) uint64 {
			if r.all {
				return 0
			}
			return uint64(r.typ) + 1
		},
	})
	return t
}

// columns returns those of the types. Shares are of all pages.
func (p *Fragments) columns(d *ui.LayoutFigures) []ui.Column[fragmentRow] {
	type row = fragmentRow
	all := &d.All
	bytes := func(title, key, field string, drop int, whole uint64, value func(r *row) uint64) ui.Column[row] {
		return ui.Column[row]{Title: title, Key: key, Fields: []string{field}, Figure: ui.BytesFigure, Width: 8,
			Drop: drop, Total: whole, Value: value}
	}
	count := func(title, key, field string, width, drop, whole int, value func(r *row) int) ui.Column[row] {
		return ui.Column[row]{Title: title, Key: key, Fields: []string{field}, Figure: ui.CountFigure, Width: width,
			MaxWidth: width, Drop: drop,
			Total: uint64(whole), Value: func(r *row) uint64 { return uint64(value(r)) }}
	}
	holes := count(titles.Holes, "hole_count", "holes", 7, 8, int(all.Holes.Count), func(r *row) int { return int(r.Holes.Count) })
	holes.Cell = func(r *row) widget.Cell { return widget.Cell{Text: model.ShortCount(r.Holes.Count)} }
	reclaimable := bytes(titles.Reclaimable, "returned_bytes", "reclaimable", 1, all.Returned, func(r *row) uint64 { return r.Returned })
	reclaimable.Width = len(titles.Reclaimable)
	return []ui.Column[row]{
		{Title: titles.Type, Key: "name", Width: 8, Grow: 2, MaxWidth: 40, Text: func(r *row) string { return r.Name }, Cell: p.typeCell},
		count(titles.Pages, "pages", "pages", 7, 3, all.Pages, func(r *row) int { return r.Pages }),
		bytes(titles.Bytes, "bytes", "bytes", 6, all.Bytes, func(r *row) uint64 { return r.Bytes }),
		{Title: titles.Occupied, Width: 8, Fields: []string{"occupied"}, Figure: ui.ShareFigure,
			Share: func(r *row) float64 { return r.Share() }},
		{Width: 6, Grow: 1, MaxWidth: 20, Drop: 9, Like: titles.Occupied,
			Cell: func(r *row) widget.Cell { return widget.Cell{Kind: widget.BarCell, Bar: r.Share()} }},
		count(titles.Full, "full_pages", "full", 6, 5, all.Full, func(r *row) int { return r.Full }),
		count(titles.Partial, "partial_pages", "partial", 7, 7, all.Partial(), func(r *row) int { return r.Figures.Partial() }),
		count(titles.Empty, "empty_pages", "empty", 6, 4, all.Empty, func(r *row) int { return r.Empty }),
		holes,
		bytes(titles.Largest, "largest_hole_bits", "largest", 2, 0, func(r *row) uint64 { return ui.HoleBytes(r.Holes.Largest) }),
		reclaimable,
	}
}

func (p *Fragments) typeCell(r *fragmentRow) widget.Cell {
	switch {
	case r.all:
		return widget.Cell{Text: "all types", Style: p.Look.Title}
	case r.Name == "":
		return widget.Cell{Text: typeLabel(""), Style: p.Look.Muted}
	}
	return widget.Cell{Text: r.Name}
}

// divide puts the types on top, then lengths and sparse pages side by side, then the chart.
func (p *Fragments) divide(r widget.Rect) (a fragmentAreas) {
	if p.big {
		switch p.focus {
		case fragmentSparse:
			a.sparse = r
		case fragmentLengths:
			a.lengths = r
		default:
			a.types = r
		}
		return a
	}
	a.types = r
	if r.H < 10 {
		return a
	}
	a.types, r = r.CutTop(min(p.Types.Len()+2, max(r.H*2/5, 5)))
	if r.H >= 12 {
		r, a.chart = r.CutBottom(max(5, r.H*2/5))
	}
	if r.W < 60 {
		if a.lengths = r; p.focus == fragmentSparse {
			a.lengths, a.sparse = widget.Rect{}, r
		}
		return a
	}
	a.lengths, a.sparse = r.CutLeft(r.W / 2)
	_, a.sparse = a.sparse.CutLeft(1)
	return a
}

// Draw implements tview.Primitive.
func (p *Fragments) Draw(s tcell.Screen) {
	p.Types.Layout(p.areas.types.W, &p.State)
	p.Types.List.Focused = p.focus == fragmentTypes
	p.Types.List.Empty = p.emptyText()
	body := p.areas.types
	if body.H > 3 {
		var title widget.Rect
		title, body = body.CutTop(1)
		widget.TitleLine(s, title, p.Look, "Pages by type", p.answer())
	}
	if !body.Empty() {
		p.Types.List.Draw(s, body, p.Look)
	}
	if p.Types.Len() > 0 {
		p.drawLengths(s, p.areas.lengths)
		p.drawSparse(s, p.areas.sparse)
	}
	if !p.areas.chart.Empty() {
		p.over.Draw(s)
	}
}

// answer returns the total cost of holes.
func (p *Fragments) answer() string {
	if p.figures == nil {
		return ""
	}
	f := &p.figures.All
	if f.Pages == 0 {
		return ""
	}
	if f.Returned == 0 {
		return "packing would reclaim nothing"
	}
	return fmt.Sprintf("packing would reclaim %s of %s (%s)", ui.BytesText(f.Returned, p.State.Exact),
		ui.BytesText(f.Bytes, p.State.Exact), ui.ShareText(ui.ShareOf(f.Returned, f.Bytes)))
}

// emptyText returns why there are no rows.
func (p *Fragments) emptyText() []string {
	switch {
	case p.Dump == nil:
		return []string{"Opening the file " + p.Look.Glyphs.Ellipsis}
	case p.Dump.Series(&p.State) == state.NoSeries:
		return []string{"No series of this file has page layouts.", "Series shows what was measured."}
	case p.Dump.Layout(&p.State) == state.NoLayout:
		return []string{"At " + p.State.Now().String() + " there is no layout yet.", p.Hint("{step-forward} goes to the first one.")}
	case p.Layouts.Figures.Err != nil:
		return []string{"This layout cannot be decoded: " + widget.Clean(p.Layouts.Figures.Err.Error()),
			p.Hint("{step-back} and {step-forward} go to others.")}
	}
	switch t := p.Types.Now(); {
	case t != nil && len(t.Rows) > 0:
		return []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	case p.figures != nil:
		return []string{"This layout has no pages.", p.Hint("{step-back} and {step-forward} go to others.")}
	}
	return []string{"Decoding the layout " + p.Look.Glyphs.Ellipsis}
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Fragments) Do(a keymap.Action) bool {
	if p.Dump == nil {
		return false
	}
	switch a {
	case keymap.StepBack, keymap.StepForward, keymap.LeapBack, keymap.LeapForward:
		stepLayout(p.Env, &p.State, a)
	case keymap.NextPane:
		p.focus = (p.focus + 1) % fragmentPanes
	case keymap.PreviousPane:
		p.focus = (p.focus + fragmentPanes - 1) % fragmentPanes
	case keymap.Maximize:
		p.big = !p.big
	case keymap.Series:
		p.over.figure = (p.over.figure + 1) % layoutFigureCount
	case keymap.Peak, keymap.PeakInRange:
		return p.over.toWorst(a == keymap.PeakInRange)
	case keymap.Open:
		p.openPage()
	case keymap.Back:
		if p.focus == fragmentSparse && p.text != "" {
			p.Search("")
			return true
		}
		if !p.big && p.focus == fragmentTypes {
			return false
		}
		p.big, p.focus = false, fragmentTypes
	default:
		list, order := p.focused()
		if !ui.MoveList(list, a) && !order.OrderBy(a) {
			return false
		}
	}
	p.Changed()
	return true
}

// focused returns the list that has the focus.
func (p *Fragments) focused() (*widget.List, ui.Orderly) {
	if p.focus == fragmentSparse {
		return &p.sparse.List, p.sparse.Table
	}
	return &p.Types.List, p.Types.Table
}

// FocusedList implements [ui.Lister].
func (p *Fragments) FocusedList() *widget.List {
	list, _ := p.focused()
	return list
}

// Hides implements [ui.Maximizer].
func (p *Fragments) Hides() string {
	if !p.big {
		return ""
	}
	return [...]string{fragmentTypes: "lengths, sparse pages and chart", fragmentSparse: "types, lengths and chart",
		fragmentLengths: "types, sparse pages and chart"}[p.focus]
}

// Fields implements [ui.Filtered].
func (p *Fragments) Fields() []analysis.Field {
	if p.focus == fragmentSparse {
		return p.sparse.Fields()
	}
	return p.Types.Fields()
}

// SearchText and Search implement [ui.Searcher]: sparse pages have a filter of their own.
func (p *Fragments) SearchText() string {
	if p.focus == fragmentSparse {
		return p.text
	}
	return p.State.Filter
}

func (p *Fragments) Search(text string) {
	if p.focus != fragmentSparse {
		p.Emit(state.SetFilter{Text: text})
		return
	}
	p.text = text
	p.Changed()
}

// Useless implements [ui.Refuser]: pages are grouped by type only.
func (p *Fragments) Useless(a keymap.Action) bool { return a == keymap.Group }

// openPage shows the selected page, or the first of the selected type, in the grid.
func (p *Fragments) openPage() {
	if row, ok := p.Types.Selected(); p.focus != fragmentSparse && ok {
		p.Visit(keymap.ShowPages, state.ShowPage{Spot: state.PageSpot{Typ: row.typ}})
		return
	}
	if ref, ok := p.sparse.Selected(); ok {
		p.Visit(keymap.ShowPages, state.ShowPage{Spot: state.PageSpot{Typ: ref.Type, Page: ref.Page}})
	}
}

func (p *Fragments) CopyText() string {
	if ref, ok := p.sparse.Selected(); ok && p.focus == fragmentSparse {
		return widget.Clean(fmt.Sprintf("page %d of %s: %s of %s occupied (%s)", ref.Page, typeLabel(p.figures.Types[ref.Type].Name),
			model.Bytes(ui.HoleBytes(ref.Occupied)).Exact(), model.Bytes(ref.Size).Exact(),
			ui.ShareText(ui.ShareOf(ref.Occupied, ref.Bits))))
	}
	row, ok := p.Types.Selected()
	if !ok {
		return ""
	}
	name := row.Name
	if row.all {
		name = "all types"
	}
	return widget.Clean(fmt.Sprintf("%s: %s, %s, %s occupied, %s full, %s empty, %s, packing would reclaim %s",
		name, model.Counted(row.Pages, "page"), model.Bytes(row.Bytes).Exact(), ui.ShareText(row.Share()),
		model.Group(uint64(row.Full)), model.Group(uint64(row.Empty)),
		model.Counted(row.Holes.Count, "hole"), model.Bytes(row.Returned).Exact()))
}

// Click implements clicker.
func (p *Fragments) Click(x, y int, double bool) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.over.Click(x, y)
		return
	case a.sparse.Contains(x, y):
		p.focus = fragmentSparse
		double = p.sparse.Hit(x, y) && double
	case a.types.Contains(x, y):
		p.focus = fragmentTypes
		double = p.Types.Hit(x, y) && double
	case a.lengths.Contains(x, y):
		p.focus = fragmentLengths
	}
	p.Changed()
	if double {
		p.openPage()
	}
}

func (p *Fragments) Drag(_, _, _, _ int, _ bool) {}

func (p *Fragments) Wheel(x, y, rows int) {
	if p.areas.sparse.Contains(x, y) {
		p.sparse.List.Scroll(rows)
	} else {
		p.Types.List.Scroll(rows)
	}
	p.Changed()
}

// Difference implements [ui.Differing].
func (p *Fragments) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Rows: ui.DiffPages})
}
