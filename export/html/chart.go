package html

import (
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
)

// chart is curves over one axis. Columns are of equal width over From … To, each with the extremes that it holds; where
// X is given, values are single points instead.
type chart struct {
	ID     string    `json:"id"`
	Title  string    `json:"title"`
	Answer string    `json:"answer"`
	Axis   string    `json:"axis"`          // of From, To and X: "us", "count", "plain"
	Per    string    `json:"per,omitempty"` // what a count is of: "instructions"
	Unit   string    `json:"unit"`          // of values: "bytes", "rate", "plain"; estimates begin with "~"
	Small  bool      `json:"small,omitempty"`
	Stack  bool      `json:"stack,omitempty"` // curves are stacked: their values add up
	From   float64   `json:"from"`
	To     float64   `json:"to"`
	X      []float64 `json:"x,omitempty"`
	Curves []curve   `json:"curves"`
	Marks  []mark    `json:"marks"`
}

// curve is one line. Unknown values are nil.
type curve struct {
	Name string `json:"name"`
	Max  []any  `json:"max"`
	Min  []any  `json:"min,omitempty"` // nil where it is Max
}

// mark is a named moment: "peak", "at", "marker", "gc".
type mark struct {
	Kind string  `json:"kind"`
	X    float64 `json:"x"`
	Text string  `json:"text"`
}

const maxMarks = 400

// liveColumns returns the columns of the filtered blocks.
func (b *builder) liveColumns() ([]analysis.Column, error) {
	if b.src.Cell.IsAll() {
		return b.src.Trace.Curve(b.ctx, b.src.Range, b.limits.columns)
	}
	live, err := b.src.Trace.LiveOf(b.ctx, analysis.LiveQuery{Range: b.src.Range, Columns: b.limits.columns, Cell: b.src.Cell})
	return live.All, err
}

func (b *builder) traceCharts() error {
	t := b.src.Report.Trace
	from, to := max(b.src.Range.From, 0), min(b.src.Range.To, *b.src.Report.Time.Duration)
	columns, err := b.liveColumns()
	if err != nil || len(columns) == 0 || t.Peak == nil {
		return err
	}
	peak, allocated := t.Peak, uint64(0)
	if t.CurvePeak != nil {
		peak = t.CurvePeak
	}
	live := chart{ID: "live", Title: t.CurveTitle(), Axis: "us", Unit: b.blocks("bytes"), From: float64(from), To: float64(to),
		Curves: []curve{{Name: "live"}}, Marks: []mark{}}
	rate := chart{ID: "rate", Title: "Allocated per second", Axis: "us", Unit: b.blocks("rate"), Small: true, From: live.From,
		To: live.To, Curves: []curve{{Name: "allocated"}}, Marks: []mark{}}
	amount := b.src.Report.File.Style(cells.Style{}).Bytes
	live.Answer = "peak " + amount(peak.Bytes) + " at " + peak.Time.String()
	for _, c := range columns {
		live.Curves[0].Max = append(live.Curves[0].Max, c.MaxBytes)
		live.Curves[0].Min = append(live.Curves[0].Min, c.MinBytes)
		rate.Curves[0].Max = append(rate.Curves[0].Max, math.Round(analysis.Rate(c.AllocBytes, c.To-c.From)))
		allocated, _ = model.SaturatingAdd(allocated, c.AllocBytes)
	}
	rate.Answer = amount(allocated) + " in total"
	live.Marks = append(live.Marks, mark{"peak", float64(peak.Time), "peak " + amount(peak.Bytes)})
	if at := b.src.Report.Time.At; at != nil && *at != to {
		live.Marks = append(live.Marks, mark{"at", float64(*at), "instant " + at.String()})
	}
	if err := b.addMarks(&live); err != nil {
		return err
	}
	b.Charts = append(b.Charts, live)
	b.dividedChart(&live)
	b.Charts = append(b.Charts, rate)
	return nil
}

// dividedChart adds the curve of live bytes divided by the largest groups, if requested, by the levels at the end of
// each column.
func (b *builder) dividedChart(live *chart) {
	t := b.src.Report.Trace
	if len(t.CurveSites) == 0 {
		return
	}
	by := t.GroupedBy().String()
	if t.GroupedBy() == analysis.ByStack {
		by = "site"
	}
	out := chart{
		ID: "live_by", Title: "Live bytes by " + by, Axis: "us", Unit: live.Unit, Stack: true, From: live.From,
		To: live.To, Marks: live.Marks[:1:1],
		Answer: "the " + model.Counted(len(t.CurveSites), by) + " that hold most when the curve is highest",
	}
	others := curve{Name: "others", Max: make([]any, len(t.Curve))}
	for i, c := range t.Curve {
		held := uint64(0)
		for _, p := range c.CurveParts {
			held += p.Bytes()
		}
		others.Max[i] = c.Bytes - min(held, c.Bytes)
	}
	for k, s := range t.CurveSites {
		at := places.SitePlace(s.Place, s.Frames)
		line := curve{Name: funcname.ShortenTemplates(at.Name())}
		for _, c := range t.Curve {
			line.Max = append(line.Max, c.CurveParts[k].Bytes())
		}
		out.Curves = append(out.Curves, line)
	}
	out.Curves = append(out.Curves, others)
	b.Charts = append(b.Charts, out)
}

// addMarks adds markers and collections to a chart.
func (b *builder) addMarks(live *chart) error {
	marks, total, err := b.src.Trace.Marks(b.ctx, b.src.Range, maxMarks)
	if err != nil {
		return err
	}
	for _, m := range marks {
		kind, text := "marker", model.Clean(m.Name)
		if m.GC {
			kind, text = "gc", "collection of "+model.Bytes(m.Bytes).String()
		} else if text == "" {
			text = model.UnknownMarker(m.ID)
		}
		live.Marks = append(live.Marks, mark{kind, float64(m.Time), text})
	}
	if total > len(marks) {
		b.cut("Live bytes: %d of %s markers and collections", len(marks), model.Group(uint64(total)))
	}
	return nil
}

// round keeps four digits of a share. The result is 0 or 1 only if the share is.
func round(f float64) float64 {
	const least = 1e-4
	switch r := math.Round(f/least) / (1 / least); {
	case r == 0 && f > 0:
		return least
	case r == 1 && f < 1:
		return 1 - least
	default:
		return r
	}
}
