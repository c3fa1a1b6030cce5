package compare

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// seriesPart draws the curves of a series on both sides of a comparison, with the instants that are compared.
type seriesPart struct {
	env    *ui.Env
	sides  [2]*sideKey
	curves [2]*pages.SeriesCurve // nil where a side lacks the series
	chart  widget.Lines
	of     *Set
	row    *diff.Row
}

// shares is the length of an axis of shares.
const shares = 1000

// newSeriesPart returns the curves of a row.
func newSeriesPart(e *ui.Env, set *Set, row *diff.Row) *seriesPart {
	p := &seriesPart{env: e, of: set, row: row}
	for i := range p.sides {
		p.sides[i] = &set.key.Sides[i]
		if n := row.Row[i]; n >= 0 {
			p.curves[i] = pages.NewSeriesCurve(&p.sides[i].layout.Dump.Timeline.Series[n])
		}
	}
	return p
}

// Rows implements [ui.DetailPart].
func (p *seriesPart) Rows() (least, most int) { return 7, 24 }

// Draw implements [ui.DetailPart]: the curves begin together. Times of different units are shares of their recordings.
func (p *seriesPart) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	ch := &p.chart
	a, b := p.sides[0].layout.Dump, p.sides[1].layout.Dump
	ends, unit := [2]model.Time{max(a.End, 1), max(b.End, 1)}, a.Timeline.AxisUnit
	one, alike := a == b, unit == b.Timeline.AxisUnit
	ch.From, ch.To, ch.Cursor, ch.PeakAt, ch.FormatX = 0, int64(max(ends[0], ends[1])), -1, -1, ui.Axis(unit)
	if !alike {
		ch.To = shares
		ch.FormatX = func(t, _ int64) string { return model.ShareOf(uint64(max(t, 0)), shares).String() }
	}
	ch.DataFrom, ch.DataTo = ch.From, ch.To
	ch.FormatY = func(v uint64) string { return model.Bytes(v).Short() }
	ch.Title, ch.Answer, ch.Empty = "Both curves of "+widget.Clean(p.row.Key), "", "no side has a point of this series"
	ch.Curves, ch.Marks = ch.Curves[:0], ch.Marks[:0]
	if one {
		ch.Title = widget.Clean(p.row.Key)
	}
	for i, c := range p.curves {
		x := min(p.sides[i].at.T, ends[i])
		to := model.Time(ch.To)
		if !alike {
			x, to = model.Time(float64(x)/float64(ends[i])*shares), ends[i]
		}
		ch.Marks = append(ch.Marks, widget.Mark{At: int64(x), Name: [2]string{"A", "B"}[i], Style: sideStyle(p.env, i)})
		if c == nil || one && i == state.SideB {
			continue
		}
		curve := widget.Curve{Data: ui.SeriesPoints(c.Columns(0, to, max(ch.Dots(r), 1))), Glyph: [2]string{"A", "B"}[i],
			Style: sideStyle(p.env, i), Front: i == state.SideB}
		if one {
			curve.Glyph = k.Glyphs.Bullet
		}
		ch.Curves = append(ch.Curves, curve)
	}
	ch.Draw(s, r, k)
}
