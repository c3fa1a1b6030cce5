package report

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/model"
)

// schemaPages is the name of the object that says what is in one page layout.
const schemaPages = "memtui.pages/1"

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
	r.Series = []dump.Series{}
	r.DumpCounts = &dump.Lengths{Series: len(p.Timeline.Series)}
	if p.Pages != nil {
		r.DumpCounts.Layouts = p.Pages.Len()
	}
	for i := range p.Timeline.Series {
		r.DumpCounts.Points += len(p.Timeline.Series[i].Times) + p.Timeline.Series[i].Dropped
		if opt.Limit == 0 || i < opt.Limit {
			r.Series = append(r.Series, dump.NewSeries(p.Timeline, i, from, to, opt.At, historyColumns))
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
		r.Series = append(r.Series, dump.NewSeries(t, i, from, to, opt.AtTime, historyColumns))
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

func (r *Report) addEvents(s *model.Series, index int, from, to model.Time, n int) {
	for _, e := range s.Events {
		if e.At < from || e.At > to {
			continue
		}
		r.DumpCounts.Events++
		if n == 0 || len(r.SeriesEvents) < n {
			r.SeriesEvents = append(r.SeriesEvents, dump.Event{Series: index, Time: e.At, Value: dump.Value(e.Value), Name: e.Name})
		}
	}
}

// setPages sets the content of a layout, with at most n of its pages with the fewest occupied bits, 0 for all.
func (r *Report) setPages(p *model.Profile, layout int, l *model.Layout, n int) {
	r.Pages = dump.NewPages(p, layout, l, n)
	r.addProblems(l.Problems...)
}

// dumpList returns a pointer to a table of a dump by its name; "" is the table that the report is about.
func (r *Report) dumpList(table string) (any, bool) {
	switch {
	case r.Series != nil && (table == "series" || table == "" && r.Schema == SchemaReport):
		return &r.Series, true
	case r.Series != nil && table == "treemap":
		return &[]singleRow{}, true
	case r.Series != nil && table == "series_events":
		return &r.SeriesEvents, true
	case r.Pages == nil:
		return nil, false
	}
	switch table {
	case "page_types", "":
		return &r.Pages.Types, true
	case "holes":
		return &r.Pages.Holes, true
	case "runs":
		return &r.Pages.Runs, true
	case "sparse_pages":
		return &r.Pages.Sparse, true
	}
	return nil, false
}
