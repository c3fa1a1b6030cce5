package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// rowKey is the sort key of a row: by the largest numbers, then by the least place. Rows are in the order of their IDs.
type rowKey struct {
	by    [4]uint64
	place uint32
	row   int32
}

// place returns a function that ranks rows by name, first names highest; nil if there are no rows.
func (t *rows) place() func(r *weights.Row) uint64 {
	if t.grouping == nil {
		return nil
	}
	return func(r *weights.Row) uint64 { return ^uint64(t.grouping.Rank(r.ID)) }
}

// sort orders rows by a column.
func (t *rows) sort(rows []int32, c *ui.Column[weights.Row], up bool) {
	if !t.SortRows(rows, c, up) {
		slices.SortFunc(rows, func(a, b int32) int { return t.CompareRows(a, b, c, up) })
	}
}

// CompareRows orders rows by a column, then by self, total and name.
func (t *rows) CompareRows(a, b int32, c *ui.Column[weights.Row], up bool) int {
	sign, order := -1, 0
	if up {
		sign = 1
	}
	x, y := &t.Rows[a], &t.Rows[b]
	if c.Amounts != nil {
		p, q := c.Amounts(x), c.Amounts(y)
		order = cmp.Or(p[0].Compare(q[0]), p[1].Compare(q[1]))
	} else {
		order = strings.Compare(c.Text(y), c.Text(x))
	}
	u, v := &x.Weights[0], &y.Weights[0]
	return cmp.Or(sign*order, v.Self.Compare(u.Self), v.Total.Compare(u.Total), strings.Compare(x.Name, y.Name),
		cmp.Compare(x.ID, y.ID))
}

// SortRows sorts rows as [rows.CompareRows] orders them, by numbers alone; ok is false where that is not possible.
func (t *rows) SortRows(rows []int32, c *ui.Column[weights.Row], up bool) (ok bool) {
	if c.Amounts == nil && c.Rank == nil || t.grouping == nil {
		return false
	}
	keys := make([]rowKey, len(rows))
	for i, row := range rows {
		r := &t.Rows[row]
		k := &keys[i]
		k.place, k.row = t.grouping.Rank(r.ID), row
		var own [2]model.Amount
		if c.Amounts != nil {
			own = c.Amounts(r)
		}
		for j, a := range [...]model.Amount{own[0], own[1], r.Weights[0].Self, r.Weights[0].Total} {
			if k.by[j], ok = a.Exact(); !ok {
				return false
			}
		}
		if c.Rank != nil {
			k.by[0] = c.Rank(r)
		}
		if up {
			k.by[0], k.by[1] = ^k.by[0], ^k.by[1]
		}
	}
	slices.SortFunc(keys, func(a, b rowKey) int {
		for j := range a.by {
			if a.by[j] != b.by[j] {
				return cmp.Compare(b.by[j], a.by[j])
			}
		}
		if a.place != b.place {
			return cmp.Compare(a.place, b.place)
		}
		return cmp.Compare(a.row, b.row)
	})
	for i := range keys {
		rows[i] = keys[i].row
	}
	return true
}
