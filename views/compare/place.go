package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// placeText returns the instant or range of a side, and for a profile the event and metric.
func placeText(e *ui.Env, s *state.State, f *ui.ComparedFile, m state.Moment) string {
	if d := f.ProfileFile(s); d != nil {
		k := profileSide(e, s, f, d, m, s.Cost)
		text := k.Title()
		if span := k.Scope(); span != "" {
			text += " " + span
		}
		return text
	}
	switch at := m.At; {
	case !m.Over.IsFull() && m.Over.To <= 0 && at.T <= 0:
		return "start"
	case !m.Over.IsFull():
		return ui.RangeText(max(m.Over.From, 0), m.Over.To, "")
	case at == analysis.End && f.Loading(s):
		return "so far"
	case at == analysis.End || at.T >= f.Span(s).To && at.Events == 0:
		return "end"
	case at.Events != 0 && f.Store == nil:
		return "peak " + at.T.String()
	case at.Events != 0:
		return "peak"
	default:
		return at.T.String()
	}
}

// MarkText returns the place of a mark, with the name of its file if there are two.
func MarkText(e *ui.Env, s *state.State, m state.Mark) string {
	f := e.FileAt(m.Other)
	switch {
	case e.Heaps != nil:
		heaps := e.Heaps
		if m.Other && e.After() != nil {
			heaps = e.After()
		}
		return named(e, f, "snapshot "+ui.HeapKey{Heaps: heaps, I: m.Number}.Text())
	case e.Dump != nil && m.Number == state.NoLayout:
		return named(e, f, m.At.T.String())
	case e.Dump != nil:
		return named(e, f, fmt.Sprintf("layout #%d", m.Number))
	}
	return named(e, f, placeText(e, s, f, state.Moment{Other: m.Other, At: m.At, Over: m.Range, Prof: m.Prof}))
}

// named returns a place with the name of its file before it, if there are two files.
func named(e *ui.Env, f *ui.ComparedFile, place string) string {
	if e.Second == nil {
		return place
	}
	return FileNames(e, 14)[f.Index()] + " " + place
}

// FileNames returns the names of both files in at most w cells each, cut so that they differ: equal names get the
// folders that differ, and of long names the common beginning is left out.
func FileNames(e *ui.Env, w int) (names [2]string) {
	names = [2]string{e.First.Name, e.Second.Name}
	if names[0] == names[1] {
		a, b := strings.Split(e.First.Path, "/"), strings.Split(e.Second.Path, "/")
		for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
		}
		if x, y := a[len(a)-1], b[len(b)-1]; x != y && x != "" && y != "" {
			names = [2]string{x + "/" + names[0], y + "/" + names[1]}
		}
	}
	out := [2]string{widget.TruncateMiddle(names[0], w), widget.TruncateMiddle(names[1], w)}
	if names[0] == names[1] || out[0] != out[1] {
		return out
	}
	const before = 1 // letters kept of the common part
	a, b := []rune(widget.Clean(names[0])), []rune(widget.Clean(names[1]))
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	if n = max(n-before, 0); n > 1 {
		a, b = a[n:], b[n:]
		return [2]string{widget.Truncate("…"+string(a), w), widget.Truncate("…"+string(b), w)}
	}
	return out
}

// SidesText returns the names of both sides and which one is before, in at most w cells.
func SidesText(e *ui.Env, s *state.State, what ui.DiffRows, w int) string {
	by, cost := s.Group, s.Cost
	keys, ok := makeSides(e, s, what, by, cost)
	if !ok {
		return ""
	}
	places := [2]string{keys[state.SideA].place, keys[state.SideB].place}
	if a, b := &keys[state.SideA].Prof, &keys[state.SideB].Prof; a.Of != nil && b.Of != nil && a.Title() == b.Title() {
		places = [2]string{a.Scope(), b.Scope()} // the metric is above the table
		for i := range places {
			if places[i] == "" && (e.Second == nil || places[1-i] != "") {
				places[i] = "whole run"
			}
		}
	}
	letters := [2]string{"A", "B"}
	files := [2]int{keys[state.SideA].file.Index(), keys[state.SideB].file.Index()}
	if s.Compare.Swapped {
		slices.Reverse(letters[:])
		slices.Reverse(places[:])
		slices.Reverse(files[:])
	}
	for _, width := range []int{60, 32, 24, 18, 14, 11, 8, 0} {
		var names [2]string
		switch {
		case e.Second != nil && width > 0:
			names = FileNames(e, width)
		case width != 0 && width != 60:
			continue
		}
		text := join("before", letters[0], names[files[0]], places[0], "→ after", letters[1],
			names[files[1]], places[1])
		if widget.Width(text) <= w {
			return text
		}
	}
	for _, text := range []string{
		join(letters[0], places[0], "→", letters[1], places[1]),
		fmt.Sprintf("before %s → after %s", letters[0], letters[1]),
		fmt.Sprintf("%s → %s, + is more", letters[0], letters[1]),
	} {
		if widget.Width(text) <= w {
			return text
		}
	}
	return "+ more in " + letters[1]
}

// join joins words that are not empty.
func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// peakCommand returns the command that compares memory at the peaks, or nil for the peak of a part of a file, which
// command lines cannot express.
func peakCommand(e *ui.Env, s *state.State, file []string, kind string) []string {
	m := s.Moments(e.Second != nil, e.TimeMap(s))
	at := *s
	for i := range m {
		if !m[i].Over.IsFull() || m[i].At != analysis.End && m[i].At.Events == 0 {
			return nil
		}
		at.Compare.Marks[i] = state.Mark{Set: true, Other: m[i].Other, At: analysis.Instant{T: m[i].At.T, Events: 1},
			Range: analysis.FullRange}
	}
	return e.DiffCommand(&at, file, kind, ui.CostNamed(analysis.CostLive), true)
}
