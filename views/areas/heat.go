package areas

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heatmap"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Heat shows sites, or lifetimes of blocks, over time: the color of a cell is what lives or is allocated there.
type Heat struct {
	ui.Pane
	maps   *ui.Lazy[heatKey, *heat]
	labels *ui.SiteLabels
	now    *heat // what is drawn, nil before the first
	lives  bool  // lifetimes instead of sites
	at     int   // the selected row
	chosen analysis.Key
	moved  bool // a user selected the row
	offset int  // the first row on screen
	grid   widget.Rect
}

// heatKey determines a heat map.
type heatKey struct {
	revision uint64
	columns  int
	over     analysis.Range
	cost     analysis.Cost
	by       analysis.Group
	lives    bool
	only     analysis.Cell
}

// heat is the answer. Read-only once made.
type heat struct {
	*heatmap.Map
	key heatKey
}

// mostRows is the number of sites that are followed.
const mostRows = 64

// NewHeat returns the heat map of a trace.
func NewHeat(e *ui.Env) *Heat {
	p := &Heat{Pane: ui.NewPane(e), labels: ui.NewSiteLabels(e.Libraries)}
	p.maps = ui.NewLazy(e, func(ctx context.Context, k heatKey) (*heat, error) {
		m, err := heatmap.Of(ctx, e.Trace, heatmap.Query{Range: k.over, Columns: k.columns, Cost: k.cost, By: k.by,
			Lifetimes: k.lives, Rows: mostRows, Cell: k.only})
		return &heat{m, k}, err
	})
	return p
}

func (p *Heat) Name() string { return "Heat map" }

func (p *Heat) Action() keymap.Action { return keymap.ShowHeat }

func (p *Heat) Needs() model.Facet { return model.FacetAllocations }

func (p *Heat) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeHeat} }

// About implements [ui.Screen].
func (p *Heat) About() string {
	if p.lives {
		return "lifetimes"
	}
	return ""
}

// Narrows implements [ui.Narrower].
func (p *Heat) Narrows() bool { return true }

// Follows implements [ui.Follower].
func (p *Heat) Follows() string { return "" }

// Useless implements [ui.Refuser]: lifetimes are not grouped.
func (p *Heat) Useless(a keymap.Action) bool { return a == keymap.Group && p.lives }

// Columns returns how many cells the time axis has.
func (p *Heat) Columns() int {
	_, cells := p.divide(p.Rect().W)
	return cells
}

// Show implements [ui.Screen].
func (p *Heat) Show(s *state.State) {
	p.State = *s
	if p.Trace == nil {
		return
	}
	p.labels.Follow(s.Filters)
	k := heatKey{revision: s.Status.Revision, columns: p.Columns(), over: over(s), cost: heatmap.Figure(s.Cost),
		lives: p.lives, only: s.Only()}
	if !p.lives {
		k.by = s.Group
	}
	p.maps.Ask(k)
	m, ok := p.maps.Get()
	if !ok {
		p.now = nil
		return
	}
	if m != p.now {
		p.now = m
		p.reselect()
	}
}

// over returns the time that the columns divide: the chosen range, or what of it is zoomed to.
func over(s *state.State) analysis.Range {
	from, to := s.Visible()
	seen := state.Between(from, to)
	if s.Range.IsFull() {
		return seen
	}
	both := analysis.Range{From: max(seen.From, s.Range.From), To: min(seen.To, s.Range.To)}
	if both.From >= both.To { // zoomed to elsewhere
		return s.Range
	}
	return both
}

// reselect keeps the selected row where another answer has it.
func (p *Heat) reselect() {
	if p.now.key.lives {
		p.at = min(p.at, max(len(p.now.Rows)-1, 0))
		return
	}
	want, ok := p.chosen, p.moved
	if sel := p.State.Selected; !p.moved && sel.Set && sel.By == p.now.key.by {
		want, ok = sel.Key, true
	}
	p.at = 0
	for i := range p.now.Rows {
		if ok && p.now.Rows[i].Site.Key == want {
			p.at = i
		}
	}
}

// selected returns the selected row, nil for none.
func (p *Heat) selected() *heatmap.Row {
	if p.now == nil || p.at >= len(p.now.Rows) {
		return nil
	}
	return &p.now.Rows[p.at]
}

// Do implements [ui.Screen].
func (p *Heat) Do(a keymap.Action) bool {
	page := max(p.grid.H-1, 1)
	moves := map[keymap.Action]int{keymap.Up: -1, keymap.Down: 1, keymap.PageUp: -page, keymap.PageDown: page,
		keymap.First: -mostRows, keymap.Last: mostRows}
	if n, ok := moves[a]; ok {
		p.choose(p.at + n)
		return true
	}
	switch a {
	case keymap.Open:
		p.open()
	case keymap.Series:
		p.lives, p.at, p.offset, p.moved = !p.lives, 0, 0, false
		p.Changed()
	case keymap.Cost:
		p.Emit(state.NextCost{})
	case keymap.Group:
		if p.lives {
			return false
		}
		p.moved = false
		p.Emit(state.NextGroup{})
	default:
		return false
	}
	return true
}

