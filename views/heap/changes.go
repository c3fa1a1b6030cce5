package heap

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// changeKey determines what changed between two snapshots.
type changeKey struct {
	sides  [2]*ui.HeapLoad
	frames bool
}

// changeSet is every type or frame of two snapshots. Read-only once made.
type changeSet struct {
	changeKey
	rows   []changeRow
	totals changeRow
}

// changeRow is a type or frame in both snapshots.
type changeRow struct {
	diff.HeapChange
	before, after changeID
}

// figures are bytes and counts of both sides.
func (c *changeRow) figures() *diff.CompareFigures {
	return &diff.CompareFigures{BeforeBytes: c.BeforeBytes, AfterBytes: c.AfterBytes, BeforeCount: c.BeforeCount, AfterCount: c.AfterCount}
}

// changeID is the number of a type or frame in one snapshot; negative where the snapshot has none.
type changeID struct{ id int64 }

func (s *changeSet) kind() model.HeapKind {
	if s.frames {
		return model.KindFrame
	}
	return model.KindObject
}

// typeKey is what types and frames are matched by.
type typeKey struct {
	name, repr, file string
	line             int64
}

func fetchChanges(ctx context.Context, k changeKey) (*changeSet, error) {
	set := &changeSet{changeKey: k}
	before, after := k.sides[0].Heap, k.sides[1].Heap
	changes := []diff.HeapChange(nil)
	if k.frames {
		changes = diff.DiffFrames(before, after)
	} else {
		changes = diff.DiffTypes(before, after)
	}
	ids := [2]map[typeKey]uint32{groupIDs(before, k.frames), groupIDs(after, k.frames)}
	set.rows = make([]changeRow, len(changes))
	for i, c := range changes {
		key := typeKey{c.Name, c.Repr, c.File, c.Line}
		find := func(side int) changeID {
			if id, ok := ids[side][key]; ok {
				return changeID{int64(id)}
			}
			return changeID{-1}
		}
		set.rows[i] = changeRow{c, find(0), find(1)}
		sum := &set.totals.HeapChange
		sum.BeforeBytes, _ = model.SaturatingAdd(sum.BeforeBytes, c.BeforeBytes)
		sum.AfterBytes, _ = model.SaturatingAdd(sum.AfterBytes, c.AfterBytes)
		sum.BeforeCount += c.BeforeCount
		sum.AfterCount += c.AfterCount
	}
	return set, ctx.Err()
}

// groupIDs are the numbers of types or frames: of several of one name the largest.
func groupIDs(h *model.Heap, frames bool) map[typeKey]uint32 {
	groups := heapgraph.HeapFrames
	if !frames {
		groups = func(h *model.Heap) []heapgraph.HeapGroup { return heapgraph.HeapTypes(h, model.KindObject) }
	}
	ids := map[typeKey]uint32{}
	for _, g := range slices.Backward(groups(h)) {
		ids[typeKey{g.Name, g.Repr, g.File, g.Line}] = g.ID
	}
	return ids
}

// changeColumn is a column of the table, in its order.
type changeColumn int

const (
	changeTitle changeColumn = iota
	changeRepr
	changeBefore
	changeAfter
	changeDelta
	changeBar
	changePercent
	changeOther
	changeStatus
)

// changeOrder determines which changes are shown, and in which order.
type changeOrder struct {
	set      *changeSet
	figure   compareFigure
	retained [2]*retainSet // nil until known
	only     int           // as in [state.CompareState]
	shares   bool
	filter   string
	sort     changeColumn
	up       bool
}

// changeTable is changes filtered and sorted. Read-only once made.
type changeTable struct {
	changeOrder
	order  []int32
	most   uint64         // largest change of a row
	status map[string]int // all rows by status
}

func (t *changeTable) row(i int) *changeRow { return &t.set.rows[t.order[i]] }

// values are the figures that are compared, of both sides; ok is false while they are not known.
func (k *changeOrder) values(c *changeRow) (before, after uint64, ok bool) {
	switch k.figure {
	case figureCount:
		return c.BeforeCount, c.AfterCount, true
	case figureRetained:
		if k.retained[0] == nil || k.retained[1] == nil {
			return 0, 0, false
		}
		before, ok = k.retained[0].of2(c.before)
		after, known := k.retained[1].of2(c.after)
		return before, after, ok && known
	}
	return c.BeforeBytes, c.AfterBytes, true
}

