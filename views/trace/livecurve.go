package trace

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/ui/livechart"
	"github.com/memtui/memtui/views/widget"
)

// liveCurve is the live curve of some groups, drawn over that of all blocks.
type liveCurve struct {
	env   *ui.Env
	chart widget.Chart
	short string // the answer where the complete one does not fit
	live  *ui.Lazy[liveKey, liveOf]
}

// liveKey identifies a curve.
type liveKey struct {
	revision uint64
	from, to model.Time
	columns  int
	followed
}

// followed is the groups that a curve shows: packed to be comparable.
type followed struct {
	by   analysis.Group
	only calltree.Filter
	keys string
}

// liveOf is the answer: columns of the groups and of all blocks. Read-only once made.
type liveOf struct {
	liveKey
	of, all []analysis.Column
}

func newLiveCurve(e *ui.Env) *liveCurve {
	c := &liveCurve{env: e}
	c.live = ui.NewLazy(e, func(ctx context.Context, k liveKey) (liveOf, error) {
		q := analysis.LiveQuery{Range: state.Between(k.from, k.to), Columns: k.columns, By: k.by,
			Parts: [][]analysis.Key{unpackKeys(k.keys)}}
		q.Cell.Stacks = k.only
		live, err := e.Trace.LiveOf(ctx, q)
		if err != nil {
			return liveOf{}, err
		}
		return liveOf{k, live.Parts[0], live.All}, nil
	})
	return c
}

// none shows why there is no curve.
func (c *liveCurve) none(why string) {
	c.chart.Data, c.chart.Backdrop, c.chart.Title, c.chart.Answer = nil, nil, "", ""
	c.chart.Empty = why
}

// show requests the curve of groups with a title, in so many columns.
func (c *liveCurve) show(s *state.State, of followed, title string, columns int) {
	from, to := s.Visible()
	if span := int64(to - from); span > 0 && span < int64(columns) {
		columns = int(span)
	}
	if columns <= 0 {
		return
	}
	k := liveKey{s.Status.Revision, from, to, columns, of}
	c.live.Ask(k)
	c.set(s, title, k)
}

// set passes the newest curve to the chart.
func (c *liveCurve) set(s *state.State, title string, k liveKey) {
	ch := &c.chart
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(k.from), int64(k.to), int64(s.Now()), -1
	ch.FormatX, ch.FormatY = model.StepTime, func(v uint64) string { return ui.Short(state.SeriesBytes, v) }
	ch.Data, ch.Backdrop = nil, nil
	ch.Title, ch.Answer = title, ""
	ch.Empty = "following these blocks " + c.env.Look.Glyphs.Ellipsis
	if err := c.live.Failure(); err != nil {
		ch.Empty = widget.Clean(err.Error())
	}
	v, ok := c.live.Get()
	if !ok || v.liveKey != k {
		return
	}
	ch.DataFrom, ch.DataTo = int64(v.from), int64(v.to)
	most, all := uint64(0), uint64(0)
	for i := range v.of {
		part, whole := ui.Point(state.SeriesBytes, &v.of[i]), ui.Point(state.SeriesBytes, &v.all[i])
		ch.Data, ch.Backdrop = append(ch.Data, part), append(ch.Backdrop, whole)
		most, all = max(most, part.Hi), max(all, whole.Hi)
	}
	if livechart.TooSmall(most, all) {
		ch.Backdrop = nil
		ch.Title += " · own scale"
	}
	c.short = "at most " + s.Bytes(most)
	ch.Answer = c.short + ", all " + s.Bytes(all)
}

// Rows implements [ui.DetailPart].
func (c *liveCurve) Rows() (least, most int) { return 6, 18 }

// Draw implements [ui.DetailPart].
func (c *liveCurve) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	chart := &c.chart
	for _, answer := range []string{c.short, ""} { // the title matters more
		if widget.Width(chart.Title)+widget.Width(chart.Answer)+titleRest > r.W {
			chart.Answer = answer
		}
	}
	chart.Draw(s, r, k)
}
