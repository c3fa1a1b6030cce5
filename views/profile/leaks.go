package profile

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// leakMetric is a figure of allocation events: its column, and its name in filters.
type leakMetric struct {
	metric, title, field string
	most, drop           int // cells at most, 0 for no limit; as of ui.Column
}

// leakMetrics returns the figures of allocation events, in the order of the columns.
func leakMetrics() [leakFigures]leakMetric {
	return [...]leakMetric{
		{"live_bytes", titles.Live, "live", 0, 0}, {"live_count", titles.Blocks, "blocks", leakCounts, 2},
		{"alloc_bytes", titles.Allocated, "alloc", 0, 3}, {"alloc_count", titles.Allocs, "count", leakCounts, 5},
		{"free_bytes", titles.Freed, "freed", 0, 4}, {"free_count", titles.Frees, "frees", leakCounts, 6},
		{"peak_bytes", titles.Peak, "peak", 0, 3},
		{"reads", titles.Reads, "reads", 0, 7}, {"writes", titles.Writes, "writes", 0, 8},
		{"lifetime_mean", titles.Lifetime, "lifetime", 0, 9},
	}
}

// Figures by their place in leakMetrics.
const (
	leakLive    = 0
	leakBlocks  = 1
	leakAlloc   = 2
	leakPeak    = 6
	leakMean    = 9
	leakFigures = 10
	leakCounts  = 8 // cells of those that are no bytes
)

// Leaks lists the stacks of an allocation event by what is live of them at the end of the recording.
type Leaks struct {
	ui.TablePane
	*ui.Table[*leakTable, leak]
	found *ui.Lazy[leakKey, *leakTable]
}

type leakKey struct {
	of      *ui.ProfileFile
	event   uint16
	filters calltree.Filter
	full    bool // names are not shortened
}

// leakTable is the stacks of an event with their figures. Read-only once made.
type leakTable struct {
	leakKey
	metrics [leakFigures]model.MetricID
	has     [leakFigures]bool
	rows    []leak
	sums    [leakFigures]model.Amount // of the rows
	total   model.Amount              // allocated in all
	frees   bool                      // the event follows frees
}

type leak struct {
	record  model.RecordID
	figures [leakFigures]model.Amount
	known   [leakFigures]bool
}

// NewLeaks returns the screen of what a stack profile counts as live.
func NewLeaks(e *ui.Env) *Leaks {
	p := &Leaks{TablePane: ui.NewTablePane(e)}
	p.found = ui.NewLazy(e, findLeaks)
	p.Table = ui.NewTable(e, &p.ListPane, &leakTable{}, ui.Spec[*leakTable, leak]{
		Rows:    func(t *leakTable) []leak { return t.rows },
		Columns: (*leakTable).columns,
		ID:      func(_ *leakTable, r *leak) uint64 { return uint64(r.record) },
		Words: func(t *leakTable) func(*leak) []string {
			return func(r *leak) []string { return t.of.Texts(t.of.Weights.Records.Node[r.record]) }
		},
		Last: func(a, b *leak) int { return b.figures[leakLive].Compare(a.figures[leakLive]) },
	})
	p.Enter, p.Moved = p.enter, p.describe
	return p
}

// columns returns the columns of the table: live memory and the other figures of the event, then the function that the
// stack is named after.
func (t *leakTable) columns() (cols []ui.Column[leak]) {
	for i, m := range leakMetrics() {
		if !t.has[i] && i != leakLive { // which the order begins with
			continue
		}
		c := ui.Column[leak]{Title: m.title, Key: m.metric, Fields: []string{m.field}, Figure: ui.AmountFigure,
			MaxWidth: m.most, Drop: m.drop, Hidden: !t.has[i],
			Amounts: func(r *leak) [2]model.Amount { return [2]model.Amount{r.figures[i]} },
			Known:   func(r *leak) bool { return r.known[i] }}
		if t.has[i] {
			c.Unit = ui.UnitOf(t.of.Weights, t.event, t.metrics[i])
		}
		if i != leakPeak && i != leakMean { // these do not add up
			c.Share = func(r *leak) float64 { return float64(r.figures[i].ShareOf(t.sums[i])) }
		}
		cols = append(cols, c)
	}
	return append(cols,
		ui.Column[leak]{Title: titles.Stack, Width: 20, Grow: 3, Cut: widget.CutScope, Text: t.label},
		ui.Column[leak]{Title: titles.Where, Width: 14, Grow: 1, MaxWidth: 30, Drop: 4, Cut: widget.CutFolder, Muted: true, Text: t.where})
}

// where returns the place of the function that a stack is named after. It distinguishes stacks of the same name.
func (t *leakTable) where(r *leak) string {
	st, node := t.of.Profile.Stacks, t.of.Weights.Records.Node[r.record]
	if node == 0 {
		return ""
	}
	return calltree.Where(st.At(st.Frame[calltree.SiteNode(st, node)]))
}

