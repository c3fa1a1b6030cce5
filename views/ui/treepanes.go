package ui

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// DoTree handles the actions of every call tree; it returns false for others.
func (e *Env) DoTree(t *widget.Tree, a keymap.Action) bool {
	switch a {
	case keymap.Collapse:
		t.Close()
	case keymap.Expand:
		t.Open()
	case keymap.Toggle:
		if id, ok := t.SelectedID(); !ok || t.Source.Leaf(id) {
			e.Say(e.Hint("nothing to open below this row; {row} shows the row in full"))
			return true
		}
		t.Toggle()
	case keymap.ExpandAll:
		if !t.OpenAll() {
			e.Say("too many nodes to open at once: open parts of it")
		}
	default:
		return MoveList(&t.List, a)
	}
	return true
}

// ClickTree selects the row at a place, and opens or closes it if the marker was hit or the click is a double click; it
// returns false if there is no row.
func ClickTree(t *widget.Tree, x, y int, double bool) bool {
	row, ok := t.HitRow(x, y)
	if !ok {
		return false
	}
	t.Select(row)
	if _, marker := t.HitMarker(x, y); marker || double {
		t.Toggle()
	}
	return true
}

// DoFlame handles the actions of every flame graph; it returns false for others. hotPath follows the heaviest path.
func (e *Env) DoFlame(g *widget.Flame, root uint64, hotPath func(), a keymap.Action) bool {
	switch a {
	case keymap.Up:
		g.Up()
	case keymap.Down:
		g.Down()
	case keymap.Left:
		g.Side(-1)
	case keymap.Right:
		g.Side(1)
	case keymap.PageUp:
		g.Page(-1)
	case keymap.PageDown:
		g.Page(1)
	case keymap.First:
		g.Select(root)
	case keymap.Last, keymap.HotPath:
		hotPath()
	case keymap.Open, keymap.ZoomIn:
		if !g.ZoomIn() {
			e.Say("the selected frame already has the full width")
		}
	case keymap.ZoomOut:
		g.ZoomOut()
	case keymap.ZoomReset:
		g.ZoomReset()
	default:
		return false
	}
	return true
}

// ClickFlame selects the frame at a place, and zooms to it on a double click; it returns false if there is none.
func ClickFlame(g *widget.Flame, x, y int, double bool) bool {
	id, ok := g.Hit(x, y)
	if !ok {
		return false
	}
	g.Select(id)
	if double {
		g.ZoomIn()
	}
	return true
}

// DivideStacks divides an area between a tree or a graph and the detail, which is next to it on wide screens, else
// below. In a low area there is no detail.
func DivideStacks(r widget.Rect) (body, side, below widget.Rect) {
	const wide, high = 150, 10
	switch {
	case r.H < high:
		return r, side, below
	case r.W >= wide:
		body, side = r.CutRight(r.W / 3)
		body.W -= 2
	default:
		body, below = r.CutBottom(min(max(r.H*3/10, 6), 13))
	}
	return body, side, below
}
