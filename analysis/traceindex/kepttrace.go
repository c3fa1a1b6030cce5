package traceindex

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// This file implements [analysis.Trace] for [KeptIndex], question by question.

// Status implements [analysis.Trace].
func (k *KeptIndex) Status() analysis.Status {
	s := k.state()
	status := s.ix.Status() // does not touch the file
	status.Revision += s.first
	return status
}

// StackIDs implements [analysis.Trace].
func (k *KeptIndex) StackIDs() []model.StackID { return k.state().ix.StackIDs() }

func (k *KeptIndex) dangling() []model.Problem { return k.state().ix.dangling() }

// Totals implements [analysis.Trace].
func (k *KeptIndex) Totals(ctx context.Context, r analysis.Range) (analysis.Totals, error) {
	return ask(ctx, k, "adding up totals", when(r.IsFull()),
		func(ix *fileIndex) (analysis.Totals, error) { return ix.Totals(ctx, r) })
}

// Live implements [analysis.Trace].
func (k *KeptIndex) Live(ctx context.Context, at analysis.Instant) (analysis.Level, error) {
	return ask(ctx, k, "looking up live memory", anyTime,
		func(ix *fileIndex) (analysis.Level, error) { return ix.Live(ctx, at) })
}

// Peak implements [analysis.Trace].
func (k *KeptIndex) Peak(ctx context.Context, r analysis.Range) (p analysis.Peak, ok bool, err error) {
	p, err = ask(ctx, k, "looking for the peak", anyTime, func(ix *fileIndex) (analysis.Peak, error) {
		var p analysis.Peak
		var err error
		p, ok, err = ix.Peak(ctx, r)
		return p, err
	})
	return p, ok, err
}

// Chart implements [analysis.Trace].
func (k *KeptIndex) Chart(ctx context.Context, r analysis.Range, n int) ([]analysis.Column, error) {
	return ask(ctx, k, "making a chart", anyTime, func(ix *fileIndex) ([]analysis.Column, error) {
		defer k.forgetCurve()
		return ix.Chart(ctx, r, n)
	})
}

// Curve implements [analysis.Trace].
func (k *KeptIndex) Curve(ctx context.Context, r analysis.Range, n int) ([]analysis.Column, error) {
	return ask(ctx, k, "making a curve", anyTime, func(ix *fileIndex) ([]analysis.Column, error) {
		defer k.forgetCurve()
		return ix.Curve(ctx, r, n)
	})
}

// Sites implements [analysis.Trace].
func (k *KeptIndex) Sites(ctx context.Context, q analysis.Query) ([]analysis.Site, error) {
	return ask(ctx, k, "adding up sites", keptSites(&q, !q.NoPeaks),
		func(ix *fileIndex) ([]analysis.Site, error) { return ix.Sites(ctx, q) })
}

// Functions implements [analysis.Trace].
func (k *KeptIndex) Functions(ctx context.Context, r analysis.Range, in analysis.Cell) ([]analysis.Function, error) {
	return ask(ctx, k, "adding up functions", kept(r.IsFull() && in.IsAll()),
		func(ix *fileIndex) ([]analysis.Function, error) { return ix.Functions(ctx, r, in) })
}

// Leaks implements [analysis.Trace].
func (k *KeptIndex) Leaks(ctx context.Context, q analysis.LeakQuery) (analysis.Leaks, error) {
	return ask(ctx, k, "listing leaks", kept(wholeLeaks(&q)),
		func(ix *fileIndex) (analysis.Leaks, error) { return ix.Leaks(ctx, q) })
}

// LateFreed implements [analysis.Trace].
func (k *KeptIndex) LateFreed(ctx context.Context, in analysis.Cell) (analysis.Leaks, error) {
	return ask(ctx, k, "listing blocks that were freed late", kept(in.IsAll()),
		func(ix *fileIndex) (analysis.Leaks, error) { return ix.LateFreed(ctx, in) })
}

// Weights implements [analysis.Trace].
func (k *KeptIndex) Weights(ctx context.Context, c analysis.Cost, q analysis.Query) ([]uint64, error) {
	return ask(ctx, k, "weighing stacks", keptSites(&q, false),
		func(ix *fileIndex) ([]uint64, error) { return ix.Weights(ctx, c, q) })
}

// History implements [analysis.Trace].
func (k *KeptIndex) History(ctx context.Context, by analysis.Group, only calltree.Filter, keys []analysis.Key, n int) ([][]uint64, error) {
	return ask(ctx, k, "following sites", keptHistory(by, only, keys),
		func(ix *fileIndex) ([][]uint64, error) { return ix.History(ctx, by, only, keys, n) })
}

// Verdicts implements [analysis.Trace].
func (k *KeptIndex) Verdicts(ctx context.Context, by analysis.Group, only calltree.Filter) (verdict.List, error) {
	return ask(ctx, k, "judging sites", kept(true),
		func(ix *fileIndex) (verdict.List, error) { return ix.Verdicts(ctx, by, only) })
}

