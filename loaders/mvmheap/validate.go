package mvmheap

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// validate reports every broken rule: those of blocks and tables of contents first, then those of each snapshot.
func validate(ctx context.Context, src *loaders.Source, report func(loaders.Violation)) error {
	f, w, err := open(ctx, src)
	if loaders.ReportRefusal(err, "truncated", report) {
		return nil
	}
	if err != nil {
		return err
	}
	v := &validator{ctx: ctx, f: f, w: w, problems: f.problems}
	if f.version == 3 {
		err = v.blocks()
	}
	for i := range f.snaps {
		if err == nil {
			err = v.snapshot(i)
		}
		if short := (*model.MemoryError)(nil); errors.As(err, &short) {
			v.take([]model.Problem{src.Budget().Problem(fmt.Sprintf("snapshot %d was not checked", i))})
			err = nil
		}
	}
	v.take(f.tables.problems)
	loaders.Report(v.problems, report)
	return err
}

// validator collects the violations of a file.
type validator struct {
	ctx      context.Context
	f        *file
	w        *window
	problems []model.Problem
}

// take adds problems, each once: two passes may find the same.
func (v *validator) take(list []model.Problem) {
	for _, p := range list {
		known := false
		for _, q := range v.problems {
			known = known || q.Code == p.Code && q.Offset == p.Offset
		}
		if !known {
			v.problems = model.AddProblem(v.problems, p)
		}
	}
}

// blocks walks through the file and compares every table of contents with the actual blocks.
func (v *validator) blocks() error {
	walked := &file{src: v.f.src, size: v.f.size}
	var blocks []block
	r := walker{f: walked, w: v.w, met: func(b block) { blocks = append(blocks, b) }}
	if err := r.walk(); err != nil {
		return err
	}
	v.take(walked.problems)
	c := contents{v: v}
	for _, b := range blocks {
		if b.kind == toc {
			c.check(b)
			continue
		}
		if b.kind == filemeta {
			c.outer = append(c.outer, b)
			continue
		}
		c.inner = append(c.inner, b)
		c.inside = true
	}
	if at := v.w.size - tocFooter; r.clean && len(c.problems) == 0 {
		if _, err := v.w.outer(); err != nil {
			c.add(at, err.Error())
		}
	}
	v.take(c.problems)
	return v.w.err
}

// contents tracks which blocks tables of contents have to list.
type contents struct {
	v        *validator
	inner    []block // of the snapshot so far
	outer    []block // filemeta and inner tables so far
	inside   bool    // the next table is certainly an inner one
	last     bool    // the previous table was an inner one
	problems []model.Problem
}

func (c *contents) add(at int64, text string) {
	c.problems = model.AddProblem(c.problems, model.Problem{Severity: model.Error, Code: "toc", Message: text, Offset: at})
}

// check compares one table of contents with what it has to list. An inner one is always followed by an outer one.
func (c *contents) check(b block) {
	want := c.outer
	inner := c.inside || !c.last
	if inner {
		want = c.inner
		c.outer = append(c.outer, b)
		c.inner = nil
	}
	c.inside, c.last = false, inner
	entries, err := c.v.w.readTOC(b.start, b.end)
	var bad *errTOC
	if errors.As(err, &bad) {
		c.add(bad.offset, bad.text)
	}
	if err != nil {
		return
	}
	for i, e := range entries {
		if i >= len(want) || !e.known || e.kind != want[i].kind || e.span != want[i].span {
			c.add(b.start+tocHeader+int64(i)*tocEntry, "an entry of a table of contents names a block that is not there")
			return
		}
	}
	if len(entries) < len(want) {
		c.add(b.start, "a table of contents leaves out blocks that are there")
	}
}

// snapshot decodes a snapshot and checks references to names, and totals.
func (v *validator) snapshot(i int) error {
	s := &v.f.snaps[i]
	d := v.f.newDecoding(v.ctx, i, nil)
	d.strict = true
	h, err := d.run()
	if err != nil {
		return err
	}
	if !s.complete && len(v.problems) == 0 {
		d.found(model.Error, "row-count", s.first(), 1, "some columns are missing")
	}
	d.checkIndexes(h)
	if s.complete && h.Complete {
		d.checkTotals(h)
	}
	_, broken, _, err := v.f.scores(v.ctx, i)
	if broken != "" {
		d.found(model.Warning, "high-scores", s.blocks[topIDs].start, 1, "%s", broken)
	}
	v.take(d.problems)
	return err
}

// checkIndexes checks that types, frames and strings exist. A snapshot that was cut has lost its own names.
func (d *decoding) checkIndexes(h *model.Heap) {
	if !d.s.complete || d.f.tables.limited() {
		return
	}
	rows, labels := d.place(coltofi), d.place(refdescr)
	var noType, noFrame, noString tally
	for r, k := range h.Kinds {
		switch {
		case schema.Kinds[k].Naming == model.NamedByType && int(h.Entity[r]) >= len(h.Tables.Types):
			noType.add(int64(r))
		case k == KindFrame && int(h.Entity[r]) >= len(h.Tables.Frames):
			noFrame.add(int64(r))
		}
	}
	for e, l := range h.Label {
		if l.Form() == model.LabelString && int(schema.LabelValue(l)) >= h.Tables.NumStrings() {
			noString.add(int64(e))
		}
	}
	d.report(noType, "type-index", rows, "rows have a type that does not exist")
	d.report(noFrame, "frame-index", rows, "rows have a frame that does not exist")
	d.report(noString, "string-index", labels, "references have a name that does not exist")
	d.checkNames(h.Tables)
}

// checkNames checks that the names of types and frames exist.
func (d *decoding) checkNames(t *model.HeapTables) {
	n := uint32(t.NumStrings())
	var bad tally
	for i, x := range t.Types {
		if x.Name >= n || t.Axes[axisRepr][i] >= n {
			bad.add(int64(i))
		}
	}
	d.report(bad, "string-index", d.s.first(), "types have a name that does not exist")
	bad = tally{}
	for i, x := range t.Frames {
		if x.Name >= n || x.ID >= n || x.File >= n {
			bad.add(int64(i))
		}
	}
	d.report(bad, "string-index", d.s.first(), "frames have a name that does not exist")
}

// checkTotals compares the snapshot's metadata with its rows. Frames of call stacks are rows that total_frames leaves
// out.
func (d *decoding) checkTotals(h *model.Heap) {
	if d.f.version == 2 {
		return
	}
	stated, counted := d.f.stated(d.i), recount(h, model.HeapInfo{})
	at := d.s.blocks[snapmeta].start
	for _, t := range []struct {
		name            string
		stated, counted int64
	}{
		{"total_heap_size", stated.Bytes, counted.Bytes}, {"total_objects", stated.Counts[setObjects], counted.Counts[setObjects]},
		{"total_typeobjects", stated.Counts[setTypeObjects], counted.Counts[setTypeObjects]},
		{"total_stables", stated.Counts[setSTables], counted.Counts[setSTables]}, {"total_refs", stated.References, counted.References},
		{"total_frames", stated.Counts[setFrames], min(stated.Counts[setFrames], counted.Counts[setFrames])},
	} {
		if t.stated != t.counted && t.stated != model.NoCount {
			d.found(model.Error, "totals", at, 1, "%s is %d, but the rows say %d", t.name, t.stated, t.counted)
		}
	}
}
