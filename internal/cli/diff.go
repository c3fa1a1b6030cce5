package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/model"
)

type diffCmd struct {
	Before string `arg:"" help:"The file before. FILE#3 is the snapshot 3 of a file of heap snapshots."`
	After  string `arg:"" help:"The file after."`
	Exact  bool   `help:"Bytes as exact numbers."`
}

// Run says what changed between two files, or between two snapshots of one file.
func (c *diffCmd) Run(ctx context.Context, a *app) error {
	if a.flags.Snapshot != nil {
		return usageError(errors.New("diff: name the snapshots as BEFORE#0 AFTER#3, not with --snapshot"))
	}
	if c.Before == "-" && c.After == "-" {
		return usageError(errors.New("diff: standard input can be one of the files only"))
	}
	before, err := a.open(ctx, c.Before)
	if err != nil {
		return err
	}
	defer before.close()
	after, err := a.open(ctx, c.After)
	if err != nil {
		return err
	}
	defer after.close()
	return a.writeDiff(ctx, before, after, c.Exact)
}

// writeDiff waits for both files and prints what changed.
func (a *app) writeDiff(ctx context.Context, before, after *session, exact bool) error {
	d, err := a.diff(ctx, before, after)
	if err != nil {
		return err
	}
	switch style := a.style(exact); a.flags.Format {
	case "json":
		return report.WriteJSON(a.out, d)
	case "markdown":
		return report.WriteDiffMarkdown(a.out, d, style)
	case "csv":
		return report.WriteDiffCSV(a.out, d)
	default:
		return report.WriteDiffText(a.out, d, style)
	}
}

// diff waits for both files and compares them.
func (a *app) diff(ctx context.Context, before, after *session) (*report.Diff, error) {
	b, err := before.profile(ctx)
	if err != nil {
		return nil, err
	}
	p, err := after.profile(ctx)
	if err != nil {
		return nil, err
	}
	a.warn(b)
	if p.Meta.Path != b.Meta.Path {
		a.warn(p)
	}
	switch {
	case b.Heaps != nil && p.Heaps != nil:
		return a.diffHeaps(ctx, before, after, b, p)
	case b.Weights != nil && p.Weights != nil:
		return a.diffStacks(before, after, b, p)
	case b.Timeline != nil && p.Timeline != nil:
		return a.diffDumps(ctx, before, after, b, p)
	case b.Allocations != nil && p.Allocations != nil:
		return a.diffTraces(ctx, before, after, b, p)
	}
	return nil, usageError(fmt.Errorf("diff compares two files of one kind, but %s is %s and %s is %s", b.Meta.Name, b.Meta.Format, p.Meta.Name, p.Meta.Format))
}

func (a *app) diffHeaps(ctx context.Context, before, after *session, b, p *model.Profile) (*report.Diff, error) {
	if err := checkKey(a.flags.By, []string{"bytes"}); err != nil {
		return nil, err
	}
	was, err := a.heapSide(ctx, before, b)
	if err != nil {
		return nil, err
	}
	is, err := a.heapSide(ctx, after, p)
	if err != nil {
		return nil, err
	}
	return report.DiffHeaps(was, is, a.flags.Limit), nil
}

// heapSide decodes the chosen snapshot of a file.
func (a *app) heapSide(ctx context.Context, s *session, p *model.Profile) (side report.HeapSide, err error) {
	opt, err := a.heapOptions(s, p)
	if err != nil {
		return side, err
	}
	h, err := a.heap(ctx, s, p, opt.Snapshot)
	return report.HeapSide{Profile: p, Snapshot: opt.Snapshot, Heap: h}, err
}

func (a *app) diffTraces(ctx context.Context, before, after *session, b, p *model.Profile) (*report.Diff, error) {
	if err := checkKey(a.flags.By, report.SortKeys()); err != nil {
		return nil, err
	}
	if before.snapshot != nil || after.snapshot != nil {
		return nil, usageError(errors.New("diff: traces have no snapshots; choose an instant with --at"))
	}
	was, err := a.options(ctx, before.index)
	if err != nil {
		return nil, err
	}
	is, err := a.options(ctx, after.index)
	if err != nil {
		return nil, err
	}
	return report.DiffTraces(ctx, report.TraceSide{Profile: b, Trace: before.index, Options: was},
		report.TraceSide{Profile: p, Trace: after.index, Options: is}, a.flags.By, a.flags.Limit)
}
