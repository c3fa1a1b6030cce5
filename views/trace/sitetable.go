package trace

import (
	"cmp"
	"context"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// siteKey determines the figures of all sites.
type siteKey struct {
	revision uint64
	analysis.Query
}

// siteRows are the figures of all sites, with their sums. Read-only once made.
type siteRows struct {
	key  siteKey
	rows []analysis.Site
	sum  analysis.Site // sums; PeakBytes is the largest
	keys int           // one more than the largest key
}

// askSites computes the figures of all sites.
func askSites(ctx context.Context, trace analysis.Trace, k siteKey) (*siteRows, error) {
	rows, err := trace.Sites(ctx, k.Query)
	if err != nil {
		return nil, err
	}
	t := &siteRows{key: k, rows: rows}
	for i := range rows {
		addSite(&t.sum, &rows[i])
		t.keys = max(t.keys, int(rows[i].Key)+1)
	}
	return t, nil
}

func addSite(sum, s *analysis.Site) {
	add := func(to *uint64, n uint64) { *to, _ = model.SaturatingAdd(*to, n) }
	add(&sum.LiveBytes, s.LiveBytes)
	add(&sum.LiveCount, s.LiveCount)
	add(&sum.AllocBytes, s.AllocBytes)
	add(&sum.AllocCount, s.AllocCount)
	add(&sum.LeakBytes, s.LeakBytes)
	add(&sum.LeakCount, s.LeakCount)
	add(&sum.FreedBytes, s.FreedBytes)
	add(&sum.OverwrittenBytes, s.OverwrittenBytes)
	add(&sum.Temporary, s.Temporary)
	sum.PeakBytes = max(sum.PeakBytes, s.PeakBytes)
}

// peakWord is the name of peaks in filters.
const peakWord = "peak"

// filtersPeaks reports whether rows cannot be filtered without their peaks, which take a walk over the trace: while
// more is read they are computed only on demand. Filters ignore case.
func filtersPeaks(s *state.State) bool { return strings.Contains(strings.ToLower(s.Filter), peakWord) }

// naming determines the names of rows in a table of groups.
type naming struct {
	labels  *ui.SiteLabels
	stacks  *model.Stacks
	full    bool
	sampled bool // blocks are samples, whose mean size says nothing
	chosen  model.Sampling
}

// counted returns what is drawn in place of the title of a column that counts blocks, "" for that.
func (n naming) counted() string {
	if n.sampled {
		return titles.Samples
	}
	return ""
}

// errors returns the column of how far sums of bytes are off, which only a sampled recording has.
func errors[R any](n naming, like string, of func(r *R) (bytes, samples uint64)) ui.Column[R] {
	return ui.Column[R]{Title: titles.Error, Width: 6, Drop: 4, Right: true, Like: like, Hidden: !n.sampled,
		Cell: func(r *R) widget.Cell { return widget.Cell{Text: n.chosen.ErrorText(of(r))} }}
}

func (n naming) label(by analysis.Group, s *analysis.Site) ui.SiteLabel {
	return n.labels.Label(n.stacks, by, s, n.full)
}

// words returns the texts that words of a filter match.
func (n naming) words(by analysis.Group, s *analysis.Site) []string {
	label := n.label(by, s)
	words := []string{s.Name, s.Where, label.Name, label.Where}
	if owner := n.labels.FilterName(n.stacks, by, s); by == analysis.ByStack && owner != "" {
		words = append(words, ownerWord(owner))
	}
	return words
}

// ownerWord returns a text that filters of tables match in addition to a site's names: "owner:" and the function that
// owns it.
func ownerWord(function string) string { return "owner:" + funcname.Bare(function) }

// siteData determines the table of sites.
type siteData struct {
	*siteRows
	naming
	verdicts *verdictSet // to sort by verdict, else nil
}

// siteSpec returns the table of sites. Rows are ordered as in the report: by the value, then by the tie, then by stack.
func (p *Sites) siteSpec() ui.Spec[siteData, analysis.Site] {
	return ui.Spec[siteData, analysis.Site]{
		Rows:    func(d siteData) []analysis.Site { return d.rows },
		Columns: p.columns,
		ID:      func(d siteData, s *analysis.Site) uint64 { return groupID(d.key.By, s.Key) },
		Words: func(d siteData) func(*analysis.Site) []string {
			return func(s *analysis.Site) []string {
				words := d.words(d.key.By, s)
				if d.verdicts != nil {
					words = append(words, d.verdicts.of(d.key.By, d.key.Cell.Stacks, s.Key).Kind.String())
				}
				return words
			}
		},
		Last: func(a, b *analysis.Site) int { return cmp.Or(cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key)) },
		Add:  addSite,
		Most: func(d siteData) (bytes, count uint64) {
			return max(d.sum.AllocBytes, d.sum.LiveBytes), d.sum.AllocCount
		},
		Wide: 150,
	}
}

