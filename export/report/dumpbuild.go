package report

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// DumpOptions say what a report about curves and page layouts is about.
type DumpOptions struct {
	At       model.Time // the instant
	From, To model.Time // the user's range; model.NoTime if not given
	Layout   int        // which of the file's layouts; -1 for none
	Limit    int        // rows per table, 0 is all
}

// BuildDump returns the report about the curves of p and one of its layouts. A layout that cannot be decoded is a
// problem of the report. The only errors are those of ctx.
func BuildDump(ctx context.Context, p *model.Profile, opt DumpOptions) (*Report, error) {
	r := &Report{Header: NewHeader(SchemaReport, p)}
	end := pages.TimelineEnd(p.Timeline)
	r.Time.Duration, r.Time.At = &end, &opt.At
	from, to := model.Time(0), model.MaxTime
	if opt.From != model.NoTime {
		from, r.Time.From = opt.From, &opt.From
	}
	if opt.To != model.NoTime {
		to, r.Time.To = opt.To, &opt.To
	}
	r.Series = []Series{}
	r.DumpCounts = &DumpLengths{Series: len(p.Timeline.Series)}
	if p.Pages != nil {
		r.DumpCounts.layouts = p.Pages.Len()
	}
	for i := range p.Timeline.Series {
		r.DumpCounts.points += len(p.Timeline.Series[i].Times) + p.Timeline.Series[i].Dropped
		if opt.Limit == 0 || i < opt.Limit {
			r.Series = append(r.Series, newSeries(p.Timeline, i, from, to, opt.At))
		}
		r.addEvents(&p.Timeline.Series[i], i, from, to, opt.Limit)
	}
	if opt.Layout < 0 {
		return r, nil
	}
	l, err := p.Pages.Open(ctx, opt.Layout)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.addProblems(model.Problem{
			Severity: model.Error, Code: "layout-unreadable", Count: 1, Offset: model.NoOffset,
			Message: fmt.Sprintf("layout %d cannot be read: %v", opt.Layout, err),
		})
		return r, nil
	}
	r.setPages(p, opt.Layout, l, opt.Limit)
	return r, nil
}

// measured adds the curves that a trace has in addition to its events.
func (r *Report) measured(t *model.Timeline, opt *Options) {
	if t == nil {
		return
	}
	from, to := model.Time(0), model.MaxTime
	if opt.From != model.NoTime {
		from = opt.From
	}
	if opt.To != model.NoTime {
		to = opt.To
	}
	for i := range t.Series {
		r.Series = append(r.Series, newSeries(t, i, from, to, opt.AtTime))
	}
}

// NewPagesReport returns a report about one decoded layout.
func NewPagesReport(p *model.Profile, layout int, l *model.Layout, n int) *Report {
	r := &Report{Header: NewHeader(schemaPages, p)}
	r.setPages(p, layout, l, n)
	r.Time.At = r.Pages.Time
	if p.Timeline != nil {
		end := pages.TimelineEnd(p.Timeline)
		r.Time.Duration = &end
	}
	return r
}

// addProblems adds problems to those of the profile.
func (r *Report) addProblems(problems ...model.Problem) {
	for _, p := range problems {
		r.Problems = append(r.Problems, newProblem(p))
		r.Complete = r.Complete && p.Code != model.CodeMemory
		if p.Severity == model.Error {
			r.Complete = false
		}
	}
}

func newSeries(t *model.Timeline, i int, from, to, at model.Time) Series {
	s := &t.Series[i]
	f := pages.SumSeries(s, from, to)
	out := Series{Index: i, Name: s.Name, Points: f.Points, Dropped: s.Dropped, Events: f.Events, Layouts: s.Layouts}
	if from == 0 && to == model.MaxTime {
		out.Points += s.Dropped
	}
	if s.ID != "" {
		out.ID = &s.ID
	}
	if s.Color != "" {
		out.Color = &s.Color
	}
	if s.HasVisible {
		out.Visible = &s.Visible
	}
	if v, _, ok := pages.ValueAt(s, at); ok {
		out.At = (*Value)(&v)
	}
	if f.Points == 0 {
		return out
	}
	absolute := func(at model.Time) *int64 { us := t.Start + int64(at); return &us }
	out.FirstUS, out.LastUS, out.MinUS, out.MaxUS = absolute(f.FirstAt), absolute(f.LastAt), absolute(f.MinAt), absolute(f.MaxAt)
	out.First, out.Last, out.Min, out.Max = (*Value)(&f.First), (*Value)(&f.Last), (*Value)(&f.Min), (*Value)(&f.Max)
	out.Mean = (*Mean)(&f.Mean)
	for _, c := range pages.NewSeriesCurve(s).Columns(f.FirstAt, f.LastAt, historyColumns) {
		v := c.Last
		if c.Points > 0 {
			v = c.Max
		}
		out.history = append(out.history, uint64(max(v, 0)))
	}
	return out
}

func (r *Report) addEvents(s *model.Series, index int, from, to model.Time, n int) {
	for _, e := range s.Events {
		if e.At < from || e.At > to {
			continue
		}
		r.DumpCounts.Events++
		if n == 0 || len(r.SeriesEvents) < n {
			r.SeriesEvents = append(r.SeriesEvents, SeriesEvent{index, e.At, Value(e.Value), e.Name})
		}
	}
}

// setPages sets the content of a layout, with at most n of its pages with the fewest occupied bits, 0 for all.
func (r *Report) setPages(p *model.Profile, layout int, l *model.Layout, n int) {
	info, f := p.Pages.Info(layout), pages.SumLayout(l)
	out := &Pages{
		Layout: layout, Series: info.Series, Point: info.Point, Types: []PageType{}, PageTotals: newPageTotals(&f.All),
		Holes: newRunClasses(&f.All.Holes), Runs: newRunClasses(&f.All.Runs), Sparse: []SparsePage{},
	}
	if info.At != model.NoTime {
		out.Time = &info.At
	}
	if p.Timeline != nil && info.Series < len(p.Timeline.Series) {
		out.name = p.Timeline.Series[info.Series].Name
	}
	for i := range f.Types {
		out.Types = append(out.Types, PageType{f.Types[i].Name, f.Types[i].Pages, newPageTotals(&f.Types[i])})
	}
	if n == 0 {
		n = f.All.Pages
	}
	var sparse []pages.Ref
	sparse, out.SparseCount = pages.SparsePages(l, n)
	for _, s := range sparse {
		out.Sparse = append(out.Sparse, SparsePage{s.Type, l.Types[s.Type].Name, s.Page, s.Size, s.Occupied, s.Bits - s.Occupied})
	}
	r.Pages = out
	r.addProblems(l.Problems...)
}
