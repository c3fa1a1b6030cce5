package livechart

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// partKey identifies a chart of a part of the trace: what filters leave, a selected group of it, or its top sites.
type partKey struct {
	curveKey
	only     analysis.Cell
	shows    state.ChartOf
	by       analysis.Group
	selected analysis.Key
}

// parted is the answer.
type parted struct {
	partKey
	all     []analysis.Column // of the selected blocks
	peak    analysis.Peak     // of what filters leave, in view
	hasPeak bool
	parts   [][]analysis.Column // of the top sites, most first
	names   []string            // of the parts, or of the selected group; not cleaned
}

// MostParts is how many sites the chart is divided by: as many as fills and colors can be distinguished, less one for
// the rest.
const MostParts = 6

// partOf returns the key of a chart for a state; ok is false for one of all blocks.
func partOf(s *state.State, k curveKey) (p partKey, ok bool) {
	p = partKey{curveKey: k, only: s.Only(), shows: s.ChartOf, by: s.Group}
	switch {
	case s.ChartOf == state.ChartSelected && s.Selected.Set:
		p.by, p.selected = s.Selected.By, s.Selected.Key
	case s.ChartOf == state.ChartSelected:
		p.shows = state.ChartAll
	case s.ChartOf == state.ChartTop:
		p.by = DividedBy(s)
	}
	return p, !p.only.IsAll() || p.shows != state.ChartAll
}

// DividedBy returns what a chart is divided by: owners in place of stacks, whose names are too much alike.
func DividedBy(s *state.State) analysis.Group {
	if s.Group == analysis.ByStack {
		return analysis.ByOwner
	}
	return s.Group
}

func askPart(ctx context.Context, t analysis.Trace, k partKey) (out parted, err error) {
	out.partKey = k
	q := analysis.LiveQuery{Range: state.Between(k.from, k.to), Columns: k.columns, Cell: k.only, By: k.by}
	if k.shows != state.ChartAll {
		if err := out.choose(ctx, t, &q); err != nil {
			return out, err
		}
	}
	live, err := t.LiveOf(ctx, q)
	out.all, out.parts, out.peak, out.hasPeak = live.All, live.Parts, live.Peak, live.HasPeak
	if k.shows == state.ChartSelected && err == nil && len(live.Parts) > 0 {
		out.all, out.parts, out.hasPeak = live.Parts[0], nil, false
	}
	return out, err
}

// choose adds what the chart shows to the query: the selected group, or the groups with most live bytes at the peak in
// view.
func (p *parted) choose(ctx context.Context, t analysis.Trace, q *analysis.LiveQuery) error {
	at := analysis.End
	if p.shows == state.ChartTop {
		whole, err := t.LiveOf(ctx, analysis.LiveQuery{Range: q.Range, Columns: 1, Cell: q.Cell})
		if err != nil {
			return err
		}
		at = whole.Peak.Instant
	}
	sites, err := t.Sites(ctx, analysis.Query{At: at, Range: analysis.FullRange, By: p.by, Cell: p.only, NoPeaks: true})
	if err != nil {
		return err
	}
	if p.shows == state.ChartSelected {
		sites = slices.DeleteFunc(sites, func(s analysis.Site) bool { return s.Key != p.selected })
		for _, s := range sites { // none if filters leave nothing of it: then the chart shows what they leave
			q.Parts = append(q.Parts, []analysis.Key{s.Key})
		}
	} else {
		sites = slices.DeleteFunc(sites, func(s analysis.Site) bool { return s.LiveBytes == 0 })
		slices.SortFunc(sites, func(a, b analysis.Site) int {
			return cmp.Or(cmp.Compare(b.LiveBytes, a.LiveBytes), cmp.Compare(a.Key, b.Key))
		})
		sites = sites[:min(len(sites), MostParts)]
		for _, s := range sites {
			q.Parts = append(q.Parts, []analysis.Key{s.Key})
		}
	}
	for _, s := range sites {
		p.names = append(p.names, funcname.Bare(s.Name))
	}
	return nil
}

// showPart passes the curve of a part to the chart, with that of all blocks in the background if the two can be
// distinguished.
func (c *Pane) showPart(k partKey) {
	s, ch := &c.state, &c.chart
	ch.Backdrop, ch.Data, ch.Curves, ch.Legend = ch.Data, nil, ch.Curves[:0], nil
	v, ok := c.part.Get()
	same := v.partKey
	if same.curveKey = k.curveKey; !ok || same != k {
		ch.Data, ch.Empty = nil, "following these blocks "+c.env.Look.Glyphs.Ellipsis
		if err := c.part.Failure(); err != nil {
			ch.Empty = widget.Clean(err.Error())
		}
		return
	}
	ch.DataFrom, ch.DataTo = int64(v.from), int64(v.to)
	most, all := uint64(0), uint64(0)
	for i := range v.all {
		p := ui.Point(s.Series, &v.all[i])
		ch.Data, most = append(ch.Data, p), max(most, p.Hi)
	}
	for _, p := range ch.Backdrop {
		all = max(all, p.Hi)
	}
	if TooSmall(most, all) || v.curveKey != k.curveKey || k.shows == state.ChartTop {
		ch.Backdrop = nil // the part would not fill its axis
	}
	switch {
	case most >= all || v.curveKey != k.curveKey:
	case ch.Backdrop == nil:
		ch.Title += " · own scale"
	default:
		ch.Title += ", all in the background"
	}
	ch.PeakAt = -1
	if v.hasPeak && s.Series == state.SeriesBytes {
		ch.PeakAt = int64(v.peak.Time)
		ch.Answer = fmt.Sprintf("peak %s at %s", s.Bytes(v.peak.Bytes), ui.TimeText(v.peak.Time, s.Exact))
	} else {
		ch.Answer = "at most " + ui.Format(s.Series, most, s.Exact)
	}
	if k.shows == state.ChartTop {
		c.stack(&v)
	}
}

