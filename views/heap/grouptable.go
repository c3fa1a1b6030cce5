package heap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// groupKey determines the groups of a snapshot.
type groupKey struct {
	load *ui.HeapLoad
	by   grouping
}

// groupSet is all groups, and what they add up to. Read-only once made.
type groupSet struct {
	groupKey
	groups []heapgraph.Group
	sum    heapgraph.Group
}

func fetchGroups(_ context.Context, k groupKey) (*groupSet, error) {
	h := k.load.Heap
	set := &groupSet{groupKey: k, groups: heapgraph.Groups(h, k.by.by(h.Schema))}
	for i := range set.groups {
		set.sum.Add(&set.groups[i])
	}
	return set, nil
}

// retainKey determines what groups retain.
type retainKey struct {
	graph *ui.HeapGraph
	kinds model.HeapKinds
}

// retainSet is what each group retains, by its id. Read-only once made.
type retainSet struct {
	retainKey
	of map[uint32]uint64
}

func fetchRetained(ctx context.Context, k retainKey) (*retainSet, error) {
	of, err := k.graph.RetainedBySets(ctx, k.kinds)
	return &retainSet{k, of}, err
}

// fits reports whether the figures are those of the groups.
func (r *retainSet) fits(set *groupSet, p heapgraph.Policy) bool {
	return r.graph.HeapKey == set.load.HeapKey && r.graph.Edges == p && r.kinds == set.by.by(set.load.Heap.Schema).Kinds
}

// groupColumn is a column of the table of groups, in the order of the table.
type groupColumn int

const (
	groupTitle groupColumn = iota
	groupSecond
	groupCount
	groupBytes
	groupShare
	groupManaged
	groupUnmanaged
	groupRetained
	groupWhere
)

// groupOrder determines which groups are shown, and in which order.
type groupOrder struct {
	set      *groupSet
	retained *retainSet // nil until known
	filter   string
	sort     groupColumn
	up       bool
}

// groupTable is groups filtered and sorted. Read-only once made.
type groupTable struct {
	groupOrder
	order []int32
	shown heapgraph.Group
}

func (t *groupTable) row(i int) *heapgraph.Group { return &t.set.groups[t.order[i]] }

// retains is what a group retains; ok is false before it is known, and where it takes too long to find out.
func (k *groupOrder) retains(g *heapgraph.Group) (n uint64, ok bool) {
	if k.retained == nil {
		return 0, false
	}
	n, ok = k.retained.of[g.ID]
	return n, ok
}

// orderGroups filters and sorts. A filter that means nothing hides nothing.
func orderGroups(k groupOrder) *groupTable {
	f, _ := analysis.ParseFilter(k.filter)
	t := &groupTable{groupOrder: k}
	for i := range k.set.groups {
		g := &k.set.groups[i]
		if k.filter == "" || f.Match(&filterGroup{g, &k}) {
			t.order = append(t.order, int32(i))
			t.shown.Add(g)
		}
	}
	slices.SortStableFunc(t.order, func(a, b int32) int { // the groups stand in the report's order
		x, y := &k.set.groups[a], &k.set.groups[b]
		if k.up {
			x, y = y, x
		}
		return k.compare(x, y)
	})
	return t
}

// compare orders the largest first, and names by the alphabet.
func (k *groupOrder) compare(x, y *heapgraph.Group) int {
	switch k.sort {
	case groupTitle:
		return strings.Compare(x.Name, y.Name)
	case groupSecond:
		return strings.Compare(x.Sub, y.Sub)
	case groupWhere:
		return cmp.Or(strings.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line))
	case groupCount:
		return cmp.Compare(y.Count, x.Count)
	case groupManaged:
		return cmp.Compare(y.ManagedBytes, x.ManagedBytes)
	case groupUnmanaged:
		return cmp.Compare(y.UnmanagedBytes, x.UnmanagedBytes)
	case groupRetained:
		a, _ := k.retains(x)
		b, _ := k.retains(y)
		return cmp.Compare(b, a)
	}
	return cmp.Compare(y.Bytes(), x.Bytes())
}

// filterGroup shows a group to a filter.
type filterGroup struct {
	*heapgraph.Group
	in *groupOrder
}

