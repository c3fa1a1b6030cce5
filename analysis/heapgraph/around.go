package heapgraph

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/model"
)

// Neighbors are objects and other rows of one kind and type that refer to the queried objects, or that those refer to.
type Neighbors struct {
	Kind       model.HeapKind
	Label      string // as [Label]; not cleaned
	Rows       uint64 // number of distinct rows
	Bytes      uint64 // their own bytes
	References uint64
	Edge       string // name of the references, "" if they have none or several; not cleaned
	First      model.Row
}

// AroundType summarizes what refers to the objects of a type, and what they refer to, by recorded references of every
// kind.
type AroundType struct {
	Types        int // number of types that matched
	Count, Bytes uint64
	Retainers    []Neighbors // of the objects of the type, most rows first
	References   []Neighbors // from them, most rows first
}

// TypesNamed returns the types of objects with a name, or if there are none those with it in another case. If there are
// none of these either, similar has at most n names that may be meant, nearest first.
func TypesNamed(h *model.Heap, name string, n int) (ids map[uint32]bool, similar []string) {
	ids = map[uint32]bool{}
	for _, equal := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for id := range h.Tables.Types {
			if equal(h.Tables.OnAxis(0, uint32(id)), name) {
				ids[uint32(id)] = true
			}
		}
		if len(ids) > 0 {
			return ids, nil
		}
	}
	seen, list := map[string]bool{}, near.NewList(name)
	for id := range min(len(h.Tables.Types), mostNames) {
		if text := h.Tables.OnAxis(0, uint32(id)); !seen[text] {
			seen[text] = true
			list.AddAs(text, text)
		}
	}
	return ids, list.First(n)
}

// mostNames is the number of names of types that are compared with one that no type has.
const mostNames = 1 << 18

// Around groups the references to and from all objects of some types by the kind and type of their other ends. The only
// errors are those of ctx.
func Around(ctx context.Context, h *model.Heap, types map[uint32]bool) (*AroundType, error) {
	const often = 1 << 16
	out := &AroundType{Types: len(types)}
	kinds := h.Schema.Objects().Kinds
	in := func(r model.Row) bool { return kinds.Has(h.Kinds[r]) && types[h.Entity[r]] }
	to, from := neighborSet{h: h, at: map[neighborKey]int{}}, neighborSet{h: h, at: map[neighborKey]int{}}
	seen := newRowBits(h.Len())
	for n := range h.Len() {
		if n%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r := model.Row(n)
		asked, holds := in(r), false
		if asked {
			out.Count++
			out.Bytes, _ = model.SaturatingAdd(out.Bytes, h.Bytes(r))
		}
		ends, first := h.Out(r)
		for i, t := range ends.All() {
			if asked {
				from.add(t, first+model.Ref(i), !seen.has(uint64(t)))
				seen.set(uint64(t))
			}
			if in(t) {
				to.add(r, first+model.Ref(i), !holds)
				holds = true
			}
		}
	}
	out.Retainers, out.References = to.sorted(), from.sorted()
	return out, ctx.Err()
}

// neighborKey is the key by which neighbors are grouped.
type neighborKey struct {
	kind   model.HeapKind
	entity uint32
}

type neighborSet struct {
	h    *model.Heap
	at   map[neighborKey]int
	list []Neighbors
}

// add counts a reference whose other end is the row end; fresh reports that the row was not counted before.
func (s *neighborSet) add(end model.Row, e model.Ref, fresh bool) {
	key := neighborKey{kind: s.h.Kinds[end]}
	if s.h.Kind(end).Naming != model.NamedByKind {
		key.entity = s.h.Entity[end]
	}
	edge := ""
	if s.h.Label[e].Form() == model.LabelString {
		edge = s.h.EdgeText(e)
	}
	i, ok := s.at[key]
	if !ok {
		i = len(s.list)
		s.at[key] = i
		s.list = append(s.list, Neighbors{Kind: key.kind, Label: Label(s.h, end), Edge: edge, First: end})
	}
	n := &s.list[i]
	n.References++
	if n.Edge != edge {
		n.Edge = ""
	}
	if fresh {
		n.Rows++
		n.Bytes, _ = model.SaturatingAdd(n.Bytes, s.h.Bytes(end))
	}
}

func (s *neighborSet) sorted() []Neighbors {
	slices.SortStableFunc(s.list, func(a, b Neighbors) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(b.References, a.References), cmp.Compare(a.First, b.First))
	})
	return s.list
}
