package heap

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// snapshots lists all snapshots, and the development of the heap over them. The selection is the snapshot of all heap
// screens.
type snapshots struct {
	counting atomic.Bool // every snapshot is decoded to follow types
	ui.Pane
	list     ui.ListPane
	table    *ui.Table[snapData, snapshotRow]
	suspects *suspectPane
	trends   trendList
	focus    snapshotPane
	big      bool
	filter   string // of the snapshots
	set      *snapSet
	scores   *ui.Lazy[scoreKey, *scoreSet]
	unknown  *ui.Lazy[ui.HeapKey, heapgraph.Totals] // sums of a snapshot whose headers lack them
	hopeless map[ui.HeapKey]bool                    // snapshots that cannot be decoded
	counts   bool
}

// snapshotPane is a part of the screen that has the focus.
type snapshotPane uint8

const (
	onSnapshots snapshotPane = iota
	onSuspects
	onTrends
	snapshotPanes
)

// snapSet is all snapshots. Read-only once made.
type snapSet struct {
	schema  *model.HeapSchema
	rows    []snapshotRow
	sets    []int // of the schema: those with a column
	largest uint64
	timed   bool // the snapshots were taken at different times, as far as known
	counted bool // numbers of collections are known
	cut     bool // one of them is cut off
	files   bool // they are of several files
}

// snapData determines the list of snapshots.
type snapData struct {
	*snapSet
	marked bool // some are marked
}

// NewSnapshots returns the list of the snapshots of the file.
func NewSnapshots(e *ui.Env) *snapshots {
	p := &snapshots{Pane: ui.NewPane(e), hopeless: map[ui.HeapKey]bool{}}
	p.scores = ui.NewLazy(e, func(ctx context.Context, k scoreKey) (*scoreSet, error) {
		return scoreTypes(ctx, k, func() {
			p.counting.Store(true)
			e.Post(e.Changed)
		})
	})
	p.unknown = ui.NewLazy(e, func(ctx context.Context, k ui.HeapKey) (heapgraph.Totals, error) {
		h, err := k.Heaps.Heap(ctx, k.I)
		if err != nil {
			return heapgraph.Totals{}, err
		}
		return heapgraph.Sum(h), nil
	})
	p.set = &snapSet{schema: &noSchema}
	p.table = ui.NewTable(e, &p.list, snapData{snapSet: p.set}, ui.Spec[snapData, snapshotRow]{
		Rows:    func(d snapData) []snapshotRow { return d.rows },
		Columns: p.columns,
		ID:      func(_ snapData, r *snapshotRow) uint64 { return uint64(r.n) },
		First:   ui.AsGiven,
		Most:    func(d snapData) (bytes, count uint64) { return d.largest, 0 },
	})
	p.trends.p, p.suspects = p, newSuspectPane(p)
	p.trends.Table = ui.NewTable(e, &p.trends.ListPane, trendData{snaps: p.set}, p.trends.spec())
	return p
}

func (p *snapshots) Name() string { return "Snapshots" }

func (p *snapshots) Action() keymap.Action { return keymap.ShowSnapshots }

func (p *snapshots) Needs() model.Facet { return model.FacetHeaps }

func (p *snapshots) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeSnapshots, keymap.ScopeHeap, keymap.ScopeTable}
}

// Useless implements [ui.Refuser]: nothing here is grouped, no object is selected, and suspects have their order.
func (p *snapshots) Useless(a keymap.Action) bool {
	switch a {
	case keymap.Sort, keymap.SortReverse:
		return p.focus == onSuspects
	case keymap.Group, keymap.DominatorsOf, keymap.ObjectOf, keymap.OwnersOf:
		return true
	}
	return false
}

func (p *snapshots) Command() []string { return nil }

// CommandLine returns the command that lists the snapshots, or the suspects if they have the focus.
func (p *snapshots) CommandLine(file []string) []string {
	var q state.Question
	if p.focus == onSuspects {
		return command(&p.State, "suspects", q, file)
	}
	p.table.Narrow(&q, p.filter)
	return command(&p.State, "snapshots", q, file)
}

