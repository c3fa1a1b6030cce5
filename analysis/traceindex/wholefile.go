package traceindex

import (
	"cmp"
	"context"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// answerWhole computes what the file keeps about the complete run, as far as that is not known: the verdicts, whose walk
// takes longest, on one goroutine, and the others on another one. The lock is held, and the index complete.
func (ix *fileIndex) answerWhole(ctx context.Context) error {
	judge := func() error { return ix.judged(ctx) }
	if ix.events() == 0 || !ix.levelsFit() {
		return judge()
	}
	var judged error
	var judging sync.WaitGroup
	judging.Go(func() { judged = model.Guarded(judge) })
	err := model.Guarded(func() error { return ix.answerOthers(ctx) })
	judging.Wait()
	return cmp.Or(judged, err)
}

// answerOthers computes the answers other than verdicts.
func (ix *fileIndex) answerOthers(ctx context.Context) error {
	if _, err := ix.findPeak(ctx); err != nil {
		return err
	}
	for late := range ix.whole.leaks {
		if _, err := ix.wholeLeaks(ctx, late); err != nil {
			return err
		}
	}
	_, err := ix.grouping(analysis.ByStack, group.Scope{}).pass(ctx, nil)
	return err
}

type wholeID struct{}

// answerAhead begins to compute the answers about the complete run where memory is not limited: screens and reports need
// them all, one after the other. The lock is held.
func (ix *fileIndex) answerAhead(ctx context.Context) {
	if ix.settled() && ix.file == nil && ix.budget <= 0 && ix.files == nil {
		ix.answering.Do(func() { go ix.shared(ctx, wholeID{}, ix.answerWhole) })
	}
}

// knows reports whether all answers are known.
func (w *whole) knows() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lives != nil && w.leaks[neverFreed] != nil && w.leaks[freedLate] != nil && w.atPeak != nil
}

// wholeSections reads or writes the answers about the complete run other than passes: all of them, or none.
func (ix *fileIndex) wholeSections(f *sections.Codec) {
	var k keptWhole
	if f.Writing() {
		k.take(ix)
	}
	sections.Array(f, "grid", &k.grids)
	sections.Array(f, "keys of lives", &k.lives.Keys)
	sections.Array(f, "lives", &k.lives.Sums)
	for late := range k.leaks {
		sections.Array(f, "leaks", &k.leaks[late].Rows)
		histories := &k.leaks[late].Histories
		if f.Reads() {
			*histories = make([][]byte, min(len(k.leaks[late].Rows), group.HistoryRows))
		}
		sections.Parts(f, "histories of leaks", len(*histories), func(i int) *[]byte { return &(*histories)[i] })
	}
	sections.Array(f, "peak", &k.peaks)
	for d := range k.peak.sums {
		sections.Array(f, "sums at the peak", &k.peak.sums[d])
	}
	sections.Array(f, "held at the peak", &k.peak.held)
	if f.Reads() && len(k.grids) > 0 && !k.give(ix) {
		f.Fail("answers do not fit")
	}
}

// keptWhole has the answers about the complete run as files have them. Its arrays are empty if they are not known.
type keptWhole struct {
	grids []analysis.Grid // at most one
	lives group.LifeSums
	leaks [2]group.LeakRows
	peaks []uint64 // events up to the peak: one if they are known
	peak  peakSums
}

// take takes what an index knows.
func (k *keptWhole) take(ix *fileIndex) {
	w, g := &ix.whole, ix.grids.Get(ix.events(), 0, ix.events())
	if g == nil || !w.knows() {
		return
	}
	k.grids, k.lives, k.peak = append(k.grids, *g), *w.lives, *w.atPeak
	k.peaks = append(k.peaks, uint64(k.peak.events))
	for late := range k.leaks {
		k.leaks[late] = *w.leaks[late]
	}
}

