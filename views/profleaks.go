package views

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

// profLeaks lists the stacks of an allocation event by what is live of them at the end of the recording.
type profLeaks struct {
	pane
	table  *lazy[profLeakKey, *profLeakTable]
	list   widget.List
	detail detail
	now    *profLeakTable
	sort   int
	up     bool
	inPath bool // the stack has the keys
	listAt widget.Rect
	pathAt widget.Rect
}

type profLeakKey struct {
	of     *profFile
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

func newProfLeaks(e *env) *profLeaks {
	p := &profLeaks{pane: newPane(e)}
	p.table = newLazy(e, fetchProfLeaks)
	p.list = widget.List{Table: p, SortColumn: leakLive, Descending: true, Column: -1}
	return p
}

// fetchProfLeaks takes the stacks of which something is live.
func fetchProfLeaks(ctx context.Context, k profLeakKey) (*profLeakTable, error) {
	w := k.of.weights
	t := &profLeakTable{profLeakKey: k, frees: w.Events[k.event].TracksFrees}
	for i, name := range leakMetrics() {
		t.metrics[i], t.has[i] = k.of.metricNamed(k.event, name)
	}
	f, _ := analysis.ParseFilter(k.filter)
	view, err := k.of.views.of(ctx, k.of.profile.Stacks, k.chips, calltree.WholeStacks)
	if err != nil {
		return nil, err
	}
	kept := weights.SelectProfile(k.of.profile, k.event, 0).Filter(view)
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
		if k.filter == "" || f == nil || f.Match(k.of.texts(w.Records.Node[r])) {
			t.rows = append(t.rows, row)
		}
	}
	t.order()
	return t, nil
}

// texts is every name of a stack, for filters.
func (d *profFile) texts(leaf model.NodeID) (out filterTexts) {
	for _, f := range d.profile.Stacks.Frames(nil, leaf, maxFrames) {
		out = append(out, f.Function, f.File)
	}
	return out
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

func (p *profLeaks) name() string          { return "Leaks" }
func (p *profLeaks) action() keymap.Action { return keymap.ShowLeaks }
func (p *profLeaks) needs() model.Facet    { return model.FacetProfile }
func (p *profLeaks) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeProfile}
}

func (p *profLeaks) command() []string {
	if p.now == nil || !p.now.has[leakLive] {
		return p.prof.arguments(&p.state)
	}
	return []string{"--event", p.prof.weights.Events[p.now.event].Name, "--by", "live_bytes"}
}

// offeredFor implements offered: there is something that is live.
func (p *profLeaks) offeredFor(f *model.Profile) bool {
	if f.Weights == nil {
		return false
	}
	_, bytes := f.Weights.Metric("live_bytes")
	_, count := f.Weights.Metric("live_count")
	return bytes || count
}

func (p *profLeaks) show(s *State) {
	p.state = *s
	if p.prof == nil || len(p.prof.weights.Events) == 0 {
		return
	}
	p.table.ask(profLeakKey{p.prof, p.event(s), s.Filter, s.Chips, p.sort, p.up})
	if t, ok := p.table.get(); ok {
		p.now = t
	}
	p.list.Refresh()
	p.describe()
}

// event is the chosen event where it has live blocks, else the first that has.
func (p *profLeaks) event(s *State) uint16 {
	has := func(e uint16) bool {
		_, bytes := p.prof.metricNamed(e, "live_bytes")
		_, count := p.prof.metricNamed(e, "live_count")
		return bytes || count
	}
	chosen := p.prof.event(s)
	if has(chosen) {
		return chosen
	}
	for e := range p.prof.weights.Events {
		if has(uint16(e)) {
			return uint16(e)
		}
	}
	return chosen
}

