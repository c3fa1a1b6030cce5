package report

import (
	"cmp"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

const chartRows = 8

// chart draws the live bytes of the range: the highest value of each column, so that no spike is lost.
func (t *TextWriter) chart() {
	curve := t.r.Trace.Curve
	if len(curve) == 0 || t.r.Trace.Peak == nil {
		return
	}
	top := uint64(0)
	for _, p := range curve {
		top = max(top, p.MaxBytes)
	}
	if top == 0 {
		return
	}
	peak := cmp.Or(t.r.Trace.CurvePeak, t.r.Trace.Peak)
	t.Title(cells.Fit(t.Style.Text(model.Clean(t.r.Trace.CurveTitle())), t.Style.LineWidth()/2, t.Style.Cut()),
		"peak "+t.r.File.Style(t.Style).Bytes(peak.Bytes)+" at "+t.Style.Time(peak.Time))
	c := cells.Chart{Width: t.Style.LineWidth(), Rows: chartRows, Top: top, ASCII: t.Style.ASCII,
		Label: func(n uint64) string { return model.Bytes(n).Short() }}
	for _, line := range c.Lines(func(x, width int) uint64 { return curve[x*len(curve)/width].MaxBytes }) {
		t.Line(line)
	}
	last := curve[len(curve)-1].To
	first := model.Time(0)
	if t.r.Time.From != nil {
		first = *t.r.Time.From
	}
	from, mid, to := t.Style.Time(first), t.Style.Time(first+(last-first)/2), t.Style.Time(last)
	if line := cells.Axis(c.Left(), c.Inner(), from, mid, to); line != "" {
		t.Line(line)
	}
}
