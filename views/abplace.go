package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// placeText is the instant or range of a side, and of a profile what is weighed.
func (e *env) placeText(s *State, f *comparedFile, m moment) string {
	if d := f.profFile(s); d != nil {
		k := e.profSide(s, f, d, m, s.Cost)
		text := k.title()
		if span := k.scope(); span != "" {
			text += " " + span
		}
		return text
	}
	switch at := m.at; {
	case !m.over.IsWhole() && m.over.To <= 0 && at.T <= 0:
		return "start"
	case !m.over.IsWhole():
		return fmt.Sprintf("%v – %v", max(m.over.From, 0), m.over.To)
	case at == analysis.End && f.loading(s):
		return "so far"
	case at == analysis.End || at.T >= f.span(s).To && at.Events == 0:
		return "end"
	case at.Events != 0 && f.store == nil:
		return "peak " + at.T.String()
	case at.Events != 0:
		return "peak"
	default:
		return at.T.String()
	}
}

// named puts the name of a file before a place in it, where there are two files.
func (e *env) named(f *comparedFile, place string) string {
	if e.second == nil {
		return place
	}
	return e.fileNames(14)[f.index()] + " " + place
}

// loading reports whether more of a trace is being read than figures are about.
func (f *comparedFile) loading(s *State) bool {
	st := &s.Status
	if f.store != nil {
		st = &f.status
	}
	return f.trace != nil && !st.Final && !st.Stopped
}

// index is 0 for the file opened first.
func (f *comparedFile) index() int {
	if f.store != nil {
		return 1
	}
	return 0
}

