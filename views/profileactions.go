package views

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// adoptProf sets up the weighted stacks of a revision unless that is done.
func (a *app) adoptProf(p *model.Profile) {
	d := a.profileOf(p)
	if d == nil || d == a.Prof {
		return
	}
	if a.Prof != nil {
		a.renumber(a.Prof.Weights, d.Weights)
	}
	a.Prof, a.First.Prof = d, d
}

// renumber keeps chosen and marked windows what they are in a revision from which others were dropped.
func (a *app) renumber(was, is *model.StackProfile) {
	place := func(n *int) {
		if *n < 0 || *n >= len(was.Windows) {
			return
		}
		i, ok := is.WindowNumbered(was.WindowNumber(*n))
		if *n = i; !ok {
			*n = state.NoWindow
			a.say("the window that was shown was dropped, to bound memory: the complete recording is shown")
		}
	}
	place(&a.state.Prof.Window)
	for i := range a.state.Compare.Marks {
		if m := &a.state.Compare.Marks[i]; m.Set && !m.Other {
			place(&m.Prof.Window)
		}
	}
}

// profileOf returns the weighted stacks of a revision, nil if it has none. The first call may take long: call it off
// the event loop, which then finds the cached answer.
func (a *app) profileOf(p *model.Profile) *ui.ProfileFile {
	if !ui.HasProf(p) {
		return nil
	}
	if d := a.profiles.Load(); d != nil && d.Profile == p {
		return d
	}
	d := ui.NewProfileFile(p, a.o.Libraries)
	a.profiles.Store(d)
	return d
}

// profileKind is what a file with weighted stacks decides.
type profileKind struct{ onAxis }

func (a profileKind) unit() string                          { return a.Prof.Weights.AxisUnit }
func (a profileKind) normals() []diff.Normal                { return a.onAxis.normals()[:2] }
func (a profileKind) evidence() (q state.Question, ok bool) { return a.Prof.Choice(&a.state), true }

// instant returns the range or window of the stacks.
func (a profileKind) instant() string {
	_, _, w, _ := a.GetRect()
	return a.Prof.InstantText(&a.state, w)
}

// useless reports whether the stacks have no answer to an action, and there are no curves in addition to them.
func (a profileKind) useless(act keymap.Action) bool {
	return a.Prof.Useless(act, &a.state, a.Dump != nil || a.current().Action() == keymap.ShowTimeline)
}

// peak moves to the window that weighs most.
func (a profileKind) peak(r analysis.Range) {
	if a.windowed() && r.IsFull() {
		a.windowPeak()
	}
}

// began says what is compared without marks.
func (a profileKind) began() {
	if a.Second == nil && !a.state.Compare.Marks[state.SideA].Set {
		a.say(a.Hint("{mark-a} marks what to compare with: choose a range, an event or a metric, press {mark-a}, then choose another"))
	}
}

// do does what all screens of stack profiles have in common.
func (a profileKind) do(act keymap.Action) bool {
	switch act {
	case keymap.Cost:
		a.NextEvent(&a.state)
	case keymap.Range:
		if a.Prof.Ranges() {
			return false
		}
		a.say("there are neither samples nor several windows that a range could select")
	case keymap.Series:
		a.NextMetric(&a.state)
	case keymap.EventBack, keymap.EventForward, keymap.LandmarkBack, keymap.LandmarkForward, keymap.Peak, keymap.PeakInRange:
		if a.Dump != nil || act == keymap.Peak && a.windowed() { // there are curves in addition to the stacks
			return false
		}
		a.say("stack profiles are sums over time: choose a range on Timeline")
	default:
		return false
	}
	return true
}

// windowed reports whether the instant chooses a window of a profile: it has windows, and no samples.
func (a *app) windowed() bool {
	return a.Prof != nil && a.Prof.Samples == 0 && len(a.Prof.Weights.Windows) > 0
}

// followWindow keeps the instant and the window of a profile together, as --at does: the window is the one that the
// instant is about, the instant the end of the window that is chosen. Where there are samples the instant ends ranges
// of those.
func (a *app) followWindow(i state.Intent) {
	if !a.windowed() || a.state.Compare.On {
		return
	}
	w, s := a.Prof.Weights, &a.state
	switch i := i.(type) {
	case state.MoveTo, state.Step:
		if s.Anchor != model.NoTime || !s.Range.IsFull() {
			return
		}
		n, ok := weights.WindowAt(w, s.Now())
		switch {
		case s.AtEnd() && !s.Status.Final: // which further windows move
			n = state.NoWindow
		case !ok:
			n = state.NoWindow
			a.say("no window had begun by then: the complete file is shown")
		}
		a.state = s.Apply(state.ChooseWindow{Window: n})
	case state.ChooseWindow:
		at := analysis.End
		if i.Window >= 0 && i.Window < len(w.Windows) {
			at = analysis.At(w.Windows[i.Window].End)
		}
		a.state = s.Apply(state.MoveTo{At: at})
	}
}

// windowPeak moves to the window that weighs most.
func (a *app) windowPeak() {
	k := a.Prof.Key(&a.state)
	k.Window, k.Ranged = state.NoWindow, false
	a.Background(func() {
		sel, _, err := k.Selection(context.WithoutCancel(a.Ctx))
		n, ok := 0, false
		if err == nil && sel != nil && !k.Of.Weights.Metrics[k.Metric].NoSum() {
			n, ok, err = sel.LargestWindow(context.WithoutCancel(a.Ctx))
		}
		a.Post(func() {
			if err != nil || !ok {
				a.say("values of " + k.MetricName() + " do not add up: no window is the largest")
				return
			}
			a.emit(state.ChooseWindow{Window: n})
		})
	})
}