// columns returns the columns of the table of sites. Shares are of the sum of all sites; those of temporary and leaked
// blocks are of the site's own.
func (p *Sites) columns(d siteData) []ui.Column[analysis.Site] {
	type site = analysis.Site
	by, all := d.key.By, d.key.Cell.Rectangle().IsAll()
	f, count := siteFigures(&d.sum, itself), func(s *site) uint64 { return s.AllocCount }
	f.live.Title, f.live.Tie = titles.Live, liveTie
	f.peak.Title, f.peak.Drop, f.peak.Tie = titles.Peak, 2, count
	p.judged().showPeaks(&f.peak, by, d.key.Cell.Stacks, d.key.NoPeaks)
	f.total.Title, f.total.Drop, f.total.Tie = titles.Allocated, 3, count
	f.count.Title, f.count.Width, f.count.Drop = titles.Allocs, 6, 4
	f.temp.Title, f.temp.Drop, f.temp.Tie = titles.Temporary, 5, count
	f.leaked.Title, f.leaked.Drop = titles.Leaked, 5
	f.leaked.Tie = func(s *site) uint64 { return s.LeakCount }
	f.mean.Title, f.mean.Drop, f.mean.Tie = titles.Mean, 6, count
	f.count.Shown, f.mean.Hidden, f.temp.Hidden = d.counted(), d.sampled, d.sampled
	off := errors(d.naming, titles.Allocated, func(s *site) (bytes, samples uint64) { return s.AllocBytes, s.AllocCount })
	liveOff := errors(d.naming, titles.Live, func(s *site) (bytes, samples uint64) { return s.LiveBytes, s.LiveCount })
	liveOff.Drop = 3
	if by != analysis.ByStack {
		f.others = unrecorded(f.others)
	}
	return append([]ui.Column[site]{
		f.live, liveOff, unseen(f.blocks)[0],
		{Title: titles.Share, Width: 5, Grow: 1, MaxWidth: 12, Drop: 9, Like: titles.Live, Cell: p.shareCell},
		f.peak, f.total, f.count, off, f.temp, f.leaked, f.mean,
		{Title: titles.Trend, Width: 6, Grow: 2, MaxWidth: 20, Drop: 1, Like: titles.Verdict, Hidden: !all, Cell: p.trendCell},
		{Title: titles.Verdict, Key: verdictKeyName, Width: 11, Wider: 10, Drop: 4, Hidden: !all, Tie: count,
			Rank: func(s *site) uint64 { v := d.verdicts.of(d.key.By, d.key.Cell.Stacks, s.Key); return v.Order() },
			Cell: func(s *site) widget.Cell { return p.VerdictCell(p.verdictAbout(s.Key), p.Figures) }},
		{Title: titles.Sure, Width: 6, Drop: 8, Right: true, Like: titles.Verdict, Hidden: !all,
			Cell: func(s *site) widget.Cell { return ui.SureCell(p.verdictAbout(s.Key)) }},
		{Title: siteTitle(by), Width: 17, Grow: 8, Cut: siteCut(by), Tie: count,
			Text: func(s *site) string { return d.label(by, s).Name }},
		{Title: titles.Where, Width: 18, Grow: 1, MaxWidth: 30, Drop: 7, Cut: widget.CutFolder, Hidden: by != analysis.ByStack, Tie: count,
			Muted: true, Text: func(s *site) string { return d.label(by, s).Where }},
	}, unseen(f.others...)...)
}

