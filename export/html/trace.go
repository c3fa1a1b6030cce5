package html

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/ages"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// trace fills the page about an allocation trace.
func (b *builder) trace() error {
	t := b.src.Report.Trace
	if t == nil {
		return nil
	}
	b.Scope = append(b.Scope, "live figures "+b.instant())
	b.filters(t.Filters)
	if len(t.Unfiltered) > 0 {
		b.Scope = append(b.Scope, "not filtered: "+strings.Join(t.Unfiltered, ", "))
	}
	if len(b.Scope) > 1 {
		b.Scope = append(b.Scope, "findings are about the whole run")
	}
	b.traceCards(t)
	if t.AllocCount == 0 && t.Live.Count == 0 {
		text := "no allocation was recorded: there is nothing to draw"
		if b.src.Report.Time.From != nil || b.src.Report.Time.To != nil {
			text = "nothing was allocated in the range, and nothing is live at its end"
		}
		b.Findings = append(b.Findings, finding{Sign: "info", Label: "empty", Name: none, Text: text})
	}
	b.findings(t)
	for _, part := range []struct {
		section, what string
		add           func() error
	}{{sectionTimeline, "Charts", b.traceCharts}, {sectionFlame, "Flame graph", b.traceFlame}} {
		if !b.wants(part.section) {
			continue
		}
		if err := b.part(part.what, part.add); err != nil {
			return err
		}
	}
	b.siteTables(t)
	b.groupTable(t)
	b.leakTables(t)
	b.ageTable(t)
	b.smallTables(t)
	return nil
}

// instant returns the instant in words.
func (b *builder) instant() string {
	at, end := b.src.Report.Time.At, b.src.Report.Time.Duration
	if at == nil || end == nil || *at == *end {
		return "at the end"
	}
	return "at " + at.String()
}

func (b *builder) traceCards(t *report.Trace) {
	if t.Peak != nil {
		b.Cards = append(b.Cards, bytesCard("Peak", t.Peak.Bytes, "at "+t.Peak.Time.String()+" in "+model.Counted(t.Peak.Count, "block")))
	}
	bound := ""
	if t.LiveUpperBound {
		bound = ", an upper bound"
	}
	b.Cards = append(b.Cards,
		bytesCard("Live "+b.instant(), t.Live.Bytes, "in "+model.Counted(t.Live.Count, "block")+bound),
		bytesCard("Allocated", t.AllocBytes, "in "+model.Counted(t.AllocCount, "block")),
	)
	if !b.src.Report.LeftOut("leaks") {
		b.Cards = append(b.Cards, bytesCard("Never freed", t.Leaks.Bytes, "in "+model.Counted(t.Leaks.Count, "block")+
			" from "+model.Counted(t.Rows.Leaks, "site")))
	}
	sampled := b.src.Report.File.Sampled != ""
	if t.AllocCount > 0 && !sampled { // else two events in a row are those of two samples
		b.Cards = append(b.Cards, card{
			Label: "Temporary", Value: strings.TrimSuffix(share(t.TemporaryCount, t.AllocCount), " %"), Unit: "%",
			Note: model.Counted(t.TemporaryCount, "block") + " freed by the very next event",
		})
	}
	if sampled {
		for i := range b.Cards {
			b.Cards[i].estimate()
		}
	}
	if t.GCCount > 0 {
		b.Cards = append(b.Cards, bytesCard("Collected", t.GCBytes, model.Counted(t.GCObjects, "object")+" in "+
			model.Counted(t.GCCount, "collection")))
	}
}

