package diff

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// DiffTypes compares the objects of two snapshots by type, of one file or of two. By the size of the change in bytes, then in
// count, then by name.
func DiffTypes(before, after *model.Heap) []HeapChange {
	return diffGroups(heapgraph.Types(before), heapgraph.Types(after))
}

// DiffFrames compares the frames of two snapshots, in the order of DiffTypes.
func DiffFrames(before, after *model.Heap) []HeapChange {
	return diffGroups(heapgraph.Frames(before), heapgraph.Frames(after))
}

func diffGroups(before, after []heapgraph.Group) []HeapChange {
	type key struct {
		name, sub, file string
		line            int64
	}
	at, list := map[key]int{}, []HeapChange(nil)
	change := func(g *heapgraph.Group) *HeapChange {
		k := key{g.Name, g.Sub, g.File, g.Line}
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, HeapChange{Name: g.Name, Sub: g.Sub, File: g.File, Line: g.Line})
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
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Sub, b.Sub), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return list
}

// distance is |a-b|.
func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// Status says what became of it by a figure of both snapshots; in a snapshot where it has neither bytes nor members it is not there.
func (c *HeapChange) Status(before, after uint64) ChangeStatus {
	return changeStatus([2]bool{c.BeforeCount > 0 || c.BeforeBytes > 0, c.AfterCount > 0 || c.AfterBytes > 0}, before, after)
}

// HeapChange is a type or a frame in two snapshots. Types are matched by name and by what tells types of one name apart, frames by
// name, file and line.
type HeapChange struct {
	Name, Sub               string // not cleaned; Sub as in heapgraph.Group
	File                    string // frames
	Line                    int64  // frames
	BeforeBytes, AfterBytes uint64
	BeforeCount, AfterCount uint64
}
