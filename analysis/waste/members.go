package waste

import (
	"context"
	"errors"
	"hash/maphash"

	"github.com/memtui/memtui/model"
)

// Rows lists the strings that a text counts, in the order of the file.
func (t *Text) Rows(ctx context.Context, src model.HeapWaste, i int, h *model.Heap) (rows []model.Row, err error) {
	seed, hash, known := maphash.MakeSeed(), uint64(0), false
	err = src.Texts(ctx, i, h.Recorded(), func(x *model.HeapText) error {
		if x.Row != t.Row {
			return nil
		}
		hash, known = newStringSeen(seed, h, x).hash, true
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) || !known {
		return nil, err
	}
	list := members{ctx: ctx}
	err = src.Texts(ctx, i, h.Recorded(), func(x *model.HeapText) error {
		return list.add(x.Row, newStringSeen(seed, h, x).hash == hash)
	})
	return list.rows, err
}

// Rows lists the collections that are summed up, in the order of the file.
func (s *Collection) Rows(ctx context.Context, src model.HeapWaste, i int, h *model.Heap) ([]model.Row, error) {
	key, list := keyOf(h, s.Form, s.Row), members{ctx: ctx}
	err := src.Collections(ctx, i, h.Recorded(), func(c *model.HeapCollection) error {
		return list.add(c.Row, h.Has(c.Row) && keyOf(h, c.Form, c.Row) == key)
	})
	return list.rows, err
}

// Rows lists the objects that are the class.
func (d *Doubled) Rows(h *model.Heap) (rows []model.Row) {
	for r, about := range h.About {
		if h.Kind(model.Row(r)).About && h.Tables.Type(about) == d.Type {
			rows = append(rows, model.Row(r))
		}
	}
	return rows
}

// members are rows that belong to a finding.
type members struct {
	ctx     context.Context
	rows    []model.Row
	visited int
}

// add adds a row if it belongs. It fails if there is no use in going on.
func (m *members) add(r model.Row, belongs bool) error {
	if m.visited++; m.visited%often == 0 {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		if budget := model.BudgetOf(m.ctx); budget.Full(model.BudgetOfFile) {
			return budget.Error("the list of objects")
		}
	}
	if belongs {
		m.rows = append(m.rows, r)
	}
	return nil
}
