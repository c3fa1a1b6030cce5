package profile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// leakMetrics are the figures of allocation events, in the order of the columns.
func leakMetrics() []string {
	return []string{"live_bytes", "live_count", "alloc_bytes", "alloc_count", "free_bytes", "free_count", "peak_bytes"}
}

// The first column, and the one of names; the figures stand between them.
const (
	leakLive    = 0
	leakPeak    = 6
	leakFrame   = 7
	leakFigures = 7
)

// ProfLeaks lists the stacks of an allocation event by what is live of them at the end of the recording.
type ProfLeaks struct {
	ui.Pane
	table  *ui.Lazy[profLeakKey, *profLeakTable]
	list   widget.List
	detail ui.Detail
	now    *profLeakTable
	sort   int
	up     bool
	inPath bool // the stack has the keys
	listAt widget.Rect
	pathAt widget.Rect
}

type profLeakKey struct {
	of     *ui.ProfFile
	event  uint16
	filter string
	chips  calltree.StackFilter
	sort   int
	up     bool
}

// profLeakTable is the stacks of an event with their figures. Read-only once made.
type profLeakTable struct {
	profLeakKey
	metrics [leakFigures]model.MetricID
	has     [leakFigures]bool
	rows    []profLeak
	all     int
	live    model.Amount // of all rows
	total   model.Amount
	frees   bool // the event follows frees
}

type profLeak struct {
	record  model.RecordID
	figures [leakFigures]model.Amount
	known   [leakFigures]bool
}

// NewLeaks returns the screen of what a stack profile counts as leaked.
func NewLeaks(e *ui.Env) *ProfLeaks {
	p := &ProfLeaks{Pane: ui.NewPane(e)}
	p.table = ui.NewLazy(e, fetchProfLeaks)
	p.list = widget.List{Table: p, SortColumn: leakLive, Descending: true, Column: -1}
	return p
}

// fetchProfLeaks takes the stacks of which something is live.
func fetchProfLeaks(ctx context.Context, k profLeakKey) (*profLeakTable, error) {
	w := k.of.Weights
	t := &profLeakTable{profLeakKey: k, frees: w.Events[k.event].TracksFrees}
	for i, name := range leakMetrics() {
		t.metrics[i], t.has[i] = k.of.MetricNamed(k.event, name)
	}
	f, _ := analysis.ParseFilter(k.filter)
	view, err := k.of.Views.Of(ctx, k.of.Profile.Stacks, k.chips, calltree.WholeStacks)
	if err != nil {
		return nil, err
	}
	kept := weights.SelectProfile(k.of.Profile, k.event, 0).Filter(view)
	for r, e := range w.Records.Event {
		if r&4095 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if e != k.event || !kept.Keeps(model.RecordID(r)) {
			continue
		}
		row := profLeak{record: model.RecordID(r)}
		for i, m := range t.metrics {
			if t.has[i] {
				if n, ok := w.Records.Weights.Get(r, m); ok {
					row.known[i] = true
					row.figures[i].Add(n)
				}
			}
		}
		t.total.Sum(row.figures[2])
		if row.figures[leakLive].IsZero() && row.figures[leakLive+1].IsZero() {
			continue
		}
		t.live.Sum(row.figures[leakLive])
		t.all++
		if k.filter == "" || f == nil || f.Match(k.of.Texts(w.Records.Node[r])) {
			t.rows = append(t.rows, row)
		}
	}
	t.order()
	return t, nil
}

func (t *profLeakTable) order() {
	sign := -1
	if t.up {
		sign = 1
	}
	slices.SortFunc(t.rows, func(a, b profLeak) int {
		by := min(t.sort, leakPeak)
		return cmp.Or(sign*a.figures[by].Compare(b.figures[by]), b.figures[leakLive].Compare(a.figures[leakLive]), cmp.Compare(a.record, b.record))
	})
}

func (p *ProfLeaks) Name() string { return "Leaks" }

func (p *ProfLeaks) Action() keymap.Action { return keymap.ShowLeaks }

func (p *ProfLeaks) Needs() model.Facet { return model.FacetProfile }

func (p *ProfLeaks) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeProfile}
}

func (p *ProfLeaks) Command() []string {
	if p.now == nil || !p.now.has[leakLive] {
		return p.Prof.Arguments(&p.State)
	}
	return (&state.Question{Event: p.Prof.Weights.Events[p.now.event].Name, By: "live_bytes"}).Args()
}

// OfferedFor implements offered: there is something that is live.
func (p *ProfLeaks) OfferedFor(f *model.Profile) bool {
	if f.Weights == nil {
		return false
	}
	_, bytes := f.Weights.Metric("live_bytes")
	_, count := f.Weights.Metric("live_count")
	return bytes || count
}

