package heap

import (
	"context"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// heapSnapshots lists every snapshot, and how the heap develops over all of them. The selection is the snapshot of all
// heap screens.
type heapSnapshots struct {
	ui.Pane
	list     widget.List
	trends   trendList
	inTrends bool
	big      bool
	listAt   widget.Rect
	rows     []snapshotRow
	sets     []int // of the schema: whose numbers are columns
	scores   *ui.Lazy[scoreKey, *scoreSet]
	unknown  *ui.Lazy[ui.HeapKey, heapgraph.Totals] // sums of a snapshot whose headers do not tell them
	hopeless map[ui.HeapKey]bool                    // what cannot be decoded
	counts   bool
	grown    bool
}

// NewSnapshots returns the list of the snapshots of the file.
func NewSnapshots(e *ui.Env) *heapSnapshots {
	p := &heapSnapshots{Pane: ui.NewPane(e), hopeless: map[ui.HeapKey]bool{}}
	p.scores = ui.NewLazy(e, fetchScores)
	p.unknown = ui.NewLazy(e, func(ctx context.Context, k ui.HeapKey) (heapgraph.Totals, error) {
		h, err := k.Heaps.Heap(ctx, k.I)
		if err != nil {
			return heapgraph.Totals{}, err
		}
		return heapgraph.Sum(h), nil
	})
	p.list = widget.List{Table: p, SortColumn: -1, Column: -1}
	p.trends.p = p
	p.trends.List = widget.List{Table: &p.trends, SortColumn: -1, Column: -1}
	return p
}

func (p *heapSnapshots) Name() string { return "Snapshots" }

func (p *heapSnapshots) Action() keymap.Action { return keymap.ShowSnapshots }

func (p *heapSnapshots) Needs() model.Facet { return model.FacetHeaps }

func (p *heapSnapshots) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeSnapshots, keymap.ScopeHeap}
}

func (p *heapSnapshots) Command() []string { return nil }

// CommandLine implements commander.
func (p *heapSnapshots) CommandLine(file []string) []string {
	return heapCommand(&p.State, "snapshots", file)
}

// Show implements screen. Nothing of it decodes a snapshot where headers tell enough.
func (p *heapSnapshots) Show(s *state.State) {
	p.State = *s
	p.rows, p.sets = snapshotRows(p.Loads, s), columnSets(schemaOf(s))
	p.askUnknown()
	p.list.Refresh()
	p.list.Select(s.Snapshot())
	if p.Heaps == nil || len(p.rows) == 0 {
		return
	}
	p.scores.Ask(scoreKey{p.Heaps, len(p.rows), p.counts})
	p.trends.rows = totalTrends(schemaOf(s), p.rows)
	if set, ok := p.scores.Get(); ok && set.heaps == p.Heaps {
		p.trends.rows = append(p.trends.rows, sortTrends(set.trends, p.grown)...)
	}
	p.trends.Refresh()
}

// askUnknown adds up one snapshot after the other where only that tells how large they are.
func (p *heapSnapshots) askUnknown() {
	if p.unknown.Fresh() && p.unknown.Err != nil {
		p.hopeless[p.unknown.Key] = true
	} else if t, ok := p.unknown.Get(); ok && p.unknown.Fresh() {
		if _, known := p.Loads.Totals[p.unknown.Key]; !known {
			p.Loads.Totals[p.unknown.Key] = t
			p.rows = snapshotRows(p.Loads, &p.State)
		}
	}
	for i := range p.rows {
		if p.rows[i].info.Bytes == model.NoCount {
			if key := (ui.HeapKey{Heaps: p.Heaps, I: i}); !p.hopeless[key] {
				p.unknown.Ask(key)
				return
			}
		}
	}
}

// The columns of the list.
const (
	snapNumber = iota
	snapGC
	snapTime
	snapBytes
	snapBar
	snapDelta
	snapCounts // the first of as many as there are sets with a column; references and the state follow
)

