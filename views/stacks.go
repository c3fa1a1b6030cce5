package views

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// stacks shows the weight of call paths, as a tree or as a flame graph over the same nodes. The structure of the tree is
// made once; what follows the instant is only its weights.
type stacks struct {
	pane
	tree    *lazy[treeKey, *callTree]
	weights *lazy[foldKey, *weighed]
	other   *lazy[foldKey, plainWeights] // blocks beside bytes, or bytes beside blocks
	search  *lazy[searchKey, *found]

	now   *weighed // what is shown; nil before the first answer
	rows  *treePane
	graph *flamePane
	info  stackDetail

	flame    bool
	invert   bool
	collapse bool
	detail   bool // the detail has the keys
	whole    bool // the pane has the whole screen
	touched  bool // the user has moved or opened something: the tree is not opened anew
	through  members
	ids      int // stacks that the tree was asked for
	text     string
	jump     bool // go to the first match once the search is done
	adopted  Selection
	sought   int // of ProfState.Sent: what was shown already

	upper   *stacks     // the callers about a pivot; nil without one
	half    bool        // this is the upper tree of another screen
	inUpper bool        // the upper tree has the keys
	upperAt widget.Rect // where that is
}

func newStacks(e *env) *stacks {
	p := &stacks{pane: newPane(e)}
	p.tree = newLazy(e, func(ctx context.Context, k treeKey) (*callTree, error) { return makeTree(ctx, e, k) })
	p.weights = newLazy(e, func(ctx context.Context, k foldKey) (*weighed, error) { return weigh(ctx, e.trace, k) })
	p.other = newLazy(e, func(ctx context.Context, k foldKey) (plainWeights, error) { return weighStacks(ctx, e.trace, k) })
	p.search = newLazy(e, findNames)
	p.rows, p.graph = newTreePane(p), newFlamePane(p)
	return p
}

func (p *stacks) name() string          { return "Stacks" }
func (p *stacks) action() keymap.Action { return keymap.ShowStacks }
func (p *stacks) needs() model.Facet    { return model.FacetAllocations }
func (p *stacks) narrows() bool         { return true }

func (p *stacks) scopes() []keymap.Scope {
	switch {
	case p.detail:
		return []keymap.Scope{keymap.ScopeText, keymap.ScopeStacks}
	case p.flame:
		return []keymap.Scope{keymap.ScopeFlame, keymap.ScopeStacks}
	}
	return []keymap.Scope{keymap.ScopeTree, keymap.ScopeStacks}
}

func (p *stacks) about() string {
	if p.flame {
		return "flame"
	}
	return "tree"
}

// show asks for the tree, its weights and what the search finds in them, and shows the newest that there are.
func (p *stacks) show(s *State) {
	p.state = *s
	if s.Profile == nil || p.trace == nil && p.prof == nil {
		return
	}
	p.showUpper(s)
	p.tree.ask(p.treeKey())
	t, ok := p.tree.get()
	if !ok {
		return
	}
	key := foldKeyOf(t, s)
	askWeights(p.weights, key)
	if key.cost = beside(key.cost); key.cost < analysis.CostCountOf && p.prof == nil {
		askWeights(p.other, key)
	}
	w, ok := p.weights.get()
	if !ok {
		return
	}
	if w != p.now {
		p.adopt(w)
	}
	p.adoptSelection()
	p.adoptSought()
	p.askSearch()
}

func (p *stacks) treeKey() treeKey {
	st := &p.state.Status
	if n := st.Stacks; st.Final || st.Stopped || n > p.ids+p.ids/4 {
		p.ids = n // while more is read only now and then
	}
	return treeKey{
		stacks: p.state.Profile.Stacks, ids: p.ids, invert: p.inverts(), collapse: p.collapse, full: p.state.FullName, prof: p.prof,
		chips: p.state.Chips, part: p.part(),
	}
}

// askWeights asks again for what was asked already only once the answer is there: a file that grows faster than answers
// come shall not starve them.
func askWeights[V any](z *lazy[foldKey, V], k foldKey) {
	if z.asked && !z.fresh() {
		old := z.key
		if old.revision = k.revision; old == k {
			return
		}
	}
	z.ask(k)
}

