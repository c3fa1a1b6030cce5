package heapgraph

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// GrownSubtree is a place in the dominator trees of two snapshots below which memory grew: the rows with the same
// labels on the way from the root. If the format identifies objects, the same objects are compared wherever they were
// dominated before, plus those that were added or removed. Otherwise nothing is known of a place without rows before:
// its objects may have had another dominator.
type GrownSubtree struct {
	Path                    []string  // labels from below the root to the place; not cleaned
	Row                     model.Row // the row of after that retains most at the place
	BeforeRows, AfterRows   int       // rows at the place
	BeforeBytes, AfterBytes uint64    // retained by them; a row inside another one's subtree counts once

	Unknown bool // no row was there before, and the format does not identify objects

	// Known only if both snapshots identify objects.
	Moved      int    // rows at the place that another object dominated before
	Taken      int    // rows directly below that another object dominated before
	TakenBytes uint64 // retained by those rows in after

	// The label that grew most directly below, and the figures of all rows with it. "" if none grew.
	Below                             string
	BelowBeforeRows, BelowAfterRows   int
	BelowBeforeBytes, BelowAfterBytes uint64
}

// Growth returns how many more bytes the place retains after than before.
func (s *GrownSubtree) Growth() uint64 { return s.AfterBytes - min(s.AfterBytes, s.BeforeBytes) }

// GrownSubtrees returns where memory grew: disjoint places, by descending growth, at most limit of them (0: all). From
// the root it descends as long as most of a place's growth is in single rows below; it stops where rows were added
// instead, or all of them are new. name changes labels before they are matched; nil leaves them unchanged.
func GrownSubtrees(ctx context.Context, before, after *Graph, name func(string) string, limit int) ([]GrownSubtree, error) {
	root := []model.Row{model.RootRow}
	w := &growth{before: before, after: after, name: name}
	if Identified(before.Heap, after.Heap) {
		w.was, w.is = rowsByID(before.Heap), rowsByID(after.Heap)
	}
	todo := []*growPlace{{before: root, after: root, bytes: [2]uint64{before.Retained[0], after.Retained[0]}}}
	w.least = todo[0].grown()/1000 + 1
	for len(todo) > 0 {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], w.visit(p)...)
	}
	slices.SortStableFunc(w.found, func(a, b GrownSubtree) int {
		return cmp.Or(cmp.Compare(b.Growth(), a.Growth()), slices.Compare(a.Path, b.Path))
	})
	if limit > 0 && len(w.found) > limit {
		w.found = w.found[:limit]
	}
	return w.found, nil
}

// growPlace is the rows with one label whose dominators are the rows of another place.
type growPlace struct {
	above         *growPlace // nil for the root
	kind          string
	virtual       bool
	label         string
	before, after []model.Row
	bytes         [2]uint64 // retained, before and after
	moved         int       // rows of after with another dominator before
	depth         int
}

// maxGrowDepth limits the descent along linked lists.
const maxGrowDepth = 256

func (p *growPlace) grown() uint64 { return p.bytes[1] - min(p.bytes[0], p.bytes[1]) }

// single reports whether growth at p comes from rows that existed before, or from few rows.
func (p *growPlace) single() bool { return len(p.after) <= 8 || len(p.after) <= len(p.before) }

// unknown reports whether the objects at p may have been elsewhere before.
func (w *growth) unknown(p *growPlace) bool { return w.was == nil && len(p.before) == 0 && !p.virtual }

type growth struct {
	before, after *Graph
	name          func(string) string // nil to use labels unchanged
	was, is       *byID               // rows before and after by identity; nil if objects are not identified
	least         uint64              // least growth that is reported
	found         []GrownSubtree
}

// visit reports p as found, or returns the places below it to visit instead.
func (w *growth) visit(p *growPlace) []*growPlace {
	below := w.below(p)
	var single []*growPlace
	sum := uint64(0)
	for _, c := range below {
		if c.single() && !w.unknown(c) {
			single = append(single, c)
			sum += c.grown()
		}
	}
	if p.above != nil && !p.virtual {
		if sum < p.grown()-p.grown()/2 || len(single) == 0 || len(p.before) == 0 || p.depth == maxGrowDepth {
			w.report(p, below)
			return nil
		}
		return single
	}
	// Roots are not places: what they refer to is reported one by one.
	for _, c := range below {
		if !c.single() || w.unknown(c) {
			w.report(c, w.below(c))
		}
	}
	return single
}

