package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// leakColumn is a column of the leaks table, in the order of the table.
type leakColumn int

const (
	leakBytes leakColumn = iota
	leakBlocks
	leakShare
	leakOldest
	leakNewest
	leakShape
	leakTrend
	leakSite
	leakWhere
)

// leakList is a list of leaks and what it is put together by. Read-only once made.
type leakList struct {
	analysis.Leaks
	by analysis.Group
}

// leakOrder determines which leaks are shown, and in which order.
type leakOrder struct {
	found  *leakList
	filter string
	sort   leakColumn
	up     bool
	labels *ui.SiteLabels
	stacks *model.Stacks
	full   bool
}

// leakTable is a leak list filtered and sorted. Read-only once made.
type leakTable struct {
	leakOrder
	order        []int32
	bytes, count uint64 // of the rows in order
}

// orderLeaks filters and sorts. A filter that means nothing hides nothing.
func orderLeaks(k leakOrder) *leakTable {
	f, _ := analysis.ParseFilter(k.filter)
	t := &leakTable{leakOrder: k}
	rows := k.found.Sites
	sum := analysis.Site{}
	for i := range rows {
		sum = addSite(sum, &rows[i].Site)
	}
	for i := range rows {
		row := &rows[i]
		if k.filter != "" && !f.Match(k.filterRow(row, &sum)) {
			continue
		}
		t.order = append(t.order, int32(i))
		t.bytes, _ = model.SaturatingAdd(t.bytes, row.Bytes)
		t.count += row.Count
	}
	first := k.compare()
	sign := 1
	if k.up {
		sign = -1
	}
	slices.SortFunc(t.order, func(a, b int32) int {
		x, y := &rows[a], &rows[b]
		return cmp.Or(sign*first(x, y), cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Stack, y.Stack),
			cmp.Compare(x.Key, y.Key))
	})
	return t
}

func (k *leakOrder) filterRow(row *analysis.LeakSite, sum *analysis.Site) *filterSite {
	label := k.labels.Label(k.stacks, k.found.by, &row.Site, k.full)
	site := row.Site // with the figures that the columns show
	site.LiveCount, site.LeakBytes = row.Count, row.Bytes
	return &filterSite{site: &site, sum: sum, label: label, age: row.Oldest, aged: true}
}

// compare orders leaks by the column alone: figures largest first, names alphabetically.
func (k *leakOrder) compare() func(a, b *analysis.LeakSite) int {
	switch k.sort {
	case leakBlocks:
		return func(a, b *analysis.LeakSite) int { return cmp.Compare(b.Count, a.Count) }
	case leakShare:
		return func(a, b *analysis.LeakSite) int { return cmp.Compare(b.LeakShare(), a.LeakShare()) }
	case leakOldest:
		return func(a, b *analysis.LeakSite) int { return cmp.Compare(b.Oldest, a.Oldest) }
	case leakNewest:
		return func(a, b *analysis.LeakSite) int { return cmp.Compare(b.Newest, a.Newest) }
	case leakShape, leakTrend:
		return func(a, b *analysis.LeakSite) int { return cmp.Compare(b.Shape.Slope, a.Shape.Slope) }
	case leakSite:
		return func(a, b *analysis.LeakSite) int { return strings.Compare(a.Name, b.Name) }
	case leakWhere:
		return func(a, b *analysis.LeakSite) int { return strings.Compare(a.Where, b.Where) }
	}
	return func(a, b *analysis.LeakSite) int { return cmp.Compare(b.Bytes, a.Bytes) }
}

// leakColumns lays the table out. late tables have no shares and shapes: their blocks were freed.
func leakColumns(f ui.Figures, all *leakList, late bool) []widget.Column {
	const right = widget.Right
	ages, shape := 7, 17
	if f.Wide {
		shape = 20
	}
	if f.Exact {
		ages = 14
	}
	cols := []widget.Column{
		leakBytes:  {Title: "BYTES", Width: f.BytesWidth(all.Bytes), Align: right},
		leakBlocks: {Title: "BLOCKS", Width: max(f.CountWidth(all.Count), 6), Align: right, Drop: 3},
		leakShare:  {Title: "LEAK%", Width: model.ShareWidth, Align: right, Drop: 4},
		leakOldest: {Title: "OLDEST", Width: ages, Align: right, Drop: 5},
		leakNewest: {Title: "NEWEST", Width: ages, Align: right, Drop: 7},
		leakShape:  {Title: "SHAPE", Width: shape, Drop: 2},
		leakTrend:  {Title: "TREND", Width: 6, Grow: 1, MaxWidth: 20, Drop: 1},
		leakSite:   {Title: siteTitle(all.by), Width: 16, Grow: 5, Cut: widget.CutScope},
		leakWhere:  {Title: "PLACE", Width: 18, Grow: 1, MaxWidth: 30, Drop: 6, Cut: widget.CutFolder},
	}
	if late {
		ui.Hide(&cols[leakShare])
		ui.Hide(&cols[leakShape])
		cols[leakOldest].Title, cols[leakNewest].Title, cols[leakNewest].Width = "LIVED", "AT LEAST", max(ages, 8)
	}
	if all.by == analysis.ByFile || all.by == analysis.ByModule {
		cols[leakSite].Cut = widget.CutFolder
	}
	if all.by != analysis.ByStack { // they have none: left out at any width
		ui.Hide(&cols[leakWhere])
	}
	return cols
}

// MinAges are the steps of the minimum age in a run of some duration: round times, and parts of the run.
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

// NextAge is the step above (dir > 0) or below a minimum age; the age itself where there is none.
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