// Unprinted implements [ui.Unprinted].
func (p *snapshots) Unprinted() string {
	if p.focus == onTrends {
		return "commands list how types grew: memtui report --table trends"
	}
	return ""
}

// Show shows a state. Only the search for suspects decodes a snapshot if headers have enough.
func (p *snapshots) Show(s *state.State) {
	p.State = *s
	p.read()
	p.askUnknown()
	marks := &s.Compare.Marks
	d := snapData{p.set, p.set.cut || marks[state.SideA].Set || marks[state.SideB].Set}
	p.table.Blank = d
	p.table.Ask(d, p.filter)
	if i := s.Snapshot(); i >= 0 {
		p.list.List.SelectID(uint64(i))
	}
	if p.Heaps == nil || len(p.set.rows) == 0 {
		return
	}
	p.suspects.Show(s)
	p.scores.Ask(scoreKey{p.Heaps, len(p.set.rows), p.counts})
	t := trendData{snaps: p.set, at: s.Snapshot(), counts: p.counts, arrow: p.Look.Glyphs.ArrowRight}
	if scores, ok := p.scores.Get(); ok && scores.heaps == p.Heaps {
		if t.scores = scores; scores.none {
			t.types = p.Loads.AskTypes(s)
		}
	} else if p.counting.Load() { // what the snapshot holds is known long before how that develops
		t.types = p.Loads.AskTypes(s)
	}
	p.trends.Blank = t
	p.trends.Ask(t, s.Filter)
}

// read reads what is known of the snapshots, if that is more than before.
func (p *snapshots) read() {
	schema, rows := schemaOf(&p.State), snapshotRows(p.Loads, &p.State)
	if schema == p.set.schema && reflect.DeepEqual(rows, p.set.rows) {
		return
	}
	p.set = &snapSet{schema: schema, rows: rows, sets: columnSets(schema)}
	for i := range rows {
		f := &rows[i].info
		p.set.largest = max(p.set.largest, uint64(max(f.Bytes, 0)))
		p.set.timed = p.set.timed || f.Time > 0
		p.set.counted = p.set.counted || f.GC != model.NoCount
		p.set.cut = p.set.cut || !f.Complete
		p.set.files = p.set.files || f.File != ""
	}
}

// askUnknown sums up one snapshot after the other if their headers do not have their sizes.
func (p *snapshots) askUnknown() {
	if p.unknown.Fresh() && p.unknown.Err != nil {
		p.hopeless[p.unknown.Key] = true
	} else if t, ok := p.unknown.Get(); ok && p.unknown.Fresh() {
		if _, known := p.Loads.Totals[p.unknown.Key]; !known {
			p.Loads.Totals[p.unknown.Key] = t
			p.read()
		}
	}
	for i := range p.set.rows {
		if p.set.rows[i].info.Bytes == model.NoCount {
			if key := (ui.HeapKey{Heaps: p.Heaps, I: i}); !p.hopeless[key] {
				p.unknown.Ask(key)
				return
			}
		}
	}
}

