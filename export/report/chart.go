package report

import (
	"cmp"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

const chartRows = 8

// chart draws the live bytes of the range: the highest value of each column, so that no spike is lost.
func (t *textWriter) chart() {
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
	t.title(cells.Fit(t.style.text(model.Clean(t.r.Trace.CurveTitle())), t.style.width()/2, t.style.cut()), "peak "+t.style.bytes(peak.Bytes)+" at "+t.style.time(peak.Time))
	c := cells.Chart{Width: t.style.width(), Rows: chartRows, Top: top, ASCII: t.style.ASCII, Label: func(n uint64) string { return model.Bytes(n).Short() }}
	for _, line := range c.Lines(func(x, width int) uint64 { return curve[x*len(curve)/width].MaxBytes }) {
		t.line(line)
	}
	last := curve[len(curve)-1].To
	first := model.Time(0)
	if t.r.Time.From != nil {
		first = *t.r.Time.From
	}
	from, mid, to := t.style.time(first), t.style.time(first+(last-first)/2), t.style.time(last)
	if line := cells.Axis(c.Left(), c.Inner(), from, mid, to); line != "" {
		t.line(line)
	}
}
