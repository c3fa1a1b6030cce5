package diff

import (
	"context"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// DominatorRows are the places in the dominator trees of two snapshots that grew, as two sides with a row for each, in
// the order of Places.
type DominatorRows struct {
	Sides  [2]*Side
	Places []heapgraph.GrownSubtree
}

// placeSeparator separates the labels of a place.
const placeSeparator = " > "

// DominatorSides returns where memory grew between two snapshots. Both graphs must have the same policy. Masks change
// labels before they are matched. Bytes are retained sizes and counts are rows; the totals of the sides are all that
// the roots retain.
func DominatorSides(ctx context.Context, before, after *heapgraph.Graph, masks []Mask) (*DominatorRows, error) {
	var name func(string) string
	if len(masks) > 0 {
		name = func(label string) string { return applyMasks(masks, label) }
	}
	places, err := heapgraph.GrownSubtrees(ctx, before, after, name, 0)
	if err != nil {
		return nil, err
	}
	out := &DominatorRows{Places: places}
	for i, g := range []*heapgraph.Graph{before, after} {
		out.Sides[i] = &Side{Bases: NoBases, Rows: make([]SideRow, len(places)), nested: true, Total: &SideSum{
			bytes: g.Retained[model.RootRow], count: g.RetainedCount(model.RootRow),
		}}
	}
	seen := map[string]int{}
	for i := range places {
		p := &places[i]
		key := strings.Join(p.Path, placeSeparator)
		r := SideRow{Key: key, nth: seen[key], kept: true}
		seen[key]++
		r.Bytes, r.Count, r.unknown = p.BeforeBytes, uint64(p.BeforeRows), p.Unknown
		out.Sides[0].Rows[i] = r
		r.Bytes, r.Count = p.AfterBytes, uint64(p.AfterRows)
		out.Sides[1].Rows[i] = r
	}
	return out, nil
}

// DominatorNote returns what rows of two snapshots are matched by.
func DominatorNote(before, after *model.Heap) string {
	if heapgraph.Identified(before, after) {
		return "objects are matched by their identity, wherever they were dominated before"
	}
	return "places are matched by types from the root: the format identifies no objects"
}

// UnknownPlaces is the reason why places without rows before are left out.
const UnknownPlaces = "there was nothing before, and its objects may have had another dominator"
