package trace

import (
	"context"
	"encoding/binary"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
)

// shapeKey determines the shapes of all groups: those of keys 0 … keys-1.
type shapeKey struct {
	revision uint64
	by       analysis.Group
	only     calltree.Filter
	keys     int
}

// shapeSet is the shapes of all groups by key. Read-only once made.
type shapeSet struct {
	by     analysis.Group
	only   calltree.Filter
	shapes []analysis.Shape
}

func fetchShapes(ctx context.Context, trace analysis.Trace, k shapeKey) (*shapeSet, error) {
	keys := make([]analysis.Key, k.keys)
	for i := range keys {
		keys[i] = analysis.Key(i)
	}
	shapes, err := trace.Shapes(ctx, k.by, k.only, keys)
	return &shapeSet{k.by, k.only, shapes}, err
}

// of returns the shape of a group, none before it is known.
func (s *shapeSet) of(q *analysis.Query, k analysis.Key) analysis.Shape {
	if s == nil || s.by != q.By || s.only != q.Cell.Stacks || int(k) >= len(s.shapes) {
		return analysis.Shape{}
	}
	return s.shapes[k]
}

// trendKey determines sparklines: the groups are packed, four bytes each, to be comparable.
type trendKey struct {
	revision uint64
	by       analysis.Group
	only     calltree.Filter
	keys     string
}

func packKeys(keys []analysis.Key) string {
	b := make([]byte, 0, 4*len(keys))
	for _, k := range keys {
		b = binary.LittleEndian.AppendUint32(b, uint32(k))
	}
	return string(b)
}

// trendSet is the sparklines of a few groups. Read-only once made.
type trendSet struct {
	by    analysis.Group
	only  calltree.Filter
	byKey map[analysis.Key][]uint64
}

// of returns the sparkline of a group, none before it is known.
func (t *trendSet) of(by analysis.Group, only calltree.Filter, k analysis.Key) []uint64 {
	if t == nil || t.by != by || t.only != only {
		return nil
	}
	return t.byKey[k]
}

// fetchTrends asks for the histories of a few groups.
func fetchTrends(ctx context.Context, trace analysis.Trace, k trendKey) (*trendSet, error) {
	var keys []analysis.Key
	for b := []byte(k.keys); len(b) >= 4; b = b[4:] {
		keys = append(keys, analysis.Key(binary.LittleEndian.Uint32(b)))
	}
	histories, err := trace.History(ctx, k.by, k.only, keys, analysis.HistoryColumns)
	if err != nil {
		return nil, err
	}
	out := &trendSet{k.by, k.only, make(map[analysis.Key][]uint64, len(keys))}
	for i, h := range histories {
		out.byKey[keys[i]] = h
	}
	return out, nil
}
