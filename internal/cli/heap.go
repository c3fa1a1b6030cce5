package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/model"
)

// heapCmd are the commands about heap snapshots.
type heapCmd struct {
	Snapshots  heapSnapshotsCmd  `cmd:"" help:"List the snapshots of a file with their figures."`
	Types      heapTypesCmd      `cmd:"" help:"List the types of objects in a snapshot."`
	Frames     heapFramesCmd     `cmd:"" help:"List the routines and blocks whose frames are in a snapshot."`
	Find       heapFindCmd       `cmd:"" help:"Find rows by type, representation or name."`
	Object     heapObjectCmd     `cmd:"" help:"Say everything about one row: sizes, dominator, references from and to it."`
	Path       heapPathCmd       `cmd:"" help:"Print a shortest path from the root to a row."`
	Dominators heapDominatorsCmd `cmd:"" help:"List the rows that alone keep most memory alive."`
}

type (
	heapFile struct {
		File string `arg:"" help:"A file of heap snapshots, or - for standard input. FILE#3 is its snapshot 3, FILE#-1 its last."`
	}
	heapSnapshotsCmd  struct{ heapFile }
	heapTypesCmd      struct{ heapFile }
	heapFramesCmd     struct{ heapFile }
	heapDominatorsCmd struct{ heapFile }
)

// Run lists the snapshots.
func (c *heapSnapshotsCmd) Run(ctx context.Context, a *app) error {
	return a.heapList(ctx, c.File, report.ListSnapshots)
}

// Run lists the types of objects.
func (c *heapTypesCmd) Run(ctx context.Context, a *app) error {
	return a.heapList(ctx, c.File, report.ListTypes)
}

// Run lists the routines and blocks.
func (c *heapFramesCmd) Run(ctx context.Context, a *app) error {
	return a.heapList(ctx, c.File, report.ListFrames)
}

// Run lists the rows that retain most.
func (c *heapDominatorsCmd) Run(ctx context.Context, a *app) error {
	return a.heapList(ctx, c.File, report.ListDominators)
}

// heapList prints lists about the chosen snapshot.
func (a *app) heapList(ctx context.Context, file string, lists report.HeapLists) error {
	if err := a.checkKey(report.HeapSortKeys()); err != nil {
		return err
	}
	return a.onHeap(ctx, file, func(s *session, p *model.Profile) error {
		opt, err := a.heapOptions(s, p)
		if err != nil {
			return err
		}
		if opt.Schema, opt.Lists = report.SchemaHeap, lists; opt.Snapshot < 0 && lists != report.ListSnapshots {
			return noWhole(p)
		}
		r, err := report.BuildHeap(ctx, p, opt)
		if err != nil {
			return err
		}
		a.warnMemory(p, &r.Header)
		return a.writeReport(r, reportCmd{})
	})
}

// onHeap opens a file of snapshots, waits until its tables are read, and calls f.
func (a *app) onHeap(ctx context.Context, file string, f func(*session, *model.Profile) error) error {
	s, err := a.open(ctx, file)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := s.profile(ctx)
	if err != nil {
		return err
	}
	if kindOf(p) != kindHeap {
		return noHeaps(p)
	}
	a.warn(p)
	return s.src.Guard(func() error { return f(s, p) })
}

// heapOptions are those of all lists. The snapshot is -1 when there is no whole one and none was asked for.
func (a *app) heapOptions(s *session, p *model.Profile) (report.HeapOptions, error) {
	opt := report.HeapOptions{
		Schema: report.SchemaReport, Snapshot: -1, Lists: report.EveryList, Edges: a.edges(), By: a.flags.By, Limit: a.flags.Limit,
	}
	n, ok, err := a.snapshot(p, s.snapshot)
	if ok {
		opt.Snapshot = n
	}
	return opt, err
}

func noHeaps(p *model.Profile) error {
	return usageError(fmt.Errorf("%s holds no heap snapshots: it is %s", p.Meta.Name, p.Meta.Format))
}

func noWhole(p *model.Profile) error {
	return inputError(fmt.Errorf("%s has no whole snapshot; --snapshot 0 shows what there is of a cut one", p.Meta.Name))
}

