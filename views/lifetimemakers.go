package views

import (
	"context"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// makersKey determines who allocates the blocks of a cell.
type makersKey struct {
	revision uint64
	over     analysis.Range
	cell     analysis.Cell
}

// makers are the sites that allocate the blocks of a cell. Read-only once made.
type makers struct {
	byBytes, byCount []analysis.Site // those with most, at most maxMakers
	sites            int             // there are
}

// maxMakers is how many sites are listed below the grid.
const maxMakers = 12

func fetchMakers(ctx context.Context, trace analysis.Trace, k makersKey) (*makers, error) {
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

// drawMakers lists who allocates the blocks under the cursor, where there is room.
func (p *lifetimes) drawMakers(s tcell.Screen, r widget.Rect) {
	m, ok := p.makers.get()
	if !ok || p.only || r.H < 3 {
		return
	}
	title, r := r.CutTop(1)
	answer := plural(m.sites, "site", "sites")
	switch {
	case p.makers.failure() != nil:
		answer = "unknown"
	case !p.makers.fresh():
		answer = "adding up…"
	}
	widget.TitleLine(s, title, p.look, "Who allocates "+cellText(p.cursor.cell()), answer)
	f, rows := figures{p.state.Exact, true}, m.byBytes
	if p.counts {
		rows = m.byCount
	}
	all := p.data.at(p.cursor)
	for i := range rows[:min(len(rows), r.H)] {
		row, y, st := &rows[i], r.Y+i, p.look.Text
		if !p.makers.fresh() {
			st = p.look.Muted
		}
		bytes, n := f.bytesWidth(all.Bytes), f.countWidth(all.Count)+7
		x := r.X + 1
		widget.PrintRight(s, x, y, bytes, f.bytes(row.AllocBytes), st)
		x += bytes + 2
		widget.PrintRight(s, x, y, n, countBlocks(row.AllocCount), st)
		x += n + 2
		share := shareOf(p.figure(analysis.GridCell{Count: row.AllocCount, Bytes: row.AllocBytes}), p.figure(all))
		widget.DrawBar(s, x, y, 10, share, p.look.Bar, &p.look.Glyphs)
		widget.PrintRight(s, x+11, y, model.ShareWidth, shareText(share), p.look.Muted)
		x += 20
		label := p.labels.label(p.state.stacks(), analysis.ByStack, row, p.state.FullName)
		x += widget.Print(s, x, y, r.X+r.W-x-1, label.name, st) + 2
		if x < r.X+r.W-8 {
			widget.Print(s, x, y, r.X+r.W-x-1, model.Clean(label.where), p.look.Muted)
		}
	}
}
