// Package areas makes the tables of the treemap and of heat maps, from the answers that their screens draw.
package areas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/treemap"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Names of tables.
const (
	TreemapTable   = "treemap"
	DominatorTable = "dominator_treemap" // of heap snapshots
)

// Treemap is memory divided into parts within parts.
type Treemap struct {
	Event    *string       `json:"event,omitzero"`    // of a stack profile
	Metric   string        `json:"metric"`            // of all figures
	Unit     string        `json:"unit,omitzero"`     // "bytes", "us" or "ns"
	By       []string      `json:"by"`                // what the levels are
	Snapshot *int          `json:"snapshot,omitzero"` // of a heap, or the page layout of a dump
	Filters  []string      `json:"filters,omitzero"`  // of stacks
	Below    Path          `json:"below,omitzero"`    // the part that everything here is below
	All      object.Amount `json:"all"`
	Rows     []Part        `json:"rows"`      // each after the part that it belongs to, the largest first
	RowCount int           `json:"row_count"` // parts, without the limit
	Change                 // of all, of a comparison

	compared bool    // Change is known, also of parts
	sampled  [2]bool // the figures of a side of the comparison are estimates

	below   Path // as Below, shortened
	measure model.Measure
	table   string
}

// Part is a row of a treemap.
type Part struct {
	Path  Path          `json:"path"`  // names from the top down to this part
	Depth int           `json:"depth"` // 1 is the top
	Kind  string        `json:"kind"`
	Name  string        `json:"name"`
	Value object.Amount `json:"value"`           // of a comparison the sum of the larger sides of its parts
	Share *float64      `json:"share,omitzero"`  // of all
	Parts int           `json:"parts,omitzero"`  // number of small parts that are together
	Row   *uint64       `json:"object,omitzero"` // of a heap snapshot

	Change // of a comparison

	label string
}

// Path is the names that lead to a part.
type Path []string

// Cell implements the cells of CSV.
func (p Path) Cell() string { return model.Clean(strings.Join(p, " › ")) }

// ErrNoPart is why nothing is below a part.
var ErrNoPart = errors.New("the treemap has no part")

// Limits are what is printed of a treemap: so many levels, parts of a part, and parts in all, 0 is all, below the part
// that names lead to from the top.
type Limits struct {
	Levels, Parts, Rows int
	Below               []string
}

// cut returns the parts of a tree that are printed. Where there are too many in all, each part has fewer.
func (l Limits) cut(tree *treemap.Tree) *treemap.Tree {
	cut := tree.Cut(l.Levels, l.Parts)
	for n := cmp.Or(l.Parts, len(tree.Nodes)); l.Rows > 0 && len(cut.Nodes) > l.Rows && n > 1; {
		n /= 2
		cut = tree.Cut(l.Levels, n)
	}
	return cut
}

// costOf returns the cost that one of [report.TreeMetrics] names: that of live bytes for none, as on screen.
func costOf(metric string) analysis.Cost {
	if metric == "" {
		return analysis.CostLive
	}
	return report.TreeCost(metric)
}

// OfTrace returns the treemap of a trace by the figure opt.By, live bytes unless it has one. Errors are those of ctx and of trace.
func OfTrace(ctx context.Context, p *model.Profile, trace analysis.Trace, l Limits, opt report.Options) (*report.Report, error) {
	r, err := report.BeginTrace(ctx, p, trace, &opt)
	if err != nil {
		return nil, err
	}
	cost := costOf(opt.By)
	metric := report.TreeMetrics()[cost]
	t := &Treemap{Metric: metric, Filters: report.FilterLines(opt.Cell), table: TreemapTable,
		measure: (&model.ProfileMetric{Name: metric}).Measure()}
	r.Alone = report.Alone{t}
	b := &treemap.Builder{}
	if p.Stacks != nil {
		var view *calltree.FilteredStacks
		if opt.Cell.Stacks != "" {
			if view, err = calltree.FilterStacks(ctx, p.Stacks, opt.Cell.Stacks, calltree.FullStacks); err != nil {
				return nil, err
			}
		}
		q, err := lines.Weigh(ctx, trace, p.Stacks, view, analysis.Query{At: opt.At, Range: opt.Range, Cell: opt.Cell.Rectangle()}, cost)
		if err != nil {
			return nil, err
		}
		b.Stacks(treemap.After, q)
	}
	return r, t.fillStacks(b.Tree(), l, 1)
}