// describe shows the stack of the selected row.
func (p *profLeaks) describe() {
	row, ok := p.list.Selected()
	if !ok || p.now == nil || row >= len(p.now.rows) {
		p.detail.setNoStack("Nothing is selected.")
		return
	}
	r := &p.now.rows[row]
	w := p.now.of.weights
	name, _ := w.Records.Name(r.record)
	p.detail.title, p.detail.answer = "Stack "+widget.Clean(name), ""
	if t := w.Records.Thread[r.record]; t != 0 {
		p.detail.answer = "thread " + widget.Clean(weights.ThreadName(&w.Threads[t]))
	}
	p.detail.facts = nil
	if r.known[leakPeak] {
		p.detail.facts = []string{"At its own peak this stack held " + bytesText(r.figures[leakPeak].Uint64(), p.state.Exact) +
			". Peaks of stacks are reached at different times: they do not add up."}
	}
	node := w.Records.Node[r.record]
	if node == 0 {
		p.detail.setNoStack("This stack has no frames.")
		return
	}
	p.detail.setStack(p.now.of.profile.Stacks, model.StackID(r.record), node, p.state.FullName)
}

func (p *profLeaks) setColumns() {
	const right = widget.Right
	b, c := amountWidth(p.state.Exact), 8
	p.list.Columns = []widget.Column{
		{Title: "LIVE", Width: b, Align: right}, {Title: "BLOCKS", Width: c, Align: right, Drop: 2},
		{Title: "ALLOC", Width: b, Align: right, Drop: 3}, {Title: "COUNT", Width: c, Align: right, Drop: 5},
		{Title: "FREED", Width: b, Align: right, Drop: 4}, {Title: "FREES", Width: c, Align: right, Drop: 6},
		{Title: "PEAK", Width: b, Align: right, Drop: 3},
		{Title: "STACK", Width: 20, Grow: 1, Cut: widget.CutScope},
	}
	for i, has := range p.now.has {
		if !has {
			hide(&p.list.Columns[i])
		}
	}
	p.list.SortColumn, p.list.Descending = p.sort, !p.up
}

// Len, ID and Cell implement widget.Table.
func (p *profLeaks) Len() int {
	if p.now == nil {
		return 0
	}
	return len(p.now.rows)
}
func (p *profLeaks) ID(row int) uint64 { return uint64(p.now.rows[row].record) }

func (p *profLeaks) Cell(row, col int) widget.Cell {
	r := &p.now.rows[row]
	if col == leakFrame {
		return widget.Cell{Text: p.label(r.record)}
	}
	if !r.known[col] {
		return widget.Cell{Text: "-", Style: p.look.Muted}
	}
	return widget.Cell{Text: unitOf(&p.now.of.weights.Metrics[p.now.metrics[col]]).text(r.figures[col], p.state.Exact)}
}

// label names a stack after the function that is not of a library.
func (p *profLeaks) label(r model.RecordID) string {
	st := p.now.of.profile.Stacks
	node := p.now.of.weights.Records.Node[r]
	if node == 0 {
		return "(no frames)"
	}
	name := frameName(st.At(st.Frame[calltree.SiteNode(st, node)]), p.state.FullName)
	if !p.state.FullName {
		name = widget.WithoutSignature(name)
	}
	return name
}

// Draw implements tview.Primitive.
func (p *profLeaks) Draw(s tcell.Screen) {
	r := p.rect()
	if p.now == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, cmp.Or(strings.Join(unanswered(p.table), " "), "Looking for what is live …"), p.look.Muted)
		return
	}
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r
	} else {
		widget.TitleLine(s, title, p.look, p.titleText(), p.answer())
	}
	p.listAt, p.pathAt = body, widget.Rect{}
	switch {
	case body.H < lowHeight-1 || len(p.now.rows) == 0:
	case body.W >= sideWidth:
		p.listAt, p.pathAt = body.CutRight(min(max(body.W*7/20, 56), 90))
		p.listAt.W--
	default:
		p.listAt, p.pathAt = body.CutBottom(detailHeight(body.H, len(p.now.rows)))
	}
	p.setColumns()
	p.list.Focused = !p.inPath
	p.list.Empty = p.emptyText()
	p.list.Draw(s, p.listAt, p.look)
	if !p.pathAt.Empty() {
		if p.pathAt.Y == p.listAt.Y {
			for y := range p.pathAt.H {
				s.Put(p.pathAt.X-1, p.pathAt.Y+y, p.look.Glyphs.Vertical, p.look.Rule)
			}
		}
		p.detail.draw(s, p.pathAt, p.look, p.inPath)
	}
}

