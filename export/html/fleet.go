package html

import (
	"cmp"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// FleetSource is the input of a page about a fleet of recordings.
type FleetSource struct {
	Answer  *printed.Report
	Place   string   // of the fleet
	Program string   // the program that wrote the page
	Command []string // the command that writes the page again; nil to leave it out
}

// WriteFleet writes the page of an answer, as [Write] does for a file, with the rows of [printed.Report.Write].
func WriteFleet(ctx context.Context, w io.Writer, src *FleetSource) (cut []string, err error) {
	page := &Source{Report: &report.Report{Header: report.Header{Complete: true}}, Program: src.Program, Command: src.Command}
	return writePage(ctx, w, page, src.fill)
}

// fill fills the page.
func (src *FleetSource) fill(b *builder) error {
	r := src.Answer
	b.Title, b.Facts = model.Clean(src.Place), []string{"fleet of recordings"}
	b.Scope = strings.Split(r.About(), " · ")
	b.keep(b.fleet(r))
	for i := range r.Stacks {
		stack := &r.Stacks[i]
		name := "frames"
		if i > 0 {
			name += "-" + strconv.Itoa(i+1)
		}
		frames := b.table(name, "Frames", stack.Stack.String()+", leaf first", none,
			cols(titles.Function+":name", titles.File+":text", titles.Module+":text")...)
		for _, f := range stack.Frames {
			frames.add(b.name(f.Function), b.brief(f.File), b.brief(f.Module))
		}
		b.keep(frames)
	}
	return nil
}

// summaryCols are the columns of the cells of [summaryCells].
var summaryCols = []string{titles.Sum + ":bytes", titles.Median + ":bytes", titles.P95 + ":bytes", titles.Max + ":bytes",
	titles.Hosts + ":count", titles.Share + ":share"}

// summaryCells returns the cells of a distribution over hosts.
func summaryCells(s *fleet.Summary) []any {
	return []any{s.Total, s.Median, s.P95, s.Most, s.Hosts, ratio(s.Hosts, s.All)}
}

// ratio returns n of all as a share, nil of nothing.
func ratio(n, all uint64) any {
	if all == 0 {
		return nil
	}
	return float64(n) / float64(all)
}

// fleet returns the table of an answer.
func (b *builder) fleet(r *printed.Report) (t *table) {
	begin := func(sort int, specs ...string) *table {
		return b.table(r.Question, r.Heading(), strings.Join(r.Notes, " "), sort, cols(specs...)...)
	}
	summed := func(more ...string) *table {
		return begin(0, append(summaryCols[:len(summaryCols):len(summaryCols)], more...)...)
	}
	place := func(p fleet.Place) []any { return []any{b.name(cmp.Or(p.Function, p.Type)), b.brief(p.File)} }
	key := func(k fleet.Key) string {
		if k == 0 {
			return ""
		}
		return k.String()
	}
	switch r.Question {
	case fleet.Diff.String():
		t = begin(0, titles.Delta+":bytes:of the mean host", titles.Before+":bytes:mean", titles.After+":bytes:mean",
			titles.Before+" "+titles.Median+":bytes", titles.Before+" "+titles.P95+":bytes",
			titles.After+" "+titles.Median+":bytes", titles.After+" "+titles.P95+":bytes", titles.Share+":share:of the hosts, after",
			titles.Status+":text", titles.Service+":text", titles.Site+":name", titles.File+":text", titles.Stack+":text")
		for i := range r.Changes {
			x := &r.Changes[i]
			cells := []any{int64(x.Change), int64(x.BeforeMean), int64(x.AfterMean), x.BeforeMedian, x.BeforeP95, x.AfterMedian, x.AfterP95,
				ratio(x.AfterHosts, x.AfterAll),
				x.Status(), b.brief(x.Service)}
			t.add(append(append(cells, place(x.Place)...), key(x.Stack))...)
		}
	case fleet.Outliers.String():
		t = begin(0, titles.Score+":plain", titles.Bytes+":bytes", titles.Median+":bytes", titles.Service+":text", titles.Host+":text")
		for _, x := range r.Hosts {
			t.add(x.Score, x.Value, x.Median, b.brief(x.Service), b.brief(x.Host))
		}
	case fleet.Trend.String():
		t = summed(titles.First+":text", titles.Service+":text", titles.Release+":text")
		t.Sort = none
		for i := range r.Versions {
			x := &r.Versions[i]
			t.add(append(summaryCells(&x.Summary), printed.Started(x.First), b.brief(x.Service), b.brief(x.Version))...)
		}
	case fleet.Spread.String():
		t = summed(titles.Service + ":text")
		for i := range r.Services {
			x := &r.Services[i]
			t.add(append(summaryCells(&x.Summary), b.brief(x.Service))...)
		}
	case fleet.Recordings.String():
		t = begin(0, titles.Bytes+":bytes", titles.Start+":text", titles.Length+":us", titles.Service+":text", titles.Release+":text",
			titles.Host+":text", titles.File+":text")
		for i := range r.Recordings {
			x := &r.Recordings[i]
			t.add(x.Value, printed.Started(x.Start), x.Duration, b.brief(x.Service), b.brief(x.Version), b.brief(x.Host), b.brief(x.URI))
		}
	case fleet.Curve.String():
		t = begin(none, titles.To+":us:since runs began", titles.Median+":bytes", titles.P95+":bytes", titles.Max+":bytes",
			titles.Hosts+":count", titles.Share+":share", titles.Service+":text", titles.Release+":text")
		for i := range r.Curve {
			x := &r.Curve[i]
			t.add(x.Until, x.Median, x.P95, x.Most, x.Hosts, ratio(x.Hosts, x.All), b.brief(x.Service), b.brief(x.Version))
		}
	case fleet.Shared.String():
		t = summed(titles.Services+":text", titles.Site+":name", titles.File+":text", titles.Stack+":text")
		for i := range r.Shared {
			x := &r.Shared[i]
			cells := append(summaryCells(&x.Summary), b.brief(strings.Join(x.Services, ", ")))
			t.add(append(append(cells, place(x.Place)...), key(x.Stack))...)
		}
	default:
		t = summed(titles.Service+":text", titles.Site+":name", titles.File+":text", titles.Stack+":text")
		for i := range r.Sites {
			x := &r.Sites[i]
			cells := append(summaryCells(&x.Summary), b.brief(x.Service))
			t.add(append(append(cells, place(x.Place)...), key(x.Stack))...)
		}
	}
	return t
}
