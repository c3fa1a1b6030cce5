package views

import (
	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
)

// MouseHandler implements tview.Primitive. Everything the mouse does has a key as well.
func (a *app) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(action tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		return a.mouse(action, ev), nil
	}
}

func (a *app) mouse(action tview.MouseAction, ev *tcell.EventMouse) bool {
	x, y := ev.Position()
	const rows = 3 // of one turn of the wheel
	switch action {
	case tview.MouseScrollUp:
		a.Wheel(x, y, -rows)
	case tview.MouseScrollDown:
		a.Wheel(x, y, rows)
	case tview.MouseLeftDown:
		a.dragFrom, a.pressed, a.dragging = point{x, y}, true, false
	case tview.MouseMove:
		// Motion to the place of a click is reported with the button down, before the click itself.
		if ev.Buttons()&tcell.Button1 == 0 || !a.pressed || len(a.overlays) > 0 {
			return false
		}
		a.dragging = true
		a.drag(x, y, false)
	case tview.MouseLeftUp:
		a.pressed = false
		if !a.dragging {
			return false
		}
		a.drag(x, y, true)
	case tview.MouseLeftClick, tview.MouseLeftDoubleClick:
		if !a.dragging {
			a.Click(x, y, action == tview.MouseLeftDoubleClick)
		}
		a.dragging = false
	default:
		return false
	}
	return true
}

func (a *app) Wheel(x, y, rows int) {
	if c, ok := a.front().(ui.Clicker); ok {
		c.Wheel(x, y, rows)
		return
	}
	act := keymap.Down
	if rows < 0 {
		act, rows = keymap.Up, -rows
	}
	for range rows {
		a.do(act)
	}
}

func (a *app) drag(x, y int, done bool) {
	if c, ok := a.current().(ui.Clicker); ok {
		c.Drag(a.dragFrom.x, a.dragFrom.y, x, y, done)
	}
}

func (a *app) Click(x, y int, double bool) {
	a.message = ""
	_, top, _, h := a.GetRect()
	if y == top+h-1 {
		for _, hit := range a.hits {
			if x >= hit.from && x < hit.to {
				a.do(hit.action)
				return
			}
		}
		return
	}
	if y == top+1 && a.screenRows() > 0 && len(a.overlays) == 0 {
		a.clickScreen(x)
		return
	}
	if y == top+1+a.screenRows() && a.restrictionRows() > 0 && len(a.overlays) == 0 {
		a.clickRestriction(x)
		return
	}
	if c, ok := a.front().(ui.Clicker); ok {
		c.Click(x, y, double)
	}
}
