package mvmheap

import (
	"context"
	"fmt"
	"slices"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// Schema implements [model.HeapSource].
func (f *file) Schema() *model.HeapSchema { return &schema }

// Len implements [model.HeapSource].
func (f *file) Len() int { return len(f.snaps) }

// Info implements [model.HeapSource]. Once a snapshot was decoded, its figures are exact.
func (f *file) Info(i int) model.HeapInfo {
	if exact, ok := f.state.Counted(i); ok {
		return exact
	}
	return f.stated(i)
}

// stated returns what the file's headers state about a snapshot.
func (f *file) stated(i int) model.HeapInfo {
	s := &f.snaps[i]
	info := s.meta.info(f.meta.Start)
	info.Complete = s.complete
	if f.version == 2 {
		info.Rows = s.rows
		if s.complete {
			info.References = s.refs
		}
	}
	return info
}

// Tables implements [model.HeapSource].
func (f *file) Tables(ctx context.Context, i int) (*model.HeapTables, error) {
	if err := f.has(i); err != nil {
		return nil, err
	}
	return f.tables.get(ctx, i)
}

func (f *file) has(i int) error {
	if i < 0 || i >= len(f.snaps) {
		return fmt.Errorf("no snapshot %d", i)
	}
	return nil
}

// Open implements [model.HeapSource].
func (f *file) Open(ctx context.Context, i int, progress func(done float64)) (*model.Heap, error) {
	if err := f.has(i); err != nil {
		return nil, err
	}
	lost := []int64{0}
	q := loaders.HeapRequest{Schema: &schema, Cache: f.kept, I: i,
		Extra: func(c *sections.Codec) { sections.Array(c, "lost bytes", &lost) }}
	made, err := q.Open(ctx, func() (*loaders.DecodedHeap, error) { return f.decode(ctx, i, &lost[0], progress) })
	if err != nil {
		return nil, err
	}
	return f.state.Decoded(i, made, lost[0], progress), nil
}

// decode reads a snapshot, and sets lost to how many bytes of it could not be read.
func (f *file) decode(ctx context.Context, i int, lost *int64, progress func(done float64)) (*loaders.DecodedHeap, error) {
	d := f.newDecoding(ctx, i, progress)
	h, err := d.run()
	if err != nil {
		return nil, err
	}
	info := f.stated(i)
	info.Rows = int64(h.Len())
	if h.Complete {
		info = recount(h, info)
	}
	*lost = d.lost
	return &loaders.DecodedHeap{Heap: h, Info: info, Problems: d.problems, Room: d.files}, nil
}

// recount replaces the totals of info by sums over the rows.
func recount(h *model.Heap, info model.HeapInfo) model.HeapInfo {
	var rows [KindCallStack + 1]int64
	managed, unmanaged := uint64(0), uint64(0)
	for r, k := range h.Kinds {
		rows[k]++
		managed += h.Managed(model.Row(r)) // cannot overflow: 2^32 rows of 16 bits
		unmanaged, _ = model.SaturatingAdd(unmanaged, h.Unmanaged(model.Row(r)))
	}
	all, _ := model.SaturatingAdd(managed, unmanaged)
	signed := func(n uint64) int64 { return int64(min(n, 1<<63-1)) }
	info.Rows, info.References = int64(len(h.Kinds)), int64(h.To.Len())
	info.Counts = []int64{setObjects: rows[KindObject], setTypeObjects: rows[KindTypeObject],
		setSTables: rows[KindSTable], setFrames: rows[KindFrame]}
	info.Bytes, info.ManagedBytes, info.UnmanagedBytes = signed(all), signed(managed), signed(unmanaged)
	return info
}

// Scores implements [model.HeapSource].
func (f *file) Scores(ctx context.Context, i int) (model.HeapScores, bool, error) {
	if err := f.has(i); err != nil {
		return model.HeapScores{}, false, err
	}
	s, _, ok, err := f.scores(ctx, i)
	return s, ok, err
}

const maxScores = 1 << 16 // of one snapshot; recorders write 160

// scores reads the high scores of snapshot i; broken describes their damage, "" if there is none.
func (f *file) scores(ctx context.Context, i int) (s model.HeapScores, broken string, ok bool, err error) {
	b := &f.snaps[i]
	if !b.there(topIDs, topscore) {
		return s, "", false, nil
	}
	tables, err := f.tables.get(ctx, i)
	if err != nil {
		return s, "", false, err
	}
	t := f.kit()
	defer f.kits.Put(t)
	var columns [2][]uint64
	for c, k := range []kind{topIDs, topscore} {
		n, bad, err := f.column(ctx, t, b.blocks[k], k, maxScores, nil,
			func(_ int64, vals []uint64) { columns[c] = append(columns[c], vals...) })
		if err != nil {
			return s, "", false, err
		}
		if bad != nil {
			return s, fmt.Sprintf("%s cannot be read: %v", k, bad), false, nil
		}
		if n > maxScores {
			broken = fmt.Sprintf("there are more high scores than the limit of %s in one snapshot: the rest was not read; it cannot be raised", model.Group(maxScores))
		}
	}
	boards := map[string]*[]model.HeapScore{
		"types_by_count": &s.TypesByCount, "frames_by_count": &s.FramesByCount,
		"types_by_size": &s.TypesBySize, "frames_by_size": &s.FramesBySize,
	}
	order, each := f.meta.Scores.Order, f.meta.Scores.Count
	if len(order) == 0 || each <= 0 || each > maxScores {
		order, each = []string{"types_by_count", "frames_by_count", "types_by_size", "frames_by_size"}, int64(len(columns[0])/4)
	}
	for n, name := range order {
		if n > maxScores { // a file may name any number of boards
			break
		}
		list, known := boards[name]
		length := len(tables.Frames)
		if name == "types_by_count" || name == "types_by_size" {
			length = len(tables.Types)
		}
		if known && *list == nil {
			*list = board(columns, int64(n)*each, each, length)
		}
	}
	if broken == "" && (len(columns[0]) != len(columns[1]) || int64(len(columns[0])) != each*int64(len(order))) {
		broken = fmt.Sprintf("%d ids and %d scores for %d boards of %d", len(columns[0]), len(columns[1]), len(order), each)
	}
	return s, broken, true, nil
}

// board reads n entries, starting with number from. Those without a score, or with an id beyond a table of length, are
// padding.
func board(columns [2][]uint64, from, n int64, length int) []model.HeapScore {
	list := []model.HeapScore{}
	for e := from; e < from+n && e < int64(min(len(columns[0]), len(columns[1]))); e++ {
		if id, score := columns[0][e], columns[1][e]; score > 0 && id < uint64(length) {
			list = append(list, model.HeapScore{ID: uint32(id), Score: score})
		}
	}
	slices.SortStableFunc(list, func(a, b model.HeapScore) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	return list
}
