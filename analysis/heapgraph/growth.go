package heapgraph

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// GrownSubtree is a place in the dominator trees of two snapshots below which memory grew. Rows have no identity across
// snapshots: places are matched by the labels on the way from the root, so that one may stand for several rows.
type GrownSubtree struct {
	Path                    []string  // labels from below the root to the place; not cleaned
	Row                     model.Row // the row of after that retains most at the place
	BeforeRows, AfterRows   int       // rows at the place
	BeforeBytes, AfterBytes uint64    // retained by them

	// What grew most directly below: its label, and the figures of all rows so labeled. "" when nothing did.
	Below                             string
	BelowBeforeRows, BelowAfterRows   int
	BelowBeforeBytes, BelowAfterBytes uint64
}

// Growth returns how much more the place retains after than before.
func (s *GrownSubtree) Growth() uint64 { return s.AfterBytes - min(s.AfterBytes, s.BeforeBytes) }

// GrownSubtrees says where growth hangs: disjoint places, by growth descending, at most limit of them (0: all). From the root it
// descends as long as most of a place's growth lies in single rows below; where instead more rows came, or all is new, the
// place is found.
func GrownSubtrees(ctx context.Context, before, after *Graph, limit int) ([]GrownSubtree, error) {
	root := []model.Row{model.RootRow}
	w := &growth{before: before, after: after}
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

// growPlace is the rows of one label that hang off the rows of another place.
type growPlace struct {
	above         *growPlace // nil for the root
	kind          string
	virtual       bool
	label         string
	before, after []model.Row
	bytes         [2]uint64 // retained, before and after
	depth         int
}

// maxGrowDepth ends the descent along linked lists.
const maxGrowDepth = 256

func (p *growPlace) grown() uint64 { return p.bytes[1] - min(p.bytes[0], p.bytes[1]) }

// single reports whether growth at p is that of rows which were there, or of few: no crowd that came.
func (p *growPlace) single() bool { return len(p.after) <= 8 || len(p.after) <= len(p.before) }

type growth struct {
	before, after *Graph
	least         uint64 // growth that is worth telling
	found         []GrownSubtree
}

// visit tells p, or returns the places below that are to be visited instead.
func (w *growth) visit(p *growPlace) []*growPlace {
	below := w.below(p)
	var single []*growPlace
	sum := uint64(0)
	for _, c := range below {
		if c.single() {
			single = append(single, c)
			sum += c.grown()
		}
	}
	if p.above != nil && !p.virtual {
		if sum < p.grown()-p.grown()/2 || len(single) == 0 || len(p.before) == 0 || p.depth == maxGrowDepth {
			w.tell(p, below)
			return nil
		}
		return single
	}
	// Roots are no places of their own: what they hold is told one by one.
	for _, c := range below {
		if !c.single() {
			w.tell(c, w.below(c))
		}
	}
	return single
}

// below returns the places under p that grew, most first.
func (w *growth) below(p *growPlace) []*growPlace {
	type key struct{ kind, label string } // of two files, kinds are told by their names
	places := map[key]*growPlace{}
	for side, g := range []*Graph{w.before, w.after} {
		rows := [][]model.Row{p.before, p.after}[side]
		names := map[uint64]*growPlace{} // by kind and type, to build each label once
		for _, r := range rows {
			for _, c := range g.Children(r) {
				kind := g.Heap.Kind(c)
				id := uint64(g.Heap.Kinds[c])<<32 | uint64(g.Heap.Entity[c])
				if kind.Naming == model.NamedByKind {
					id = uint64(g.Heap.Kinds[c])<<32 | uint64(c)
				}
				at := names[id]
				if at == nil {
					k := key{kind.Name, Label(g.Heap, c)}
					if at = places[k]; at == nil {
						at = &growPlace{above: p, kind: kind.Name, virtual: kind.Virtual, label: k.label, depth: p.depth + 1}
						places[k] = at
					}
					names[id] = at
				}
				at.add(side, c, g.Retained[c])
			}
		}
	}
	var grown []*growPlace
	for _, c := range places {
		if c.grown() >= w.least {
			grown = append(grown, c)
		}
	}
	slices.SortFunc(grown, func(a, b *growPlace) int {
		return cmp.Or(cmp.Compare(b.grown(), a.grown()), cmp.Compare(a.label, b.label), cmp.Compare(a.kind, b.kind))
	})
	return grown
}

func (p *growPlace) add(side int, r model.Row, retained uint64) {
	p.bytes[side], _ = model.SaturatingAdd(p.bytes[side], retained)
	if side == 0 {
		p.before = append(p.before, r)
	} else {
		p.after = append(p.after, r)
	}
}

func (w *growth) tell(p *growPlace, below []*growPlace) {
	if p.grown() < w.least {
		return
	}
	s := GrownSubtree{BeforeRows: len(p.before), AfterRows: len(p.after), BeforeBytes: p.bytes[0], AfterBytes: p.bytes[1]}
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
