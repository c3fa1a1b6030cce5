package trace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Events lists single events of the range, or else of the zoomed part of the run, around the instant. The selection and
// the instant follow each other.
type Events struct {
	ui.TablePane
	*ui.Table[*eventPage, analysis.Event]
	pages  *ui.Lazy[eventKey, *eventPage]
	labels *ui.SiteLabels
	parts  func(s *state.State, b *analysis.Block) []ui.DetailPart

	asked eventKey         // the key without its center
	at    analysis.Instant // the instant that the selection has followed
	goes  bool             // the selection has yet to go there
}

// NewEvents returns the screen of single events.
func NewEvents(e *ui.Env) *Events {
	p := &Events{TablePane: ui.NewTablePane(e), labels: ui.NewSiteLabels(e.Libraries), parts: blockEvidence(e)}
	p.pages = ui.NewLazy(e, func(ctx context.Context, k eventKey) (*eventPage, error) { return askEvents(ctx, e.Trace, k) })
	p.Table = ui.NewTable(e, &p.ListPane, &eventPage{}, ui.Spec[*eventPage, analysis.Event]{
		Rows:    func(d *eventPage) []analysis.Event { return d.rows },
		Columns: func(d *eventPage) []ui.Column[analysis.Event] { return d.view.columns(d.whole()) },
		ID:      func(_ *eventPage, r *analysis.Event) uint64 { return r.Number },
		First:   ui.AsGiven, Wide: 110,
	})
	p.Moved, p.Enter = p.moved, p.openSite
	return p
}

func (p *Events) Name() string { return "Events" }

func (p *Events) Action() keymap.Action { return keymap.ShowEvents }

func (p *Events) Needs() model.Facet { return model.FacetAllocations }

func (p *Events) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeTable} }

// Useless implements [ui.Refuser]: events are not grouped.
func (p *Events) Useless(a keymap.Action) bool { return a == keymap.Group }

func (p *Events) Narrows() bool { return true }

func (p *Events) Follows() string { return "" }

// over returns the range that is listed: the chosen one, or else what charts show.
func (p *Events) over() analysis.Range {
	if s := &p.State; s.Range.IsFull() {
		return s.View
	}
	return p.State.Range
}

// Zooms reports that Command and SavedCommand say which range they are about.
func (p *Events) Zooms() bool { return true }

// Command implements [ui.Screen]: it prints the rows on screen.
func (p *Events) Command() []string {
	q, all := state.Question{Table: "events", Filter: p.RowFilter(p.State.Filter)}, 0
	first, last, ok := p.onScreen()
	if !ok {
		q.Over = p.listed()
		if t := p.Now(); t != nil && t.Of.whole() && p.Len() <= p.List.Height() {
			q.Limit = &all
		}
		return q.Args()
	}
	q.Over, q.Limit = model.Period{From: model.MomentAt(first.Time - 1), To: model.MomentAt(last.Time)}, &all
	if first.Time == 0 {
		q.Over.From = model.Moment{}
	}
	if rows := p.Now().Of.rows; p.cutsTime(rows, first, last) {
		q.Filter = strings.TrimSpace(fmt.Sprintf("%s number>=%d number<=%d", q.Filter, first.Number, last.Number))
	}
	return q.Args()
}

// SavedCommand implements [ui.Saved]: it prints all rows of the table, not only those that fit on the screen.
func (p *Events) SavedCommand() []string {
	return (&state.Question{Table: "events", Filter: p.RowFilter(p.State.Filter), Over: p.listed()}).Args()
}

// listed returns the range that the table is about, or the part of it that has been read.
func (p *Events) listed() model.Period {
	over := state.Over(p.over(), "")
	if t := p.Now(); t != nil && len(t.Of.rows) > 0 {
		rows := t.Of.rows
		if t.Of.before {
			over.From = model.MomentAt(rows[0].Time - 1)
		}
		if t.Of.after {
			over.To = model.MomentAt(rows[len(rows)-1].Time)
		}
	}
	return over
}

// onScreen returns the first and the last event on screen; ok is false if these are all, or not sorted by time.
func (p *Events) onScreen() (first, last *analysis.Event, ok bool) {
	from := p.List.Offset()
	to := min(from+p.List.Height(), p.Len()) - 1
	byTime := p.Sorted().Title == "" || p.Sorted().Title == titles.Time
	if to < from || !byTime || to-from+1 == p.Len() && p.Now().Of.whole() {
		return nil, nil, false
	}
	if first, last = p.Row(from), p.Row(to); first.Number > last.Number {
		first, last = last, first
	}
	return first, last, true
}

// cutsTime reports whether there are listed events beyond the first and the last at the time of these.
func (p *Events) cutsTime(rows []analysis.Event, first, last *analysis.Event) bool {
	at := func(e *analysis.Event) int {
		n, _ := slices.BinarySearchFunc(rows, e.Number, func(e analysis.Event, n uint64) int { return cmp.Compare(e.Number, n) })
		return n
	}
	before, after := at(first)-1, at(last)+1
	return before >= 0 && rows[before].Time == first.Time || after < len(rows) && rows[after].Time == last.Time
}

