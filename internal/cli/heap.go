package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/calls"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/measure"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// heapCmd are the commands about heap snapshots.
type heapCmd struct {
	Snapshots  heapSnapshotsCmd  `cmd:"" help:"List the snapshots of a file with their sizes."`
	Types      heapTypesCmd      `cmd:"" help:"List the types of objects in a snapshot."`
	Frames     heapFramesCmd     `cmd:"" help:"List the routines and blocks whose frames are in a snapshot; of Java, what its threads run."`
	Find       heapFindCmd       `cmd:"" help:"Find objects by type, by name or by another property of the type."`
	Peek       heapPeekCmd       `cmd:"" help:"Show what refers to the objects of a type, and what they refer to, by type."`
	Object     heapObjectCmd     `cmd:"" help:"Describe one object: sizes, dominator, references from and to it."`
	Path       heapPathCmd       `cmd:"" help:"Print a shortest path from the root to an object."`
	Dominators heapDominatorsCmd `cmd:"" help:"List the objects that retain most memory."`
	Suspects   heapSuspectsCmd   `cmd:"" help:"Show what takes up much of the heap or grows over the snapshots, and what holds it."`
	Dumper     heapDumperCmd     `cmd:"" help:"Print a program that writes heap dumps where a language has none."`
	Holders    heapOwnersCmd     `cmd:"" help:"Show what holds all the objects of a type: their dominators, grouped by type and field."`
	Threads    heapThreadsCmd    `cmd:"" help:"List threads with their frames, what the frames hold, and what only the thread keeps alive."`
	Waste      heapWasteCmd      `cmd:"" help:"Find duplicate strings, unused capacity of collections, boxed numbers, and classes loaded twice."`
}

type (
	heapFile struct {
		File string `arg:"" help:"A file of heap snapshots, or - for standard input. FILE#3 is its snapshot 3, FILE#-1 its last. Further ones, which are read as one recording, follow it, or it is a folder."`
	}
	heapFiles struct {
		File []string `arg:"" help:"A file of heap snapshots, or - for standard input. FILE#3 is its snapshot 3, FILE#-1 its last. Several files, or a folder, are read as one recording."`
	}
	heapRows struct {
		heapFiles
		arg.RowFlags
	}
	heapSnapshotsCmd struct{ heapRows }
	heapTypesCmd     struct {
		heapFiles
		arg.RowFlags
		Group string `placeholder:"AXIS" help:"List the objects by another property than their type, or by kind (kind); ${axes}."`
		Exact bool   `help:"Find out exactly what objects retain together, where there is only a lower bound else (≥): that may take long."`
		Peek  string `placeholder:"TYPE" help:"Instead, print what refers to the objects of a type and what they refer to. TYPE is the complete name."`
	}
	heapFramesCmd     struct{ heapRows }
	heapDominatorsCmd struct {
		heapRows
		Below string `placeholder:"ROW" help:"List what an object dominates directly, instead of what retains the most: its number or id; 0 is the root."`
	}
	heapSuspectsCmd struct{ heapRows }
)

// Run lists the snapshots.
func (c *heapSnapshotsCmd) Run(ctx context.Context, a *app) error {
	return a.heapList(ctx, c, c.heapRows, report.ListSnapshots)
}

// Run lists the types of objects.
func (c *heapTypesCmd) Run(ctx context.Context, a *app) error {
	if c.Peek != "" {
		if c.Group != "" || c.Exact {
			return fail.Usage(errors.New("--peek lists types and references; --group and --exact apply to the list of types"))
		}
		return a.peekType(ctx, c.File, c.Peek, "--peek: ")
	}
	return a.heapLists(ctx, c.File, c, c.RowFlags, report.HeapOptions{Lists: c.lists(), Group: c.Group, Exact: c.Exact})
}

// lists returns the list that is printed.
func (c *heapTypesCmd) lists() report.HeapLists {
	if c.Group != "" {
		return report.ListGroups
	}
	return report.ListTypes
}

type heapPeekCmd struct {
	heapFile
	Type []string `arg:"" help:"The complete name of the type, such as byte[]: the last word, after all files."`
}

