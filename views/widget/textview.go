package widget

import (
	"strings"

	"github.com/gdamore/tcell/v2"
)

// Span is a run of text in one style; the zero style means the Look's Text.
type Span struct {
	Text  string
	Style tcell.Style
}

// Line is a line of a [TextView]. Where it is wrapped, its further rows begin Indent cells from the left.
type Line struct {
	Spans  []Span
	Indent int
}

// Plain makes a line of one span without a style.
func Plain(text string) Line { return Line{Spans: []Span{{Text: text}}} }

// Wrap cleans text and breaks it at spaces into rows of at most w cells; words that are longer are broken anywhere. An
// empty text is one empty row.
func Wrap(text string, w int) []string {
	text = Clean(text)
	var rows []string
	for w = max(w, 1); ; {
		n := rowLen(text, w)
		rows = append(rows, strings.TrimRight(text[:n], " "))
		if text = strings.TrimLeft(text[n:], " "); text == "" {
			return rows
		}
	}
}

// Clauses returns the first n rows of a sentence that was wrapped. If it has more, it ends with the last complete clause
// in these, or else with "…".
func Clauses(rows []string, n int) []string {
	if n = max(n, 1); len(rows) <= n {
		return rows
	}
	for i := n - 1; i >= 0; i-- {
		for at := len(rows[i]) - 1; at >= leastClause; at-- {
			if !endsClause(rows[i], at) {
				continue
			}
			end := strings.TrimRight(rows[i][:at+1], ",;:.")
			if whole := strings.Join(append(rows[:i:i], end), " "); strings.Count(whole, "(") == strings.Count(whole, ")") {
				return append(rows[:i:i], end)
			}
		}
	}
	return append(rows[:n-1:n-1], strings.Join(rows[n-1:], " "))
}

// endsClause reports whether a row can end with the byte at an offset. What a colon announces is wanted, unless it
// follows what is in parentheses.
func endsClause(row string, at int) bool {
	if at+1 < len(row) && row[at+1] != ' ' {
		return false
	}
	return strings.IndexByte(",;.)", row[at]) >= 0 || row[at] == ':' && row[at-1] == ')'
}

// leastClause is the number of bytes below which a clause alone in a row says too little.
const leastClause = 12

// rowLen returns the number of bytes of clean text that make a row of at most w cells.
func rowLen(text string, w int) int {
	n := prefixLen(text, w)
	if n == len(text) {
		return n
	}
	if n == 0 { // a wide character in one cell
		c, _, _, _ := nextCluster(text, -1)
		return len(c)
	}
	if text[n] == ' ' {
		return n
	}
	if space := strings.LastIndexByte(text[:n], ' '); space > 0 && strings.TrimLeft(text[:space], " ") != "" {
		return space
	}
	return n
}

// viewRow is one row on the screen: bytes from … to of all spans of a line, joined.
type viewRow struct {
	line     int32
	from, to int32
	indent   int32
}

// TextView shows lines of text, wrapped at words, with scrolling. The zero value is empty.
type TextView struct {
	lines  []Line
	rows   []viewRow
	width  int // that rows were made for, 0 for none
	offset int
	height int // of the last frame
}

// SetLines replaces the text and scrolls to its beginning. The caller owns the lines and must not change them.
func (v *TextView) SetLines(lines []Line) { v.Replace(lines); v.offset = 0 }

// Replace is [TextView.SetLines] without scrolling, as far as the text is long enough.
func (v *TextView) Replace(lines []Line) {
	v.lines, v.rows, v.width = lines, v.rows[:0], 0
}

// Rows returns the number of rows that the text takes at a width of w cells.
func (v *TextView) Rows(w int) int {
	v.wrap(w)
	return len(v.rows)
}

func (v *TextView) wrap(w int) {
	if w = max(w, 1); v.width == w {
		return
	}
	v.width, v.rows = w, v.rows[:0]
	for i := range v.lines {
		v.wrapLine(i, w)
	}
}

func (v *TextView) wrapLine(i, w int) {
	text := joined(&v.lines[i])
	indent := int32(0)
	for at := int32(0); ; {
		n := int32(rowLen(text[at:], max(1, w-int(indent))))
		v.rows = append(v.rows, viewRow{int32(i), at, at + n, indent})
		at += n
		for int(at) < len(text) && text[at] == ' ' {
			at++
		}
		if int(at) >= len(text) {
			return
		}
		indent = int32(max(0, min(v.lines[i].Indent, w/2)))
	}
}

// joined returns the clean text of all spans of a line.
func joined(l *Line) string {
	if len(l.Spans) == 1 {
		return Clean(l.Spans[0].Text)
	}
	var b strings.Builder
	for i := range l.Spans {
		b.WriteString(Clean(l.Spans[i].Text))
	}
	return b.String()
}

// Draw shows what is visible in r, with a scroll bar at the right where there is more.
func (v *TextView) Draw(s tcell.Screen, r Rect, k *Look) {
	v.height = max(0, r.H)
	if r.Empty() {
		return
	}
	v.wrap(r.W - 1)
	v.clamp()
	for i := range min(r.H, len(v.rows)-v.offset) {
		v.drawRow(s, r.X, r.Y+i, &v.rows[v.offset+i], k)
	}
	drawScroll(s, Rect{r.X + r.W - 1, r.Y, 1, r.H}, v.offset, len(v.rows), k)
}

// drawRow draws the parts of a line's spans that fall into row.
func (v *TextView) drawRow(s tcell.Screen, x, y int, row *viewRow, k *Look) {
	x += int(row.indent)
	at := int32(0)
	for _, span := range v.lines[row.line].Spans {
		text := Clean(span.Text)
		end := at + int32(len(text))
		from, to := max(row.from, at), min(row.to, end)
		if from < to {
			x += putClusters(s, x, y, text[from-at:to-at], orElse(span.Style, k.Text))
		}
		at = end
	}
}

func (v *TextView) clamp() {
	v.offset = max(0, min(v.offset, len(v.rows)-v.height))
}

// Scroll moves by n rows.
func (v *TextView) Scroll(n int) { v.offset += n; v.clamp() }

// Page moves by n screens, keeping one row of context.
func (v *TextView) Page(n int) { v.Scroll(n * max(1, v.height-1)) }

// Home goes to the beginning.
func (v *TextView) Home() { v.offset = 0 }

// End goes to the end.
func (v *TextView) End() { v.offset = len(v.rows); v.clamp() }

// Offset returns the first visible row.
func (v *TextView) Offset() int { return v.offset }

// More reports whether there is text above and below what was visible in the last frame.
func (v *TextView) More() (above, below bool) {
	return v.offset > 0, v.offset+v.height < len(v.rows)
}
