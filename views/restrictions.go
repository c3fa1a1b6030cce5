package views

import (
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// restriction is one restriction of the screens, with the function that removes it.
type restriction struct {
	text string // not cleaned
	drop state.Intent
}

// restrictions returns the restrictions of the screens, in the order of the bar.
func (a *app) restrictions() (out []restriction) {
	s := &a.state
	if !a.hasStacks() {
		return nil
	}
	for n, step := range s.Filters.Steps() {
		out = append(out, restriction{stepText(step), state.DropStep{N: n}})
	}
	if a.Prof != nil && s.Prof.Window >= 0 && s.Prof.Window < len(a.Prof.Weights.Windows) {
		out = append(out, restriction{"window " + ui.WindowName(a.Prof.Weights, s.Prof.Window), state.ChooseWindow{Window: state.NoWindow}})
	}
	if a.Trace != nil && !s.Cell.IsAll() {
		out = append(out, restriction{"blocks of " + s.Cell.Text(), state.SetCell{}})
	}
	return out
}

// stepText returns in words what a step of a filter does. It is not cleaned.
func stepText(s calltree.Step) string {
	word := [...]string{"only ", "without ", "from ", "hiding ", "around "}[s.Kind]
	return word + funcname.Bare(s.Name)
}

// stepOf returns the step that an action adds.
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

// doFilters handles the actions that change the filters of stacks.
func (a *app) doFilters(act keymap.Action) bool {
	if !a.hasStacks() {
		return false
	}
	switch act {
	case keymap.Filters:
		if len(a.restrictions()) == 0 {
			a.say(a.Hint("no filters: {only}, {filters.exclude}, {show-from}, {hide-frame} and {pivot} on a function add one"))
			return true
		}
		a.Popup(newRestrictionList(a))
		return true
	case keymap.Undo:
		a.undo(&a.undoStack, &a.redoStack, "nothing to undo: no filter was changed")
		return true
	case keymap.Redo:
		a.undo(&a.redoStack, &a.undoStack, "nothing to redo")
		return true
	}
	kind, ok := stepOf(act)
	if !ok {
		return false
	}
	f, ok := a.current().(ui.Functioner)
	if !ok {
		return false
	}
	a.addStep(kind, f.Function())
	return true
}

// addStep adds a filter by a function, or removes the pivot if there is one.
func (a *app) addStep(kind calltree.StepKind, function string) {
	step := calltree.Step{Kind: kind, Name: function}
	switch {
	case function == "":
		a.say("the selection has no function name")
	case kind == calltree.PivotAt && a.state.Filters.Pivot() != "":
		a.emit(state.DropStep{N: slices.IndexFunc(a.state.Filters.Steps(), func(s calltree.Step) bool { return s.Kind == kind })})
	case a.state.Filters.With(step) == a.state.Filters:
		a.say("this filter is already set")
	default:
		a.emit(state.AddStep{Step: step})
		a.say(widget.Truncate(widget.Clean(stepText(step)), 40) + a.Hint(": {undo} undoes it, {filters} lists all filters"))
	}
}

// undo moves one change of the filters back, or forward again.
func (a *app) undo(from, to *[]state.Narrowing, nothing string) {
	n := len(*from)
	if n == 0 {
		a.say(nothing)
		return
	}
	was := a.state.Narrowing()
	next := (*from)[n-1]
	*from = (*from)[:n-1]
	a.state, a.stale = a.state.Apply(state.SetNarrow{To: next}), true
	*to = append(*to, was)
}

// noteNarrowing records the filters before a change, for undo.
func (a *app) noteNarrowing(before state.Narrowing) {
	if before == a.state.Narrowing() {
		return
	}
	a.undoStack, a.redoStack = append(a.undoStack, before), nil
	if n := len(a.undoStack) - maxHistory; n > 0 {
		a.undoStack = a.undoStack[n:]
	}
}