// bytesMeasure returns the format of bytes.
func bytesMeasure() model.Measure { return (&model.ProfileMetric{Name: "live_bytes"}).Measure() }

// stackLevels returns what the levels of a tree of stacks are.
func stackLevels(tree *treemap.Tree) []string {
	return []string{tree.Outermost(), treemap.File.String(), treemap.Function.String()}
}

// fillStacks is [Treemap.fill] for stacks.
func (t *Treemap) fillStacks(tree *treemap.Tree, l Limits, factor float64) error {
	t.By = stackLevels(tree)
	return t.fill(tree, l, factor)
}

// OfStacks is [OfTrace] for the selection of a stack profile. The error is [report.ErrNoSum], too.
func OfStacks(ctx context.Context, p *model.Profile, l Limits, opt report.StackOptions) (*report.Report, error) {
	r, event, metric, err := report.SelectionReport(ctx, p, &opt)
	if err != nil {
		return nil, err
	}
	t := &Treemap{By: stackLevels((&treemap.Builder{}).Tree()), Rows: []Part{}, table: TreemapTable}
	if r.Alone = (report.Alone{t}); opt.Selection == nil {
		return r, nil
	}
	t.Event, t.Metric, t.measure = &event, metric.Name, metric.Measure()
	t.Filters = report.FilterLines(analysis.Cell{Stacks: opt.Filter})
	q, factor := lines.Selected(opt.Selection)
	b := &treemap.Builder{}
	b.Stacks(treemap.After, q)
	return r, t.fillStacks(b.Tree(), l, factor)
}

// Top returns the row that a table of dominators begins with, nil for other tables.
func Top(table string) *model.Row {
	if table != DominatorTable {
		return nil
	}
	root := model.RootRow
	return &root
}

// OfHeap returns the treemap of a snapshot: by type and retainer, or by dominators below the row top in place of
// l.Below. Errors are those of ctx, and of parts that are not there.
func OfHeap(ctx context.Context, p *model.Profile, n int, g *heapgraph.Graph, l Limits, top *model.Row) (*report.Report, error) {
	r := report.NewHeapReport(p, n, g.Policy)
	r.Schema, r.Heap = report.SchemaReport, nil
	t := &Treemap{Metric: "bytes", By: []string{treemap.Type.String(), treemap.Retainer.String()}, Snapshot: &n, table: TreemapTable,
		measure: bytesMeasure()}
	r.Alone = report.Alone{t}
	if top != nil {
		t.Metric, t.By, t.table = "retained_bytes", []string{"dominator"}, DominatorTable
		tree, err := treemap.Dominators(ctx, g, *top)
		if err != nil {
			return nil, err
		}
		if l.Below = nil; *top != model.RootRow {
			t.Below = Path{treemap.ObjectName(g.Heap, *top)}
			t.below = t.Below
		}
		return r, t.fill(tree, l, 1)
	}
	b := &treemap.Builder{}
	if err := b.Types(ctx, treemap.After, g); err != nil {
		return nil, err
	}
	return r, t.fill(b.Tree(), l, 1)
}

// OfLayout returns the treemap of a page layout.
func OfLayout(p *model.Profile, n int, layout *model.Layout, l Limits) (*report.Report, error) {
	r := &report.Report{Header: report.NewHeader(report.SchemaReport, p)}
	t := &Treemap{Metric: "bytes", By: []string{treemap.Pages.String(), "use"}, Snapshot: &n, table: TreemapTable,
		measure: bytesMeasure()}
	r.Alone = report.Alone{t}
	b := &treemap.Builder{}
	b.Pages(treemap.After, pages.SumLayout(layout))
	return r, t.fill(b.Tree(), l, 1)
}

