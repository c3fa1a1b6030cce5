package ui

import (
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/views/state"
)

// DiffCommand is the command line that prints the difference of a kind of rows ("stack", "size"), by a key of reports ("" for the
// usual one). instant says that the figures are those at an instant, not of a range.
func (e *Env) DiffCommand(s *state.State, file []string, kind, by string, instant bool) []string {
	words := []string{"memtui", "diff"}
	m := s.Moments(e.Second != nil, e.TimeMap(s))
	one := m[state.SideA].Other == m[state.SideB].Other
	for i, flag := range []string{"--a", "--b"} {
		f := e.FileAt(m[i].Other)
		text := placeArgument(f.ProfFile(s), m[i].Until(f.Span(s).To), instant)
		if text == "" && one && i == state.SideA {
			text = "end"
		}
		if text != "" {
			words = append(words, flag, text)
		}
	}
	if kind != "" {
		words = append(words, "--group", kind)
	}
	if by != "" {
		words = append(words, "--by", by)
	}
	if kind != "size" && kind != "lifetime" { // of all blocks
		if words = append(words, StepFlags(s.Chips)...); !s.Cell.IsAll() && e.Prof == nil && !e.Mixed(s) {
			words = append(words, "--cell", s.Cell.Argument())
		}
	}
	words = append(words, s.Compare.Arguments(e.Mixed(s))...)
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

// placeArgument is a moment of a trace or a profile as the command line writes it, "" for the end.
func placeArgument(prof *ProfFile, m state.Moment, instant bool) string {
	switch {
	case prof != nil && m.Prof.Window != state.NoWindow:
		return fmt.Sprintf("#%d", m.Prof.Window)
	case prof != nil && m.Over.IsWhole():
		return ""
	case prof == nil && instant && m.At.Events != 0:
		return "peak"
	case prof == nil && instant && m.At != analysis.End:
		return fmt.Sprintf("%dus", m.At.T)
	case instant && prof == nil:
		return ""
	case !m.Over.IsWhole():
		return fmt.Sprintf("%dus..%dus", max(m.Over.From, 0), m.Over.To)
	case m.At == analysis.End:
		return ""
	}
	return fmt.Sprintf("0us..%dus", m.At.T)
}

// StepFlags are the flags that filter stacks.
func StepFlags(f calltree.StackFilter) (words []string) {
	for _, step := range f.Steps() {
		words = append(words, "--"+step.Kind.String()+"="+step.Name)
	}
	return words
}
