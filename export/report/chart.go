package report

import (
	"strings"

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
	top, events := uint64(0), false
	for _, p := range curve {
		top = max(top, p.MaxBytes)
		events = events || p.MaxBytes > 0
	}
	if !events {
		return
	}
	peak := t.r.Trace.Peak
	if t.r.Trace.CurvePeak != nil {
		peak = t.r.Trace.CurvePeak
	}
	t.title(cells.Fit(t.style.text(model.Clean(t.r.Trace.CurveTitle())), t.style.width()/2, t.style.cut()), "peak "+t.style.bytes(peak.Bytes)+" at "+t.style.time(peak.Time))
	const label = 6
	width := t.style.width() - label - 3
	ramp := cells.Ramp(t.style.ASCII)
	axis, foot := "┤", "└"
	if t.style.ASCII {
		axis, foot = "|", "+"
	}
	for row := chartRows - 1; row >= 0; row-- {
		tick := ""
		switch row {
		case chartRows - 1:
			tick = model.Bytes(top).Short()
		case chartRows/2 - 1:
			tick = model.Bytes(top / 2).Short()
		}
		var line strings.Builder
		line.WriteString(" " + cells.Pad(tick, label, true) + axis)
		for x := range width {
			p := curve[x*len(curve)/width]
			filled := cells.Level(p.MaxBytes, top, chartRows*(len(ramp)-1)) - row*(len(ramp)-1)
			line.WriteString(ramp[min(max(filled, 0), len(ramp)-1)])
		}
		t.line(strings.TrimRight(line.String(), " "))
	}
	t.line(" " + cells.Pad("0", label, true) + foot + strings.Repeat(t.style.text("─"), width))
	t.axis(label+2, width)
}

// axis writes the times at the start, the middle and the end of the chart.
func (t *textWriter) axis(left, width int) {
	curve := t.r.Trace.Curve
	last := curve[len(curve)-1].To
	first := model.Time(0)
	if t.r.Time.From != nil {
		first = *t.r.Time.From
	}
	from, mid, to := t.style.time(first), t.style.time(first+(last-first)/2), t.style.time(last)
	gap := width/2 - cells.Width(from) - cells.Width(mid)/2
	rest := width - cells.Width(from) - gap - cells.Width(mid) - cells.Width(to)
	if gap < 1 || rest < 1 {
		return
	}
	t.line(strings.Repeat(" ", left) + from + strings.Repeat(" ", gap) + mid + strings.Repeat(" ", rest) + to)
}
