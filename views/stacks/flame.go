package stacks

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// flamePane is the flame graph: [widget.Flame] over what the screen shows.
type flamePane struct {
	widget.Flame
	of         *Stacks
	want, zoom uint64 // what was selected and zoomed last, which the weights of some instants do not have
}

func newFlamePane(p *Stacks) *flamePane { return &flamePane{of: p} }

// Root, Parent, Children, Value, Label and Note implement widget.FlameSource.
func (g *flamePane) Root() uint64 {
	if w := g.of.Now; w != nil && w.tree.key.part != calltree.FullStacks {
		if child, ok := w.OnlyChild(0); ok { // the pivot
			return uint64(child)
		}
	}
	return 0
}

func (g *flamePane) Parent(id uint64) (uint64, bool) {
	if id == g.Root() || id == 0 || id >= uint64(g.of.Now.Len()) {
		return 0, false
	}
	return uint64(g.of.Now.Parent(int32(id))), true
}

func (g *flamePane) Children(id uint64) []uint64 {
	return nodeIDs(g.of.Now.Children(int32(id)))
}

func (g *flamePane) Value(id uint64) uint64 { return g.of.Now.Total[id] }

func (g *flamePane) Label(id uint64) string {
	if g.of.Now.changes != nil {
		return g.of.Now.signed(int32(id))
	}
	return g.of.Now.label(int32(id))
}

func (g *flamePane) Note(id uint64) string {
	if g.of.Now.changes != nil {
		return g.of.delta(int32(id)).Text
	}
	return g.of.amount(g.of.Now.Total[id])
}

// reset shows the whole graph, with at selected.
func (g *flamePane) reset(at int32) {
	g.Reset(g)
	g.want, g.zoom = g.Root(), g.Root()
	if at > 0 {
		g.choose(at)
	}
}

// reload adopts other weights of the same tree.
func (g *flamePane) reload() {
	g.Reload(g, g.of.Now.exists)
	if g.Zoom() != g.zoom && g.of.Now.exists(g.zoom) {
		g.Select(g.zoom)
		g.ZoomIn()
		g.Select(g.want)
	}
	if id, ok := g.Selected(); ok && id != g.want && g.of.Now.exists(g.want) {
		g.Select(g.want)
	}
}

func (g *flamePane) remember() {
	g.want, _ = g.Selected()
	g.zoom = g.Zoom()
}

// choose selects a node.
func (g *flamePane) choose(n int32) {
	g.Select(uint64(n))
	g.remember()
}

func (g *flamePane) Do(a keymap.Action) bool {
	if !g.of.DoFlame(&g.Flame, g.Root(), g.hotPath, g.rising(a)) {
		return false
	}
	g.remember()
	return true
}

// hotPath selects the end of the heaviest path below the selection.
func (g *flamePane) hotPath() {
	id, ok := g.Selected()
	if !ok {
		return
	}
	if path := g.of.Now.HotPath(int32(id)); len(path) > 0 {
		g.Select(uint64(path[len(path)-1]))
	}
}

func (g *flamePane) click(x, y int, double bool) bool {
	ok := ui.ClickFlame(&g.Flame, x, y, double)
	if ok {
		g.remember()
	}
	return ok
}

func (g *flamePane) draw(s tcell.Screen, r widget.Rect, focused bool) {
	p := g.of
	if p.Now == nil || p.Now.Total[0] == 0 {
		p.drawEmpty(s, r)
		return
	}
	g.Match = nil
	if f := p.matching(); f != nil {
		g.Match = func(id uint64) bool { return f.matches(int32(id)) }
	}
	g.Fill = nil
	if p.Now.changes != nil {
		g.Fill = p.dashes
	}
	g.Style = p.frameStyle()
	g.Focused = focused
	g.Draw(s, r, p.Look)
}
