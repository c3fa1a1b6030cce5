package heap

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// mergedGroups are the groups of one side that are one row of a comparison, as their names are the same there.
type mergedGroups struct {
	by        heapgraph.By
	ids       []uint32 // the heaviest first
	one, many string
}

// mergedKey identifies a row of a comparison by its heaviest group after.
type mergedKey struct {
	set *changeSet
	row int
}

// mergedOf returns the groups after that a row consists of, nil for none or a single one. It keeps those of the last row:
// names are masked to find them.
func (p *comparison) mergedOf(r *diff.Row) *mergedGroups {
	if key := (mergedKey{p.of, r.Row[1]}); p.mergedAt != key {
		p.mergedAt, p.merged = key, p.of.merged(r, 1)
	}
	return p.merged
}

// merged returns the groups of a side that a row consists of, nil for none or a single one.
func (s *changeSet) merged(r *diff.Row, side int) *mergedGroups {
	if s.Merged[side] == 0 {
		return nil
	}
	rows := s.MergedRows(r, side)
	if len(rows) < 2 {
		return nil
	}
	schema := s.schema(side)
	out := &mergedGroups{by: s.by(side), one: schema.Axes[0].One, many: schema.Axes[0].Many}
	switch axis := s.axis(); {
	case axis != nil:
		out.one, out.many = axis.One, axis.Many
	case s.frames:
		set, _ := schema.Frames()
		out.one, out.many = set.One, set.Many
	}
	for _, i := range rows {
		out.ids = append(out.ids, s.rows[side].Groups[i].ID)
	}
	return out
}

// text returns how many groups there are.
func (m *mergedGroups) text() string { return model.CountedAs(len(m.ids), m.one, m.many) }

// listRows implements [rowSource].
func (m *mergedGroups) listRows(ctx context.Context, load *ui.HeapLoad) (rows []model.Row, err error) {
	for _, id := range m.ids {
		more, err := heapgraph.GroupRows(ctx, load.Heap, m.by, id)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	slices.SortFunc(rows, func(a, b model.Row) int {
		return cmp.Or(cmp.Compare(load.Heap.Bytes(b), load.Heap.Bytes(a)), cmp.Compare(a, b))
	})
	return rows, nil
}

// oneName implements [rowSource]: names differ, or the same name is that of several types.
func (m *mergedGroups) oneName() bool { return false }