// Lifetimes implements [analysis.Trace].
func (k *KeptIndex) Lifetimes(ctx context.Context, by analysis.Group, key analysis.Key, r analysis.Range,
	only calltree.Filter) (analysis.Lifetimes, error) {
	return ask(ctx, k, "adding up lifetimes", verifiedOnly,
		func(ix *fileIndex) (analysis.Lifetimes, error) { return ix.Lifetimes(ctx, by, key, r, only) })
}

// Lives implements [analysis.Trace].
func (k *KeptIndex) Lives(ctx context.Context, keys []analysis.Key) ([]analysis.Lives, error) {
	return ask(ctx, k, "counting lifetimes", keptLives(keys),
		func(ix *fileIndex) ([]analysis.Lives, error) { return ix.Lives(ctx, keys) })
}

// HeldAtPeak implements [analysis.Trace].
func (k *KeptIndex) HeldAtPeak(ctx context.Context, key analysis.Key) (model.Time, error) {
	return ask(ctx, k, "following blocks of the peak", keptHeld(key),
		func(ix *fileIndex) (model.Time, error) { return ix.HeldAtPeak(ctx, key) })
}

// Blocks implements [analysis.Trace].
func (k *KeptIndex) Blocks(ctx context.Context, q analysis.BlockQuery) (analysis.BlockList, error) {
	l, err := ask(ctx, k, "listing blocks", verifiedOnly, func(ix *fileIndex) (analysis.BlockList, error) { return ix.Blocks(ctx, q) })
	if l == nil || err != nil {
		return nil, err
	}
	return &keptBlocks{l, k}, nil
}

// keptBlocks is a list whose rows are read from the file.
type keptBlocks struct {
	analysis.BlockList
	k *KeptIndex
}

// Row implements [analysis.BlockList].
func (l *keptBlocks) Row(i int) analysis.Block {
	b, err := ask(context.Background(), l.k, "looking at a block", verifiedOnly, func(ix *fileIndex) (analysis.Block, error) {
		return l.BlockList.Row(i), nil
	})
	if err != nil {
		return analysis.Block{Died: model.NoTime}
	}
	return b
}

// Uses implements [analysis.Trace].
func (k *KeptIndex) Uses(ctx context.Context, addr uint64, limit int) (blocks []analysis.Block, total int, err error) {
	blocks, err = ask(ctx, k, "looking for uses of an address", verifiedOnly, func(ix *fileIndex) (b []analysis.Block, err error) {
		b, total, err = ix.Uses(ctx, addr, limit)
		return b, err
	})
	return blocks, total, err
}

// Grid implements [analysis.Trace].
func (k *KeptIndex) Grid(ctx context.Context, q analysis.GridQuery) (*analysis.Grid, error) {
	return ask(ctx, k, "counting blocks by size and lifetime", kept(q.All && q.Range.IsFull()),
		func(ix *fileIndex) (*analysis.Grid, error) { return ix.Grid(ctx, q) })
}

// Histograms implements [analysis.Trace].
func (k *KeptIndex) Histograms(ctx context.Context, r analysis.Range) (sizes, lifetimes []analysis.Bucket, err error) {
	sizes, err = ask(ctx, k, "counting sizes and lifetimes", kept(r.IsFull()), func(ix *fileIndex) (b []analysis.Bucket, err error) {
		b, lifetimes, err = ix.Histograms(ctx, r)
		return b, err
	})
	return sizes, lifetimes, err
}

// Marks implements [analysis.Trace].
func (k *KeptIndex) Marks(ctx context.Context, r analysis.Range, limit int) (marks []analysis.Mark, total int, err error) {
	marks, err = ask(ctx, k, "listing markers", anyTime, func(ix *fileIndex) (m []analysis.Mark, err error) {
		m, total, err = ix.Marks(ctx, r, limit)
		return m, err
	})
	return marks, total, err
}

// Neighbor implements [analysis.Trace].
func (k *KeptIndex) Neighbor(t model.Time, dir int) (model.Time, bool) {
	ok := false
	at, err := ask(context.Background(), k, "looking for an event", anyTime, func(ix *fileIndex) (at model.Time, err error) {
		at, ok = ix.Neighbor(t, dir)
		return at, nil
	})
	return at, ok && err == nil
}

// Landmark implements [analysis.Trace].
func (k *KeptIndex) Landmark(t model.Time, dir int) (model.Time, bool) {
	return k.state().ix.Landmark(t, dir)
}

// Events implements [analysis.Trace].
func (k *KeptIndex) Events(ctx context.Context, q analysis.EventQuery) (list []analysis.Event, left int, err error) {
	list, err = ask(ctx, k, "listing events", verifiedOnly, func(ix *fileIndex) (list []analysis.Event, err error) {
		list, left, err = ix.Events(ctx, q)
		return list, err
	})
	return list, left, err
}
