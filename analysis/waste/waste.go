package waste

import (
	"context"
	"errors"

	"github.com/memtui/memtui/model"
)

// Waste is the result of [Find].
type Waste struct {
	Strings     Strings
	Collections []Collection // most wasted bytes first
	Doubled     []Doubled    // most first
	Referents   []Referents  // in the order of the schema
	Finalizers  Finalizers
	LeftOut     []string // what there was not enough memory for: "duplicate_strings", "collections"
}

// Bytes returns the sum of all wasted bytes.
func (w *Waste) Bytes() uint64 {
	sum := w.Strings.Wasted
	for i := range w.Collections {
		sum, _ = model.SaturatingAdd(sum, w.Collections[i].Wasted)
	}
	return sum
}

// Find searches snapshot i, which is decoded as h. What is wasted does not depend on the policy whose sizes h has: the
// sizes in the file tell the capacity. The bytes of objects are those of h. progress may be nil; it is called with fractions of the work done,
// which never fall. Find fails only if ctx ends or reading fails: what does not fit into memory is left out.
func Find(ctx context.Context, src model.HeapWaste, i int, h *model.Heap, progress func(done float64)) (*Waste, error) {
	if progress == nil {
		progress = func(float64) {}
	}
	w := &Waste{}
	steps := []struct {
		name string
		of   func(ctx context.Context, tell func(model.Row)) error
	}{
		{"duplicate_strings", func(ctx context.Context, tell func(model.Row)) (err error) {
			w.Strings, err = findStrings(ctx, src, i, h, tell)
			return err
		}},
		{"collections", func(ctx context.Context, tell func(model.Row)) (err error) {
			w.Collections, err = findCollections(ctx, src, i, h, tell)
			return err
		}},
	}
	for n, step := range steps {
		most := 0.0
		tell := func(r model.Row) {
			if done := (float64(n) + min(float64(r)/float64(h.Len()), 1)) / float64(len(steps)); done > most {
				most = done
				progress(done)
			}
		}
		err := model.BudgetOf(ctx).Try(ctx, "", func(ctx context.Context) error { return step.of(ctx, tell) })
		if short := (*model.MemoryError)(nil); errors.As(err, &short) {
			w.LeftOut = append(w.LeftOut, step.name)
		} else if err != nil {
			return nil, err
		}
	}
	w.Doubled = findDoubled(h)
	var err error
	if w.Referents, err = findReferents(ctx, h); err != nil {
		return nil, err
	}
	w.Finalizers, err = findFinalizers(ctx, h)
	return w, err
}

// rowSet is a set of rows.
type rowSet []uint64

func newRowSet(n int) rowSet { return make(rowSet, n/64+1) }

// add adds a row and reports whether it is new; a row beyond the snapshot is not.
func (s rowSet) add(r model.Row) bool {
	if r/64 >= model.Row(len(s)) || s[r/64]>>(r%64)&1 != 0 {
		return false
	}
	s[r/64] |= 1 << (r % 64)
	return true
}

// bytesOf returns the memory of a row, 0 if it is beyond the snapshot.
func bytesOf(h *model.Heap, r model.Row) uint64 {
	if uint64(r) >= uint64(len(h.Size)) {
		return 0
	}
	return h.Bytes(r)
}
