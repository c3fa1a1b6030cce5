package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// dumpAbout returns the parts of the headline that only dumps have.
func (t *TextWriter) dumpAbout() []string {
	if t.r.DumpCounts == nil {
		return nil
	}
	c := t.r.DumpCounts
	return []string{model.Counted(c.Series, "series"), model.Counted(c.Points, "point"), model.Counted(c.Layouts, "layout")}
}

// dumpScope returns the instant and layout of the figures below.
func (t *TextWriter) dumpScope() []string {
	var parts []string
	if t.r.DumpCounts != nil {
		parts = append(parts, t.r.instant())
	}
	p := t.r.Pages
	if p == nil {
		return parts
	}
	at := fmt.Sprintf("layout %d: point %d of series %d", p.Layout, p.Point, p.Series)
	if p.SeriesName != "" {
		at += " (" + model.Clean(p.SeriesName) + ")"
	}
	if p.Time != nil {
		at += ", " + p.Time.String()
	}
	return append(parts, at)
}

// dumpTables returns the lists about curves and pages, in the order of the text report.
func (r *Report) dumpTables(s cells.Style, full bool) []table {
	var list []table
	w := dumpWriter{r, s, full}
	if r.DumpCounts != nil {
		list = append(list, w.series(), w.events())
	} else if r.Series != nil {
		list = append(list, w.series())
	}
	if r.Pages != nil {
		list = append(list, w.types(), w.lengths(), w.sparse())
	}
	return list
}

type dumpWriter struct {
	r     *Report
	style cells.Style
	full  bool // unabbreviated names: for Markdown
}

// OrUnnamed returns a name, cleaned, or a placeholder for an empty one.
func OrUnnamed(s string) string {
	if s == "" {
		return "(no name)"
	}
	return model.Clean(s)
}

// valueText renders a measured number, "" for one that is not known.
func valueText(s cells.Style, v *dump.Value) string {
	if v == nil {
		return ""
	}
	f := math.Round(math.Abs(float64(*v)))
	out := s.Bytes(uint64(min(f, math.MaxInt64)))
	if *v < 0 && f > 0 {
		out = "-" + out
	}
	return out
}

func (w dumpWriter) series() table {
	out := table{
		name: "series", title: "Series", answer: model.Counted(len(w.r.Series), "curve"),
		cols: []col{{titles.Number, number}, {titles.Points, number}, {titles.Min, number}, {titles.Mean, number},
			{titles.Max, number}, {titles.Value, number}, {titles.Trend, sketch}, {titles.Events, number},
			{titles.Layouts, number}, {titles.Name, name}},
	}
	if c := w.r.DumpCounts; c != nil {
		out.more, out.answer = c.Series-len(w.r.Series), model.Counted(c.Series, "curve")
	}
	for _, s := range w.r.Series {
		out.rows = append(out.rows, []string{
			fmt.Sprint(s.Index), w.style.Count(uint64(s.Points)), valueText(w.style, s.Min),
			valueText(w.style, (*dump.Value)(s.Mean)), valueText(w.style, s.Max),
			valueText(w.style, s.At), w.style.Spark(s.History, historyColumns), w.style.Count(uint64(s.Events)),
			w.style.Count(uint64(s.Layouts)), OrUnnamed(s.Name),
		})
	}
	return out
}

func (w dumpWriter) events() table {
	out := table{
		name: "series_events", title: "Events", more: w.r.DumpCounts.Events - len(w.r.SeriesEvents),
		answer: model.Counted(w.r.DumpCounts.Events, "event"),
		cols:   []col{{titles.Time, number}, {titles.Series, number}, {titles.Value, number}, {titles.Name, name}},
	}
	for _, e := range w.r.SeriesEvents {
		out.rows = append(out.rows, []string{w.style.Time(e.Time), fmt.Sprint(e.Series), valueText(w.style, &e.Value), model.Clean(e.Name)})
	}
	return out
}