// give sets what the index knows, and reports whether its parts fit together.
func (k *keptWhole) give(ix *fileIndex) bool {
	w, n := &ix.whole, ix.events()
	lives := group.NewLifeSums(len(ix.Ids), k.lives.Keys)
	if len(lives.Keys) != len(k.lives.Sums) || len(k.peaks) != 1 || k.peaks[0] > uint64(n) {
		return false
	}
	lives.Sums = k.lives.Sums
	for late := range k.leaks {
		if !k.leaks[late].Fit(len(ix.Ids)) {
			return false
		}
		w.leaks[late] = &k.leaks[late]
	}
	for d := range k.peak.sums {
		if len(k.peak.sums[d]) != len(ix.sums[d]) {
			return false
		}
	}
	k.peak.events = int(k.peaks[0])
	w.lives, w.atPeak = lives, &k.peak
	ix.grids.Put(n, 0, n, k.grids[0])
	if ix.verdicts == nil { // there are none
		ix.verdicts = verdict.List{}
	}
	return true
}

// keptPasses are the groups whose passes are kept: the keys of the others depend on names.
var keptPasses = [...]analysis.Group{analysis.ByStack, analysis.ByThread, analysis.BySizeClass}

// passSections reads or writes the passes of groups. Peaks are verified at once, histories when they are read.
func (ix *fileIndex) passSections(f *sections.Codec) {
	for _, by := range keptPasses {
		var peaks []uint64
		var histories [][]byte
		if p := ix.Groups.PassIn(by, nil); f.Writing() && p != nil {
			peaks, histories = p.Kept()
		}
		f.Lazy = false
		sections.Array(f, "peaks", &peaks)
		f.Lazy = true
		if f.Reads() {
			histories = make([][]byte, group.KeptHistories(len(peaks)))
		}
		sections.Parts(f, "histories", len(histories), func(i int) *[]byte { return &histories[i] })
		if !f.Reads() || len(peaks) == 0 {
			continue
		}
		if len(peaks) != ix.keysOf(by) {
			f.Fail("peaks are missing")
			return
		}
		file := ix.file
		ix.Groups.KeepPass(by, nil, group.KeptPass(ix.events(), peaks, histories, func(part []byte) error {
			return file.Verify(context.Background(), part)
		}))
	}
}

// keysOf returns the number of keys of a group that is a dimension.
func (ix *fileIndex) keysOf(by analysis.Group) int { return len(ix.sums[group.DimOf(by)]) }

// checkWhole checks that the answers about the complete run agree with the sums.
func (ix *fileIndex) checkWhole() error {
	if g := ix.grids.Get(ix.events(), 0, ix.events()); g != nil && !ix.gridFits(g) {
		return errIndexFalse
	}
	if rows := ix.whole.leaks[neverFreed]; rows != nil && !ix.leaksFit(rows) {
		return errIndexFalse
	}
	for _, by := range keptPasses {
		if p := ix.Groups.PassIn(by, nil); p != nil && !ix.peaksFit(p, group.DimOf(by)) {
			return errIndexFalse
		}
	}
	return nil
}

// gridFits reports whether a grid has all blocks.
func (ix *fileIndex) gridFits(g *analysis.Grid) bool {
	sum := g.Sum(analysis.Cell{})
	return sum.Count == ix.totals.AllocCount && sum.Bytes == ix.totals.AllocBytes
}

// leaksFit reports whether rows have all blocks that are live at the end.
func (ix *fileIndex) leaksFit(l *group.LeakRows) bool {
	var all analysis.GridCell
	for i := range l.Rows {
		all.Add(l.Rows[i].Count, l.Rows[i].Bytes)
	}
	return all.Count == ix.curve.Count && all.Bytes == column.Shown(ix.curve.LiveHi, ix.curve.Live)
}

// peaksFit reports whether peaks are at least what is live at the end, and at most what was ever allocated.
func (ix *fileIndex) peaksFit(p *group.Pass, d column.Dim) bool {
	for k := range ix.sums[d] {
		if c := &ix.sums[d][k]; p.Peak[k] < c.LiveBytes() || p.Peak[k] > c.AllocBytes && !ix.status.Saturated {
			return false
		}
	}
	return true
}
