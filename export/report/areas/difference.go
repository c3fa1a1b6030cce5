package areas

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/treemap"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// Difference is a comparison with a treemap of both sides in place of its rows.
type Difference struct {
	report.Diff
	Treemap *Treemap `json:"treemap"`
}

// Sides is what the treemap of a comparison is of: heap snapshots, or page layouts, or without either the stacks that
// are compared.
type Sides struct {
	Graphs     [2]*heapgraph.Graph
	Layouts    [2]*model.Layout
	Dominators bool // of heap snapshots
	Limits     Limits
}

// ErrNoSides is why a comparison has no treemap.
var ErrNoSides = errors.New("--table: there are treemaps of stacks (as --group stack), of page layouts, and of types or dominators of heap snapshots")

// NewDifference returns a comparison with its treemap. Errors are [ErrNoSides], [ErrNoPart] and that of ctx.
func NewDifference(ctx context.Context, d *report.Diff, of *Sides) (*Difference, error) {
	var t *Treemap
	var err error
	switch c := d.Comparison(); {
	case of.Graphs[0] != nil:
		t, err = ofGraphs(ctx, of.Graphs, of.Dominators, of.Limits)
	case of.Dominators:
		err = ErrNoSides
	case of.Layouts[0] != nil && of.Layouts[1] != nil:
		t, err = ofLayouts(of.Layouts, of.Limits)
	case c.Joined != nil && d.What == "stack":
		t, err = OfComparison(d, of.Limits)
	default:
		err = ErrNoSides
	}
	out := &Difference{Diff: *d, Treemap: t}
	out.Rows = []report.DiffRow{}
	return out, err
}

// Change is the weights of a part before and after a change, or empty.
type Change []uint64

// Members implements [object.Membered].
func (c Change) Members() []object.Member {
	if len(c) == 0 {
		return nil
	}
	delta := c.delta()
	return []object.Member{{Name: "before", Value: &c[treemap.Before]}, {Name: "after", Value: &c[treemap.After]},
		{Name: "delta", Value: &delta}}
}

func (c Change) delta() int64 {
	return (&diff.Figures{BeforeBytes: c[treemap.Before], AfterBytes: c[treemap.After]}).DeltaBytes()
}

// ofSides fills a treemap of both sides of a comparison.
func ofSides(t *Treemap, tree *treemap.Tree, l Limits) (*Treemap, error) {
	t.compared = true
	return t, t.fill(tree, l, 1)
}

// OfComparison returns the treemap of the stacks of a comparison. The error is that of parts that are not there.
func OfComparison(d *report.Diff, l Limits) (*Treemap, error) {
	b, c := &treemap.Builder{}, d.Comparison()
	for side, of := range []*diff.Side{c.Before, c.After} {
		q := sideQuery(of)
		if len(d.Masks) > 0 { // the names of the sides match only as they are joined
			q = joinedQuery(c, side, of.Sited)
		} else if side == treemap.Before && c.Per != diff.NormalNone {
			for i, w := range q.Weights[0] {
				q.Weights[0][i] = uint64(math.Round(float64(w) * c.Factor()))
			}
		}
		b.Stacks(side, q)
	}
	tree := b.Tree()
	t := &Treemap{Metric: *d.Metric, By: stackLevels(tree), table: TreemapTable, measure: (&model.ProfileMetric{Name: *d.Metric}).Measure()}
	if d.IsBytes() { // whatever the name says
		t.measure = bytesMeasure()
		t.sampled = [2]bool{d.Before.File.Estimated(), d.After.File.Estimated()}
	}
	return ofSides(t, tree, l)
}

// weighed is stacks that are added one by one.
type weighed struct {
	lines.Query
	names *calltree.SiteNames // nil for stacks that are named after their leaf
}

func newWeighed(s *model.Stacks, sited bool) *weighed {
	q := &weighed{Query: lines.Query{Stacks: s, Weights: [][]uint64{{}}}}
	if sited {
		q.names, q.Sites = calltree.NewSiteNames(s), []model.NodeID{}
	}
	return q
}

func (q *weighed) add(leaf model.NodeID, weight uint64) {
	if leaf == 0 {
		return
	}
	if q.names != nil {
		q.Sites = append(q.Sites, q.names.Node(leaf))
	}
	q.Leaves, q.Weights[0] = append(q.Leaves, leaf), append(q.Weights[0], weight)
}

// sideQuery returns the stacks of a side, as its file has them.
func sideQuery(s *diff.Side) *lines.Query {
	q := newWeighed(s.Stacks, s.Sited)
	for i := range s.Rows {
		q.add(s.Rows[i].Node, s.Rows[i].Bytes)
	}
	return &q.Query
}

