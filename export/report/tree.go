package report

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report/calls"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// treeTable is the name of the call tree, which is printed alone.
const treeTable = "tree"

// TreeShape says how stacks become a tree, and how many levels of it are printed, 0 is all.
type TreeShape struct {
	Invert, Recursion bool // bottom-up; direct recursion is one node
	Depth             int
}

// Tree is a call tree: stacks summed up by what they have in common.
type Tree struct {
	Event    *string   `json:"event,omitzero"`   // of a stack profile
	Metric   string    `json:"metric"`           // of all figures
	Order    string    `json:"order"`            // "top-down", or "bottom-up"
	Filters  []string  `json:"filters,omitzero"` // of stacks: "focus main"
	All      Amount    `json:"all"`              // of all stacks that filters leave
	Rows     []TreeRow `json:"rows"`             // each below its parent, the heaviest first
	RowCount int       `json:"row_count"`        // without the limit

	measure model.Measure // of Metric
}

// TreeRow is a node: a function where it is called from the row above that has one level less.
type TreeRow struct {
	Depth    int     `json:"depth"` // 1 is the top
	Function string  `json:"function"`
	File     *string `json:"file,omitzero"` // of the heaviest frame that the node has
	Line     *int64  `json:"line,omitzero"`
	DSO      *string `json:"dso,omitzero"`
	Self     Amount  `json:"self"`
	Total    Amount  `json:"total"`
	Verdict  string  `json:"verdict,omitzero"` // of traces: the most significant one about a site below
}

// TreeMetrics are the figures of traces that a tree is weighted by.
func TreeMetrics() []string {
	return []string{"live_bytes", "live_count", "peak_bytes", "alloc_bytes", "alloc_count", "leaked_bytes", "temporary_count"}
}

// BuildTree returns the call tree of a trace, by the figure opt.By: allocated bytes unless it is one of
// [TreeMetrics]. The only errors are those of ctx and of trace.
func BuildTree(ctx context.Context, p *model.Profile, trace analysis.Trace, shape TreeShape, opt Options) (*Report, error) {
	r, stacks, err := opening(ctx, p, trace.Status(), &opt)
	if err != nil {
		return nil, err
	}
	if r.NoMatch, err = emptied(ctx, opt.Cell, p.Stacks, trace); err != nil {
		return nil, err
	}
	cost := TreeCost(opt.By)
	ask := analysis.Query{At: opt.At, Range: opt.Range, Cell: opt.Cell, NoPeaks: true}
	if cost == analysis.CostPeak {
		if peak, ok, err := trace.Peak(ctx, opt.Range); err != nil {
			return nil, err
		} else if ok {
			ask.At = peak.Instant
		}
	}
	rows, err := trace.Sites(ctx, ask)
	if err != nil {
		return nil, err
	}
	verdicts, err := verdictsByStack(ctx, trace)
	if err != nil {
		return nil, err
	}
	q := &calls.Query{Stacks: stacks, IDs: []model.StackID{}}
	for i := range rows {
		if w := rows[i].Cost(cost); w > 0 {
			q.IDs, q.Weights = append(q.IDs, rows[i].Stack), append(q.Weights, w)
			q.Marks = append(q.Marks, uint8(verdicts[rows[i].Stack].Kind))
		}
	}
	metric := TreeMetrics()[cost]
	r.Tree = &Tree{Metric: metric, Filters: FilterLines(opt.Cell), measure: (&model.ProfileMetric{Name: metric}).Measure()}
	return r, r.Tree.fill(ctx, p, q, shape, opt.Limit, 1)
}

// TreeCost returns the cost of one of [TreeMetrics], that of allocated bytes for others.
func TreeCost(metric string) analysis.Cost {
	if i := slices.Index(TreeMetrics(), metric); i >= 0 {
		return analysis.Cost(i)
	}
	return analysis.CostTotal
}

// SelectionReport begins a report about the selection of a stack profile by one figure, and returns its event and its
// metric; both are unset without a selection. Errors are [ErrNoSum] and that of ctx.
func SelectionReport(
	ctx context.Context, p *model.Profile, opt *StackOptions,
) (r *Report, event string, metric *model.ProfileMetric, err error) {
	r, s, w := &Report{Header: NewHeader(SchemaReport, p)}, opt.Selection, p.Weights
	if s == nil {
		return r, "", nil, nil
	}
	event, metric = w.Events[s.Event].Name, &w.Metrics[s.Metric]
	r.File.weighed = w.Estimates(s.Event, s.Metric)
	if err = noSum(metric); err == nil {
		r.NoMatch, err = places.UnmatchedIn(ctx, opt.Filter, p.Stacks)
	}
	return r, event, metric, err
}

