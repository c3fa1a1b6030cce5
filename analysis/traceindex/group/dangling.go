package group

import (
	"fmt"

	"github.com/memtui/memtui/model"
)

// Undefined reports the stacks and markers that events use but the file does not define. It reports nothing if the
// definitions were not read to their end.
func (ix *Names) Undefined(markerIDs []uint64) []model.Problem {
	stacks, markers := danglingIDs{}, danglingIDs{}
	s, p := ix.Stacks(), ix.Profile()
	if s == nil || s.Partial {
		return nil
	}
	for _, id := range ix.Ids {
		if _, ok := s.Node(id); !ok {
			stacks.Add(uint64(id))
		}
	}
	seen := map[uint64]bool{}
	for _, id := range markerIDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		if _, ok := p.Allocations.MarkerName(id); !ok {
			markers.Add(id)
		}
	}
	return append(stacks.problem("dangling-stack", "stacks"), markers.problem("dangling-marker", "marker names")...)
}

// danglingIDs counts ids without a definition.
type danglingIDs struct{ first, count uint64 }

func (d *danglingIDs) Add(id uint64) {
	if d.count == 0 {
		d.first = id
	}
	d.count++
}

func (d *danglingIDs) problem(code, what string) []model.Problem {
	if d.count == 0 {
		return nil
	}
	return []model.Problem{{
		Severity: model.Warning, Code: code, Count: int64(d.count), Offset: model.NoOffset,
		Message: fmt.Sprintf("%s that events name but the file does not define, such as %d, are shown by number", what, d.first),
	}}
}