func (p *heapSnapshots) columns() {
	const right = widget.Right
	b := 8
	if p.State.Exact {
		b = 14
	}
	p.list.Columns = []widget.Column{
		snapNumber: {Title: "#", Width: 4, Align: right}, snapGC: {Title: "GC", Width: 5, Align: right, Drop: 5},
		snapTime: {Title: "TIME", Width: 8, Align: right, Drop: 4}, snapBytes: {Title: "BYTES", Width: b, Align: right},
		snapBar: {Title: "", Width: 6, Grow: 1, MaxWidth: 30, Drop: 6}, snapDelta: {Title: "CHANGE", Width: b + 1, Align: right, Drop: 1},
	}
	for i, set := range p.sets {
		title, drop := strings.ToUpper(schemaOf(&p.State).Sets[set].Many), 7
		if i == 0 {
			drop = 2
		}
		p.list.Columns = append(p.list.Columns, widget.Column{Title: title, Width: widget.Width(title) + 2, Align: right, Drop: drop})
	}
	p.list.Columns = append(p.list.Columns, widget.Column{Title: "REFS", Width: 10, Align: right, Drop: 8}, widget.Column{Width: 7, Drop: 3})
	known, marks := false, p.State.Compare.Marks[state.SideA].Set || p.State.Compare.Marks[state.SideB].Set
	for i := range p.rows {
		known = known || p.rows[i].info.Time != model.NoTime
		marks = marks || !p.rows[i].info.Complete
	}
	if !known { // the format has neither times nor numbers of collections
		ui.Hide(&p.list.Columns[snapTime])
		ui.Hide(&p.list.Columns[snapGC])
	}
	if !marks {
		ui.Hide(&p.list.Columns[len(p.list.Columns)-1])
	}
}

// Len, ID and Cell implement widget.Table.
func (p *heapSnapshots) Len() int { return len(p.rows) }

func (p *heapSnapshots) ID(row int) uint64 { return uint64(row) }

func (p *heapSnapshots) Cell(row, col int) widget.Cell {
	f := &p.rows[row].info
	count := func(n int64) widget.Cell {
		if n == model.NoCount {
			return widget.Cell{Text: "?", Style: p.Look.Muted}
		}
		return widget.Cell{Text: model.Group(uint64(n))}
	}
	switch col {
	case snapNumber:
		return widget.Cell{Text: fmt.Sprint(row)}
	case snapGC:
		return count(f.GC)
	case snapTime:
		if f.Time == model.NoTime {
			return widget.Cell{}
		}
		return widget.Cell{Text: f.Time.String()}
	case snapBytes:
		if f.Bytes == model.NoCount {
			return count(f.Bytes)
		}
		return widget.Cell{Text: ui.BytesText(uint64(f.Bytes), p.State.Exact)}
	case snapBar:
		return ui.ShareCell(uint64(max(f.Bytes, 0)), p.largest())
	case snapDelta:
		return p.changeCell(row)
	}
	switch i := col - snapCounts; {
	case i < len(p.sets):
		return count(f.Count(p.sets[i]))
	case i == len(p.sets):
		return count(f.References)
	}
	return p.stateCell(row)
}

// stateCell says what is special about a snapshot.
func (p *heapSnapshots) stateCell(row int) widget.Cell {
	switch {
	case !p.rows[row].info.Complete:
		return widget.Cell{Text: p.Look.Glyphs.Warning + " cut", Style: p.Style(themes.Warning)}
	}
	for side, m := range p.State.Compare.Marks {
		if m.Set && !m.Other && m.Number == row {
			return widget.Cell{Text: p.Look.Glyphs.Marker + [2]string{" A", " B"}[side], Style: p.Look.Mark}
		}
	}
	return widget.Cell{}
}

// changeCell is how a snapshot differs from the one before.
func (p *heapSnapshots) changeCell(row int) widget.Cell {
	if row == 0 || p.rows[row].info.Bytes < 0 || p.rows[row-1].info.Bytes < 0 {
		return widget.Cell{}
	}
	return p.DeltaCell(uint64(p.rows[row-1].info.Bytes), uint64(p.rows[row].info.Bytes), func(n uint64) string { return ui.BytesText(n, p.State.Exact) })
}

func (p *heapSnapshots) largest() uint64 {
	most := int64(0)
	for i := range p.rows {
		most = max(most, p.rows[i].info.Bytes)
	}
	return uint64(most)
}

