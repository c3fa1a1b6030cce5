package dump

import (
	"context"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// seriesSet is the figures of all series. Read-only once made.
type seriesSet struct {
	seriesKey
	figures []pages.SeriesFigures
}

// sumSeries adds up all series.
func sumSeries(ctx context.Context, k seriesKey) (*seriesSet, error) {
	out := make([]pages.SeriesFigures, len(k.dump.Timeline.Series))
	for i := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = pages.SumSeries(&k.dump.Timeline.Series[i], k.from, k.to)
	}
	return &seriesSet{k, out}, nil
}

// seriesData determines the table of series.
type seriesData struct {
	dump *ui.DumpFile
	set  *seriesSet // nil until known
	r    analysis.Range
	now  model.Time // if rows are filtered or sorted by values at the instant, else 0
}

// seriesRow is a series and its figures, nil until known.
type seriesRow struct {
	*model.Series
	n       int
	figures *pages.SeriesFigures
}

func seriesRows(d seriesData) []seriesRow {
	rows := make([]seriesRow, len(d.dump.Timeline.Series))
	for i := range rows {
		rows[i] = seriesRow{Series: &d.dump.Timeline.Series[i], n: i}
		if d.set != nil {
			rows[i].figures = &d.set.figures[i]
		}
	}
	return rows
}

// Fields of filters that depend on the instant.
const (
	valueField  = "value"
	changeField = "change"
)

// followsInstant reports whether rows are filtered or sorted by values at the instant.
func (p *Series) followsInstant() bool {
	title := p.Sorted().Title
	return title == titles.Value || title == titles.Change || title == titles.InRange ||
		strings.Contains(strings.ToLower(p.State.Filter), valueField) || strings.Contains(strings.ToLower(p.State.Filter), changeField)
}

func (p *Series) seriesSpec() ui.Spec[seriesData, seriesRow] {
	return ui.Spec[seriesData, seriesRow]{
		Rows:    seriesRows,
		Columns: p.columns,
		First:   ui.AsGiven,
		Most:    func(seriesData) (bytes, count uint64) { return 1 << 36, 0 },
		ID:      func(_ seriesData, r *seriesRow) uint64 { return uint64(r.n) },
	}
}

// columns returns those of the list of series.
func (p *Series) columns(d seriesData) []ui.Column[seriesRow] {
	type row = seriesRow
	change := titles.Change
	if !d.r.IsFull() {
		change = titles.InRange
	}
	measured := func(title, key string, drop int, of func(f *pages.SeriesFigures) float64) ui.Column[row] {
		return ui.Column[row]{Title: title, Key: key, Fields: []string{strings.ToLower(title)},
			Figure: ui.BytesFigure, Width: 9, Drop: drop,
			Known: func(r *row) bool { return r.figures != nil && r.figures.Points > 0 },
			Number: func(r *row) float64 {
				if r.figures == nil {
					return 0
				}
				return of(r.figures)
			},
			Cell: func(r *row) widget.Cell {
				if r.figures == nil || r.figures.Points == 0 {
					return widget.Cell{}
				}
				return widget.Cell{Text: measuredText(of(r.figures), p.State.Exact)}
			}}
	}
	count := func(title, key string, width, drop int, of func(r *row) int) ui.Column[row] {
		return ui.Column[row]{Title: title, Key: key, Fields: []string{strings.ToLower(title)},
			Figure: ui.CountFigure, Width: width, MaxWidth: width, Drop: drop,
			Value: func(r *row) uint64 { return uint64(of(r)) },
			Cell:  func(r *row) widget.Cell { return countCell(of(r)) }}
	}
	summed := func(of func(f *pages.SeriesFigures) int) func(r *row) int {
		return func(r *row) int {
			if r.figures == nil {
				return 0
			}
			return of(r.figures)
		}
	}
	points := count(titles.Points, "points", 9, 5, summed(func(f *pages.SeriesFigures) int { return f.Points }))
	points.Cell, points.Known = nil, func(r *row) bool { return r.figures != nil }
	return []ui.Column[row]{
		{Width: 1, Cell: p.signCell},
		{Title: titles.Series, Key: "name", Width: 12, Grow: 1,
			Text: func(r *row) string { return seriesName(r.Series, r.n) }, Cell: p.nameCell},
		{Title: titles.Value, Key: "at", Fields: []string{valueField}, Figure: ui.BytesFigure, Width: 9,
			Known:  func(r *row) bool { _, _, ok := pages.ValueAt(r.Series, d.now); return ok },
			Number: func(r *row) float64 { v, _, _ := pages.ValueAt(r.Series, d.now); return v }, Cell: p.valueCell},
		{Title: change, Fields: []string{changeField}, Figure: ui.BytesFigure, Width: 10, Drop: 3,
			Known:  func(r *row) bool { _, ok := changeOf(r.Series, d.r, d.now); return ok },
			Number: func(r *row) float64 { v, _ := changeOf(r.Series, d.r, d.now); return v }, Cell: p.changeCell},
		measured(titles.Min, "min", 2, func(f *pages.SeriesFigures) float64 { return f.Min }),
		measured(titles.Max, "max", 1, func(f *pages.SeriesFigures) float64 { return f.Max }),
		measured(titles.Mean, "mean", 6, func(f *pages.SeriesFigures) float64 { return f.Mean }),
		points,
		count(titles.Events, "events", 6, 7, summed(func(f *pages.SeriesFigures) int { return f.Events })),
		count(titles.Layouts, "layouts", 7, 4, func(r *row) int { return r.Layouts }),
	}
}

