package views

import (
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// Start is what is looked at first. The zero value is the first screen, of everything.
type Start struct {
	Function string // stacks with it are kept only
	// Stacks returns the stacks that are kept only, in place of all with Function, as soon as everything is read. Where it
	// returns none, those with Function stay. It is nil for them. Any goroutine may call it.
	Stacks func(*model.Stacks) []model.StackID
	Type   string // rows of this type are shown only
	Leaks  bool   // it is about what was never freed
}

// begin shows what is looked at first, on the screen that has most to say about it.
func (f *Start) begin(a *app) {
	to := []keymap.Action{keymap.ShowSites, keymap.ShowFunctions}
	switch {
	case f.Function != "":
		if f.Leaks {
			to = append([]keymap.Action{keymap.ShowLeaks}, to...)
		}
		a.state = a.state.Apply(state.AddStep{Step: calltree.Step{Kind: calltree.Focus, Name: f.Function}})
	case f.Type != "":
		to = []keymap.Action{keymap.ShowTypes}
		a.state = a.state.Apply(state.SetFilter{Text: "/^" + regexp.QuoteMeta(f.Type) + "$/"})
	default:
		return
	}
	for _, act := range to {
		if at := slices.IndexFunc(a.screens, func(s ui.Screen) bool { return s.Action() == act }); at >= 0 {
			a.at = at
			return
		}
	}
}

// keepStacks keeps the stacks that are looked at first only, once all are read, unless the user keeps others by then.
func (a *app) keepStacks() {
	find, first := a.o.Start.Stacks, calltree.Filter("").With(calltree.Step{Kind: calltree.Focus, Name: a.o.Start.Function})
	if find == nil || !a.state.Settled() || a.state.Stacks() == nil {
		return
	}
	a.o.Start.Stacks = nil
	stacks := a.state.Stacks()
	a.Background(func() {
		ids := find(stacks)
		a.Post(func() {
			if len(ids) > 0 && a.state.Filters == first {
				step := calltree.Step{Kind: calltree.Focus, Name: calltree.StackStep(ids...)}
				a.state, a.stale = a.state.Apply(state.DropStep{}).Apply(state.AddStep{Step: step}), true
			}
		})
	})
}

// HeapStart is the initial position in heap snapshots, page layouts or windows. The zero value begins with the last
// ones, and with the complete run.
type HeapStart struct {
	Snapshot *int // or page layout, or window; nil for the last complete one, or for none
	After    *int // of the second file; a layout or window is marked as B
	Edges    heapgraph.Policy
}

// begin is called before anything is shown.
func (h HeapStart) begin(s *state.State) {
	s.Heap.Policy = h.Edges
	if h.Snapshot != nil {
		s.Heap.Snapshot, s.Prof.Window = *h.Snapshot, *h.Snapshot
	}
	if h.After != nil {
		s.Heap.Other = *h.After
	}
}

// markStart marks the page layout or the window of the second file that was requested.
func (a *app) markStart() {
	n := a.o.HeapStart.After
	switch {
	case n == nil:
	case a.OtherDump() != nil && *n >= 0 && *n < a.OtherDump().Count:
		m := layoutMark(a.OtherDump(), *n)
		m.Other = true
		a.emit(state.MarkSide{Side: state.SideB, M: m})
	case a.Second.Prof != nil:
		m := state.Mark{Set: true, Other: true, At: analysis.End, Range: analysis.FullRange, Prof: state.NewProfile()}
		m.Prof.Window = *n
		a.emit(state.MarkSide{Side: state.SideB, M: m})
	}
}

// firstScreen returns the initial screen of a program without memory: that of the comparison for two files, that of
// layouts if one was requested.
func (a *app) firstScreen() int {
	to := keymap.ShowComparison
	again := a.o.Memory != nil && a.o.Memory.state != nil
	if n := a.o.HeapStart.Snapshot; !again && a.Dump != nil && n != nil && *n >= 0 && *n < a.Dump.Count {
		a.state = a.state.Apply(state.ChooseSeries{Series: a.Dump.Pages.Info(*n).Series}).
			Apply(state.ChooseLayout{Layout: *n, At: a.Dump.Time(*n)})
		to = keymap.ShowPages
	} else if second := a.o.Second; !again && a.Dump != nil && a.Prof != nil && second != nil && a.OtherDump() == nil {
		to = keymap.ShowProfile // the stacks are what both have
	} else if second == nil || second.Heaps == nil {
		return 0
	}
	for i, s := range a.screens {
		if s.Action() == to {
			return i
		}
	}
	return 0
}