// fileNames are the names of both files in at most w cells each, so that they differ where the files do: of equal names the folders
// that differ stand before them, of long ones the common beginning is left out.
func (e *env) fileNames(w int) (names [2]string) {
	names = [2]string{e.first.name, e.second.name}
	if names[0] == names[1] {
		a, b := strings.Split(e.first.path, "/"), strings.Split(e.second.path, "/")
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
	const before = 1 // letters kept of what is common
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

// sidesText names both sides, and says which one is before, in at most w cells: the narrower, the less of it.
func (e *env) sidesText(s *State, what compareWhat, w int) string {
	by, cost := s.Group, s.Cost
	keys, ok := e.sideKeys(s, what, by, cost)
	if !ok {
		return ""
	}
	places := [2]string{keys[sideA].place, keys[sideB].place}
	if a, b := &keys[sideA].prof, &keys[sideB].prof; a.of != nil && b.of != nil && a.title() == b.title() {
		places = [2]string{a.scope(), b.scope()} // what is weighed stands above the table
		for i := range places {
			if places[i] == "" && (e.second == nil || places[1-i] != "") {
				places[i] = "whole run"
			}
		}
	}
	letters := [2]string{"A", "B"}
	files := [2]int{keys[sideA].file.index(), keys[sideB].file.index()}
	if s.Compare.Swapped {
		slices.Reverse(letters[:])
		slices.Reverse(places[:])
		slices.Reverse(files[:])
	}
	for _, width := range []int{60, 32, 24, 18, 14, 11, 8, 0} {
		var names [2]string
		switch {
		case e.second != nil && width > 0:
			names = e.fileNames(width)
		case width != 0 && width != 60:
			continue
		}
		text := join("before", letters[0], names[files[0]], places[0], "→ after", letters[1], names[files[1]], places[1])
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

// join puts words that are not empty beside each other.
func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// markPlace marks a place that is typed as one side: a time, a range, the peak, the end or the start, behind "1:" or "2:" that of the
// first or the second file; or the number of a snapshot or window. Without a number A is in the first file and B in the second.
func (a *app) markPlace(side int, text string) error {
	text = strings.ToLower(strings.TrimSpace(text))
	other := side == sideB && (a.second != nil || a.after != nil)
	if rest, ok := strings.CutPrefix(text, "1:"); ok {
		other, text = false, rest
	} else if rest, ok := strings.CutPrefix(text, "2:"); ok {
		if other, text = true, rest; a.second == nil {
			return fmt.Errorf("there is no second file: compare FILE opens one")
		}
	}
	if text == "none" {
		a.emit(markSide{side, mark{}})
		return nil
	}
	switch {
	case a.heaps != nil:
		return a.markSnapshot(side, text)
	case a.dump != nil:
		return fmt.Errorf("go to a layout or an instant, then press A or B")
	}
	m, err := a.placeOf(other, strings.TrimSpace(text))
	if err != nil {
		return err
	}
	if text != "peak" {
		a.emit(markSide{side, m})
		return nil
	}
	f := a.fileAt(other)
	if f.trace == nil {
		return fmt.Errorf("a profile has no peak: choose a range")
	}
	trace := f.trace
	a.background(func() {
		p, ok, err := trace.Peak(context.WithoutCancel(a.ctx), analysis.Whole)
		a.post(func() {
			if err != nil || !ok {
				a.say("nothing is allocated there")
				return
			}
			m.At = p.Instant
			a.emit(markSide{side, m})
		})
	})
	return nil
}

// fileAt is the second file or the first.
func (e *env) fileAt(other bool) *comparedFile {
	if other && e.second != nil {
		return e.second
	}
	return e.first
}

// placeOf reads a place of a trace or a profile.
func (a *app) placeOf(other bool, text string) (mark, error) {
	f := a.fileAt(other)
	end := f.span(&a.state).To
	m := mark{Set: true, Other: other, At: analysis.End, Range: analysis.Whole, Prof: newProfState()}
	if !other {
		m.Prof = a.state.Prof
	}
	m.Prof.Window = noWindow
	if number, ok := strings.CutPrefix(text, "#"); ok {
		d, n := f.profFile(&a.state), 0
		if n, _ = strconv.Atoi(number); d == nil || n < 0 || n >= len(d.weights.Windows) {
			return m, fmt.Errorf("there is no window %s", model.Clean(text))
		}
		m.Prof.Window = n
		return m, nil
	}
	if from, to, ok := strings.Cut(text, ".."); ok {
		since, err := model.ParseTime(strings.TrimSpace(cmp.Or(from, "0s")), end)
		if err != nil {
			return m, err
		}
		t, err := model.ParseTime(strings.TrimSpace(cmp.Or(to, "100%")), end)
		if err != nil {
			return m, err
		}
		if err := model.CheckTime(max(since, t), end); err != nil {
			return m, fmt.Errorf("%s: %w", model.Clean(f.name), err)
		}
		m.Range, m.At = between(since, t), analysis.At(max(since, t))
		return m, nil
	}
	switch text {
	case "end", "peak":
		return m, nil
	case "start":
		m.At, m.Range = analysis.At(0), analysis.Range{From: model.NoTime, To: 0}
		return m, nil
	}
	t, err := model.ParseTime(text, end)
	if err == nil {
		if err = model.CheckTime(t, end); err != nil {
			err = fmt.Errorf("%s: %w", model.Clean(f.name), err)
		}
	}
	if m.At = analysis.At(t); t >= end {
		m.At = analysis.End
	}
	return m, err
}

// markSnapshot chooses the snapshot of a side by its number, negative ones from the end.
func (a *app) markSnapshot(side int, text string) error {
	n := a.state.snapshots()
	if side == sideB && a.after != nil {
		n = a.after.Source().Len()
	}
	i, err := strconv.Atoi(strings.TrimPrefix(text, "#"))
	if text == "end" {
		i, err = n-1, nil
	}
	if i < 0 {
		i += n
	}
	if err != nil || i < 0 || i >= n {
		return fmt.Errorf("snapshots are numbered 0 … %d", n-1)
	}
	switch {
	case side == sideB && a.after != nil:
		a.emit(setAfter{i})
	case side == sideB:
		a.emit(setCompared{i})
	case a.after != nil:
		a.emit(setSnapshot{i})
	default:
		a.emit(setBefore{i})
	}
	return nil
}

func markCommand(side int) func(*app, string) error {
	return func(a *app, text string) error { return a.markPlace(side, text) }
}

func alignNames(*app) (names []string) {
	for n := range diff.AlignCount {
		names = append(names, n.String())
	}
	return names
}

// peakCommand compares what lives at the peaks. Those of a part of a file have no name on a command line: then it is nil.
func (e *env) peakCommand(s *State, file []string, kind string) []string {
	m := s.moments(e.second != nil, e.timeMap(s))
	at := *s
	for i := range m {
		if !m[i].over.IsWhole() || m[i].at != analysis.End && m[i].at.Events == 0 {
			return nil
		}
		at.Compare.Marks[i] = mark{Set: true, Other: m[i].other, At: analysis.Instant{T: m[i].at.T, Events: 1}, Range: analysis.Whole}
	}
	return e.diffCommand(&at, file, kind, costNamed(analysis.CostLive), true)
}
