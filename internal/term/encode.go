package term

import (
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
)

// encoder writes frames to terminals like xterm: only the differences from the last one or from that one scrolled, with
// the shortest movements, and of each change of style only what differs. tcell, which draws on all others, writes every style anew and looks at every cell. It
// belongs to the flusher.
//
// It relies on what all these terminals do: ECMA-48's attributes and their ends, and that a line feed in raw mode moves
// straight down. It erases with a background where the terminal's description says so; since some (kitty) erase with
// their own, it writes blanks for others. It repeats no character by REP, which some that call themselves xterm (mosh,
// JediTerm) ignore. It assumes nothing about what the frame before left, since tcell may have drawn in between.
type encoder struct {
	out     io.Writer
	ti      *terminfo.Terminfo
	rgb     bool
	palette []tcell.Color

	inColor bool               // see erasesInColor
	pens    []pen              // by styleID
	grounds []styleID          // by styleID: see groundOf
	firsts  map[string]styleID // by background: its first style
	turns   map[[2]styleID]string

	// Of the frame being written.
	w         int
	cells     []cell
	tails     []int // by row: see tail, and 1 more; 0 if unknown
	buf, best []byte
	order     []int32
	groups    []styleID // by difference: the style with which it is written
	runs      []int     // of each style
	next      []int     // where the next cell of a group comes
	at        point     // of the cursor; hidden() where it is uncertain
	pen       styleID
	move      []byte
}

// pen is a style as parameters of SGR; "" is a color of the terminal's own.
type pen struct {
	fg, bg string
	marks  tcell.AttrMask
}

const (
	maxOrders  = 8000 // with more changes only one order is tried
	syncFrom   = 512  // bytes from which a frame is marked, so that it appears at once
	unknownPen = ^styleID(0)
)

const (
	beginFrame = "\x1b[?2026h"
	endFrame   = "\x1b[?2026l"
	hideCursor = "\x1b[?25l"
	showCursor = "\x1b[?25h"
)

// newEncoder returns an encoder for a screen, or nil where tcell must draw: on terminals unlike xterm, and where text is
// not sent as UTF-8.
func newEncoder(s tcell.Screen, ti *terminfo.Terminfo) *encoder {
	tty, ok := s.Tty()
	if !ok || !xtermLike(ti) || !showsUnicode(s.CharacterSet()) {
		return nil
	}
	e := &encoder{out: tty, ti: ti, inColor: erasesInColor(ti), rgb: s.Colors() >= 1<<24 && ti.SetFgRGB != "" && ti.SetBgRGB != ""}
	for i := range min(ti.Colors, 256) {
		e.palette = append(e.palette, tcell.PaletteColor(i))
	}
	return e
}

// outgoing is a frame as the flusher hands it over.
type outgoing struct {
	diff     []int32 // indexes of cells, in the order of rows
	cells    []cell
	w        int
	styles   []tcell.Style
	complete bool // everything is sent, and style numbers may be new
	refresh  bool // the terminal's content is uncertain
	was, at  point
	scroll   scroll // before the differences
}

// write sends a frame. Errors are not returned: a terminal that is gone ends reading.
func (e *encoder) write(f outgoing) {
	if f.complete {
		e.pens, e.turns = e.pens[:0], map[[2]styleID]string{}
		e.grounds, e.firsts = e.grounds[:0], map[string]styleID{}
	}
	for id := len(e.pens); id < len(f.styles); id++ {
		p := e.penOf(f.styles[id])
		e.pens, e.grounds = append(e.pens, p), append(e.grounds, e.groundOf(p))
	}
	e.w, e.cells = f.w, f.cells
	e.tails = append(e.tails[:0], make([]int, len(f.cells)/max(f.w, 1))...)
	e.shortest(f.diff)
	frame := e.best
	var head, tail []byte
	together := len(frame) > syncFrom || f.scroll.by != 0
	if together {
		head = append(head, beginFrame...)
	}
	if f.complete || f.was != hidden() {
		head = append(head, hideCursor...)
	}
	if f.refresh {
		head = append(head, "\x1b[m\x1b[2J"...)
	}
	if f.scroll.by != 0 {
		head = e.scroll(head, f.scroll, len(f.cells)/f.w)
	}
	if f.at != hidden() {
		tail = append(appendMove(tail, f.at), showCursor...)
	}
	if together {
		tail = append(tail, endFrame...)
	}
	_, _ = e.out.Write(slices.Concat(head, frame, tail))
}

// shortest encodes the differences in several orders, and keeps the shortest. A cursor column over a chart changes two
// cells in each row, of two styles: style by style takes fewer bytes than row by row.
func (e *encoder) shortest(diff []int32) {
	e.order = append(e.order[:0], diff...)
	e.encode()
	e.buf, e.best = e.best, e.buf
	if len(diff) > maxOrders || !e.countRuns(diff) {
		return
	}
	for _, least := range []int{5, 1} {
		if !e.reorder(diff, least) {
			continue
		}
		if e.encode(); len(e.buf) < len(e.best) {
			e.buf, e.best = e.best, e.buf
		}
	}
}

