package views

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// comparedProfCurves are the curves of two profiles over each other, each in its own time.
type comparedProfCurves struct {
	key   [2]profCurveKey
	sides [2]profCurve
}

func fetchProfCurves(ctx context.Context, keys [2]profCurveKey) (out comparedProfCurves, err error) {
	out.key = keys
	for i, k := range keys {
		if out.sides[i], err = fetchProfCurve(ctx, k); err != nil {
			return out, err
		}
	}
	return out, nil
}

// hasCurve reports whether anything in a profile has a time.
func (d *profFile) hasCurve() bool { return d.samples > 0 || len(d.weights.Windows) > 0 }

// span is the time of samples and windows, wherever the recorder's clock began.
func (d *profFile) span() diff.TimeSpan {
	from := d.end
	if d.samples > 0 {
		from = d.first
	}
	for i := range d.weights.Windows {
		from = min(from, d.weights.Windows[i].Start)
	}
	return diff.TimeSpan{From: min(max(from, 0), d.end), To: d.end}
}

// showProf shows what two profiles weigh over time.
func (c *compareChart) showProf(s *State, sides *[2]sideKey) {
	ch := &c.chart
	ch.Curves, ch.Marks = ch.Curves[:0], ch.Marks[:0]
	a, b := &sides[0].prof, &sides[1].prof
	if !a.of.hasCurve() || !b.of.hasCurve() || a.none || b.none {
		ch.Empty = "nothing in one of the files has a time: there is no curve"
		return
	}
	c.one = a.of == b.of && a.event == b.event && a.metric == b.metric
	for i := range sides {
		c.spans[i] = sides[i].prof.of.span()
	}
	c.m = diff.NewTimeMap(s.Compare.Align, c.spans[0], c.spans[1], 0, 0)
	axis := c.m.Axis()
	dots := c.chart.Dots(c.area)
	if dots <= 0 || axis.To <= axis.From {
		return
	}
	columns := int(min(int64(dots), int64(axis.To-axis.From)))
	var keys [2]profCurveKey
	for i, at := range [2]diff.TimeSpan{axis, {From: c.m.After(axis.From), To: c.m.After(axis.To)}} {
		k := &sides[i].prof
		keys[i] = profCurveKey{k.of, k.event, k.metric, k.chips, at.From, at.To, columns}
	}
	c.profs.ask(keys)
	c.setProf(sides, axis)
}

// setProf gives the newest curves of profiles to the chart.
func (c *compareChart) setProf(sides *[2]sideKey, axis diff.TimeSpan) {
	ch := &c.chart
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(axis.From), int64(axis.To), -1, -1
	ch.DataFrom, ch.DataTo = ch.From, ch.To
	ch.FormatX, ch.Empty = axisTime, "reading both curves"
	v, ok := c.profs.get()
	if !ok {
		return
	}
	unit, what := unitOf(&v.sides[0].of.weights.Metrics[v.sides[0].metric]), sides[0].prof.metricName()
	if v.sides[0].counts && v.sides[1].counts {
		unit, what = profUnit{}, "samples"
	}
	unit.scale = 1
	ch.Decimal = unit.kind != unitBytes
	ch.FormatY = func(v uint64) string {
		if unit.kind == unitBytes {
			return model.Bytes(v).Short()
		}
		return unit.scaled(v, false)
	}
	for side := range v.sides {
		if side == sideB && c.one {
			break
		}
		curve := widget.Curve{Data: v.sides[side].points(c.spans[side]), Glyph: [2]string{"A", "B"}[side], Style: c.env.sideStyle(side), Front: side == sideB}
		if c.one {
			curve.Glyph = c.env.look.Glyphs.Bullet
		}
		ch.Curves = append(ch.Curves, curve)
	}
	ch.Title = what + " over time"
	ch.Answer = ""
	if !c.one {
		ch.Title += " · aligned " + [...]string{"at the start", "at a marker", "by share of duration"}[c.state.Compare.Align]
		ch.Answer = "A at most " + unit.scaled(uint64(v.sides[0].top), false) + " · B at most " + unit.scaled(uint64(v.sides[1].top), false)
	}
}

// points are the columns of a curve within the time of its file.
func (v *profCurve) points(span diff.TimeSpan) []widget.Point {
	out := make([]widget.Point, len(v.values))
	width := float64(v.to-v.from) / float64(max(len(v.values), 1))
	for i, n := range v.values {
		at := float64(v.from) + width*(float64(i)+0.5)
		if at < float64(span.From) || at > float64(span.To) {
			continue
		}
		y := uint64(min(max(n, 0), math.MaxInt64))
		out[i] = widget.Point{Hi: y, Last: y, OK: true}
	}
	return out
}