// Sorting implements [ui.Sorting].
func (p *Events) Sorting() (title, key string, usual bool) {
	if title, key, usual = p.Table.Sorting(); p.Sorted().Title == "" && p.Reversed() {
		title = "the newest event"
	}
	return title, key, usual
}

func (p *Events) Show(s *state.State) {
	p.State = *s
	if p.Trace == nil {
		return
	}
	p.labels.Follow(s.Filters)
	k := eventKey{revision: s.Status.Revision, over: p.over(), only: s.Only(), filter: s.Filter,
		view: eventView{s.Stacks(), p.labels, s.FullName, s.Invented(), s.NoThreads(), widget.Width(model.Group(s.Status.Events)), 0}}
	k.view.times = max(widget.Width(exactTime(s.Status.Duration)), len(titles.Time)+1)
	if s.At != p.at {
		p.at, p.goes = s.At, true
	}
	page, ok := p.pages.Get()
	if center := p.pages.Key.center; !ok || k != p.asked || p.goes && !(p.pages.Fresh() && page.holds(p.at)) {
		p.asked, k.center = k, p.at
		p.goes = true
	} else {
		k.center = center
	}
	p.ask(k)
}

// ask requests a page, and shows the newest one.
func (p *Events) ask(k eventKey) {
	p.pages.Ask(k)
	page, ok := p.pages.Get()
	if !ok || !p.Ask(page, p.State.Filter) {
		return
	}
	if p.goes && p.pages.Fresh() && p.Fresh() {
		p.goes = false
		p.selectAt()
	}
	p.explain()
}

// selectAt selects the event at the instant.
func (p *Events) selectAt() {
	at := p.Now().Of.at(p.at)
	if at < 0 {
		return
	}
	number := p.Now().Of.rows[at].Number
	for i := range p.Len() {
		if p.Row(i).Number == number {
			p.List.Select(i)
			return
		}
	}
}

// moved moves the instant to the selected event, and reads on where it is close to the end of what was read.
func (p *Events) moved() {
	e, ok := p.Selected()
	if !ok {
		return
	}
	if p.at = analysis.At(e.Time); e.Time >= p.State.Status.Duration {
		p.at = analysis.End
	}
	p.Emit(state.MoveTo{At: p.at})
	page := p.Now().Of
	k := p.pages.Key
	if k.center = (analysis.Instant{T: e.Time, Events: e.Number + 1}); p.pages.Fresh() && page.nearEdge(page.at(k.center)) {
		p.pages.Ask(k)
	}
}

// goToEnd moves the instant to the first or the last event of the range if the page does not have it.
func (p *Events) goToEnd(a keymap.Action) bool {
	over := p.over()
	switch t := p.Now(); {
	case t == nil:
		return false
	case a == keymap.First && t.Of.before && !p.Reversed(), a == keymap.Last && t.Of.before && p.Reversed():
		p.Emit(state.MoveTo{At: analysis.At(max(over.From, 0))})
	case a == keymap.Last && t.Of.after && !p.Reversed(), a == keymap.First && t.Of.after && p.Reversed():
		p.Emit(state.MoveTo{At: analysis.At(min(over.To, p.State.Status.Duration))})
	default:
		return false
	}
	return true
}

// Do implements [ui.Screen].
func (p *Events) Do(a keymap.Action) bool {
	if a == keymap.Group {
		p.Say(p.Hint("events are not grouped: {sites} shows what allocates"))
		return true
	}
	return p.goToEnd(a) || p.DoTable(a)
}

// openSite shows the site of the selected event's block.
func (p *Events) openSite() {
	e, ok := p.Selected()
	if why := p.Unopened(); !ok || why != "" {
		p.Say(why)
		return
	}
	for i, id := range p.Trace.StackIDs() {
		if id == e.Block.Stack {
			p.Visit(keymap.ShowSites, state.SetGroup{By: analysis.ByStack},
				state.SelectKey{Sel: state.Selection{By: analysis.ByStack, Key: analysis.Key(i), Stack: id, Set: true}})
			return
		}
	}
}

// Unopened implements [ui.Unopener].
func (p *Events) Unopened() string {
	if e, ok := p.Selected(); ok && !e.HasBlock() {
		return "this event has no stack"
	}
	return ""
}

// Function implements [ui.Functioner].
func (p *Events) Function() string {
	e, ok := p.Selected()
	if !ok || !e.HasBlock() {
		return ""
	}
	leaf, ok := p.State.Stacks().Node(e.Block.Stack)
	if !ok {
		return ""
	}
	return p.labels.FilterName(p.State.Stacks(), analysis.ByStack, &analysis.Site{Stack: e.Block.Stack, Node: leaf})
}

// Place implements [ui.Placer].
func (p *Events) Place() (at lines.Place, ok bool) {
	e, ok := p.Selected()
	if !ok || !e.HasBlock() {
		return at, false
	}
	return p.labels.Place(p.State.Stacks(), analysis.ByStack, e.Block.Stack, p.State.FullName)
}

