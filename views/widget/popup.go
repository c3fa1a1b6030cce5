package widget

import "github.com/gdamore/tcell/v2"

// Box blanks r, draws a thin border with a title in it, and returns the area inside. What was below is covered. Where r
// is too small for a border, all of it is inside.
func Box(s tcell.Screen, r Rect, k *Look, title string) (inside Rect) {
	Fill(s, r, k.Box)
	return r.Inset(2, 1)
}

// Span is a run of text in one style; the zero style means the Look's Text.
type Span struct {
	Text  string
	Style tcell.Style
}

// Line is a line of a [TextView]. Continuation lines of wrapped text start below column Indent.
type Line struct {
	Spans  []Span
	Indent int
}

// Plain makes a line of one span without a style.
func Plain(text string) Line { return Line{Spans: []Span{{Text: text}}} }

// Wrap breaks clean text at spaces into lines of at most w cells; words that are longer are broken anywhere.
func Wrap(text string, w int) []string { return nil }

// TextView shows lines of text, wrapped at words, with scrolling. The zero value is empty.
type TextView struct{ offset int }

// SetLines replaces the text and goes to its beginning. The lines stay the caller's and must not change.
func (v *TextView) SetLines(lines []Line) {}

// Draw shows what is visible in r.
func (v *TextView) Draw(s tcell.Screen, r Rect, k *Look) {}

// Scroll moves by n lines on the screen.
func (v *TextView) Scroll(n int) {}

// Page moves by n screens.
func (v *TextView) Page(n int) {}

// Home goes to the beginning.
func (v *TextView) Home() {}

// End goes to the end.
func (v *TextView) End() {}

// Rows is the number of rows that the text takes at a width of w cells.
func (v *TextView) Rows(w int) int { return 0 }

// More reports whether there is text above and below what was visible in the last frame.
func (v *TextView) More() (above, below bool) { return false, false }