// TooSmall reports whether a part is so small that the axis of all blocks would leave most of the chart to these.
func TooSmall(part, all uint64) bool {
	const share = 2
	return part < all/share
}

// stack makes a curve of each part, and one of the rest on top.
func (c *Pane) stack(v *parted) {
	s, ch := &c.state, &c.chart
	rest := slices.Clone(ch.Data)
	for i, cols := range append(v.parts, nil) {
		curve := widget.Curve{Data: rest, Style: c.env.Look.Muted, Glyph: "·"}
		if c.env.Look.Glyphs.Plain {
			curve.Glyph = "."
		}
		name := "others"
		if i < len(v.parts) {
			curve = widget.Curve{Style: partStyle(c.env, i), Glyph: string(rune('a' + i))}
			name = curve.Glyph
			for x := range cols {
				p := ui.Point(s.Series, &cols[x])
				p.Lo, p.Hi = p.Last, p.Last // extremes of one column may occur at different times
				rest[x].Last -= min(p.Last, rest[x].Last)
				rest[x].Lo, rest[x].Hi = rest[x].Last, rest[x].Last
				curve.Data = append(curve.Data, p)
			}
			if c.legend.W > 0 && i < len(v.names) {
				name += " " + widget.ShortenScopes(widget.Clean(v.names[i]), max(c.legend.W*c.legend.H/(len(v.parts)+1)-legendRest, 1))
			}
		}
		ch.Curves = append(ch.Curves, curve)
		ch.Legend = append(ch.Legend, widget.LegendItem{Text: name, Style: curve.Style})
	}
	if ch.Stacked = true; c.legend.W > 0 {
		c.items, ch.Legend = ch.Legend, nil
	}
}

const (
	namedLegend = 100 // cells from which one row is enough for the legend
	legendRest  = 6   // cells of a legend item in addition to the name
)

// legendArea takes the rows of the legend from the bottom of a chart that is divided and has room for them.
func (c *Pane) legendArea(s *state.State, r widget.Rect) {
	c.area, c.legend, c.items = r, widget.Rect{}, nil
	rows, least := 1, 6
	if r.W < namedLegend {
		rows, least = 2, 8
	}
	if s.ChartOf == state.ChartTop && r.H >= least {
		c.area, c.legend = r.CutBottom(rows)
	}
}

// drawLegend draws the rows of the legend.
func (c *Pane) drawLegend(s tcell.Screen) {
	x, y, end := c.legend.X+1, c.legend.Y, c.legend.X+c.legend.W
	for _, item := range c.items {
		w := widget.Width(item.Text)
		if x+w+2 > end && y+1 < c.legend.Y+c.legend.H {
			x, y = c.legend.X+1, y+1
		}
		if x+w+2 <= end {
			s.Put(x, y, c.env.Look.Glyphs.Bullet, item.Style)
			widget.Print(s, x+2, y, w, item.Text, c.env.Look.Muted)
			x += w + 4
		}
	}
}

// partStyle returns the color of a part.
func partStyle(e *ui.Env, i int) tcell.Style {
	roles := []themes.Role{themes.Accent, themes.Gain, themes.Warning, themes.Mark, themes.Error, themes.Spark}
	return e.Style(roles[i%len(roles)])
}

// partTitle returns the name of the part of the trace that the chart shows, "" for all of it.
func (c *Pane) partTitle() string {
	s := &c.state
	var of []string
	v, ok := c.part.Get()
	if s.ChartOf == state.ChartSelected && s.Selected.Set && ok && v.shows == state.ChartSelected &&
		v.selected == s.Selected.Key && len(v.names) > 0 {
		of = append(of, widget.Clean(v.names[0]))
	}
	steps := s.Filters.Steps()
	for _, step := range steps {
		if step.Kind == calltree.Focus && len(steps) == 1 {
			of = append(of, widget.Clean(funcname.Bare(step.Name)))
		} else {
			of = append(of, widget.Clean(step.String()))
		}
	}
	if r := s.Cell.Rectangle(); !r.IsAll() {
		of = append(of, r.Text())
	}
	title := strings.Join(of, ", ")
	if title != "" {
		title = " of " + title
	}
	if s.ChartOf == state.ChartTop {
		title += " by " + DividedBy(s).String()
	}
	return title
}