// status says what became of a row by the figure that is compared, by its bytes while that is not known.
func (k *changeOrder) status(c *changeRow) diff.ChangeStatus {
	before, after, ok := k.values(c)
	if !ok {
		before, after = c.BeforeBytes, c.AfterBytes
	}
	return c.Status(before, after)
}

// of2 is what a type or frame retains, 0 where the snapshot has none; ok is false where that took too long to find out.
func (r *retainSet) of2(c changeID) (n uint64, ok bool) {
	if c.id < 0 {
		return 0, true
	}
	n, ok = r.of[uint32(c.id)]
	return n, ok
}

// wholes are what shares of both sides are of.
func (k *changeOrder) wholes() [2]uint64 {
	if k.figure == figureCount {
		return [2]uint64{k.set.totals.BeforeCount, k.set.totals.AfterCount}
	}
	return [2]uint64{k.set.sides[0].Totals.Bytes(), k.set.sides[1].Totals.Bytes()}
}

// delta is the signed change of a row, in the figure or in shares of the whole.
func (k *changeOrder) delta(c *changeRow) float64 {
	b, a, _ := k.values(c)
	if k.shares {
		w := k.wholes()
		return ui.ShareOf(a, w[1]) - ui.ShareOf(b, w[0])
	}
	return float64(a) - float64(b)
}

// orderChanges filters and sorts. A filter that means nothing hides nothing.
func orderChanges(k changeOrder) *changeTable {
	f, _ := analysis.ParseFilter(k.filter)
	t := &changeTable{changeOrder: k, status: map[string]int{}}
	only := state.CompareState{Only: k.only}
	for i := range k.set.rows {
		c := &k.set.rows[i]
		status := k.status(c)
		t.status[status.String()]++
		if !only.Shows(status) || k.filter != "" && !f.Match(&filterChange{c, &k}) {
			continue
		}
		t.order = append(t.order, int32(i))
		b, a, _ := k.values(c)
		t.most = max(t.most, max(a, b)-min(a, b))
	}
	slices.SortStableFunc(t.order, func(a, b int32) int { // rows stand in the report's order
		x, y := &k.set.rows[a], &k.set.rows[b]
		if k.up {
			x, y = y, x
		}
		return k.compare(x, y)
	})
	return t
}

func (k *changeOrder) compare(x, y *changeRow) int {
	xb, xa, _ := k.values(x)
	yb, ya, _ := k.values(y)
	switch k.sort {
	case changeTitle:
		return strings.Compare(x.Name, y.Name)
	case changeRepr:
		return strings.Compare(x.Repr, y.Repr)
	case changeBefore:
		return cmp.Compare(yb, xb)
	case changeAfter:
		return cmp.Compare(ya, xa)
	case changePercent:
		return cmp.Compare(ui.Growth(yb, ya), ui.Growth(xb, xa))
	case changeOther:
		return cmp.Compare(int64(y.AfterCount-y.BeforeCount), int64(x.AfterCount-x.BeforeCount))
	case changeStatus:
		return cmp.Compare(k.status(x), k.status(y))
	}
	return cmp.Compare(math.Abs(k.delta(y)), math.Abs(k.delta(x)))
}

// filterChange shows a change to a filter.
type filterChange struct {
	*changeRow
	in *changeOrder
}

// Texts implements analysis.Row.
func (c *filterChange) Texts() []string {
	return []string{c.Name, c.Repr, frameWhere(c.File, c.Line, true), c.in.status(c.changeRow).String()}
}

// Value implements analysis.Row: figures are those of the after side.
func (c *filterChange) Value(field string, share bool) (float64, bool) {
	v, whole := uint64(0), c.in.set.totals.AfterBytes
	switch field {
	case "leaked", "live":
		v = c.AfterBytes
	case "blocks", "count":
		v, whole = c.AfterCount, c.in.set.totals.AfterCount
	default:
		return 0, false
	}
	if share {
		return ui.ShareOf(v, whole), whole > 0
	}
	return float64(v), true
}

// grownKey determines the subtrees that grew.
type grownKey struct{ graphs [2]*ui.HeapGraph }

// grownSet is those subtrees, most grown first. Read-only once made.
type grownSet struct {
	grownKey
	list []heapgraph.GrownSubtree
}

func fetchGrown(ctx context.Context, k grownKey) (*grownSet, error) {
	const most = 200
	list, err := heapgraph.GrownSubtrees(ctx, k.graphs[0].HeapGraph, k.graphs[1].HeapGraph, most)
	return &grownSet{k, list}, err
}