// columns returns those of the list of snapshots.
func (p *snapshots) columns(d snapData) []ui.Column[snapshotRow] {
	type row = snapshotRow
	number := func(c ui.Column[row], of func(f *model.HeapInfo) int64) ui.Column[row] {
		c.Value = func(r *row) uint64 { return uint64(max(of(&r.info), 0)) }
		c.Known, c.Unknown = func(r *row) bool { return of(&r.info) != model.NoCount }, func() string { return "?" }
		return c
	}
	count := func(title, key, field string, drop int, of func(f *model.HeapInfo) int64) ui.Column[row] {
		return number(ui.Column[row]{Title: title, Key: key, Fields: []string{field}, Figure: ui.CountFigure,
			Width: widget.Width(title) + 2, Drop: drop}, of)
	}
	gc := count(titles.GC, "gc", "gc", 5, func(f *model.HeapInfo) int64 { return f.GC })
	gc.Width, gc.MaxWidth, gc.Hidden = 5, 5, !d.counted
	cols := []ui.Column[row]{
		{Title: titles.Number, Key: "index", Width: 4, Right: true, Value: func(r *row) uint64 { return uint64(r.n) },
			Text: func(r *row) string { return fmt.Sprint(r.n) }},
		gc,
		{Title: titles.Time, Key: "time_us", Fields: []string{"time"}, Figure: ui.TimeFigure, Width: 8, Drop: 4, Hidden: !d.timed,
			Known: func(r *row) bool { return r.info.Time != model.NoTime },
			Value: func(r *row) uint64 { return uint64(max(r.info.Time, 0)) }},
		number(ui.Column[row]{Title: titles.Bytes, Key: "bytes", Fields: []string{"bytes", "size"},
			Figure: ui.BytesFigure, Total: d.largest}, func(f *model.HeapInfo) int64 { return f.Bytes }),
		{Width: 6, Grow: 1, MaxWidth: 30, Drop: 6, Like: titles.Bytes,
			Cell: func(r *row) widget.Cell { return ui.ShareCell(uint64(max(r.info.Bytes, 0)), d.largest) }},
		{Title: titles.Change, Fields: []string{"change"}, Figure: ui.BytesFigure, Width: 9, Drop: 1, Known: (*row).compared,
			Rank: func(r *row) uint64 { return ui.Sortable(r.change()) }, Number: (*row).change, Cell: p.changeCell},
	}
	for n, i := range d.sets {
		drop := 7
		if n == 0 {
			drop = 2
		}
		many := d.schema.Sets[i].Many
		cols = append(cols, count(strings.ToUpper(many), d.schema.Sets[i].Key,
			strings.ReplaceAll(strings.ToLower(many), " ", ""), drop, func(f *model.HeapInfo) int64 { return f.Count(i) }))
	}
	refs := count(titles.References, "references", "references", 8, func(f *model.HeapInfo) int64 { return f.References })
	refs.Width, refs.Fields = 10, append(refs.Fields, "refs")
	file := ui.Column[row]{Title: titles.File, Key: "file", Width: 10, Grow: 2, MaxWidth: 40, Hidden: !d.files,
		Cut: widget.CutMiddle, Text: func(r *row) string { return r.info.File }}
	return append(cols, refs, file, ui.Column[row]{Width: 7, Drop: 3, Hidden: !d.marked, Cell: p.stateCell})
}

// stateCell returns the marks and defects of a snapshot.
func (p *snapshots) stateCell(r *snapshotRow) widget.Cell {
	if !r.info.Complete {
		return widget.Cell{Text: p.Look.Glyphs.Warning + " cut", Style: p.Style(themes.Warning)}
	}
	for side, m := range p.State.Compare.Marks {
		if m.Set && !m.Other && m.Number == r.n {
			return widget.Cell{Text: p.Look.Glyphs.Marker + [2]string{" A", " B"}[side], Style: p.Look.Mark}
		}
	}
	return widget.Cell{}
}

// changeCell returns how a snapshot differs from the one before.
func (p *snapshots) changeCell(r *snapshotRow) widget.Cell {
	if !r.compared() {
		return widget.Cell{}
	}
	return p.DeltaCell(uint64(r.before), uint64(r.info.Bytes), func(n uint64) string { return ui.BytesText(n, p.State.Exact) })
}

