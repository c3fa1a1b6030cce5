package heap

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// dominatorsKey identifies the dominators of the rows of one group.
type dominatorsKey struct {
	graph *ui.HeapGraph
	by    heapgraph.By
	id    uint32
	// before is an earlier snapshot to compare with; nil without one.
	before   *ui.HeapGraph
	beforeBy heapgraph.By
	beforeID int64 // negative where that snapshot has no such group
}

// dominatorGroup is the rows of one type or frame that dominate others directly.
type dominatorGroup struct {
	row    model.Row // the one that dominates most
	most   uint64    // rows that it dominates
	rows   uint64    // dominators alike
	count  uint64    // queried rows that they dominate
	before uint64    // the same in the earlier snapshot
	gone   string    // the name of dominators that only the earlier snapshot has
}

// dominatorGroups are the dominators of the rows of a type or frame, most first. Read-only once made.
type dominatorGroups struct {
	dominatorsKey
	groups []dominatorGroup
	all    uint64 // number of dominators
}

func groupDominators(ctx context.Context, k dominatorsKey) (*dominatorGroups, error) {
	now, err := dominatorsOf(ctx, k.graph, k.by, k.id)
	if err != nil {
		return nil, err
	}
	set := &dominatorGroups{dominatorsKey: k}
	if k.before != nil && k.beforeID >= 0 {
		old, err := dominatorsOf(ctx, k.before, k.beforeBy, uint32(k.beforeID))
		if err != nil {
			return nil, err
		}
		for name, v := range old {
			to := now[name]
			if to.before = v.count; to.rows == 0 {
				to.gone = name
			}
			now[name] = to
		}
	}
	for _, v := range now {
		set.all += v.rows
		set.groups = append(set.groups, v)
	}
	slices.SortFunc(set.groups, func(a, b dominatorGroup) int {
		by := cmp.Compare(b.count, a.count)
		if k.before != nil {
			by = cmp.Compare(int64(b.count-b.before), int64(a.count-a.before))
		}
		return cmp.Or(by, cmp.Compare(b.count, a.count), cmp.Compare(a.row, b.row), cmp.Compare(a.gone, b.gone))
	})
	return set, nil
}

// dominatorsOf counts the direct dominators of the rows of a group, by the dominatorGroup's name.
func dominatorsOf(ctx context.Context, g *ui.HeapGraph, by heapgraph.By, id uint32) (map[string]dominatorGroup, error) {
	h, in := g.Heap, heapgraph.Member(g.Heap, by, id)
	each := map[model.Row]uint64{}
	for r := range h.Kinds {
		const often = 1 << 16
		if r%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if by.Kinds.Has(h.Kinds[r]) && in(r) {
			each[g.Idom(model.Row(r))]++
		}
	}
	names := map[domGroup]string{}
	out := map[string]dominatorGroup{}
	for row, n := range each {
		key := domGroup{h.Kinds[row], uint64(h.Entity[row])}
		if kind := h.Kind(row); kind.Naming == model.NamedByKind || kind.About || kind.Named {
			key.entity = uint64(row) // each has a name of its own
		}
		name, ok := names[key]
		if !ok {
			name = textOf(h, row, true)
			names[key] = name
		}
		v := out[name]
		v.rows++
		v.count += n
		if n > v.most || n == v.most && row < v.row {
			v.row, v.most = row, n
		}
		out[name] = v
	}
	return out, nil
}

// summary returns in a few words how many dominate them.
func (h *dominatorGroups) summary() string {
	if h.all == 1 {
		return "a single object"
	}
	return rowsText(h.all)
}

// dominatorLines returns what dominates count rows, a line for each kind of dominator.
func dominatorLines(p *ui.Pane, h *dominatorGroups, count uint64) []widget.Line {
	const most = 20
	var lines []widget.Line
	for i := range h.groups[:min(len(h.groups), most)] {
		v := &h.groups[i]
		how := fmt.Sprintf("%s (%s)", model.Group(v.count), ui.ShareText(ui.ShareOf(v.count, count)))
		line := widget.Line{Indent: 2}
		if h.before != nil {
			change := p.DeltaCell(v.before, v.count, model.Group)
			line.Spans = append(line.Spans, widget.Span{Text: change.Text, Style: change.Style})
			how = ", now " + how
			if v.before == v.count {
				how = " " + how[len(", now "):]
			}
		}
		line.Spans = append(line.Spans, widget.Span{Text: how})
		lines = append(lines, dominatorLine(p, h, v, line))
	}
	if more := len(h.groups) - len(lines); more > 0 {
		lines = append(lines, p.Note("… and ", model.CountedAs(more, "more kind of dominator", "more kinds of dominators")))
	}
	return lines
}

// dominatorLine ends the line of a dominatorGroup.
func dominatorLine(p *ui.Pane, h *dominatorGroups, v *dominatorGroup, line widget.Line) widget.Line {
	g, full := h.graph, p.State.FullName
	add := func(text string, r themes.Role) {
		line.Spans = append(line.Spans, widget.Span{Text: text, Style: p.Style(r)})
	}
	switch {
	case v.gone != "":
		add(" dominated by ", themes.Muted)
		add(v.gone, themes.Text)
	case v.row == model.RootRow:
		add(" have no single dominator: several paths lead to them", themes.Muted)
	case v.rows == 1:
		add(" dominated by ", themes.Muted)
		add(namedRow(g.Heap, v.row, full), themes.Text)
		add(", which retains "+ui.BytesText(g.Retained[v.row], p.State.Exact), themes.Muted)
	default:
		add(" dominated by ", themes.Muted)
		add(model.Group(v.rows)+" × "+textOf(g.Heap, v.row, full), themes.Text)
		if v.most*2 > v.count && v.most > 1 {
			add(fmt.Sprintf(", %s of them by %s", model.Group(v.most), ui.RowText(v.row)), themes.Muted)
		}
	}
	return line
}
