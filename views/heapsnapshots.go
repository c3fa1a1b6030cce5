package views

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// heapSnapshots lists every snapshot, and how the heap develops over all of them. The selection is the snapshot of all
// heap screens.
type heapSnapshots struct {
	pane
	list     widget.List
	trends   trendList
	inTrends bool
	big      bool
	listAt   widget.Rect
	rows     []snapshotRow
	scores   *lazy[scoreKey, *scoreSet]
	unknown  *lazy[heapKey, heapgraph.HeapTotals] // sums of a snapshot whose headers do not tell them
	hopeless map[heapKey]bool                     // what cannot be decoded
	counts   bool
	grown    bool
}

func newHeapSnapshots(e *env) *heapSnapshots {
	p := &heapSnapshots{pane: newPane(e), hopeless: map[heapKey]bool{}}
	p.scores = newLazy(e, fetchScores)
	p.unknown = newLazy(e, func(ctx context.Context, k heapKey) (heapgraph.HeapTotals, error) {
		h, err := k.heaps.Heap(ctx, k.i)
		if err != nil {
			return heapgraph.HeapTotals{}, err
		}
		return heapgraph.SumHeap(h), nil
	})
	p.list = widget.List{Table: p, SortColumn: -1, Column: -1}
	p.trends.p = p
	p.trends.List = widget.List{Table: &p.trends, SortColumn: -1, Column: -1}
	return p
}

func (p *heapSnapshots) name() string          { return "Snapshots" }
func (p *heapSnapshots) action() keymap.Action { return keymap.ShowSnapshots }
func (p *heapSnapshots) needs() model.Facet    { return model.FacetHeaps }
func (p *heapSnapshots) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeSnapshots, keymap.ScopeHeap}
}
func (p *heapSnapshots) command() []string { return nil }

// commandLine implements commander.
func (p *heapSnapshots) commandLine(file []string) []string {
	return heapCommand(&p.state, "snapshots", file)
}

// show implements screen. Nothing of it decodes a snapshot where headers tell enough.
func (p *heapSnapshots) show(s *State) {
	p.state = *s
	p.rows = p.loads.snapshotRows(s)
	p.askUnknown()
	p.list.Refresh()
	p.list.Select(s.snapshot())
	if p.heaps == nil || len(p.rows) == 0 {
		return
	}
	p.scores.ask(scoreKey{p.heaps, len(p.rows), p.counts})
	p.trends.rows = totalTrends(p.rows)
	if set, ok := p.scores.get(); ok && set.heaps == p.heaps {
		p.trends.rows = append(p.trends.rows, sortTrends(set.trends, p.grown)...)
	}
	p.trends.Refresh()
}