// findLeaks returns the stacks with live memory.
func findLeaks(ctx context.Context, k leakKey) (*leakTable, error) {
	w := k.of.Weights
	t := &leakTable{leakKey: k, frees: w.Events[k.event].TracksFrees}
	for i, m := range leakMetrics() {
		t.metrics[i], t.has[i] = k.of.MetricNamed(k.event, m.metric)
	}
	view, err := k.of.Views.Of(ctx, k.of.Profile.Stacks, k.filters, calltree.FullStacks)
	if err != nil {
		return nil, err
	}
	kept := weights.SelectProfile(k.of.Profile, k.event, 0).Filter(view)
	for r, e := range w.Records.Event {
		if r&4095 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e == k.event && kept.Keeps(model.RecordID(r)) {
			t.add(r)
		}
	}
	return t, nil
}

// add adds the stack of a record if it has live memory.
func (t *leakTable) add(r int) {
	row := leak{record: model.RecordID(r)}
	for i, m := range t.metrics {
		if n, ok := t.of.Weights.Records.Weights.Get(r, m); ok && t.has[i] {
			row.known[i] = true
			row.figures[i].Add(n)
		}
	}
	t.total.Sum(row.figures[leakAlloc])
	if row.figures[leakLive].IsZero() && row.figures[leakBlocks].IsZero() {
		return
	}
	for i := range t.sums {
		t.sums[i].Sum(row.figures[i])
	}
	t.rows = append(t.rows, row)
}

// Name implements [ui.Screen]. That memory is live, possibly in a running program, does not mean that it leaks.
func (p *Leaks) Name() string { return "Live memory" }

func (p *Leaks) Action() keymap.Action { return keymap.ShowLeaks }

func (p *Leaks) Needs() model.Facet { return model.FacetProfile }

func (p *Leaks) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeProfile}
}

func (p *Leaks) Command() []string {
	t := p.Now()
	if t == nil || !t.Of.has[leakLive] {
		return p.Prof.Arguments(&p.State)
	}
	by := "live_bytes"
	if p.Sorted().Key == "live_count" { // by any other figure, stacks without live memory would be in between
		by = "live_count"
	}
	if m, ok := weights.Named(p.Prof.Weights, by); ok { // which may have another name in the file
		by = p.Prof.Weights.Metrics[m].Name
	}
	return (&state.Question{Table: "top", Event: p.Prof.Weights.Events[t.Of.event].Name, By: by}).Args()
}

// OfferedFor implements offered: the profile has live memory.
func (p *Leaks) OfferedFor(f *model.Profile) bool {
	if f.Weights == nil {
		return false
	}
	_, bytes := weights.Named(f.Weights, "live_bytes")
	_, count := weights.Named(f.Weights, "live_count")
	return bytes || count
}

func (p *Leaks) Show(s *state.State) {
	p.State = *s
	if p.Prof == nil || len(p.Prof.Weights.Events) == 0 {
		return
	}
	p.found.Ask(leakKey{p.Prof, p.Event(s), s.Filters, s.FullName})
	if t, ok := p.found.Get(); ok {
		p.Ask(t, s.Filter)
	}
	p.describe()
}

// Event returns the chosen event where it has live blocks, else the first that has.
func (p *Leaks) Event(s *state.State) uint16 {
	has := func(e uint16) bool {
		_, bytes := p.Prof.MetricNamed(e, "live_bytes")
		_, count := p.Prof.MetricNamed(e, "live_count")
		return bytes || count
	}
	chosen := p.Prof.Event(s)
	if has(chosen) {
		return chosen
	}
	for e := range p.Prof.Weights.Events {
		if has(uint16(e)) {
			return uint16(e)
		}
	}
	return chosen
}

// describe shows the stack of the selected row.
func (p *Leaks) describe() {
	r, ok := p.Selected()
	if !ok {
		p.Detail.SetNoStack("Nothing is selected.")
		return
	}
	of := p.Now().Of.of
	w := of.Weights
	name, _ := w.Records.Name(r.record)
	p.Detail.Title, p.Detail.Answer = strings.TrimSpace("Stack "+widget.Clean(name)), ""
	if t := w.Records.Thread[r.record]; t != 0 {
		p.Detail.Answer = "thread " + widget.Clean(weights.ThreadName(&w.Threads[t]))
	}
	p.Detail.Facts = nil
	if r.known[leakPeak] {
		p.Detail.Facts = []string{"At its own peak this stack held " + ui.BytesText(r.figures[leakPeak].Uint64(), p.State.Exact) +
			". Peaks of stacks are reached at different times: they do not add up."}
	}
	if labels := w.LabelsOf(r.record); len(labels) > 0 {
		p.Detail.Facts = append(p.Detail.Facts, "Labels: "+widget.Clean(model.LabelText(labels))+".")
	}
	node := w.Records.Node[r.record]
	if node == 0 {
		p.Detail.SetNoStack("This stack has no frames.")
		return
	}
	p.Detail.SetStack(of.Profile.Stacks, model.StackID(r.record), node, p.State.FullName)
}