// Texts implements analysis.Row.
func (g *filterGroup) Texts() []string {
	texts := []string{g.Name, g.Sub, frameWhere(g.File, g.Line, true)}
	h, by := g.in.set.load.Heap, g.in.set.by
	if by.axis > 0 || h.Schema.Sets[by.set].Naming != model.NamedByType {
		return texts
	}
	for axis := range h.Schema.Axes {
		if axis > 0 && axis != h.Schema.Distinct() && !h.Schema.Axes[axis].ByRow {
			texts = append(texts, h.Tables.OnAxis(axis, g.ID))
		}
	}
	return texts
}

// Value implements analysis.Row: the fields of filters are those of allocations, of which these come nearest.
func (g *filterGroup) Value(field string, share bool) (float64, bool) {
	v, whole := uint64(0), uint64(0)
	sum := &g.in.set.sum
	switch field {
	case "leaked", "live": // what is written as bytes
		v, whole = g.Group.Bytes(), sum.Bytes()
	case "blocks", "count":
		v, whole = g.Count, sum.Count
	case "managed":
		v, whole = g.ManagedBytes, sum.ManagedBytes
	case "unmanaged":
		v, whole = g.UnmanagedBytes, sum.UnmanagedBytes
	case "total", "peak", "retained":
		n, ok := g.in.retains(g.Group)
		if !ok {
			return 0, false
		}
		v, whole = n, sum.Bytes()
	case "mean":
		v = model.Mean(g.Group.Bytes(), max(g.Count, 1))
	default:
		return 0, false
	}
	if share {
		return ui.ShareOf(v, whole), whole > 0
	}
	return float64(v), true
}

// groupName names a group: a type, a representation, or a frame.
func (p *Groups) groupName(g *heapgraph.Group, full bool) string {
	if p.Frames {
		return frameText(g.Name, g.File, g.Line, full)
	}
	return ui.HeapName(g.Name)
}

// columns lays the table out for its width.
func (p *Groups) columns(w int) {
	f := ui.Figures{Exact: p.State.Exact, Wide: w >= 100}
	var sum heapgraph.Group
	if p.table != nil {
		sum = p.table.set.sum
	}
	const right = widget.Right
	b := max(f.BytesWidth(sum.Bytes()), 8)
	s := schemaOf(&p.State)
	title, _, _ := p.grouping().words(s)
	p.List.Columns = []widget.Column{
		groupTitle:     {Title: strings.ToUpper(title), Width: 10, Grow: 6, MaxWidth: 60, Cut: widget.CutMiddle},
		groupSecond:    {Title: secondTitle(s), Width: 10, Grow: 2, MaxWidth: 24, Drop: 6},
		groupCount:     {Title: "COUNT", Width: max(f.CountWidth(sum.Count), 7), Align: right, Drop: 1},
		groupBytes:     {Title: "BYTES", Width: b, Align: right},
		groupShare:     {Title: "SHARE", Width: 6, Grow: 1, MaxWidth: 16, Drop: 4},
		groupManaged:   {Title: "MANAGED", Width: b, Align: right, Drop: 7},
		groupUnmanaged: {Title: "UNMANAGED", Width: max(b, 9), Align: right, Drop: 5},
		groupRetained:  {Title: "RETAINED", Width: b, Align: right, Drop: 2},
		groupWhere:     {Title: "PLACE", Width: 14, Grow: 3, MaxWidth: 60, Drop: 3, Cut: widget.CutFolder},
	}
	if !p.Frames {
		ui.Hide(&p.List.Columns[groupWhere])
	}
	if p.Frames || s.Distinct() == 0 || p.grouping().axis > 0 {
		ui.Hide(&p.List.Columns[groupSecond])
	}
	if p.grouping().axis > 0 {
		ui.Hide(&p.List.Columns[groupRetained])
	}
	if !s.Split {
		ui.Hide(&p.List.Columns[groupManaged])
		ui.Hide(&p.List.Columns[groupUnmanaged])
	}
	p.List.SortColumn, p.List.Column, p.List.Descending = int(p.sort), int(p.sort), !p.up
}

// Len implements widget.Table.
func (p *Groups) Len() int {
	if p.table == nil {
		return 0
	}
	return len(p.table.order)
}

// ID implements widget.Table.
func (p *Groups) ID(row int) uint64 { return uint64(p.by)<<32 | uint64(p.table.row(row).ID) }