// heap decodes a snapshot. A negative number means that there is no whole one.
func (a *app) heap(ctx context.Context, s *session, p *model.Profile, n int) (h *model.Heap, err error) {
	if n < 0 {
		return nil, noWhole(p)
	}
	err = s.src.Guard(func() error {
		h, err = p.Heaps.Open(ctx, n, nil)
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = inputError(fmt.Errorf("%s: snapshot %d: %w", p.Meta.Name, n, err))
	}
	return h, err
}

// graphMaker makes the graph of a snapshot, or what of it there is memory for: then it tells the report.
type graphMaker func(context.Context, *model.Heap, heapgraph.EdgePolicy, *report.Report) (*heapgraph.HeapGraph, error)

// noGraph is for questions about rows alone.
func noGraph(context.Context, *model.Heap, heapgraph.EdgePolicy, *report.Report) (*heapgraph.HeapGraph, error) {
	return nil, nil
}

// references is for questions that need no dominators.
func references(ctx context.Context, h *model.Heap, p heapgraph.EdgePolicy, _ *report.Report) (*heapgraph.HeapGraph, error) {
	return heapgraph.NewHeapReferences(ctx, h, p)
}

// dominators are left out where there is no memory for them.
func dominators(ctx context.Context, h *model.Heap, p heapgraph.EdgePolicy, r *report.Report) (g *heapgraph.HeapGraph, err error) {
	err = model.BudgetOf(ctx).Try(ctx, "", func(ctx context.Context) (err error) {
		g, err = heapgraph.NewHeapGraph(ctx, h, p)
		return err
	})
	if short := (*model.MemoryError)(nil); !errors.As(err, &short) {
		return g, err
	}
	r.Lacks(model.BudgetOf(ctx).Problem("who holds what was left out"))
	return references(ctx, h, p, r)
}

// heapGraph decodes the chosen snapshot of a file and calls f with it and its graph.
func (a *app) heapGraph(ctx context.Context, file string, graphOf graphMaker, f func(*report.Report, *model.Heap, *heapgraph.HeapGraph) error) error {
	return a.onHeap(ctx, file, func(s *session, p *model.Profile) error {
		opt, err := a.heapOptions(s, p)
		if err != nil {
			return err
		}
		h, err := a.heap(ctx, s, p, opt.Snapshot)
		if err != nil {
			return err
		}
		r := report.NewHeapReport(p, opt.Snapshot, opt.Edges)
		graph, err := graphOf(ctx, h, opt.Edges, r)
		if err != nil {
			return err
		}
		if err := f(r, h, graph); err != nil {
			return err
		}
		a.warnMemory(p, &r.Header)
		return a.writeReport(r, reportCmd{})
	})
}

type heapFindCmd struct {
	heapFile
	Type  string `placeholder:"TEXT" help:"Part of the type's name."`
	Repr  string `placeholder:"TEXT" help:"Part of the representation's name."`
	Name  string `placeholder:"TEXT" help:"Part of the name of the type or frame."`
	Kind  string `enum:",object,type-object,stable,frame" default:"" placeholder:"KIND" help:"Only object, type-object, stable or frame."`
	Exact bool   `help:"The whole name, upper and lower case as written."`
}

// Run lists the rows that match all that is given, in their order, or the largest first with --by bytes.
func (c *heapFindCmd) Run(ctx context.Context, a *app) error {
	q := heapgraph.HeapQuery{Type: c.Type, Repr: c.Repr, Name: c.Name, Exact: c.Exact}
	if c.Type+c.Repr+c.Name == "" {
		return usageError(errors.New("heap find: say what to look for with --type, --repr or --name"))
	}
	if err := a.checkKey([]string{"row", "bytes"}); err != nil {
		return err
	}
	for k := model.KindObject; k <= model.KindFrame; k++ {
		if k.String() == c.Kind {
			q.Kind = k
		}
	}
	limit := a.flags.Limit
	if a.flags.By == "bytes" {
		limit = 0
	}
	return a.heapGraph(ctx, c.File, noGraph, func(r *report.Report, h *model.Heap, _ *heapgraph.HeapGraph) error {
		rows, all, err := heapgraph.FindRows(ctx, h, q, limit)
		if err != nil {
			return err
		}
		r.Found, r.FoundAll = report.NewHeapRows(h, rows, a.flags.By == "bytes", a.flags.Limit), &all
		return nil
	})
}

// checkKey finds a sort key that a command does not know. A setting, which is for all commands, gives way.
func (a *app) checkKey(keys []string) error {
	err := checkKey(a.flags.By, keys)
	if err != nil && !a.isGiven("by") {
		a.flags.By = ""
		return nil
	}
	return err
}

// checkKey finds sort keys that are none of those known.
func checkKey(by string, keys []string) error {
	if by == "" || slices.Contains(keys, by) {
		return nil
	}
	return usageError(fmt.Errorf("--by: %q is no sort key: there are %s", by, strings.Join(keys, ", ")))
}

type heapRow struct {
	heapFile
	Row uint32 `arg:"" help:"Number of the row in its snapshot."`
}

type heapObjectCmd struct{ heapRow }

// Run says everything about one row.
func (c *heapObjectCmd) Run(ctx context.Context, a *app) error {
	return a.heapGraph(ctx, c.File, dominators, func(r *report.Report, h *model.Heap, g *heapgraph.HeapGraph) error {
		if err := c.check(h); err != nil {
			return err
		}
		r.Object = report.NewHeapObject(g, model.Row(c.Row), a.flags.Limit)
		return nil
	})
}

func (c *heapRow) check(h *model.Heap) error {
	if int64(c.Row) < int64(h.Len()) {
		return nil
	}
	return usageError(fmt.Errorf("there is no row %d: the snapshot has %d, from 0", c.Row, h.Len()))
}

type heapPathCmd struct {
	heapRow
	Without []uint32 `placeholder:"ROW" help:"Pass none of these rows: what else holds it?"`
}

// Run prints a shortest path from the root.
func (c *heapPathCmd) Run(ctx context.Context, a *app) error {
	without := map[model.Row]bool{}
	for _, row := range c.Without {
		without[model.Row(row)] = true
	}
	return a.heapGraph(ctx, c.File, references, func(r *report.Report, h *model.Heap, g *heapgraph.HeapGraph) error {
		if err := c.check(h); err != nil {
			return err
		}
		steps, ok, err := g.Path(ctx, model.Row(c.Row), without)
		if err != nil {
			return err
		}
		r.Path = report.NewHeapPath(h, steps)
		if !ok {
			fmt.Fprintf(a.env.Stderr, "memtui: nothing reaches row %d\n", c.Row)
		}
		return nil
	})
}
