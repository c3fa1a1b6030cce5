package livechart

import (
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// Measured returns the curve that was measured in addition to the events of a trace, such as the resident memory; nil
// if there is none.
func Measured(s *state.State) *model.Series {
	if s.Profile == nil || s.Profile.Allocations == nil || s.Profile.Timeline == nil ||
		len(s.Profile.Timeline.Series) == 0 {
		return nil
	}
	return &s.Profile.Timeline.Series[0]
}

// showMeasured draws the measured curve in the background, where both can be distinguished.
func (c *Pane) showMeasured() {
	s, ch := &c.state, &c.chart
	of := Measured(s)
	if !c.WithMeasured || of == nil || s.Series != state.SeriesBytes || len(ch.Data) == 0 {
		return
	}
	if c.measured.of != of {
		c.measured.of, c.measured.curve = of, pages.NewSeriesCurve(of)
	}
	most, all := uint64(0), uint64(0)
	for _, p := range ch.Data {
		most = max(most, p.Hi)
	}
	points := make([]widget.Point, len(ch.Data))
	for i, col := range c.measured.curve.Columns(model.Time(ch.DataFrom), model.Time(ch.DataTo), len(points)) {
		hi := col.Last
		if col.Points > 0 {
			hi = col.Max
		}
		v := uint64(max(hi, 0))
		points[i] = widget.Point{Lo: v, Hi: v, Last: v, OK: col.Known}
		all = max(all, v)
	}
	const share = 10 // of the measured curve, below which the live one would be a line at the bottom
	if most >= all/share {
		ch.Backdrop = points
		ch.Title += ", " + widget.Clean(of.Name) + " in the background"
	}
}

// measuredCurve is a measured curve that is ready to be drawn.
type measuredCurve struct {
	of    *model.Series
	curve *pages.SeriesCurve
}