// Cell implements widget.Table.
func (p *Groups) Cell(row, col int) widget.Cell {
	g := p.table.row(row)
	bytes := func(n uint64) widget.Cell {
		c := widget.Cell{Text: ui.BytesText(n, p.State.Exact)}
		if n == 0 {
			c.Style = p.Look.Muted
		}
		return c
	}
	switch groupColumn(col) {
	case groupTitle:
		return widget.Cell{Text: ui.HeapName(g.Name)}
	case groupSecond:
		return widget.Cell{Text: g.Sub, Style: p.Look.Muted}
	case groupCount:
		return widget.Cell{Text: model.Group(g.Count)}
	case groupBytes:
		return bytes(g.Bytes())
	case groupShare:
		return p.shareOfGroup(g)
	case groupManaged:
		return bytes(g.ManagedBytes)
	case groupUnmanaged:
		return bytes(g.UnmanagedBytes)
	case groupRetained:
		if n, ok := p.table.retains(g); ok {
			return bytes(n)
		}
		if p.load.Unlinked() || p.table.retained != nil {
			return widget.Cell{Text: "?", Style: p.Look.Muted}
		}
		return widget.Cell{Text: p.Look.Glyphs.Ellipsis, Style: p.Look.Muted}
	}
	return widget.Cell{Text: frameWhere(g.File, g.Line, p.State.FullName), Style: p.Look.Muted}
}

// shareOfGroup is the bar of a row: of what is sorted by.
func (p *Groups) shareOfGroup(g *heapgraph.Group) widget.Cell {
	sum := &p.table.set.sum
	switch p.sort {
	case groupCount:
		return ui.ShareCell(g.Count, sum.Count)
	case groupManaged:
		return ui.ShareCell(g.ManagedBytes, sum.ManagedBytes)
	case groupUnmanaged:
		return ui.ShareCell(g.UnmanagedBytes, sum.UnmanagedBytes)
	case groupRetained:
		n, _ := p.table.retains(g)
		return ui.ShareCell(n, p.load.Totals.Bytes())
	}
	return ui.ShareCell(g.Bytes(), sum.Bytes())
}

// amounts is a group's figures in a sentence.
func (p *Groups) amounts(g *heapgraph.Group) string {
	exact := p.State.Exact
	text := fmt.Sprintf("%s: %s (%s of all bytes), %s each on average", model.Group(g.Count),
		sizeText(schemaOf(&p.State), g.ManagedBytes, g.UnmanagedBytes, exact),
		ui.ShareText(ui.ShareOf(g.Bytes(), p.load.Totals.Bytes())), ui.BytesText(model.Mean(g.Bytes(), max(g.Count, 1)), exact))
	if n, ok := p.table.retains(g); ok && p.grouping().axis == 0 {
		text += fmt.Sprintf("; all together they retain %s (%s)", ui.BytesText(n, exact), ui.ShareText(ui.ShareOf(n, p.load.Totals.Bytes())))
	}
	return text
}

// explain fills the detail pane from the selected row: its figures, and what holds it.
func (p *Groups) explain() {
	g, ok := p.selected()
	if !ok || p.load == nil {
		p.Detail.Set(0, "", "", nil)
		return
	}
	i, _ := p.List.Selected()
	lines := []widget.Line{ui.Said(p.amounts(g))}
	answer, s := g.Sub, schemaOf(&p.State)
	switch by := p.grouping(); {
	case by.axis > 0 && s.Axes[by.axis].ByRow:
		lines = append(lines, p.Note("Enter lists the ", s.Sets[by.set].Many))
	case by.axis > 0:
		lines = append(lines, p.Note("Enter lists the ", s.Axes[0].Many, " with this ", s.Axes[by.axis].Word))
	case p.load.Unlinked():
		lines = append(lines, p.Note(p.load.UnlinkedText()[0]))
	case p.graph == nil:
		lines = append(lines, p.Note("what holds them: looking…"))
	default:
		p.holders.Ask(holderKey{graph: p.graph, kinds: p.grouping().by(s).Kinds, id: g.ID})
		if held, ok := p.holders.Get(); ok && p.holders.Fresh() {
			lines = append(lines, holderLines(&p.HeapPane.Pane, held, g.Count)...)
			answer = "held by"
			if g.Sub != "" {
				answer = g.Sub + " · " + answer
			}
			answer += " " + held.summary()
		}
	}
	p.Detail.Set(p.ID(i), p.groupName(g, p.State.FullName), answer, lines)
}