// unitOf returns the name of a unit, "" for a count.
func unitOf(m model.Measure) string {
	switch {
	case m.Bytes:
		return "bytes"
	case m.Tick == 1:
		return "us"
	case m.Tick == 1e-3:
		return "ns"
	}
	return ""
}

// fill lists the parts of a tree.
func (t *Treemap) fill(tree *treemap.Tree, l Limits, factor float64) error {
	for _, name := range l.Below {
		n, like := tree.Named(name)
		if n == 0 {
			return fmt.Errorf("--below: %w %q%s", ErrNoPart, model.Clean(name), near.Available(name, like))
		}
		t.Below, t.below = append(t.Below, tree.Nodes[n].Name), append(t.below, tree.Nodes[n].Label(false))
		tree = tree.Below(n)
	}
	t.Unit = unitOf(t.measure)
	t.All, t.RowCount, t.Rows = object.Unscaled(tree.Nodes[0].Weight, factor), len(tree.Nodes)-1, []Part{}
	if t.compared {
		t.Change = slices.Clone(tree.Nodes[0].Sides[:])
	}
	cut := l.cut(tree)
	var list func(n int32, path Path)
	list = func(n int32, path Path) {
		first, end := cut.Children(n)
		for c := first; c < end; c++ {
			at := &cut.Nodes[c]
			name := at.Name
			if at.Kind == treemap.Rest || at.Kind == treemap.Own {
				name = at.Kind.String()
			}
			part := Part{Path: append(slices.Clip(path), name), Depth: len(path) + 1, Kind: at.Kind.String(), Name: name,
				Value: object.Unscaled(at.Weight, factor), Parts: at.Merged, label: at.Label(false)}
			if t.compared {
				part.Change = slices.Clone(at.Sides[:])
			}
			if all := cut.Nodes[0].Weight; all > 0 {
				share := float64(at.Weight) / float64(all)
				part.Share = &share
			}
			if at.Kind == treemap.Object {
				part.Row = &at.Ref
			}
			t.Rows = append(t.Rows, part)
			list(c, part.Path)
		}
	}
	list(0, nil)
	return nil
}

// Member implements [report.Single].
func (t *Treemap) Member() string { return TreemapTable }

// Table implements [report.Single].
func (t *Treemap) Table() string { return t.table }

// List implements [report.Single].
func (t *Treemap) List() any { return &t.Rows }

// Scope implements [report.Single].
func (t *Treemap) Scope() (scope []string, metric string) {
	if t.Event != nil {
		scope = append(scope, "event "+model.Clean(*t.Event))
	}
	return append(scope, report.FilterText(t.Filters)...), t.Metric
}

// Layout implements [report.Single]: parts are below what they belong to.
func (t *Treemap) Layout(s cells.Style, full bool) *cells.Table {
	by := s.Text(strings.ReplaceAll(strings.Join(t.By, " › "), "_", " "))
	out := &cells.Table{Heading: "Treemap", Answer: model.Clean(t.Metric) + " by " + by}
	if len(t.below) > 0 {
		out.Answer += " below " + s.Text(t.below.Cell())
	}
	step := map[bool]string{false: "  ", true: s.Text("· ")}[full]
	label := func(r *Part) string {
		if full && r.Name != "" && r.Parts == 0 {
			return s.Text(model.Clean(r.Name))
		}
		return s.Text(model.Clean(r.label))
	}
	if t.compared {
		return t.changes(out, s, step, label)
	}
	out.Answer = s.Amount(t.measure, t.All.Amount) + " " + out.Answer
	out.Heads = []cells.Head{{Text: titles.Total, Kind: cells.Number}, {Text: titles.Share, Kind: cells.Number}, {Kind: cells.Sketch},
		{Text: titles.Name, Kind: cells.Name}}
	const bar = 16
	for i := range t.Rows {
		r := &t.Rows[i]
		share := 0.0
		if r.Share != nil {
			share = *r.Share
		}
		out.Rows = append(out.Rows, []string{s.Amount(t.measure, r.Value.Amount), model.Share(share).String(),
			s.Bar(uint64(share*1e6), 1e6, bar), strings.Repeat(step, r.Depth-1) + label(r)})
	}
	return out
}
