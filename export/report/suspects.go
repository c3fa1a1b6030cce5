package report

import (
	"context"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// HeapSuspect is a group of objects of one type, or of one package, that hold much of the heap or whose number grows.
type HeapSuspect struct {
	Type        string       `json:"type"`           // or a place on the axis By
	By          *string      `json:"by,omitzero"`    // the axis if they have no type in common: "package"
	Count       uint64       `json:"count"`          // of the objects
	Bytes       uint64       `json:"bytes"`          // shallow size of the objects
	Retained    uint64       `json:"retained_bytes"` // together, nothing counted twice
	Row         *model.Row   `json:"accumulation_row,omitzero"`
	Owner       *string      `json:"holder_label,omitzero"`
	OwnerRow    *model.Row   `json:"holder_row,omitzero"`
	Through     *string      `json:"through,omitzero"`      // the name of the owner's reference
	Growth      *int64       `json:"growth_count,omitzero"` // since the first snapshot, of all objects of the type
	GrowthBytes *int64       `json:"growth_bytes,omitzero"` // change of their shallow size
	Same        *uint64      `json:"same_count,omitzero"`   // that the first snapshot has, too; nil without identities
	Verdict     string       `json:"verdict,omitzero"`      // over the snapshots; "" if there is one
	Sure        *places.Sure `json:"confidence,omitzero"`   // of Verdict; absent if there is one snapshot
	Evidence    string       `json:"evidence"`

	share model.Share
}

// newSuspect returns a suspect in the form of reports.
func newSuspect(s *suspects.Suspect) HeapSuspect {
	out := HeapSuspect{
		Type: s.Name, Count: s.Count, Bytes: s.Bytes, Retained: s.Retained, Verdict: s.Word(), Evidence: s.Evidence(),
		share: model.ShareOf(s.Retained, s.Total),
	}
	if sure := places.NewSure(s.Confidence()); sure > 0 {
		out.Sure = &sure
	}
	if s.Axis > 0 {
		out.By = &s.Schema.Axes[s.Axis].Key
	}
	if s.HasRow {
		out.Row, out.Owner, out.OwnerRow = &s.Row, &s.Owner, &s.OwnerRow
		if s.Through != "" {
			out.Through = &s.Through
		}
	}
	if s.HasGrowth {
		out.Growth, out.GrowthBytes = &s.Growth, &s.GrowthBytes
	}
	if s.HasSame {
		out.Same = &s.Same
	}
	return out
}

// Certain returns the confidence of the verdict ("90 % certain") followed by then, or "" if there is only one snapshot.
func (s *HeapSuspect) Certain(then string) string {
	if s.Sure == nil {
		return ""
	}
	return s.Sure.String() + " certain" + then
}

// What returns the name of the objects: "Session", "package shop.cart".
func (s *HeapSuspect) What() string {
	if s.By != nil {
		return *s.By + " " + model.Clean(s.Type)
	}
	return model.Clean(s.Type)
}

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
	b.report.Heap.Suspects = []HeapSuspect{}
	list = limit(list, b.opt.Limit)
	for i := range list {
		b.report.Heap.Suspects = append(b.report.Heap.Suspects, newSuspect(&list[i]))
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
			growth = signed(*s.Growth)
		}
		if s.Row != nil {
			at = model.Group(uint64(*s.Row))
		}
		row := []string{s.Verdict, s.Sure.String(), w.style.Count(s.Count), w.style.Bytes(s.Retained),
			s.share.String(), growth, at, w.name(s.What())}
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
