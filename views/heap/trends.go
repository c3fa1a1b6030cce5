package heap

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
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
	name, sub string // not cleaned
	frame     bool
	total     bool // of the whole heap, not of a type or frame
	bytes     bool // values are bytes
	values    []uint64
}

func (t *trend) top() (v uint64) { return slices.Max(append([]uint64{0}, t.values...)) }

// growth is how much more the last snapshot has than the first.
func (t *trend) growth() float64 {
	if len(t.values) == 0 {
		return 0
	}
	return float64(t.values[len(t.values)-1]) - float64(t.values[0])
}

// scoreSet is how types and frames develop, as far as they are among the highest of a snapshot. Read-only once made.
type scoreSet struct {
	scoreKey
	trends []trend
	none   bool // the format has no high scores
}

func fetchScores(ctx context.Context, k scoreKey) (*scoreSet, error) {
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
		return set, ctx.Err()
	}
	second := src.Schema().Distinct()
	for id, t := range types {
		t.name, t.sub = tables.Type(id), ""
		if second > 0 {
			t.sub = tables.OnAxis(second, id)
		}
		set.trends = append(set.trends, *t)
	}
	for id, t := range frames {
		name, file, line := tables.Frame(id)
		t.name, t.frame = frameText(name, file, line, false), true
		set.trends = append(set.trends, *t)
	}
	return set, ctx.Err()
}

// enter notes the scores of snapshot i.
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

// sortTrends puts types before frames, and in both the largest or the most grown first.
func sortTrends(list []trend, grown bool) []trend {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b trend) int {
		if a.frame != b.frame {
			if b.frame {
				return -1
			}
			return 1
		}
		by := cmp.Compare(b.top(), a.top())
		if grown {
			by = cmp.Compare(b.growth(), a.growth())
		}
		return cmp.Or(by, cmp.Compare(a.name, b.name), cmp.Compare(a.sub, b.sub))
	})
	return list
}

// snapshotRow is what is known of a snapshot. Figures are model.NoCount where they are not.
type snapshotRow struct {
	info model.HeapInfo
}

// snapshotRows are all snapshots, with what decoding has told of them.
func snapshotRows(l *ui.HeapLoads, s *state.State) []snapshotRow {
	src := s.Heaps()
	if src == nil {
		return nil
	}
	rows := make([]snapshotRow, src.Len())
	for i := range rows {
		rows[i].info = src.Info(i)
		if t, ok := l.Totals[ui.HeapKey{Heaps: l.Heaps, I: i}]; ok {
			f := &rows[i].info
			f.Rows, f.References = t.Rows, t.References
			f.Counts = t.Counts
			f.Bytes = int64(min(t.Bytes(), 1<<62))
		}
	}
	return rows
}

// columnSets are the sets whose numbers lists of snapshots have, by their place in the schema.
func columnSets(s *model.HeapSchema) (sets []int) {
	for i := range s.Sets {
		if s.Sets[i].Column {
			sets = append(sets, i)
		}
	}
	return sets
}

// totalTrends are the figures of the whole heap, those that are known of every whole snapshot.
func totalTrends(s *model.HeapSchema, rows []snapshotRow) []trend {
	type figure struct {
		name  string
		bytes bool
		of    func(*model.HeapInfo) int64
	}
	figures := []figure{{"all bytes", true, func(f *model.HeapInfo) int64 { return f.Bytes }}}
	for _, i := range columnSets(s) {
		figures = append(figures, figure{s.Sets[i].Many, false, func(f *model.HeapInfo) int64 { return f.Count(i) }})
	}
	figures = append(figures, figure{"references", false, func(f *model.HeapInfo) int64 { return f.References }})
	var list []trend
	for _, f := range figures {
		t, known := trend{name: f.name, total: true, bytes: f.bytes}, len(rows) > 0
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