// Run prints what is around the objects of a type.
func (c *heapPeekCmd) Run(ctx context.Context, a *app) error {
	files, name := c.before(c.Type)
	return a.peekType(ctx, files, name, "heap peek: ")
}

// before returns the files of a command line, and the word after the last one. rest are the words after the first one.
func (f *heapFile) before(rest []string) (files []string, last string) {
	n := len(rest) - 1
	return append([]string{f.File}, rest[:n]...), rest[n]
}

// peekType prints the references around the objects of a type. Errors begin with the words of the user.
func (a *app) peekType(ctx context.Context, files []string, name, by string) error {
	return a.heapGraph(ctx, files, noGraph, func(r *report.Report, h *model.Heap, _ *heapgraph.Graph) error {
		types, like := heapgraph.TypesNamed(h, name, near.Names)
		around, err := heapgraph.Around(ctx, h, types)
		if err != nil {
			return err
		}
		if around.Count == 0 {
			return fail.Usage(errors.New(by + pick.NoType(name, like)))
		}
		r.AroundType = calls.NewAroundType(h.Schema, name, around, a.flags.Limit)
		return nil
	})
}

// Run lists the routines and blocks.
func (c *heapFramesCmd) Run(ctx context.Context, a *app) error {
	return a.heapList(ctx, c, c.heapRows, report.ListFrames)
}

// Run lists the rows that retain most.
func (c *heapDominatorsCmd) Run(ctx context.Context, a *app) error {
	asked := report.HeapOptions{Lists: report.ListDominators}
	if c.Below != "" {
		asked.Below = func(h *model.Heap) (model.Row, error) { return pick.Row(h, c.Below) }
	}
	return a.heapLists(ctx, c.File, c, c.RowFlags, asked)
}

// Run lists what to look at first.
func (c *heapSuspectsCmd) Run(ctx context.Context, a *app) error {
	return a.heapList(ctx, c, c.heapRows, report.ListSuspects)
}

// heapList prints a list about the selected snapshot, with the rows that flags select.
func (a *app) heapList(ctx context.Context, c printer, of heapRows, list report.HeapLists) error {
	return a.heapLists(ctx, of.File, c, of.RowFlags, report.HeapOptions{Lists: list})
}

// heapLists is heapList for lists with options of their own.
func (a *app) heapLists(ctx context.Context, files []string, c printer, flags arg.RowFlags, asked report.HeapOptions) error {
	return a.onHeap(ctx, files, func(s *session, p *model.Profile) error {
		rows, err := a.chosenRows(c.prints(kind.Heap, p.Heaps.Schema(), a.flags.Format), flags)
		if err != nil {
			return err
		}
		opt, err := a.heapOptions(s, p)
		if err != nil {
			return err
		}
		opt.Schema, opt.Lists, opt.Group, opt.Exact, opt.Below = report.SchemaHeap, asked.Lists, asked.Group, asked.Exact, asked.Below
		if opt.Snapshot < 0 && asked.Lists != report.ListSnapshots {
			return measure.NoComplete(p)
		}
		var r *report.Report
		if _, rows := p.Heaps.Schema().Frames(); asked.Lists == report.ListFrames && !rows {
			r, err = a.calls(ctx, s, p, opt)
		} else {
			r, err = report.BuildHeap(ctx, p, opt)
		}
		if err != nil {
			return err
		}
		a.renew(s, p, &r.Header)
		a.warnMemory(p, &r.Header)
		return a.writeReport(r, rows)
	})
}

