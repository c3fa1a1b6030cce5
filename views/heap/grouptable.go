package heap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// groupKey determines the groups of a snapshot.
type groupKey struct {
	load *ui.HeapLoad
	by   grouping
	in   section
}

// section is the types that have a value on an axis; the zero section is all types.
type section struct {
	axis  int
	value string
}

// has reports whether a type is one of the section.
func (s section) has(t *model.HeapTables, id uint32) bool {
	return s.axis == 0 || t.OnAxis(s.axis, id) == s.value
}

// groupSet is all groups with their sums. Read-only once made.
type groupSet struct {
	groupKey
	schema *model.HeapSchema
	groups []heapgraph.Group
	sum    heapgraph.Group
	others []uint64 // by axis: how many rows without a value on the grouping's axis have one on that
}

// stated reports whether the file states what the groups are of. Otherwise there are none.
func (s *groupSet) stated() bool {
	h := s.load.Heap
	return s.by.axis == 0 || !s.schema.Axes[s.by.axis].ByRow || s.by.axis < len(h.Axes) && len(h.Axes[s.by.axis]) > 0
}

// unstated returns what the file does not state of the group without a value, and what it does; "" if there is nothing
// to say.
func (s *groupSet) unstated() string {
	axis := &s.schema.Axes[s.by.axis]
	if !axis.Unstated {
		return ""
	}
	text := "The file does not state their " + axis.Word
	for i, n := range s.others {
		if other := &s.schema.Axes[i]; n > 0 {
			text += fmt.Sprintf(", but the %s of %s", other.Word, model.Group(n))
		}
	}
	return text + "."
}

// countOthers counts, among the rows without a value on the grouping's axis, those that have one on another axis that
// rows state: one may be known where the other is not.
func (s *groupSet) countOthers(ctx context.Context) error {
	h, axes := s.load.Heap, s.schema.Axes
	if !axes[s.by.axis].Unstated || !s.stated() {
		return nil
	}
	s.others = make([]uint64, len(axes))
	for r := range h.Len() {
		const often = 1 << 16
		if r%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if row := model.Row(r); s.schema.Sets[s.by.set].Kinds.Has(h.Kinds[r]) && h.OnAxis(s.by.axis, row) == "" {
			for i := range axes {
				if i != s.by.axis && axes[i].Unstated && h.OnAxis(i, row) != "" {
					s.others[i]++
				}
			}
		}
	}
	return nil
}

func groupRows(ctx context.Context, k groupKey) (*groupSet, error) {
	h := k.load.Heap
	set := &groupSet{groupKey: k, schema: h.Schema, groups: heapgraph.Groups(h, k.by.by(h.Schema))}
	set.groups = slices.DeleteFunc(set.groups, func(g heapgraph.Group) bool { return !k.in.has(h.Tables, g.ID) })
	for i := range set.groups {
		set.sum.Add(&set.groups[i])
	}
	return set, set.countOthers(ctx)
}

// retainKey determines what groups retain.
type retainKey struct {
	graph *ui.HeapGraph
	by    heapgraph.By
}

// retainSet is what each group retains, by its id. Read-only once made.
type retainSet struct {
	retainKey
	of     map[uint32]heapgraph.SetSize
	bounds bool // some are lower bounds
}

func computeRetained(ctx context.Context, k retainKey) (*retainSet, error) {
	of, err := k.graph.RetainedByGroups(ctx, k.by)
	set := &retainSet{retainKey: k, of: of}
	for _, n := range of {
		set.bounds = set.bounds || !n.Exact
	}
	return set, err
}

// fits reports whether the figures are those of the groups.
func (r *retainSet) fits(set *groupSet, p heapgraph.Policy) bool {
	return r.graph.HeapKey == set.load.HeapKey && r.graph.Edges == p && r.by == set.by.by(set.load.Heap.Schema)
}

// groupData determines the table of groups.
type groupData struct {
	set      *groupSet
	retained *retainSet // nil until known
	full     bool       // places are written in full
}

// retains returns what a group retains, where it takes too long to find out at least; ok is false before anything is
// known.
func (d groupData) retains(g *heapgraph.Group) (n heapgraph.SetSize, ok bool) {
	if d.retained == nil {
		return n, false
	}
	n, ok = d.retained.of[g.ID]
	return n, ok
}

// words returns the texts that words of a filter match, for types including their values on other axes.
func (d groupData) words(g *heapgraph.Group) []string {
	texts := []string{g.Name, g.Sub, frameWhere(g.File, g.Line, true)}
	s, by := d.set.schema, d.set.by
	if by.axis > 0 || s.Sets[by.set].Naming != model.NamedByType {
		return texts
	}
	for axis := range s.Axes {
		if axis > 0 && axis != s.Distinct() && !s.Axes[axis].ByRow {
			texts = append(texts, d.set.load.Heap.Tables.OnAxis(axis, g.ID))
		}
	}
	return texts
}

