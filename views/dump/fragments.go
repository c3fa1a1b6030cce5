package dump

import (
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// DumpFragments shows what holes cost in one layout: by type of page, by length of holes and runs, the pages that are held by
// least, and a figure over all layouts.
type DumpFragments struct {
	ui.Pane
	types   widget.List
	sparse  sparseList
	over    *layoutChart
	figures *ui.LayoutFigures
	rows    []fragmentRow
	focus   fragmentPane
	big     bool
	areas   fragmentAreas
}

// fragmentRow is a type of pages, or all of them.
type fragmentRow struct {
	*pages.PageFigures
	all bool
	typ int
}

// fragmentPane is a pane that takes keys.
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
func NewFragments(e *ui.Env) *DumpFragments {
	p := &DumpFragments{Pane: ui.NewPane(e), over: newLayoutChart(e)}
	p.types = widget.List{Table: p, SortColumn: -1, Column: -1}
	p.sparse = sparseList{p: p}
	p.sparse.List = widget.List{Table: &p.sparse, SortColumn: -1, Column: -1}
	return p
}

func (p *DumpFragments) Name() string { return "Fragmentation" }

func (p *DumpFragments) Action() keymap.Action { return keymap.ShowFragments }

func (p *DumpFragments) Needs() model.Facet { return model.FacetTimeline | model.FacetPages }

func (p *DumpFragments) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeFragments} }

func (p *DumpFragments) About() string { return layoutPlace(p.Dump, &p.State) }

// Columns returns how many cells the chart has for the time axis.
func (p *DumpFragments) Columns() int { return p.over.cells() }

func (p *DumpFragments) Command() []string { return nil }

// CommandLine implements commander.
func (p *DumpFragments) CommandLine(file []string) []string {
	words := append([]string{"memtui", "pages"}, file...)
	if p.Dump == nil || len(file) == 0 {
		return words
	}
	if i := p.Dump.Layout(&p.State); i >= 0 {
		words[len(words)-1] += fmt.Sprintf("#%d", i)
	}
	return words
}

// Show implements screen.
func (p *DumpFragments) Show(s *state.State) {
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
	p.setRows()
	p.areas = p.divide(p.Rect())
	name := ""
	if row := p.selected(); row != nil && !row.all {
		name = row.Name
	}
	p.over.show(s, p.areas.chart, name)
	p.sparse.show()
}

// setRows makes the rows: all types, then each that has pages.
func (p *DumpFragments) setRows() {
	p.rows = p.rows[:0]
	if p.figures != nil && p.figures.All.Pages > 0 {
		p.rows = append(p.rows, fragmentRow{PageFigures: &p.figures.All, all: true})
		for i := range p.figures.Types {
			if p.figures.Types[i].Pages > 0 {
				p.rows = append(p.rows, fragmentRow{PageFigures: &p.figures.Types[i], typ: i})
			}
		}
		slices.SortStableFunc(p.rows[1:], func(a, b fragmentRow) int {
			switch {
			case a.Returned != b.Returned && a.Returned > b.Returned:
				return -1
			case a.Returned != b.Returned:
				return 1
			}
			return 0
		})
	}
	p.types.Refresh()
}

// selected is the row that the other panes are about; nil without any.
func (p *DumpFragments) selected() *fragmentRow {
	if row, ok := p.types.Selected(); ok && row < len(p.rows) {
		return &p.rows[row]
	}
	return nil
}

// The columns of the types.
const (
	fragType = iota
	fragPages
	fragBytes
	fragShare
	fragBar
	fragFull
	fragPartial
	fragEmpty
	fragHoles
	fragLargest
	fragReturned
)

func (p *DumpFragments) setColumns() {
	const right = widget.Right
	b := 8
	if p.State.Exact {
		b = 15
	}
	p.types.Columns = []widget.Column{
		fragType: {Title: "TYPE", Width: 8, Grow: 2, MaxWidth: 40}, fragPages: {Title: "PAGES", Width: 7, Align: right, Drop: 3},
		fragBytes: {Title: "BYTES", Width: b, Align: right, Drop: 6}, fragShare: {Title: "OCCUPIED", Width: 8, Align: right},
		fragBar: {Title: "", Width: 6, Grow: 1, MaxWidth: 20, Drop: 9}, fragFull: {Title: "FULL", Width: 6, Align: right, Drop: 5},
		fragPartial: {Title: "PARTIAL", Width: 7, Align: right, Drop: 7}, fragEmpty: {Title: "EMPTY", Width: 6, Align: right, Drop: 4},
		fragHoles: {Title: "HOLES", Width: 7, Align: right, Drop: 8}, fragLargest: {Title: "LARGEST", Width: b, Align: right, Drop: 2},
		fragReturned: {Title: "TO GAIN", Width: b, Align: right, Drop: 1},
	}
}

// Len, ID and Cell implement widget.Table.
func (p *DumpFragments) Len() int { return len(p.rows) }

func (p *DumpFragments) ID(row int) uint64 {
	if p.rows[row].all {
		return 0
	}
	return uint64(p.rows[row].typ) + 1
}

func (p *DumpFragments) Cell(row, col int) widget.Cell {
	f := &p.rows[row]
	count := func(n int) widget.Cell { return widget.Cell{Text: model.Group(uint64(n))} }
	amount := func(n uint64) widget.Cell { return widget.Cell{Text: ui.BytesText(n, p.State.Exact)} }
	switch col {
	case fragType:
		return p.typeCell(f)
	case fragPages:
		return count(f.Pages)
	case fragBytes:
		return amount(f.Bytes)
	case fragShare:
		return widget.Cell{Text: ui.ShareText(f.Share())}
	case fragBar:
		return widget.Cell{Kind: widget.BarCell, Bar: f.Share()}
	case fragFull:
		return count(f.Full)
	case fragPartial:
		return count(f.Partial())
	case fragEmpty:
		return count(f.Empty)
	case fragHoles:
		return widget.Cell{Text: model.ShortCount(f.Holes.Count)}
	case fragLargest:
		return amount(ui.HoleBytes(f.Holes.Largest))
	}
	return amount(f.Returned)
}

