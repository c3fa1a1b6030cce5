package views

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// Memory is the user's position when the file was read again: screen, instant, range, filter, theme and so on. What
// depends on the old file is dropped. The zero value remembers nothing; the same one is passed to the next [Run].
type Memory struct {
	state  *state.State
	second string // the path of a file that was opened to compare with, "" for none
	screen int
	theme  int
}

// keep remembers a program that ends.
func (m *Memory) keep(a *app) {
	s := a.state
	s.Profile, s.Status, s.Selected, s.Heap = nil, analysis.Status{}, state.Selection{}, state.NewHeap()
	if s.At.Events != 0 { // another file may have other events there
		s.At = analysis.At(s.At.T)
	}
	if a.state.AtEnd() {
		s.At = analysis.End
	}
	s.Anchor, s.Cell = model.NoTime, analysis.Cell{}
	s.Dump = state.NewDump()
	s.Compare.Target, s.Compare.Requests = 0, 0
	s.Prof.Target, s.Prof.Requests = "", 0
	for i := range s.Compare.Marks {
		k := &s.Compare.Marks[i]
		if k.At.Events != 0 {
			k.At = analysis.At(k.At.T)
		}
		if a.Dump != nil || a.Heaps != nil { // another file has other layouts and snapshots
			*k = state.Mark{}
		}
	}
	if m.second = ""; a.Second != nil {
		m.second = a.Second.Path
	}
	m.state, m.screen, m.theme = &s, a.at, a.themeAt
}

// recall restores the state, and returns the theme.
func (m *Memory) recall(s *state.State) (theme int) {
	if m == nil || m.state == nil {
		return 0
	}
	*s = *m.state
	return m.theme
}
