package cli

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// readCompletely fails if the program left out something that figures of the profile depend on. verdict describes what
// cannot be stated then. Figures of a trace depend only on its events; [session.nameless] reports missing names.
func (s *session) readCompletely(p *model.Profile, verdict string) error {
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

// nameless returns the problem with the reason why names or stacks of a trace were left out, nil if they were not.
func (s *session) nameless(p *model.Profile) *model.Problem {
	if p.Allocations == nil {
		return nil
	}
	return model.CutShort(p.Problems)
}

// partError returns the error that something cannot be stated about a file, and why.
func partError(name, verdict, why string) error {
	return inputError(fmt.Errorf("%s %s: only part of it was read: %s", name, verdict, why))
}

// What cannot be stated about a file that was read in part.
const (
	noComparison = "cannot be compared"
	noLimits     = "cannot be checked against limits"
	noValidity   = "cannot be validated"
)
