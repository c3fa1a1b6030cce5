package cli

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// readWhole fails where the program left out something that figures of the profile depend on. verdict says what cannot
// be said then. Figures of a trace depend on its events alone; [session.nameless] tells what became of its names.
func (s *session) readWhole(p *model.Profile, verdict string) error {
	q := model.CutShort(p.Problems)
	if q == nil || s.allEvents(p) {
		return nil
	}
	return partError(p.Meta.Name, verdict, q.Message)
}

// allEvents reports whether p is a trace of which no byte of an event was left out.
func (s *session) allEvents(p *model.Profile) bool {
	return p.Allocations != nil && s.index.Status().Final && p.Lost == 0 && !s.src.Limited()
}

// nameless returns the problem that says why names or stacks of a trace were left out, nil where they were not.
func (s *session) nameless(p *model.Profile) *model.Problem {
	if p.Allocations == nil {
		return nil
	}
	return model.CutShort(p.Problems)
}

// partError reports that something cannot be said about a file, and why not.
func partError(name, verdict, why string) error {
	return inputError(fmt.Errorf("%s %s: only part of it was read: %s", name, verdict, why))
}

// What cannot be said of a file that was read in part.
const (
	noComparison = "cannot be compared"
	noLimits     = "cannot be checked against limits"
	noValidity   = "cannot be validated"
)