func countCell(n int) widget.Cell {
	if n == 0 {
		return widget.Cell{}
	}
	return widget.Cell{Text: model.Group(uint64(n))}
}

func (p *Series) signCell(r *seriesRow) widget.Cell {
	if p.hidden[r.n] {
		return widget.Cell{Text: "-", Style: p.Look.Muted}
	}
	return widget.Cell{Text: seriesGlyph(p.Pane.Env, r.n), Style: seriesStyle(p.Pane.Env, r.n)}
}

func (p *Series) nameCell(r *seriesRow) widget.Cell {
	c := widget.Cell{Text: seriesName(r.Series, r.n)}
	if p.hidden[r.n] {
		c.Style = p.Look.Muted
	}
	return c
}

func (p *Series) valueCell(r *seriesRow) widget.Cell {
	v, _, ok := pages.ValueAt(r.Series, p.State.Now())
	if !ok {
		return widget.Cell{Text: "not yet", Style: p.Look.Muted}
	}
	return widget.Cell{Text: measuredText(v, p.State.Exact)}
}

// changeOf returns how a value differs from the first one, or how it changes in a range; ok is false before the first
// point.
func changeOf(s *model.Series, r analysis.Range, at model.Time) (change float64, ok bool) {
	now, _, ok := pages.ValueAt(s, at)
	if !ok {
		return 0, false
	}
	before := s.Values[0]
	if !r.IsFull() {
		if v, _, ok := pages.ValueAt(s, max(r.From, 0)); ok {
			before = v
		}
		if now, _, ok = pages.ValueAt(s, r.To); !ok {
			return 0, false
		}
	}
	return now - before, true
}

func (p *Series) changeCell(r *seriesRow) widget.Cell {
	switch v, ok := changeOf(r.Series, p.State.Range, p.State.Now()); {
	case !ok:
		return widget.Cell{}
	case v > 0:
		return widget.Cell{Text: "+" + measuredText(v, p.State.Exact), Style: p.Style(themes.Loss)}
	case v < 0:
		return widget.Cell{Text: "−" + measuredText(-v, p.State.Exact), Style: p.Style(themes.Gain)}
	}
	return widget.Cell{Text: "±0", Style: p.Look.Muted}
}