// calls returns a report about what threads run, or why there is none, for formats whose frames are no rows.
func (a *app) calls(ctx context.Context, s *session, p *model.Profile, opt report.HeapOptions) (*report.Report, error) {
	h, err := a.heap(ctx, s, p, opt.Snapshot)
	if err != nil {
		return nil, err
	}
	var list []model.HeapThread
	why := p.Meta.Format + " files do not record what threads run"
	if threads, ok := model.HeapFacet[model.HeapThreads](p.Heaps); ok {
		why = "its threads have none"
		if list, err = threads.Threads(ctx, opt.Snapshot, h); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(list, func(t model.HeapThread) bool { return len(t.Frames) > 0 }) {
		hint := ""
		if slices.ContainsFunc(h.Schema.Axes, func(x model.HeapAxis) bool { return x.Key == "site" }) {
			hint = "; memtui heap types --group site lists where objects were allocated, if that was recorded"
		}
		return nil, fail.Usage(fmt.Errorf("%s has no frames: %s%s", p.Meta.Name, why, hint))
	}
	if opt.By != "" && opt.By != "count" {
		return nil, fail.Usage(errors.New("--by: calls of threads have no key but count"))
	}
	r := report.NewHeapReport(p, opt.Snapshot, opt.Edges)
	r.SetCalls(list, opt.Limit)
	return r, nil
}

// profileOf waits for a file that must be of a kind, and returns an error if it cannot be used. other makes the error
// for a file of another kind.
func (a *app) profileOf(ctx context.Context, s *session, k kind.Kind,
	other func(*model.Profile) error) (*model.Profile, error) {
	p, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	if kind.Of(p) != k {
		return nil, other(p)
	}
	a.warn(p)
	return p, nil
}

// onHeap opens files of snapshots, waits until its tables are read, and calls f.
func (a *app) onHeap(ctx context.Context, files []string, f func(*session, *model.Profile) error) error {
	s, err := a.recording(ctx, files)
	if err != nil {
		return err
	}
	defer s.close()
	p, err := a.profileOf(ctx, s, kind.Heap, noHeaps)
	if err != nil {
		return err
	}
	return s.src.Guard(func() error { return f(s, p) })
}

// heapOptions returns the options of all lists. The snapshot is -1 if there is no complete one and none was requested.
func (a *app) heapOptions(s *session, p *model.Profile) (report.HeapOptions, error) {
	opt := report.HeapOptions{Schema: report.SchemaReport, Snapshot: -1, Lists: report.EveryList, By: a.flags.By, Limit: a.flags.Limit}
	var err error
	if opt.Edges, err = pick.Edges(p, a.flags.Edges); err != nil {
		return opt, err
	}
	n, ok, err := pick.Snapshot(p, s.snapshot, a.flags.At)
	if ok {
		opt.Snapshot = n
	}
	return opt, err
}

func noHeaps(p *model.Profile) error {
	return fail.Usage(fmt.Errorf("%s holds no heap snapshots: its format is %s", p.Meta.Name, p.Meta.Format))
}

// heap decodes a snapshot. A negative number means that there is no complete one.
func (a *app) heap(ctx context.Context, s *session, p *model.Profile, n int) (h *model.Heap, err error) {
	if n < 0 {
		return nil, measure.NoComplete(p)
	}
	err = s.src.Guard(func() error {
		h, err = p.Heaps.Open(ctx, n, nil)
		return err
	})
	if err != nil && ctx.Err() == nil {
		err = fail.Input(fmt.Errorf("%s: snapshot %d: %w", p.Meta.Name, n, err))
	}
	return h, err
}

// graphMaker makes the graph of a snapshot, or as much of it as fits into memory; the rest is reported as left out.
type graphMaker func(context.Context, *model.Heap, heapgraph.Policy, *report.Report) (*heapgraph.Graph, error)

// noGraph is the graphMaker for questions that need only rows.
func noGraph(context.Context, *model.Heap, heapgraph.Policy, *report.Report) (*heapgraph.Graph, error) {
	return nil, nil
}

// references is the graphMaker for questions that need no dominators.
func references(ctx context.Context, h *model.Heap, p heapgraph.Policy, _ *report.Report) (*heapgraph.Graph, error) {
	return heapgraph.NewReferences(ctx, h, p)
}

// dominators is the graphMaker with dominators, which are left out if they do not fit into memory.
func dominators(ctx context.Context, h *model.Heap, p heapgraph.Policy,
	r *report.Report) (g *heapgraph.Graph, err error) {
	err = model.BudgetOf(ctx).Try(ctx, "", func(ctx context.Context) (err error) {
		g, err = heapgraph.NewGraph(ctx, h, p)
		return err
	})
	if short := (*model.MemoryError)(nil); !errors.As(err, &short) {
		return g, err
	}
	r.Lacks(model.BudgetOf(ctx).Problem("dominators and retained sizes were left out"))
	return references(ctx, h, p, r)
}

// heapGraph decodes the chosen snapshot of a file and calls f with it and its graph.
func (a *app) heapGraph(ctx context.Context, files []string, graphOf graphMaker,
	f func(*report.Report, *model.Heap, *heapgraph.Graph) error) error {
	return a.heapLook(ctx, files, graphOf, func(q heapLook) error { return f(q.r, q.h, q.g) })
}

// heapLook is what questions about rows look at.
type heapLook struct {
	r *report.Report
	h *model.Heap
	g *heapgraph.Graph // nil where none is needed

	src   model.HeapSource
	at    int // the snapshot
	edges heapgraph.Policy
}

// heapLook is heapGraph for questions that read from the file, too.
func (a *app) heapLook(ctx context.Context, files []string, graphOf graphMaker, f func(heapLook) error) error {
	return a.heapLookAt(ctx, heapRows{heapFiles: heapFiles{files}}, nil, graphOf, f)
}

// heapLookAt is heapLook for tables whose rows are sorted and filtered: those of c, or none if it is nil.
func (a *app) heapLookAt(ctx context.Context, of heapRows, c printer, graphOf graphMaker, f func(heapLook) error) error {
	return a.onHeap(ctx, of.File, func(s *session, p *model.Profile) error {
		var rows reportCmd
		if c != nil {
			var err error
			if rows, err = a.chosenRows(c.prints(kind.Heap, p.Heaps.Schema(), a.flags.Format), of.RowFlags); err != nil {
				return err
			}
		}
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
		if err := f(heapLook{r, h, graph, p.Heaps, opt.Snapshot, opt.Edges}); err != nil {
			return err
		}
		a.renew(s, p, &r.Header)
		a.warnMemory(p, &r.Header)
		return a.writeReport(r, rows)
	})
}

func kindsOf(s *model.HeapSchema) string { return uses.RowKinds([]loaders.Format{{Heap: s}}) }

type heapRow struct {
	heapFile
	Row []string `arg:"" help:"The number of the object in its snapshot (row in JSON), or its id as the format's tools write it, such as 0x7f00: the last word, after all files."`
}

type heapObjectCmd struct {
	heapRow
	Values bool `help:"Also print the values of its fields and the texts of strings. They may be secrets."`
}

// Run prints everything about one row.
func (c *heapObjectCmd) Run(ctx context.Context, a *app) error {
	files, name := c.before(c.Row)
	return a.heapLook(ctx, files, dominators, func(q heapLook) error {
		row, err := pick.Row(q.h, name)
		if err != nil {
			return err
		}
		q.r.Object = report.NewHeapObject(q.g, row, a.flags.Limit)
		if !c.Values {
			return nil
		}
		return q.r.Object.Show(ctx, q.src, q.at, q.h, a.flags.Limit)
	})
}

type heapPathCmd struct {
	heapRow
	Without []string `placeholder:"ROW" help:"Find a path that avoids these objects: what else keeps the object alive?"`
}

// Run prints a shortest path from the root.
func (c *heapPathCmd) Run(ctx context.Context, a *app) error {
	files, name := c.before(c.Row)
	return a.heapGraph(ctx, files, references, func(r *report.Report, h *model.Heap, g *heapgraph.Graph) error {
		row, err := pick.Row(h, name)
		if err != nil {
			return err
		}
		without := map[model.Row]bool{}
		for _, name := range c.Without {
			out, err := pick.Row(h, name)
			if err != nil {
				return err
			}
			without[out] = true
		}
		steps, ok, err := g.Path(ctx, row, without)
		if err != nil {
			return err
		}
		r.Path = report.NewHeapPath(h, steps)
		if !ok {
			fmt.Fprintf(a.env.Stderr, "memtui: object %s is unreachable\n", name)
		}
		return nil
	})
}
