package compare

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// compareTreeKey determines the tree of a comparison.
type compareTreeKey struct {
	set    *CompareSet
	invert bool
	full   bool
}

// comparedTree is the call tree of both sides. Nodes have ids that are the same for the same path of names in every tree, so that
// what is open and selected stays while the sides change.
type comparedTree struct {
	*diff.CompareTree
	key compareTreeKey
	ids []uint64         // by node, 0 for the root
	at  map[uint64]int32 // node by id
}

func makeCompareTree(ctx context.Context, k compareTreeKey) (*comparedTree, error) {
	opt := calltree.TreeOptions{Invert: k.invert}
	if !k.full {
		opt.Name = widget.ShortenTemplates
	}
	tree, err := diff.NewCompareTree(ctx, k.set.Comparison, opt, false)
	if err != nil {
		return nil, err
	}
	t := &comparedTree{CompareTree: tree, key: k, ids: make([]uint64, tree.Len()), at: make(map[uint64]int32, tree.Len())}
	t.at[0] = 0
	for n := int32(1); n < int32(tree.Len()); n++ { // parents come first
		id := pathID(t.ids[tree.Parent(n)], tree.Name(n))
		for _, taken := t.at[id]; taken; _, taken = t.at[id] {
			id++
		}
		t.ids[n], t.at[id] = id, n
	}
	return t, nil
}

