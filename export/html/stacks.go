package html

import (
	"fmt"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// stacks fills the page about a profile of weighted stacks.
func (b *builder) stacks() error {
	s := b.src.Report.Stacks
	if s == nil {
		return nil
	}
	if s.SourceTool != "" {
		b.Facts = append(b.Facts, "recorded by "+model.Clean(s.SourceTool))
	}
	if s.Command != "" {
		b.Facts = append(b.Facts, "of "+model.Clean(s.Command))
	}
	for _, c := range []struct {
		label string
		n     int64
	}{{"Stacks", s.Counts.Stacks}, {"Frames", s.Counts.Frames}, {"Samples", s.Counts.Samples}, {"Threads", s.Counts.Threads}} {
		if n := uint64(max(c.n, 0)); n > 0 || c.label == "Stacks" {
			b.Cards = append(b.Cards, card{Label: c.label, Value: model.ShortCount(n), Exact: model.Group(n)})
		}
	}
	if s.Metric == nil {
		b.stackEvents(s)
		return nil
	}
	metric := model.Clean(*s.Metric)
	unit := unitOf(s.Measure())
	scope := "event " + model.Clean(*s.Event) + " by " + metric
	if of := b.src.Selection; of != nil {
		if estimate := of.Profile.Events[of.Event].Estimate(); estimate != "" {
			scope += ", " + estimate
		}
	}
	b.Scope = append(b.Scope, scope)
	b.filters(s.Filters)
	if s.Total != nil {
		total := s.Total.String()
		if n := s.Total.Uint64(); !s.Total.IsFloat() && s.Total.Float64() == float64(n) {
			total = model.Group(n)
		}
		first := card{Label: metric, Value: total, Note: "in total, event " + model.Clean(*s.Event)}
		if unit == "bytes" && !s.Total.IsFloat() {
			first = bytesCard(metric, s.Total.Uint64(), first.Note)
		}
		if b.src.Report.File.Estimated() {
			first.Value, first.Exact = model.AsEstimate(first.Value), model.AsEstimate(first.Exact)
		}
		b.Cards = append([]card{first}, b.Cards...)
	}
	if b.src.Report.File.Estimated() {
		unit = model.EstimateMark + unit
	}
	if len(b.src.Report.Series) > 0 {
		b.seriesChart()
	}
	b.stackFindings(s, metric)
	if b.src.Selection != nil {
		if err := b.part("Flame graph", func() error { return b.stackFlame(metric, unit) }); err != nil {
			return err
		}
	}
	b.functionTables(s, unit)
	b.stackGroups(s, unit)
	b.topTable(s, unit)
	b.stackEvents(s)
	if len(b.src.Report.Series) > 0 {
		b.seriesTable(b.src.Report.Series, len(b.src.Profile.Timeline.Series))
	}
	threads := b.table("threads", "Threads", "threads by weight", 0,
		cols(titles.Weight+":"+unit, titles.Share+":share", titles.PID+":plain", titles.TID+":plain", titles.Name+":text")...)
	threads.More = s.Rows.Threads - len(s.Threads)
	for _, t := range s.Threads {
		threads.add(t.Value.Float64(), portion(t.Value, s.Total), known(t.PID), known(t.TID), model.Clean(t.Comm))
	}
	b.keep(threads)
	b.windowTable(s, unit)
	return nil
}

// windowTable adds the windows by time.
func (b *builder) windowTable(s *report.Stacks, unit string) {
	if len(s.Windows) == 0 {
		return
	}
	t := b.table("windows", "Windows", model.Counted(s.Rows.Windows, "window")+" in the order of their times", 1,
		cols(titles.Start+":plain", titles.Weight+":"+unit, titles.Window+":text")...)
	t.More = s.Rows.Windows - len(s.Windows)
	for _, w := range s.Windows {
		t.add(w.Start.In(b.src.Report.Time.Unit), w.Value.Float64(), model.Clean(w.ID))
	}
	b.keep(t)
}

// unitOf returns the kind of column of a metric.
func unitOf(m model.Measure) string {
	switch {
	case m.Bytes:
		return "bytes"
	case m.Tick == 1e-3:
		return "ns"
	case m.Tick == 1:
		return "us"
	}
	return "count"
}

// portion returns a share of the total, nil if that is unknown.
func portion(a report.Amount, total *report.Amount) any {
	if total == nil || total.Float64() <= 0 {
		return nil
	}
	return round(float64(a.ShareOf(total.Amount)))
}

func (b *builder) stackFindings(s *report.Stacks, metric string) {
	say := func(label, function string, a report.Amount, text string) {
		if s.Total != nil && s.Total.Float64() > 0 && a.Float64() > 0 {
			b.Findings = append(b.Findings, finding{Sign: "info", Label: label, Name: b.name(function),
				Text: fmt.Sprintf("%v of all %s %s", a.ShareOf(s.Total.Amount), metric, text)})
		}
	}
	if len(s.Functions) == 0 && !b.src.Report.LeftOut("functions") {
		b.Findings = append(b.Findings, finding{Sign: "info", Label: "empty", Name: none,
			Text: "no stack has a weight for this event and metric: there is nothing to draw"})
	}
	if len(s.Owners) > 0 {
		say("heaviest", s.Owners[0].Name, s.Owners[0].Self, "by itself and through libraries")
	} else if len(s.Functions) > 0 {
		say("heaviest", s.Functions[0].Function, s.Functions[0].Self, "in the function itself")
	}
	for _, f := range s.Inclusive {
		if p, ok := portion(f.Total, s.Total).(float64); ok && p < 0.98 {
			say("below it", f.Function, f.Total, "in the function and what it calls")
			break
		}
	}
}

func (b *builder) functionTables(s *report.Stacks, unit string) {
	for _, l := range []struct {
		id, title string
		rows      []report.WeighedFunction
		all, sort int
	}{{"functions", "By self", s.Functions, s.Rows.Functions, 0}, {"total_functions", "By total", s.Inclusive, s.Rows.Inclusive, 2}} {
		t := b.table(l.id, l.title, model.Counted(l.all, "function"), l.sort,
			cols(titles.Self+":"+unit, titles.Share+":share", titles.Total+":"+unit, titles.Share+":share",
				titles.Function+":name", titles.DSO+":text")...)
		t.Group, t.More = "Functions", l.all-len(l.rows)
		for _, f := range l.rows {
			dso := ""
			if f.DSO != nil {
				dso = model.Clean(*f.DSO)
			}
			t.add(f.Self.Float64(), portion(f.Self, s.Total), f.Total.Float64(), portion(f.Total, s.Total),
				b.name(places.Place{Function: &f.Function}.Name()), dso)
		}
		b.keep(t)
	}
}

// stackGroups adds the table of groups.
func (b *builder) stackGroups(s *report.Stacks, unit string) {
	t := b.table("groups", "By "+s.GroupedBy(), model.Counted(s.Rows.Groups, "group")+" by "+s.GroupedBy(), 0,
		cols(titles.Self+":"+unit, titles.Share+":share", titles.Total+":"+unit, titles.Share+":share", titles.Group+":text")...)
	t.Group, t.More = "Functions", s.Rows.Groups-len(s.Groups)
	for _, g := range s.Groups {
		t.add(g.Self.Float64(), portion(g.Self, s.Total), g.Total.Float64(), portion(g.Total, s.Total),
			model.Clean(g.Name))
	}
	b.keep(t)
}

func (b *builder) topTable(s *report.Stacks, unit string) {
	t := b.table("top", "Stacks", model.Counted(s.Rows.Top, "stack")+", heaviest first", 0,
		cols(titles.Weight+":"+unit, titles.Share+":share", titles.Frame+":place")...)
	t.More = s.Rows.Top - len(s.Top)
	p := b.src.Profile
	for _, r := range s.Top {
		if b.full(t) {
			t.More++
			continue
		}
		frames := []int{}
		for id := range r.Frames.All() {
			if len(frames) == b.limits.frames {
				frames = append(frames, -1)
				break
			}
			f := p.Stacks.At(id)
			frames = append(frames, b.frame(places.Place{Function: &f.Function, File: &f.File, Line: &f.Line}))
		}
		var leaf any
		if len(frames) > 0 {
			leaf = frames[0]
		}
		t.add(r.Value.Float64(), portion(r.Value, s.Total), leaf)
		t.Stacks = append(t.Stacks, frames)
	}
	b.keep(t)
}

func (b *builder) stackEvents(s *report.Stacks) {
	t := b.table("events", "Events", model.Counted(len(s.Events), "event"), none,
		cols(titles.Event+":text", titles.Kind+":text", titles.Stacks+":count", titles.Metric+":text", titles.Sum+":count")...)
	for _, e := range s.Events {
		for _, m := range e.Totals {
			t.add(model.Clean(e.Name), model.Clean(e.Kind), e.Stacks, model.Clean(m.Metric), m.Sum.Float64())
		}
		if len(e.Totals) == 0 {
			t.add(model.Clean(e.Name), model.Clean(e.Kind), e.Stacks, "", nil)
		}
	}
	b.keep(t)
}
