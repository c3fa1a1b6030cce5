package heap

import (
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// suspectPane lists the suspects of the snapshot, each as a sentence that is wrapped, not cut.
type suspectPane struct {
	*ui.Leads
	p     *snapshots
	found *ui.HeapSuspects
}

func newSuspectPane(p *snapshots) *suspectPane {
	l := &suspectPane{p: p}
	l.Leads = ui.NewLeads(p.Pane.Env, "suspect", 1, l.follow)
	return l
}

// mostSuspectLines is how many lines the pane asks for at most.
const mostSuspectLines = 12

// Show adopts a state.
func (l *suspectPane) Show(s *state.State) {
	found := l.p.Loads.AskSuspects(s)
	var leads []ui.Lead
	if found != nil {
		leads = make([]ui.Lead, len(found.List))
		for i := range found.List {
			sign, role := l.sign(found.List[i].Verdict)
			leads[i] = ui.Lead{Sign: sign, Role: role, Text: suspectText(&found.List[i])}
		}
	}
	l.Leads.Show(leads, l.p.Loads.NoSuspects(s))
	if found != l.found {
		l.found = found
		l.Begin()
	}
}

// height returns the lines that the pane would like to have, its heading included.
func (l *suspectPane) height(w, room int) int {
	return min(l.Height(w), max(room, 2), mostSuspectLines+1)
}

// suspectText returns the sentence about a suspect, with the confidence that it grows, and the object that Enter leads
// to.
func suspectText(s *suspects.Suspect) string {
	text := s.Evidence()
	if s.Verdict == suspects.Grows {
		text += "; " + outlook(s.Confidence())
	}
	if place := s.Place(); place != "" {
		text += "; " + place
	}
	return text
}

// outlook returns how certain it is that a suspect goes on growing. What is as likely as not is no certainty.
func outlook(confidence float64) string {
	if confidence <= 0.5 {
		return "uncertain whether it goes on growing"
	}
	return ui.Certain(confidence, 0) + " that it goes on growing"
}

// sign returns the sign next to a sentence, and its color.
func (l *suspectPane) sign(v suspects.Verdict) (string, themes.Role) {
	g := &l.p.Look.Glyphs
	switch v {
	case suspects.Grows:
		return g.Loss, themes.Loss
	case suspects.Bounded:
		return g.Same, themes.Note
	}
	return g.Bullet, themes.Note
}

// selected returns the selected suspect, nil for none.
func (l *suspectPane) selected() *suspects.Suspect {
	if n := l.Selected(); n >= 0 {
		return &l.found.List[n]
	}
	return nil
}

// follow shows the accumulation point of the selected suspect, or its type if there is none. Many objects there are one
// row.
func (l *suspectPane) follow() {
	f := l.selected()
	if f == nil {
		return
	}
	if !f.HasRow {
		l.p.Visit(keymap.ShowTypes, state.ListGroups{Axis: f.Axis, Text: ui.FilterFor(f.Name)})
		return
	}
	l.p.Visit(keymap.ShowDominators, state.SetTop{Of: l.found.I, Row: f.Row}, state.GroupTop{On: f.Crowd})
}

func (l *suspectPane) copyText() string {
	if f := l.selected(); f != nil {
		return model.Clean(f.Evidence())
	}
	return ""
}
