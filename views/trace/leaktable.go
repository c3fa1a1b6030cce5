package trace

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// leakList is a list of leaks with its grouping. Read-only once made.
type leakList struct {
	analysis.Leaks
	by       analysis.Group
	verdicts verdict.List  // about all groups
	late     bool          // of blocks that were freed late
	part     bool          // of blocks of a range
	grew     grownSites    // of those that were freed late
	sum      analysis.Site // of all sites
}

func newLeakList(l analysis.Leaks, by analysis.Group, late bool) *leakList {
	list := &leakList{Leaks: l, by: by, late: late}
	for i := range l.Sites {
		addSite(&list.sum, &l.Sites[i].Site)
	}
	return list
}

// grownSites is what is known of the sites that grew like a leak until the program freed everything.
type grownSites struct {
	sites   int
	most    *analysis.LeakSite // the most significant one
	growth  float64            // of all, bytes per second
	bytes   uint64             // freed with the last frees
	younger bool               // some of them had not lived long enough to be in the list
}

// judged adds the verdicts about all groups. Where there is no memory for them, there are none.
func (l *leakList) judged(ctx context.Context, t analysis.Trace, only calltree.Filter) *leakList {
	l.verdicts, _ = t.Verdicts(ctx, l.by, only)
	if l.late {
		l.grew = l.grown()
	}
	return l
}

// grown returns what is known of the sites with the verdict late.
func (l *leakList) grown() (g grownSites) {
	most := uint64(0)
	for i := range l.Sites {
		s := &l.Sites[i]
		v := l.said(s)
		if v.Kind != verdict.Late {
			continue
		}
		if g.sites++; v.Order() > most || g.most == nil {
			g.most, most = s, v.Order()
		}
		g.growth += v.Growth
		g.bytes, _ = model.SaturatingAdd(g.bytes, v.LateBytes)
		g.younger = g.younger || v.Late > s.Count
	}
	return g
}

// said returns the verdict about a row: that about its site in the complete run.
func (l *leakList) said(row *analysis.LeakSite) verdict.Verdict {
	return l.verdicts.Of(uint32(row.Key))
}

// verdictTitle returns the title of the verdicts.
func (l *leakList) verdictTitle() string {
	if l.part {
		return titles.RunsVerdict
	}
	return ""
}

// leakData determines the table of leaks.
type leakData struct {
	*leakList
	naming
}

// leakSpec returns the table of leaks.
func (p *Leaks) leakSpec() ui.Spec[leakData, analysis.LeakSite] {
	return ui.Spec[leakData, analysis.LeakSite]{
		Rows:    func(d leakData) []analysis.LeakSite { return d.Sites },
		Columns: p.columns,
		ID:      func(d leakData, l *analysis.LeakSite) uint64 { return groupID(d.by, l.Key) },
		Words: func(d leakData) func(*analysis.LeakSite) []string {
			return func(l *analysis.LeakSite) []string {
				return append(d.words(d.by, &l.Site), d.said(l).Kind.String())
			}
		},
		Last: func(a, b *analysis.LeakSite) int {
			return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Stack, b.Stack),
				cmp.Compare(a.Key, b.Key))
		},
		Add: func(sum, l *analysis.LeakSite) {
			sum.Bytes, _ = model.SaturatingAdd(sum.Bytes, l.Bytes)
			sum.Count += l.Count
		},
		Most: func(d leakData) (bytes, count uint64) { return d.Bytes, d.Count },
		Wide: 110, First: verdictColumn,
	}
}

// verdictColumn is the column of the verdict, which sorts initially: leaks come before larger rows that do not leak, by
// growth and confidence.
const verdictColumn = 6

