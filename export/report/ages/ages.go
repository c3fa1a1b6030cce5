// Package ages holds how old blocks of sites became.
package ages

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Site has the ages, at the end of the run, of a site's blocks that were never freed, and the lifetimes of those that
// were: of a leak the former exceed the latter.
type Site struct {
	Stack      uint64      `json:"stack"` // the first one of a finding
	NeverFreed uint64      `json:"never_freed_count"`
	Oldest     *model.Time `json:"oldest_us,omitzero"`
	Freed      uint64      `json:"freed_count"`
	Longest    *model.Time `json:"longest_us,omitzero"`
	Ages       []Times     `json:"never_freed"`
	Lived      []Times     `json:"freed"`
}

// Times counts blocks that are, or became, Min to Max microseconds old.
type Times struct {
	Min   uint64 `json:"min_us"`
	Max   uint64 `json:"max_us"`
	Count uint64 `json:"count"`
}

// Of returns the ages and lifetimes of a stack.
func Of(stack uint64, l *analysis.Lives) Site {
	out := Site{Stack: stack, NeverFreed: l.NeverFreed, Freed: l.Freed, Ages: times(&l.Ages), Lived: times(&l.Lived)}
	if l.NeverFreed > 0 {
		out.Oldest = &l.Oldest
	}
	if l.Freed > 0 {
		out.Longest = &l.Longest
	}
	return out
}

func times(classes *[analysis.LifeClasses]uint64) []Times {
	out := []Times{}
	for c, n := range classes {
		if n > 0 {
			lo, hi := analysis.ClassBounds(c)
			out = append(out, Times{lo, hi, n})
		}
	}
	return out
}
