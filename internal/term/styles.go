package term

import "github.com/gdamore/tcell/v2"

// A styleID is the number of a style in a table. 0 is the default style.
type styleID uint32

// maxStyles is how many styles are remembered: more than any theme makes.
const maxStyles = 1 << 12

// styles numbers styles, so that a cell takes a quarter of the memory and is
// compared at once. It belongs to the UI goroutine, but for the list: that only
// grows, and what has been handed out may be read by others.
type styles struct {
	list []tcell.Style // by number
	ids  map[tcell.Style]styleID
	last tcell.Style // asked for last, which most often is asked for next
	id   styleID     // of last
}

func newStyles() styles {
	return styles{list: []tcell.Style{tcell.StyleDefault}, ids: map[tcell.Style]styleID{tcell.StyleDefault: 0}}
}

// number returns the number of a style, a new one if there is none yet.
func (t *styles) number(style tcell.Style) styleID {
	if style == t.last {
		return t.id
	}
	id, known := t.ids[style]
	if !known {
		id = styleID(len(t.list))
		t.list = append(t.list, style)
		t.ids[style] = id
	}
	t.last, t.id = style, id
	return id
}