// groupBytes is the column of sizes.
const groupBytes = 3

// groupSpec returns the table of groups. They come in the report's order.
func (p *Groups) groupSpec() ui.Spec[groupData, heapgraph.Group] {
	return ui.Spec[groupData, heapgraph.Group]{
		Rows:    func(d groupData) []heapgraph.Group { return d.set.groups },
		Columns: p.columns,
		ID: func(d groupData, g *heapgraph.Group) uint64 {
			return uint64(d.set.by.set)<<48 | uint64(d.set.by.axis)<<32 | uint64(g.ID)
		},
		Words: func(d groupData) func(*heapgraph.Group) []string { return d.words },
		First: groupBytes,
		Pinned: func(g *heapgraph.Group) int { // roots have no bytes, and retain everything
			return int(min(g.Bytes(), 1))
		},
		Add:  func(sum, g *heapgraph.Group) { sum.Add(g) },
		Most: func(d groupData) (bytes, count uint64) { return d.set.sum.Bytes(), d.set.sum.Count },
	}
}

// columns returns the columns of the table of groups. Shares are of the sum of all groups; those of retained sizes are
// of the complete snapshot.
func (p *Groups) columns(d groupData) []ui.Column[heapgraph.Group] {
	type group = heapgraph.Group
	s, by, sum := d.set.schema, d.set.by, &d.set.sum
	frames, whole := s.Sets[by.set].Naming == model.NamedByFrame, uint64(0)
	if d.set.load != nil {
		whole = d.set.load.Totals.Bytes()
	}
	title, _, _ := by.words(s)
	bytes := func(title, key, field string, drop int, whole uint64, there bool, value func(g *group) uint64) ui.Column[group] {
		c := ui.Column[group]{Title: title, Key: key, Figure: ui.BytesFigure, Drop: drop, Total: whole, Hidden: !there, Value: value}
		if there {
			c.Fields = []string{field}
		}
		return c
	}
	size := bytes(titles.Bytes, "bytes", "bytes", 0, sum.Bytes(), true, (*group).Bytes)
	size.Fields = append(size.Fields, "size")
	unmanaged := bytes(titles.Unmanaged, "unmanaged_bytes", "unmanaged", 5, sum.UnmanagedBytes, s.Split,
		func(g *group) uint64 { return g.UnmanagedBytes })
	unmanaged.Width = widget.Width(titles.Unmanaged)
	retained := bytes(titles.Retained, "retained_bytes", "retained", 2, whole, true,
		func(g *group) uint64 { n, _ := d.retains(g); return n.Bytes })
	if d.retained != nil && d.retained.bounds {
		retained.Width = widget.Width("≥ 1023 KiB")
	}
	retained.AtLeast = func(g *group) bool { n, ok := d.retains(g); return ok && !n.Exact }
	retained.Known, retained.Unknown = func(g *group) bool { _, ok := d.retains(g); return ok }, func() string {
		if p.load.Unlinked() || d.retained != nil {
			return "?"
		}
		return p.Look.Glyphs.Ellipsis
	}
	mean := bytes("", "", "mean", 0, 0, true, func(g *group) uint64 { return model.Mean(g.Bytes(), max(g.Count, 1)) })
	mean.Hidden = true
	managed := bytes(titles.Managed, "managed_bytes", "managed", 7, sum.ManagedBytes, s.Split,
		func(g *group) uint64 { return g.ManagedBytes })
	return []ui.Column[group]{
		{Title: strings.ToUpper(title), Width: 10, Grow: 6, MaxWidth: 60, Cut: by.cut(s),
			Text: func(g *group) string { return by.name(s, g.Name) }},
		{Title: secondTitle(s), Width: 10, Grow: 2, MaxWidth: 24, Drop: 6, Cut: widget.CutPackage, Muted: true,
			Hidden: frames || s.Distinct() == 0 || by.axis > 0, Text: func(g *group) string { return g.Sub }},
		{Title: titles.Count, Key: "count", Fields: []string{"count"}, Figure: ui.CountFigure, Width: 7, Drop: 1,
			Total: sum.Count, Value: func(g *group) uint64 { return g.Count }},
		size,
		{Title: titles.Share, Width: 6, Grow: 1, MaxWidth: 16, Drop: 4, Like: titles.Bytes, Cell: p.shareCell},
		managed, unmanaged, retained,
		{Title: titles.Where, Width: 14, Grow: 3, MaxWidth: 60, Drop: 3, Cut: widget.CutFolder, Hidden: !frames,
			Text: func(g *group) string { return fmt.Sprintf("%s:%012d", g.File, g.Line) },
			Cell: func(g *group) widget.Cell {
				return widget.Cell{Text: frameWhere(g.File, g.Line, d.full), Style: p.Look.Muted}
			}},
		mean,
	}
}

