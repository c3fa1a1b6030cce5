package analysis

import (
	"github.com/memtui/memtui/model"
)

// columnEdge is the end of column i-1 of n equal columns of (from, to].
func columnEdge(from, to model.Time, i, n int) model.Time {
	span := uint64(to - from)
	return from + model.Time(span/uint64(n)*uint64(i)+span%uint64(n)*uint64(i)/uint64(n))
}

func (ix *names) markerName(id uint64) string {
	if p := ix.profile(); p != nil && p.Allocations != nil {
		if name, ok := p.Allocations.MarkerName(id); ok {
			return name
		}
	}
	return model.UnknownMarker(id)
}
