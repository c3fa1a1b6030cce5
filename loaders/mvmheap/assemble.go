package mvmheap

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/memtui/memtui/model"
)

// assemble arranges the references in the order of rows, and drops those of no row.
func (d *decoding) assemble() {
	h := d.heap
	if h.Start.Len() == 0 {
		d.make(0)
	}
	if len(h.Kinds) > 0 && h.Kinds[0] != KindRoot {
		d.found(model.Error, "root-row", d.s.first(), 1, "row 0 is of kind %s, not the root", schema.Kind(h.Kinds[0]).Name)
	}
	refs := min(len(d.to), len(d.label)) // a row's slice may not extend further
	sorted := d.slices(uint32(refs))
	if d.strict && d.failed() == nil {
		d.checkTiling(uint32(refs))
	}
	start := h.Start.Narrow
	edges := int(start[len(h.Kinds)])
	switch {
	case d.badTo:
		d.compact()
	case sorted && edges == refs:
		h.To.Narrow, h.Label = d.to[:refs], d.label[:refs]
	default:
		h.To.Narrow = gather(model.MakeColumn[uint32](d.room(0, int64(edges)), edges), d.to, d.starts, start)
		// The targets' old place serves the labels: this is where memory peaks.
		h.Label = gather(reuse(d.to, edges), d.label, d.starts, start)
	}
	if len(d.large) > 0 {
		for e, l := range h.Label {
			if l.Form() == model.LabelLarge {
				h.LargeIndex[model.Ref(e)] = d.large[schema.LabelValue(l)]
			}
		}
	}
	d.to, d.label, d.starts, d.large = nil, nil, nil, nil
}

// slices converts heap.Start, which holds counts, to where references begin in the order of rows. Rows whose slice is
// not within the references lose it. It reports whether the references are in that order already.
func (d *decoding) slices(refs uint32) (sorted bool) {
	h, start := d.heap, d.heap.Start.Narrow
	var bad tally
	at := uint32(0)
	sorted = true
	for r := range h.Kinds {
		n := start[r+1]
		first := d.starts[r]
		if n > 0 && (uint64(first)+uint64(n) > uint64(refs) || n > refs-at) {
			bad.add(int64(r))
			n = 0
		}
		sorted = sorted && (n == 0 || first == at)
		at += n
		start[r+1] = at
	}
	if bad.n > 0 && (h.Complete || refs > 0) && !d.limited {
		d.report(bad, "reference-slice", d.place(colrfstr), "rows claim references that do not exist, or those of others")
	}
	return sorted
}

// checkTiling checks that every reference belongs to exactly one row.
func (d *decoding) checkTiling(refs uint32) {
	h, start := d.heap, d.heap.Start.Narrow
	taken := make([]uint64, refs/64+1)
	var twice tally
	for r := range h.Kinds {
		for e := range start[r+1] - start[r] {
			e += d.starts[r]
			if taken[e/64]&(1<<(e%64)) != 0 {
				twice.add(int64(r))
				break
			}
			taken[e/64] |= 1 << (e % 64)
		}
	}
	d.report(twice, "reference-slice", d.place(colrfstr), "rows claim references of others")
	if edges := start[len(h.Kinds)]; edges < refs && h.Complete {
		d.found(model.Error, "reference-slice", d.place(colrfstr), int64(refs-edges), "references belong to no row")
	}
}

// reuse returns the memory of old as n labels: both are 32-bit numbers without pointers. old must not be used
// afterwards.
func reuse(old []uint32, n int) []model.EdgeLabel {
	if n == 0 || n > len(old) {
		return make([]model.EdgeLabel, n)
	}
	return unsafe.Slice((*model.EdgeLabel)(unsafe.Pointer(unsafe.SliceData(old))), n)
}

// gather copies each row's slice of src to its position in dst, on all cores.
func gather[T any](dst, src []T, from, start []uint32) []T {
	rows := len(from)
	workers := runtime.GOMAXPROCS(0)
	if rows < 1<<14 {
		workers = 1
	}
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for r := rows * w / workers; r < rows*(w+1)/workers; r++ {
				out := dst[start[r]:start[r+1]]
				if len(out) == 0 {
					continue // its slice may be out of range
				}
				in := src[from[r]:][:len(out)]
				for i := range out { // most have few: cheaper than copy
					out[i] = in[i]
				}
			}
		})
	}
	group.Wait()
	return dst
}

// compact is gather for references of which some belong to no row: they are left out.
func (d *decoding) compact() {
	h, start := d.heap, d.heap.Start.Narrow
	edges := start[len(h.Kinds)]
	room := d.room(0, int64(edges))
	to, label := model.MakeColumn[uint32](room, int(edges))[:0], model.MakeColumn[model.EdgeLabel](room, int(edges))[:0]
	begin := uint32(0)
	for r := range h.Kinds {
		n := start[r+1] - begin
		begin = start[r+1]
		for e := d.starts[r]; n > 0; e, n = e+1, n-1 {
			if d.to[e] != noRow {
				to, label = append(to, d.to[e]), append(label, d.label[e])
			}
		}
		start[r+1] = uint32(len(to))
	}
	h.To.Narrow, h.Label = to, label
}
