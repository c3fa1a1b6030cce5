package analysis

import (
	"context"

	"github.com/memtui/memtui/model"
)

// DiffTypes compares the objects (kind 1) of two snapshots by type, of one file or of two. By the size of the change in bytes, then in
// count, then by name.
func DiffTypes(before, after *model.Heap) []HeapChange { return nil }

// DiffFrames compares the frames of two snapshots, in the order of DiffTypes.
func DiffFrames(before, after *model.Heap) []HeapChange { return nil }

// Status is "new", "gone", "grown", "shrunk" or "same": by bytes, and where those are equal by count.
func (c *HeapChange) Status() string { return "same" }

// GrownSubtree is a place in the dominator trees of two snapshots below which memory grew. Rows have no identity across
// snapshots: places are matched by the labels on the way from the root, so that one may stand for several rows.
type GrownSubtree struct {
	Path                    []string  // labels from below the root to the place; not cleaned
	Row                     model.Row // the row of after that retains most at the place; RootRow when none is left
	BeforeRows, AfterRows   int       // rows at the place
	BeforeBytes, AfterBytes uint64    // retained by them

	// What grew most directly below: its label, and the figures of all rows so labelled. "" when it is the rows' own size.
	Below                             string
	BelowBeforeRows, BelowAfterRows   int
	BelowBeforeBytes, BelowAfterBytes uint64
}

// GrownSubtrees says where growth hangs: disjoint places, by growth descending, at most limit of them.
func GrownSubtrees(ctx context.Context, before, after *HeapGraph, limit int) ([]GrownSubtree, error) {
	return nil, errNotYet
}