// columns returns those of the table of leaks. What was freed late has no shares.
func (p *Leaks) columns(d leakData) []ui.Column[analysis.LeakSite] {
	type leak = analysis.LeakSite
	f := siteFigures(&d.sum, func(l *leak) *analysis.Site { return &l.Site })
	oldest, newest, least := titles.Oldest, titles.Newest, 7
	if d.late {
		oldest, newest, least = titles.Lived, titles.AtLeast, 8
	}
	return append([]ui.Column[leak]{
		{Title: titles.Bytes, Key: "bytes", Fields: f.leaked.Fields, Figure: ui.BytesFigure,
			Value: func(l *leak) uint64 { return l.Bytes }, Share: f.leaked.Share},
		{Title: titles.Blocks, Shown: d.counted(), Key: "count", Fields: f.blocks.Fields, Figure: ui.CountFigure,
			Width: 6, Drop: 3, Total: d.sum.LiveCount,
			Value: func(l *leak) uint64 { return l.Count }},
		errors(d.naming, titles.Bytes, func(l *leak) (bytes, samples uint64) { return l.Bytes, l.Count }),
		{Title: titles.LeakShare, Order: "leaked_share", Figure: ui.ShareFigure, Drop: 4, Hidden: d.late, Share: f.leaked.Share},
		{Title: oldest, Key: "oldest_us", Fields: []string{"age", "oldest"}, Figure: ui.TimeFigure, Width: 7, Drop: 5,
			Value: func(l *leak) uint64 { return uint64(max(l.Oldest, 0)) }},
		{Title: newest, Key: "newest_us", Figure: ui.TimeFigure, Width: least, Drop: 7,
			Value: func(l *leak) uint64 { return uint64(max(l.Newest, 0)) }},
		{Title: titles.Verdict, Shown: d.verdictTitle(), Key: verdictKeyName, Width: 15, Wider: 6, Drop: 2,
			Rank: func(l *leak) uint64 { v := d.said(l); return v.Order() },
			Cell: func(l *leak) widget.Cell { return p.LeakCell(d.said(l), p.Figures) }},
		{Title: titles.Sure, Width: 6, Drop: 8, Right: true, Like: titles.Verdict,
			Cell: func(l *leak) widget.Cell { return ui.SureCell(d.said(l)) }},
		{Title: titles.Births, Width: 6, Grow: 1, MaxWidth: 20, Drop: 1, Like: titles.Verdict,
			Cell: func(l *leak) widget.Cell { return widget.Cell{Kind: widget.SparkCell, Spark: l.History} }},
		{Title: siteTitle(d.by), Width: 16, Grow: 5, Cut: siteCut(d.by), Text: func(l *leak) string { return d.label(d.by, &l.Site).Name }},
		{Title: titles.Where, Width: 18, Grow: 1, MaxWidth: 30, Drop: 6, Cut: widget.CutFolder, Hidden: d.by != analysis.ByStack,
			Muted: true, Text: func(l *leak) string { return d.label(d.by, &l.Site).Where }},
	}, unrecorded(unseen(append(f.others, f.live, f.peak, f.total, f.count, f.temp, f.mean)...))...)
}

// MinAges returns the steps of the minimum age in a run of some duration: round times, and parts of the run.
func MinAges(duration model.Time) []model.Time {
	const ms = model.Second / 1000
	const minute = 60 * model.Second
	steps := []model.Time{0, ms, 10 * ms, 100 * ms, model.Second, 10 * model.Second, minute, 10 * minute, 60 * minute}
	for _, percent := range [...]model.Time{1, 10, 25, 50, 75, 90} {
		steps = append(steps, duration/100*percent+duration%100*percent/100)
	}
	slices.Sort(steps)
	steps = slices.Compact(steps)
	for i, s := range steps {
		if s > duration {
			return steps[:i]
		}
	}
	return steps
}

// NextAge returns the step above (dir > 0) or below a minimum age; the age itself where there is none.
func NextAge(age, duration model.Time, dir int) model.Time {
	steps := MinAges(duration)
	i, found := slices.BinarySearch(steps, age)
	switch {
	case dir < 0:
		i--
	case found:
		i++
	}
	if i < 0 || i >= len(steps) {
		return age
	}
	return steps[i]
}
