package areas

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/heatmap"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Names of tables.
const (
	HeatTable     = "heatmap"
	LifetimeTable = "lifetime_heatmap"
)

// heatColumns is the number of columns of a heat map: those that 80 cells have room for, next to a name.
const heatColumns = 40

// Heatmap is sites or lifetimes over time. Cells are what lives at most in a column, or what is allocated in it.
type Heatmap struct {
	Metric   string       `json:"metric"`
	By       string       `json:"by"` // what rows are: "stack", "lifetime"
	Filters  []string     `json:"filters,omitzero"`
	Edges    []model.Time `json:"edges_us"` // a column is after an edge until the next one
	All      []uint64     `json:"all"`      // of all blocks
	Rows     []HeatRow    `json:"rows"`     // the largest first; lifetimes the shortest first
	RowCount int          `json:"row_count"`

	most   uint64
	bytes  bool
	living bool
	table  string
}

// HeatRow is a site, a group, or a class of lifetimes.
type HeatRow struct {
	Name  string  `json:"name"`
	Stack *uint64 `json:"stack,omitzero"`
	places.Place
	LifeFrom *uint64  `json:"life_from_us,omitzero"` // of a class of lifetimes; absent where blocks were never freed
	LifeTo   *uint64  `json:"life_to_us,omitzero"`
	Value    uint64   `json:"value"` // the most in a column of what lives, else the sum
	Cells    []uint64 `json:"cells"` // by column
}

// OfTime returns the heat map of a trace by the figure opt.By, live bytes unless it has one, and the groups of opt.Group,
// or by lifetimes. Errors are those of ctx and of trace.
func OfTime(ctx context.Context, p *model.Profile, trace analysis.Trace, lifetimes bool, opt report.Options) (*report.Report, error) {
	r, err := report.BeginTrace(ctx, p, trace, &opt)
	if err != nil {
		return nil, err
	}
	m, err := heatmap.Of(ctx, trace, heatmap.Query{Range: opt.Range, Columns: heatColumns, Cost: costOf(opt.By),
		By: opt.Group, Lifetimes: lifetimes, Rows: opt.Limit, Cell: opt.Cell})
	if err != nil {
		return nil, err
	}
	h := &Heatmap{Metric: report.TreeMetrics()[m.Cost], By: opt.Group.String(), Filters: report.FilterLines(opt.Cell),
		Edges: m.Edges, All: m.All, Rows: []HeatRow{}, RowCount: m.Count, most: m.Most, bytes: m.Cost.IsBytes(), table: HeatTable,
		living: m.Cost == analysis.CostLive || m.Cost == analysis.CostLiveCount}
	if lifetimes {
		h.By, h.table = "lifetime", LifetimeTable
	}
	for i := range m.Rows {
		h.Rows = append(h.Rows, heatRow(p, &m.Rows[i], opt.Group, lifetimes))
	}
	r.Alone = report.Alone{h}
	return r, nil
}

func heatRow(p *model.Profile, r *heatmap.Row, by analysis.Group, lifetimes bool) HeatRow {
	out := HeatRow{Value: r.Value, Cells: r.Cells}
	if lifetimes {
		if out.Name = heatmap.LifeName(r.Life); r.Life != analysis.NeverFreed {
			lo, hi := analysis.ClassBounds(r.Life)
			out.LifeFrom, out.LifeTo = &lo, &hi
		}
		return out
	}
	out.Name = r.Site.Name
	if by == analysis.ByStack {
		id := uint64(r.Site.Stack)
		if out.Stack = &id; p.Stacks != nil && r.Site.Node != 0 && p.Stacks.Has(r.Site.Node) {
			out.Place = places.Of(p.Stacks, p.Stacks.Frame[calltree.SiteNode(p.Stacks, r.Site.Node)])
		}
	}
	return out
}

// Member implements [report.Single].
func (h *Heatmap) Member() string { return HeatTable }

// Table implements [report.Single].
func (h *Heatmap) Table() string { return h.table }

// List implements [report.Single].
func (h *Heatmap) List() any { return &h.Rows }

// Scope implements [report.Single].
func (h *Heatmap) Scope() (scope []string, metric string) {
	return report.FilterText(h.Filters), h.Metric
}

// Layout implements [report.Single]: a character for each column.
func (h *Heatmap) Layout(s cells.Style, full bool) *cells.Table {
	out := &cells.Table{Heading: "Heat map", Answer: "no columns", More: h.RowCount - len(h.Rows)}
	out.Heads = []cells.Head{{Text: titles.Total, Kind: cells.Number}, {Kind: cells.Sketch}, {Text: titles.Name, Kind: cells.Name},
		{Text: titles.Where, Kind: cells.Where}}
	if h.living {
		out.Heads[0].Text = titles.AtMost
	}
	if n := len(h.Edges); n > 1 {
		out.Answer = fmt.Sprintf("%s, %s of %s", h.Metric, model.Counted(n-1, "column"), s.Time((h.Edges[n-1]-h.Edges[0])/model.Time(n-1)))
		out.Heads[1].Text = heatmap.Legend(h.most, s.ASCII, func(n uint64) string { return h.short(s, n) })
	}
	for i := range h.Rows {
		r := &h.Rows[i]
		name, at := model.Clean(r.Name), r.Base()
		if full {
			at = r.Where()
		}
		if h.By != "lifetime" && !full {
			name = s.Function(name)
		}
		out.Rows = append(out.Rows, []string{h.amount(s)(r.Value), heat(s.ASCII, r.Cells, h.most), s.Text(name), at})
	}
	if h.By == "lifetime" {
		out.Heads[2].Text = titles.Lifetime
		out.Heads = out.Heads[:3]
		for i := range out.Rows {
			out.Rows[i] = out.Rows[i][:3]
		}
	}
	return out
}

// amount returns how cells are written.
func (h *Heatmap) amount(s cells.Style) func(uint64) string {
	if h.bytes {
		return s.Bytes
	}
	return s.Count
}

// short writes a figure in a few characters.
func (h *Heatmap) short(s cells.Style, n uint64) string {
	if h.bytes {
		return s.Short(n)
	}
	return model.ShortCount(n)
}

// heat returns a sign for each cell.
func heat(ascii bool, values []uint64, most uint64) string {
	text := ""
	for _, n := range values {
		text += heatmap.Sign(heatmap.Level(n, most), ascii)
	}
	return text
}
