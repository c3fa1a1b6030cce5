package analysis

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// DiffTypes compares the objects (kind 1) of two snapshots by type, of one file or of two. By the size of the change in bytes, then in
// count, then by name.
func DiffTypes(before, after *model.Heap) []HeapChange {
	return diffGroups(HeapTypes(before, model.KindObject), HeapTypes(after, model.KindObject))
}

// DiffFrames compares the frames of two snapshots, in the order of DiffTypes.
func DiffFrames(before, after *model.Heap) []HeapChange {
	return diffGroups(HeapFrames(before), HeapFrames(after))
}

func diffGroups(before, after []HeapGroup) []HeapChange {
	type key struct {
		name, repr, file string
		line             int64
	}
	at, list := map[key]int{}, []HeapChange(nil)
	change := func(g *HeapGroup) *HeapChange {
		k := key{g.Name, g.Repr, g.File, g.Line}
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, HeapChange{Name: g.Name, Repr: g.Repr, File: g.File, Line: g.Line})
		}
		return &list[i]
	}
	for i := range before {
		c := change(&before[i])
		c.BeforeBytes, _ = model.SaturatingAdd(c.BeforeBytes, before[i].Bytes())
		c.BeforeCount += before[i].Count
	}
	for i := range after {
		c := change(&after[i])
		c.AfterBytes, _ = model.SaturatingAdd(c.AfterBytes, after[i].Bytes())
		c.AfterCount += after[i].Count
	}
	slices.SortFunc(list, func(a, b HeapChange) int {
		return cmp.Or(cmp.Compare(distance(b.BeforeBytes, b.AfterBytes), distance(a.BeforeBytes, a.AfterBytes)),
			cmp.Compare(distance(b.BeforeCount, b.AfterCount), distance(a.BeforeCount, a.AfterCount)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Repr, b.Repr), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

// distance is |a-b|.
func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// Status is "new", "gone", "grown", "shrunk" or "same": by bytes, and where those are equal by count.
func (c *HeapChange) Status() string {
	change := cmp.Or(cmp.Compare(c.AfterBytes, c.BeforeBytes), cmp.Compare(c.AfterCount, c.BeforeCount))
	switch {
	case change == 0:
		return "same"
	case c.BeforeCount == 0 && c.BeforeBytes == 0:
		return "new"
	case c.AfterCount == 0 && c.AfterBytes == 0:
		return "gone"
	case change > 0:
		return "grown"
	}
	return "shrunk"
}
