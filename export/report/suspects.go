package report

import (
	"context"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/suspect"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// suspects lists what to look at first in the chosen snapshot. The other snapshots are already counted.
func (b *heapBuilder) suspects(g *heapgraph.Graph) error {
	var list []suspects.Suspect
	err := model.BudgetOf(b.ctx).Try(b.ctx, "", func(ctx context.Context) (err error) {
		list, err = suspects.Find(ctx, g, b.opt.Snapshot, b.counted, 0)
		return err
	})
	if err != nil {
		if b.short(err, "suspects were left out") {
			b.report.Heap.left = append(b.report.Heap.left, "suspects")
			return nil
		}
		return err
	}
	n := len(list)
	b.report.Heap.Counts.Suspects = &n
	b.report.Heap.Suspects = []suspect.Suspect{}
	list = limit(list, b.opt.Limit)
	for i := range list {
		b.report.Heap.Suspects = append(b.report.Heap.Suspects, suspect.New(&list[i]))
	}
	return nil
}

// suspects returns a table of figures, with a sentence below each row.
func (w heapWriter) suspects() table {
	out := table{
		name: "suspects", title: "Suspects",
		cols: []col{{titles.Verdict, word}, {titles.Sure, number}, {titles.Count, number}, {titles.Retained, number},
			{titles.Share, number},
			{titles.Growth, number}, {titles.Row, number}, {strings.ToUpper(w.h.schema.Axes[0].One), name}},
	}
	if w.full {
		out.cols = append(out.cols, col{titles.Evidence, prosaic})
	}
	n := w.length(func(c *HeapLengths) *int { return c.Suspects })
	out.more, out.answer = n-len(w.h.Suspects), model.Counted(n, "thing")+" to look at first"
	for i := range w.h.Suspects {
		s := &w.h.Suspects[i]
		growth, at := "", ""
		if s.Growth != nil {
			growth = cells.Signed(*s.Growth)
		}
		if s.Row != nil {
			at = model.Group(uint64(*s.Row))
		}
		row := []string{s.Verdict, s.Sure.String(), w.style.Count(s.Count), w.style.Bytes(s.Retained),
			s.Share().String(), growth, at, w.name(s.What())}
		evidence := w.style.Text(model.Clean(s.Evidence))
		if w.full {
			row = append(row, evidence)
		}
		out.rows = append(out.rows, row)
		out.notes = append(out.notes, cells.Wrapped(evidence, w.style.LineWidth()-5))
	}
	for i := len(out.cols) - 1; i >= 0; i-- { // of one snapshot, nothing is known about growth
		empty := !slices.ContainsFunc(out.rows, func(row []string) bool { return row[i] != "" })
		if empty && slices.Contains([]string{titles.Verdict, titles.Sure, titles.Growth}, out.cols[i].head) {
			out = out.without(i)
		}
	}
	return out
}

// NoSuspects returns a message that no suspects were found, or "" if none were searched.
func (h *Heap) NoSuspects() string {
	if h == nil || h.Suspects == nil || len(h.Suspects) > 0 {
		return ""
	}
	return "No suspects: no type holds a tenth of the heap in one place, and no type grows over the snapshots."
}
