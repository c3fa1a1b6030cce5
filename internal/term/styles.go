package term

import "github.com/gdamore/tcell/v2"

// styleID is the number of a style in a table. 0 is the default style.
type styleID uint32

// maxStyles is how many styles are remembered: more than any theme has.
const maxStyles = 1 << 12

// styles numbers styles, so that a cell takes a quarter of the memory and comparing is fast. It belongs to the UI
// goroutine, except the list: that only grows, and others may read the part they were given.
type styles struct {
	list []tcell.Style // by number
	ids  map[tcell.Style]styleID
	last tcell.Style // last one looked up, usually also the next one
	id   styleID     // of last
}

func newStyles() styles {
	return styles{list: []tcell.Style{tcell.StyleDefault}, ids: map[tcell.Style]styleID{tcell.StyleDefault: 0}}
}

// number returns the number of a style, adding it if necessary.
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