// liveTie returns the sort key of rows with the same live bytes. The report leaves out rows without live blocks; here
// they come after live blocks of 0 bytes, those that allocated most first.
func liveTie(s *analysis.Site) uint64 {
	if s.LiveCount == 0 {
		return s.AllocBytes >> 1
	}
	return s.LiveCount | 1<<63
}

// figures are the columns with figures of a group, without titles. Those that no table shows are used by filters.
type figures[R any] struct {
	live, blocks, peak, total, count, temp, leaked, mean ui.Column[R]
	others                                               []ui.Column[R]
}

// siteFigures returns the figures of rows that are about a group, with the sums that they are parts of.
func siteFigures[R any](sum *analysis.Site, of func(r *R) *analysis.Site) figures[R] {
	const bytes, count = ui.BytesFigure, ui.CountFigure
	column := func(key string, f ui.Figure, whole uint64, value func(s *analysis.Site) uint64, fields ...string) ui.Column[R] {
		return ui.Column[R]{Key: key, Fields: fields, Figure: f, Total: whole, Value: func(r *R) uint64 { return value(of(r)) }}
	}
	f := figures[R]{
		live:   column("live_bytes", bytes, sum.LiveBytes, func(s *analysis.Site) uint64 { return s.LiveBytes }, "live"),
		blocks: column("live_count", count, sum.LiveCount, func(s *analysis.Site) uint64 { return s.LiveCount }, "blocks"),
		peak:   column("peak_bytes", bytes, sum.PeakBytes, func(s *analysis.Site) uint64 { return s.PeakBytes }, peakWord),
		total:  column("alloc_bytes", bytes, sum.AllocBytes, func(s *analysis.Site) uint64 { return s.AllocBytes }, "total"),
		count:  column("alloc_count", count, sum.AllocCount, func(s *analysis.Site) uint64 { return s.AllocCount }, "count"),
		temp:   column("temporary_count", ui.ShareFigure, sum.Temporary, func(s *analysis.Site) uint64 { return s.Temporary }, "temp"),
		leaked: column("leaked_bytes", bytes, sum.LeakBytes, func(s *analysis.Site) uint64 { return s.LeakBytes },
			"leaked", "leak", "bytes"),
		mean: column("", bytes, 0, (*analysis.Site).MeanSize, "mean", "size"),
		others: []ui.Column[R]{
			column("freed_bytes", bytes, sum.FreedBytes, func(s *analysis.Site) uint64 { return s.FreedBytes }, "freed"),
			column("overwritten_bytes", bytes, sum.OverwrittenBytes,
				func(s *analysis.Site) uint64 { return s.OverwrittenBytes }, "overwritten"),
		},
	}
	f.temp.Order, f.mean.Order = "temporary_share", "mean_bytes"
	f.temp.Share = func(r *R) float64 { return of(r).TemporaryShare() }
	f.leaked.Share = func(r *R) float64 { return of(r).LeakShare() }
	return f
}

// all returns the figures in the order in which they are named.
func (f figures[R]) all() []ui.Column[R] {
	return append([]ui.Column[R]{f.live, f.blocks, f.peak, f.total, f.count, f.temp, f.leaked, f.mean}, f.others...)
}

// unseen returns columns that only filters use.
func unseen[R any](cols ...ui.Column[R]) []ui.Column[R] {
	for i := range cols {
		cols[i].Hidden = true
	}
	return cols
}

// unrecorded returns columns that the rows of reports do not have.
func unrecorded[R any](cols []ui.Column[R]) []ui.Column[R] {
	for i := range cols {
		cols[i].Key = ""
	}
	return cols
}

// itself returns the group that a row of Sites is about.
func itself(s *analysis.Site) *analysis.Site { return s }

// siteTitle returns the title of a group's column.
func siteTitle(by analysis.Group) string {
	return [...]string{titles.Site, titles.Function, titles.Owner, titles.File, titles.Module, titles.Thread, titles.Size}[by]
}

// siteCut returns the part of a group's name to cut if it does not fit.
func siteCut(by analysis.Group) widget.Cut {
	if by == analysis.ByFile || by == analysis.ByModule {
		return widget.CutFolder
	}
	return widget.CutScope
}
