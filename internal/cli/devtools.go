package cli

import (
	"context"
	"errors"
	"io"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/model"
)

// beginPerfetto writes a trace with its heap profiles, a heap snapshot, or curves.
func beginPerfetto(ctx context.Context, c *conversion) (writer, error) {
	switch kind.Of(c.p) {
	case kind.Trace:
		return c.perfettoTrace(ctx)
	case kind.Heap:
		return c.graph(func(ctx context.Context, w io.Writer, h *model.Heap, held heapgraph.Holding, t model.Time) ([]export.Loss, error) {
			return export.PerfettoHeap(ctx, w, c.p, h, held, t)
		})
	case kind.Dump:
		if err := c.refuseTimes(); err != nil {
			return nil, err
		}
		return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
			return export.PerfettoCurves(ctx, w, c.p)
		}, nil
	}
	return nil, c.cannot("Perfetto opens stack profiles as .pprof, which convert writes")
}

// perfettoTrace writes a whole trace, with heap profiles at its peak and its end, or at the requested instant.
func (c *conversion) perfettoTrace(ctx context.Context) (writer, error) {
	switch f := c.flags; {
	case f.From.Given() || f.To.Given():
		return nil, fail.Usage(errors.New("--from and --to TIME: write the part as .mlyze first, then convert that to perfetto"))
	case f.By != "" && c.isGiven("by") || f.MinAge.Given():
		return nil, fail.Usage(errors.New("--by and --min-age: heap profiles of Perfetto hold what was allocated and what is live"))
	}
	opt, err := c.options(ctx, c.s.index)
	if err != nil {
		return nil, err
	}
	at := []analysis.Instant{opt.At}
	if !c.flags.At.Given() {
		peak, ok, err := c.s.index.Peak(ctx, analysis.FullRange)
		if err != nil {
			return nil, err
		}
		if ok && peak.Time < c.s.index.Status().Duration {
			at = []analysis.Instant{peak.Instant, analysis.End}
		}
	}
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
		return export.PerfettoTrace(ctx, w, c.p, c.s.index, at)
	}, nil
}

// beginHeapSnapshot writes a heap snapshot as one of V8.
func beginHeapSnapshot(_ context.Context, c *conversion) (writer, error) {
	if kind.Of(c.p) != kind.Heap {
		return nil, c.cannot("a heap snapshot holds objects and their references, which this file does not record")
	}
	return c.graph(func(ctx context.Context, w io.Writer, h *model.Heap, held heapgraph.Holding, _ model.Time) ([]export.Loss, error) {
		return export.WriteHeapSnapshot(ctx, w, h, held)
	})
}

// graphWriter writes a snapshot at a time.
type graphWriter func(context.Context, io.Writer, *model.Heap, heapgraph.Holding, model.Time) ([]export.Loss, error)

// graph writes the chosen snapshot, with the references that keep memory alive, and its time, 0 if it has none.
func (c *conversion) graph(write graphWriter) (writer, error) {
	if c.flags.To.Given() {
		return nil, fail.Usage(errors.New("--to TIME: one snapshot is written; choose it with --snapshot or --at"))
	}
	opt, err := c.heapOptions(c.s, c.p)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, w io.Writer) ([]export.Loss, error) {
		h, err := c.app.heap(ctx, c.s, c.p, opt.Snapshot)
		if err != nil {
			return nil, err
		}
		held, err := heapgraph.NewHolding(ctx, h, opt.Edges)
		if err != nil {
			return nil, err
		}
		return write(ctx, w, h, held, max(c.p.Heaps.Info(opt.Snapshot).Time, 0))
	}, nil
}
