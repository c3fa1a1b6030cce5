package hprof

import (
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/loaders/internal/cores"
	"github.com/memtui/memtui/loaders/internal/rowindex"
	"github.com/memtui/memtui/model"
)

// layout describes how objects are laid out in the program's memory.
type layout struct {
	header    int64 // of an instance
	array     int64 // header of an array
	reference int64
	align     int64
	guessed   bool // not determined by the file
	gaps      bool // distances between objects are their sizes
}

func (l *layout) round(n int64) int64 { return (n + l.align - 1) / l.align * l.align }

// slack is how much larger than its fields an object of one of the grown classes may be; memory beyond that is free.
const slack = 300

// grown are the classes of HotSpot that have fields which no file states, or that are padded against false sharing.
var grown = func() map[string]bool {
	m := map[string]bool{}
	for _, name := range []string{
		"java.lang.Class", "java.lang.String", "java.lang.ClassLoader", "java.lang.Module", "java.lang.Thread",
		"java.lang.StackFrameInfo", "java.lang.InternalError", "java.lang.invoke.MemberName", "java.lang.invoke.ResolvedMethodName",
		"java.lang.invoke.MethodHandleNatives$CallSiteContext", "jdk.internal.vm.StackChunk",
		"java.util.concurrent.ForkJoinPool", "java.util.concurrent.ForkJoinPool$WorkQueue", "java.util.concurrent.Exchanger",
		"java.util.concurrent.Exchanger$Node", "java.util.concurrent.ConcurrentHashMap$CounterCell",
		"java.util.concurrent.atomic.Striped64$Cell", "java.util.concurrent.SubmissionPublisher$BufferedSubscription",
	} {
		m[name] = true
	}
	return m
}()

// arrays are the lengths of arrays, by row after the last instance.
type arrays struct {
	first  uint32 // row
	length []uint32
	prims  uint32 // first row of arrays of primitive values
	kind   []byte // of their elements
}

// bytes returns the memory of an array.
func (l *layout) arrayBytes(a *arrays, r uint32) int64 {
	n := int64(a.length[r-a.first])
	if r < a.prims {
		return l.round(l.array + n*l.reference)
	}
	return l.round(l.array + n*int64(typeSize(a.kind[r-a.prims], 0)))
}

// guessLayout returns the usual layout, for dumps whose distances between objects are not conclusive.
func guessLayout(x *rowindex.Index, ids int) layout {
	l := layout{header: 12, array: 16, reference: 4, align: 8, guessed: true}
	if x.Shift > 3 && x.Shift <= 8 && ids == 8 {
		l.align = 1 << x.Shift
	}
	switch {
	case ids == 4:
		l.header, l.array, l.align = 8, 12, 8
	case x.Most >= 32<<30*uint64(l.align/8): // too far apart for references of four bytes
		l.reference = 8
	}
	return l
}

// findLayout determines the layout from the distances between arrays, whose lengths the file has.
func findLayout(x *rowindex.Index, a *arrays, ids int) layout {
	l := guessLayout(x, ids)
	if x.Shift < 3 {
		return l
	}
	header, ok := fitArrays(x, a, l, []int64{12, 16, 20, 24}, false)
	if !ok || ids == 4 && header != 12 {
		return l
	}
	l.array, l.guessed, l.gaps = header, false, true
	switch {
	case header <= 12:
		l.header = 8
	case header <= 16:
		l.header = 12
	default:
		l.header = 16
	}
	if reference, ok := fitArrays(x, a, l, []int64{4, 8}, true); ok {
		l.reference = reference
	}
	return l
}

// lookedAt is how many objects are enough to see how arrays are laid out.
const lookedAt = 1 << 20

// fitArrays returns the header, or the size of a reference, with which most arrays extend exactly to the next object,
// and hardly any further. ok is false if none fits half of them. Of many arrays, every so many are looked at.
func fitArrays(x *rowindex.Index, a *arrays, l layout, choices []int64, references bool) (best int64, ok bool) {
	exact, over := make([]int64, len(choices)), make([]int64, len(choices))
	all := int64(0)
	for k := 0; k+1 < len(x.Rows); k += 1 + len(x.Rows)/lookedAt {
		r := x.Rows[k]
		if r < a.first || references != (r < a.prims) {
			continue
		}
		all++
		gap := int64(min(x.IDs[x.Rows[k+1]]-x.IDs[r], 1<<40))
		for i, choice := range choices {
			if references {
				l.reference = choice
			} else {
				l.array = choice
			}
			if size := l.arrayBytes(a, r); size == gap {
				exact[i]++
			} else if size > gap {
				over[i]++
			}
		}
	}
	at := -1
	for i := range choices {
		if over[i] <= all/100 && 2*exact[i] >= all && all >= 8 && (at < 0 || exact[i] > exact[at]) {
			at = i
		}
	}
	if at < 0 {
		return 0, false
	}
	return choices[at], true
}

// sizeAll sets the size of every row. Of class objects, made is how many of the static fields are none of the class.
func sizeAll(h *model.Heap, k *classes, x *rowindex.Index, a *arrays, l layout, gaps bool, made []int64) error {
	instance := k.sumFields(l.reference)
	for i, sum := range instance {
		instance[i] = l.round(l.header + sum)
	}
	classObject := make([]int64, k.dumped)
	for i := range classObject {
		sum := int64(0)
		for _, s := range k.list[i].statics {
			sum += valueSize(s.kind, l.reference)
		}
		if gaps {
			sum -= made[i] * l.reference
		}
		classObject[i] = l.round(sum)
	}
	if gaps {
		if err := sizeByGaps(h, k, x, l, instance, classObject); err != nil {
			return err
		}
	}
	for i, bytes := range classObject {
		h.SetSize(model.Row(i+1), uint64(bytes))
	}
	return sizeRows(h, k.dumped+1, func(r uint32) uint64 {
		if r < a.first {
			return uint64(instance[h.Entity[r]])
		}
		return uint64(l.arrayBytes(a, r))
	})
}

// sizeRows sets the sizes of all rows from the first on.
func sizeRows(h *model.Heap, first int, of func(r uint32) uint64) error {
	var mu sync.Mutex // large sizes are in a map
	return inParts(h.Len()-first, func(parts func(func(from, end int))) {
		parts(func(from, end int) {
			for r := first + from; r < first+end; r++ {
				size := of(uint32(r))
				if size < uint64(model.LargeSize) {
					h.Size[r] = uint16(size)
					continue
				}
				mu.Lock()
				h.SetSize(model.Row(r), size)
				mu.Unlock()
			}
		})
	})
}

// inParts divides n things among all cores. Every goroutine calls f, which gets its parts one after the other.
func inParts(n int, f func(parts func(func(from, end int)))) error {
	const part = 1 << 16
	var next atomic.Int64
	return cores.Run(func() {
		f(func(visit func(from, end int)) {
			for from := int(next.Add(1)-1) * part; from < n; from = int(next.Add(1)-1) * part {
				visit(from, min(from+part, n))
			}
		})
	})
}