// findings adds the findings of the complete run, like the other formats.
func (b *builder) findings(t *report.Trace) {
	for i := range t.Findings {
		f := &t.Findings[i]
		if f.Kind == analysis.FindingDamage.String() && !b.Complete {
			continue // already in head
		}
		about := f.Certain("")
		if line := f.Line(false); line != "" {
			about = strings.TrimSuffix("at "+line+", "+about, ", ")
		}
		if about != "" {
			about += ": "
		}
		x := finding{Sign: signOf(f.Kind), Label: f.Kind, Name: none, Text: about + model.Clean(f.Evidence), Spark: f.History()}
		if !f.Owner.IsZero() {
			x.Name = b.name(f.Owner.Titled())
		}
		b.Findings = append(b.Findings, x)
	}
}

// signOf returns the sign that colors a kind of finding.
func signOf(kind string) string {
	switch kind {
	case analysis.FindingDamage.String(), analysis.FindingLeak.String():
		return "bad"
	case analysis.FindingNoAddress.String(), analysis.FindingBurst.String(), analysis.FindingTemporary.String(),
		analysis.FindingLate.String():
		return "warn"
	case analysis.FindingClean.String():
		return "good"
	}
	return "info"
}

func (b *builder) siteTables(t *report.Trace) {
	sites := []struct {
		id, title, answer string
		rows              []report.Site
		all               int
		levels            bool // live figures at an instant
		whole             uint64
	}{
		{"sites", "By allocation", model.Bytes(t.AllocBytes).String() + " allocated at " +
			model.Counted(t.Rows.Sites, "site"), t.Sites, t.Rows.Sites, false, t.AllocBytes},
		{"live_sites", "Live " + b.instant(), model.Bytes(t.Live.Bytes).String() + " live at " +
			model.Counted(t.Rows.LiveSites, "site"), t.LiveSites, t.Rows.LiveSites, true, t.Live.Bytes},
		{"peak_sites", "At the peak", "", t.PeakSites, t.Rows.PeakSites, true, 0},
	}
	if t.Peak != nil {
		sites[2].whole = t.Peak.Bytes
		sites[2].answer = model.Bytes(t.Peak.Bytes).String() + " live at " + t.Peak.Time.String()
	}
	for _, s := range sites {
		columns := cols(titles.Allocated+":bytes", titles.Share+":share", titles.Allocs+":count",
			titles.Temporary+":share:of the blocks, freed by the very next event", titles.Live+":bytes",
			titles.Peak+":bytes", titles.Leaked+":bytes", titles.Verdict+":text", titles.Sure+":sure:of the verdict",
			titles.Site+":place", titles.Stack+":plain:its id in the file")
		if s.levels {
			columns = cols(titles.Live+":bytes", titles.Share+":share", titles.Blocks+":count", titles.Allocated+
				":bytes", titles.Verdict+":text", titles.Sure+":sure:of the verdict", titles.Site+":place",
				titles.Stack+":plain:its id in the file")
		}
		out := b.table(s.id, s.title, s.answer, 0, columns...)
		out.Group, out.More = "Sites", s.all-len(s.rows)
		for i := range s.rows {
			if b.full(out) {
				out.More += len(s.rows) - i
				break
			}
			b.siteRow(out, &s.rows[i], s.levels, s.whole)
		}
		b.keep(out)
	}
}

func (b *builder) siteRow(out *table, r *report.Site, levels bool, whole uint64) {
	at := b.frame(places.SitePlace(r.Place, r.Frames))
	if levels {
		out.add(r.LiveBytes, part(r.LiveBytes, whole), r.LiveCount, r.AllocBytes, r.Verdict, r.Sure.Part(), at, r.Stack)
	} else {
		out.add(r.AllocBytes, part(r.AllocBytes, whole), r.AllocCount, part(r.TemporaryCount, r.AllocCount),
			r.LiveBytes, r.PeakBytes, r.LeakedBytes, r.Verdict, r.Sure.Part(), at, r.Stack)
	}
	out.Stacks = append(out.Stacks, b.stack(r.Frames))
}

// stack returns the frames of a stack, leaf first.
func (b *builder) stack(f places.Frames) []int {
	out := []int{}
	for p := range f.All() {
		if len(out) == b.limits.frames {
			return append(out, len(out)-f.Depth())
		}
		out = append(out, b.frame(p))
	}
	return out
}

