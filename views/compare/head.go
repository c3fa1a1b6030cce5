package compare

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// signsHeight is the number of rows from which a head explains signs and states what is only on one side.
const signsHeight = 14

// headLines returns the head of a difference for w cells and h rows: the sentence, whether to explain signs, and notes.
func headLines(st *state.State, c *Set, w, h int) (sentence []string, signs bool, notes []string) {
	if c == nil || h < 8 {
		return nil, false, nil
	}
	text := c.Sentence(c.words(st))
	switch {
	case c.key.Sides[0].cut(st) || c.key.Sides[1].cut(st):
		text = "Part of a side was not read: " + text
	case c.key.Sides[0].partial || c.key.Sides[1].partial:
		text = "So far (still loading): " + text
	}
	sentence = widget.Wrap(text, w-2)
	if h < signsHeight {
		return widget.Clauses(sentence, 1), false, nil
	}
	notes = widget.Wrap(notesOf(st, c), w-2)
	return widget.Clauses(sentence, max(h/8, 2)), true, widget.Clauses(notes, 1+h/12)
}

// cut reports whether the program did not read all of the side's file.
func (k *sideKey) cut(st *state.State) bool {
	p := k.file.Profile(st)
	return p != nil && model.CutShort(p.Problems) != nil
}

// signsIn returns the meaning of + for a title, if the head is too low to explain it.
func signsIn(c *Set, r widget.Rect) string {
	if c == nil || r.H >= signsHeight {
		return ""
	}
	to := "B"
	if c.Swapped {
		to = "A"
	}
	return " · + more in " + to
}

// drawCompareHead draws the sentence about the change, the meaning of signs, and how the sides were made comparable; it
// returns the rest of r.
func drawCompareHead(e *ui.Env, s tcell.Screen, r widget.Rect, st *state.State, c *Set) widget.Rect {
	sentence, signs, notes := headLines(st, c, r.W, r.H)
	var line widget.Rect
	for _, text := range sentence {
		line, r = r.CutTop(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, ui.WithMinus(e.Look, text), e.Look.Title)
	}
	if signs {
		line, r = r.CutTop(1)
		drawSigns(e, s, line, c)
	}
	for _, text := range notes {
		line, r = r.CutTop(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, text, e.Look.Muted)
	}
	return r
}

// drawSigns explains + and −, and counts the rows by status.
func drawSigns(e *ui.Env, s tcell.Screen, r widget.Rect, c *Set) {
	from, to := "A", "B"
	if c.Swapped {
		from, to = to, from
	}
	x := r.X + 1
	spans := []widget.Span{
		{Text: "+", Style: e.Style(themes.Loss)}, {Text: " more in " + to + " than in " + from + "   ", Style: e.Look.Muted},
		{Text: ui.Minus(e.Look), Style: e.Style(themes.Gain)}, {Text: " less", Style: e.Look.Muted},
	}
	n := widget.PrintSpans(s, x, r.Y, r.W-2, spans, e.Look)
	var parts []string
	for _, k := range []diff.ChangeStatus{diff.ChangeNew, diff.ChangeGone, diff.ChangeGrown, diff.ChangeShrunk, diff.ChangeSame} {
		parts = append(parts, model.Group(uint64(c.certainly(k)))+" "+k.String())
	}
	if c.Errors {
		parts = append([]string{model.Group(uint64(c.Within)) + " " + diff.WithinError}, parts...)
	}
	for ; len(parts) > 0; parts = parts[:len(parts)-1] { // unchanged rows are dropped first
		if text := strings.Join(parts, " · "); widget.Width(text)+n+4 <= r.W {
			widget.PrintRight(s, r.X, r.Y, r.W-1, text, e.Look.Muted)
			return
		}
	}
}

// certainly counts the rows of a status whose change is not within the error of sampling.
func (c *Set) certainly(status diff.ChangeStatus) int {
	n := c.Counts[status]
	if c.Within == 0 {
		return n
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Status == status && r.Within() {
			n--
		}
	}
	return n
}

// sampling returns a warning if only one side is sampled.
func (k *rowsKey) sampling() string {
	var names, sampled [2]string
	for i := range k.Sides {
		s := &k.Sides[i]
		names[i], sampled[i] = widget.Clean(s.label), s.sampled
		if s.Prof.Of != nil {
			sampled[i] = s.Prof.Of.Weights.Sampled(s.Prof.Event)
		}
	}
	return diff.SamplingNote(names, sampled)
}

// notesOf returns how the figures and the names were changed, and what is only on one side.
func notesOf(st *state.State, c *Set) string {
	var parts []string
	for _, text := range []string{c.ErrorNote(), c.key.sampling()} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if text := c.Normalized(); text != "" {
		parts = append(parts, text)
	}
	if st.Compare.Masks != "" {
		parts = append(parts, "names masked by "+strings.ReplaceAll(widget.Clean(strings.ReplaceAll(st.Compare.Masks,
			"\n", ", ")), "\n", ", "))
	}
	if st.Compare.Match != diff.MatchFrames {
		parts = append(parts, "frames matched by "+st.Compare.Match.String())
	}
	parts = append(parts, c.Losses(c.words(st))...)
	if len(parts) == 0 {
		return "Every " + c.key.Sides[0].thing() + " is on both sides."
	}
	return strings.Join(parts, " · ")
}