// layout divides the screen: the list of snapshots, the suspects, and below, or at the right on wide screens with many
// snapshots, the trends.
func (p *snapshots) layout() {
	r, n := p.Rect(), len(p.set.rows)
	p.list.ListAt, p.trends.ListAt = r, widget.Rect{}
	p.suspects.Place(widget.Rect{})
	if p.big || r.H < ui.LowHeight || n == 0 {
		if p.focus != onSnapshots && n > 0 {
			p.list.ListAt = widget.Rect{}
			if p.focus == onSuspects {
				p.suspects.Place(r)
			} else {
				p.trends.ListAt = r
			}
		}
		return
	}
	var rest widget.Rect
	if r.W >= ui.SideWidth && n+2 > r.H/2 {
		p.list.ListAt, rest = r.CutLeft(r.W / 2)
		_, rest = rest.CutLeft(1)
	} else {
		p.list.ListAt, rest = r.CutTop(min(n+2, r.H/2))
	}
	rest, p.trends.ListAt = rest.CutTop(p.suspects.height(rest.W, rest.H/2))
	p.suspects.Place(rest)
}

// Draw implements tview.Primitive.
func (p *snapshots) Draw(s tcell.Screen) {
	p.layout()
	p.table.Layout(p.list.ListAt.W, &p.State)
	l := &p.list.List
	l.Focused, l.Highlight = p.focus == onSnapshots, ""
	l.Empty = []string{"This file has no snapshot.", "Problems lists what was found in it."}
	if p.filter != "" && len(p.set.rows) > 0 {
		l.Empty = []string{"No matches for “" + p.filter + "”.", p.FilterHint()}
	}
	if !p.list.ListAt.Empty() {
		body := p.list.ListAt
		if body.H > 3 {
			var title widget.Rect
			title, body = body.CutTop(1)
			widget.TitleLine(s, title, p.Look, filteredTitle("Snapshots", p.filter), p.answer())
		}
		l.Draw(s, body, p.Look)
	}
	p.suspects.Draw(s, p.focus == onSuspects)
	p.trends.Draw(s)
}

// answer returns how the heap developed.
func (p *snapshots) answer() string {
	n := len(p.set.rows)
	if n == 0 {
		return ""
	}
	first, last := &p.set.rows[0].info, &p.set.rows[max(state.LastComplete(p.State.Heaps()), 0)].info
	text := model.Counted(n, "snapshot")
	if first.Time != model.NoTime && last.Time > first.Time {
		text += " in " + (last.Time - first.Time).String()
	}
	if n > 1 && first.Bytes >= 0 && last.Bytes >= 0 {
		text += fmt.Sprintf(" · %s %s %s", ui.BytesText(uint64(first.Bytes), p.State.Exact), p.Look.Glyphs.ArrowRight,
			ui.BytesText(uint64(last.Bytes), p.State.Exact))
	}
	if at := state.Largest(p.State.Heaps()); n > 2 && at != state.LastComplete(p.State.Heaps()) {
		text += fmt.Sprintf(" · largest #%d", at)
	}
	return text
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *snapshots) Do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane:
		p.focus = (p.focus + 1) % snapshotPanes
	case keymap.PreviousPane:
		p.focus = (p.focus + snapshotPanes - 1) % snapshotPanes
	case keymap.Maximize:
		p.big = !p.big
	case keymap.Back:
		return p.back()
	case keymap.Open:
		p.openTypes()
	case keymap.Series:
		p.counts = !p.counts
		p.Changed()
	default:
		switch p.focus {
		case onTrends:
			return p.trends.OrderBy(a) || ui.MoveList(&p.trends.List, a)
		case onSuspects:
			done := p.suspects.Do(a)
			p.Changed()
			return done
		}
		if p.table.OrderBy(a) {
			return true
		}
		if !ui.MoveList(&p.list.List, a) {
			return false
		}
		p.moved()
	}
	return true
}

// FocusedList implements [ui.Lister].
func (p *snapshots) FocusedList() *widget.List {
	switch p.focus {
	case onTrends:
		return &p.trends.List
	case onSuspects:
		return nil
	}
	return &p.list.List
}

// Hides implements [ui.Maximizer].
func (p *snapshots) Hides() string {
	if !p.big {
		return ""
	}
	return [...]string{onSnapshots: "suspects and trends", onSuspects: "snapshots and trends", onTrends: "snapshots and suspects"}[p.focus]
}

