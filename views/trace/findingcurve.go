package trace

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// findingCurve is the live curve of all sites of a finding, drawn over that of all blocks.
type findingCurve struct {
	env   *ui.Env
	chart widget.Chart
	live  *ui.Lazy[findingCurveKey, foundLive]
}

// findingCurveKey identifies a curve: sites are packed to be comparable.
type findingCurveKey struct {
	revision uint64
	from, to model.Time
	columns  int
	sites    string
}

// foundLive is the answer: columns of the finding and of all blocks. Read-only once made.
type foundLive struct {
	findingCurveKey
	of, all []analysis.Column
}

func newFindingCurve(e *ui.Env) *findingCurve {
	c := &findingCurve{env: e}
	c.live = ui.NewLazy(e, func(ctx context.Context, k findingCurveKey) (foundLive, error) {
		q := analysis.LiveQuery{Range: state.Between(k.from, k.to), Columns: k.columns, Parts: [][]analysis.Key{unpackKeys(k.sites)}}
		live, err := e.Trace.LiveOf(ctx, q)
		if err != nil {
			return foundLive{}, err
		}
		return foundLive{k, live.Parts[0], live.All}, nil
	})
	return c
}

// show requests the curve of a finding that is drawn in r.
func (c *findingCurve) show(s *state.State, f *analysis.Finding, r widget.Rect) {
	if f == nil || len(f.Keys) == 0 || r.Empty() {
		c.chart.Data, c.chart.Backdrop, c.chart.Title, c.chart.Answer = nil, nil, "", ""
		c.chart.Empty = "this finding is about the whole file"
		return
	}
	from, to := s.Visible()
	dots := c.chart.Dots(r)
	if span := int64(to - from); span > 0 && span < int64(dots) {
		dots = int(span)
	}
	if dots <= 0 {
		return
	}
	k := findingCurveKey{s.Status.Revision, from, to, dots, packKeys(f.Keys)}
	c.live.Ask(k)
	c.set(s, f, k)
}

// set passes the newest curve to the chart.
func (c *findingCurve) set(s *state.State, f *analysis.Finding, k findingCurveKey) {
	ch := &c.chart
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(k.from), int64(k.to), int64(s.Now()), -1
	ch.FormatX, ch.FormatY = ui.AxisTime, func(v uint64) string { return ui.Short(state.SeriesBytes, v) }
	ch.Data, ch.Backdrop = nil, nil
	ch.Title, ch.Answer = "Live bytes of "+c.name(f), ""
	ch.Empty = "following these blocks " + c.env.Look.Glyphs.Ellipsis
	if err := c.live.Failure(); err != nil {
		ch.Empty = widget.Clean(err.Error())
	}
	v, ok := c.live.Get()
	if !ok || v.findingCurveKey != k {
		return
	}
	ch.DataFrom, ch.DataTo = int64(v.from), int64(v.to)
	most, all := uint64(0), uint64(0)
	for i := range v.of {
		part, whole := ui.Point(state.SeriesBytes, &v.of[i]), ui.Point(state.SeriesBytes, &v.all[i])
		ch.Data, ch.Backdrop = append(ch.Data, part), append(ch.Backdrop, whole)
		most, all = max(most, part.Hi), max(all, whole.Hi)
	}
	if ui.TooSmall(most, all) {
		ch.Backdrop = nil
	}
	ch.Answer = "at most " + ui.BytesText(most, s.Exact) + ", all " + ui.BytesText(all, s.Exact)
}

// name returns the name of what the curve shows.
func (c *findingCurve) name(f *analysis.Finding) string {
	name := f.Site.Name
	if f.HasOwner && f.Owner.Function != "" {
		name = f.Owner.Function
	}
	name = widget.Clean(funcname.Bare(name))
	if n := len(f.Keys); n > 1 {
		name += ", " + model.Counted(n, "site")
	}
	return name
}

func (c *findingCurve) draw(s tcell.Screen, r widget.Rect) { c.chart.Draw(s, r, c.env.Look) }
