package profile

import (
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// numbers returns 0 … n-1: the rows of lists in the file's order.
func numbers(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// eventSums are the sums of the events of a file. Read-only once made.
type eventSums struct{ totals []weights.EventTotals }

// eventData determines the list of events: those of a file, and which metric is chosen of which.
type eventData struct {
	of     *ui.ProfileFile
	sums   *eventSums // nil until known
	event  uint16
	metric model.MetricID
	chosen bool // the event has a metric
}

// shown returns the metric by which an event is weighted.
func (d eventData) shown(event int) (m model.MetricID, ok bool) {
	if event == int(d.event) {
		return d.metric, d.chosen
	}
	return weights.DefaultMetric(d.of.Weights, uint16(event))
}

// sum returns the sum of a metric of an event; ok is false until it is known.
func (d eventData) sum(event int, m model.MetricID) (sum model.Amount, ok bool) {
	if d.sums == nil || event >= len(d.sums.totals) {
		return sum, false
	}
	for _, s := range d.sums.totals[event].Sums {
		if s.Metric == m {
			return s.Sum, true
		}
	}
	return sum, true
}

func (d eventData) total(n *int) (sum model.Amount) {
	if m, ok := d.shown(*n); ok {
		sum, _ = d.sum(*n, m)
	}
	return sum
}

func (p *Screen) eventSpec() ui.Spec[eventData, int] {
	return ui.Spec[eventData, int]{
		Rows:    func(d eventData) []int { return numbers(len(d.of.Weights.Events)) },
		Columns: p.columns,
		First:   ui.AsGiven,
		ID:      func(_ eventData, n *int) uint64 { return uint64(*n) },
	}
}

// columns returns those of the list of events.
func (p *Screen) columns(d eventData) []ui.Column[int] {
	event := func(n *int) *model.ProfileEvent { return &d.of.Weights.Events[*n] }
	metric := func(n *int) string {
		if m, ok := d.shown(*n); ok {
			return d.of.Weights.Metrics[m].Name
		}
		return "none"
	}
	return []ui.Column[int]{
		{Width: 1, Cell: func(n *int) widget.Cell { return chosenCell(&p.Pane, *n == int(d.event)) }},
		{Title: titles.Event, Key: "name", Width: 12, Grow: 1, Cut: widget.CutMiddle, Text: func(n *int) string { return event(n).Name }},
		{Title: titles.Kind, Key: "kind", Width: 10, Drop: 3, Muted: true, Text: func(n *int) string { return event(n).Kind }},
		{Title: titles.Sampling, Key: "mode", Width: 16, Drop: 2, Muted: true, Text: func(n *int) string { return modeText(event(n)) }},
		{Title: titles.Stacks, Key: "stacks", Fields: []string{"stacks"}, Figure: ui.CountFigure, Width: 8, MaxWidth: 8, Drop: 4,
			Known: func(n *int) bool { return d.sums != nil && *n < len(d.sums.totals) },
			Value: func(n *int) uint64 { return uint64(d.sums.totals[*n].Stacks) }},
		{Title: titles.Metric, Width: 12, Right: true, Drop: 1, Text: metric, Cell: func(n *int) widget.Cell {
			if _, ok := d.shown(*n); !ok {
				return widget.Cell{Text: metric(n), Style: p.Look.Muted}
			}
			return widget.Cell{Text: metric(n)}
		}},
		{Title: titles.Sum, Fields: []string{"sum"}, Figure: ui.AmountFigure,
			Amounts: func(n *int) [2]model.Amount { return [2]model.Amount{d.total(n)} },
			Cell: func(n *int) widget.Cell {
				m, ok := d.shown(*n)
				if !ok {
					return widget.Cell{Text: metric(n), Style: p.Look.Muted}
				}
				return widget.Cell{Text: p.sum(*n, m)}
			}},
	}
}

// chosenCell returns the mark of the row that all screens use.
func chosenCell(p *ui.Pane, chosen bool) widget.Cell {
	if !chosen {
		return widget.Cell{}
	}
	return widget.Cell{Text: p.Look.Glyphs.Check, Style: p.Style(themes.Accent)}
}

// windowSums are what the stacks of each window weigh. Read-only once made.
type windowSums struct{ weights []model.Amount }

// windowData determines the list of windows.
type windowData struct {
	of   *ui.ProfileFile
	sums *windowSums // nil until known, or without a metric
	unit ui.ProfileUnit
}

func (p *Timeline) windowSpec() ui.Spec[windowData, int] {
	return ui.Spec[windowData, int]{
		Rows:    func(d windowData) []int { return numbers(len(d.of.Weights.Windows)) },
		Columns: p.columns,
		First:   ui.AsGiven,
		ID:      func(_ windowData, n *int) uint64 { return uint64(*n) },
	}
}

// moment formats a time for a column: without the unit if that is not one of time.
func (p *Timeline) moment(t model.Time) string {
	if unit := p.Prof.Weights.AxisUnit; unit != "" {
		return ui.Axis(unit)(int64(t), 1)
	}
	return ui.TimeText(t, p.State.Exact)
}

// columns returns those of the list of windows.
func (p *Timeline) columns(d windowData) []ui.Column[int] {
	window := func(n *int) *model.Window { return &d.of.Weights.Windows[*n] }
	moment := func(title, field string, drop int, of func(w *model.Window) model.Time) ui.Column[int] {
		return ui.Column[int]{Title: title, Fields: []string{field}, Figure: ui.TimeFigure, Width: 9, MaxWidth: 9, Drop: drop,
			Value: func(n *int) uint64 { return uint64(max(of(window(n)), 0)) },
			Cell:  func(n *int) widget.Cell { return widget.Cell{Text: p.moment(of(window(n)))} }}
	}
	return []ui.Column[int]{
		{Width: 1, Cell: func(n *int) widget.Cell { return chosenCell(&p.Pane, *n == p.State.Prof.Window) }},
		{Title: titles.Window, Width: 8, Grow: 1, Text: func(n *int) string { return ui.WindowName(d.of.Weights, *n) }},
		moment(titles.Start, "start", 2, func(w *model.Window) model.Time { return w.Start }),
		moment(titles.End, "end", 1, func(w *model.Window) model.Time { return w.End }),
		{Title: titles.Stacks, Fields: []string{"stacks"}, Figure: ui.CountFigure, Width: 8, MaxWidth: 8, Drop: 3,
			Value: func(n *int) uint64 { return uint64(len(window(n).Record)) }},
		{Title: titles.Weight, Fields: []string{"weight"}, Figure: ui.AmountFigure, Unit: d.unit,
			Known: func(n *int) bool { return d.sums != nil && *n < len(d.sums.weights) },
			Amounts: func(n *int) (a [2]model.Amount) {
				if d.sums != nil && *n < len(d.sums.weights) {
					a[0] = d.sums.weights[*n]
				}
				return a
			}},
	}
}
