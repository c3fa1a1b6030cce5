package views

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// adoptProf sets up the weighted stacks of a revision unless that is done.
func (a *app) adoptProf(p *model.Profile) {
	if d := a.profileOf(p); d != nil {
		a.Prof, a.First.Prof = d, d
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

// doProfile handles what all screens of stack profiles have in common.
func (a *app) doProfile(act keymap.Action) bool {
	if a.Prof == nil {
		return false
	}
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
		if a.Dump != nil { // there are curves in addition to the stacks
			return false
		}
		a.say("stack profiles are sums over time: choose a range on Timeline")
	default:
		return false
	}
	return true
}
