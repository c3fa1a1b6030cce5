// Package heatmap answers who held or took memory when: sites, or lifetimes of blocks, over time.
package heatmap

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Query asks for a heat map of a trace.
type Query struct {
	Range     analysis.Range
	Columns   int            // equal parts of the range, of at least a microsecond each
	Cost      analysis.Cost  // see [Figure]
	By        analysis.Group // of rows
	Lifetimes bool           // rows are classes of lifetimes instead of groups
	Rows      int            // most rows; 0 is all
	Cell      analysis.Cell  // only blocks in it
}

// Figure returns what cells show for a cost: the most bytes or blocks that live in a column, or what is allocated in it.
// At the peak that is what lives; of temporary blocks, all that are allocated.
func Figure(c analysis.Cost) analysis.Cost {
	switch c {
	case analysis.CostPeak:
		return analysis.CostLive
	case analysis.CostTemporary:
		return analysis.CostCount
	}
	return c
}

// Map is a heat map. It is read-only.
type Map struct {
	Cost  analysis.Cost // of the cells, as [Figure] has it
	Edges []model.Time  // the columns: the first is after Edges[0] until Edges[1]
	Rows  []Row         // of groups, the largest first; of lifetimes, the shortest first
	All   []uint64      // of all blocks, also those of rows that were left out
	Most  uint64        // the largest cell of a row
	Count int           // of rows, before the limit
}

// Row is a group or a class of lifetimes.
type Row struct {
	Site  analysis.Site // the group; unset for lifetimes
	Life  int           // the class of lifetimes
	Value uint64        // by which rows are ordered: the most in a column of what lives, else the sum
	Cells []uint64      // by column
}

// Of answers a query. Errors are those of ctx and of trace.
func Of(ctx context.Context, trace analysis.Trace, q Query) (*Map, error) {
	m := &Map{Cost: Figure(q.Cost)}
	end := trace.Status().Duration
	from, to := max(q.Range.From, 0), min(q.Range.To, end)
	n := max(min(int64(q.Columns), int64(to-from)), 1)
	ask := analysis.LiveQuery{Range: analysis.Range{From: q.Range.From, To: max(to, from)}, Columns: int(n), Cell: q.Cell, By: q.By,
		ByLife: q.Lifetimes}
	if m.Cost == analysis.CostLeaked {
		ask.Cell = unfreed(q.Cell)
	}
	if !q.Lifetimes {
		if err := m.choose(ctx, trace, &q, &ask); err != nil {
			return nil, err
		}
	}
	live, err := trace.LiveOf(ctx, ask)
	if err != nil {
		return nil, err
	}
	m.fill(live)
	if q.Lifetimes {
		m.classes(live)
	}
	return m, nil
}

// unfreed returns the blocks of a cell that are never freed.
func unfreed(c analysis.Cell) analysis.Cell {
	if c.Rectangle().IsAll() {
		c.SizeTo, c.LifeTo = analysis.SizeClasses, analysis.LifeClasses
	}
	c.LifeFrom = max(c.LifeFrom, min(analysis.NeverFreed, c.LifeTo))
	return c
}

// choose selects the groups of the rows, and adds them to the query.
func (m *Map) choose(ctx context.Context, trace analysis.Trace, q *Query, ask *analysis.LiveQuery) error {
	figure := func(s *analysis.Site) uint64 {
		switch m.Cost {
		case analysis.CostLive, analysis.CostLiveCount:
			return s.PeakBytes
		}
		return s.Cost(m.Cost)
	}
	living := m.Cost == analysis.CostLive || m.Cost == analysis.CostLiveCount
	sites, err := trace.Sites(ctx, analysis.Query{At: analysis.At(max(q.Range.From, 0)), Range: q.Range, By: q.By, Cell: q.Cell,
		NoPeaks: !living})
	if err != nil {
		return err
	}
	sites = slices.DeleteFunc(sites, func(s analysis.Site) bool { return figure(&s) == 0 })
	slices.SortFunc(sites, func(a, b analysis.Site) int {
		return cmp.Or(cmp.Compare(figure(&b), figure(&a)), cmp.Compare(a.Key, b.Key))
	})
	if m.Count = len(sites); q.Rows > 0 {
		sites = sites[:min(q.Rows, len(sites))]
	}
	for i := range sites {
		m.Rows = append(m.Rows, Row{Site: sites[i]})
		ask.Parts = append(ask.Parts, []analysis.Key{sites[i].Key})
	}
	return nil
}

// cell returns the figure of a column.
func (m *Map) cell(c *analysis.Column) uint64 {
	switch m.Cost {
	case analysis.CostLive:
		return c.MaxBytes
	case analysis.CostLiveCount:
		return c.MaxCount
	case analysis.CostCount:
		return c.AllocCount
	}
	return c.AllocBytes
}

// cells returns the figures of columns, and the value of their row.
func (m *Map) cells(columns []analysis.Column) (out []uint64, value uint64) {
	for i := range columns {
		n := m.cell(&columns[i])
		if out = append(out, n); m.Cost == analysis.CostLive || m.Cost == analysis.CostLiveCount {
			value = max(value, n)
		} else {
			value, _ = model.SaturatingAdd(value, n)
		}
	}
	return out, value
}

// fill sets the columns and the cells of groups.
func (m *Map) fill(live analysis.LiveCurves) {
	for i := range live.All {
		if i == 0 {
			m.Edges = append(m.Edges, live.All[i].From)
		}
		m.Edges = append(m.Edges, live.All[i].To)
	}
	m.All, _ = m.cells(live.All)
	for i := range m.Rows {
		r := &m.Rows[i]
		r.Cells, r.Value = m.cells(live.Parts[i])
		m.Most = max(m.Most, slices.Max(r.Cells))
	}
}

// classes makes a row of each class of lifetimes from the shortest to the longest that any block has.
func (m *Map) classes(live analysis.LiveCurves) {
	first, last := analysis.LifeClasses, -1
	rows := make([]Row, len(live.Parts))
	for c := range live.Parts {
		r := Row{Life: c}
		if r.Cells, r.Value = m.cells(live.Parts[c]); r.Value > 0 {
			m.Most = max(m.Most, slices.Max(r.Cells))
			if c != analysis.NeverFreed {
				first, last = min(first, c), max(last, c)
			}
		}
		rows[c] = r
	}
	for c := first; c <= last; c++ {
		m.Rows = append(m.Rows, rows[c])
	}
	if rows[analysis.NeverFreed].Value > 0 {
		m.Rows = append(m.Rows, rows[analysis.NeverFreed])
	}
	m.Count = len(m.Rows)
}

// Column returns the column of a time.
func (m *Map) Column(t model.Time) int {
	i, _ := slices.BinarySearch(m.Edges, t)
	return min(max(i-1, 0), max(len(m.Edges)-2, 0))
}