func (p *ProfLeaks) Show(s *state.State) {
	p.State = *s
	if p.Prof == nil || len(p.Prof.Weights.Events) == 0 {
		return
	}
	p.table.Ask(profLeakKey{p.Prof, p.Event(s), s.Filter, s.Chips, p.sort, p.up})
	if t, ok := p.table.Get(); ok {
		p.now = t
	}
	p.list.Refresh()
	p.describe()
}

// Event is the chosen event where it has live blocks, else the first that has.
func (p *ProfLeaks) Event(s *state.State) uint16 {
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
func (p *ProfLeaks) describe() {
	row, ok := p.list.Selected()
	if !ok || p.now == nil || row >= len(p.now.rows) {
		p.detail.SetNoStack("Nothing is selected.")
		return
	}
	r := &p.now.rows[row]
	w := p.now.of.Weights
	name, _ := w.Records.Name(r.record)
	p.detail.Title, p.detail.Answer = "Stack "+widget.Clean(name), ""
	if t := w.Records.Thread[r.record]; t != 0 {
		p.detail.Answer = "thread " + widget.Clean(weights.ThreadName(&w.Threads[t]))
	}
	p.detail.Facts = nil
	if r.known[leakPeak] {
		p.detail.Facts = []string{"At its own peak this stack held " + ui.BytesText(r.figures[leakPeak].Uint64(), p.State.Exact) +
			". Peaks of stacks are reached at different times: they do not add up."}
	}
	node := w.Records.Node[r.record]
	if node == 0 {
		p.detail.SetNoStack("This stack has no frames.")
		return
	}
	p.detail.SetStack(p.now.of.Profile.Stacks, model.StackID(r.record), node, p.State.FullName)
}

func (p *ProfLeaks) setColumns() {
	const right = widget.Right
	b, c := ui.AmountWidth(p.State.Exact), 8
	p.list.Columns = []widget.Column{
		{Title: "LIVE", Width: b, Align: right}, {Title: "BLOCKS", Width: c, Align: right, Drop: 2},
		{Title: "ALLOC", Width: b, Align: right, Drop: 3}, {Title: "COUNT", Width: c, Align: right, Drop: 5},
		{Title: "FREED", Width: b, Align: right, Drop: 4}, {Title: "FREES", Width: c, Align: right, Drop: 6},
		{Title: "PEAK", Width: b, Align: right, Drop: 3},
		{Title: "STACK", Width: 20, Grow: 1, Cut: widget.CutScope},
	}
	for i, has := range p.now.has {
		if !has {
			ui.Hide(&p.list.Columns[i])
		}
	}
	p.list.SortColumn, p.list.Descending = p.sort, !p.up
}

// Len, ID and Cell implement widget.Table.
func (p *ProfLeaks) Len() int {
	if p.now == nil {
		return 0
	}
	return len(p.now.rows)
}

func (p *ProfLeaks) ID(row int) uint64 { return uint64(p.now.rows[row].record) }

func (p *ProfLeaks) Cell(row, col int) widget.Cell {
	r := &p.now.rows[row]
	if col == leakFrame {
		return widget.Cell{Text: p.label(r.record)}
	}
	if !r.known[col] {
		return widget.Cell{Text: "-", Style: p.Look.Muted}
	}
	return widget.Cell{Text: ui.UnitOf(&p.now.of.Weights.Metrics[p.now.metrics[col]]).Text(r.figures[col], p.State.Exact)}
}

// label names a stack after the function that is not of a library.
func (p *ProfLeaks) label(r model.RecordID) string {
	st := p.now.of.Profile.Stacks
	node := p.now.of.Weights.Records.Node[r]
	if node == 0 {
		return "(no frames)"
	}
	name := ui.FrameName(st.At(st.Frame[calltree.SiteNode(st, node)]), p.State.FullName)
	if !p.State.FullName {
		name = widget.WithoutSignature(name)
	}
	return name
}

// Draw implements tview.Primitive.
func (p *ProfLeaks) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.now == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, cmp.Or(strings.Join(ui.Unanswered(p.table), " "), "Looking for what is live …"), p.Look.Muted)
		return
	}
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r
	} else {
		widget.TitleLine(s, title, p.Look, p.titleText(), p.answer())
	}
	p.listAt, p.pathAt = body, widget.Rect{}
	switch {
	case body.H < ui.LowHeight-1 || len(p.now.rows) == 0:
	case body.W >= ui.SideWidth:
		p.listAt, p.pathAt = body.CutRight(min(max(body.W*7/20, 56), 90))
		p.listAt.W--
	default:
		p.listAt, p.pathAt = body.CutBottom(ui.DetailHeight(body.H, len(p.now.rows)))
	}
	p.setColumns()
	p.list.Focused = !p.inPath
	p.list.Empty = p.emptyText()
	p.list.Draw(s, p.listAt, p.Look)
	if !p.pathAt.Empty() {
		if p.pathAt.Y == p.listAt.Y {
			for y := range p.pathAt.H {
				s.Put(p.pathAt.X-1, p.pathAt.Y+y, p.Look.Glyphs.Vertical, p.Look.Rule)
			}
		}
		p.detail.Draw(s, p.pathAt, p.Look, p.inPath)
	}
}