// joinedQuery returns the stacks of a side as the comparison names them.
func joinedQuery(c *diff.Comparison, side int, sited bool) *lines.Query {
	q := newWeighed(c.Joined.Stacks, sited)
	for i := range c.Rows {
		r := &c.Rows[i]
		q.add(r.Node, [2]uint64{r.BeforeBytes, r.AfterBytes}[side])
	}
	return &q.Query
}

// deepest is the number of levels of dominators: objects hold others in long chains.
const deepest = 4

// ofGraphs returns the treemap of two heap snapshots: by type and retainer, or by dominators. Errors are those of ctx, and
// of parts that are not there.
func ofGraphs(ctx context.Context, graphs [2]*heapgraph.Graph, dominators bool, l Limits) (*Treemap, error) {
	if dominators {
		l.Levels = cmp.Or(l.Levels, deepest)
		tree, err := treemap.DominatorSides(ctx, graphs[treemap.Before], graphs[treemap.After])
		if err != nil {
			return nil, err
		}
		t := &Treemap{Metric: "retained_bytes", By: []string{"dominator"}, table: DominatorTable, measure: bytesMeasure()}
		return ofSides(t, tree, l)
	}
	b := &treemap.Builder{}
	for side, g := range graphs {
		if err := b.Types(ctx, side, g); err != nil {
			return nil, err
		}
	}
	by := []string{treemap.Type.String(), treemap.Retainer.String()}
	t := &Treemap{Metric: "bytes", By: by, table: TreemapTable, measure: bytesMeasure()}
	return ofSides(t, b.Tree(), l)
}

// ofLayouts returns the treemap of two page layouts. The error is that of parts that are not there.
func ofLayouts(layouts [2]*model.Layout, l Limits) (*Treemap, error) {
	b := &treemap.Builder{}
	for side, layout := range layouts {
		b.Pages(side, pages.SumLayout(layout))
	}
	t := &Treemap{Metric: "bytes", By: []string{treemap.Pages.String(), "use"}, table: TreemapTable, measure: bytesMeasure()}
	return ofSides(t, b.Tree(), l)
}

// changes lays out a treemap of both sides: parts are below what they belong to.
func (t *Treemap) changes(out *cells.Table, s cells.Style, step string, label func(*Part) string) *cells.Table {
	sides := [2]cells.Style{s, s}
	s.Estimated = false
	for i, sampled := range t.sampled {
		sides[i].Estimated = sampled
		s.Estimated = s.Estimated || sampled
	}
	before := func(c Change) string { return sides[treemap.Before].Bytes(c[treemap.Before]) }
	after := func(c Change) string { return sides[treemap.After].Bytes(c[treemap.After]) }
	out.Answer = before(t.Change) + s.Text(" → ") + after(t.Change) + " " + out.Answer
	out.Heads = []cells.Head{{Text: titles.Before, Kind: cells.Number}, {Text: titles.After, Kind: cells.Number},
		{Text: titles.Delta, Kind: cells.Number}, {Text: titles.Name, Kind: cells.Name}}
	for i := range t.Rows {
		r := &t.Rows[i]
		out.Rows = append(out.Rows, []string{before(r.Change), after(r.Change), s.Change(r.Change.delta()),
			strings.Repeat(step, r.Depth-1) + label(r)})
	}
	return out
}

// Write writes the comparison in a format: text, json, markdown or csv.
func (d *Difference) Write(w io.Writer, format string, s cells.Style) error {
	s.Exact = s.Exact || !d.IsBytes()
	switch format {
	case "json":
		return report.WriteJSON(w, d)
	case "csv":
		return object.WriteRows(w, d.Treemap.Rows, Part{Change: Change{0, 0}}, d.Estimated())
	case "markdown":
		m := report.NewMarkdownWriter(w, d.Header, s)
		m.Printf("# %s and %s\n\n", cells.Code(d.Before.Name()), cells.Code(d.After.Name()))
		m.Printf("Before: %s. After: %s.\n\n%s\n", cells.Code(d.Before.Text()), cells.Code(d.After.Text()), s.Text(d.MarkdownSentence(s)))
		m.Table(d.Treemap.Layout(s, true))
		return m.Flush()
	}
	t := report.NewTextWriter(w, d.Header, s)
	t.Line("before  ", s.Bold(s.Text(model.Clean(d.Before.Text()))))
	t.Line("after   ", s.Bold(s.Text(model.Clean(d.After.Text()))))
	t.Line(s.Text(d.Sentence(s)))
	t.Table(d.Treemap.Layout(s, false))
	t.Problems()
	return t.Flush()
}
