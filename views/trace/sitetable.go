package trace

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// siteKey determines the figures of all sites.
type siteKey struct {
	revision uint64
	analysis.Query
}

// siteRows are the figures of all sites, and what they add up to. Read-only once made.
type siteRows struct {
	key  siteKey
	rows []analysis.Site
	sum  analysis.Site // sums; PeakBytes is the largest
	keys int           // one more than the largest key
}

// fetchSites asks for all sites.
func fetchSites(ctx context.Context, trace analysis.Trace, k siteKey) (*siteRows, error) {
	rows, err := trace.Sites(ctx, k.Query)
	if err != nil {
		return nil, err
	}
	t := &siteRows{key: k, rows: rows}
	for i := range rows {
		t.sum = addSite(t.sum, &rows[i])
		t.keys = max(t.keys, int(rows[i].Key)+1)
	}
	return t, nil
}

func addSite(sum analysis.Site, s *analysis.Site) analysis.Site {
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
	return sum
}

// peakWord is what filters call peaks.
const peakWord = "peak"

// filtersPeaks reports whether rows cannot be chosen without their peaks, which take a walk over the trace: while more is read they
// are there only for who needs them. Upper and lower case are the same to filters.
func filtersPeaks(s *state.State) bool { return strings.Contains(strings.ToLower(s.Filter), peakWord) }

// siteColumn is a column of the sites table, in the order of the table.
type siteColumn int

const (
	siteLive siteColumn = iota
	siteShare
	SitePeak
	siteTotal
	siteCount
	siteTemp
	siteLeaked
	siteMean
	siteTrend
	siteShape
	siteName
	siteWhere
)

// shapeKey determines the shapes of all groups: those of keys 0 … keys-1.
type shapeKey struct {
	revision uint64
	by       analysis.Group
	only     calltree.StackFilter
	keys     int
}

// shapeSet is the shapes of all groups by key. Read-only once made.
type shapeSet struct {
	by     analysis.Group
	only   calltree.StackFilter
	shapes []analysis.Shape
}

func fetchShapes(ctx context.Context, trace analysis.Trace, k shapeKey) (*shapeSet, error) {
	keys := make([]analysis.Key, k.keys)
	for i := range keys {
		keys[i] = analysis.Key(i)
	}
	shapes, err := trace.Shapes(ctx, k.by, k.only, keys)
	return &shapeSet{k.by, k.only, shapes}, err
}

// of is the shape of a group, none before it is known.
func (s *shapeSet) of(q *analysis.Query, k analysis.Key) analysis.Shape {
	if s == nil || s.by != q.By || s.only != q.Cell.Stacks || int(k) >= len(s.shapes) {
		return analysis.Shape{}
	}
	return s.shapes[k]
}

// figure is the number that a column of numbers shows; that of live bytes for the others.
func (c siteColumn) figure() func(*analysis.Site) uint64 {
	switch c {
	case SitePeak:
		return func(s *analysis.Site) uint64 { return s.PeakBytes }
	case siteTotal:
		return func(s *analysis.Site) uint64 { return s.AllocBytes }
	case siteCount:
		return func(s *analysis.Site) uint64 { return s.AllocCount }
	case siteTemp:
		return func(s *analysis.Site) uint64 { return s.Temporary }
	case siteLeaked:
		return func(s *analysis.Site) uint64 { return s.LeakBytes }
	case siteMean:
		return (*analysis.Site).MeanSize
	}
	return func(s *analysis.Site) uint64 { return s.LiveBytes }
}

// reportKey is the column's name for `memtui report --by`, "" where the report cannot sort so.
func (c siteColumn) reportKey() string {
	switch c {
	case siteLive, siteShare:
		return "live_bytes"
	case SitePeak:
		return "peak_bytes"
	case siteTotal:
		return "alloc_bytes"
	case siteCount:
		return "alloc_count"
	case siteTemp:
		return "temporary_count"
	case siteLeaked:
		return "leaked_bytes"
	}
	return ""
}

