package traceindex

import "github.com/memtui/memtui/model"

func (ix *names) markerName(id uint64) string {
	if p := ix.profile(); p != nil && p.Allocations != nil {
		if name, ok := p.Allocations.MarkerName(id); ok {
			return name
		}
	}
	return model.UnknownMarker(id)
}
