package stacks

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Stacks shows the weight of call paths, as a tree or as a flame graph over the same nodes. The structure of the tree
// is built once; only its weights follow the instant.
type Stacks struct {
	ui.Pane
	tree    *ui.Lazy[treeKey, *callTree]
	weights *ui.Lazy[foldKey, *weighed]
	other   *ui.Lazy[foldKey, plainWeights] // blocks in addition to bytes, or bytes in addition to blocks
	search  *ui.Lazy[searchKey, *found]
	sides   ui.StackComparer // of the difference; nil where there is none
	changes *ui.Lazy[changeKey, *weighed]
	shapes  shapes // of changes

	Now   *weighed // what is shown; nil before the first answer
	rows  *treePane
	Graph *flamePane
	info  stackDetail
	said  *ui.SiteVerdicts // about a trace

	flame          bool
	invert         bool
	collapse       bool
	detail         bool // the detail has the focus
	whole          bool // the pane fills the screen
	touched        bool // the user has moved or opened something: keep the tree as it is
	left           way  // path to the last selection
	through        members
	ids            int // number of stacks requested for the tree
	text           string
	jump           bool // go to the first match once the search is done
	adopted        state.Selection
	functionsShown int // of Profile.Requests: what was shown already
	stacksShown    int // of Compare.Requests: what was shown already

	Upper   *Stacks     // the callers about a pivot; nil without one
	half    bool        // this is the upper tree of another screen
	inUpper bool        // the upper tree has the focus
	upperAt widget.Rect // where that is
}

// NewStacks returns the stacks of a trace as tree and flame graph. sides compares them while the difference is shown.
func NewStacks(e *ui.Env, sides ui.StackComparer) *Stacks {
	p := &Stacks{Pane: ui.NewPane(e), sides: sides}
	p.tree = ui.NewLazy(e, func(ctx context.Context, k treeKey) (*callTree, error) { return makeTree(ctx, e, k) })
	p.weights = ui.NewLazy(e, func(ctx context.Context, k foldKey) (*weighed, error) { return weigh(ctx, e.Trace, k) })
	p.other = ui.NewLazy(e, func(ctx context.Context, k foldKey) (plainWeights, error) { return weighStacks(ctx, e.Trace, k) })
	p.search, p.said = ui.NewLazy(e, findNames), ui.NewSiteVerdicts(e)
	p.changes = ui.NewLazy(e, p.weighChanges)
	p.rows, p.Graph = newTreePane(p), newFlamePane(p)
	return p
}

func (p *Stacks) Name() string { return "Stacks" }

func (p *Stacks) Action() keymap.Action { return keymap.ShowStacks }

func (p *Stacks) Needs() model.Facet { return model.FacetAllocations }

func (p *Stacks) Narrows() bool { return true }

func (p *Stacks) Scopes() []keymap.Scope {
	switch {
	case p.detail:
		return []keymap.Scope{keymap.ScopeText, keymap.ScopeStacks}
	case p.flame:
		return []keymap.Scope{keymap.ScopeFlame, keymap.ScopeStacks}
	}
	return []keymap.Scope{keymap.ScopeTree, keymap.ScopeStacks}
}

func (p *Stacks) About() string {
	if p.flame {
		return "flame"
	}
	return "tree"
}

// FocusedList implements [ui.Lister].
func (p *Stacks) FocusedList() *widget.List {
	if p.flame || p.Now == nil {
		return nil
	}
	return &p.rows.List
}

// Hides implements [ui.Maximizer].
func (p *Stacks) Hides() string {
	if !p.whole {
		return ""
	}
	return "the details"
}

// Show requests the tree, its weights and the search in them, and shows the newest ones.
func (p *Stacks) Show(s *state.State) {
	p.State = *s
	if s.Profile == nil || p.Trace == nil && p.Prof == nil {
		return
	}
	p.showUpper(s)
	if p.comparing() {
		p.showChanges()
		return
	}
	if w := p.newest(s); w == nil && p.Now != nil && p.Now.changes != nil {
		p.letGo()
	} else if w != nil && w != p.Now {
		p.adopt(w)
	}
	if p.Now == nil {
		return
	}
	if p.Trace != nil && p.Prof == nil {
		p.said.Ask(s)
	}
	p.adoptSelection()
	p.showTargetFunction()
	p.askSearch()
}

// newest requests the tree and its weights, and returns the newest ones; nil before the first.
func (p *Stacks) newest(s *state.State) *weighed {
	p.tree.Ask(p.treeKey())
	t, ok := p.tree.Get()
	if !ok {
		return nil
	}
	key := foldKeyOf(t, s)
	askWeights(p.weights, key)
	if key.cost = complement(key.cost); key.cost < analysis.CostCountOf && p.Prof == nil {
		askWeights(p.other, key)
	}
	if w, ok := p.weights.Get(); ok {
		return w
	}
	return nil
}

func (p *Stacks) treeKey() treeKey {
	st := &p.State.Status
	if n := st.Stacks; st.Final || st.Stopped || n > p.ids+p.ids/4 {
		p.ids = n // less often while more is read
	}
	return treeKey{
		stacks: p.State.Profile.Stacks, ids: p.ids, invert: p.inverts(), collapse: p.collapse, full: p.State.FullName, prof: p.Prof,
		filters: p.State.Filters, part: p.part(),
	}
}

