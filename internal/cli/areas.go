package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/model"
)

// drawn reports whether a table is that of a treemap or a heat map.
func drawn(table arg.Table) bool {
	return slices.Contains([]arg.Table{areas.TreemapTable, areas.DominatorTable, areas.HeatTable, areas.LifetimeTable}, table)
}

// drawn reports whether a treemap or a heat map is requested.
func (c *reportCmd) drawn() bool { return drawn(c.Table) }

// deepest is the number of levels of dominators unless --depth says otherwise: objects hold others in long chains.
const deepest = 4

// limits returns how much of a treemap is printed.
func (a *app) limits(c *reportCmd) (areas.Limits, error) {
	shape, err := c.shape()
	if c.Table == areas.DominatorTable && !a.isGiven("depth") {
		shape.Depth = deepest
	}
	return areas.Limits{Levels: shape.Depth, Parts: a.flags.Limit, Rows: c.most, Below: c.Below}, err
}

// traceAreas returns the treemap or a heat map of a trace.
func (a *app) traceAreas(ctx context.Context, s *session, p *model.Profile, c *reportCmd, opt report.Options) (*report.Report, error) {
	l, err := a.limits(c)
	if err != nil {
		return nil, err
	}
	if c.Table == areas.TreemapTable {
		return usage(areas.OfTrace(ctx, p, s.index, l, opt))
	}
	return areas.OfTime(ctx, p, s.index, c.Table == areas.LifetimeTable, opt)
}

// stacksMap returns the treemap of a stack profile.
func (a *app) stacksMap(ctx context.Context, p *model.Profile, c *reportCmd, opt report.StackOptions) (*report.Report, error) {
	l, err := a.limits(c)
	if err != nil {
		return nil, err
	}
	r, err := areas.OfStacks(ctx, p, l, opt)
	if errors.Is(err, report.ErrNoSum) {
		err = fail.Usage(fmt.Errorf("--table %s: %w", c.Table, err))
	}
	return usage(r, err)
}

// usage returns that a part is not there as a mistake of the user.
func usage(r *report.Report, err error) (*report.Report, error) {
	if errors.Is(err, areas.ErrNoPart) {
		err = fail.Usage(err)
	}
	return r, err
}

// heapMap returns a treemap of a snapshot.
func (a *app) heapMap(ctx context.Context, s *session, p *model.Profile, c *reportCmd) (r *report.Report, err error) {
	l, err := a.limits(c)
	if err != nil {
		return nil, err
	}
	opt, err := a.heapOptions(s, p)
	if err != nil {
		return nil, err
	}
	h, err := a.heap(ctx, s, p, opt.Snapshot)
	if err != nil {
		return nil, err
	}
	top := areas.Top(string(c.Table))
	if top != nil && len(c.Below) > 0 {
		*top, err = pick.Row(h, c.Below[len(c.Below)-1])
	}
	if err != nil {
		return nil, err
	}
	err = s.src.Guard(func() error {
		g, err := heapgraph.NewGraph(ctx, h, opt.Edges)
		if err == nil {
			r, err = areas.OfHeap(ctx, p, opt.Snapshot, g, l, top)
		}
		return err
	})
	if err != nil {
		return usage(nil, err)
	}
	a.renew(s, p, &r.Header)
	return r, nil
}

// dumpMap returns the treemap of a page layout.
func (a *app) dumpMap(ctx context.Context, s *session, p *model.Profile, c *reportCmd) (r *report.Report, err error) {
	l, err := a.limits(c)
	if err != nil {
		return nil, err
	}
	err = s.src.Guard(func() error {
		n, ok, err := a.layouts().Number(ctx, p, s.snapshot)
		switch {
		case err != nil:
			return err
		case !ok:
			return fail.Input(fmt.Errorf("%s has no page layout", p.Meta.Name))
		}
		layout, err := p.Pages.Open(ctx, n)
		if err == nil {
			r, err = areas.OfLayout(p, n, layout, l)
		}
		return err
	})
	return usage(r, err)
}

// writeAreas prints a treemap of both sides in place of the rows of a comparison.
func (a *app) writeAreas(ctx context.Context, before, after *session, c *diffCmd) error {
	if a.flags.Format == "html" || c.Rows != "" || c.Table == "" {
		return fail.Usage(errors.New("--below works only with --table, and --table with neither --filter nor --format html (pages have treemaps anyway)"))
	}
	d, err := a.newDiffing(ctx, before, after, &c.diffFlags)
	if err != nil {
		return err
	}
	var out *areas.Difference
	err = a.budget.Try(ctx, "the comparison", func(ctx context.Context) error {
		r, err := d.run(ctx)
		if err == nil {
			limits := areas.Limits{Parts: a.flags.Limit, Below: c.Below}
			out, err = d.areas(ctx, r, &areas.Sides{Dominators: c.Table == areas.DominatorTable, Limits: limits})
		}
		return err
	})
	if err != nil {
		return err
	}
	a.warnMemory(after.store.Current(), &out.Header)
	a.warnFilters(out.NoMatch)
	return a.writeFile(cmp.Or(c.Out, "-"), func(w io.Writer) error { return out.Write(w, a.flags.Format, a.style(c.Exact)) })
}

// areas returns a comparison with the treemap of both sides, which it adds to what the treemap is to be like.
func (d *diffing) areas(ctx context.Context, r *report.Diff, both *areas.Sides) (*areas.Difference, error) {
	for i, in := range d.sides {
		side := i
		if d.flags.Swap {
			side = 1 - i
		}
		if both.Layouts[side] = d.layout[i]; kind.Of(in.p) != kind.Heap {
			continue
		}
		h, err := in.decode(ctx)
		if err == nil {
			both.Graphs[side], err = in.dominatorsOf(ctx, h)
		}
		if err != nil {
			return nil, err
		}
	}
	out, err := areas.NewDifference(ctx, r, both)
	if errors.Is(err, areas.ErrNoPart) || errors.Is(err, areas.ErrNoSides) {
		err = fail.Usage(err)
	}
	return out, err
}

// page returns the input of the page of a comparison.
func (d *diffing) page(r *report.Diff, command []string) *html.DiffSource {
	out := &html.DiffSource{Diff: r, Program: "memtui " + manual.Version().Version, Command: command}
	of := func(dominators bool) html.Areas {
		return func(ctx context.Context) (*areas.Treemap, error) {
			both, err := d.areas(ctx, r, &areas.Sides{Dominators: dominators, Limits: html.DifferenceLimits})
			if err != nil {
				return nil, err
			}
			return both.Treemap, nil
		}
	}
	switch {
	case kind.Of(d.sides[0].p) == kind.Heap:
		out.Treemap, out.Dominators = of(false), of(true)
	case d.layout[0] != nil && d.layout[1] != nil:
		out.Treemap = of(false)
	}
	return out
}
