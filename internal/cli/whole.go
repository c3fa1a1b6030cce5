package cli

import (
	"fmt"
	"slices"

	"github.com/memtui/memtui/model"
)

// cutCodes are the codes of problems that say that the program left something out: for a limit, or because it was told to stop.
var cutCodes = []string{model.CodeMemory, "stopped", "too-large", "line-length", "event-limit", "metric-limit"}

// cutShort returns the first problem that says that the program left something out, nil for none. Damage is the file's own.
func cutShort(problems []model.Problem) *model.Problem {
	i := slices.IndexFunc(problems, func(p model.Problem) bool { return slices.Contains(cutCodes, p.Code) })
	if i < 0 {
		return nil
	}
	return &problems[i]
}

// readWhole fails where the program left out something that figures of the profile depend on. verdict says what cannot be said
// then. Figures of a trace depend on its events alone; [session.nameless] tells what became of its names.
func (s *session) readWhole(p *model.Profile, verdict string) error {
	q := cutShort(p.Problems)
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
	return cutShort(p.Problems)
}

// partError says that something cannot be said about a file, and why not.
func partError(name, verdict, why string) error {
	return inputError(fmt.Errorf("%s: %s, as only part of the file was read: %s", name, verdict, why))
}

// What cannot be said of a file that was read in part.
const (
	noComparison = "nothing can be compared"
	noLimits     = "nothing can be said about limits"
	noValidity   = "whether it is valid cannot be said"
)