// countRuns counts how often each style begins, row by row; blanks are of the style before them where they look the
// same in it. It returns false where a wide cell is among the differences: what its halves become depends on the order.
func (e *encoder) countRuns(diff []int32) bool {
	e.runs = append(e.runs[:0], make([]int, len(e.pens))...)
	e.groups = e.groups[:0]
	last := unknownPen
	for i, d := range diff {
		c := &e.cells[d]
		if c.width > 1 {
			return false
		}
		if i == 0 || diff[i-1] != d-1 || !e.shows(last, c) {
			last = c.style
		}
		if i == 0 || last != e.groups[i-1] {
			e.runs[last]++
		}
		e.groups = append(e.groups, last)
	}
	return true
}

// reorder puts the differences of each style that begins at least so often together, after those of all other styles.
// It returns false where there are too few for that to matter.
func (e *encoder) reorder(diff []int32, least int) bool {
	runs := 0
	for _, n := range e.runs {
		runs += n
	}
	if runs < 4 {
		return false
	}
	group := func(id styleID) int {
		if e.runs[id] >= least {
			return int(id) + 1
		}
		return 0
	}
	e.next = append(e.next[:0], make([]int, len(e.runs)+2)...)
	for _, id := range e.groups {
		e.next[group(id)+1]++
	}
	for g := 1; g < len(e.next); g++ {
		e.next[g] += e.next[g-1]
	}
	for i, d := range diff {
		g := group(e.groups[i])
		e.order[e.next[g]] = d
		e.next[g]++
	}
	return true
}

// encode fills buf with the cells in their order.
func (e *encoder) encode() {
	e.buf, e.at, e.pen = e.buf[:0], hidden(), unknownPen
	for k := 0; k < len(e.order); k++ {
		if n := e.erase(k); n > 0 {
			k += n - 1
			continue
		}
		d := e.order[k]
		c, to := &e.cells[d], point{int(d) % e.w, int(d) / e.w}
		e.moveTo(to)
		e.turnTo(c)
		text, width := c.text, max(1, int(c.width))
		if text == "" || to.x+width > e.w {
			text, width = " ", 1
		}
		if width > 1 && to.x+width < e.w {
			e.buf = append(e.buf, "  \b\b"...) // some terminals keep half of what a wide text covers
		}
		e.buf = append(e.buf, text...)
		e.at = point{to.x + width, to.y}
		if !surelyNarrow(c) || e.at.x >= e.w {
			e.at = hidden() // terminals disagree about where the cursor is now
		}
	}
}

// surelyNarrow reports whether all terminals move the cursor by one column for a cell.
func surelyNarrow(c *cell) bool { return c.width <= 1 && len(c.text) <= 3 }

// turnTo changes the style to that of a cell, unless the current one shows it alike.
func (e *encoder) turnTo(c *cell) {
	if e.shows(e.pen, c) {
		return
	}
	key := [2]styleID{e.pen, c.style}
	turn, known := e.turns[key]
	if !known {
		turn = e.turnOf(key)
		e.turns[key] = turn
	}
	e.buf = append(e.buf, turn...)
	e.pen = c.style
}

// turnOf returns the shorter of two sequences: all of the new style, or what differs from the old one.
func (e *encoder) turnOf(key [2]styleID) string {
	to := e.pens[key[1]]
	whole := append(append([]string{"0"}, marksOf(to.marks)...), to.colors()...)
	turn := "\x1b[" + strings.Join(whole, ";") + "m"
	if key[0] == unknownPen {
		return turn
	}
	if step := "\x1b[" + strings.Join(e.pens[key[0]].difference(to), ";") + "m"; len(step) < len(turn) {
		turn = step
	}
	return turn
}

func (p pen) colors() (list []string) {
	for _, color := range []string{p.fg, p.bg} {
		if color != "" {
			list = append(list, color)
		}
	}
	return list
}

// difference returns the parameters that make another style of this one; there is at least one.
func (p pen) difference(to pen) (list []string) {
	left := p.marks
	for _, m := range marks {
		if left&m.bits != 0 && p.marks&m.bits&^to.marks != 0 {
			list = append(list, m.end)
			left &^= m.bits
		}
	}
	list = append(list, marksOf(to.marks&^left)...)
	if p.fg != to.fg {
		list = append(list, cmp.Or(to.fg, "39"))
	}
	if p.bg != to.bg {
		list = append(list, cmp.Or(to.bg, "49"))
	}
	if len(list) == 0 { // two numbers of styles that look the same
		return []string{"24"}
	}
	return list
}

// marks are attributes that end together, and how.
var marks = []struct {
	bits tcell.AttrMask
	end  string
}{
	{tcell.AttrBold | tcell.AttrDim, "22"}, {tcell.AttrItalic, "23"}, {tcell.AttrUnderline, "24"}, {tcell.AttrBlink, "25"},
	{tcell.AttrReverse, "27"}, {tcell.AttrStrikeThrough, "29"},
}