func (w dumpWriter) types() table {
	p := w.r.Pages
	pages := p.FullPages + p.EmptyPages + p.PartialPages
	out := table{
		name: "page_types", title: "Pages",
		answer: fmt.Sprintf("%s of %s occupied in %s", w.style.Bytes(p.OccupiedBytes), w.style.Bytes(p.Bytes),
			model.Counted(pages, "page")),
		cols: []col{{titles.Pages, number}, {titles.Bytes, number}, {titles.Occupied, number}, {titles.Share, number},
			{titles.Full, number}, {titles.Empty, number}, {titles.Holes, number},
			{titles.Largest, number}, {titles.Reclaimable, number}, {titles.Type, name}},
	}
	for _, t := range p.Types {
		out.rows = append(out.rows, []string{
			w.style.Count(uint64(t.Pages)), w.style.Bytes(t.Bytes), w.style.Bytes(t.OccupiedBytes), w.style.Share(t.OccupiedBytes, t.Bytes),
			w.style.Count(uint64(t.FullPages)), w.style.Count(uint64(t.EmptyPages)), w.style.Count(t.HoleCount),
			w.style.Bits(t.LargestHole),
			w.style.Bytes(t.Returned), OrUnnamed(t.Name),
		})
	}
	return out
}

// lengths sets holes and runs of one length side by side.
func (w dumpWriter) lengths() table {
	p := w.r.Pages
	out := table{
		name: "holes", title: "Holes and runs by length",
		answer: fmt.Sprintf("%s, %s of occupied bytes", model.Counted(p.HoleCount, "hole"), model.Counted(p.RunCount, "run")),
		cols: []col{{titles.From, number}, {titles.To, number}, {titles.Holes, number}, {titles.Free, number},
			{"", sketch}, {titles.Runs, number}, {titles.Occupied, number}, {"", sketch}},
	}
	holes, runs := p.Holes, p.Runs
	topHole, topRun := dump.MostBits(holes), dump.MostBits(runs)
	for len(holes)+len(runs) > 0 {
		var h, r dump.RunClass
		from := uint64(math.MaxUint64)
		if len(holes) > 0 {
			from = holes[0].Min
		}
		if len(runs) > 0 && runs[0].Min <= from {
			from, r, runs = runs[0].Min, runs[0], runs[1:]
		}
		if len(holes) > 0 && holes[0].Min == from {
			h, holes = holes[0], holes[1:]
		}
		out.rows = append(out.rows, []string{
			w.style.Bits(from), w.style.Bits(from<<1 - 1), w.style.Count(h.Count), w.style.Bits(h.Bits),
			w.style.Bar(h.Bits, topHole, barCells/2),
			w.style.Count(r.Count), w.style.Bits(r.Bits), w.style.Bar(r.Bits, topRun, barCells/2),
		})
	}
	return out
}

func (w dumpWriter) sparse() table {
	p := w.r.Pages
	out := table{
		name: "sparse_pages", title: "Sparsest pages", more: p.SparseCount - len(p.Sparse),
		answer: model.Counted(p.SparseCount, "partial page"),
		cols:   []col{{titles.Occupied, number}, {titles.Share, number}, {titles.Size, number}, {titles.Page, number}, {titles.Type, name}},
	}
	for _, s := range p.Sparse {
		out.rows = append(out.rows, []string{
			w.style.Bits(s.Occupied), w.style.Share(s.Occupied, s.Occupied+s.Free), w.style.Bytes(s.Size),
			fmt.Sprint(s.Page), OrUnnamed(s.Name),
		})
	}
	return out
}

// DumpTables returns the names of the tables of curves and layouts that [WriteCSV] can write, the default first.
func DumpTables() []string {
	return append([]string{"series", "series_events", "treemap"}, PageTables()...)
}

// PageTables returns the names of the tables of a layout that [WriteCSV] can write, the default first.
func PageTables() []string { return strings.Fields("page_types holes runs sparse_pages") }