func (p *ProfLeaks) titleText() string {
	t := p.now.of.EventName(p.now.event) + ": live at the end, by stack"
	if k := p.Prof.Key(&p.State); k.Ranged || k.Window != state.NoWindow {
		t += " (whole run)"
	}
	return t
}

func (p *ProfLeaks) answer() string {
	if len(p.now.rows) == 0 {
		return ""
	}
	bound := ""
	if !p.now.frees {
		bound = "≤ " // nobody knows what was freed
	}
	out := fmt.Sprintf("%s%s live in %s", bound, ui.BytesText(p.now.live.Uint64(), p.State.Exact), ui.Plural(p.now.all, "stack", "stacks"))
	if share := ui.AmountShare(p.now.live, p.now.total); share != "" {
		out += ", " + share + " of all allocated"
	}
	return out
}

func (p *ProfLeaks) emptyText() []string {
	if p.now.all > 0 {
		return []string{"No stack passes the filter.", "Esc shows all of them."}
	}
	if p.now.chips != "" {
		return []string{"Nothing of what the filters leave is live at the end.", "Esc takes the last one back, ; lists them."}
	}
	text := []string{p.Look.Glyphs.Check + " Nothing is live at the end: all that " + p.now.of.EventName(p.now.event) + " followed was freed."}
	if len(p.now.of.Weights.Events) > 1 {
		text = append(text, "c shows the next event.")
	}
	return text
}

func (p *ProfLeaks) Do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane, keymap.PreviousPane:
		p.inPath = !p.inPath && !p.pathAt.Empty()
	case keymap.Back:
		if !p.inPath {
			return false
		}
		p.inPath = false
	case keymap.Sort, keymap.ColumnRight:
		p.sortBy(p.sort + 1)
	case keymap.ColumnLeft:
		p.sortBy(p.sort - 1)
	case keymap.SortReverse:
		p.up = !p.up
		p.Changed()
	case keymap.Open:
		p.enter()
	default:
		if p.inPath {
			return p.detail.Move(a)
		}
		if !ui.MoveList(&p.list, a) {
			return false
		}
		p.describe()
	}
	return true
}

// sortBy sorts by a figure that the event has.
func (p *ProfLeaks) sortBy(col int) {
	if p.now == nil {
		return
	}
	skip := func(c int) bool { return c < leakFigures && !p.now.has[c] }
	p.sort, p.up = ui.SkipColumns(p.sort, max(col, 0), leakFigures, skip), false
	p.Changed()
}

// Function implements [ui.Functioner]: it is the one that the selected row is named after.
func (p *ProfLeaks) Function() string {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return ""
	}
	st := p.now.of.Profile.Stacks
	return st.At(st.Frame[calltree.SiteNode(st, p.now.of.Weights.Records.Node[p.now.rows[row].record])]).Function
}

func (p *ProfLeaks) Follows() string { return "" }

// enter shows the stacks of the function that the selected row is named after.
func (p *ProfLeaks) enter() {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return
	}
	st := p.now.of.Profile.Stacks
	node := p.now.of.Weights.Records.Node[p.now.rows[row].record]
	if node == 0 {
		p.Say("this stack has no frames")
		return
	}
	if f := st.At(st.Frame[calltree.SiteNode(st, node)]).Function; f != "" {
		p.Visit(keymap.ShowStacks, state.Seek{Name: f})
		p.Emit(state.ChooseEvent{Event: int(p.now.event)})
		if p.now.has[leakLive] {
			p.Emit(state.ChooseMetric{Metric: int(p.now.metrics[leakLive])})
		}
	}
}

func (p *ProfLeaks) CopyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return ""
	}
	return widget.Clean(fmt.Sprintf("%s live  %s", p.now.rows[row].figures[leakLive], p.label(p.now.rows[row].record))) + "\n" + p.detail.Text()
}

// Click implements clicker.
func (p *ProfLeaks) Click(x, y int, double bool) {
	p.inPath = p.pathAt.Contains(x, y)
	if row, ok := p.list.HitRow(x, y); ok && p.listAt.Contains(x, y) {
		p.list.Select(row)
		p.describe()
		if double {
			p.enter()
		}
	} else if col, ok := p.list.HitHeader(x, y); ok && col < leakFigures {
		p.sortBy(col)
	}
}

func (p *ProfLeaks) Drag(_, _, _, _ int, _ bool) {}

func (p *ProfLeaks) Wheel(x, y, rows int) {
	if p.pathAt.Contains(x, y) {
		p.detail.Scroll(rows)
		return
	}
	p.list.Scroll(rows)
}
