package trace

import (
	"context"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// makersKey identifies the sites that allocate the blocks of a cell.
type makersKey struct {
	revision uint64
	over     analysis.Range
	cell     analysis.Cell
}

// makers are the sites that allocate the blocks of a cell. Read-only once made.
type makers struct {
	byBytes, byCount []analysis.Site // those with most, at most maxMakers
	sites            int             // number of all sites
}

// maxMakers is how many sites are listed below the grid.
const maxMakers = 12

func askMakers(ctx context.Context, trace analysis.Trace, k makersKey) (*makers, error) {
	rows, err := trace.Sites(ctx, analysis.Query{At: analysis.End, Range: k.over, Cell: k.cell})
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(rows, func(s analysis.Site) bool { return s.AllocCount == 0 })
	bytes, count := func(s *analysis.Site) uint64 { return s.AllocBytes }, func(s *analysis.Site) uint64 { return s.AllocCount }
	m := &makers{sites: len(rows)}
	analysis.SortSites(rows, bytes, count)
	m.byBytes = slices.Clone(rows[:min(len(rows), maxMakers)])
	analysis.SortSites(rows, count, bytes)
	m.byCount = slices.Clone(rows[:min(len(rows), maxMakers)])
	return m, nil
}

// drawMakers lists the sites that allocate the blocks under the cursor, if there is room.
func (p *Lifetimes) drawMakers(s tcell.Screen, r widget.Rect) {
	m, ok := p.makers.Get()
	if !ok || p.only || r.H < 3 {
		return
	}
	title, r := r.CutTop(1)
	answer := model.Counted(m.sites, "site")
	switch {
	case p.makers.Failure() != nil:
		answer = "unknown"
	case !p.makers.Fresh():
		answer = "summing…"
	}
	what := "Sites that allocate "
	if p.State.Sampled() && p.cursor.size != everyClass {
		what = "Sites of samples that weigh "
	}
	widget.TitleLine(s, title, p.Look, what+p.cursor.cell().Text(), answer)
	f, rows := ui.FiguresOf(&p.State, true), m.byBytes
	if p.counts {
		rows = m.byCount
	}
	all := p.data.at(p.cursor)
	for i := range rows[:min(len(rows), r.H)] {
		row, y, st := &rows[i], r.Y+i, p.Look.Text
		if !p.makers.Fresh() {
			st = p.Look.Muted
		}
		bytes, n := f.BytesWidth(all.Bytes), f.CountWidth(all.Count)+len(p.State.Blocks(2))-1
		x := r.X + 1
		widget.PrintRight(s, x, y, bytes, f.Bytes(row.AllocBytes), st)
		x += bytes + 2
		widget.PrintRight(s, x, y, n, p.State.Blocks(row.AllocCount), st)
		x += n + 2
		share := ui.ShareOf(p.figure(analysis.GridCell{Count: row.AllocCount, Bytes: row.AllocBytes}), p.figure(all))
		widget.DrawBar(s, x, y, 10, share, p.Look.Bar, &p.Look.Glyphs)
		widget.PrintRight(s, x+11, y, model.ShareWidth, ui.ShareText(share), p.Look.Muted)
		x += 20
		label := p.labels.Label(p.State.Stacks(), analysis.ByStack, row, p.State.FullName)
		x += widget.Print(s, x, y, r.X+r.W-x-1, label.Name, st) + 2
		if x < r.X+r.W-8 {
			widget.Print(s, x, y, r.X+r.W-x-1, model.Clean(label.Where), p.Look.Muted)
		}
	}
}