// part returns a share with four digits, nil of nothing.
func part(n, whole uint64) any {
	if whole == 0 {
		return nil
	}
	return round(float64(model.ShareOf(n, whole)))
}

func (b *builder) leakTables(t *report.Trace) {
	for _, l := range []struct {
		id, title, answer string
		rows              []report.LeakSite
		all               int
		whole             uint64
	}{
		{"leaks", "Never freed", model.Bytes(t.Leaks.Bytes).String() + " in " + model.Counted(t.Leaks.Count, "block"),
			t.Leaks.Sites, t.Rows.Leaks, t.Leaks.Bytes},
		{"late_freed", "Freed only at the end", model.Bytes(t.LateFreed.Bytes).String() +
			" that lived for at least half of the run and were freed in its last 2 %", t.LateFreed.Sites,
			t.Rows.LateFreed, t.LateFreed.Bytes},
	} {
		out := b.table(l.id, l.title, l.answer, 0,
			cols(titles.Bytes+":bytes", titles.Share+":share", titles.Blocks+":count",
				titles.Births+":spark:bytes that were never freed, by the time of allocation",
				titles.Verdict+":text", titles.Sure+":sure:of the verdict", titles.Growth+":rate:of a leak",
				titles.MedianAge+":us", titles.First+":us:allocation of the oldest",
				titles.Last+":us:allocation of the newest", titles.Site+":place", titles.Stack+":plain:its id in the file")...)
		out.Group, out.More = "Leaks", l.all-len(l.rows)
		for i := range l.rows {
			r := &l.rows[i]
			if b.full(out) {
				out.More += len(l.rows) - i
				break
			}
			out.add(r.Bytes, part(r.Bytes, l.whole), r.Count, r.History(), r.Verdict, r.Sure.Part(), known(r.Growth), r.Median,
				r.First, r.Last, b.frame(places.SitePlace(r.Place, r.Frames)), r.Stack)
			out.Stacks = append(out.Stacks, b.stack(r.Frames))
		}
		b.keep(out)
	}
}

// ageTable adds the ages of what was never freed next to the lifetimes of what was, of each site of a finding.
func (b *builder) ageTable(t *report.Trace) {
	out := b.table("ages", "Ages and lifetimes",
		"of findings, by site: ages of blocks never freed, and lifetimes of the others", none,
		cols(titles.Site+":place", titles.From+":us", titles.To+":us",
			titles.Leaked+":count:blocks that were never freed, by their age at the end", ":bar",
			titles.Freed+":count:blocks that were freed, by how long they lived", ":bar",
			titles.Stack+":plain:its id in the file")...)
	out.Group = "Leaks"
	for i := range t.Ages {
		a, at := &t.Ages[i], none
		for k := range t.Findings {
			if f := &t.Findings[k]; len(f.Stacks) > 0 && f.Stacks[0] == a.Stack {
				at = b.frame(f.Owner.Place)
				break
			}
		}
		for _, c := range ageClasses(a) {
			out.add(at, c.min, c.max, c.count[0], c.count[0], c.count[1], c.count[1], a.Stack)
		}
	}
	b.keep(out)
}

// ageClass counts the blocks that were never freed and the freed ones whose age, or lifetime, is in a range.
type ageClass struct {
	min, max uint64
	count    [2]uint64
}

// ageClasses returns the ranges in which a site has blocks, shortest first.
func ageClasses(a *ages.Site) []ageClass {
	by := map[uint64]ageClass{}
	for k, list := range [2][]ages.Times{a.Ages, a.Lived} {
		for _, t := range list {
			c := by[t.Min]
			c.min, c.max = t.Min, t.Max
			c.count[k] += t.Count
			by[t.Min] = c
		}
	}
	return slices.SortedFunc(maps.Values(by), func(a, b ageClass) int { return cmp.Compare(a.min, b.min) })
}

