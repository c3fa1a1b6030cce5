package hprof

import (
	"fmt"
	"math"
	"runtime/debug"

	"github.com/memtui/memtui/model"
)

// assemble arranges the references in the order of rows. It frees the targets by unit before it arranges the labels, so
// that less is twice in memory.
func (l *linker) assemble() error {
	all := int64(len(l.front.to))
	for i := range l.out {
		all += int64(len(l.out[i][0].to) + len(l.out[i][1].to))
	}
	first := uint32(len(l.h.Kinds))
	for _, u := range l.units {
		first = min(first, u.first[ofPrimitives])
	}
	all += l.linkPrimitives(first)
	if all > math.MaxUint32-1 {
		return fmt.Errorf("the dump has %d references: more than %d cannot be shown", all, uint32(math.MaxUint32-1))
	}
	sum := uint32(0)
	for r := range l.start {
		sum += l.start[r]
		l.start[r] = sum
	}
	if b := l.f.src.Budget(); !l.room.Fits(b, 8*all) {
		return b.Error("the references of the dump")
	}
	debug.FreeOSMemory() // what finding references took has the size of what follows
	to := model.MakeColumn[uint32](l.room, int(all))[:0]
	to = append(to, l.front.to...)
	for o := range 2 {
		for i := range l.out {
			if o == 1 {
				l.largeAt(i, uint32(len(to)))
			}
			to = append(to, l.out[i][o].to...)
			l.out[i][o].to = nil
		}
	}
	last := &linked{to: to}
	l.lastRows(first, func(target uint32, _ model.EdgeLabel) { last.to = append(last.to, target) })
	debug.FreeOSMemory() // nothing is left to look through but what takes the room of the labels
	last.label = append(model.MakeColumn[model.EdgeLabel](l.room, int(all))[:0], l.front.label...)
	for o := range 2 {
		for i := range l.out {
			last.label = append(last.label, l.out[i][o].label...)
			l.out[i][o].label = nil
		}
	}
	l.lastRows(first, func(_ uint32, label model.EdgeLabel) { last.label = append(last.label, label) })
	setReferences(l.h, l.start, last.to, last.label)
	return nil
}

// lastRows yields the references of the rows from first on, which are arrays of primitive values.
func (l *linker) lastRows(first uint32, yield func(to uint32, label model.EdgeLabel)) {
	more := l.extras(first)
	for r := first; int(r) < len(l.h.Kinds); r++ {
		if x := &l.k.list[l.h.Entity[r]]; l.h.Kinds[r] == kindPrimitives && int(l.h.Entity[r]) < l.k.dumped && x.dumped {
			yield(l.h.Entity[r]+1, l.classOf)
		}
		for len(more) > 0 && more[0].row == r {
			yield(more[0].to, more[0].label)
			more = more[1:]
		}
	}
}

// largeAt moves the indexes of a unit that do not fit their labels.
func (l *linker) largeAt(unit int, first uint32) {
	if len(l.large) == 0 {
		return
	}
	for key, i := range l.large {
		if key>>32 == uint64(unit) {
			setLarge(l.h, first+uint32(key), i)
		}
	}
}

// linkPrimitives counts the references of arrays of primitive values, each of which has one to its class if that
// exists.
func (l *linker) linkPrimitives(first uint32) (all int64) {
	for r := first; int(r) < len(l.h.Kinds); r++ {
		if int(l.h.Entity[r]) < l.k.dumped {
			l.start[r+1] = 1
			all++
		}
	}
	for _, e := range l.extras(first) {
		l.start[e.row+1]++
		all++
	}
	return all
}
