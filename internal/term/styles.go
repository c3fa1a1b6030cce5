package term

import "github.com/gdamore/tcell/v2"

// styleID is the number of a style in a table. 0 is the default style.
type styleID uint32

// maxStyles is how many styles are remembered: more than any theme has.
const maxStyles = 1 << 12

// styles numbers styles, so that a cell takes a quarter of the memory and comparing is fast. It belongs to the UI
// goroutine, except the list: that only grows, and others may read the part they were given.
type styles struct {
	list   []tcell.Style // by number
	ids    map[tcell.Style]styleID
	last   tcell.Style // last one looked up, usually also the next one
	id     styleID     // of last
	recent [64]styleID // looked up recently, by slot
}

func newStyles() styles {
	return styles{list: []tcell.Style{tcell.StyleDefault}, ids: map[tcell.Style]styleID{tcell.StyleDefault: 0}}
}

// number returns the number of a style, adding it if necessary.
func (t *styles) number(style tcell.Style) styleID {
	if style == t.last {
		return t.id
	}
	near := &t.recent[slot(style)]
	if t.list[*near] != style {
		*near = t.lookUp(style)
	}
	t.last, t.id = style, *near
	return *near
}

func (t *styles) lookUp(style tcell.Style) styleID {
	id, known := t.ids[style]
	if !known {
		id = styleID(len(t.list))
		t.list = append(t.list, style)
		t.ids[style] = id
	}
	return id
}

// slot returns where a style is kept among the recent ones: hashing all of it takes longer than comparing.
func slot(style tcell.Style) int {
	fg, bg, attrs := style.Decompose()
	mixed := (uint64(fg)*3 + uint64(bg)*5 + uint64(attrs)) * 0x9e3779b97f4a7c15
	return int(mixed >> 58)
}
