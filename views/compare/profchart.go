package compare

import (
	"context"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// profileCurves are the curves of two profiles over each other, each in its own time.
type profileCurves struct {
	key   [2]ui.ProfileCurveKey
	sides [2]ui.ProfileCurve
}

func computeCurves(ctx context.Context, keys [2]ui.ProfileCurveKey) (out profileCurves, err error) {
	out.key = keys
	for i, k := range keys {
		if out.sides[i], err = ui.FetchProfCurve(ctx, k); err != nil {
			return out, err
		}
	}
	return out, nil
}

// showProf shows the weights of two profiles over time.
func (c *chart) showProf(s *state.State, sides *[2]sideKey) {
	ch := &c.chart
	ch.Curves, ch.Marks = ch.Curves[:0], ch.Marks[:0]
	a, b := &sides[0].Prof, &sides[1].Prof
	if !a.Of.HasCurve() || !b.Of.HasCurve() || a.None || b.None {
		ch.Empty = "one of the files has no times: there is no curve"
		return
	}
	c.one = a.Of == b.Of && a.Event == b.Event && a.Metric == b.Metric
	for i := range sides {
		c.spans[i] = sides[i].Prof.Of.Span()
	}
	c.m = diff.NewTimeMap(s.Compare.Align, c.spans[0], c.spans[1], 0, 0)
	axis := c.m.Axis()
	dots := c.chart.Dots(c.area)
	if dots <= 0 || axis.To <= axis.From {
		return
	}
	columns := int(min(int64(dots), int64(axis.To-axis.From)))
	var keys [2]ui.ProfileCurveKey
	for i, at := range [2]diff.TimeSpan{axis, {From: c.m.After(axis.From), To: c.m.After(axis.To)}} {
		k := &sides[i].Prof
		keys[i] = ui.ProfileCurveKey{Of: k.Of, Event: k.Event, Metric: k.Metric, Filters: k.Filters, From: at.From,
			To: at.To, Columns: columns}
	}
	c.profs.Ask(keys)
	c.setProf(sides, axis)
}

// setProf passes the newest curves of profiles to the chart.
func (c *chart) setProf(sides *[2]sideKey, axis diff.TimeSpan) {
	ch := &c.chart
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(axis.From), int64(axis.To), -1, -1
	ch.DataFrom, ch.DataTo = ch.From, ch.To
	ch.FormatX, ch.Empty = ui.Axis(sides[0].Prof.Of.Weights.AxisUnit), "reading both curves"
	v, ok := c.profs.Get()
	if !ok {
		return
	}
	unit, what := v.sides[0].Unit(), sides[0].Prof.MetricName()
	if v.sides[0].Counts && v.sides[1].Counts {
		unit, what = ui.ProfileUnit{}, "samples"
	}
	unit.Scale = 1
	ch.Decimal = unit.Kind != ui.UnitBytes
	ch.FormatY = func(v uint64) string {
		if unit.Kind == ui.UnitBytes {
			return model.Bytes(v).Short()
		}
		return unit.Scaled(v, false)
	}
	for side := range v.sides {
		if side == state.SideB && c.one {
			break
		}
		curve := widget.Curve{Data: v.sides[side].Points(c.spans[side]), Glyph: [2]string{"A", "B"}[side],
			Style: sideStyle(c.env, side), Front: side == state.SideB}
		if c.one {
			curve.Glyph = c.env.Look.Glyphs.Bullet
		}
		ch.Curves = append(ch.Curves, curve)
	}
	ch.Title = what + " over time"
	ch.Answer = ""
	if !c.one {
		ch.Title += " · aligned " + [...]string{"at the start", "at a marker", "by share of duration"}[c.state.Compare.Align]
		ch.Answer = c.tops(unit.Scaled(uint64(v.sides[0].Top), false), unit.Scaled(uint64(v.sides[1].Top), false))
	}
}