// pathID is FNV-1a of a name behind its caller's id.
func pathID(parent uint64, name string) uint64 {
	h := parent ^ 14695981039346656037
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

// CompareStacks is the tree or the flame graph of what changed: frames are as wide as the sum of all changes below them, whichever
// way these went; their sign and colour say what became of the whole.
type CompareStacks struct {
	ui.Pane
	of    ui.Screen
	sets  *ui.Lazy[compareKey, *CompareSet]
	trees *ui.Lazy[compareTreeKey, *comparedTree]
	set   *CompareSet
	now   *comparedTree // nil before the first answer
	Tree  *widget.Tree
	graph widget.Flame
	info  ui.Detail

	flame, invert bool
	inDetail      bool
	text          string            // searched
	match         func(string) bool // whether a name is what is searched
	sought        int               // of CompareState.Sent: what was shown already
	body, side    widget.Rect
}

// NewCompareStacks returns the difference of two call trees, which stands for the screen of.
func NewCompareStacks(e *ui.Env, of ui.Screen) *CompareStacks {
	p := &CompareStacks{Pane: ui.NewPane(e), of: of}
	p.sets = ui.NewLazy(e, func(ctx context.Context, k compareKey) (*CompareSet, error) { return compare(e, ctx, k) })
	p.trees = ui.NewLazy(e, makeCompareTree)
	p.Tree = widget.NewTree(p, nil)
	return p
}

func (p *CompareStacks) Name() string { return p.of.Name() }

func (p *CompareStacks) Action() keymap.Action { return p.of.Action() }

func (p *CompareStacks) Needs() model.Facet { return p.of.Needs() }

func (p *CompareStacks) Command() []string { return nil }

func (p *CompareStacks) About() string {
	if p.flame {
		return "flame, difference"
	}
	return "tree, difference"
}

// narrows implements [ui.Narrower].
func (p *CompareStacks) Narrows() bool { return true }

// CommandLine implements commander.
func (p *CompareStacks) CommandLine(file []string) []string {
	if p.Prof != nil && !p.Mixed(&p.State) {
		return append(p.DiffCommand(&p.State, file, "stack", "", false), p.Prof.Chosen(&p.State)...)
	}
	cost, instant := weighed(p.Pane.Env, &p.State, p.State.Cost)
	if cost == analysis.CostPeak {
		return peakCommand(p.Pane.Env, &p.State, file, "stack")
	}
	return p.DiffCommand(&p.State, file, "stack", ui.CostNamed(cost), instant)
}

func (p *CompareStacks) Follows() string {
	if p.Prof == nil && !p.State.Chips.Only(calltree.Focus, calltree.Ignore) {
		return "whole stacks here"
	}
	return ""
}

func (p *CompareStacks) Scopes() []keymap.Scope {
	if p.flame {
		return []keymap.Scope{keymap.ScopeFlame, keymap.ScopeDifference, keymap.ScopeStacks, keymap.ScopeFilters}
	}
	return []keymap.Scope{keymap.ScopeTree, keymap.ScopeDifference, keymap.ScopeStacks, keymap.ScopeFilters}
}

func (p *CompareStacks) Show(s *state.State) {
	p.State = *s
	sides, ok := makeSides(p.Pane.Env, s, CompareSites, analysis.ByStack, s.Cost)
	if !ok {
		return
	}
	p.sets.Ask(key(&s.Compare, sides))
	set, ok := p.sets.Get()
	if !ok {
		return
	}
	p.set = set
	p.trees.Ask(compareTreeKey{set, p.invert, s.FullName})
	t, ok := p.trees.Get()
	if !ok {
		return
	}
	if t != p.now {
		p.adopt(t)
	}
	p.seek()
	p.explain()
}

// adopt shows another tree; what is open and selected stays where its path is still there.
func (p *CompareStacks) adopt(t *comparedTree) {
	old := p.now
	p.now = t
	if old == nil || old.key.invert != t.key.invert || old.key.full != t.key.full {
		p.Tree.SetRoots(p.Children(0))
		p.graph.Reset(p)
		p.hotPath()
		p.Tree.Home()
		return
	}
	p.Tree.Reload(p.Children(0))
	p.graph.Reload(p, func(id uint64) bool { n, ok := t.at[id]; return ok && t.Change[n] > 0 })
}

// seek goes to the stack that another screen asked for.
func (p *CompareStacks) seek() {
	c := &p.State.Compare
	if c.Sent <= p.sought || p.now == nil || !p.trees.Fresh() || !p.sets.Fresh() {
		return
	}
	p.sought = c.Sent
	for i := range p.set.Rows {
		if p.set.Rows[i].Node == c.Sought {
			p.choose(p.now.Leaf(i))
			return
		}
	}
}

// choose selects a node in tree and graph.
func (p *CompareStacks) choose(n int32) {
	var path []uint64
	for at := n; at > 0; at = p.now.Parent(at) {
		path = append([]uint64{p.now.ids[at]}, path...)
	}
	p.Tree.Reveal(path)
	p.graph.Select(p.now.ids[n])
}

// node is a node by its id; ok is false for one that another tree had.
func (p *CompareStacks) node(id uint64) (int32, bool) {
	if p.now == nil {
		return 0, false
	}
	n, ok := p.now.at[id]
	return n, ok
}

// Root implements widget.FlameSource.
func (p *CompareStacks) Root() uint64 { return 0 }

// Parent implements widget.FlameSource.
func (p *CompareStacks) Parent(id uint64) (uint64, bool) {
	n, ok := p.node(id)
	if !ok || n == 0 {
		return 0, false
	}
	return p.now.ids[p.now.Parent(n)], true
}

// Children implements widget.FlameSource and widget.TreeSource.
func (p *CompareStacks) Children(id uint64) []uint64 {
	n, ok := p.node(id)
	if !ok {
		return nil
	}
	list := p.now.CompareTree.Children(n)
	out := make([]uint64, len(list))
	for i, c := range list {
		out[i] = p.now.ids[c]
	}
	return out
}

// Leaf implements widget.TreeSource.
func (p *CompareStacks) Leaf(id uint64) bool {
	n, ok := p.node(id)
	return !ok || !p.now.Sides[0].HasChildren(n) && !p.now.Sides[1].HasChildren(n)
}

// Value implements widget.FlameSource.
func (p *CompareStacks) Value(id uint64) uint64 {
	n, ok := p.node(id)
	if !ok {
		return 0
	}
	return p.now.Change[n]
}

// Label implements widget.FlameSource: the sign stands before the name, for those who see no colours.
func (p *CompareStacks) Label(id uint64) string {
	n, ok := p.node(id)
	if !ok {
		return ""
	}
	return [...]string{"-", "=", "+"}[1+p.direction(n)] + " " + p.label(n)
}

// Note implements widget.FlameSource.
func (p *CompareStacks) Note(id uint64) string {
	n, ok := p.node(id)
	if !ok {
		return ""
	}
	return p.delta(n).Text
}

func (p *CompareStacks) label(n int32) string {
	if p.State.FullName {
		return p.now.Name(n)
	}
	return widget.WithoutSignature(p.now.Name(n))
}

// direction is 1 for what grew, −1 for what shrank, else 0.
func (p *CompareStacks) direction(n int32) int {
	before, after := p.now.Sides[0].Total[n], p.now.Sides[1].Total[n]
	switch {
	case after > before:
		return 1
	case after < before:
		return -1
	}
	return 0
}

func (p *CompareStacks) amount(v uint64) string { return p.now.key.set.amount(v, p.State.Exact) }

func (p *CompareStacks) delta(n int32) widget.Cell {
	return p.DeltaCell(p.now.Sides[0].Total[n], p.now.Sides[1].Total[n], p.amount)
}

// Columns of the tree.
const (
	changedDelta = iota
	changedBar
	changedBefore
	changedAfter
	changedPercent
	changedName
	changedPlace
)

// arrange chooses the columns for a pane of w cells.
func (p *CompareStacks) arrange(w int) {
	const right = widget.Right
	width := 9
	if p.State.Exact {
		width = 16
	}
	p.Tree.Columns = []widget.Column{
		changedDelta:   {Title: "Δ", Width: width + 1, Align: right},
		changedBar:     {Width: min(max(w/14, 5), 12), Drop: 5},
		changedBefore:  {Title: "BEFORE", Width: width, Align: right, Drop: 4},
		changedAfter:   {Title: "AFTER", Width: width, Align: right, Drop: 3},
		changedPercent: {Title: "%", Width: 9, Align: right, Drop: 1},
		changedName:    {Title: "FUNCTION", Width: min(26, max(w-14, 8)), Grow: 3, Cut: widget.CutScope},
		changedPlace:   {Title: "PLACE", Width: 13, Grow: 1, MaxWidth: 48, Cut: widget.CutFolder, Drop: 2},
	}
	p.Tree.TreeColumn = changedName
}

// Cell implements widget.TreeSource.
func (p *CompareStacks) Cell(id uint64, col int) widget.Cell {
	n, ok := p.node(id)
	if !ok {
		return widget.Cell{}
	}
	before, after := p.now.Sides[0].Total[n], p.now.Sides[1].Total[n]
	switch col {
	case changedDelta:
		return p.delta(n)
	case changedBar:
		return widget.Cell{Kind: widget.BarCell, Bar: ui.ShareOf(p.now.Change[n], p.now.Change[0]), Style: p.delta(n).Style}
	case changedBefore:
		return widget.Cell{Text: p.amount(before)}
	case changedAfter:
		return widget.Cell{Text: p.amount(after)}
	case changedPercent:
		return widget.Cell{Text: ui.PercentChange(p.Look, before, after), Style: p.delta(n).Style}
	case changedName:
		c := widget.Cell{Text: p.label(n)}
		if p.text != "" && p.matches(n) {
			c.Style = widget.Over(p.Look.Text, p.Look.Match)
		}
		return c
	}
	return widget.Cell{Text: p.place(n), Style: p.Look.Muted}
}

func (p *CompareStacks) place(n int32) string {
	f, mixed := p.now.Frame(n)
	j := p.now.key.set.Joined
	if f == 0 || j == nil {
		return ""
	}
	place := ui.FramePlace(j.Stacks.At(f))
	if mixed && place != "" {
		place += " …"
	}
	return place
}

func (p *CompareStacks) matches(n int32) bool {
	return p.text != "" && p.match(p.now.Name(n))
}

// selected is the selected node; ok is false for none.
func (p *CompareStacks) selected() (int32, bool) {
	var id uint64
	var ok bool
	if p.flame {
		id, ok = p.graph.Selected()
	} else {
		id, ok = p.Tree.SelectedID()
	}
	if !ok {
		return 0, false
	}
	return p.node(id)
}

// Function implements [ui.Functioner].
func (p *CompareStacks) Function() string {
	if n, ok := p.selected(); ok && n > 0 {
		return p.now.Name(n)
	}
	return ""
}

// explain fills the detail pane: the way to the selected frame, and its figures.
func (p *CompareStacks) explain() {
	n, ok := p.selected()
	if !ok || p.now == nil {
		p.info = ui.Detail{}
		return
	}
	before, after := p.now.Sides[0], p.now.Sides[1]
	p.info.Title, p.info.Answer = p.label(n), p.delta(n).Text
	p.info.Frames, p.info.Facts = nil, []string{
		"before " + p.amount(before.Total[n]) + ", of it its own " + p.amount(before.Self(n)),
		"after " + p.amount(after.Total[n]) + ", of it its own " + p.amount(after.Self(n)),
		"all changes below, whichever way: " + p.amount(p.now.Change[n]) + " (" + ui.PartText(p.now.Change[n], p.now.Change[0]) + ")",
	}
	for at := n; at > 0 && len(p.info.Frames) < ui.MaxFrames; at = p.now.Parent(at) {
		p.info.Frames = append(p.info.Frames, ui.FrameRow{Name: p.label(at), Where: p.place(at), Site: at == n})
	}
	if n == 0 {
		p.info.Frames = []ui.FrameRow{{Name: "everything", Folded: true}}
	}
}

// hotFrames selects the end of what changed most below the selection, until it branches.
func (p *CompareStacks) hotFrames() {
	at, ok := p.selected()
	if !ok {
		return
	}
	for list := p.now.Children(at); len(list) > 0 && p.now.Change[list[0]] >= p.now.Change[at]-p.now.Change[at]/2; list = p.now.Children(at) {
		at = list[0]
	}
	p.graph.Select(p.now.ids[at])
}

// hotPath opens what changed most below the selection until it branches.
func (p *CompareStacks) hotPath() {
	change := func(id uint64) uint64 { n, _ := p.node(id); return p.now.Change[n] }
	p.Tree.OpenPath(func(parent, child uint64) bool { return change(child) >= change(parent)-change(parent)/2 })
}

// Draw implements tview.Primitive.
func (p *CompareStacks) Draw(s tcell.Screen) {
	r := drawCompareHead(p.Pane.Env, s, p.Rect(), &p.State, p.set)
	if r.H > 3 {
		var title widget.Rect
		title, r = r.CutTop(1)
		widget.TitleLine(s, title, p.Look, p.Title(), p.answer())
	}
	if p.now == nil || p.now.Change[0] == 0 {
		p.body, p.side = r, widget.Rect{}
		for i, line := range p.emptyText() {
			widget.Print(s, r.X+1, r.Y+i, r.W-2, line, p.Look.Text)
		}
		return
	}
	var below widget.Rect
	if p.body, p.side, below = ui.DivideStacks(r); p.side.Empty() {
		p.side = below
	}
	if p.flame {
		p.graph.Match = nil
		if p.text != "" {
			p.graph.Match = func(id uint64) bool { n, ok := p.node(id); return ok && p.matches(n) }
		}
		p.graph.Style, p.graph.Fill, p.graph.Focused = p.frameStyle, p.pattern, !p.inDetail
		p.graph.Draw(s, p.body, p.Look)
	} else {
		p.arrange(p.body.W)
		p.Tree.Focused = !p.inDetail
		p.Tree.Draw(s, p.body, p.Look)
	}
	if !p.side.Empty() {
		p.info.Draw(s, p.side, p.Look, p.inDetail)
	}
}

// frameStyle is the colour of what grew, shrank or stayed.
func (p *CompareStacks) frameStyle(id uint64) (tcell.Style, bool) {
	n, ok := p.node(id)
	if !ok {
		return tcell.Style{}, false
	}
	switch p.direction(n) {
	case 1:
		return p.Style(themes.Loss).Reverse(true), true
	case -1:
		return p.Style(themes.Gain).Reverse(true), true
	}
	return p.Look.Muted.Reverse(true), true
}

// pattern fills what shrank with dashes, for those who see no colours.
func (p *CompareStacks) pattern(id uint64) string {
	if n, ok := p.node(id); ok && p.direction(n) < 0 {
		return "-"
	}
	return " "
}

// useless reports whether an action changes nothing here.
func (p *CompareStacks) Useless(a keymap.Action) bool { return a == keymap.Align }

// Title says what the tree weighs.
func (p *CompareStacks) Title() string {
	if p.set == nil {
		return "Difference"
	}
	way := "top-down" + signsIn(p.set, p.Rect())
	if p.invert {
		way = "bottom-up" + signsIn(p.set, p.Rect())
	}
	return p.set.Title() + " · " + way
}

func (p *CompareStacks) answer() string {
	if p.now == nil {
		return ""
	}
	text := "width: sum of all changes, " + p.amount(p.now.Change[0])
	if !p.flame {
		text = "bars: sum of all changes, " + p.amount(p.now.Change[0])
	}
	if !p.sets.Fresh() || !p.trees.Fresh() {
		text = "comparing… " + text
	}
	return text
}

// emptyText says why there is nothing to see, and what to do.
func (p *CompareStacks) emptyText() []string {
	switch {
	case p.sets.Ready && p.sets.Err != nil:
		return failedText(p.sets.Err)
	case p.now == nil:
		return []string{"Comparing…"}
	case len(p.set.Rows) == 0:
		return []string{"There is nothing on either side.", "A and B mark other moments, c shows another cost."}
	}
	return []string{"Nothing changed: every stack weighs the same on both sides.", "A and B mark other moments, c shows another cost."}
}
