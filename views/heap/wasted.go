package heap

import (
	"context"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/waste"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// maybe reports that only the beginnings of the texts are known to be equal.
func (w *wasteRow) maybe() bool { return w.text != nil && w.text.Maybe }

// listRows implements [rowSource]: it lists what the row counted.
func (w *wasteRow) listRows(ctx context.Context, load *ui.HeapLoad) ([]model.Row, error) {
	src, ok := model.HeapFacet[model.HeapWaste](load.Heaps.Source())
	switch {
	case w.doubled != nil:
		return w.doubled.Rows(load.Heap), ctx.Err()
	case !ok:
		return nil, ctx.Err()
	case w.room != nil:
		return w.room.Rows(ctx, src, load.I, load.Heap)
	}
	return w.text.Rows(ctx, src, load.I, load.Heap)
}

// oneName implements [rowSource]: collections are of one type.
func (w *wasteRow) oneName() bool { return w.room != nil }

// caption returns the title of the list of what the row counted.
func (w *wasteRow) caption(schema *model.HeapSchema) string {
	switch {
	case w.room != nil:
		return "Objects of " + ui.HeapName(w.what)
	case w.doubled != nil:
		return "Classes called " + ui.HeapName(w.what)
	}
	_, many := waste.Words(schema)
	if w.maybe() {
		return model.Capital(many) + " that begin as " + ui.RowText(w.row)
	}
	return model.Capital(many) + " with the text of " + ui.RowText(w.row)
}

// openRow lists what the selected row counted.
func (p *Waste) openRow() {
	if w, ok := p.table.Selected(); ok {
		p.objects.startFrom(w.caption(p.table.Now().Of.load.Heap.Schema), heapgraph.By{}, w)
	}
}
