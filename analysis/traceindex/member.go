package traceindex

import (
	"math/bits"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// membership determines which blocks are in a cell of the size × lifetime grid.
type membership struct {
	ix      *fileIndex
	in      group.Scope
	whole   bool          // every block is in the cell
	rect    analysis.Cell // the rectangle of in, with explicit bounds
	records []uint64      // one bit per record; nil while blocks may still end and leave the cell
}

// membership returns the membership of a cell. If the index is settled, it checks all records now.
func (ix *fileIndex) membership(in group.Scope) *membership {
	m := &membership{ix: ix, in: in, whole: in.IsAll(), rect: in.Rectangle()}
	if m.rect.IsAll() {
		m.rect.SizeTo, m.rect.LifeTo = analysis.SizeClasses, analysis.LifeClasses
	}
	if s := ix.cells.get(in, ix.events()); s != nil {
		return s.members
	}
	if !ix.settled() || m.whole {
		return m
	}
	if kept := ix.cells.membersOf(in, ix.events()); kept != nil {
		return kept
	}
	r := &ix.records
	bits := make([]uint64, r.len()/64+1)
	born := r.bornAt.Reader()
	for i := range r.len() {
		b := fileBlock{bornAt: model.Time(born.To(i))}
		site, bytes := r.origin.At(i)
		size := analysis.SizeClass(bytes)
		if size < int(m.rect.SizeFrom) || size >= int(m.rect.SizeTo) || in.Set != nil && !in.Set.Has(ix.sites.Stack[site]) {
			continue
		}
		b.died, b.diedAt = ix.endOf(i)
		if m.rect.Has(size, b.lifeClass()) {
			bits[i/64] |= 1 << (i % 64)
		}
	}
	m.records = bits
	ix.cells.keepMembers(m, ix.events())
	return m
}

func (m *membership) all() bool { return m.whole }

// of sets is for all allocations of a view to whether they are in the cell, reusing its memory.
func (m *membership) of(v *view, is []bool) []bool {
	if m.all() {
		return is
	}
	v.follow()
	is = column.Resize(is, len(v.event))
	for p, event := range v.event {
		size := analysis.SizeClass(v.events.Size[p])
		is[p] = false
		if size < int(m.rect.SizeFrom) || size >= int(m.rect.SizeTo) || v.events.Kind[event] != model.Alloc {
			continue
		}
		if m.in.Set != nil && !m.in.Set.Has(m.ix.sites.Stack[v.site[p]]) {
			continue
		}
		if v.died[p] == 0 {
			is[p] = m.has(column.Ref(v.record[p]), nil)
		} else {
			is[p] = m.rect.Has(size, m.ix.lifeClass(v, p))
		}
	}
	return is
}

// has reports whether r is a member; is must come from of for the same view.
func (m *membership) has(r column.Ref, is []bool) bool {
	if p, ok := r.Local(); ok {
		return m.all() || is[p]
	}
	if m.records != nil {
		return m.records[r/64]&(1<<(r%64)) != 0
	}
	if m.all() {
		return true
	}
	b := m.ix.recordBlock(int(r))
	return m.ix.in(m.in, &b)
}

// lifeClass returns the lifetime class of an allocation in a view whose fates are filled in.
func (ix *fileIndex) lifeClass(v *view, p int) int {
	event, died := v.event[p], v.died[p]
	if died != 0 {
		return bits.Len64(uint64(v.events.Since(int(died-1)) - v.events.Since(int(event))))
	}
	b := fileBlock{bornAt: v.c.begin + v.events.Since(int(event))}
	b.died, b.diedAt = ix.endOf(int(v.record[p]))
	return b.lifeClass()
}