// below returns the places under p that grew, largest growth first.
func (w *growth) below(p *growPlace) []*growPlace {
	x := &growBelow{w: w, p: p, places: map[placeKey]*growPlace{}}
	for side, rows := range [2][]model.Row{p.before, p.after} {
		x.names = map[uint64]*growPlace{}
		for _, r := range rows {
			for _, c := range [2]*Graph{w.before, w.after}[side].Children(r).All() {
				x.enter(side, c)
			}
		}
	}
	var grown []*growPlace
	for _, c := range x.places {
		if c.moved > 0 {
			c.bytes[0] = w.before.retainedOnce(c.before)
		}
		if c.grown() >= w.least {
			grown = append(grown, c)
		}
	}
	slices.SortFunc(grown, func(a, b *growPlace) int {
		return cmp.Or(cmp.Compare(b.grown(), a.grown()), cmp.Compare(a.label, b.label), cmp.Compare(a.kind, b.kind))
	})
	return grown
}

// placeKey identifies a place among those below one. Kinds are compared by name, as the files may differ.
type placeKey struct{ kind, label string }

// growBelow groups the rows below a place into places.
type growBelow struct {
	w      *growth
	p      *growPlace
	places map[placeKey]*growPlace
	names  map[uint64]*growPlace // of one side, by kind and type: each label is built once
}

// enter adds a row of one side. A row of before whose object still exists is added to the place where that is now.
func (x *growBelow) enter(side int, r model.Row) {
	w := x.w
	if side == 0 {
		if w.same(w.before, r, w.is) == noRow {
			x.at(w.before, r).add(0, r, w.before.Retained[r])
		}
		return
	}
	place := x.at(w.after, r)
	place.add(1, r, w.after.Retained[r])
	if old := w.same(w.after, r, w.was); old != noRow {
		place.add(0, old, w.before.Retained[old])
		if !w.sameDominator(old, r) {
			place.moved++
		}
	}
}

// at returns the place that a row belongs to, and creates it on first use.
func (x *growBelow) at(g *Graph, r model.Row) *growPlace {
	kind := g.Heap.Kind(r)
	id := uint64(g.Heap.Entity[r])
	if kind.Naming == model.NamedByKind {
		id = uint64(r) // memory cannot hold enough rows to reach the bits of the kind
	}
	id |= uint64(g.Heap.Kinds[r]) << 56
	at := x.names[id]
	if at != nil {
		return at
	}
	k := placeKey{kind.Name, Label(g.Heap, r)}
	if x.w.name != nil {
		k.label = x.w.name(k.label)
	}
	if at = x.places[k]; at == nil {
		at = &growPlace{above: x.p, kind: kind.Name, virtual: kind.Virtual, label: k.label, depth: x.p.depth + 1}
		x.places[k] = at
	}
	x.names[id] = at
	return at
}

func (p *growPlace) add(side int, r model.Row, retained uint64) {
	p.bytes[side], _ = model.SaturatingAdd(p.bytes[side], retained)
	if side == 0 {
		p.before = append(p.before, r)
	} else {
		p.after = append(p.after, r)
	}
}

func (w *growth) report(p *growPlace, below []*growPlace) {
	if p.grown() < w.least {
		return
	}
	s := GrownSubtree{BeforeRows: len(p.before), AfterRows: len(p.after), BeforeBytes: p.bytes[0],
		AfterBytes: p.bytes[1], Moved: p.moved, Unknown: w.unknown(p)}
	s.Taken, s.TakenBytes = w.taken(p)
	for at := p; at.above != nil; at = at.above {
		s.Path = append(s.Path, at.label)
	}
	slices.Reverse(s.Path)
	s.Row = slices.MinFunc(p.after, w.after.heavierFirst)
	if len(below) > 0 {
		b := below[0]
		s.Below, s.BelowBeforeRows, s.BelowAfterRows = b.label, len(b.before), len(b.after)
		s.BelowBeforeBytes, s.BelowAfterBytes = b.bytes[0], b.bytes[1]
	}
	w.found = append(w.found, s)
}
