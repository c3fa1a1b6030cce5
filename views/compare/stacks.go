package compare

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// stackComparer is the comparison on the screen of stacks.
type stackComparer struct {
	*ui.Env
	sets  *ui.Lazy[rowsKey, *Set]
	set   *Set
	shown *ui.StackComparison // of set
}

// NewStackComparer returns the comparer for the screen of stacks.
func NewStackComparer(e *ui.Env) ui.StackComparer {
	return &stackComparer{
		Env: e, sets: ui.NewLazy(e, func(ctx context.Context, k rowsKey) (*Set, error) { return compare(e, ctx, k) }),
	}
}

// Ask implements [ui.StackComparer].
func (c *stackComparer) Ask(s *state.State) *ui.StackComparison {
	of := *s
	if s.Filters.Pivot() != "" { // the tree needs the pivot's frames before they are hidden
		of.Filters, _ = s.Filters.AroundPivot()
	}
	sides, ok := makeSides(c.Env, &of, ui.DiffSites, analysis.ByStack, s.Cost)
	if !ok {
		return c.shown
	}
	c.sets.Ask(key(&s.Compare, sides))
	switch set, ok := c.sets.Get(); {
	case !ok:
		c.set, c.shown = nil, nil
	case set != c.set:
		c.set, c.shown = set, &ui.StackComparison{Comparison: set.Comparison, Title: set.Title(), Amount: set.amount, Side: set.ofSide}
	}
	return c.shown
}

// Fresh implements [ui.StackComparer].
func (c *stackComparer) Fresh() bool { return c.sets.Fresh() }

// Failed implements [ui.StackComparer].
func (c *stackComparer) Failed() []string {
	if err := c.sets.Failure(); err != nil {
		return failedText(c.Env, err)
	}
	return nil
}

// DrawHead implements [ui.StackComparer].
func (c *stackComparer) DrawHead(s tcell.Screen, r widget.Rect, st *state.State) widget.Rect {
	return drawCompareHead(c.Env, s, r, st, c.set)
}

// Signs implements [ui.StackComparer].
func (c *stackComparer) Signs(r widget.Rect) string { return signsIn(c.set, r) }

// CommandLine implements [ui.StackComparer].
func (c *stackComparer) CommandLine(s *state.State, file []string) []string {
	if c.Prof != nil && !c.Mixed(s) {
		return append(c.DiffCommand(s, file, "stack", "", false), c.Prof.Chosen(s)...)
	}
	cost, instant := weighed(c.Env, s, s.Cost)
	if cost == analysis.CostPeak {
		return peakCommand(c.Env, s, file, "stack")
	}
	return c.DiffCommand(s, file, "stack", ui.CostNamed(cost), instant)
}
