package views

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Memory is where one was when the file was read again: screen, instant, range, filter, theme and so on. What belongs to
// the file as it was is forgotten. The zero value remembers nothing; the same one is given to the next [Run].
type Memory struct {
	state  *State
	second string // the path of a file that was opened to compare with, "" for none
	screen int
	theme  int
}

// keep remembers a program that ends.
func (m *Memory) keep(a *app) {
	s := a.state
	s.Profile, s.Status, s.Selected, s.Heap = nil, analysis.Status{}, Selection{}, newHeapState()
	if s.At.Events != 0 { // another file may have other events there
		s.At = analysis.At(s.At.T)
	}
	if a.state.AtEnd() {
		s.At = analysis.End
	}
	s.Anchor, s.Cell = model.NoTime, analysis.Cell{}
	s.Dump = newDumpState()
	s.Compare.Sought, s.Compare.Sent = 0, 0
	for i := range s.Compare.Marks {
		k := &s.Compare.Marks[i]
		if k.At.Events != 0 {
			k.At = analysis.At(k.At.T)
		}
		if a.dump != nil { // the layouts that belong to them are forgotten
			*k = mark{}
		}
	}
	if m.second = ""; a.second != nil {
		m.second = a.second.path
	}
	m.state, m.screen, m.theme = &s, a.at, a.themeAt
}

// recall brings the state back, and says which theme there was.
func (m *Memory) recall(s *State) (theme int) {
	if m == nil || m.state == nil {
		return 0
	}
	*s = *m.state
	return m.theme
}
