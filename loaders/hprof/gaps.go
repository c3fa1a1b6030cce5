package hprof

import (
	"sync"

	"github.com/memtui/memtui/loaders/internal/rowindex"
	"github.com/memtui/memtui/model"
)

// gapSizes determines the sizes of instances by class from the distances to the next objects. After an object there
// may be free memory, which is at least as large as the smallest object.
type gapSizes struct {
	k      *classes
	l      layout
	gaps   []classGaps // by class
	size   []int64     // by class: as computed from fields, then as determined
	hidden []int64     // by class: bytes of fields that the file does not state, of the class or inherited
	levels []int64     // by class: how many of it and its superclasses have fields
	done   []bool
}

// classGaps are the distances from the instances of a class to the next object.
type classGaps struct{ least, equal, all int64 } // how many have the least one, and how many there are

func (g *classGaps) add(gap int64) {
	if g.all++; g.all == 1 || gap < g.least {
		g.least, g.equal = gap, 0
	}
	if gap == g.least {
		g.equal++
	}
}

// leastFree is the size of the smallest objects, which leave free memory when they are gone.
const leastFree = 16

// merge adds the distances of other instances of the class.
func (g *classGaps) merge(o classGaps) {
	switch {
	case g.all == 0 || o.all > 0 && o.least < g.least:
		g.least, g.equal = o.least, o.equal
	case o.all > 0 && o.least == g.least:
		g.equal += o.equal
	}
	g.all += o.all
}

// sizeByGaps replaces the sizes of instances and class objects by the distances to the next objects, where those are
// not free memory.
func sizeByGaps(h *model.Heap, k *classes, x *rowindex.Index, l layout, instance, classObject []int64) error {
	n := len(instance)
	g := &gapSizes{k: k, l: l, gaps: make([]classGaps, n), size: instance, hidden: make([]int64, n), levels: make([]int64, n),
		done: make([]bool, n)}
	own := make([]int64, len(classObject))
	var mu sync.Mutex
	err := inParts(len(x.Rows)-1, func(parts func(func(from, end int))) {
		gaps := make([]classGaps, n)
		parts(func(from, end int) {
			for i := from; i < end; i++ {
				r := x.Rows[i]
				gap := int64(min(x.IDs[x.Rows[i+1]]-x.IDs[r], 1<<40))
				switch h.Kinds[r] {
				case kindInstance:
					gaps[h.Entity[r]].add(gap)
				case kindClass:
					own[r-1] = gap
				}
			}
		})
		mu.Lock()
		defer mu.Unlock()
		for i := range gaps {
			g.gaps[i].merge(gaps[i])
		}
	})
	if err != nil {
		return err
	}
	for i := range instance {
		g.settle(int32(i))
	}
	g.classObjects(own, classObject)
	return nil
}

// settle determines the size of a class, after that of its superclass.
func (g *gapSizes) settle(i int32) {
	if g.done[i] {
		return
	}
	g.done[i] = true
	x, inherited, own := &g.k.list[i], int64(0), grown[g.k.list[i].name]
	if x.parent >= 0 {
		g.settle(x.parent)
		inherited, g.levels[i] = g.hidden[x.parent], g.levels[x.parent]
	}
	if len(x.fields) > 0 {
		g.levels[i]++
	}
	stated, gaps := g.size[i], &g.gaps[i]
	g.size[i] += inherited
	if gaps.all > 0 && g.believes(i, own) {
		g.size[i] = gaps.least
	}
	if own || inherited > 0 {
		g.hidden[i] = max(g.size[i]-stated, 0)
	}
}

// believes reports whether the least distance from instances of a class is their size. Older virtual machines align
// the fields of every class of a hierarchy: that takes more than the fields, and most instances show it.
func (g *gapSizes) believes(i int32, own bool) bool {
	gaps, more := &g.gaps[i], g.gaps[i].least-g.size[i]
	switch {
	case more < leastFree:
		return true
	case own:
		return more <= slack
	}
	return more <= g.levels[i]*g.l.align && gaps.all > 1 && 2*gaps.equal >= gaps.all
}

// classObjects determines the sizes of class objects: those of an instance of java.lang.Class, which the least of them
// shows, with the static fields.
func (g *gapSizes) classObjects(own, size []int64) {
	mirror := int64(0) // a class object without static fields
	if n, ok := g.k.named("java.lang.Class"); ok && int(n) < len(g.size) {
		mirror = g.size[n]
	}
	least := mirror + slack
	for i, gap := range own {
		if gap > 0 {
			least = min(least, (gap-size[i])/g.l.align*g.l.align)
		}
	}
	if least > 0 && least < mirror+slack {
		mirror = least
	}
	for i, gap := range own {
		if size[i] += mirror; gap > 0 && gap < size[i]+leastFree {
			size[i] = gap
		}
	}
}