// back leaves the trends, then clears the filter of the snapshots.
func (p *snapshots) back() bool {
	switch {
	case p.big || p.focus != onSnapshots:
		p.big, p.focus = false, onSnapshots
	case p.filter != "":
		p.filter = ""
		p.Changed()
	default:
		return false
	}
	return true
}

// Fields implements [ui.Filtered].
func (p *snapshots) Fields() []analysis.Field {
	if p.focus == onTrends {
		return p.trends.Fields()
	}
	return p.table.Fields()
}

// SearchText and Search implement [ui.Searcher]: the list of snapshots has a filter of its own, that of trends is
// shared with all tables of the heap.
func (p *snapshots) SearchText() string {
	if p.focus == onTrends {
		return p.State.Filter
	}
	return p.filter
}

func (p *snapshots) Search(text string) {
	if p.focus == onTrends {
		p.Emit(state.SetFilter{Text: text})
		return
	}
	p.filter = text
	p.Changed()
}

// moved makes the selected snapshot the current one of every screen.
func (p *snapshots) moved() {
	if r, ok := p.table.Selected(); ok {
		p.Emit(state.SetSnapshot{I: r.n})
	}
}

// filteredTitle returns a title with the filter of what is below it.
func filteredTitle(title, filter string) string {
	if filter == "" {
		return title
	}
	return title + " · filter “" + filter + "”"
}

// openTypes shows the types of the snapshot, or what the selected suspect or trend leads to.
func (p *snapshots) openTypes() {
	if p.focus == onSuspects {
		p.suspects.follow()
		return
	}
	to := keymap.ShowTypes
	if t, ok := p.trends.Selected(); ok && p.focus == onTrends && !t.total {
		name := t.name
		if t.frame {
			to = keymap.ShowFrames
			name = model.Clean(name)
		}
		p.Visit(to, state.ListGroups{Text: ui.FilterFor(name)})
		return
	}
	p.Open(to)
}

func (p *snapshots) CopyText() string {
	switch p.focus {
	case onTrends:
		return p.trends.copyText()
	case onSuspects:
		return p.suspects.copyText()
	}
	r, ok := p.table.Selected()
	if !ok {
		return ""
	}
	f := &r.info
	text := fmt.Sprintf("snapshot #%d: ", r.n)
	if f.GC != model.NoCount {
		text += fmt.Sprintf("GC %d, ", f.GC)
	}
	if p.set.timed && f.Time != model.NoTime {
		text += f.Time.String() + ", "
	}
	figures := []string{knownFigure(f.Bytes, "bytes")}
	for _, i := range p.set.sets {
		figures = append(figures, knownFigure(f.Count(i), schemaOf(&p.State).Sets[i].Many))
	}
	return text + strings.Join(append(figures, knownFigure(f.References, "references")), ", ")
}

// knownFigure formats a figure with its unit, or a question mark if it is unknown.
func knownFigure(n int64, of string) string {
	if n == model.NoCount {
		return "? " + of
	}
	return fmt.Sprint(n, " ", of)
}

// Click implements clicker.
func (p *snapshots) Click(x, y int, double bool) {
	row := false
	switch {
	case p.list.ListAt.Contains(x, y):
		if row = p.list.Hit(x, y); row {
			p.focus = onSnapshots
			p.moved()
		}
	case p.suspects.Contains(x, y):
		if row = p.suspects.Hit(x, y); row {
			p.focus = onSuspects
			p.Changed()
		}
	case p.trends.ListAt.Contains(x, y):
		if row = p.trends.Hit(x, y); row {
			p.focus = onTrends
			p.Changed()
		}
	}
	if row && double {
		p.openTypes()
	}
}

func (p *snapshots) Drag(_, _, _, _ int, _ bool) {}

func (p *snapshots) Wheel(x, y, rows int) {
	switch {
	case p.trends.ListAt.Contains(x, y):
		p.trends.List.Scroll(rows)
	case p.suspects.Contains(x, y):
		p.suspects.Scroll(rows)
	default:
		p.list.List.Scroll(rows)
	}
	p.Changed()
}
