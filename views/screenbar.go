package views

import (
	"strconv"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// screenHit is the position of a screen's name.
type screenHit struct{ from, to, screen int }

// Sizes from which on the bar of screens has a row.
const (
	screenBarWidth  = 100
	screenBarHeight = 30
)

// leftOut is where names have no room between others and the current one.
const leftOut = "…"

// screenRows returns the height of the bar of screens: 0 if there is no room for it.
func (a *app) screenRows() int {
	if _, _, w, h := a.GetRect(); w < screenBarWidth || h < screenBarHeight {
		return 0
	}
	return 1
}

// screenKey returns the key that goes to the n-th screen of the file, its number or else its own, "" for none.
func (a *app) screenKey(n int) string {
	act := keymap.Action("screen-" + strconv.Itoa(n+1))
	if n > 8 {
		act = a.screens[n].Action()
	}
	keys := a.o.Keys.Keys(act, keymap.ScopeGlobal)
	if len(keys) == 0 {
		return ""
	}
	return keys[0].Short()
}

// drawScreens shows the names of the screens with the keys that go there. Where there is no room for all, it shows those
// that fit and the key that lists them.
func (a *app) drawScreens(s tcell.Screen, r widget.Rect) {
	a.screenHits = a.screenHits[:0]
	st := a.Style(themes.StatusBar)
	widget.Fill(s, r, st)
	shown, gap, more := a.screensIn(r.W - 1)
	x, end := r.X, r.X+r.W-1
	for n, i := range shown {
		if n > 0 && i > shown[n-1]+1 {
			x += widget.Print(s, x, r.Y, end-x, leftOut, a.over(themes.Muted, st))
		}
		name, key := st, a.over(themes.Muted, st)
		if i == a.at {
			name = a.Style(themes.Selection)
			key = name
		}
		from := x
		x += widget.Print(s, x, r.Y, end-x, " "+a.screenKey(i), key)
		x += widget.Print(s, x, r.Y, end-x, " "+a.screens[i].Name()+" ", name)
		a.screenHits = append(a.screenHits, screenHit{from, x, i})
		x += gap
	}
	widget.Print(s, x, r.Y, end-x, more, a.over(themes.Muted, st))
}

// screensIn returns the screens whose names fit into w cells, the current one among them, the gap between two, and what
// is said of the others: "" if there are none.
func (a *app) screensIn(w int) (shown []int, gap int, more string) {
	all, width := make([]int, len(a.screens)), 0
	widthOf := func(i int) int { return 1 + widget.Width(a.screenKey(i)) + 1 + widget.Width(a.screens[i].Name()) + 1 }
	for i := range all {
		all[i] = i
		width += widthOf(i)
	}
	if n := len(all); width+n-1 <= w {
		return all, 1, ""
	} else if width <= w {
		return all, 0, ""
	}
	more = a.Hint(" {screens} more")
	room := w - widget.Width(more) - widthOf(a.at) - widget.Width(leftOut)
	for _, i := range all {
		if i != a.at {
			room -= widthOf(i)
		}
		if room < 0 && i > a.at {
			break
		} else if room >= 0 || i == a.at {
			shown = append(shown, i)
		}
	}
	return shown, 0, more
}

// clickScreen goes to the screen under the mouse.
func (a *app) clickScreen(x int) {
	for _, h := range a.screenHits {
		if x >= h.from && x < h.to {
			a.goTo(h.screen)
			return
		}
	}
}

// screenList lists the screens of the file, with the keys that go there. The one that was shown before is selected, so
// that the key that opens the list twice goes back to it.
type screenList struct {
	app  *app
	list widget.List
}

func newScreenList(a *app) *screenList {
	v := &screenList{app: a}
	v.list = widget.List{
		Table: v, SortColumn: -1, Column: -1, HideHeader: true, Focused: true,
		Columns: []widget.Column{{Width: 1}, {Width: 14}, {Width: 10, Grow: 1, Drop: 1}},
	}
	v.list.Select(min(a.previous, len(a.screens)-1))
	return v
}

// Len, ID and Cell implement widget.Table.
func (v *screenList) Len() int          { return len(v.app.screens) }
func (v *screenList) ID(row int) uint64 { return uint64(row) }

func (v *screenList) Cell(row, col int) widget.Cell {
	k := v.app.Look.InBox()
	switch col {
	case 0:
		return widget.Cell{Text: v.app.screenKey(row), Style: k.Sorted}
	case 1:
		st := k.Text
		if row == v.app.at {
			st = k.Title
		}
		return widget.Cell{Text: v.app.screens[row].Name(), Style: st}
	}
	return widget.Cell{Text: v.app.screenHelp(v.app.screens[row]), Style: k.Muted}
}

// screenHelp returns in one sentence what a screen shows.
func (a *app) screenHelp(sc ui.Screen) string {
	for _, e := range a.o.Keys.Actions(keymap.ScopeGlobal) {
		if e.Action == sc.Action() {
			return e.Help
		}
	}
	return ""
}

func (v *screenList) Scopes() []keymap.Scope { return nil }

func (v *screenList) Key(*tcell.EventKey) bool { return false }

func (v *screenList) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	in := ui.OverlayBox(s, r, 110, v.Len()+4, k, "Screens")
	list, hint := in.CutBottom(1)
	v.list.Draw(s, list, k.InBox())
	widget.Print(s, hint.X, hint.Y, hint.W, v.app.Hint("a number or {open} goes there, {screens} to the last one, {back} closes"), k.InBox().Muted)
}

func (v *screenList) Do(act keymap.Action) bool {
	switch act {
	case keymap.Open:
		row, _ := v.list.Selected()
		v.app.leaveFor(row)
	case keymap.Screens:
		v.app.leaveFor(min(v.app.previous, v.Len()-1))
	default:
		return ui.MoveList(&v.list, act)
	}
	return true
}

// leaveFor closes overlays and opens another screen.
func (a *app) leaveFor(screen int) {
	a.overlays = nil
	a.goTo(screen)
}
