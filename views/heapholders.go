package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// holderKey determines what holds the rows of one type or frame.
type holderKey struct {
	graph *heapGraph
	kind  model.HeapKind
	id    uint32
}

// holder is a row that dominates others directly.
type holder struct {
	row          model.Row
	count, bytes uint64 // of those asked about, themselves
}

// holderSet is what holds the rows of a type or frame, most first. Read-only once made.
type holderSet struct {
	holderKey
	holders []holder // at most maxHolders of them
	all     int
}

const maxHolders = 200

func fetchHolders(ctx context.Context, k holderKey) (*holderSet, error) {
	h := k.graph.Heap
	of := map[model.Row]holder{}
	for r := range h.Kinds {
		const often = 1 << 16
		if r%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if h.Kinds[r] != k.kind || h.Entity[r] != k.id {
			continue
		}
		to := of[k.graph.Idom[r]]
		to.row = k.graph.Idom[r]
		to.count++
		to.bytes, _ = model.SaturatingAdd(to.bytes, h.Bytes(model.Row(r)))
		of[to.row] = to
	}
	set := &holderSet{holderKey: k, all: len(of)}
	for _, v := range of {
		set.holders = append(set.holders, v)
	}
	slices.SortFunc(set.holders, func(a, b holder) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.row, b.row))
	})
	set.holders = slices.Clone(set.holders[:min(len(set.holders), maxHolders)])
	return set, nil
}

// summary says in a few words how many hold them.
func (h *holderSet) summary() string {
	if h.all == 1 {
		return "one row alone"
	}
	return plural(h.all, "row", "rows")
}

// holderLines says what holds count rows, a line for each holder.
func (p *pane) holderLines(h *holderSet, count uint64) []widget.Line {
	const most = 12
	g := h.graph
	var lines []widget.Line
	for _, v := range h.holders[:min(len(h.holders), most)] {
		how := fmt.Sprintf("%s (%s)", model.Group(v.count), shortShare(shareOf(v.count, count)))
		name := namedRow(g.Heap, v.row, p.state.FullName)
		if v.row == model.RootRow {
			lines = append(lines, widget.Line{Indent: 2, Spans: []widget.Span{{Text: how}, {Text: " held by nothing alone: several ways lead to them", Style: p.look.Muted}}})
			continue
		}
		lines = append(lines, widget.Line{Indent: 2, Spans: []widget.Span{{Text: how}, {Text: " hang off ", Style: p.look.Muted}, {Text: name},
			{Text: " which retains " + bytesText(g.Retained[v.row], p.state.Exact), Style: p.look.Muted}}})
	}
	if more := h.all - len(lines); more > 0 {
		lines = append(lines, p.note("… ", plural(more, "more holder", "more holders")))
	}
	return lines
}
