package term

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// linesOfBlanks are the attributes that are seen where there is no text.
const linesOfBlanks = tcell.AttrUnderline | tcell.AttrBlink | tcell.AttrReverse | tcell.AttrStrikeThrough

// noGround is the ground of styles that are seen where there is no text.
const noGround = ^styleID(0)

// erasesInColor reports whether the description of a terminal has bce and ech: it erases any number of cells, and with
// the background of the current style. tcell's tables leave that out. Those of kitty, tmux and screen do not have both.
func erasesInColor(ti *terminfo.Terminfo) bool {
	return ti.Name != "xterm-kitty" &&
		slices.ContainsFunc([]string{"xterm", "gnome", "konsole", "alacritty", "rxvt-unicode", "st", "xfce"}, func(family string) bool {
			return ti.Name == family || strings.HasPrefix(ti.Name, family+"-")
		})
}

// groundOf returns the first style that makes a blank look as another style does, or noGround.
func (e *encoder) groundOf(p pen) styleID {
	if p.marks&linesOfBlanks != 0 {
		return noGround
	}
	id, known := e.firsts[p.bg]
	if !known {
		id = styleID(len(e.grounds))
		e.firsts[p.bg] = id
	}
	return id
}

// groundAt returns the ground of a cell that shows nothing but its background, else noGround.
func (e *encoder) groundAt(c *cell) styleID {
	if (c.text == " " || c.text == "") && c.width <= 1 {
		return e.grounds[c.style]
	}
	return noGround
}

// shows reports whether a style shows a cell as its own does.
func (e *encoder) shows(id styleID, c *cell) bool {
	if id == c.style || id == unknownPen {
		return id == c.style
	}
	ground := e.groundAt(c)
	return ground != noGround && ground == e.grounds[id]
}

// tail returns the first of the cells at the end of a row that look like its last one, a blank; else the row's end.
func (e *encoder) tail(y int) int {
	if e.tails[y] == 0 {
		end := (y + 1) * e.w
		first, ground := end, e.groundAt(&e.cells[end-1])
		for first > end-e.w && ground != noGround && e.groundAt(&e.cells[first-1]) == ground {
			first--
		}
		e.tails[y] = first + 1
	}
	return e.tails[y] - 1
}

// erase blanks the cells from number k of the order on if that takes fewer bytes than to write them. It returns how
// many of the order are done.
func (e *encoder) erase(k int) int {
	first := int(e.order[k])
	c := &e.cells[first]
	ground := e.groundAt(c)
	if ground == noGround || !e.inColor && e.pens[c.style].bg != "" {
		return 0
	}
	next, rowEnd := k+1, first-first%e.w+e.w
	for end := first + 1; next < len(e.order); next++ {
		d := int(e.order[next])
		if d < end || d >= rowEnd {
			break
		}
		for end <= d && e.groundAt(&e.cells[end]) == ground {
			end++
		}
		if end <= d {
			break
		}
	}
	n, most := int(e.order[next-1])+1-first, 0 // cells, and bytes that take no more than to write those
	var sequence string
	switch {
	case first >= e.tail(first/e.w):
		sequence = "\x1b[K"
	case e.inColor:
		sequence = "\x1b[" + strconv.Itoa(n) + "X"
		if next < len(e.order) && int(e.order[next]) < rowEnd {
			most = len("\x1b[99C") // over what is blank then
		}
	default:
		return 0
	}
	if most += len(sequence); n <= most {
		return 0
	}
	at := point{first % e.w, first / e.w}
	e.moveTo(at)
	e.turnTo(c)
	e.buf = append(e.buf, sequence...)
	e.at = at
	return next - k
}
