package trace

import (
	"context"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Leaks is the table of blocks that were never freed, or, in its second section, freed only at the end of the run.
type Leaks struct {
	groupPane
	story    siteStory
	evidence *siteEvidence
	*ui.Table[leakData, analysis.LeakSite]
	found  *ui.Lazy[leakKey, *leakList]
	late   *ui.Lazy[lateKey, *leakList]
	totals *ui.Lazy[totalsKey, analysis.Totals]

	inLate bool          // the section of late frees is shown
	rows   [2]sectionRow // selected rows of the sections when they were left
	back   *sectionRow   // to be selected again once the section has rows; nil for none
}

// sectionRow is a selected row. The zero value represents no row.
type sectionRow struct {
	id uint64
	ok bool
}

// leakKey determines what counts as a leak.
type leakKey struct {
	revision uint64
	analysis.LeakQuery
}

// lateKey determines what was freed late.
type lateKey struct {
	revision uint64
	in       analysis.Cell
}

// totalsKey determines the sums of a range.
type totalsKey struct {
	revision uint64
	over     analysis.Range
}

// NewLeaks returns the screen of what was never freed, or freed late.
func NewLeaks(e *ui.Env) *Leaks {
	p := &Leaks{groupPane: newGroupPane(e), story: newSiteStory(e)}
	p.evidence = newSiteEvidence(e, &p.story)
	p.Blocks.Parts = blockEvidence(e)
	p.found = ui.NewLazy(e, func(ctx context.Context, k leakKey) (*leakList, error) {
		l, err := e.Trace.Leaks(ctx, k.LeakQuery)
		list := newLeakList(l, k.By, false).judged(ctx, e.Trace, k.Cell.Stacks)
		list.part = !k.Range.IsFull()
		return list, err
	})
	p.late = ui.NewLazy(e, func(ctx context.Context, k lateKey) (*leakList, error) {
		l, err := e.Trace.LateFreed(ctx, k.in)
		return newLeakList(l, analysis.ByStack, true).judged(ctx, e.Trace, k.in.Stacks), err
	})
	p.totals = ui.NewLazy(e, func(ctx context.Context, k totalsKey) (analysis.Totals, error) { return e.Trace.Totals(ctx, k.over) })
	p.Table = ui.NewTable(e, &p.ListPane, leakData{leakList: &leakList{}}, p.leakSpec())
	p.Moved, p.row = p.publishSelection, func() (analysis.Group, *analysis.Site, bool) {
		l, ok := p.Selected()
		if !ok {
			return 0, nil, false
		}
		return p.Now().Of.by, &l.Site, true
	}
	p.Enter = func() {
		p.openBlocks(analysis.OldestFirst, "None of these blocks is left.", p.Hint("{back} goes back."))
	}
	return p
}

func (p *Leaks) Name() string { return "Leaks" }

func (p *Leaks) Action() keymap.Action { return keymap.ShowLeaks }

func (p *Leaks) Scopes() []keymap.Scope { return p.groupScopes(keymap.ScopeLeaks) }

func (p *Leaks) About() string {
	switch {
	case p.Blocks.Open:
		return "blocks"
	case p.inLate:
		return "freed late"
	case p.State.Group != analysis.ByStack:
		return "by " + p.State.Group.String()
	}
	return ""
}

// ShownStacks implements [ui.Stacked].
func (p *Leaks) ShownStacks() ([]model.StackID, bool) {
	return p.shownStacks(p.Len(), func(i int) model.StackID { return p.Row(i).Stack })
}

// Unprinted implements [ui.Unprinted].
func (p *Leaks) Unprinted() string {
	if p.inLate && p.Blocks.Open { // they are listed at an instant of their own
		return p.Hint("{back} goes back to the table, which report prints; {blocks} lists the blocks of all sites")
	}
	return p.groupPane.Unprinted()
}

func (p *Leaks) Command() []string {
	if p.Blocks.Open {
		return p.blocksCommand()
	}
	var q state.Question
	if p.State.MinAge > 0 {
		q.MinAge = model.MomentAt(p.State.MinAge)
	}
	q.Table, q.By = "leaks", p.Sorted().OrderKey()
	switch {
	case p.inLate:
		q.Table = "late_freed"
	case p.State.Group != analysis.ByStack:
		q.Table, q.Group = "groups", p.State.Group.String()
		switch q.By {
		case verdictKeyName, "leaked_share":
		case "count":
			q.By = "leaked_count"
		default: // none for ages
			q.By = "leaked_bytes"
		}
	}
	if q.Table != "groups" { // their columns are others
		q.Filter = p.RowFilter(p.State.Filter)
	}
	return q.Args()
}

// Timeless implements [ui.Timeless]: what leaked is known at the end of the run, or of the range.
func (p *Leaks) Timeless() bool { return true }

// group returns what the section shown is grouped by.
func (p *Leaks) group() analysis.Group {
	if p.inLate {
		return analysis.ByStack
	}
	return p.State.Group
}

// Show shows a state. Nothing here depends on the instant, so that moving it costs nothing.
func (p *Leaks) Show(s *state.State) {
	if p.State.Group != s.Group {
		p.List.Home()
		p.Blocks.Open = false
	}
	p.State = *s
	if p.Trace == nil {
		return
	}
	p.labels.Follow(s.Filters)
	p.found.Ask(leakKey{s.Status.Revision, analysis.LeakQuery{Range: s.Range, MinAge: s.MinAge, By: s.Group, Cell: s.Only()}})
	revision, ok := s.Deep() // late frees are not known earlier
	if !ok && p.inLate {
		revision, ok = s.Status.Revision, true
	}
	if ok {
		p.late.Ask(lateKey{revision, s.Only()})
	}
	p.totals.Ask(totalsKey{s.Status.Revision, s.Range})
	if p.Blank.by != p.group() || p.Blank.late != p.inLate {
		p.Blank.leakList = newLeakList(analysis.Leaks{}, p.group(), p.inLate)
	}
	found, known := p.found.Get()
	if p.inLate {
		found, known = p.late.Get()
	}
	if !known {
		return
	}
	if !p.Ask(leakData{found, p.named(s)}, s.Filter) {
		return
	}
	if p.back != nil && p.Fresh() {
		p.List.SelectID(p.back.id)
		p.back = nil
	}
	p.Evident = s.Selected.Evidence
	p.adopt(found.by, p.Fresh())
	p.explain()
	if p.Blocks.Open {
		p.showBlocks()
	}
}

// showBlocks keeps the list of blocks up to date.
func (p *Leaks) showBlocks() {
	s, q := &p.State, p.blockQuery()
	if p.inLate {
		p.Blocks.Show(s, q, "live at "+q.At.T.String(), q.At.T)
		return
	}
	p.Blocks.Show(s, q, "never freed", min(s.Range.To, s.Status.Duration))
}

// blockQuery returns what selects the blocks of all rows. Of late frees, that is those just before their end.
func (p *Leaks) blockQuery() analysis.BlockQuery {
	s := &p.State
	if p.inLate {
		at := s.Status.Duration - s.Status.Duration/50 - 1
		return analysis.BlockQuery{At: analysis.At(max(at, 0)), Cell: s.Only()}
	}
	return analysis.BlockQuery{Leaked: true, Range: s.Range, MinAge: s.MinAge, Cell: s.Only()}
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Leaks) Do(a keymap.Action) bool {
	switch a {
	case keymap.Group:
		if p.inLate {
			p.Say("late frees are listed by stack only")
			return true
		}
		p.groupFurther()
		return true
	case keymap.AgeUp:
		p.setAge(1)
		return true
	case keymap.AgeDown:
		p.setAge(-1)
		return true
	}
	switch {
	case p.Blocks.Open:
		return p.Blocks.Do(a)
	case a == keymap.Cost:
		p.otherSection()
		return true
	}
	return p.DoTable(a)
}

// otherSection switches between what was never freed and what was freed late.
func (p *Leaks) otherSection() {
	p.inLate, p.InDetail = !p.inLate, false
	p.keepRow(!p.inLate)
	p.Changed()
}

// keepRow records the selected row of the section that is left, and restores that of the other one.
func (p *Leaks) keepRow(late bool) {
	left, next := &p.rows[0], &p.rows[1]
	if late {
		left, next = next, left
	}
	if row, ok := p.List.Selected(); ok && p.back == nil {
		*left = sectionRow{p.ID(row), true}
	}
	if p.Home(); next.ok {
		p.back = next
	}
}

func (p *Leaks) setAge(dir int) {
	if p.inLate { // it does not apply there
		p.inLate, p.Blocks.Open = false, false
	}
	age := NextAge(p.State.MinAge, p.State.Status.Duration, dir)
	if age == p.State.MinAge {
		p.Say("no further step: the run lasted " + p.State.Status.Duration.String())
	}
	p.Emit(state.SetMinAge{Age: age})
}

func (p *Leaks) CopyText() string {
	if p.Blocks.Open {
		return p.Blocks.CopyText()
	}
	row, ok := p.Selected()
	if !ok {
		return ""
	}
	text := model.Clean(row.Name) + " " + model.Clean(row.Where) + "\n"
	for _, f := range p.Detail.Sentences(append(slices.Clone(p.Detail.Lead), p.Detail.Facts...)) {
		text += f + "\n"
	}
	return text + p.Detail.Text()
}

// Draw implements tview.Primitive.
func (p *Leaks) Draw(s tcell.Screen) {
	p.Detail.Samples = p.State.Sampled()
	r := p.Rect()
	if p.Blocks.Open {
		p.Blocks.Draw(s, r)
		return
	}
	body := r
	if r.H > 3 {
		var title widget.Rect
		title, body = r.CutTop(1)
		p.drawTitle(s, title)
	}
	if note := p.note(); note != "" && body.H > 5 {
		body = widget.PrintWrapped(s, body, note, p.Look.Muted)
	}
	if grew := p.grewText(); grew != "" && body.H > 5 {
		body = widget.PrintWrapped(s, body, grew, p.Style(themes.Warning))
	}
	p.Split(body)
	p.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

// Difference implements [ui.Differing].
func (p *Leaks) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Rows: ui.DiffLeaked})
}

// Fields implements [ui.Filtered].
func (p *Leaks) Fields() []analysis.Field { return p.fields(p.Table.Fields()) }