// BuildStacksTree is [BuildTree] for the selection of a stack profile. The error is [ErrNoSum], too.
func BuildStacksTree(ctx context.Context, p *model.Profile, shape TreeShape, opt StackOptions) (*Report, error) {
	r, event, metric, err := SelectionReport(ctx, p, &opt)
	if err != nil {
		return nil, err
	}
	s, w := opt.Selection, p.Weights
	if s == nil {
		r.Tree = &Tree{}
		return r, nil
	}
	q, scale := calls.Selected(s)
	q.Class = weights.FrameClasses(w)
	r.Tree = &Tree{Event: &event, Metric: metric.Name, Filters: FilterLines(analysis.Cell{Stacks: opt.Filter}), measure: metric.Measure()}
	return r, r.Tree.fill(ctx, p, q, shape, opt.Limit, scale)
}

// fill sums up the tree. Names are those of the screens.
func (t *Tree) fill(ctx context.Context, p *model.Profile, q *calls.Query, shape TreeShape, limit int, scale float64) error {
	q.Invert, q.Collapse, q.Name, q.Depth, q.Limit = shape.Invert, shape.Recursion, funcname.ShortenTemplates, shape.Depth, limit
	sum, err := calls.Build(ctx, q)
	if err != nil {
		return err
	}
	t.Order = map[bool]string{false: "top-down", true: "bottom-up"}[shape.Invert]
	t.All, t.RowCount = object.Unscaled(sum.All, scale), sum.Count
	for _, row := range sum.Rows {
		x := TreeRow{Depth: row.Depth, Function: row.Name, Self: object.Unscaled(row.Self, scale),
			Total: object.Unscaled(row.Total, scale), Verdict: verdict.Kind(row.Mark).String()}
		if row.Frame != 0 {
			at := places.Of(q.Stacks, row.Frame)
			x.File, x.Line = at.File, at.Line
			if w := p.Weights; w != nil && w.FrameDSO[row.Frame] != 0 {
				x.DSO = &w.DSOs[w.FrameDSO[row.Frame]].Name
			}
		}
		t.Rows = append(t.Rows, x)
	}
	return nil
}

// maxIndent is the number of levels shown by indentation; deeper ones have their number.
const maxIndent = 24

// table lays the tree out with a function below what leads to it.
func (t *Tree) table(s cells.Style, full bool) table {
	out := table{
		name: treeTable, title: "Call tree", more: t.RowCount - len(t.Rows), empty: noRows,
		answer: fmt.Sprintf("%s %s, %s", s.Amount(t.measure, t.All.Amount), model.Clean(t.Metric), t.Order),
		cols: []col{{titles.Total, number}, {titles.Share, number}, {titles.Self, number}, {titles.Verdict, word},
			{titles.Function, name}, {titles.Where, where}},
	}
	step := map[bool]string{false: "  ", true: s.Text("· ")}[full]
	for _, r := range t.Rows {
		label, place := (stackWriter{style: s, full: full}).name(r.Function), places.Place{File: r.File, Line: r.Line}
		if r.Function == "" {
			label = calltree.NoFunction
		}
		indent := strings.Repeat(step, min(r.Depth-1, maxIndent))
		if r.Depth-1 > maxIndent {
			indent += fmt.Sprintf("(%d) ", r.Depth)
		}
		at := place.Base()
		if full {
			at = place.Where()
		}
		if at == "" && r.DSO != nil {
			at = model.Clean(*r.DSO)
			at = at[strings.LastIndexByte(at, '/')+1:]
		}
		out.rows = append(out.rows, []string{s.Amount(t.measure, r.Total.Amount),
			r.Total.ShareOf(t.All.Amount).String(), s.Amount(t.measure, r.Self.Amount), r.Verdict, indent + label, at})
	}
	if !slices.ContainsFunc(t.Rows, func(r TreeRow) bool { return r.Verdict != "" }) {
		return out.without(slices.IndexFunc(out.cols, func(c col) bool { return c.head == titles.Verdict }))
	}
	return out
}

// scope returns what the tree is about.
func (t *Tree) scope() []string {
	return (&Around{Metric: t.Metric, Event: t.Event, Filters: t.Filters}).scope()
}
