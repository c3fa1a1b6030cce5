package accept

import (
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/model"
)

// OfSuspects returns the suspects that grow as leaks, in their order. g is the graph of the snapshot in which they were
// found. A leak has one site, whose stack is the type, its owner, and the owner's dominators up to the root. Bytes are
// what the objects retain.
func OfSuspects(g *heapgraph.Graph, list []suspects.Suspect) []Leak {
	var leaks []Leak
	for i := range list {
		s := &list[i]
		if s.Verdict != suspects.Grows {
			continue
		}
		l := Leak{Owner: named(s.What()), Evidence: s.Evidence(), Confidence: s.Confidence(), Rows: g.Heap.Schema.Objects()}
		l.Sites = []Site{{Row: s.Row, HasRow: s.HasRow, Frames: slices.Values(chainOf(g, s)), Bytes: s.Retained, Count: s.Count}}
		leaks = append(leaks, l)
	}
	return leaks
}

func named(name string) model.Frame { return model.Frame{Function: name, Line: model.NoLine} }

// frameOf returns a row as a frame, with the position of a routine.
func frameOf(h *model.Heap, r model.Row) model.Frame {
	if h.Kind(r).Naming != model.NamedByFrame || int(r) >= len(h.Entity) {
		return named(heapgraph.Label(h, r))
	}
	name, file, line := h.Tables.Frame(h.Entity[r])
	if name == "" && file == "" {
		name = "<anon>"
	}
	return model.Frame{Function: name, File: file, Line: line}
}

// chainOf returns what keeps the objects of a suspect alive as a stack, with their type first. A list, whose length
// differs from run to run, counts as one link.
func chainOf(g *heapgraph.Graph, s *suspects.Suspect) []model.Frame {
	out := []model.Frame{named(s.What())}
	if !s.HasRow {
		return out
	}
	real := g.Heap.Schema.Real()
	for r := s.OwnerRow; real.Has(g.Heap.Kinds[r]) && len(out) < maxFrames; r = g.Idom(r) {
		f := frameOf(g.Heap, r)
		if f != out[len(out)-1] {
			out = append(out, f)
		}
		if r == g.Idom(r) {
			break
		}
	}
	return out
}