// label returns the name of a stack after the function that is not of a library.
func (t *leakTable) label(r *leak) string {
	st := t.of.Profile.Stacks
	node := t.of.Weights.Records.Node[r.record]
	if node == 0 {
		return "(no frames)"
	}
	name := ui.FrameName(st.At(st.Frame[calltree.SiteNode(st, node)]), t.full)
	if !t.full {
		name = funcname.WithoutSignature(name)
	}
	return name
}

// Draw implements tview.Primitive.
func (p *Leaks) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Now() == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, cmp.Or(strings.Join(ui.Unanswered(p.found), " "), "Searching for live memory …"), p.Look.Muted)
		return
	}
	body := p.DrawTitled(s, r, p.titleText(), p.answer())
	p.Split(body)
	p.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

func (p *Leaks) titleText() string {
	d := p.Now().Of
	t := d.of.EventName(d.event) + " live at the end"
	if k := p.Prof.Key(&p.State); k.Ranged || k.Window != state.NoWindow {
		t += " (whole run)"
	}
	return t
}

func (p *Leaks) answer() string {
	t := p.Now().Of
	if p.Len() == 0 {
		return ""
	}
	bound := ""
	if !t.frees {
		bound = "≤ " // frees are unknown
	}
	unit := ui.UnitOf(t.of.Weights, t.event, t.metrics[leakLive])
	out := fmt.Sprintf("%s%s live in %s", bound, unit.Text(t.sums[leakLive], p.State.Exact),
		model.Counted(len(t.rows), "stack"))
	if share := ui.AmountShare(t.sums[leakLive], t.total); share != "" {
		out += ", " + share + " of all allocated"
	}
	return out
}

func (p *Leaks) emptyText() []string {
	t := p.Now().Of
	if len(t.rows) > 0 {
		return []string{"No matches.", p.Hint("{back} shows all of them.")}
	}
	if t.filters != "" {
		return []string{"Nothing of what the filters leave is live at the end.",
			p.Hint("{back} removes the last one, {filters} lists them.")}
	}
	text := []string{p.Look.Glyphs.Check + " Nothing is live at the end: all that " + t.of.EventName(t.event) + " followed was freed."}
	if len(t.of.Weights.Events) > 1 {
		text = append(text, p.Hint("{profile.cost} shows the next event."))
	}
	return text
}

func (p *Leaks) Do(a keymap.Action) bool { return p.DoTable(a) }

// site returns the frame that the stack of the selected row is named after.
func (p *Leaks) site() (f model.Frame, ok bool) {
	r, ok := p.Selected()
	if !ok {
		return f, false
	}
	of := p.Now().Of.of
	node := of.Weights.Records.Node[r.record]
	st := of.Profile.Stacks
	return st.At(st.Frame[calltree.SiteNode(st, node)]), node != 0
}

// Function implements [ui.Functioner]. It returns the function that the selected row is named after.
func (p *Leaks) Function() string {
	f, _ := p.site()
	return f.Function
}

// Place implements [ui.Placer].
func (p *Leaks) Place() (at lines.Place, ok bool) {
	r, ok := p.Selected()
	if !ok {
		return at, false
	}
	of := p.Now().Of.of
	return ui.PlaceOfNode(of.Profile.Stacks, of.Weights.Records.Node[r.record])
}

func (p *Leaks) Follows() string { return "" }

// Useless implements [ui.Refuser]: the rows are stacks, whatever others group by.
func (p *Leaks) Useless(a keymap.Action) bool { return a == keymap.Group }

// Unopened implements [ui.Unopener].
func (p *Leaks) Unopened() string {
	if _, ok := p.site(); !ok && p.Len() > 0 {
		return "this stack has no frames"
	}
	return ""
}

// enter shows the stacks of the function that the selected row is named after.
func (p *Leaks) enter() {
	f, ok := p.site()
	switch t := p.Now(); {
	case p.Len() == 0:
	case !ok:
		p.Say(p.Unopened())
	case f.Function != "":
		p.Visit(keymap.ShowStacks, state.Seek{Name: f.Function})
		p.Emit(state.ChooseEvent{Event: int(t.Of.event)})
		if t.Of.has[leakLive] {
			p.Emit(state.ChooseMetric{Metric: int(t.Of.metrics[leakLive])})
		}
	}
}

func (p *Leaks) CopyText() string {
	r, ok := p.Selected()
	if !ok {
		return ""
	}
	return widget.Clean(fmt.Sprintf("%s live  %s", r.figures[leakLive], p.Now().Of.label(r))) + "\n" + p.Detail.Text()
}

// Difference implements [ui.Differing].
func (p *Leaks) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Rows: ui.DiffLeaked})
}