// askUnknown adds up one snapshot after the other where only that tells how large they are.
func (p *heapSnapshots) askUnknown() {
	if p.unknown.fresh() && p.unknown.err != nil {
		p.hopeless[p.unknown.key] = true
	} else if t, ok := p.unknown.get(); ok && p.unknown.fresh() {
		if _, known := p.loads.totals[p.unknown.key]; !known {
			p.loads.totals[p.unknown.key] = t
			p.rows = p.loads.snapshotRows(&p.state)
		}
	}
	for i := range p.rows {
		if p.rows[i].info.Bytes == model.NoCount {
			if key := (heapKey{p.heaps, i}); !p.hopeless[key] {
				p.unknown.ask(key)
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
	snapObjects
	snapFrames
	snapReferences
	snapState
)

func (p *heapSnapshots) columns() {
	const right = widget.Right
	b := 8
	if p.state.Exact {
		b = 14
	}
	p.list.Columns = []widget.Column{
		snapNumber: {Title: "#", Width: 4, Align: right}, snapGC: {Title: "GC", Width: 5, Align: right, Drop: 5},
		snapTime: {Title: "TIME", Width: 8, Align: right, Drop: 4}, snapBytes: {Title: "BYTES", Width: b, Align: right},
		snapBar: {Title: "", Width: 6, Grow: 1, MaxWidth: 30, Drop: 6}, snapDelta: {Title: "CHANGE", Width: b + 1, Align: right, Drop: 1},
		snapObjects: {Title: "OBJECTS", Width: 9, Align: right, Drop: 2}, snapFrames: {Title: "FRAMES", Width: 8, Align: right, Drop: 7},
		snapReferences: {Title: "REFS", Width: 10, Align: right, Drop: 8}, snapState: {Title: "", Width: 7, Drop: 3},
	}
	known, marks := false, p.state.Heap.Before != noSnapshot
	for i := range p.rows {
		known = known || p.rows[i].info.Time != model.NoTime
		marks = marks || !p.rows[i].info.Complete
	}
	if !known { // the format has neither times nor numbers of collections
		hide(&p.list.Columns[snapTime])
		hide(&p.list.Columns[snapGC])
	}
	if !marks {
		hide(&p.list.Columns[snapState])
	}
}

// Len, ID and Cell implement widget.Table.
func (p *heapSnapshots) Len() int          { return len(p.rows) }
func (p *heapSnapshots) ID(row int) uint64 { return uint64(row) }

func (p *heapSnapshots) Cell(row, col int) widget.Cell {
	f := &p.rows[row].info
	count := func(n int64) widget.Cell {
		if n == model.NoCount {
			return widget.Cell{Text: "?", Style: p.look.Muted}
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
		return widget.Cell{Text: bytesText(uint64(f.Bytes), p.state.Exact)}
	case snapBar:
		return shareCell(uint64(max(f.Bytes, 0)), p.largest())
	case snapDelta:
		return p.changeCell(row)
	case snapObjects:
		return count(f.Objects)
	case snapFrames:
		return count(f.Frames)
	case snapReferences:
		return count(f.References)
	}
	return p.stateCell(row)
}

// stateCell says what is special about a snapshot.
func (p *heapSnapshots) stateCell(row int) widget.Cell {
	switch {
	case !p.rows[row].info.Complete:
		return widget.Cell{Text: p.look.Glyphs.Warning + " cut", Style: p.style(themes.Warning)}
	case row == p.state.Heap.Before:
		return widget.Cell{Text: p.look.Glyphs.Marker + " before", Style: p.look.Mark}
	}
	return widget.Cell{}
}

// changeCell is how a snapshot differs from the one before.
func (p *heapSnapshots) changeCell(row int) widget.Cell {
	if row == 0 || p.rows[row].info.Bytes < 0 || p.rows[row-1].info.Bytes < 0 {
		return widget.Cell{}
	}
	return p.deltaCell(uint64(p.rows[row-1].info.Bytes), uint64(p.rows[row].info.Bytes), func(n uint64) string { return bytesText(n, p.state.Exact) })
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
	r := p.rect()
	p.listAt, p.trends.area = r, widget.Rect{}
	switch n := len(p.rows); {
	case p.big && p.inTrends || p.inTrends && r.H < lowHeight:
		p.listAt, p.trends.area = widget.Rect{}, r
	case p.big || r.H < lowHeight || n == 0:
	case r.W >= sideWidth && n+2 > r.H/2:
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
			widget.TitleLine(s, title, p.look, "Snapshots", p.answer())
		}
		p.list.Draw(s, body, p.look)
	}
	p.trends.draw(s)
}

// answer says how the heap developed.
func (p *heapSnapshots) answer() string {
	n := len(p.rows)
	if n == 0 {
		return ""
	}
	first, last := &p.rows[0].info, &p.rows[max(lastWhole(p.state.heaps()), 0)].info
	text := plural(n, "snapshot", "snapshots")
	if first.Time != model.NoTime && last.Time > first.Time {
		text += " in " + (last.Time - first.Time).String()
	}
	if n > 1 && first.Bytes >= 0 && last.Bytes >= 0 {
		text += fmt.Sprintf(" · %s %s %s", bytesText(uint64(first.Bytes), p.state.Exact), p.look.Glyphs.ArrowRight, bytesText(uint64(last.Bytes), p.state.Exact))
	}
	if at := largest(p.state.heaps()); n > 2 && at != lastWhole(p.state.heaps()) {
		text += fmt.Sprintf(" · largest #%d", at)
	}
	return text
}

// do implements screen.
func (p *heapSnapshots) do(a keymap.Action) bool {
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
		p.changed()
	case keymap.Sort:
		p.grown = !p.grown
		p.changed()
	default:
		if p.inTrends {
			return moveList(&p.trends.List, a)
		}
		if !moveList(&p.list, a) {
			return false
		}
		p.moved()
	}
	return true
}

// moved makes the selected snapshot that of every screen.
func (p *heapSnapshots) moved() {
	if row, ok := p.list.Selected(); ok {
		p.emit(setSnapshot{row})
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
		p.visit(to, setFilter{filterFor(name)})
		return
	}
	p.open(to)
}

func (p *heapSnapshots) copyText() string {
	row, ok := p.list.Selected()
	if !ok {
		return ""
	}
	f := &p.rows[row].info
	return fmt.Sprintf("snapshot #%d: GC %d, %v, %d bytes, %d objects, %d frames, %d references", row, f.GC, f.Time, f.Bytes, f.Objects, f.Frames, f.References)
}

// click implements clicker.
func (p *heapSnapshots) click(x, y int, double bool) {
	if row, ok := p.list.HitRow(x, y); ok && p.listAt.Contains(x, y) {
		p.inTrends = false
		p.list.Select(row)
		p.moved()
	} else if row, ok := p.trends.HitRow(x, y); ok && p.trends.area.Contains(x, y) {
		p.inTrends = true
		p.trends.Select(row)
		p.changed()
	} else {
		return
	}
	if double {
		p.openTypes()
	}
}

func (p *heapSnapshots) drag(_, _, _, _ int, _ bool) {}

func (p *heapSnapshots) wheel(x, y, rows int) {
	if p.trends.area.Contains(x, y) {
		p.trends.Scroll(rows)
	} else {
		p.list.Scroll(rows)
	}
	p.changed()
}
