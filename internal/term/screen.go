package term

import (
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// Screen is what primitives draw on: a tcell.Screen that sends only the cells that differ from the terminal's, and
// nothing if none do. (tcell by itself sends every cell that was touched since the last frame, and tview touches all of
// them.)
//
// Only the UI goroutine draws. Show passes the frame to the flusher and returns; if the terminal is slow, the newest
// frame replaces the waiting one. All text is cleaned a second time: no control byte reaches the terminal. Drawers do
// not control the screen's life, so Init, Fini, Suspend and Resume do nothing here.
type Screen struct {
	tcell.Screen // the terminal's; used only by the flusher

	caps    Caps
	charset *charset    // nil if the terminal shows Unicode
	base    tcell.Style // replaces StyleDefault
	w, h    int
	cells   []cell // row by row, the frame being drawn
	styles  styles // of cells
	fresh   bool   // styles were renumbered since the last Show
	cursor  point

	flusher
}

type point struct{ x, y int }

// hidden returns the position of a hidden cursor.
func hidden() point { return point{-1, -1} }

var _ tcell.Screen = (*Screen)(nil)

// newScreen wraps an initialized screen. Frames are written by enc, by tcell if it is
// nil. With async a goroutine flushes, until shut; otherwise Show does.
func newScreen(inner tcell.Screen, enc *encoder, caps Caps, chars *charset, async bool) *Screen {
	s := &Screen{Screen: inner, caps: caps, charset: chars, cursor: hidden(), styles: newStyles()}
	s.enc = enc
	s.resize(inner.Size())
	s.flusher.start(inner, async)
	return s
}

// resize sets another size and blanks the screen.
func (s *Screen) resize(w, h int) {
	s.w, s.h = max(w, 0), max(h, 0)
	s.cells = make([]cell, s.w*s.h)
	s.Clear()
}

// Caps returns what the terminal can show.
func (s *Screen) Caps() Caps { return s.caps }

// Colors returns the number of colors, 0 if colors must not be used.
func (s *Screen) Colors() int { return s.caps.Colors }

// Size returns the size of the frame being drawn; it changes only between frames.
func (s *Screen) Size() (width, height int) { return s.w, s.h }

// Clear blanks the frame in the default style.
func (s *Screen) Clear() {
	if len(s.styles.list) > maxStyles {
		s.styles, s.fresh = newStyles(), true
		clear(s.cells)
	}
	s.Fill(' ', tcell.StyleDefault)
}

// Fill sets every cell of the frame.
func (s *Screen) Fill(r rune, style tcell.Style) {
	if len(s.cells) == 0 {
		return
	}
	s.SetContent(0, 0, r, nil, style)
	first := s.cells[0]
	for i := range s.cells {
		s.cells[i] = first
	}
}

// SetStyle sets the meaning of StyleDefault for cells drawn from now on.
func (s *Screen) SetStyle(style tcell.Style) { s.base = style }

// Put draws the first grapheme cluster of str and returns the rest and the
// width; ("", 0) only for an empty str, (str, 0) outside the screen.
func (s *Screen) Put(x, y int, str string, style tcell.Style) (string, int) {
	if str == "" || x < 0 || y < 0 || x >= s.w || y >= s.h {
		return str, 0
	}
	text, rest, width := firstCell(str)
	s.set(x, y, text, width, style)
	return rest, width
}

// PutStr draws str in the default style, clipped at the right edge.
func (s *Screen) PutStr(x, y int, str string) {
	s.PutStrStyled(x, y, str, tcell.StyleDefault)
}

// PutStrStyled draws str, clipped at the right edge.
func (s *Screen) PutStrStyled(x, y int, str string, style tcell.Style) {
	for width := 0; str != "" && x < s.w; x += width {
		if str, width = s.Put(x, y, str, style); width == 0 {
			return
		}
	}
}

// SetContent draws a rune with its combining marks.
func (s *Screen) SetContent(x, y int, r rune, marks []rune, style tcell.Style) {
	if x < 0 || y < 0 || x >= s.w || y >= s.h {
		return
	}
	if len(marks) == 0 {
		if text, ok := runeText(r); ok {
			s.set(x, y, text, 1, style)
			return
		}
	}
	buf := make([]byte, 0, 32)
	buf = utf8.AppendRune(buf, r)
	for _, m := range marks {
		buf = utf8.AppendRune(buf, m)
	}
	text, _, width := firstCell(string(buf))
	s.set(x, y, text, width, style)
}

// SetCell is SetContent in the old order of arguments.
func (s *Screen) SetCell(x, y int, style tcell.Style, ch ...rune) {
	if len(ch) == 0 {
		ch = []rune{' '}
	}
	s.SetContent(x, y, ch[0], ch[1:], style)
}

// set stores a cleaned text of known width at a position inside the screen.
func (s *Screen) set(x, y int, text string, width int, style tcell.Style) {
	c := &s.cells[y*s.w+x]
	id := s.resolve(style, c.style)
	if s.charset != nil && (len(text) > 1 || text[0] >= utf8.RuneSelf) {
		text = s.charset.rewrite(text)
		if width == 2 && x+1 < s.w {
			s.cells[y*s.w+x+1] = cell{text: " ", style: id, width: 1}
		}
		width = 1
	}
	c.text, c.style, c.width = text, id, uint8(width)
}

// resolve replaces styles that depend on others: the default style, colors that must stay unchanged, and colors that
// the terminal does not have (tcell would draw dark ones in reverse video).
func (s *Screen) resolve(style tcell.Style, before styleID) styleID {
	if style == tcell.StyleDefault {
		style = s.base
	}
	fg, bg, _ := style.Decompose()
	if s.caps.Colors == 0 {
		if fg != tcell.ColorDefault || bg != tcell.ColorDefault {
			style = style.Foreground(tcell.ColorDefault).Background(tcell.ColorDefault)
		}
		return s.styles.number(style)
	}
	if fg == tcell.ColorNone || bg == tcell.ColorNone {
		oldFg, oldBg, _ := s.styles.list[before].Decompose()
		if fg == tcell.ColorNone {
			style = style.Foreground(oldFg)
		}
		if bg == tcell.ColorNone {
			style = style.Background(oldBg)
		}
	}
	return s.styles.number(style)
}

// Get returns what was drawn at a position of the frame, a blank outside of it.
func (s *Screen) Get(x, y int) (str string, style tcell.Style, width int) {
	if x < 0 || y < 0 || x >= s.w || y >= s.h {
		return "", tcell.StyleDefault, 0
	}
	c := &s.cells[y*s.w+x]
	if c.text == "" || c.width == 0 {
		return " ", s.styles.list[c.style], 1
	}
	return c.text, s.styles.list[c.style], int(c.width)
}

// GetContent is Get with separate runes.
func (s *Screen) GetContent(x, y int) (primary rune, marks []rune, style tcell.Style, width int) {
	str, style, width := s.Get(x, y)
	for i, r := range str {
		if i == 0 {
			primary = r
		} else {
			marks = append(marks, r)
		}
	}
	return primary, marks, style, width
}

// ShowCursor moves the cursor with the next Show; a position outside the screen hides it.
func (s *Screen) ShowCursor(x, y int) {
	s.cursor = hidden()
	if x >= 0 && y >= 0 && x < s.w && y < s.h {
		s.cursor = point{x, y}
	}
}

// HideCursor hides the cursor with the next Show.
func (s *Screen) HideCursor() { s.cursor = hidden() }

// Show passes the frame to the flusher.
func (s *Screen) Show() { s.hand(false) }

// Sync is Show for a terminal whose content is uncertain: everything is sent.
func (s *Screen) Sync() { s.hand(true) }

func (s *Screen) hand(refresh bool) {
	s.show(drawing{s.cells, s.w, s.h, s.cursor, s.styles.list, s.fresh}, refresh)
	s.fresh = false
}

// Frames returns the number of frames sent to the terminal because something had changed. Any goroutine may call it.
func (s *Screen) Frames() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frames
}