func (p *DumpFragments) typeCell(f *fragmentRow) widget.Cell {
	switch {
	case f.all:
		return widget.Cell{Text: "all types", Style: p.Look.Title}
	case f.Name == "":
		return widget.Cell{Text: "(no name)", Style: p.Look.Muted}
	}
	return widget.Cell{Text: f.Name}
}

// divide puts the types on top, then lengths and sparse pages side by side, then the chart.
func (p *DumpFragments) divide(r widget.Rect) (a fragmentAreas) {
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
	a.types, r = r.CutTop(min(len(p.rows)+2, max(r.H*2/5, 5)))
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
func (p *DumpFragments) Draw(s tcell.Screen) {
	p.types.Focused = p.focus == fragmentTypes
	p.types.Empty = p.emptyText()
	p.setColumns()
	body := p.areas.types
	if body.H > 3 {
		var title widget.Rect
		title, body = body.CutTop(1)
		widget.TitleLine(s, title, p.Look, "Pages by type", p.answer())
	}
	if !body.Empty() {
		p.types.Draw(s, body, p.Look)
	}
	if len(p.rows) > 0 {
		p.drawLengths(s, p.areas.lengths)
		p.sparse.Draw(s, p.areas.sparse)
	}
	if !p.areas.chart.Empty() {
		p.over.Draw(s)
	}
}

// answer says what holes cost in all.
func (p *DumpFragments) answer() string {
	if p.figures == nil {
		return ""
	}
	f := &p.figures.All
	if f.Pages == 0 {
		return ""
	}
	if f.Returned == 0 {
		return "packing would give nothing back"
	}
	return fmt.Sprintf("packing would give back %s of %s (%s)", ui.BytesText(f.Returned, p.State.Exact), ui.BytesText(f.Bytes, p.State.Exact), ui.ShareText(ui.ShareOf(f.Returned, f.Bytes)))
}

// emptyText says why there are no rows.
func (p *DumpFragments) emptyText() []string {
	switch {
	case p.Dump == nil:
		return []string{"Opening the file " + p.Look.Glyphs.Ellipsis}
	case p.Dump.Series(&p.State) == state.NoSeries:
		return []string{"No series of this file has page layouts.", "Series shows what was measured."}
	case p.Dump.Layout(&p.State) == state.NoLayout:
		return []string{"At " + p.State.Now().String() + " there is no layout yet.", "l goes to the first one."}
	case p.Layouts.Figures.Err != nil:
		return []string{"This layout cannot be decoded: " + widget.Clean(p.Layouts.Figures.Err.Error()), "h and l go to others."}
	}
	if p.figures != nil {
		return []string{"This layout has no pages.", "h and l go to others."}
	}
	return []string{"Decoding the layout " + p.Look.Glyphs.Ellipsis}
}

// Do implements screen.
func (p *DumpFragments) Do(a keymap.Action) bool {
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
	case keymap.Maximise:
		p.big = !p.big
	case keymap.Series:
		p.over.figure = (p.over.figure + 1) % layoutFigureCount
	case keymap.Open:
		p.openPage()
	case keymap.Back:
		if !p.big && p.focus == fragmentTypes {
			return false
		}
		p.big, p.focus = false, fragmentTypes
	default:
		list := &p.types
		if p.focus == fragmentSparse {
			list = &p.sparse.List
		}
		if !ui.MoveList(list, a) {
			return false
		}
	}
	p.Changed()
	return true
}

// openPage shows the selected page, or the first of the selected type, in the grid.
func (p *DumpFragments) openPage() {
	if row := p.selected(); p.focus != fragmentSparse && row != nil {
		p.Visit(keymap.ShowPages, state.ShowPage{Spot: state.PageSpot{Typ: row.typ}})
		return
	}
	if ref := p.sparse.selectedPage(); ref != nil {
		p.Visit(keymap.ShowPages, state.ShowPage{Spot: state.PageSpot{Typ: ref.Type, Page: ref.Page}})
	}
}

func (p *DumpFragments) CopyText() string {
	row := p.selected()
	if row == nil {
		return ""
	}
	name := row.Name
	if row.all {
		name = "all types"
	}
	return widget.Clean(fmt.Sprintf("%s: %d pages, %d bytes, %s occupied, %d full, %d empty, %d holes, packing gives back %d bytes",
		name, row.Pages, row.Bytes, ui.ShareText(row.Share()), row.Full, row.Empty, row.Holes.Count, row.Returned))
}

// Click implements clicker.
func (p *DumpFragments) Click(x, y int, double bool) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.over.Click(x, y)
		return
	case a.sparse.Contains(x, y):
		p.focus = fragmentSparse
		if row, ok := p.sparse.HitRow(x, y); ok {
			p.sparse.Select(row)
		}
	case a.types.Contains(x, y):
		p.focus = fragmentTypes
		if row, ok := p.types.HitRow(x, y); ok {
			p.types.Select(row)
		}
	case a.lengths.Contains(x, y):
		p.focus = fragmentLengths
	}
	p.Changed()
	if double {
		p.openPage()
	}
}

func (p *DumpFragments) Drag(_, _, _, _ int, _ bool) {}

func (p *DumpFragments) Wheel(x, y, rows int) {
	if p.areas.sparse.Contains(x, y) {
		p.sparse.Scroll(rows)
	} else {
		p.types.Scroll(rows)
	}
	p.Changed()
}
