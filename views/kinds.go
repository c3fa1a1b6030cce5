package views

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// kind is what the frame leaves to a kind of data: how to move through it, what a mark in it is, the text of the header.
// The methods run on the event loop.
type kind interface {
	do(keymap.Action) bool                                 // performs what only this kind knows; false leaves it to the next one
	back() bool                                            // undoes what only this kind can narrow; false if nothing was
	useless(keymap.Action) bool                            // reports whether an action has nothing to do
	instant() string                                       // the instant or range on screen, "" where another kind says more
	motion() string                                        // what moves the side of a comparison that is not marked
	ranges() bool                                          // whether a range of times can be chosen
	unit() string                                          // of the axis, "" for microseconds
	peak(analysis.Range)                                   // goes to the highest place in a range
	here(free *state.State, other bool) (state.Mark, bool) // the place on screen, of the other file; false for an instant
	placed(side int, other bool, text string) (done bool, err error)
	normals() []diff.Normal           // what sides can be normalized by
	began()                           // the difference was switched on: sets marks, says what is compared
	evidence() (state.Question, bool) // the part of the file that evidence is about; false for an instant and a range
}

// kinds returns the kinds of data that the file holds. The first one decides where only one can.
func (a *app) kinds() []kind {
	list := make([]kind, 0, 4)
	if a.Heaps != nil {
		list = append(list, heapKind{onAxis{a}})
	}
	if a.Dump != nil {
		list = append(list, dumpKind{onAxis{a}})
	}
	if a.Prof != nil {
		list = append(list, profileKind{onAxis{a}})
	}
	if a.Trace != nil {
		list = append(list, traceKind{onAxis{a}})
	}
	return list
}

// kind returns the kind of data that decides; a file of which nothing is known yet is treated as one with a time axis.
func (a *app) kind() kind {
	if list := a.kinds(); len(list) > 0 {
		return list[0]
	}
	return onAxis{a}
}

// hasStacks reports whether there are stacks that filters apply to.
func (a *app) hasStacks() bool { return a.Trace != nil || a.Prof != nil }

// onAxis is a kind with a time axis. The others embed it and replace what they do otherwise.
type onAxis struct{ *app }

func (k onAxis) do(keymap.Action) bool                           { return false }
func (k onAxis) back() bool                                      { return false }
func (k onAxis) useless(keymap.Action) bool                      { return false }
func (k onAxis) instant() string                                 { return "" }
func (k onAxis) motion() string                                  { return "moving in time" }
func (k onAxis) ranges() bool                                    { return true }
func (k onAxis) unit() string                                    { return "" }
func (k onAxis) peak(analysis.Range)                             {}
func (k onAxis) here(*state.State, bool) (m state.Mark, ok bool) { return m, false }
func (k onAxis) placed(int, bool, string) (done bool, err error) { return false, nil }
func (k onAxis) evidence() (q state.Question, ok bool)           { return q, false }

func (k onAxis) normals() []diff.Normal {
	return []diff.Normal{diff.NormalNone, diff.NormalTotal, diff.NormalDuration, diff.NormalAllocations, diff.NormalGCs,
		diff.NormalMarkers}
}

func (k onAxis) began() {
	if k.Second == nil && !k.state.Compare.Marks[state.SideA].Set {
		k.say(k.Hint("compared with the start of the run: {mark-a} marks another moment, {difference} ends the difference"))
	}
}

// points are the times that the instant can be moved along: of events or measured points, and of those with a name.
type points interface {
	Neighbor(t model.Time, dir int) (model.Time, bool)
	Landmark(t model.Time, dir int) (model.Time, bool)
}

// along moves the instant to the next of some points.
func (k onAxis) along(p points, act keymap.Action) bool {
	switch act {
	case keymap.EventBack:
		k.neighbor(p.Neighbor, -1)
	case keymap.EventForward:
		k.neighbor(p.Neighbor, 1)
	case keymap.LandmarkBack:
		k.neighbor(p.Landmark, -1)
	case keymap.LandmarkForward:
		k.neighbor(p.Landmark, 1)
	default:
		return false
	}
	return true
}
