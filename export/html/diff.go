package html

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// DiffSource is the input of a comparison's page.
type DiffSource struct {
	Diff    *report.Diff // its rows become those of the page
	Program string       // the program that wrote the page
	Command []string     // the command that writes the page again; nil to leave it out

	Treemap, Dominators Areas // of heap snapshots and page layouts, nil for none

	Terminal *Terminal // its keys; nil for a page without keys
	Section  string    // only this one: "difference-treemap"; "" for all
}

// WriteDiff writes the page of a comparison, as [Write] does for a file, with the content and rows of
// [report.WriteDiffText].
func WriteDiff(ctx context.Context, w io.Writer, src *DiffSource) (cut []string, err error) {
	return writePage(ctx, w, src.page(), src.fill)
}

// page returns the source of a page with the header of the comparison.
func (src *DiffSource) page() *Source {
	return &Source{Report: &report.Report{Header: src.Diff.Header}, Program: src.Program, Command: src.Command,
		Terminal: src.Terminal, Section: strings.TrimPrefix(src.Section, sectionChanges)}
}

// fill fills the page about the comparison.
func (src *DiffSource) fill(b *builder) error {
	b.diff(src.Diff)
	if src.Section == sectionChanges {
		return nil
	}
	return b.differences(src)
}

// diff fills the page about a comparison.
func (b *builder) diff(d *report.Diff) {
	b.Title = model.Clean(d.Before.Name() + " → " + d.After.Name())
	b.Facts = []string{} // of one side only
	b.Scope = []string{"before: " + model.Clean(d.Before.Text()), "after: " + model.Clean(d.After.Text())}
	for _, note := range d.Notes() {
		b.Scope = append(b.Scope, model.Clean(note))
	}
	b.Findings = append([]finding{{Sign: "info", Label: "changed", Name: none, Text: d.Summary}}, b.Findings...)
	unit := "count"
	amount := func(label string, n uint64) card { return card{Label: label, Value: model.Group(n)} }
	if d.IsBytes() {
		unit, amount = "bytes", func(label string, n uint64) card { return bytesCard(label, n, "") }
	}
	b.Cards = append(b.Cards, amount("Before", d.Totals.BeforeBytes), amount("After", d.Totals.AfterBytes))
	units, errorUnit := [2]string{unit, unit}, unit // of the sides
	if d.Sampled() && d.IsBytes() {
		unit = estimated(unit)
		for i, side := range []*report.DiffSide{&d.Before, &d.After} {
			if side.File.Estimated() {
				units[i] = unit
				b.Cards[i].estimate()
			}
		}
	}
	rows, all := d.Shown()
	pages := len(rows) > 0 && rows[0].NewlyOccupied != nil
	c := cols(titles.Delta+":"+unit, titles.Before+":"+units[0], titles.After+":"+units[1], titles.Percent+":percent:of before",
		titles.Delta+" "+titles.Count+":count:change of the count", titles.Before+" "+titles.Count+":count",
		titles.After+" "+titles.Count+":count", titles.Status+":text")
	errors := d.Comparison().Errors
	if errors {
		c = slices.Insert(c, 1, cols(titles.Error+":"+errorUnit+":by how much the change may be off by sampling, in 19 of 20 cases")...)
	}
	if pages {
		c = append(c, cols(titles.Taken+":bytes", titles.Freed+":bytes")...)
	}
	taken := report.TakenOver(rows)
	if taken {
		c = append(c, cols(titles.Moved+":count:objects that had another dominator before",
			titles.TakenOver+":bytes:directly below, with another dominator before")...)
	}
	kind := ":name"
	if stacked(rows) {
		kind = ":place"
	}
	c = append(c, cols(strings.ToUpper(d.Thing())+kind)...)
	t := b.table(sectionChanges, "Changes by "+d.Thing(), model.Counted(all, "row"), none, c...)
	t.More = all - len(rows)
	for i := range rows {
		r := &rows[i]
		if b.full(t) {
			t.More++
			continue
		}
		f := r.Figures()
		delta := any(f.DeltaBytes)
		switch f.Change {
		case diff.UnknownChange:
			delta = nil
		case diff.LeastChange:
			delta = least{f.DeltaBytes, f.Sign}
		}
		cells := []any{delta, atLeast(f.BeforeBytes, f.AtLeast[0]), atLeast(f.AfterBytes, f.AtLeast[1]),
			known(r.Percent), f.DeltaCount, f.BeforeCount, f.AfterCount, f.Became}
		if errors {
			cells = slices.Insert(cells, 1, any(f.Error))
		}
		if pages {
			cells = append(cells, 8**r.NewlyOccupied, 8**r.NewlyFree)
		}
		if taken {
			cells = append(cells, known(r.Moved), known(r.Taken))
		}
		b.diffRow(t, cells, r, model.Clean(d.RowName(r)), kind == ":place")
	}
	b.keep(t)
}

// atLeast returns the cell of a figure that may be a lower bound.
func atLeast(n uint64, bound bool) any {
	if bound {
		return least{Least: n}
	}
	return n
}

// stacked reports whether any row is a stack.
func stacked(rows []report.DiffRow) bool {
	for i := range rows {
		if !rows[i].Frames().IsZero() {
			return true
		}
	}
	return false
}

// diffRow adds a row to a table, with its stack where rows are stacks.
func (b *builder) diffRow(t *table, cells []any, r *report.DiffRow, name string, stacks bool) {
	if !stacks {
		t.add(append(cells, b.name(name))...)
		return
	}
	frames := []int{}
	for p := range r.Frames().All() {
		if len(frames) == b.limits.frames {
			frames = append(frames, b.limits.frames-r.Frames().Depth())
			break
		}
		frames = append(frames, b.frame(p))
	}
	if len(frames) == 0 { // the row is no stack
		frames = append(frames, b.frame(places.Place{Function: &name}))
	}
	t.add(append(cells, frames[0])...)
	t.Stacks = append(t.Stacks, frames)
}
