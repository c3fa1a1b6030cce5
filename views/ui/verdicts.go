package ui

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// SiteVerdicts are the verdicts about all sites of a trace, for screens of something else.
type SiteVerdicts struct {
	lazy   *Lazy[uint64, siteVerdicts]
	labels *SiteLabels
}

// siteVerdicts are verdicts by the dense index of a stack, and by its id. Read-only once made.
type siteVerdicts struct {
	list verdict.List
	of   map[model.StackID]verdict.Verdict
}

// NewSiteVerdicts returns verdicts that were not asked for yet.
func NewSiteVerdicts(e *Env) *SiteVerdicts {
	return &SiteVerdicts{labels: NewSiteLabels(e.Libraries),
		lazy: NewDeepLazy(e, func(ctx context.Context, _ uint64) (siteVerdicts, error) {
			list, err := e.Trace.Verdicts(ctx, analysis.ByStack, "")
			if err != nil {
				return siteVerdicts{}, err
			}
			ids, of := e.Trace.StackIDs(), make(map[model.StackID]verdict.Verdict, len(list))
			for _, v := range list {
				if int(v.Key) < len(ids) {
					of[ids[v.Key]] = v
				}
			}
			return siteVerdicts{list, of}, nil
		})}
}

// Ask asks for the verdicts, when everything is read.
func (v *SiteVerdicts) Ask(s *state.State) {
	if revision, ok := s.Deep(); ok {
		v.lazy.Ask(revision)
	}
}

// Stack returns the verdict about a stack, none before it is known.
func (v *SiteVerdicts) Stack(id model.StackID) verdict.Verdict {
	known, _ := v.lazy.Get()
	return known.of[id]
}

// Index returns the verdict about the stack with that dense index, none before it is known.
func (v *SiteVerdicts) Index(i uint32) verdict.Verdict {
	known, _ := v.lazy.Get()
	return known.list.Of(i)
}

// Site returns the name of the site of a stack.
func (v *SiteVerdicts) Site(s *state.State, id model.StackID) string {
	return v.labels.BlockSite(s.Stacks(), id, s.FullName)
}
