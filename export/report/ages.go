package report

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// mostAges is the number of findings whose ages are told.
const mostAges = 8

// SiteAges are the ages, at the end of the run, of a site's blocks that were never freed, and the lifetimes of those
// that were: of a leak the former exceed the latter.
type SiteAges struct {
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

// ages fills in the ages of the first findings that are verdicts.
func (b *builder) ages() error {
	if !b.opt.Ages {
		return nil
	}
	keys := map[uint64]analysis.Key{}
	for i, id := range b.trace.StackIDs() {
		keys[uint64(id)] = analysis.Key(i)
	}
	var stacks []uint64
	var asked []analysis.Key
	for i := range b.out.Findings {
		f := &b.out.Findings[i]
		if !f.verdict || len(f.Stacks) == 0 || len(stacks) == mostAges {
			continue
		}
		stacks, asked = append(stacks, f.Stacks[0]), append(asked, keys[f.Stacks[0]])
	}
	lives, err := b.trace.Lives(b.ctx, asked)
	for i := range lives {
		b.out.Ages = append(b.out.Ages, newSiteAges(stacks[i], &lives[i]))
	}
	return err
}

func newSiteAges(stack uint64, l *analysis.Lives) SiteAges {
	out := SiteAges{Stack: stack, NeverFreed: l.NeverFreed, Freed: l.Freed, Ages: times(&l.Ages), Lived: times(&l.Lived)}
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
