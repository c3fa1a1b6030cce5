package trace

import (
	"context"
	"regexp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// findingsPane lists the findings. Each line leads to a screen. It is not a [ui.Table]: a few sentences, most
// significant first, have no figures to sort or filter by.
type findingsPane struct {
	*ui.Leads
	env    *ui.Env
	state  state.State
	rows   []analysis.Finding
	labels *ui.SiteLabels
	lazy   *ui.Lazy[findingsKey, found]
}

// found is findings, and until when a recording went that is followed.
type found struct {
	list []analysis.Finding
	to   model.Time
}

// findingKind is how many cells signs and kinds have.
const findingKind = 12

// sureWhileLive is how certain a leak must be to be shown before the end: what still fills up looks like one.
const sureWhileLive = 0.6

// findingsKey determines the findings. They cover the complete run, regardless of the instant and the range.
type findingsKey struct {
	revision uint64
	profile  *model.Profile
	to       model.Time // that a recording goes until then, 0 for everything
}

func newFindingsPane(e *ui.Env) *findingsPane {
	p := &findingsPane{env: e, labels: ui.NewSiteLabels(e.Libraries)}
	p.lazy = ui.NewDeepLazy(e, func(ctx context.Context, k findingsKey) (found, error) {
		trace := judging{Trace: e.Trace}
		list, err := analysis.Findings(ctx, &trace, k.profile, e.Libraries, analysis.UsualFindings)
		return found{list, goneTo(k.to, trace.to)}, err
	})
	p.Leads = ui.NewLeads(e, "finding", findingKind, p.follow)
	return p
}

// Show shows a state. Findings wait until everything is read: they take several walks over the trace.
func (p *findingsPane) Show(s *state.State) {
	p.state = *s
	empty := []string{"Found when everything is read."}
	if s.Live() {
		empty = []string{"Found soon, and again every few seconds."}
	}
	p.rows, p.Of = nil, ""
	if revision, ok := s.Deep(); ok {
		if p.lazy.Key.revision != revision || !p.lazy.Asked || s.Settled() {
			p.lazy.Ask(findingsKey{revision, s.Profile, s.JudgedTo()})
		}
		empty = []string{"Searching for leaks, bursts and temporary blocks …"}
		if p.lazy.Fresh() {
			empty = []string{"Nothing stands out: no leak, no burst, no large share of temporary blocks."}
		}
		if why := ui.Unanswered(p.lazy); why != nil {
			empty = why
		}
		got, _ := p.lazy.Get()
		if p.rows = got.list; s.Live() {
			if got.to > 0 {
				p.Of = " of the first " + got.to.String()
			}
			p.rows = slices.DeleteFunc(slices.Clone(p.rows),
				func(f analysis.Finding) bool { return f.Kind == analysis.FindingLeak && f.Confidence < sureWhileLive })
		}
	}
	leads := make([]ui.Lead, len(p.rows))
	for i := range p.rows {
		f := &p.rows[i]
		sign, role := p.sign(f.Kind)
		leads[i] = ui.Lead{Sign: sign, Role: role, Kind: f.Kind.String(), Text: p.text(f), Spark: f.History}
	}
	p.Leads.Show(leads, empty)
}

// selected returns the selected finding, nil for none.
func (p *findingsPane) selected() *analysis.Finding {
	if n := p.Selected(); n >= 0 {
		return &p.rows[n]
	}
	return nil
}

// followed reports whether any finding is about sites, which have a curve.
func (p *findingsPane) followed() bool {
	return slices.ContainsFunc(p.rows, func(f analysis.Finding) bool { return len(f.Keys) > 0 })
}

// text returns the finding in one line, with how certain a verdict is.
func (p *findingsPane) text(f *analysis.Finding) string {
	text := ": " + f.Text
	if f.Kind.IsVerdict() {
		text = " (" + p.state.Sentence(ui.Certain(f.Confidence, f.Growth)) + ")" + text
	}
	if f.HasOwner && f.Owner.Function != "" {
		name := f.Owner.Function
		if !p.state.FullName {
			name = funcname.Bare(name)
		}
		if f.Owner.Line > 0 {
			return name + " at " + calltree.Where(f.Owner) + text
		}
		return calltree.InModule(name, f.Owner.File) + text
	}
	if f.Site.Name != "" {
		return p.labels.Label(p.state.Stacks(), analysis.ByStack, &f.Site, p.state.FullName).Name + text
	}
	return f.Text
}

// findingName returns the name of what a finding's curve shows.
func findingName(f *analysis.Finding) string {
	name := f.Site.Name
	if f.HasOwner && f.Owner.Function != "" {
		name = f.Owner.Function
	}
	name = widget.Clean(funcname.Bare(name))
	if n := len(f.Keys); n > 1 {
		name += ", " + model.Counted(n, "site")
	}
	return name
}

// sign returns the sign of a finding, and its color.
func (p *findingsPane) sign(k analysis.FindingKind) (string, themes.Role) {
	g := &p.env.Look.Glyphs
	switch k {
	case analysis.FindingDamage:
		return g.Warning, themes.Error
	case analysis.FindingNoAddress:
		return g.Warning, themes.Warning
	case analysis.FindingLeak:
		return g.Loss, themes.Loss
	case analysis.FindingKept:
		return g.Bullet, themes.Note
	case analysis.FindingBounded:
		return g.Same, themes.Note
	case analysis.FindingBurst, analysis.FindingPeak:
		return g.Marker, themes.PeakMark
	case analysis.FindingLate:
		return g.Gain, themes.Warning
	case analysis.FindingClean:
		return g.Check, themes.Gain
	}
	return g.Bullet, themes.Warning
}

// function returns the function that a finding is about, "" for none.
func (p *findingsPane) function() string {
	f := p.selected()
	switch {
	case f == nil:
		return ""
	case f.HasOwner:
		return f.Owner.Function
	case f.Site.Name != "":
		return p.labels.FilterName(p.state.Stacks(), analysis.ByStack, &f.Site)
	}
	return ""
}

// place returns the line of the owner that a finding is about, or else of its site.
func (p *findingsPane) place() (at lines.Place, ok bool) {
	f, s := p.selected(), p.state.Stacks()
	if f == nil || s == nil {
		return at, false
	}
	leaf, _ := s.Node(f.Site.Stack)
	for n := leaf; f.HasOwner && n != 0; n = s.Parent[n] {
		if s.Functions[s.FrameFunc[s.Frame[n]]] == f.Owner.Function {
			return ui.PlaceOf(s, s.Frame[n])
		}
	}
	return ui.PlaceOfNode(s, leaf)
}

// follow opens the screen that a finding leads to. If an owner has several sites, all are listed, with the most
// significant one selected.
func (p *findingsPane) follow() {
	f := p.selected()
	if f == nil {
		return
	}
	var changes []state.Intent
	if f.HasAt {
		changes = append(changes, state.MoveTo{At: f.At})
	}
	if f.Site.Name != "" {
		changes = append(changes, state.SetGroup{By: analysis.ByStack},
			state.SelectKey{Sel: state.Selection{By: analysis.ByStack, Key: f.Site.Key, Stack: f.Site.Stack, Set: true, Evidence: true}})
	}
	if f.Kind.IsVerdict() && f.HasOwner && f.Owner.Function != "" {
		changes = append(changes, state.SetFilter{Text: "/^" + regexp.QuoteMeta(ownerWord(f.Owner.Function)) + "$/"})
	} else if f.Site.Name != "" {
		changes = append(changes, state.SetFilter{})
	}
	p.env.Visit(screenOf(f.Kind), changes...)
}

// screenOf returns the screen with more about a finding. Sites has what was freed at the end, however long it lived.
func screenOf(k analysis.FindingKind) keymap.Action {
	switch k {
	case analysis.FindingDamage, analysis.FindingNoAddress:
		return keymap.ShowProblems
	case analysis.FindingLeak, analysis.FindingKept, analysis.FindingBounded:
		return keymap.ShowLeaks
	}
	return keymap.ShowSites
}
