package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// signsHeight is the rows from which on a head says what signs mean, and what has no partner.
const signsHeight = 14

// headLines is what the head of a difference says, for w cells and h rows: the sentence, what the signs mean, and notes.
func headLines(st *State, c *compareSet, w, h int) (sentence []string, signs bool, notes []string) {
	if c == nil || h < 8 {
		return nil, false, nil
	}
	text := c.Sentence(c.words(st))
	if c.key.sides[0].partial || c.key.sides[1].partial {
		text = "So far, while more is being read: " + text
	}
	sentence = widget.Wrap(text, w-2)
	if h < signsHeight {
		return cutLines(sentence, 1, w-2), false, nil
	}
	notes = widget.Wrap(compareNotes(st, c), w-2)
	return cutLines(sentence, 2, w-2), true, cutLines(notes, 1+h/24, w-2)
}

// cutLines keeps the first n lines, and shows where there were more.
func cutLines(lines []string, n, w int) []string {
	if len(lines) <= n {
		return lines
	}
	lines = lines[:n:n]
	lines[n-1] = widget.Truncate(lines[n-1]+" "+strings.Repeat("…", w), w)
	lines[n-1] = strings.TrimRight(lines[n-1], "…") + "…"
	return lines
}

// signsIn says what + means in a title, where the head is too low to say it.
func signsIn(c *compareSet, r widget.Rect) string {
	if c == nil || r.H >= signsHeight {
		return ""
	}
	to := "B"
	if c.Swapped {
		to = "A"
	}
	return " · + more in " + to
}

// drawCompareHead says what changed in a sentence, what the signs mean, and what was done to make the sides comparable; it returns
// what is left of r.
func (e *env) drawCompareHead(s tcell.Screen, r widget.Rect, st *State, c *compareSet) widget.Rect {
	sentence, signs, notes := headLines(st, c, r.W, r.H)
	var line widget.Rect
	for _, text := range sentence {
		line, r = r.CutTop(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, withMinus(e.look, text), e.look.Title)
	}
	if signs {
		line, r = r.CutTop(1)
		e.drawSigns(s, line, c)
	}
	for _, text := range notes {
		line, r = r.CutTop(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, text, e.look.Muted)
	}
	return r
}

// withMinus writes the signs of figures in a sentence about a change as tables do.
func withMinus(k *widget.Look, text string) string {
	m := minus(k)
	return strings.NewReplacer("(-", "("+m, "; -", "; "+m, " of -", " of "+m).Replace(text)
}

// drawSigns says what is + and what is −, and counts the rows by what became of them.
func (e *env) drawSigns(s tcell.Screen, r widget.Rect, c *compareSet) {
	from, to := "A", "B"
	if c.Swapped {
		from, to = to, from
	}
	x := r.X + 1
	spans := []widget.Span{
		{Text: "+", Style: e.style(themes.Loss)}, {Text: " more in " + to + " than in " + from + "   ", Style: e.look.Muted},
		{Text: minus(e.look), Style: e.style(themes.Gain)}, {Text: " less", Style: e.look.Muted},
	}
	n := widget.PrintSpans(s, x, r.Y, r.W-2, spans, e.look)
	var parts []string
	for _, k := range []diff.ChangeStatus{diff.ChangeNew, diff.ChangeGone, diff.ChangeGrown, diff.ChangeShrunk, diff.ChangeSame} {
		parts = append(parts, model.Group(uint64(c.Counts[k]))+" "+k.String())
	}
	for ; len(parts) > 0; parts = parts[:len(parts)-1] { // what stayed the same is the first to go
		if text := strings.Join(parts, " · "); widget.Width(text)+n+4 <= r.W {
			widget.PrintRight(s, r.X, r.Y, r.W-1, text, e.look.Muted)
			return
		}
	}
}

// compareNotes says what was done to the figures and the names, and what found no partner.
func compareNotes(st *State, c *compareSet) string {
	var parts []string
	if text := c.Normalised(); text != "" {
		parts = append(parts, text)
	}
	if st.Compare.Masks != "" {
		parts = append(parts, "names masked by "+strings.ReplaceAll(widget.Clean(strings.ReplaceAll(st.Compare.Masks, "\n", ", ")), "\n", ", "))
	}
	if st.Compare.Match != diff.MatchFrames {
		parts = append(parts, "frames matched by "+st.Compare.Match.String())
	}
	parts = append(parts, c.Losses(c.words(st))...)
	if len(parts) == 0 {
		return "Every " + c.key.sides[0].thing() + " is on both sides."
	}
	return strings.Join(parts, " · ")
}

// percentOf is a relative change in words: "new" and "gone" where there is none.
func (e *env) percentOf(f *diff.CompareFigures) widget.Cell {
	return widget.Cell{Text: percentChange(e.look, f.BeforeBytes, f.AfterBytes), Style: e.deltaCell(f.BeforeBytes, f.AfterBytes, model.Group).Style}
}
