package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// chipHit is the position of a filter in the bar.
type chipHit struct {
	from, to int
	drop     state.Intent
}

// chipRows returns the height of the bar of filters: 0 without filters, or on very low terminals.
func (a *app) chipRows() int {
	if _, _, _, h := a.GetRect(); h < 8 || len(a.chips()) == 0 {
		return 0
	}
	return 1
}

// drawChips draws the filters: a click on a filter removes it.
func (a *app) drawChips(s tcell.Screen, r widget.Rect) {
	a.chipHits = a.chipHits[:0]
	st := a.Style(themes.StatusBar)
	widget.Fill(s, r, st)
	list := a.chips()
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
		a.chipHits = append(a.chipHits, chipHit{x, x + n, c.drop})
		x += n + 1
	}
}

// clickChip removes the filter under the mouse.
func (a *app) clickChip(x int) {
	for _, h := range a.chipHits {
		if x >= h.from && x < h.to {
			a.emit(h.drop)
			return
		}
	}
}
