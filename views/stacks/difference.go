package stacks

import (
	"context"
	"strings"
	"sync"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Difference is the screen of stacks while the difference is shown: the same tree, graph and keys, over what changed.
// Frames are as wide as the sum of all changes below them, whichever way these went; their sign and color say what
// became of the whole.
type Difference struct{ *Stacks }

// newDifference returns what replaces a screen of stacks while the difference is shown.
func newDifference(p *Stacks) *Difference { return &Difference{p} }

// About implements [ui.Screen].
func (p *Difference) About() string { return p.Stacks.About() + ", difference" }

// Scopes implements [ui.Screen].
func (p *Difference) Scopes() []keymap.Scope {
	s := p.Stacks.Scopes()
	return append([]keymap.Scope{s[0], keymap.ScopeDifference}, s[1:]...)
}

// Command implements [ui.Screen]: reports print no difference.
func (p *Difference) Command() []string { return nil }

// CommandLine implements [ui.Commander].
func (p *Difference) CommandLine(file []string) []string { return p.sides.CommandLine(&p.State, file) }

// Useless implements [ui.Refuser]: there are no curves to align.
func (p *Difference) Useless(a keymap.Action) bool { return a == keymap.Align }

// comparing reports whether the screen shows the difference.
func (p *Stacks) comparing() bool { return p.State.Compare.On && p.sides != nil }

// changeKey determines the tree of a difference.
type changeKey struct {
	set  *ui.StackComparison
	tree treeKey // its stacks are those of both sides
	fold foldKey // what decides whether it is about something else; without its tree
}

// shapes caches the structure of the last tree of a difference, which depends on neither side's moment. Any goroutine
// may use it; the zero value is ready.
type shapes struct {
	mu   sync.Mutex
	key  treeKey
	last *diff.CompareShape
}

// of returns the structure of a tree, built anew unless the last one has all of its stacks. The only errors are those
// of ctx.
func (h *shapes) of(ctx context.Context, e *ui.Env, k *changeKey) (*diff.CompareShape, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.last
	if h.key != k.tree {
		old = nil
	}
	opt := diff.ShapeOptions{TreeOptions: k.tree.options()}
	var err error
	if opt.View, err = e.Views.Of(ctx, k.tree.stacks, k.tree.filters, k.tree.part); err != nil {
		return nil, err
	}
	made, err := diff.NewCompareShape(ctx, k.set.Comparison, opt, old)
	if err != nil {
		return nil, err
	}
	h.key, h.last = k.tree, made
	return made, nil
}

// weighChanges builds the tree of changes.
func (p *Stacks) weighChanges(ctx context.Context, k changeKey) (*weighed, error) {
	shape, err := p.shapes.of(ctx, p.Env, &k)
	if err != nil {
		return nil, err
	}
	t := &callTree{CallTree: shape.CallTree, key: k.tree}
	t.key.stacks = shape.Stacks
	if k.tree.invert { // a tree that had to grow numbers its nodes differently
		t.key.grown = shape
	}
	w := &weighed{tree: t, key: k.fold, peak: model.NoTime, set: k.set, shape: shape, changes: shape.Weigh(k.set.Comparison)}
	w.key.tree, w.Folded = t, w.changes.Folded
	return w, ctx.Err()
}

// showChanges requests the difference and the search in it, and shows the newest ones.
func (p *Stacks) showChanges() {
	switch w := p.newestChanges(); {
	case w == nil:
		p.letGo()
		return
	case w != p.Now:
		p.adopt(w)
	}
	p.showTarget()
	p.askSearch()
}

// newestChanges requests the difference of the state, and returns the newest one; nil before the first, or if there is
// none.
func (p *Stacks) newestChanges() *weighed {
	set := p.sides.Ask(&p.State)
	if set == nil {
		return nil
	}
	k := changeKey{set: set, tree: p.treeKey(), fold: foldKey{cost: p.State.Cost, revision: p.State.Status.Revision}}
	k.tree.stacks, k.tree.ids, k.tree.prof, k.tree.filters = nil, 0, nil, ""
	if set.Joined != nil {
		k.tree.stacks = set.Joined.Stacks
	}
	if p.pivoted() {
		_, k.tree.filters = p.State.Filters.AroundPivot()
	}
	if p.Prof != nil {
		k.fold.prof = p.Prof.Key(&p.State)
	}
	p.changes.Ask(k)
	w, ok := p.changes.Get()
	if !ok {
		return nil
	}
	return w
}

// showTarget goes to the stack that the table of another screen stacksShown here.
func (p *Stacks) showTarget() {
	c := &p.State.Compare
	if c.Requests <= p.stacksShown || !p.sides.Fresh() || !p.changes.Fresh() {
		return
	}
	p.stacksShown = c.Requests
	at, ok := p.Now.shape.NodeOf(c.Target)
	if !ok || at == 0 {
		return
	}
	if p.Now.tree.key.invert {
		path, _ := p.Now.path(at, 0)
		at = path[0]
	}
	p.touched = true
	p.selectNode(at)
}

// Side returns what a node weighs before (0) or after (1).
func (w *weighed) Side(i int, n int32) uint64 { return w.changes.Sides[i].Total[n] }

// delta returns the cell with the change of a node.
func (p *Stacks) delta(n int32) widget.Cell {
	return p.DeltaCell(p.Now.Side(0, n), p.Now.Side(1, n), p.amount)
}

// direction returns 1 for a node that grew, −1 for one that shrank, else 0.
func (w *weighed) direction(n int32) int {
	switch before, after := w.Side(0, n), w.Side(1, n); {
	case after > before:
		return 1
	case after < before:
		return -1
	}
	return 0
}

// signed returns a frame's name after the sign of its change, for those who see no colors.
func (w *weighed) signed(n int32) string {
	return [...]string{"-", "=", "+"}[1+w.direction(n)] + " " + w.label(n)
}

// changeStyle returns the color of what grew, shrank or stayed.
func (p *Stacks) changeStyle(id uint64) (tcell.Style, bool) {
	switch p.Now.direction(int32(id)) {
	case 1:
		return p.Style(themes.Loss).Reverse(true), true
	case -1:
		return p.Style(themes.Gain).Reverse(true), true
	}
	return p.Look.Muted.Reverse(true), true
}

// dashes returns the fill of frames that shrank, to distinguish them without colors.
func (p *Stacks) dashes(id uint64) string {
	if p.Now.direction(int32(id)) < 0 {
		return "-"
	}
	return " "
}

// changedSentence returns the weight of a frame before and after, and its share of all changes. In a bottom-up tree,
// only functions at the top have a weight of their own.
func (p *Stacks) changedSentence(n int32) []string {
	side := func(i int, word string) string {
		text := word + " " + p.ofSide(i, p.Now.Side(i, n))
		if p.Now.tree.key.invert {
			return text
		}
		return text + ", self " + p.ofSide(i, p.Now.changes.Sides[i].Self(n))
	}
	return []string{
		side(0, "before"), side(1, "after"),
		"sum of all changes below: " + p.amount(p.Now.Total[n]) + " (" + ui.PartText(p.Now.Total[n], p.Now.Total[0]) + ")",
	}
}

// changedAnswer returns the meaning of widths and bars.
func (p *Stacks) changedAnswer() string {
	text := "bars: sum of all changes, "
	if p.flame {
		text = "width: sum of all changes, "
	}
	text += p.amount(p.Now.Total[0])
	if !p.sides.Fresh() || !p.changes.Fresh() {
		text = "comparing… " + text
	}
	return text
}

// unchanged returns why there is no difference to see, and what to do.
func (p *Stacks) unchanged() []string {
	if text := p.sides.Failed(); text != nil {
		return text
	}
	if text := ui.Unanswered(p.changes); text != nil {
		return text
	}
	other := p.Hint("{mark-a} and {mark-b} mark other moments, {difference.cost} shows another cost.")
	switch {
	case p.Now == nil:
		return []string{"Comparing…"}
	case p.Now.Side(0, 0) == 0 && p.Now.Side(1, 0) == 0:
		return []string{"Both sides are empty.", other}
	}
	return []string{"Nothing changed: every stack has the same weight on both sides.", other}
}

// changedColumns returns the columns of a difference for a pane of w cells.
func (p *Stacks) changedColumns(w int) []treeColumn {
	const right = widget.Right
	width := 9
	if p.State.Exact {
		width = 16
	}
	return []treeColumn{
		{columnDelta, widget.Column{Title: titles.Delta, Width: width + 1, Align: right}},
		{columnChange, widget.Column{Width: min(max(w/14, 5), 12), Drop: 5}},
		{columnBefore, widget.Column{Title: titles.Before, Width: width, Align: right, Drop: 4}},
		{columnAfter, widget.Column{Title: titles.After, Width: width, Align: right, Drop: 3}},
		{columnPercent, widget.Column{Title: titles.Percent, Width: 9, Align: right, Drop: 1}},
		{columnName, widget.Column{Title: titles.Function, Width: min(26, max(w-14, 8)), Grow: 3, Cut: widget.CutScope}},
		{columnPlace, widget.Column{Title: titles.Where, Width: 13, Grow: 1, MaxWidth: 48, Cut: widget.CutFolder, Drop: 2}},
	}
}

// changedCell returns a cell of a column that only differences have.
func (p *Stacks) changedCell(column int, n int32) widget.Cell {
	before, after := p.Now.Side(0, n), p.Now.Side(1, n)
	switch column {
	case columnBefore:
		return widget.Cell{Text: p.ofSide(0, before)}
	case columnAfter:
		return widget.Cell{Text: p.ofSide(1, after)}
	}
	c := p.delta(n)
	switch column {
	case columnChange:
		return widget.Cell{Kind: widget.BarCell, Bar: ui.ShareOf(p.Now.Total[n], p.Now.Total[0]), Style: c.Style}
	case columnPercent:
		c.Text = ui.PercentChange(p.Look, before, after)
	}
	return c
}

// copyHead returns the figures of a frame, above its stack; "" where no difference is shown.
func (p *Stacks) copyHead(n int32) string {
	if p.Now.changes == nil {
		return ""
	}
	return model.Clean(p.Now.label(n)) + "  " + p.delta(n).Text + ": " + strings.Join(p.changedSentence(n)[:2], "; ") + "\n"
}

// Difference implements [ui.Differing].
func (p *Stacks) Difference(func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return newDifference(p)
}