// askWeights does not restart a pending computation when only more was loaded: a fast-growing file would never get an
// answer.
func askWeights[V any](z *ui.Lazy[foldKey, V], k foldKey) {
	if z.Asked && !z.Fresh() {
		old := z.Key
		if old.revision = k.revision; old == k {
			return
		}
	}
	z.Ask(k)
}

// complement returns the cost that complements another: blocks for bytes, bytes for blocks; analysis.CostCountOf for
// none.
func complement(c analysis.Cost) analysis.Cost {
	switch c {
	case analysis.CostLive:
		return analysis.CostLiveCount
	case analysis.CostLiveCount:
		return analysis.CostLive
	case analysis.CostTotal:
		return analysis.CostCount
	case analysis.CostCount:
		return analysis.CostTotal
	}
	return analysis.CostCountOf
}

// adopt shows other weights. What is open and selected stays, unless the tree has another shape or nothing was chosen
// yet.
func (p *Stacks) adopt(w *weighed) {
	old, left := p.Now, p.left
	p.Now, p.left = w, way{}
	switch {
	case old == nil:
		p.reset(w.end(left))
	case old.tree.key.shape() != w.tree.key.shape():
		if p.touched {
			left = p.wayIn(old)
		}
		p.reset(w.end(left))
	case !p.touched && (old.key.cost != w.key.cost || !old.key.prof.Same(w.key.prof) || old.key.revision != w.key.revision):
		p.reset(0)
	default:
		p.rows.reload()
		p.Graph.reload()
	}
}

// letGo shows nothing until the next answer, which then restores the selection.
func (p *Stacks) letGo() {
	if p.Now != nil && p.touched {
		p.left = p.wayIn(p.Now)
	}
	p.Now = nil
}

// reset shows a tree with only the path to at opened, or the heaviest path for 0.
func (p *Stacks) reset(at int32) {
	p.rows.reset(at)
	p.Graph.reset(at)
}

// adoptSelection selects the stack that was selected on another screen since.
func (p *Stacks) adoptSelection() {
	sel := p.State.Selected
	if sel == p.adopted || !sel.Set || p.Now.Total[0] == 0 {
		return
	}
	p.adopted = sel
	for i, id := range p.Now.tree.ids {
		if id != sel.Stack {
			continue
		}
		at := p.Now.Leaf(i)
		if p.Now.tree.key.invert {
			path, _ := p.Now.path(at, 0)
			at = path[0]
		}
		if p.Now.exists(uint64(at)) && at > 0 {
			p.touched = true
			p.selectNode(at)
		}
		return
	}
}

func (p *Stacks) askSearch() {
	if p.text == "" && !p.search.Asked {
		return
	}
	p.search.Ask(searchKey{p.Now, p.text})
	f, ok := p.search.Get()
	if !ok || f.key.text != p.text {
		return
	}
	p.rows.highlight(p.text)
	if !p.jump {
		return
	}
	p.jump = false
	if at := p.Selected(); f.key.in == p.Now && p.text != "" && !f.matches(at) {
		p.findNext(f.next)
	}
}

// matching returns the search's result if it is for the tree on screen, else nil.
func (p *Stacks) matching() *found {
	if f, ok := p.search.Get(); ok && p.text != "" && f.key.text == p.text && f.key.in.tree == p.Now.tree {
		return f
	}
	return nil
}

// Selected returns the selected node, 0 for none.
func (p *Stacks) Selected() int32 {
	if p.Now == nil {
		return 0
	}
	return p.selectedIn(p.Now)
}

func (p *Stacks) selectedIn(w *weighed) int32 {
	var id uint64
	var ok bool
	if p.flame {
		id, ok = p.Graph.Selected()
	} else {
		id, ok = p.rows.SelectedID()
	}
	if !ok || id >= uint64(w.Len()) {
		return 0
	}
	return int32(id)
}

// selectNode selects a node in tree or graph, and opens the path to it.
func (p *Stacks) selectNode(n int32) {
	if p.flame {
		p.Graph.choose(n)
		return
	}
	p.rows.reveal(n)
}

// Draw implements tview.Primitive.
func (p *Stacks) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.comparing() {
		r = p.sides.DrawHead(s, r, &p.State)
	}
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r // every row counts
	} else {
		widget.TitleLine(s, title, p.Look, p.Title(), p.answer(title.W))
	}
	body, side, below := p.divide(body)
	if q := p.active(); q.Selected() > 0 && side.Empty() && below.Empty() && r.H >= 6 {
		at := q.Selected()
		widget.Fill(s, title, p.Look.Text)
		widget.TitleLine(s, title, p.Look, q.Now.label(at), q.shares(at, title.W))
	}
	p.drawTrees(s, body)
	p.info.draw(p, s, side, below)
}

// divide divides the area between the tree and the detail, which is to its right if the area is wide enough, or else
// below.
func (p *Stacks) divide(r widget.Rect) (body, side, below widget.Rect) {
	if p.whole || p.Now == nil || p.Now.Total[0] == 0 {
		return r, side, below
	}
	return ui.DivideStacks(r)
}
