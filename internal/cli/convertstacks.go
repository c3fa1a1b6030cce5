package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/model"
)

// hasNoStacks is the reason why formats of stacks cannot represent a file.
const hasNoStacks = "it has no stacks with weights"

// beginSPAA writes a complete stack profile, one that is SPAA line by line, or the sums of a trace.
func beginSPAA(ctx context.Context, c *conversion) (writer, error) {
	switch {
	case kind.Of(c.p) == kind.Trace:
		return c.traceSPAA(ctx)
	case kind.Of(c.p) != kind.Stacks:
		return nil, c.cannot(hasNoStacks)
	case c.c.Samples:
		return nil, fail.Usage(errors.New("--samples: the samples of a stack profile are always copied"))
	case c.flags.By != "" && c.isGiven("by") || c.flags.Event != "":
		return nil, fail.Usage(errors.New("--by and --event: a stack profile is copied complete, with all events and metrics"))
	}
	if err := c.refuseTimes(); err != nil {
		return nil, err
	}
	if c.s.format.Name != c.target.name || c.s.format.Copy == nil || c.s.joined != nil {
		return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
			return export.WriteProfileSPAA(ctx, w, c.p)
		}, nil
	}
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
		problems, err := c.s.format.Copy(ctx, c.s.src, w)
		return left(problems), err
	}, nil
}

// traceSPAA writes the sums of a trace at an instant and over a range.
func (c *conversion) traceSPAA(ctx context.Context) (writer, error) {
	if c.flags.By != "" || c.flags.MinAge.Given() {
		return nil, fail.Usage(errors.New("--by and --min-age: .spaa holds every metric of a trace except leaks"))
	}
	opt, err := c.options(ctx, c.s.index)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
		return export.WriteSPAA(ctx, w, c.p, c.s.index, analysis.Query{At: opt.At, Range: opt.Range}, c.c.Samples)
	}, nil
}

// left returns the lines that are not records.
func left(problems []model.Problem) []export.Loss {
	var out []export.Loss
	for _, q := range problems {
		out = append(out, export.Loss{What: fmt.Sprintf("left out, from line %d: %s", q.Line, q.Message), Count: int(q.Count)})
	}
	return out
}

type (
	stackWriter func(context.Context, io.Writer, *export.Stacks) ([]export.Loss, error)
	heapWriter  func(context.Context, io.Writer, *model.Heap, *heapgraph.Graph, string) ([]export.Loss, error)
)

// stacksAs returns a writer of stacks whose figures can be added up.
func stacksAs(write stackWriter) func(context.Context, *conversion) (writer, error) {
	return func(ctx context.Context, c *conversion) (writer, error) { return c.stacks(ctx, write, false) }
}

// rowsAs writes rows: of stacks, or of a table of a heap snapshot.
func rowsAs(stacks stackWriter, heap heapWriter) func(context.Context, *conversion) (writer, error) {
	return func(ctx context.Context, c *conversion) (writer, error) {
		if kind.Of(c.p) == kind.Heap {
			return c.heap(heap)
		}
		if c.c.Table != "" {
			return nil, fail.Usage(fmt.Errorf("--table: %s holds no heap snapshots; for other files use memtui report -f csv", c.p.Meta.Name))
		}
		return c.stacks(ctx, stacks, true)
	}
}

// stacks writes the stacks of a trace or a stack profile. rows reports that they are not added up.
func (c *conversion) stacks(ctx context.Context, write stackWriter, rows bool) (writer, error) {
	var of func(context.Context) (*export.Stacks, error)
	var err error
	switch kind.Of(c.p) {
	case kind.Stacks:
		of, err = c.profileStacks(rows)
	case kind.Trace:
		of, err = c.traceStacks(ctx)
	default:
		return nil, c.cannot(hasNoStacks)
	}
	if err != nil {
		return nil, err
	}
	s, err := of(ctx)
	if err != nil {
		return nil, err
	}
	filter, err := filterOf(&c.c.StepFlags)
	if err != nil {
		return nil, err
	}
	if err := c.warnUnmatched(ctx, filter, c.p.Stacks); err != nil {
		return nil, err
	}
	if s, err = s.Filter(ctx, filter); err != nil {
		return nil, err
	}
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) { return write(ctx, w, s) }, nil
}

// traceStacks returns the stacks of a trace, weighted as the report's flags request.
func (c *conversion) traceStacks(ctx context.Context) (func(context.Context) (*export.Stacks, error), error) {
	if err := c.checkKey(export.TraceMetrics()); err != nil {
		return nil, err
	}
	opt, err := c.options(ctx, c.s.index)
	if err != nil {
		return nil, err
	}
	by := c.flags.By
	switch {
	case by != "":
	case c.flags.MinAge.Given():
		by = "leaked_bytes"
	case c.flags.At.Given():
		by = "live_bytes"
	default:
		by = export.TraceMetrics()[0]
	}
	return func(ctx context.Context) (*export.Stacks, error) {
		return export.TraceStacks(ctx, c.p, c.s.index, export.TraceOptions{At: opt.At, Range: opt.Range, MinAge: opt.MinAge, By: by})
	}, nil
}

// profileStacks returns the stacks of an event, weighted by each of its metrics that is known in the range.
func (c *conversion) profileStacks(rows bool) (func(context.Context) (*export.Stacks, error), error) {
	if m, ok := c.p.Weights.Metric(c.flags.By); ok && c.p.Weights.Metrics[m].NoSum() && !rows {
		return nil, fail.Usage(fmt.Errorf("--by: values of %s belong to single stacks and do not add up; csv and ndjson hold them", c.flags.By))
	}
	return func(ctx context.Context) (*export.Stacks, error) {
		main, err := c.selection(ctx, c.p, c.flags.Event)
		if err != nil {
			return nil, err
		}
		if main == nil {
			return nil, fail.Usage(fmt.Errorf("%s has no stacks with a weight", c.p.Meta.Name))
		}
		return c.weighed(ctx, main, rows)
	}, nil
}

