package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// restrictionHit is the position of a filter in the bar.
type restrictionHit struct {
	from, to int
	drop     state.Intent
}

// restrictionRows returns the height of the bar of filters: 0 without filters, or on very low terminals.
func (a *app) restrictionRows() int {
	if _, _, _, h := a.GetRect(); h < 8 || len(a.restrictions()) == 0 {
		return 0
	}
	return 1
}

// drawRestrictions draws the filters: a click on a filter removes it.
func (a *app) drawRestrictions(s tcell.Screen, r widget.Rect) {
	a.restrictionHits = a.restrictionHits[:0]
	st := a.Style(themes.StatusBar)
	widget.Fill(s, r, st)
	list := a.restrictions()
	note := ""
	if a.state.Filters != "" {
		note = "filters not applied"
		if f, ok := a.current().(ui.Follower); ok {
			note = f.Follows()
		}
	}
	end := r.X + r.W - 1
	if n := widget.Width(note); n > 0 && n+24 < r.W {
		widget.Print(s, end-n, r.Y, n, note, a.over(themes.Muted, st))
		end -= n + 2
	}
	x := r.X + 1
	x += widget.Print(s, x, r.Y, end-x, "Filters", a.over(themes.Muted, st)) + 1
	sign := "×"
	if a.Look.Glyphs.Plain {
		sign = "x"
	}
	for i, c := range list {
		room := end - x
		more := ""
		if left := len(list) - i - 1; left > 0 {
			more = model.CountedAs(left, "more", "more")
			room -= len(more) + 1
		}
		if room < 12 {
			widget.Print(s, x, r.Y, end-x, model.CountedAs(len(list)-i, "more", "more"), a.over(themes.Muted, st))
			return
		}
		share := max(room/(len(list)-i), min(room, 20))
		text := " " + widget.Truncate(widget.Clean(c.text), share-4) + " " + sign + " "
		n := widget.Print(s, x, r.Y, room, text, a.Style(themes.Badge))
		a.restrictionHits = append(a.restrictionHits, restrictionHit{x, x + n, c.drop})
		x += n + 1
	}
}

// clickRestriction removes the filter under the mouse.
func (a *app) clickRestriction(x int) {
	for _, h := range a.restrictionHits {
		if x >= h.from && x < h.to {
			a.emit(h.drop)
			return
		}
	}
}