// marksOf returns the parameters that begin attributes.
func marksOf(set tcell.AttrMask) (list []string) {
	for _, m := range []struct {
		bit   tcell.AttrMask
		begin string
	}{
		{tcell.AttrBold, "1"}, {tcell.AttrDim, "2"}, {tcell.AttrItalic, "3"}, {tcell.AttrUnderline, "4"}, {tcell.AttrBlink, "5"},
		{tcell.AttrReverse, "7"}, {tcell.AttrStrikeThrough, "9"},
	} {
		if set&m.bit != 0 {
			list = append(list, m.begin)
		}
	}
	return list
}

// penOf returns a style as the terminal shows it.
func (e *encoder) penOf(style tcell.Style) pen {
	fg, bg, set := style.Decompose()
	set &^= tcell.AttrUnderline
	if style.GetUnderlineStyle() != tcell.UnderlineStyleNone {
		set |= tcell.AttrUnderline
	}
	return pen{e.color(fg, e.ti.SetFgRGB, e.ti.SetFg), e.color(bg, e.ti.SetBgRGB, e.ti.SetBg), set}
}

// color returns the parameters of a color by the terminal's description.
func (e *encoder) color(c tcell.Color, exact, indexed string) string {
	switch {
	case !c.Valid():
		return ""
	case e.rgb && c.IsRGB():
		r, g, b := c.RGB()
		return parameters(e.ti.TParm(exact, int(r), int(g), int(b)))
	case len(e.palette) == 0:
		return ""
	}
	if c.IsRGB() || int(c&0xff) >= len(e.palette) || c >= tcell.PaletteColor(256) {
		c = tcell.FindColor(c, e.palette)
	}
	return parameters(e.ti.TParm(indexed, int(c&0xff)))
}

// parameters returns what a sequence of SGR sets.
func parameters(sequence string) string {
	return strings.TrimSuffix(strings.TrimPrefix(sequence, "\x1b["), "m")
}

// moveTo moves the cursor in the shortest way.
func (e *encoder) moveTo(to point) {
	if e.at == to {
		return
	}
	direct := appendMove(e.move[:0], to)
	e.move = direct
	if e.at != hidden() {
		if e.at.y == to.y && e.between(to, len(direct)) {
			return
		}
		before := len(e.buf)
		e.relative(to)
		if len(e.buf)-before < len(direct) {
			return
		}
		e.buf = e.buf[:before]
	}
	e.buf = append(e.buf, direct...)
}

// between writes again what is between the cursor and a position further right, if that has the current style and takes
// no more bytes than moving over it.
func (e *encoder) between(to point, most int) bool {
	if to.x < e.at.x {
		return false
	}
	most = min(most, len("\x1b[9C"))
	row, before := e.cells[to.y*e.w:], len(e.buf)
	for x := e.at.x; x < to.x; x++ {
		c := &row[x]
		if !e.shows(e.pen, c) || c.text == "" || !surelyNarrow(c) || len(e.buf)-before+len(c.text) > most {
			e.buf = e.buf[:before]
			return false
		}
		e.buf = append(e.buf, c.text...)
	}
	return true
}

// relative moves the cursor from where it is: by lines, then by columns.
func (e *encoder) relative(to point) {
	down := to.y - e.at.y
	if down > 0 && to.x == 0 && e.at.x != 0 {
		e.buf = append(e.buf, '\r')
		e.at.x = 0
	}
	switch {
	case down < 0:
		e.step(-down, 'A')
	case down <= 3:
		e.buf = append(e.buf, "\n\n\n"[:down]...)
	default:
		e.step(down, 'B')
	}
	switch right := to.x - e.at.x; {
	case right > 0:
		e.step(right, 'C')
	case right < 0 && to.x == 0:
		e.buf = append(e.buf, '\r')
	case right < 0 && right >= -3:
		e.buf = append(e.buf, "\b\b\b"[:-right]...)
	case right < 0:
		e.step(-right, 'D')
	}
}

// step appends a movement by n rows or columns.
func (e *encoder) step(n int, how byte) { e.buf = appendStep(e.buf, n, how) }

// appendStep appends a sequence with a number.
func appendStep(buf []byte, n int, how byte) []byte {
	buf = append(buf, "\x1b["...)
	if n > 1 {
		buf = strconv.AppendInt(buf, int64(n), 10)
	}
	return append(buf, how)
}

// appendMove appends the movement to a position, wherever the cursor is.
func appendMove(buf []byte, to point) []byte {
	buf = append(buf, "\x1b["...)
	if to.y > 0 || to.x > 0 {
		buf = strconv.AppendInt(buf, int64(to.y+1), 10)
	}
	if to.x > 0 {
		buf = append(buf, ';')
		buf = strconv.AppendInt(buf, int64(to.x+1), 10)
	}
	return append(buf, 'H')
}
