package views

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

// DumpStart says where to begin in series and page layouts. The zero value begins with all series, at the end.
type DumpStart struct {
	Series *int // the selected one; nil for the first
	Layout *int // what the pages are of; nil for the last one
}

// begin is called once the first revision is there and screens are offered, unless the user was somewhere before.
func (d DumpStart) begin(a *app) {
	if a.dump == nil {
		return
	}
	if d.Series != nil {
		a.state = a.state.Apply(chooseSeries{*d.Series})
	}
	if d.Layout == nil || *d.Layout >= a.dump.count {
		return
	}
	info := a.dump.pages.Info(*d.Layout)
	a.state = a.state.Apply(chooseSeries{info.Series}).Apply(chooseLayout{*d.Layout, max(info.At, model.Time(0))})
	for i, s := range a.screens {
		if s.action() == keymap.ShowPages {
			a.at = i
		}
	}
}