// Draw implements tview.Primitive.
func (p *heapSnapshots) Draw(s tcell.Screen) {
	r := p.Rect()
	p.listAt, p.trends.area = r, widget.Rect{}
	switch n := len(p.rows); {
	case p.big && p.inTrends || p.inTrends && r.H < ui.LowHeight:
		p.listAt, p.trends.area = widget.Rect{}, r
	case p.big || r.H < ui.LowHeight || n == 0:
	case r.W >= ui.SideWidth && n+2 > r.H/2:
		p.listAt, p.trends.area = r.CutLeft(r.W / 2)
		_, p.trends.area = p.trends.area.CutLeft(1)
	default:
		p.listAt, p.trends.area = r.CutTop(min(n+2, r.H/2))
	}
	p.list.Focused = !p.inTrends
	p.columns()
	p.list.Empty = []string{"This file holds no snapshot.", "Problems says what was found in it."}
	if !p.listAt.Empty() {
		body := p.listAt
		if body.H > 3 {
			var title widget.Rect
			title, body = body.CutTop(1)
			widget.TitleLine(s, title, p.Look, "Snapshots", p.answer())
		}
		p.list.Draw(s, body, p.Look)
	}
	p.trends.Draw(s)
}

// answer says how the heap developed.
func (p *heapSnapshots) answer() string {
	n := len(p.rows)
	if n == 0 {
		return ""
	}
	first, last := &p.rows[0].info, &p.rows[max(state.LastWhole(p.State.Heaps()), 0)].info
	text := ui.Plural(n, "snapshot", "snapshots")
	if first.Time != model.NoTime && last.Time > first.Time {
		text += " in " + (last.Time - first.Time).String()
	}
	if n > 1 && first.Bytes >= 0 && last.Bytes >= 0 {
		text += fmt.Sprintf(" · %s %s %s", ui.BytesText(uint64(first.Bytes), p.State.Exact), p.Look.Glyphs.ArrowRight, ui.BytesText(uint64(last.Bytes), p.State.Exact))
	}
	if at := state.Largest(p.State.Heaps()); n > 2 && at != state.LastWhole(p.State.Heaps()) {
		text += fmt.Sprintf(" · largest #%d", at)
	}
	return text
}

// Do implements screen.
func (p *heapSnapshots) Do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane, keymap.PreviousPane:
		p.inTrends = !p.inTrends
	case keymap.Maximise:
		p.big = !p.big
	case keymap.Back:
		if !p.big && !p.inTrends {
			return false
		}
		p.big, p.inTrends = false, false
	case keymap.Open:
		p.openTypes()
	case keymap.Series:
		p.counts = !p.counts
		p.Changed()
	case keymap.Sort:
		p.grown = !p.grown
		p.Changed()
	default:
		if p.inTrends {
			return ui.MoveList(&p.trends.List, a)
		}
		if !ui.MoveList(&p.list, a) {
			return false
		}
		p.moved()
	}
	return true
}

// moved makes the selected snapshot that of every screen.
func (p *heapSnapshots) moved() {
	if row, ok := p.list.Selected(); ok {
		p.Emit(state.SetSnapshot{I: row})
	}
}

// openTypes shows the types of the snapshot, or what the selected trend is about.
func (p *heapSnapshots) openTypes() {
	to := keymap.ShowTypes
	if t, ok := p.trends.selected(); ok && p.inTrends && !t.total {
		name := t.name
		if t.frame {
			to = keymap.ShowFrames
			name = model.Clean(name)
		}
		p.Visit(to, state.SetFilter{Text: ui.FilterFor(name)})
		return
	}
	p.Open(to)
}

func (p *heapSnapshots) CopyText() string {
	row, ok := p.list.Selected()
	if !ok {
		return ""
	}
	f := &p.rows[row].info
	text := fmt.Sprintf("snapshot #%d: GC %d, %v, %d bytes", row, f.GC, f.Time, f.Bytes)
	for _, i := range p.sets {
		text += fmt.Sprintf(", %d %s", f.Count(i), schemaOf(&p.State).Sets[i].Many)
	}
	return text + fmt.Sprintf(", %d references", f.References)
}

// Click implements clicker.
func (p *heapSnapshots) Click(x, y int, double bool) {
	if row, ok := p.list.HitRow(x, y); ok && p.listAt.Contains(x, y) {
		p.inTrends = false
		p.list.Select(row)
		p.moved()
	} else if row, ok := p.trends.HitRow(x, y); ok && p.trends.area.Contains(x, y) {
		p.inTrends = true
		p.trends.Select(row)
		p.Changed()
	} else {
		return
	}
	if double {
		p.openTypes()
	}
}

func (p *heapSnapshots) Drag(_, _, _, _ int, _ bool) {}

func (p *heapSnapshots) Wheel(x, y, rows int) {
	if p.trends.area.Contains(x, y) {
		p.trends.Scroll(rows)
	} else {
		p.list.Scroll(rows)
	}
	p.Changed()
}
