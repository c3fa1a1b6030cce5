package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

// diffThatFits is diff that leaves out what does not fit into memory, if the rest is useful.
func (a *app) diffThatFits(ctx context.Context, before, after *session, c *diffFlags) (d *diffing, out *report.Diff, err error) {
	if d, err = a.newDiffing(ctx, before, after, c); err != nil {
		return nil, nil, err
	}
	short := (*model.MemoryError)(nil)
	for {
		err = a.budget.Try(ctx, "the comparison", func(ctx context.Context) (err error) {
			if out, err = d.run(ctx); err != nil {
				d.drop()
			}
			return err
		})
		if !errors.As(err, &short) {
			return d, out, err
		}
		if d.lean || !d.canBeLean() {
			return nil, nil, fail.Input(err)
		}
		d.lean = true
	}
}

// drop discards what was collected.
func (d *diffing) drop() {
	d.layout, d.opt.Layouts = [2]*model.Layout{}, nil
	for _, in := range d.sides {
		in.side = nil
	}
}

// canBeLean reports whether sums can be computed without the rows, or rows without all of their columns.
func (d *diffing) canBeLean() bool {
	if kind.Of(d.sides[0].p) == kind.Heap {
		return false
	}
	if kind.Of(d.sides[0].p) == kind.Dump {
		return d.opt.What != "series"
	}
	metric := d.opt.Metric
	for i := range d.sides {
		if w := d.sides[i].p.Weights; w != nil {
			if m, ok := w.Metric(metric); ok && w.Metrics[m].NoSum() {
				return false
			}
		}
	}
	return metric != "peak_bytes" // peaks do not add up
}

// sumUp replaces the rows of each side by their sum if they do not fit into memory, and reports it.
func (d *diffing) sumUp() {
	if !d.lean {
		return
	}
	budget := d.sides[0].budget
	if kind.Of(d.sides[0].p) == kind.Dump {
		in := &d.sides[1].from
		in.Problems = append(slices.Clone(in.Problems), budget.Problem("changes of single pages were left out"))
		return
	}
	p := budget.Problem("the rows were left out")
	if d.cut != nil {
		p = model.Problem{Severity: model.Warning, Code: d.cut.Code, Count: 1, Offset: model.NoOffset,
			Message: "the rows were left out: " + d.cut.Message}
	}
	d.opt.Short = &p
	for _, in := range d.sides {
		whole := in.side.Sum()
		in.side = &diff.Side{Bases: in.side.Bases, Total: &whole, Estimated: in.side.Estimated, Drawn: in.side.Drawn}
	}
}
