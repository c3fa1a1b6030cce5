package traceindex

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// slowLevel is a level of any size.
type slowLevel struct {
	bytes big.Int
	count uint64
}

func (l *slowLevel) shown() uint64 {
	if l.bytes.IsUint64() {
		return l.bytes.Uint64()
	}
	return math.MaxUint64
}

// LiveOf implements [analysis.Trace]: it follows all events from the first one, once for each part.
func (ix *Index) LiveOf(_ context.Context, q analysis.LiveQuery) (out analysis.LiveCurves, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	in, by := ix.Filtered(q.Cell), group.DimOf(q.By)
	f := ix.FoldIn(q.By, in.Set)
	out.All, out.Peak, out.HasPeak = ix.liveOf(q, func(block uint32) bool { return ix.in(in, block) })
	if q.ByLife {
		for life := range analysis.LifeClasses {
			cols, _, _ := ix.liveOf(q, func(block uint32) bool { return ix.in(in, block) && ix.lifeClass(int(block)) == life })
			out.Parts = append(out.Parts, cols)
		}
		return out, nil
	}
	for _, keys := range q.Parts {
		part := map[analysis.Key]bool{}
		for _, k := range keys {
			part[k] = true
		}
		cols, _, _ := ix.liveOf(q, func(block uint32) bool { return ix.in(in, block) && part[f.KeyOf(ix.key(by, block))] })
		out.Parts = append(out.Parts, cols)
	}
	return out, nil
}

func (ix *Index) liveOf(q analysis.LiveQuery, has func(block uint32) bool) (cols []analysis.Column, peak analysis.Peak, ok bool) {
	from, to := ix.bounds(q.Range)
	lo, hi := ix.eventRange(analysis.Range{From: q.Range.From, To: to})
	cols = make([]analysis.Column, q.Columns)
	var l slowLevel
	event := 0
	step := func(c *analysis.Column) { // one event
		changed := false
		ix.replay(event, event+1, func(_ int, block uint32, size uint64, how column.Change) {
			if !has(block) {
				return
			}
			changed = true
			by := new(big.Int).SetUint64(size)
			if how == column.Born {
				l.bytes.Add(&l.bytes, by)
				l.count++
			} else {
				l.bytes.Sub(&l.bytes, by)
				l.count--
			}
			if c == nil {
				return
			}
			switch how {
			case column.Born:
				c.AllocBytes, _ = model.SaturatingAdd(c.AllocBytes, size)
				c.AllocCount++
			case column.Freed, column.FreedAtOnce:
				c.FreeCount++
			}
		})
		if event++; c != nil && changed {
			c.Events++
		}
	}
	for event < lo {
		step(nil)
	}
	top := new(big.Int)
	for i := range cols {
		c := &cols[i]
		c.From, c.To = analysis.ColumnEdge(from, to, i, q.Columns), analysis.ColumnEdge(from, to, i+1, q.Columns)
		c.MinBytes, c.MaxBytes, c.MinCount, c.MaxCount = l.shown(), l.shown(), l.count, l.count
		for event < hi && ix.time.At(event) <= c.To {
			step(c)
			c.MinBytes, c.MaxBytes = min(c.MinBytes, l.shown()), max(c.MaxBytes, l.shown())
			c.MinCount, c.MaxCount = min(c.MinCount, l.count), max(c.MaxCount, l.count)
			if !ok || top.Cmp(&l.bytes) < 0 {
				top.Set(&l.bytes)
				at := ix.time.At(event - 1)
				peak, ok = analysis.Peak{Level: analysis.Level{Time: at, Bytes: l.shown(), Count: l.count}, Instant: analysis.Instant{T: at, Events: uint64(event)}}, true
			}
		}
		c.LastBytes, c.LastCount = l.shown(), l.count
	}
	return cols, peak, ok
}

// agreeOnLive compares curves of what is chosen, and of parts of it.
func agreeOnLive(t *testing.T, ix, twin analysis.Trace, r *rand.Rand, rg analysis.Range, cells []analysis.Cell) {
	t.Helper()
	for _, in := range cells {
		q := analysis.LiveQuery{Range: rg, Columns: []int{1, 7, 40}[r.IntN(3)], Cell: in, By: analysis.Group(r.IntN(int(analysis.GroupCount)))}
		sites, err := twin.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: q.By, Cell: in, NoPeaks: true})
		if err != nil {
			t.Fatal(err)
		}
		q.Parts = make([][]analysis.Key, r.IntN(4))
		for _, s := range sites {
			if p := r.IntN(len(q.Parts) + 1); p > 0 {
				q.Parts[p-1] = append(q.Parts[p-1], s.Key)
			}
		}
		if q.ByLife = r.IntN(8) == 0; q.ByLife {
			q.Parts = nil
		}
		both(t, "live of a part", ix, twin, func(x analysis.Trace) (analysis.LiveCurves, error) { return x.LiveOf(t.Context(), q) })
	}
}

// Of all blocks the answer is the curve, and the peak is the peak.
func TestLiveOfAllIsTheCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ix := buildIndex(t, randomTrace(r, 900), nil)
	end := ix.Status().Duration
	for _, rg := range []analysis.Range{analysis.FullRange, {From: end / 3, To: end / 2}} {
		got, err := ix.LiveOf(t.Context(), analysis.LiveQuery{Range: rg, Columns: 20})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := ix.Curve(t.Context(), rg, 20)
		for i := range want { // these count what changes no block, too
			want[i].Events, want[i].FreeCount = got.All[i].Events, got.All[i].FreeCount
		}
		same(t, "columns", got.All, want)
		peak, ok, _ := ix.Peak(t.Context(), rg)
		same(t, "peak", got.Peak, peak)
		if ok != got.HasPeak {
			t.Errorf("has a peak: %v, want %v", got.HasPeak, ok)
		}
	}
}
