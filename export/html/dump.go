package html

import (
	"fmt"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// grid is one page layout: a cell for one or more pages, in the file's order.
type grid struct {
	Title  string     `json:"title"`
	Answer string     `json:"answer"`
	Types  []gridType `json:"types"`
}

// gridType is the pages of one type. A character of Cells is a cell, its place in [fillRunes] the occupied part in
// fiftieths: only empty ones are 0, and only full ones 50.
type gridType struct {
	Name  string `json:"name"`
	Pages int    `json:"pages"`
	Size  uint64 `json:"size"` // of every page, 0 where they differ
	Per   int    `json:"per"`  // pages per cell
	Cells string `json:"cells"`
}

const fillRunes = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO"

// dump fills the page about curves and a page layout.
func (b *builder) dump() error {
	r := b.src.Report
	if r.DumpCounts == nil {
		return nil
	}
	b.Scope = append(b.Scope, b.instant())
	b.pageCards(r.Pages)
	b.seriesChart()
	b.pageGrid()
	b.seriesTables(r)
	if r.Pages != nil {
		b.pageTables(r.Pages)
	}
	return nil
}

func (b *builder) pageCards(p *dump.Pages) {
	b.Cards = append(b.Cards, card{Label: "Series", Value: model.Group(uint64(b.src.Report.DumpCounts.Series))})
	if p == nil {
		return
	}
	b.Scope = append(b.Scope, fmt.Sprintf("page layout %d: point %d of series %d", p.Layout, p.Point, p.Series))
	pages := p.FullPages + p.EmptyPages + p.PartialPages
	b.Cards = append(b.Cards,
		bytesCard("Pages", p.Bytes, model.Counted(pages, "page")+", "+model.Group(uint64(p.FullPages))+" full, "+
			model.Group(uint64(p.EmptyPages))+" empty"),
		bytesCard("Occupied", p.OccupiedBytes, share(p.OccupiedBits, p.OccupiedBits+p.FreeBits)+" of all bits"),
		bytesCard("Largest hole", min(p.LargestHole, 1<<60)*8, "of "+model.Counted(p.HoleCount, "hole")),
		bytesCard("Reclaimable", p.Returned, "by packing occupied memory into the fewest pages"),
	)
	if p.Bytes > 0 {
		sign := "info"
		if p.Returned > p.Bytes/4 {
			sign = "warn"
		}
		b.Findings = append(b.Findings, finding{Sign: sign, Label: "pages", Name: none,
			Text: fmt.Sprintf("%s of %s in pages are occupied; packing them would reclaim %v",
				model.Bytes(p.OccupiedBytes), model.Bytes(p.Bytes), model.Bytes(p.Returned))})
	}
}

func (b *builder) seriesChart() {
	t := b.src.Profile.Timeline
	const most = 12
	end := pages.TimelineEnd(t)
	c := chart{ID: "series", Title: "Measured series", Answer: model.Counted(len(t.Series), "curve"), Axis: "us",
		Unit: "bytes", To: float64(end), Marks: []mark{}}
	if t.AxisUnit != "" {
		c.Axis, c.Per = "count", t.AxisUnit
		c.Answer += " by " + t.AxisUnit
	}
	columns := min(b.limits.columns, 1200)
	for i := range t.Series {
		s := &t.Series[i]
		if len(s.Times) == 0 {
			continue
		}
		if len(c.Curves) == most {
			b.cut("Measured series: the first %d of %s are drawn", most, model.Counted(len(t.Series), "curve"))
			break
		}
		name := model.Clean(s.Name)
		if name == "" {
			name = fmt.Sprintf("series %d", i)
		}
		line := curve{Name: name}
		for _, col := range pages.NewSeriesCurve(s).Columns(0, max(end, 1), columns) {
			var lo, hi any
			switch {
			case col.Points > 0:
				lo, hi = col.Min, col.Max
			case col.Known:
				lo, hi = col.Last, col.Last
			}
			line.Min, line.Max = append(line.Min, lo), append(line.Max, hi)
		}
		c.Curves = append(c.Curves, line)
		for _, e := range s.Events {
			if len(c.Marks) < maxMarks {
				c.Marks = append(c.Marks, mark{"marker", float64(e.At), model.Clean(e.Name)})
			}
		}
	}
	if at := b.src.Report.Time.At; at != nil && *at != end {
		c.Marks = append(c.Marks, mark{"at", float64(*at), "instant " + at.In(t.AxisUnit)})
	}
	if len(c.Curves) > 0 {
		b.Charts = append(b.Charts, c)
	}
}

func (b *builder) pageGrid() {
	l := b.src.Layout
	if l == nil {
		return
	}
	all := 0
	for i := range l.Types {
		all += l.Types[i].Len()
	}
	per := 1
	for all/per > b.limits.cells {
		per *= 2
	}
	g := &grid{Title: "Pages", Answer: model.Counted(all, "page") + " in the order of the file, a cell for " + model.Counted(per, "page")}
	for i := range l.Types {
		t := &l.Types[i]
		if t.Len() == 0 {
			continue
		}
		fills := pages.Fills(t)
		cells := make([]byte, 0, len(fills)/per+1)
		for from := 0; from < len(fills); from += per {
			cells = append(cells, fillRunes[fiftieths(pages.MixFills(fills[from:min(from+per, len(fills))]))])
		}
		name := model.Clean(t.Name)
		if name == "" {
			name = "(no name)"
		}
		g.Types = append(g.Types, gridType{name, t.Len(), t.Uniform, per, string(cells)})
	}
	if len(g.Types) > 0 {
		b.Grid = g
	}
	if per > 1 {
		b.cut("Pages: one cell is %d pages", per)
	}
}

// fiftieths rounds a fill: only empty pages are 0, only full ones 50.
func fiftieths(f pages.Fill) int {
	switch f {
	case 0:
		return 0
	case pages.FullFill:
		return 50
	}
	return min(max(int(f)*50/int(pages.FullFill), 1), 49)
}

// seriesTable adds a table of some of all curves.
func (b *builder) seriesTable(list []dump.Series, all int) {
	value := func(v *dump.Value) any {
		if v == nil {
			return nil
		}
		return float64(*v)
	}
	t := b.table(seriesTable, "Series", model.Counted(all, "curve"), none,
		cols(titles.Number+":plain", titles.Name+":text", titles.Value+":bytes", titles.Min+":bytes",
			titles.Mean+":bytes", titles.Max+":bytes", titles.Points+":count", titles.Events+":count", titles.Layouts+":count")...)
	t.More = all - len(list)
	for _, s := range list {
		t.add(s.Index, model.Clean(s.Name), value(s.At), value(s.Min), value((*dump.Value)(s.Mean)), value(s.Max),
			s.Points, s.Events, s.Layouts)
	}
	b.keep(t)
}

func (b *builder) seriesTables(r *report.Report) {
	b.seriesTable(r.Series, r.DumpCounts.Series)
	e := b.table("series_events", "Events", model.Counted(r.DumpCounts.Events, "event"), none,
		cols(titles.Time+":us", titles.Series+":plain", titles.Value+":bytes", titles.Name+":text")...)
	e.More = r.DumpCounts.Events - len(r.SeriesEvents)
	for _, x := range r.SeriesEvents {
		e.add(x.Time, x.Series, float64(x.Value), model.Clean(x.Name))
	}
	b.keep(e)
}

func (b *builder) pageTables(p *dump.Pages) {
	t := b.table("page_types", "Types of pages", model.Counted(len(p.Types), "type"), none,
		cols(titles.Type+":text", titles.Pages+":count", titles.Bytes+":bytes", titles.Occupied+":bytes",
			titles.Share+":share", titles.Full+":count", titles.Empty+":count", titles.Holes+":count", titles.Reclaimable+":bytes")...)
	for _, x := range p.Types {
		t.add(model.Clean(x.Name), x.Pages, x.Bytes, x.OccupiedBytes, part(x.OccupiedBits, x.OccupiedBits+x.FreeBits),
			x.FullPages, x.EmptyPages, x.HoleCount, x.Returned)
	}
	b.keep(t)
	for _, l := range []struct {
		id, title string
		rows      []dump.RunClass
	}{{"holes", "Holes", p.Holes}, {"runs", "Occupied runs", p.Runs}} {
		x := b.table(l.id, l.title, "by length; one bit is 8 bytes", none,
			cols(titles.From+":count", titles.To+":count", titles.Count+":count", ":bar", titles.Bits+":count")...)
		x.Group = "Fragmentation"
		for _, r := range l.rows {
			x.add(r.Min, r.Max, r.Count, r.Count, r.Bits)
		}
		b.keep(x)
	}
	s := b.table("sparse_pages", "Sparsest pages", model.Counted(p.SparseCount, "partial page"), none,
		cols(titles.Type+":text", titles.Page+":plain", titles.Size+":bytes", titles.Occupied+":count:in bits",
			titles.Free+":count:in bits")...)
	s.Group, s.More = "Fragmentation", p.SparseCount-len(p.Sparse)
	for _, x := range p.Sparse {
		s.add(model.Clean(x.Name), x.Page, x.Size, x.Occupied, x.Free)
	}
	b.keep(s)
}
