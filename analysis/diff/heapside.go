package diff

import (
	"context"
	"slices"
	"strconv"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// HeapFigure is the figure by which types and frames of snapshots are compared.
type HeapFigure uint8

const (
	HeapBytes HeapFigure = iota
	heapManaged
	heapUnmanaged
	HeapRetained // what all objects of a type retain together
	HeapCount
	heapFigures
)

// String returns the word in flags.
func (f HeapFigure) String() string {
	return [...]string{"bytes", "managed_bytes", "unmanaged_bytes", "retained_bytes", "count"}[f]
}

// HeapQuestion describes one side of a comparison of heap snapshots.
type HeapQuestion struct {
	Frames bool   // rows are frames; else groups of objects
	Group  string // one of [heapgraph.GroupKeys] of both sides: what objects are grouped by; "" for their types
	Figure HeapFigure
	Graph  *heapgraph.Graph // for HeapRetained; both sides must have the same policy

	Other *heapgraph.Identities // objects of the other side, to be matched; nil for none
}

// set returns the rows of a snapshot that are compared; it may differ between formats.
func (q HeapQuestion) set(s *model.HeapSchema) *model.HeapSet {
	if q.Frames {
		set, _ := s.Frames()
		return set
	}
	return s.Objects()
}

// by returns the grouping of a snapshot.
func (q HeapQuestion) by(s *model.HeapSchema) heapgraph.By {
	if !q.Frames && q.Group != "" {
		by, _ := heapgraph.GroupedBy(s, q.Group)
		return by
	}
	return heapgraph.By{Kinds: q.set(s).Kinds}
}

// Measure returns the compared figure in words.
func (q HeapQuestion) Measure(s *model.HeapSchema) string {
	of := q.set(s).Many
	switch q.Figure {
	case heapManaged:
		return "managed memory of " + of
	case heapUnmanaged:
		return "unmanaged memory of " + of
	case HeapRetained:
		return "what " + of + " retain"
	case HeapCount:
		return "the number of " + of
	}
	return "memory of " + of
}

// Counted returns the unit of counts.
func (q HeapQuestion) Counted(s *model.HeapSchema) string {
	if q.Figure == HeapCount {
		return ""
	}
	return q.set(s).Many
}

// HeapRows is a side of a snapshot with the groups or frames of its rows, in the same order, and what these are of.
type HeapRows struct {
	*Side
	Groups []heapgraph.Group
	By     heapgraph.By
}

// Stated reports whether any object of a snapshot has a value of what the rows are grouped by, or there are no objects.
func (s *HeapRows) Stated(h *model.Heap) bool {
	named := func(g heapgraph.Group) bool { return g.Name != "" }
	return s.By.Axis <= 0 || slices.ContainsFunc(s.Groups, named) ||
		!slices.ContainsFunc(h.Kinds, s.By.Kinds.Has)
}

// HeapSide returns one side of a comparison of a snapshot. Groups and frames whose retained size takes too long to
// compute have a lower bound.
func HeapSide(ctx context.Context, h *model.Heap, info model.HeapInfo, q HeapQuestion) (HeapRows, error) {
	by := q.by(h.Schema)
	groups := heapgraph.Groups(h, by)
	out := HeapRows{heapRows(groups, q.Figure), groups, by}
	if out.Bases.gcs = info.GC; info.Time != model.NoTime {
		out.Bases.duration = info.Time
	}
	if err := out.match(ctx, h, q); err != nil {
		return out, err
	}
	if q.Figure != HeapRetained {
		return out, ctx.Err()
	}
	retained, err := q.Graph.RetainedByGroups(ctx, by)
	if err != nil {
		return out, err
	}
	out.Total, out.nested, out.sets = &SideSum{}, true, true
	for i := range groups {
		n := retained[groups[i].ID]
		out.Rows[i].Bytes, out.Rows[i].AtLeast = n.Bytes, !n.Exact
		out.Total.count, _ = model.SaturatingAdd(out.Total.count, groups[i].Count)
	}
	out.Total.bytes, _, err = q.Graph.RetainedByKinds(ctx, by.Kinds)
	return out, err
}

// match counts the objects that the other side has as well.
func (s *HeapRows) match(ctx context.Context, h *model.Heap, q HeapQuestion) error {
	if q.Frames || q.Other == nil {
		return nil
	}
	kept, ok, err := q.Other.KeptByGroup(ctx, h, s.By)
	s.identified = ok
	for i := range s.Groups {
		s.Rows[i].same = kept[s.Groups[i].ID]
	}
	return err
}

// heapRows returns a side of types, by name and by what distinguishes types of one name, or of frames by name and
// file:line.
func heapRows(groups []heapgraph.Group, figure HeapFigure) *Side {
	out := &Side{Rows: make([]SideRow, len(groups)), Bases: NoBases}
	for i := range groups {
		g := &groups[i]
		r := SideRow{Key: g.Name, sub: g.Sub, Listed: true, Count: g.Count}
		if g.File != "" || g.Line != model.NoLine {
			r.sub = g.File
			if g.Line != model.NoLine {
				r.sub += ":" + strconv.FormatInt(g.Line, 10)
			}
		}
		switch figure {
		case HeapBytes:
			r.Bytes = g.Bytes()
		case heapManaged:
			r.Bytes = g.ManagedBytes
		case heapUnmanaged:
			r.Bytes = g.UnmanagedBytes
		case HeapCount:
			r.Bytes = g.Count
		}
		out.Rows[i] = r
	}
	return out
}

// HeapFigureNamed returns the figure with a name in flags, among those of types or of frames.
func HeapFigureNamed(word string) (HeapFigure, bool) {
	all := HeapFigureWords()
	i := slices.Index(all, word)
	return HeapFigure(max(i, 0)), i >= 0 || word == ""
}

// HeapFigureWords returns the words of all figures, the default first.
func HeapFigureWords() (words []string) {
	for f := range heapFigures {
		words = append(words, f.String())
	}
	return words
}