// beside is the cost that says more about another: blocks for bytes, bytes for blocks; analysis.CostCountOf for none.
func beside(c analysis.Cost) analysis.Cost {
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

// adopt shows other weights. What is open and selected stays, unless the tree has another shape or nobody has chosen yet.
func (p *stacks) adopt(w *weighed) {
	old := p.now
	p.now = w
	switch {
	case old == nil:
		p.reset(0)
	case old.tree.key.shape() != w.tree.key.shape():
		at := int32(0)
		if p.touched {
			names := old.names(p.selectedIn(old))
			if n := len(names); n > 0 && old.tree.key.invert != w.tree.key.invert {
				names = names[n-1:] // the way there is another one, but the function may be at its top
			}
			at = w.follow(names)
		}
		p.reset(at)
	case !p.touched && (old.key.cost != w.key.cost || !old.key.prof.same(w.key.prof) || old.key.revision != w.key.revision):
		p.reset(0)
	default:
		p.rows.reload()
		p.graph.reload()
	}
}

// reset shows a tree with nothing open but what leads to at, or the heaviest path for 0.
func (p *stacks) reset(at int32) {
	p.rows.reset(at)
	p.graph.reset(at)
}

// adoptSelection goes to the stack that was selected on another screen since.
func (p *stacks) adoptSelection() {
	sel := p.state.Selected
	if sel == p.adopted || !sel.Set || p.now.Total[0] == 0 {
		return
	}
	p.adopted = sel
	for i, id := range p.now.tree.ids {
		if id != sel.Stack {
			continue
		}
		at := p.now.Leaf(i)
		if p.now.tree.key.invert {
			path, _ := p.now.path(at, 0)
			at = path[0]
		}
		if p.now.exists(uint64(at)) && at > 0 {
			p.touched = true
			p.selectNode(at)
		}
		return
	}
}

func (p *stacks) askSearch() {
	if p.text == "" && !p.search.asked {
		return
	}
	p.search.ask(searchKey{p.now, p.text})
	f, ok := p.search.get()
	if !ok || f.key.text != p.text {
		return
	}
	p.rows.highlight(p.text)
	if !p.jump {
		return
	}
	p.jump = false
	if at := p.selected(); f.key.in == p.now && p.text != "" && !f.matches(at) {
		p.findNext(f.next)
	}
}

// matching is the search's result where it is that of what is shown, else nil.
func (p *stacks) matching() *found {
	if f, ok := p.search.get(); ok && p.text != "" && f.key.text == p.text && f.key.in.tree == p.now.tree {
		return f
	}
	return nil
}

// selected is the selected node, 0 for none.
func (p *stacks) selected() int32 {
	if p.now == nil {
		return 0
	}
	return p.selectedIn(p.now)
}

func (p *stacks) selectedIn(w *weighed) int32 {
	var id uint64
	var ok bool
	if p.flame {
		id, ok = p.graph.Selected()
	} else {
		id, ok = p.rows.SelectedID()
	}
	if !ok || id >= uint64(w.Len()) {
		return 0
	}
	return int32(id)
}

// selectNode selects a node in tree or graph, opening what leads there.
func (p *stacks) selectNode(n int32) {
	if p.flame {
		p.graph.choose(n)
		return
	}
	p.rows.reveal(n)
}

// Draw implements tview.Primitive.
func (p *stacks) Draw(s tcell.Screen) {
	r := p.rect()
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r // every row counts
	} else {
		widget.TitleLine(s, title, p.look, p.title(), p.answer(title.W))
	}
	body, side, below := p.divide(body)
	if q := p.active(); q.selected() > 0 && side.Empty() && below.Empty() && r.H >= 6 {
		at := q.selected()
		widget.Fill(s, title, p.look.Text)
		widget.TitleLine(s, title, p.look, q.now.label(at), q.shares(at, title.W))
	}
	p.drawTrees(s, body)
	p.info.draw(p, s, side, below)
}

// divide shares the room between the tree and the detail, which stands beside it where there is room, or below.
func (p *stacks) divide(r widget.Rect) (body, side, below widget.Rect) {
	const wide, high = 150, 10
	switch {
	case p.whole || r.H < high || p.now == nil || p.now.Total[0] == 0:
		return r, side, below
	case r.W >= wide:
		body, side = r.CutRight(r.W / 3)
		body.W -= 2
	default:
		body, below = r.CutBottom(min(max(r.H*3/10, 6), 13))
	}
	return body, side, below
}