// explain fills the detail pane from the selected event.
func (p *Events) explain() {
	e, ok := p.Selected()
	if !ok {
		p.Detail = ui.Detail{}
		return
	}
	p.Detail.Title = fmt.Sprintf("Event %s · %s", model.Group(e.Number), e.KindName())
	p.Detail.Answer, p.Detail.Facts, p.Detail.Parts = exactTime(e.Time), p.facts(e), nil
	if !e.HasBlock() {
		p.Detail.SetNoStack("this event has no stack")
		return
	}
	leaf, _ := p.State.Stacks().Node(e.Block.Stack)
	p.Detail.SetStack(p.State.Stacks(), e.Block.Stack, leaf, p.State.FullName)
	if p.State.Settled() && p.HasRoom() {
		p.Detail.Parts = p.parts(&p.State, &e.Block)
	}
}

// facts returns what an event does, in sentences.
func (p *Events) facts(e *analysis.Event) (facts []string) {
	bytes := p.State.Bytes
	at, thread := "", ""
	if !p.State.Invented() && e.Addr != 0 {
		at = " at " + ui.AddressText(e.Addr)
	}
	if !p.State.NoThreads() {
		thread = fmt.Sprintf(" by thread %d", e.Block.Thread)
	}
	b := &e.Block
	switch {
	case !e.HasBlock() && e.Kind == model.Free:
		return []string{"a free" + at + ": " + e.Note(bytes)}
	case !e.HasBlock():
		return []string{e.Note(bytes)}
	case e.Kind == model.Free:
		return []string{fmt.Sprintf("frees %s%s, allocated at %v%s: the block lived for %v", bytes(b.Size), at, b.Born, thread, e.Time-b.Born)}
	case b.Died == model.NoTime:
		facts = []string{fmt.Sprintf("allocates %s%s%s, never freed", bytes(b.Size), at, thread)}
	default:
		facts = []string{fmt.Sprintf("allocates %s%s%s, freed at %v after %v", bytes(b.Size), at, thread, b.Died, b.Died-b.Born)}
	}
	if e.Ended != nil {
		facts = append(facts, fmt.Sprintf("ends %s that were live there since %v: their free is not in the file", bytes(e.Ended.Size), e.Ended.Born))
	}
	return facts
}

// Draw implements tview.Primitive.
func (p *Events) Draw(s tcell.Screen) {
	body := p.DrawTitled(s, p.Rect(), p.titleText(), p.answer())
	p.Split(body)
	p.Layout(p.ListAt.W, &p.State)
	if p.Sorted().Title == "" { // in order of time
		p.List.Descending = p.Reversed()
		for i, c := range p.Columns() {
			if c.Title == titles.Time {
				p.List.SortColumn = i
			}
		}
	}
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

func (p *Events) titleText() string {
	t := "Events"
	if r := p.over(); !r.IsFull() {
		from, to := model.Ends(max(r.From, 0), min(r.To, p.State.Status.Duration), "")
		t += " from " + from + " to " + to
	}
	if p.State.Filter != "" {
		t += " · filter “" + p.State.Filter + "”"
	}
	return t
}

// answer returns how many events there are, and which of them are listed.
func (p *Events) answer() string {
	t := p.Now()
	if t == nil {
		return ""
	}
	text := model.CountedAs(t.Of.all, "event", "events")
	if n := len(t.Rows); n < t.Of.all || !t.Of.whole() {
		text = model.Group(uint64(n)) + " of " + text
	}
	if !t.Of.whole() {
		text += ", around the instant"
	}
	if !p.pages.Fresh() {
		text = "reading… " + text
	}
	return text
}

// emptyText returns why there are no rows, and what to do.
func (p *Events) emptyText() []string {
	if why := ui.Unanswered(p.pages, p.Table); why != nil {
		return why
	}
	switch t := p.Now(); {
	case t == nil || !p.pages.Fresh():
		return []string{"Reading events…"}
	case p.State.Filter != "":
		return []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	case !p.State.Cell.IsAll() || p.State.Filters != "":
		return []string{"No event in this range is about these blocks.", p.Hint("{back} removes the last filter, {clear-range} clears the range.")}
	case !p.State.Range.IsFull():
		return []string{"No event in this range.", p.Hint("{event-forward} goes to the next one, {clear-range} clears the range.")}
	case !p.State.View.IsFull():
		return []string{"No event in what the chart shows.", p.Hint("{zoom-out} zooms out, {zoom-reset} shows the complete run.")}
	case !p.State.Settled():
		return []string{"Reading: no event so far."}
	}
	return []string{"This file has no events.", "Problems lists what was found in it."}
}

func (p *Events) CopyText() string {
	e, ok := p.Selected()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s at %s: %s\n%s", e.KindName(), exactTime(e.Time), model.Clean(strings.Join(p.Detail.Sentences(p.facts(e)), "; ")), p.Detail.Text())
}