// shareCell returns a row's share of the sort figure.
func (p *Groups) shareCell(g *heapgraph.Group) widget.Cell {
	c := p.table.Sorted()
	if c.Value == nil {
		c = &p.table.Columns()[groupBytes]
	}
	return ui.ShareCell(c.Value(g), c.Total)
}

// groupName returns the name of a group: a type, a representation, or a frame.
func (p *Groups) groupName(g *heapgraph.Group, full bool) string {
	if p.Frames {
		return frameText(g.Name, g.File, g.Line, full)
	}
	return p.grouping().name(schemaOf(&p.State), g.Name)
}

// retains returns what a group retains. The size is exact if it was requested since the table was made.
func (p *Groups) retains(g *heapgraph.Group) (n heapgraph.SetSize, ok bool) {
	d := p.table.Now().Of
	if n, ok = d.retains(g); !ok || n.Exact {
		return n, ok
	}
	if got, done := p.exact.Get(); done && got.exactKey == (exactKey{d.retained.retainKey, g.ID}) {
		n = got.size
	}
	return n, true
}

// exactKey determines what one group retains exactly.
type exactKey struct {
	retainKey
	id uint32
}

// exactSize is what a group retains.
type exactSize struct {
	exactKey
	size heapgraph.SetSize
}

func computeExact(ctx context.Context, k exactKey) (*exactSize, error) {
	n, _, err := k.graph.RetainedByGroup(ctx, k.by, k.id)
	return &exactSize{k, heapgraph.SetSize{Bytes: n, Exact: true}}, err
}

// amounts returns a group's figures in a sentence.
func (p *Groups) amounts(g *heapgraph.Group) string {
	exact := p.State.Exact
	text := fmt.Sprintf("%s: %s (%s of all bytes), %s each on average", model.Group(g.Count),
		sizeText(schemaOf(&p.State), g.ManagedBytes, g.UnmanagedBytes, exact),
		ui.ShareText(ui.ShareOf(g.Bytes(), p.load.Totals.Bytes())), ui.BytesText(model.Mean(g.Bytes(), max(g.Count, 1)), exact))
	if n, ok := p.retains(g); ok {
		least := ""
		if !n.Exact {
			least = "at least "
		}
		text += fmt.Sprintf("; together they retain %s%s (%s)", least, ui.BytesText(n.Bytes, exact),
			ui.ShareText(ui.ShareOf(n.Bytes, p.load.Totals.Bytes())))
		if n.Exact && n.Bytes < g.Bytes() {
			text += fmt.Sprintf(": %s less than their own bytes, as some of them are unreachable, and nothing retains those",
				ui.BytesText(g.Bytes()-n.Bytes, exact))
		}
	}
	return text
}

// explain fills the detail pane for the selected row: its figures and its dominators.
func (p *Groups) explain() {
	g, ok := p.table.Selected()
	if !ok || p.load == nil {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	if d := p.table.Now().Of; d.retained != nil {
		if n, known := d.retains(g); known && !n.Exact {
			p.exact.Ask(exactKey{d.retained.retainKey, g.ID})
		}
	}
	i, _ := p.List.Selected()
	lines := []widget.Line{ui.TextLine(p.amounts(g))}
	answer, s := g.Sub, schemaOf(&p.State)
	switch by := p.grouping(); {
	case by.axis > 0 && s.Axes[by.axis].ByRow:
		if text := p.table.Now().Of.set.unstated(); g.Name == "" && text != "" {
			lines = append(lines, ui.TextLine(text))
		}
		lines = append(lines, p.Note(p.Hint("{open} lists the "), s.Sets[by.set].Many))
	case by.axis > 0:
		lines = append(lines, p.Note(p.Hint("{open} lists the "), s.Axes[0].Many, " with this ", s.Axes[by.axis].Word))
	case p.load.Unlinked():
		lines = append(lines, p.Note(p.UnlinkedText(p.load)[0]))
	case p.graph == nil:
		lines = append(lines, p.Note("computing dominators…"))
	default:
		p.dominators.Ask(dominatorsKey{graph: p.graph, by: p.grouping().by(s), id: g.ID})
		if held, ok := p.dominators.Get(); ok && p.dominators.Fresh() {
			lines = append(lines, dominatorLines(&p.TablePane.Pane, held, g.Count)...)
			answer = "dominated by"
			if g.Sub != "" {
				answer = g.Sub + " · " + answer
			}
			answer += " " + held.summary()
		}
	}
	p.Detail.SetText(p.table.ID(i), p.groupName(g, p.State.FullName), answer, lines)
}