// Init does nothing: Open did it.
func (s *Screen) Init() error { return nil }

// Fini does nothing: see Terminal.Quit.
func (s *Screen) Fini() {}

// Suspend does nothing: see Terminal.Suspend.
func (s *Screen) Suspend() error { return nil }

// Resume does nothing: see Terminal.Suspend.
func (s *Screen) Resume() error { return nil }

// Resize does nothing, as in tcell.
func (s *Screen) Resize(int, int, int, int) {}

// LockRegion does nothing: cells are compared, not locked.
func (s *Screen) LockRegion(int, int, int, int, bool) {}

// EnableMouse turns mouse reports on, with the next flush.
func (s *Screen) EnableMouse(flags ...tcell.MouseFlags) {
	s.later(func() { s.Screen.EnableMouse(flags...) })
}

// DisableMouse turns mouse reports off, with the next flush.
func (s *Screen) DisableMouse() { s.later(s.Screen.DisableMouse) }

// SetCursorStyle changes the cursor's shape, with the next flush.
func (s *Screen) SetCursorStyle(style tcell.CursorStyle, colors ...tcell.Color) {
	s.later(func() { s.Screen.SetCursorStyle(style, colors...) })
}

// SetTitle sets the window's title, with the next flush. Control bytes are
// removed.
func (s *Screen) SetTitle(title string) {
	s.later(func() { s.Screen.SetTitle(printable(title)) })
}
