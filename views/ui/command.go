package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// DiffCommand returns the command line that prints the difference of a kind of rows ("stack", "size"), by a key of
// reports ("" for the usual one). instant says that the figures are those at an instant, not of a range.
func (e *Env) DiffCommand(s *state.State, file []string, kind, by string, instant bool) []string {
	var q state.Question
	m := s.Moments(e.Second != nil, e.TimeMap(s))
	one := m[state.SideA].Other == m[state.SideB].Other
	for i, place := range []*model.Place{&q.A, &q.B} {
		f := e.FileAt(m[i].Other)
		*place = placeOf(f.ProfileFile(s), m[i].Until(f.Span(s).To), instant)
		if !place.Given() && one && i == state.SideA {
			place.At = model.MomentEnd()
		}
	}
	q.Group, q.By = kind, by
	if kind != "size" && kind != "lifetime" { // of all blocks
		if q.Steps = s.Filters; e.Prof == nil && !e.Mixed(s) {
			q.Cell = s.Cell
		}
	}
	s.Compare.Ask(&q, e.Mixed(s))
	words := append([]string{"memtui", "diff"}, q.Args()...)
	if e.Second == nil {
		return append(words, file...)
	}
	paths := [2]string{file[len(file)-1], e.Second.Path}
	words = append(words, file[:len(file)-1]...)
	for i := range m {
		if n := e.FileAt(m[i].Other).Index(); i == state.SideA || !one {
			words = append(words, paths[n])
		}
	}
	return words
}

// placeOf returns a moment of a trace or a profile as a question names it; the end is not given.
func placeOf(prof *ProfileFile, m state.Moment, instant bool) model.Place {
	switch {
	case prof != nil && m.Prof.Window != state.NoWindow:
		n := m.Prof.Window
		if n >= 0 && n < len(prof.Weights.Windows) {
			n = prof.Weights.WindowNumber(n)
		}
		return model.Place{Number: &n}
	case prof != nil && m.Over.IsFull():
		return model.Place{}
	case prof == nil && instant:
		return model.Place{At: state.Instant(m.At)}
	case prof != nil:
		return model.Place{Over: state.Over(m.Over, prof.Weights.AxisUnit)}
	case !m.Over.IsFull():
		return model.Place{Over: state.Over(m.Over, "")}
	case m.At == analysis.End:
		return model.Place{}
	}
	return model.Place{Over: model.Period{From: model.MomentAt(0), To: model.MomentAt(m.At.T)}}
}

// ShellQuote quotes a word for a shell.
func ShellQuote(s string) string {
	safe := func(r rune) bool {
		return r == '.' || r == '/' || r == '-' || r == '_' || r == '=' || r == ',' || r == ':' || r == '%' || r == '+' || r == '@' ||
			r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Copied asks a terminal to put text into its clipboard, and returns what is known about the result: terminals do not
// answer. instead says in half a sentence what else can be done.
func Copied(ask func(string) (ok bool, note string), text, instead string) string {
	ok, note := ask(text)
	if !ok {
		return note + "; " + instead
	}
	if note == "" {
		note = "if nothing arrives"
	}
	first, _, _ := strings.Cut(text, "\n")
	return "copy requested (" + note + ", " + instead + "): " + first
}

// joined is snapshots of several files, in the order of their clocks.
type joined interface {
	Files() int
	File(n int) (file, number int, err error) // of a snapshot, as the files are given
}

// SnapshotFiles returns how a command line names the sides: as numbers of snapshots of two files, or with q as those of a
// recording of several files. It is nil where a command line cannot.
func (e *Env) SnapshotFiles(s *state.State, keys [2]HeapKey, q *state.Question, file []string) []string {
	files, several := s.Profile.Heaps.(joined)
	switch {
	case !several || e.After() != nil:
		words := slices.Clone(file[:len(file)-1])
		for _, k := range keys {
			path := file[len(file)-1]
			if k.Heaps == e.After() && e.After() != nil {
				path = e.Second.Path
			}
			words = append(words, fmt.Sprintf("%s#%d", path, k.I))
		}
		return words
	case e.Paths != 2 || len(file) < 2: // two files are two sides
		q.A.Number, q.B.Number = &keys[0].I, &keys[1].I
		return file
	case files.Files() != 2:
		return nil
	}
	words := slices.Clone(file[:len(file)-2])
	for _, k := range keys {
		n, i, err := files.File(k.I)
		if err != nil {
			return nil
		}
		words = append(words, fmt.Sprintf("%s#%d", file[len(file)-2+n], i))
	}
	return words
}

// LayoutFiles returns a command line that ends with the page layouts of both sides of a difference as arguments; nil if there
// are not two.
func (e *Env) LayoutFiles(s *state.State, file []string) []string {
	words, path := slices.Clone(file[:len(file)-1]), file[len(file)-1]
	a, b := e.LayoutSides(s)
	for _, ref := range []LayoutRef{a, b} {
		if ref.Layout < 0 {
			return nil
		}
		of := path
		if ref.Dump == e.OtherDump() && e.OtherDump() != nil {
			of = e.Second.Path
		}
		words = append(words, fmt.Sprintf("%s#%d", of, ref.Layout))
	}
	return words
}