// weighed returns the stacks that main selects, with all metrics of its event that are known.
func (c *conversion) weighed(ctx context.Context, main *weights.Selection, rows bool) (*export.Stacks, error) {
	ranged := c.flags.From.Given() || c.flags.To.Given()
	window, err := c.windowAt(ctx, c.p, main.Event, main.Metric)
	if err == nil && window >= 0 && ranged {
		err = fail.Usage(errors.New("--at, and --from or --to TIME cannot be combined: each chooses a part of the time"))
	}
	if err != nil {
		return nil, err
	}
	var all []*weights.Selection
	at := 0
	for _, metric := range c.metrics(main.Event, rows) {
		sel := main
		switch {
		case metric == main.Metric:
			at = len(all)
		case window >= 0:
			sel = weights.SelectWindows(c.p, main.Event, metric, window)
		case !ranged:
			sel = weights.SelectProfile(c.p, main.Event, metric)
		default:
			var err error
			sel, err = c.rangeSelection(ctx, c.p, main.Event, metric)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				continue // samples do not record this metric
			}
		}
		all = append(all, sel)
	}
	if len(all) == 0 {
		all = append(all, main)
	}
	from, to := c.covered(ranged)
	if window >= 0 {
		from, to = c.p.Weights.Windows[window].Start, c.p.Weights.Windows[window].End
	}
	return export.ProfileStacks(ctx, c.p, all, at, from, to)
}

// metrics returns the metrics of an event. Those that do not add up are left out, unless rows are written one by one.
func (c *conversion) metrics(event uint16, rows bool) (list []model.MetricID) {
	w := c.p.Weights
	for _, sum := range weights.Totals(w)[event].Sums {
		list = append(list, sum.Metric)
	}
	for m := range w.Metrics {
		if rows && w.Metrics[m].NoSum() {
			list = append(list, model.MetricID(m))
		}
	}
	return list
}

// covered returns the time that the figures of a stack profile cover.
func (c *conversion) covered(ranged bool) (from, to model.Time) {
	w := c.p.Weights
	if !ranged {
		return w.Start, w.End
	}
	from, to, _ = pick.SampleSpan(w, c.flags.From.Moment, c.flags.To.Moment) // the range was chosen by it
	return max(from, 0), to
}

// heap writes a table of the chosen snapshot.
func (c *conversion) heap(write heapWriter) (writer, error) {
	if c.flags.To.Given() {
		return nil, fail.Usage(errors.New("--to: heap tables show one snapshot; choose it with --snapshot or --at"))
	}
	opt, err := c.heapOptions(c.s, c.p)
	if err != nil {
		return nil, err
	}
	table := c.c.Table
	if table == "" {
		table = export.HeapTables()[0]
	}
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
		h, err := c.app.heap(ctx, c.s, c.p, opt.Snapshot)
		if err != nil {
			return nil, err
		}
		var graph *heapgraph.Graph
		if table == "dominators" {
			if graph, err = heapgraph.NewGraph(ctx, h, opt.Edges); err != nil {
				return nil, err
			}
		}
		return write(ctx, w, h, graph, table)
	}, nil
}

// warnThreads warns on standard error about threads that allocated nothing, with those that are near by their numbers.
func (c *conversion) warnThreads(ctx context.Context, asked []uint16) error {
	if len(asked) == 0 {
		return nil
	}
	rows, err := c.s.index.Sites(ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByThread, NoPeaks: true})
	if err != nil {
		return err
	}
	var known []int
	for i := range rows {
		if n, err := strconv.Atoi(strings.TrimPrefix(rows[i].Name, "thread ")); err == nil {
			known = append(known, n)
		}
	}
	for _, t := range asked {
		apart := func(n int) int { return max(n-int(t), int(t)-n) }
		slices.SortFunc(known, func(a, b int) int { return cmp.Or(cmp.Compare(apart(a), apart(b)), cmp.Compare(a, b)) })
		if len(known) > 0 && known[0] == int(t) {
			continue
		}
		u := places.Unmatched{Filter: fmt.Sprintf("thread %d", t)}
		for _, n := range known[:min(len(known), near.Names)] {
			u.Near = append(u.Near, strconv.Itoa(n))
		}
		c.warnFilters([]places.Unmatched{u})
	}
	return nil
}

// beginTrace writes part of a trace.
func beginTrace(ctx context.Context, c *conversion) (writer, error) {
	if kind.Of(c.p) != kind.Trace {
		return nil, c.cannot("a trace holds every block with its time, which this file does not record")
	}
	if c.isGiven("by") {
		return nil, fail.Usage(errors.New("--by: .mlyze holds blocks, which have no weights"))
	}
	if c.flags.At.Given() || c.flags.MinAge.Given() {
		return nil, fail.Usage(errors.New("--at and --min-age: a part of a trace is chosen with --from, --to and --min-lifetime"))
	}
	opt, err := c.options(ctx, c.s.index)
	if err != nil {
		return nil, err
	}
	end := c.s.index.Status().Duration
	cut, err := c.c.Cut(end)
	if err != nil {
		return nil, fail.Usage(err)
	}
	cut.Range = opt.Range
	if err := c.warnThreads(ctx, cut.Threads); err != nil {
		return nil, err
	}
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
		return export.WriteTrace(ctx, w, c.p, end, cut)
	}, nil
}