func (p *profLeaks) titleText() string {
	t := p.now.of.eventName(p.now.event) + ": live at the end, by stack"
	if k := p.prof.key(&p.state); k.ranged || k.window != noWindow {
		t += " (whole run)"
	}
	return t
}

func (p *profLeaks) answer() string {
	if len(p.now.rows) == 0 {
		return ""
	}
	bound := ""
	if !p.now.frees {
		bound = "≤ " // nobody knows what was freed
	}
	out := fmt.Sprintf("%s%s live in %s", bound, bytesText(p.now.live.Uint64(), p.state.Exact), plural(p.now.all, "stack", "stacks"))
	if share := amountShare(p.now.live, p.now.total); share != "" {
		out += ", " + share + " of all allocated"
	}
	return out
}

func (p *profLeaks) emptyText() []string {
	if p.now.all > 0 {
		return []string{"No stack passes the filter.", "Esc shows all of them."}
	}
	if p.now.chips != "" {
		return []string{"Nothing of what the filters leave is live at the end.", "Esc takes the last one back, ; lists them."}
	}
	text := []string{p.look.Glyphs.Check + " Nothing is live at the end: all that " + p.now.of.eventName(p.now.event) + " followed was freed."}
	if len(p.now.of.weights.Events) > 1 {
		text = append(text, "c shows the next event.")
	}
	return text
}

func (p *profLeaks) do(a keymap.Action) bool {
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
		p.changed()
	case keymap.Open:
		p.enter()
	default:
		if p.inPath {
			return p.detail.move(a)
		}
		if !moveList(&p.list, a) {
			return false
		}
		p.describe()
	}
	return true
}

// sortBy sorts by a figure that the event has.
func (p *profLeaks) sortBy(col int) {
	if p.now == nil {
		return
	}
	skip := func(c int) bool { return c < leakFigures && !p.now.has[c] }
	p.sort, p.up = skipColumns(p.sort, max(col, 0), leakFigures, skip), false
	p.changed()
}

// function implements functioner: it is the one that the selected row is named after.
func (p *profLeaks) function() string {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return ""
	}
	st := p.now.of.profile.Stacks
	return st.At(st.Frame[calltree.SiteNode(st, p.now.of.weights.Records.Node[p.now.rows[row].record])]).Function
}

func (p *profLeaks) follows() string { return "" }

// enter shows the stacks of the function that the selected row is named after.
func (p *profLeaks) enter() {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return
	}
	st := p.now.of.profile.Stacks
	node := p.now.of.weights.Records.Node[p.now.rows[row].record]
	if node == 0 {
		p.say("this stack has no frames")
		return
	}
	if f := st.At(st.Frame[calltree.SiteNode(st, node)]).Function; f != "" {
		p.visit(keymap.ShowStacks, seek{f})
		p.emit(chooseEvent{int(p.now.event)})
		if p.now.has[leakLive] {
			p.emit(chooseMetric{int(p.now.metrics[leakLive])})
		}
	}
}

func (p *profLeaks) copyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return ""
	}
	return widget.Clean(fmt.Sprintf("%s live  %s", p.now.rows[row].figures[leakLive], p.label(p.now.rows[row].record))) + "\n" + p.detail.text()
}

// click implements clicker.
func (p *profLeaks) click(x, y int, double bool) {
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

func (p *profLeaks) drag(_, _, _, _ int, _ bool) {}
func (p *profLeaks) wheel(x, y, rows int) {
	if p.pathAt.Contains(x, y) {
		p.detail.scroll(rows)
		return
	}
	p.list.Scroll(rows)
}
