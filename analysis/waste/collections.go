package waste

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// Collection sums up all collections of one type.
type Collection struct {
	Type     string
	Form     model.HeapCollectionForm
	Row      model.Row // the one that wastes most
	Count    uint64
	Empty    uint64 // with nothing in them
	Sparse   uint64 // with elements, but in at most a quarter of their capacity
	Elements uint64
	Capacity uint64
	Bytes    uint64 // their own, and those of the objects that hold their elements
	Wasted   uint64

	most uint64 // wasted by Row
}

// FormName returns the form as JSON prints it.
func FormName(f model.HeapCollectionForm) string {
	return [...]string{model.CollectionList: "list", model.CollectionTable: "table", model.CollectionArray: "array",
		model.CollectionBox: "box"}[f&3]
}

type collectionKey struct {
	form   model.HeapCollectionForm
	entity uint32
	kind   model.HeapKind
}

// keyOf returns what a collection is summed up by.
func keyOf(h *model.Heap, form model.HeapCollectionForm, r model.Row) collectionKey {
	return collectionKey{form, h.Entity[r], h.Kinds[r]}
}

// findCollections sums up collections by type.
func findCollections(ctx context.Context, src model.HeapWaste, i int, h *model.Heap, tell func(model.Row)) ([]Collection, error) {
	at, seen, visited := map[collectionKey]int{}, newRowSet(h.Len()), 0
	var list []Collection
	err := src.Collections(ctx, i, h.Recorded(), func(c *model.HeapCollection) error {
		if visited++; visited%often == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			tell(c.Row)
		}
		if !h.Has(c.Row) {
			return nil
		}
		key := keyOf(h, c.Form, c.Row)
		n, ok := at[key]
		if !ok {
			n = len(list)
			at[key] = n
			list = append(list, Collection{Type: h.Tables.Type(key.entity), Form: c.Form, Row: c.Row})
		}
		list[n].add(h, c, seen)
		return nil
	})
	slices.SortFunc(list, func(a, b Collection) int {
		return cmp.Or(cmp.Compare(b.Wasted, a.Wasted), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Type, b.Type),
			cmp.Compare(a.Form, b.Form))
	})
	return list, cmp.Or(err, ctx.Err())
}

// add adds one collection; an object that holds elements of several counts once.
func (s *Collection) add(h *model.Heap, c *model.HeapCollection, seen rowSet) {
	s.Count++
	length, room := uint64(max(c.Len, 0)), uint64(max(c.Capacity, 0))
	switch {
	case c.Form == model.CollectionBox:
	case length == 0:
		s.Empty++
	case room > 0 && length <= room/4:
		s.Sparse++
	}
	s.Elements, _ = model.SaturatingAdd(s.Elements, length)
	s.Capacity, _ = model.SaturatingAdd(s.Capacity, room)
	s.Wasted, _ = model.SaturatingAdd(s.Wasted, c.Wasted)
	s.Bytes, _ = model.SaturatingAdd(s.Bytes, bytesOf(h, c.Row))
	if c.Storage != c.Row && seen.add(c.Storage) {
		s.Bytes, _ = model.SaturatingAdd(s.Bytes, bytesOf(h, c.Storage))
	}
	if c.Wasted > s.most {
		s.Row, s.most = c.Row, c.Wasted
	}
}

// Doubled is a class that is loaded more than once.
type Doubled struct {
	Type    string
	Count   uint64
	Loaders []string // loaders of the class, at most maxLoaders
	Row     model.Row
}

const (
	loaderAxis = "loader"
	maxLoaders = 16
)

// findDoubled finds classes of one name that different loaders loaded, if the format records loaders.
func findDoubled(h *model.Heap) (list []Doubled) {
	axis, ok := h.Schema.AxisNamed(loaderAxis)
	if !ok {
		return nil
	}
	at := map[string]int{}
	for r, about := range h.About {
		if !h.Kind(model.Row(r)).About {
			continue
		}
		name := h.Tables.Type(about)
		n, ok := at[name]
		if !ok {
			n = len(list)
			at[name] = n
			list = append(list, Doubled{Type: name, Row: model.Row(r)})
		}
		d := &list[n]
		if d.Count++; len(d.Loaders) < maxLoaders {
			d.Loaders = append(d.Loaders, h.Tables.OnAxis(axis, about))
		}
	}
	list = slices.DeleteFunc(list, func(d Doubled) bool { return d.Count < 2 })
	slices.SortStableFunc(list, func(a, b Doubled) int { return cmp.Compare(b.Count, a.Count) })
	return slices.Clip(list)
}

// Referents are the objects that references of one kind, such as soft ones, lead to.
type Referents struct {
	Kind       string
	References uint64
	Objects    uint64 // each once
	Bytes      uint64 // of these objects
}

// findReferents counts the referents of the reference kinds that are worth reporting.
func findReferents(ctx context.Context, h *model.Heap) (list []Referents, err error) {
	for k := range h.Schema.Edges {
		if !h.Schema.Edges[k].Marked {
			continue
		}
		x := Referents{Kind: h.Schema.Edges[k].Name}
		seen := newRowSet(h.Len())
		for e, l := range h.Label {
			if e%often == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if h.Schema.LabelKind(l) != model.HeapEdgeKind(k) || e >= h.To.Len() {
				continue
			}
			x.References++
			if to := h.To.At(e); seen.add(to) {
				x.Objects++
				x.Bytes, _ = model.SaturatingAdd(x.Bytes, bytesOf(h, to))
			}
		}
		if x.References > 0 {
			list = append(list, x)
		}
	}
	return list, nil
}
