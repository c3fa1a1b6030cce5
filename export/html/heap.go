package html

import (
	"cmp"
	"strings"

	"fmt"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// heap fills the page about heap snapshots.
func (b *builder) heap() error {
	h := b.src.Report.Heap
	if h == nil {
		return nil
	}
	var shown *report.Snapshot
	for i := range h.Snapshots {
		if h.Snapshot != nil && h.Snapshots[i].Index == *h.Snapshot {
			shown = &h.Snapshots[i]
		}
	}
	b.Facts = append(b.Facts, model.Counted(len(h.Snapshots), "snapshot"))
	if shown != nil {
		if n := len(h.Snapshots); n > 1 {
			b.Scope = append(b.Scope, fmt.Sprintf("snapshot #%d of #0 to #%d", shown.Index, n-1))
		}
		if p := h.Policy(); p != nil && p.Note != "" {
			b.Scope = append(b.Scope, p.Note)
		}
		b.heapCards(shown)
	}
	b.suspects(h)
	b.heapFindings(h, shown)
	b.snapshotChart(h)
	b.dominatorFlame()
	b.heapTables(h, total(shown))
	return nil
}

func total(s *report.Snapshot) uint64 {
	if s == nil || s.Bytes == nil {
		return 0
	}
	return *s.Bytes
}

func (b *builder) heapCards(s *report.Snapshot) {
	if s.Bytes != nil {
		note := ""
		if s.Managed != nil && s.Unmanaged != nil {
			note = model.Bytes(*s.Managed).String() + " managed, " + model.Bytes(*s.Unmanaged).String() + " unmanaged"
		}
		b.Cards = append(b.Cards, bytesCard("Heap", *s.Bytes, note))
	}
	add := func(label string, count *int64) {
		if count != nil {
			n := uint64(max(*count, 0))
			b.Cards = append(b.Cards, card{Label: model.Capital(label), Value: model.ShortCount(n), Exact: model.Group(n)})
		}
	}
	for _, c := range s.Counts {
		if c.Set.Column {
			add(c.Set.Many, c.N)
		}
	}
	add("References", s.References)
	for _, c := range s.Counts {
		if !c.Set.Column {
			add(c.Set.Many, c.N)
		}
	}
}

// suspects adds a sentence for each suspect, or one that there are none.
func (b *builder) suspects(h *report.Heap) {
	for i := range h.Suspects {
		s := &h.Suspects[i]
		sign := "info"
		if s.Verdict == "grows" {
			sign = "bad"
		}
		b.Findings = append(b.Findings, finding{Sign: sign, Label: cmp.Or(s.Verdict, "suspect"), Name: none,
			Text: s.Certain(": ") + s.Evidence, Row: s.OwnerRow})
	}
	if text := h.NoSuspects(); text != "" {
		b.Findings = append(b.Findings, finding{Sign: "good", Label: "suspects", Name: none, Text: text})
	}
}

// heapFindings adds a sentence each about growth, types and, without suspects, the largest dominator.
func (b *builder) heapFindings(h *report.Heap, shown *report.Snapshot) {
	var first *report.Snapshot
	for i := range h.Snapshots {
		if s := &h.Snapshots[i]; s.Bytes != nil && s.Complete && first == nil {
			first = s
		}
	}
	whole := total(shown)
	if first != nil && whole > 0 && first.Index != shown.Index && *first.Bytes > 0 {
		sign, word, by := "warn", "grew", whole-*first.Bytes
		if whole < *first.Bytes {
			sign, word, by = "good", "shrank", *first.Bytes-whole
		}
		text := fmt.Sprintf("the heap %s by %v (%s) between snapshots %d and %d", word, model.Bytes(by),
			model.Change(*first.Bytes, whole), first.Index, shown.Index)
		b.Findings = append(b.Findings, finding{Sign: sign, Label: word, Name: none, Text: text, Spark: history(h)})
	}
	if len(h.Types) > 0 && whole > 0 {
		t := h.Types[0]
		b.Findings = append(b.Findings, finding{Sign: "info", Label: "most bytes", Name: b.name(t.Type),
			Text: model.Bytes(t.Bytes).String() + " in " + ofSet(t.Count, h.Schema().Objects()) + ", " +
				share(t.Bytes, whole) + " of the heap"})
	}
	for _, d := range h.Dominators {
		if d.RetainedBytes < whole/10 || len(h.Suspects) > 0 {
			break
		}
		if plain(h.Schema(), d.Kind) {
			b.Findings = append(b.Findings, finding{Sign: "info", Label: "retains", Name: b.name(d.Label),
				Text: fmt.Sprintf("object %d retains %v, %s of the heap", d.Row, model.Bytes(d.RetainedBytes),
					share(d.RetainedBytes, whole))})
			break
		}
	}
}

// plain reports whether rows of a kind are the program's own objects or frames.
func plain(s *model.HeapSchema, kind string) bool {
	k, ok := s.KindNamed(kind)
	frames, _ := s.Frames()
	return ok && (s.Objects().Kinds | frames.Kinds).Has(k)
}

// ofSet returns a number of rows of a set.
func ofSet(n uint64, set *model.HeapSet) string {
	if n == 1 {
		return "1 " + set.One
	}
	return model.Group(n) + " " + set.Many
}

// history returns the bytes of all snapshots whose size is known.
func history(h *report.Heap) []uint64 {
	var out []uint64
	for _, s := range h.Snapshots {
		if s.Bytes != nil {
			out = append(out, *s.Bytes)
		}
	}
	return out
}

func (b *builder) snapshotChart(h *report.Heap) {
	if len(h.Snapshots) < 2 {
		return
	}
	c := chart{ID: "snapshots", Title: "Heap size", Answer: "of each snapshot, by its number", Axis: "plain",
		Unit: "bytes", To: float64(len(h.Snapshots) - 1), Marks: []mark{},
		Curves: []curve{{Name: "heap"}}}
	if h.Schema().Split {
		c.Curves = append(c.Curves, curve{Name: "managed"}, curve{Name: "unmanaged"})
	}
	for _, s := range h.Snapshots {
		c.X = append(c.X, float64(s.Index))
		for i, n := range []*uint64{s.Bytes, s.Managed, s.Unmanaged}[:len(c.Curves)] {
			var v any
			if n != nil {
				v = *n
			}
			c.Curves[i].Max = append(c.Curves[i].Max, v)
		}
	}
	if h.Snapshot != nil {
		c.Marks = append(c.Marks, mark{"at", float64(*h.Snapshot), fmt.Sprintf("snapshot %d", *h.Snapshot)})
	}
	b.Charts = append(b.Charts, c)
}

func (b *builder) heapTables(h *report.Heap, whole uint64) {
	more := func(all *int, rows int) int {
		if all == nil {
			return 0
		}
		return *all - rows
	}
	lengths := report.HeapLengths{}
	if h.Counts != nil {
		lengths = *h.Counts
	}
	b.heapTypes(h, whole, more(lengths.Types, len(h.Types)))
	dominators := b.table("dominators", "Dominators", "objects by retained size", 0,
		cols(titles.Retained+":bytes", titles.Share+":share", titles.Objects+":count", titles.Bytes+":bytes",
			titles.What+":name", titles.Kind+":text", titles.Row+":plain:the object's number in the snapshot")...)
	dominators.More = more(lengths.Dominators, len(h.Dominators))
	for _, d := range h.Dominators {
		dominators.add(d.RetainedBytes, part(d.RetainedBytes, whole), d.RetainedCount, d.Bytes, b.name(d.Label),
			d.Kind, d.Row)
	}
	b.keep(dominators)
	frames := b.table("frames", "Frames", "routines and blocks whose frames are on the heap", 0,
		cols(titles.Bytes+":bytes", titles.Share+":share", titles.Count+":count", titles.Retained+":bytes", titles.Frame+":place")...)
	frames.More = more(lengths.Frames, len(h.Frames))
	for _, f := range h.Frames {
		label := f.Frame
		if label == "" {
			label = calltree.NoFunction
		}
		frames.add(f.Bytes, part(f.Bytes, whole), f.Count, retained(&f.HeapRetained),
			b.frame(places.Place{Function: &label, File: f.File, Line: f.Line}))
	}
	b.keep(frames)
	columns := []string{titles.Number + ":plain", titles.Bytes + ":bytes", ":bar", titles.Time + ":us",
		titles.GC + ":plain", titles.References + ":count"}
	for _, set := range h.Schema().Sets {
		if set.Column {
			columns = append(columns, strings.ToUpper(set.Many)+":count")
		}
	}
	snapshots := b.table("snapshots", "Snapshots", model.Counted(len(h.Snapshots), "snapshot"), none,
		cols(append(columns, titles.Status+":text")...)...)
	for _, s := range h.Snapshots {
		var at any
		if s.Time != nil {
			at = *s.Time
		}
		state := "complete"
		if !s.Complete {
			state = "incomplete"
		}
		row := []any{s.Index, known(s.Bytes), known(s.Bytes), at, known(s.GC), known(s.References)}
		for _, c := range s.Counts {
			if c.Set.Column {
				row = append(row, known(c.N))
			}
		}
		snapshots.add(append(row, state)...)
	}
	b.keep(snapshots)
}

// heapTypes adds the table of types, with a column for each axis on which types have a value.
func (b *builder) heapTypes(h *report.Heap, whole uint64, more int) {
	s := h.Schema()
	axis, objects, _ := h.Words()
	columns := []string{titles.Bytes + ":bytes", titles.Share + ":share", titles.Count + ":count"}
	if s.Split {
		columns = append(columns, titles.Unmanaged+":bytes")
	}
	columns = append(columns, titles.Retained+":bytes:by all "+objects.Many+" of the "+axis.One+" together",
		strings.ToUpper(axis.One)+":name")
	for i := range s.Axes {
		if i > 0 && !s.Axes[i].ByRow {
			columns = append(columns, strings.ToUpper(s.Axes[i].One)+":text")
		}
	}
	types := b.table("types", model.Capital(axis.Many), objects.Many+" by "+axis.One, 0, cols(columns...)...)
	types.More = more
	for _, t := range h.Types {
		row := []any{t.Bytes, part(t.Bytes, whole), t.Count}
		if t.Unmanaged != nil {
			row = append(row, *t.Unmanaged)
		}
		row = append(row, retained(&t.HeapRetained), b.name(t.Type))
		for _, p := range t.Places {
			row = append(row, model.Clean(p.Text))
		}
		types.add(row...)
	}
	b.keep(types)
}

// least is a number that may be larger.
type least struct {
	Least any    `json:"least"`
	Sign  string `json:"sign,omitempty"` // with a space, if it is not ≥
}

// retained returns what a group retains: an exact number, a lower bound, or nil if it is unknown.
func retained(r *report.HeapRetained) any {
	if r.AtLeast != nil {
		return least{Least: *r.AtLeast}
	}
	return known(r.Retained)
}

// known returns the number, nil for none.
func known[T int64 | uint64 | float64](n *T) any {
	if n == nil {
		return nil
	}
	return *n
}