// groupTable adds the table of groups, in the requested order.
func (b *builder) groupTable(t *report.Trace) {
	by := t.GroupedBy()
	columns := cols(titles.Allocated+":bytes", titles.Allocs+":count", titles.Temporary+":share", titles.Live+":bytes",
		titles.Peak+":bytes", titles.Leaked+":bytes")
	if !by.Divides() {
		columns = append(columns, cols(titles.Sites+":count",
			titles.Verdict+":text:the most telling one of its sites", titles.Sure+":sure:of the verdict")...)
	}
	g := b.table("groups", "By "+by.String(), model.Counted(t.Rows.Groups, "group")+" by "+by.String(), none,
		append(columns, cols(titles.Group+":text")...)...)
	g.Group, g.More = "Sites", t.Rows.Groups-len(t.Groups)
	for _, r := range t.Groups {
		cells := []any{r.AllocBytes, r.AllocCount, part(r.TemporaryCount, r.AllocCount), r.LiveBytes, r.PeakBytes, r.LeakedBytes}
		if !by.Divides() {
			cells = append(cells, r.Sites, r.Verdict, r.Sure.Part())
		}
		g.add(append(cells, model.Clean(r.Group))...)
	}
	b.keep(g)
}

func (b *builder) smallTables(t *report.Trace) {
	f := b.table("functions", "Functions", "allocated by the function itself and below it", 0,
		cols(titles.Total+":bytes", titles.Share+":share", titles.Allocs+":count", titles.Self+":bytes",
			titles.Allocs+":count", titles.Function+":name")...)
	f.More = t.Rows.Functions - len(t.Functions)
	for _, r := range t.Functions {
		if b.full(f) {
			f.More++
			continue
		}
		f.add(r.TotalBytes, part(r.TotalBytes, t.AllocBytes), r.TotalCount, r.SelfBytes, r.SelfCount,
			b.name(places.Place{Function: &r.Function}.Name()))
	}
	b.keep(f)
	sizes := b.table("sizes", "Sizes of blocks", "allocated blocks by size", none,
		cols(titles.From+":bytes", titles.To+":bytes", titles.Blocks+":count", ":bar", titles.Bytes+":bytes")...)
	if b.src.Report.File.Sampled != "" {
		sizes.Title, sizes.Answer = "Weights of samples", "what samples represent: sizes of allocations are not known"
	}
	for _, s := range t.Sizes {
		sizes.add(s.Min, s.Max, s.Count, s.Count, s.Bytes)
	}
	sizes.Group = "Blocks"
	b.keep(sizes)
	lives := b.table("lifetimes", "Lifetimes", "freed blocks by how long they lived", none,
		cols(titles.From+":us", titles.To+":us", titles.Blocks+":count", ":bar", titles.Bytes+":bytes")...)
	for _, s := range t.Lifetimes {
		lives.add(s.Min, s.Max, s.Count, s.Count, s.Bytes)
	}
	lives.Group = "Blocks"
	b.keep(lives)
	threads := b.table("threads", "Threads", model.Counted(t.Rows.Threads, "thread"), 1,
		cols(titles.Thread+":plain", titles.Allocated+":bytes", titles.Share+":share", titles.Allocs+":count")...)
	threads.More = t.Rows.Threads - len(t.Threads)
	for _, r := range t.Threads {
		threads.add(r.Thread, r.AllocBytes, part(r.AllocBytes, t.AllocBytes), r.AllocCount)
	}
	b.keep(threads)
	markers := b.table("markers", "Markers", model.Counted(t.Rows.Markers, "marker"), none,
		cols(titles.Time+":us", titles.Name+":text")...)
	markers.More = t.Rows.Markers - len(t.Markers)
	for _, m := range t.Markers {
		markers.add(m.Time, model.Clean(m.Name))
	}
	b.keep(markers)
}
