package heap

import (
	"context"
	"errors"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// scoreKey determines the recorder's high scores of all snapshots.
type scoreKey struct {
	heaps  heapgraph.Heaps
	n      int
	counts bool // by count instead of by bytes
}

// trend is a figure over all snapshots.
type trend struct {
	id        uint64
	name, sub string // not cleaned
	frame     bool
	total     bool // of the complete heap, not of a type or frame
	bytes     bool // values are bytes
	alone     bool // known at one snapshot only
	values    []uint64
}

// top returns the highest figure. Figures of the complete heap are of different kinds and stay in their order.
func (t *trend) top() (v uint64) {
	if t.total {
		return ^t.id
	}
	return slices.Max(append([]uint64{0}, t.values...))
}

// scoreSet is the development of types and frames, as far as they are among the highest of a snapshot. Read-only once
// made.
type scoreSet struct {
	scoreKey
	trends []trend
	none   bool // the format has no high scores, and nothing was counted
}

// scoreTypes reads how types and frames develop; counting is called where that takes decoding every snapshot.
func scoreTypes(ctx context.Context, k scoreKey, counting func()) (*scoreSet, error) {
	set := &scoreSet{scoreKey: k, none: true}
	src := k.heaps.Source()
	var tables *model.HeapTables
	types, frames := map[uint32]*trend{}, map[uint32]*trend{}
	for i := range k.n {
		s, ok, err := src.Scores(ctx, i)
		if err != nil && errors.Is(err, ctx.Err()) {
			return nil, err
		}
		if err != nil || !ok { // a cut snapshot has none
			continue
		}
		if t, err := src.Tables(ctx, i); err == nil {
			tables, set.none = t, false
		}
		a, b := s.TypesBySize, s.FramesBySize
		if k.counts {
			a, b = s.TypesByCount, s.FramesByCount
		}
		enter(types, a, i, k)
		enter(frames, b, i, k)
	}
	if tables == nil {
		counting()
		return set, set.count(ctx)
	}
	second := src.Schema().Distinct()
	for id, t := range types {
		t.id, t.name, t.sub = trendTypes|uint64(id), tables.Type(id), ""
		if second > 0 {
			t.sub = tables.OnAxis(second, id)
		}
		set.trends = append(set.trends, *t)
	}
	for id, t := range frames {
		name, file, line := tables.Frame(id)
		t.id, t.name, t.frame = trendFrames|uint64(id), frameText(name, file, line, false), true
		set.trends = append(set.trends, *t)
	}
	return set, ctx.Err()
}

// mostFollowed is the number of snapshots that are decoded to count types if the recorder stored no scores.
const mostFollowed = 64

// count counts the types of objects if the format has no scores: it decodes the snapshots, one after the other.
// Snapshots that cannot be read count as 0.
func (set *scoreSet) count(ctx context.Context) error {
	src, of := set.heaps.Source(), suspects.Growing{}
	garbage := trend{id: trendGarbage, name: "unreachable bytes", total: true, bytes: true, values: make([]uint64, set.n)}
	schema := src.Schema()
	kinds := trend{id: trendKinds, name: schema.Axes[0].Many + " with " + schema.Objects().Many, total: true,
		values: make([]uint64, set.n)}
	if set.n < 2 || set.n > mostFollowed {
		return ctx.Err()
	}
	for i := range set.n {
		if !src.Info(i).Complete {
			continue
		}
		h, err := set.heaps.Borrow(ctx, i)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && h.Complete {
			of.Add(h, i, 0)
			kinds.values[i] = uint64(of.TypesIn(i))
			if garbage.values[i], err = unreachable(ctx, h); err != nil {
				return err
			}
		}
	}
	if set.trends = append(set.trends, kinds); schema.Garbage {
		set.trends = append(set.trends, garbage)
	}
	types := of.Types(set.counts)
	for n := range types {
		x := &types[n]
		t := trend{id: trendTypes | uint64(n), name: x.Name, sub: x.Sub, bytes: !set.counts, values: make([]uint64, set.n)}
		values := x.Bytes.Values
		if set.counts {
			values = x.Count.Values
		}
		for at, i := range of.Snapshots {
			t.values[i] = values[at]
		}
		set.trends, set.none = append(set.trends, t), false
	}
	return nil
}

// unreachable returns the bytes of what the root of a snapshot does not reach, 0 where the format keeps nothing of that.
func unreachable(ctx context.Context, h *model.Heap) (uint64, error) {
	if !h.Schema.Garbage {
		return 0, nil
	}
	g, err := heapgraph.NewReferences(ctx, h.Under(heapgraph.Policy(0).Of(h.Schema)), 0)
	if err != nil {
		return 0, err
	}
	reached, _, err := g.RetainedByKinds(ctx, ^model.HeapKinds(0))
	if all := heapgraph.Sum(h); err == nil && reached < all.Bytes() {
		return all.Bytes() - reached, nil
	}
	return 0, err
}

// Bases of the ids of trends, and the ids of figures of the complete heap.
const (
	trendKinds = 1<<16 + iota
	trendGarbage
)

const (
	trendTypes  = 1 << 32
	trendFrames = 2 << 32
	trendNames  = 1 << 63 // of types, by their names
)

// enter records the scores of snapshot i.
func enter(to map[uint32]*trend, scores []model.HeapScore, i int, k scoreKey) {
	for _, s := range scores {
		t := to[s.ID]
		if t == nil {
			t = &trend{values: make([]uint64, k.n), bytes: !k.counts}
			to[s.ID] = t
		}
		t.values[i] = s.Score
	}
}

// snapshotRow is what is known of a snapshot. Figures are model.NoCount where they are not.
type snapshotRow struct {
	n      int
	info   model.HeapInfo
	before int64 // bytes of the one before it, model.NoCount without one
}

// compared reports whether the difference of the snapshot from the one before is known.
func (r *snapshotRow) compared() bool { return r.before >= 0 && r.info.Bytes >= 0 }

func (r *snapshotRow) change() float64 { return float64(r.info.Bytes) - float64(max(r.before, 0)) }

// snapshotRows returns all snapshots, with what is known from decoding.
func snapshotRows(l *ui.HeapLoads, s *state.State) []snapshotRow {
	src := s.Heaps()
	if src == nil {
		return nil
	}
	rows := make([]snapshotRow, src.Len())
	for i := range rows {
		rows[i].n, rows[i].info, rows[i].before = i, src.Info(i), model.NoCount
		if t, ok := l.Totals[ui.HeapKey{Heaps: l.Heaps, I: i}]; ok {
			f := &rows[i].info
			f.Rows, f.References = t.Rows, t.References
			f.Counts = t.Counts
			f.Bytes = int64(min(t.Bytes(), 1<<62))
		}
		if i > 0 {
			rows[i].before = rows[i-1].info.Bytes
		}
	}
	return rows
}

// columnSets returns the sets that have a column in lists of snapshots, by their index in the schema.
func columnSets(s *model.HeapSchema) (sets []int) {
	for i := range s.Sets {
		if s.Sets[i].Column {
			sets = append(sets, i)
		}
	}
	return sets
}

// totalTrends returns the figures of the complete heap that are known for every complete snapshot.
func totalTrends(s *model.HeapSchema, rows []snapshotRow) []trend {
	type figure struct {
		name  string
		bytes bool
		of    func(*model.HeapInfo) int64
	}
	figures := []figure{{"all bytes", true, func(f *model.HeapInfo) int64 { return f.Bytes }}}
	for _, i := range columnSets(s) {
		figures = append(figures, figure{"all " + s.Sets[i].Many, false, func(f *model.HeapInfo) int64 { return f.Count(i) }})
	}
	figures = append(figures, figure{"all references", false, func(f *model.HeapInfo) int64 { return f.References }})
	var list []trend
	for _, f := range figures {
		t, known := trend{id: uint64(len(list)), name: f.name, total: true, bytes: f.bytes}, len(rows) > 0
		for i := range rows {
			n := f.of(&rows[i].info)
			known = known && (n != model.NoCount || !rows[i].info.Complete)
			t.values = append(t.values, uint64(max(n, 0)))
		}
		if known {
			list = append(list, t)
		}
	}
	return list
}
