package trace

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// orderKey determines which rows are shown, and in which order.
type orderKey struct {
	rows   *siteRows
	filter string
	sort   siteColumn
	up     bool
	shapes *shapeSet // for sorting by shape, else nil
	labels *ui.SiteLabels
	stacks *model.Stacks
	full   bool
}

// siteTable is siteRows filtered and sorted. Read-only once made.
type siteTable struct {
	*siteRows
	order []int32
	shown analysis.Site // sums of the rows in order
}

// rank is what a row is sorted by, next to each other in memory: sorting happens whenever the instant moves.
type rank struct {
	value, tie uint64 // larger ones first
	text       string // instead of value, alphabetically
	row        int32
}

// orderSites filters and sorts. A filter that means nothing hides nothing.
func orderSites(k orderKey) *siteTable {
	f, _ := analysis.ParseFilter(k.filter)
	rows := k.rows.rows
	t := &siteTable{siteRows: k.rows}
	ranks := make([]rank, 0, len(rows))
	value := k.value()
	for i := range rows {
		row := &rows[i]
		if k.filter != "" && !f.Match(&filterSite{site: row, sum: &k.rows.sum, label: k.label(row)}) {
			continue
		}
		t.shown = addSite(t.shown, row)
		r := rank{value: value(row), tie: k.tie(row), row: int32(i)}
		switch k.sort {
		case siteName:
			r.text = k.label(row).Name
		case siteWhere:
			r.text = k.label(row).Where
		}
		if k.up {
			r.value = ^r.value
		}
		ranks = append(ranks, r)
	}
	k.sortRanks(ranks)
	t.order = make([]int32, len(ranks))
	for i := range ranks {
		t.order[i] = ranks[i].row
	}
	return t
}

func (k *orderKey) label(row *analysis.Site) ui.SiteLabel {
	return k.labels.Label(k.stacks, k.rows.key.By, row, k.full)
}

// sortRanks orders as the report does: by the value, then by the tie, then by stack.
func (k *orderKey) sortRanks(ranks []rank) {
	rows := k.rows.rows
	texts := 1
	if k.up {
		texts = -1
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		switch {
		case a.value != b.value:
			return cmp.Compare(b.value, a.value)
		case a.text != b.text:
			return texts * strings.Compare(a.text, b.text)
		case a.tie != b.tie:
			return cmp.Compare(b.tie, a.tie)
		}
		x, y := &rows[a.row], &rows[b.row]
		return cmp.Or(cmp.Compare(x.Stack, y.Stack), cmp.Compare(x.Key, y.Key))
	})
}

// value is the number that rows are sorted by; 0 where they are sorted by text.
func (k *orderKey) value() func(*analysis.Site) uint64 {
	switch k.sort {
	case siteTemp:
		return func(s *analysis.Site) uint64 { return math.Float64bits(s.TemporaryShare()) } // never negative
	case siteName, siteWhere:
		return func(*analysis.Site) uint64 { return 0 }
	case siteTrend, siteShape:
		return func(s *analysis.Site) uint64 { return sortable(k.shapes.of(&k.rows.key.Query, s.Key).Slope) }
	}
	return k.sort.figure()
}

// sortable maps numbers to unsigned ones of the same order.
func sortable(v float64) uint64 {
	const sign = 1 << 63
	if b := math.Float64bits(v); b&sign == 0 {
		return b | sign
	} else {
		return ^b
	}
}

// tie is the number that orders rows of the same value. Of those of which nothing lives, the report shows none; here the
// ones that allocated most come first, behind live blocks without bytes.
func (k *orderKey) tie(s *analysis.Site) uint64 {
	switch k.sort {
	case siteLive, siteShare:
		if s.LiveCount == 0 {
			return s.AllocBytes >> 1
		}
		return s.LiveCount | 1<<63
	case siteLeaked:
		return s.LeakCount
	}
	return s.AllocCount
}