// siteColumns lays the table out for a width of w cells.
func siteColumns(w int, f ui.Figures, sum *analysis.Site, by analysis.Group) []widget.Column {
	const right = widget.Right
	b := f.BytesWidth(max(sum.AllocBytes, sum.LiveBytes))
	cut, shape := widget.CutScope, 17
	if f.Wide {
		shape = 20
	}
	if by == analysis.ByFile || by == analysis.ByModule {
		cut = widget.CutFolder
	}
	cols := []widget.Column{
		siteLive:   {Title: "LIVE", Width: b, Align: right},
		siteShare:  {Title: "SHARE", Width: 6, Grow: 1, MaxWidth: 12, Drop: 9},
		SitePeak:   {Title: "PEAK", Width: b, Align: right, Drop: 2},
		siteTotal:  {Title: "TOTAL", Width: b, Align: right, Drop: 3},
		siteCount:  {Title: "COUNT", Width: f.CountWidth(sum.AllocCount), Align: right, Drop: 4},
		siteTemp:   {Title: "TEMP", Width: model.ShareWidth, Align: right, Drop: 5},
		siteLeaked: {Title: "LEAK", Width: b, Align: right, Drop: 5},
		siteMean:   {Title: "MEAN", Width: b, Align: right, Drop: 6},
		siteTrend:  {Title: "TREND", Width: 6, Grow: 2, MaxWidth: 20, Drop: 1},
		siteShape:  {Title: "SHAPE", Width: shape, Drop: 8},
		siteName:   {Title: siteTitle(by), Width: 17, Grow: 8, Cut: cut},
		siteWhere:  {Title: "PLACE", Width: 18, Grow: 1, MaxWidth: 30, Drop: 7, Cut: widget.CutFolder},
	}
	if by != analysis.ByStack { // they have none: left out at any width
		ui.Hide(&cols[siteWhere])
	}
	return cols
}

func siteTitle(by analysis.Group) string {
	if by == analysis.ByStack {
		return "SITE"
	}
	return strings.ToUpper(by.String())
}

// filterSite shows a site to a filter.
type filterSite struct {
	site  *analysis.Site
	sum   *analysis.Site
	label ui.SiteLabel // as the table shows it
	age   model.Time   // of its oldest block, for leaks
	aged  bool
	texts [4]string
}

// Texts implements analysis.Row.
func (r *filterSite) Texts() []string {
	r.texts = [...]string{r.site.Name, r.site.Where, r.label.Name, r.label.Where}
	return r.texts[:]
}

// Value implements analysis.Row. Shares are of the sum of all sites; those of temporary and leaked blocks are of the
// site's own.
func (r *filterSite) Value(field string, share bool) (float64, bool) {
	s, v, whole := r.site, uint64(0), uint64(0)
	switch field {
	case "live":
		v, whole = s.LiveBytes, r.sum.LiveBytes
	case "blocks":
		v, whole = s.LiveCount, r.sum.LiveCount
	case peakWord:
		v, whole = s.PeakBytes, r.sum.PeakBytes
	case "total":
		v, whole = s.AllocBytes, r.sum.AllocBytes
	case "count":
		v, whole = s.AllocCount, r.sum.AllocCount
	case "temp":
		v, whole = s.Temporary, s.AllocCount
	case "leaked":
		if share {
			return s.LeakShare(), true
		}
		v = s.LeakBytes
	case "freed":
		v, whole = s.FreedBytes, r.sum.FreedBytes
	case "overwritten":
		v, whole = s.OverwrittenBytes, r.sum.OverwrittenBytes
	case "mean":
		v = s.MeanSize()
	case "age":
		return float64(r.age), r.aged && !share
	default:
		return 0, false
	}
	if share {
		return ui.ShareOf(v, whole), whole > 0
	}
	return float64(v), true
}

// trendKey determines sparklines: the groups are packed, four bytes each, to be comparable.
type trendKey struct {
	revision uint64
	by       analysis.Group
	only     calltree.StackFilter
	keys     string
}

func packKeys(keys []analysis.Key) string {
	b := make([]byte, 0, 4*len(keys))
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint32(b, uint32(k))
	}
	return string(b)
}

// trendSet is the sparklines of a few groups. Read-only once made.
type trendSet struct {
	by    analysis.Group
	only  calltree.StackFilter
	byKey map[analysis.Key][]uint64
}

// of is the sparkline of a group, none before it is known.
func (t *trendSet) of(by analysis.Group, only calltree.StackFilter, k analysis.Key) []uint64 {
	if t == nil || t.by != by || t.only != only {
		return nil
	}
	return t.byKey[k]
}

// fetchTrends asks for the histories of a few groups.
func fetchTrends(ctx context.Context, trace analysis.Trace, k trendKey) (*trendSet, error) {
	var keys []analysis.Key
	for b := []byte(k.keys); len(b) >= 4; b = b[4:] {
		keys = append(keys, analysis.Key(binary.LittleEndian.Uint32(b)))
	}
	histories, err := trace.History(ctx, k.by, k.only, keys, analysis.HistoryColumns)
	if err != nil {
		return nil, err
	}
	out := &trendSet{k.by, k.only, make(map[analysis.Key][]uint64, len(keys))}
	for i, h := range histories {
		out.byKey[keys[i]] = h
	}
	return out, nil
}