// choose selects a row, or the nearest one.
func (p *Heat) choose(row int) {
	if p.now == nil || len(p.now.Rows) == 0 {
		return
	}
	p.at = min(max(row, 0), len(p.now.Rows)-1)
	if p.moved = true; !p.now.key.lives {
		s := &p.now.Rows[p.at].Site
		p.chosen = s.Key
		p.Emit(state.SelectKey{Sel: state.Selection{By: p.now.key.by, Key: s.Key, Stack: s.Stack, Set: true}})
	}
	p.Changed()
}

// open shows the selected site on the screen of sites, or restricts all screens to the selected lifetime.
func (p *Heat) open() {
	r := p.selected()
	switch {
	case r == nil:
		p.Say(p.emptyText()[0])
	case p.now.key.lives:
		c := analysis.Cell{SizeTo: analysis.SizeClasses, LifeFrom: uint8(r.Life), LifeTo: uint8(r.Life + 1)}
		if p.State.Cell == c {
			p.Open(keymap.ShowBlocks)
			return
		}
		p.Emit(state.SetCell{Cell: c})
		p.Say(p.Hint("all screens show only these blocks: see Sites, Leaks, Stacks; {open} lists them, {back} clears the filter"))
	default:
		p.Visit(keymap.ShowSites, state.SetGroup{By: p.now.key.by},
			state.SelectKey{Sel: state.Selection{By: p.now.key.by, Key: r.Site.Key, Stack: r.Site.Stack, Set: true}})
	}
}

// Function implements [ui.Functioner].
func (p *Heat) Function() string {
	if r := p.selected(); r != nil && !p.now.key.lives {
		return p.labels.FilterName(p.State.Stacks(), p.now.key.by, &r.Site)
	}
	return ""
}

// Place implements [ui.Placer].
func (p *Heat) Place() (at lines.Place, ok bool) {
	if r := p.selected(); r != nil && !p.now.key.lives && p.State.Stacks() != nil {
		return p.labels.Place(p.State.Stacks(), p.now.key.by, r.Site.Stack, p.State.FullName)
	}
	return at, false
}

// Click implements [ui.Clicker]: it moves the instant and selects the row.
func (p *Heat) Click(x, y int, double bool) {
	if p.now == nil || y < p.grid.Y || y >= p.grid.Y+p.grid.H {
		return
	}
	p.choose(p.offset + y - p.grid.Y)
	if p.grid.Contains(x, y) && len(p.now.Edges) > 1 {
		col := min((x-p.grid.X)*(len(p.now.Edges)-1)/max(p.grid.W, 1), len(p.now.Edges)-2)
		p.Emit(state.MoveTo{At: analysis.At(p.now.Edges[col+1])})
	}
	if double {
		p.open()
	}
}

// Drag implements [ui.Clicker]: it selects a range.
func (p *Heat) Drag(fromX, fromY, x, _ int, done bool) {
	if p.now == nil || !done || !p.grid.Contains(fromX, fromY) || len(p.now.Edges) < 2 {
		return
	}
	n := len(p.now.Edges) - 1
	column := func(x int) int { return min(max((x-p.grid.X)*n/max(p.grid.W, 1), 0), n-1) }
	a, b := min(column(fromX), column(x)), max(column(fromX), column(x))
	p.Emit(state.SetRange{R: analysis.Range{From: p.now.Edges[a], To: p.now.Edges[b+1]}})
}

// Wheel implements [ui.Clicker].
func (p *Heat) Wheel(_, _, rows int) { p.choose(p.at + rows) }

// CopyText implements [ui.Screen].
func (p *Heat) CopyText() string {
	if p.selected() == nil {
		return ""
	}
	return widget.Clean(p.sentence(true))
}

// Zooms implements [ui.Zoomer].
func (p *Heat) Zooms() bool { return true }

// Command implements [ui.Screen].
func (p *Heat) Command() []string {
	q := state.Question{Table: "heatmap", By: state.CostKey(heatmap.Figure(p.State.Cost))}
	if p.lives {
		q.Table = "lifetime_heatmap"
	} else if p.State.Group != analysis.ByStack {
		q.Group = p.State.Group.String()
	}
	if !p.State.View.IsFull() || !p.State.Range.IsFull() {
		q.Over = state.Over(over(&p.State), "")
	}
	return q.Args()
}
