package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/analysis/waste"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/model"
)

type heapThreadsCmd struct{ heapRows }

// Run lists the threads.
func (c *heapThreadsCmd) Run(ctx context.Context, a *app) error {
	return a.heapLookAt(ctx, c.heapRows, c, dominators, func(q heapLook) error {
		r := q.r
		threads, ok := model.HeapFacet[model.HeapThreads](q.src)
		if !ok {
			return fail.Usage(fmt.Errorf("%s has no threads: %s files do not record them", r.File.Name, r.File.Format))
		}
		list, err := q.g.Threads(ctx, threads, q.at)
		if err != nil {
			return err
		}
		r.SetThreads(q.g, list, a.flags.Limit)
		return nil
	})
}

type heapWasteCmd struct {
	heapRows
	Values bool `help:"Also print the beginnings of strings. They may be secrets: passwords, tokens, names of people."`
}

// maxValue is the number of bytes of a string that are printed.
const maxValue = 256

// Run lists what is wasted.
func (c *heapWasteCmd) Run(ctx context.Context, a *app) error {
	return a.heapLookAt(ctx, c.heapRows, c, noGraph, func(q heapLook) error {
		r, h := q.r, q.h
		from, ok := model.HeapFacet[model.HeapWaste](q.src)
		if !ok {
			return fail.Usage(fmt.Errorf("%s does not show what is wasted: %s files do not hold the contents of objects", r.File.Name, r.File.Format))
		}
		i := q.at
		x, err := waste.Find(ctx, from, i, h.Under(q.edges.Of(h.Schema)), nil)
		if err != nil {
			return err
		}
		if len(x.LeftOut) > 0 {
			r.Lacks(model.BudgetOf(ctx).Problem(
				strings.ReplaceAll(strings.Join(x.LeftOut, " and "), "_", " ") + " were left out"))
		}
		texts, whole := map[model.Row]string(nil), map[model.Row]bool(nil)
		if c.Values {
			var rows []model.Row
			for n, t := range x.Strings.Top {
				if a.flags.Limit == 0 || n < a.flags.Limit {
					rows = append(rows, t.Row)
				}
			}
			if texts, whole, err = waste.Contents(ctx, from, i, h, rows, maxValue); err != nil {
				return err
			}
		}
		r.SetWaste(h, x, texts, whole, a.flags.Limit)
		if x.Finalizers.Count == 0 {
			return nil
		}
		return retainedByFinalizers(ctx, r, h, q.edges, x.Finalizers.Type)
	})
}

// retainedByFinalizers adds what is alive only because it waits to be finalized, if memory suffices to compute it.
func retainedByFinalizers(ctx context.Context, r *report.Report, h *model.Heap, p heapgraph.Policy, typ uint32) error {
	err := model.BudgetOf(ctx).Try(ctx, "", func(ctx context.Context) error {
		g, err := heapgraph.NewReferences(ctx, h, p)
		if err != nil {
			return err
		}
		n, _, err := g.RetainedByGroup(ctx, heapgraph.By{Kinds: h.Schema.Objects().Kinds}, typ)
		r.Heap.Waste.Finalizers.Retained = &n
		return err
	})
	if short := (*model.MemoryError)(nil); errors.As(err, &short) {
		r.Heap.Waste.Finalizers.Retained = nil
		r.Lacks(model.BudgetOf(ctx).Problem("what finalizers retain was left out"))
		return nil
	}
	return err
}

type heapOwnersCmd struct {
	heapFiles
	Type  string `required:"" placeholder:"TYPE" help:"The type whose retainers to show: its complete name, such as byte[]."`
	Group string `placeholder:"AXIS" help:"Group retainers by a property other than their type; ${axes}."`
	Depth int    `default:"8" placeholder:"N" help:"The most levels of retainers to show. --limit applies to each level."`
}

// axis returns the axis that retainers are grouped by.
func (c *heapOwnersCmd) axis(s *model.HeapSchema) (int, error) {
	if c.Group == "" {
		return 0, nil
	}
	axis, ok := s.AxisNamed(c.Group)
	if !ok {
		return 0, fail.Usage(fmt.Errorf("--group: unknown axis %q%s", c.Group, near.Available(c.Group, uses.AxisKeys(s.Axes))))
	}
	return axis, nil
}

// Run prints the dominators of the objects of a type.
func (c *heapOwnersCmd) Run(ctx context.Context, a *app) error {
	return a.heapGraph(ctx, c.File, dominators, func(r *report.Report, h *model.Heap, g *heapgraph.Graph) error {
		axis, err := c.axis(h.Schema)
		if err != nil {
			return err
		}
		q := heapgraph.OwnersQuery{Depth: c.Depth, Most: a.flags.Limit, Axis: axis}
		var like []string
		if q.Types, like = heapgraph.TypesNamed(h, c.Type, near.Names); len(q.Types) == 0 {
			return fail.Usage(errors.New("--type: " + pick.NoType(c.Type, like)))
		}
		if !g.HasDominators() {
			return model.BudgetOf(ctx).Error("who holds what")
		}
		owners, err := g.FindOwners(ctx, q)
		if err != nil {
			return err
		}
		r.SetOwners(h, c.Type, q, owners)
		return nil
	})
}

// heapDumperCmd prints the source of a program.
type heapDumperCmd struct {
	Language string `arg:"" enum:"${dumpers}" help:"${dumperhelp}"`
}

// Run prints it.
func (c *heapDumperCmd) Run(a *app) error {
	for _, f := range a.inputs() {
		if f.Dumper.Language == c.Language {
			_, err := a.out.Write(f.Dumper.Source)
			return err
		}
	}
	return nil // the grammar accepts no other language
}
