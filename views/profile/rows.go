package profile

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// profRowKey is a row as it is sorted: by the largest numbers, then by the least place. Rows stand in the order of their IDs.
type profRowKey struct {
	by    [4]uint64
	place uint32
	row   int32
}

// SortRows sorts rows as [profRows.compareRows] orders them, by numbers alone; ok is false where that is not possible.
func (t *profRows) SortRows(rows []int32, column int, up bool) (ok bool) {
	if column == FuncDSO || t.grouping == nil {
		return false
	}
	keys := make([]profRowKey, len(rows))
	for i, row := range rows {
		r := &t.Rows[row]
		k := &keys[i]
		k.place, k.row = t.grouping.Rank(r.ID), row
		self, total := r.Weights[0].Self, r.Weights[0].Total
		first, second := self, model.Amount{}
		switch n := column - FuncBeside + 1; {
		case column == funcTotal || column == funcTotalShare:
			first = total
		case n > 0 && n < len(r.Weights):
			first, second = r.Weights[n].Self, r.Weights[n].Total
		}
		for j, a := range [...]model.Amount{first, second, self, total} {
			if k.by[j], ok = a.Exact(); !ok {
				return false
			}
		}
		if column == funcName {
			k.by[0] = ^uint64(k.place)
		}
		if up {
			k.by[0], k.by[1] = ^k.by[0], ^k.by[1]
		}
	}
	slices.SortFunc(keys, func(a, b profRowKey) int {
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
