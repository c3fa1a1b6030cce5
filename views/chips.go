package views

import (
	"context"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// chip is one thing that narrows what screens show, and what takes it back.
type chip struct {
	text string // not cleaned
	drop Intent
}

// narrowing is all of a state that chips stand for: what undo brings back.
type narrowing struct {
	chips  calltree.StackFilter
	cell   analysis.Cell
	window int
}

func (s *State) narrowing() narrowing { return narrowing{s.Chips, s.Cell, s.Prof.Window} }

// The intents about filters of stacks.
type (
	addStep   struct{ step calltree.StackStep }
	dropStep  struct{ n int } // counted from 0, from the end where it is negative
	setSteps  struct{ f calltree.StackFilter }
	setNarrow struct{ to narrowing }
)

func (i addStep) apply(s State) State { return setSteps{s.Chips.With(i.step)}.apply(s) }

func (i dropStep) apply(s State) State {
	n := i.n
	if n < 0 {
		n += len(s.Chips.Steps())
	}
	return setSteps{s.Chips.Without(n)}.apply(s)
}

func (i setSteps) apply(s State) State {
	if s.Chips = i.f; s.Selected.By != analysis.ByStack {
		s.Selected = Selection{} // keys of groups are those of one filter
	}
	return s
}

func (i setNarrow) apply(s State) State {
	s.Cell, s.Prof.Window = i.to.cell, i.to.window
	return setSteps{i.to.chips}.apply(s)
}

// chips is what narrows the screens, in the order in which the bar shows it.
func (a *app) chips() (out []chip) {
	s := &a.state
	if a.trace == nil && a.prof == nil {
		return nil
	}
	for n, step := range s.Chips.Steps() {
		out = append(out, chip{stepText(step), dropStep{n}})
	}
	if a.prof != nil && s.Prof.Window >= 0 && s.Prof.Window < len(a.prof.weights.Windows) {
		out = append(out, chip{"window " + windowName(a.prof.weights, s.Prof.Window), chooseWindow{noWindow}})
	}
	if a.trace != nil && !s.Cell.IsAll() {
		out = append(out, chip{"blocks of " + cellText(s.Cell), setCell{}})
	}
	return out
}

// stepText says in words what a step of a filter does. It is not cleaned.
func stepText(s calltree.StackStep) string {
	word := [...]string{"only ", "without ", "from ", "hiding ", "around "}[s.Kind]
	return word + widget.WithoutSignature(widget.ShortenTemplates(s.Name))
}

// stepOf is the step that an action adds.
func stepOf(act keymap.Action) (k calltree.StepKind, ok bool) {
	switch act {
	case keymap.Only:
		return calltree.Focus, true
	case keymap.Exclude:
		return calltree.Ignore, true
	case keymap.ShowFrom:
		return calltree.ShowFrom, true
	case keymap.HideFrame:
		return calltree.HideFrame, true
	case keymap.Pivot:
		return calltree.PivotAt, true
	}
	return 0, false
}

// functioner is a screen on which functions can be selected, to filter stacks by.
type functioner interface {
	// function is the name of the selected one as the screen shows it, "" for none.
	function() string
}

// doFilters handles what changes the filters of stacks.
func (a *app) doFilters(act keymap.Action) bool {
	if a.trace == nil && a.prof == nil {
		return false
	}
	switch act {
	case keymap.Filters:
		if len(a.chips()) == 0 {
			a.say("nothing is filtered: o, X, F, I and # on a function do")
			return true
		}
		a.popup(newChipList(a))
		return true
	case keymap.Undo:
		a.undo(&a.undone, &a.redone, "nothing to undo: no filter was changed")
		return true
	case keymap.Redo:
		a.undo(&a.redone, &a.undone, "nothing to do again")
		return true
	}
	kind, ok := stepOf(act)
	if !ok {
		return false
	}
	f, ok := a.current().(functioner)
	if !ok {
		return false
	}
	a.addStep(kind, f.function())
	return true
}

// addStep filters by a function, or takes the pivot away that is there already.
func (a *app) addStep(kind calltree.StepKind, function string) {
	step := calltree.StackStep{Kind: kind, Name: function}
	switch {
	case function == "":
		a.say("nothing is selected that has a function's name")
	case kind == calltree.PivotAt && a.state.Chips.Pivot() == function:
		a.emit(dropStep{slices.IndexFunc(a.state.Chips.Steps(), func(s calltree.StackStep) bool { return s.Kind == kind })})
	case a.state.Chips.With(step) == a.state.Chips:
		a.say("this filter is there already")
	default:
		a.emit(addStep{step})
		a.say(widget.Truncate(widget.Clean(stepText(step)), 40) + ": U undoes it, ; lists all filters")
	}
}

// undo goes one change of what is narrowed back, or forward again.
func (a *app) undo(from, to *[]narrowing, nothing string) {
	n := len(*from)
	if n == 0 {
		a.say(nothing)
		return
	}
	was := a.state.narrowing()
	next := (*from)[n-1]
	*from = (*from)[:n-1]
	a.state, a.stale = a.state.Apply(setNarrow{next}), true
	*to = append(*to, was)
}

// noteNarrowing remembers for undo what was narrowed before a change.
func (a *app) noteNarrowing(before narrowing) {
	if before == a.state.narrowing() {
		return
	}
	a.undone, a.redone = append(a.undone, before), nil
	if n := len(a.undone) - maxHistory; n > 0 {
		a.undone = a.undone[n:]
	}
}

// stackViews keeps what the filters asked for last make of stacks. Any goroutine may use it; the zero value is ready.
type stackViews struct {
	mu   sync.Mutex
	last []stackView
}

type stackView struct {
	stacks *model.Stacks
	filter calltree.StackFilter
	part   calltree.StackPart
	view   *calltree.FilteredStacks
}

// maxStackViews is enough for both parts about a pivot, the whole, and one way back.
const maxStackViews = 4

// of is what a filter makes of stacks, nil for one that changes nothing. The only errors are those of ctx.
func (v *stackViews) of(ctx context.Context, s *model.Stacks, f calltree.StackFilter, part calltree.StackPart) (*calltree.FilteredStacks, error) {
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
