package ui

import (
	"context"
	"sync"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// StackViews caches the results of the last filters of stacks. Any goroutine may use it; the zero value is ready.
type StackViews struct {
	mu   sync.Mutex
	last []stackView
}

type stackView struct {
	stacks *model.Stacks
	filter calltree.Filter
	part   calltree.Part
	view   *calltree.FilteredStacks
}

// maxStackViews is enough for both parts around a pivot, the unfiltered stacks, and one way back.
const maxStackViews = 4

// Of returns the filtered stacks, nil for a filter that changes nothing. The only errors are those of ctx.
func (v *StackViews) Of(ctx context.Context, s *model.Stacks, f calltree.Filter,
	part calltree.Part) (*calltree.FilteredStacks, error) {
	if f == "" || s == nil {
		return nil, nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, known := range v.last {
		if known.stacks == s && known.filter == f && known.part == part {
			return known.view, nil
		}
	}
	view, err := calltree.FilterStacks(ctx, s, f, part)
	if err != nil {
		return nil, err
	}
	v.last = append(v.last[max(len(v.last)-maxStackViews+1, 0):], stackView{s, f, part, view})
	return view, nil
}
