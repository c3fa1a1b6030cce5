package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// WriteDiffCSV writes the rows with the JSON names as header.
func WriteDiffCSV(w io.Writer, d *Diff) error {
	return object.WriteRows(w, d.Rows, DiffRow{Places: d.places(), DiffAmounts: d.figures(nil), DiffPlace: d.stackPlace()},
		d.Estimated())
}

// WriteDiffText writes d for people.
func WriteDiffText(w io.Writer, d *Diff, style cells.Style) error {
	style = d.style(style)
	t := NewTextWriter(w, d.Header, style)
	t.Line("before  ", t.Style.Bold(style.Text(model.Clean(d.Before.Text()))))
	t.Line("after   ", t.Style.Bold(style.Text(model.Clean(d.After.Text()))))
	t.Line(style.Text(d.Sentence(style)))
	for _, line := range d.notes(style) {
		t.Line(t.Style.Dim(style.Text(line)))
	}
	if len(d.Rows) > 0 && d.changed() > 0 {
		t.Changes(d)
	}
	t.Problems()
	return t.Flush()
}

// WriteDiffMarkdown writes d as a table for tickets.
func WriteDiffMarkdown(w io.Writer, d *Diff, style cells.Style) error {
	m := NewMarkdownWriter(w, d.Header, d.style(style))
	style = m.text.Style
	m.Printf("# %s and %s\n\n", cells.Code(d.Before.Name()), cells.Code(d.After.Name()))
	m.Printf("Before: %s. After: %s.\n\n", cells.Code(d.Before.Text()), cells.Code(d.After.Text()))
	m.Printf("%s\n", style.Text(d.MarkdownSentence(style)))
	for _, line := range d.notes(style) {
		m.Printf("\n%s\n", style.Text(line))
	}
	if len(d.Rows) > 0 && d.changed() > 0 {
		m.Changes(d)
	}
	m.Problems()
	return m.Flush()
}

// Name returns the file, with the snapshot as a command line names it; not cleaned.
func (s DiffSide) Name() string {
	if s.Snapshot == nil {
		return s.File.Name
	}
	return fmt.Sprintf("%s#%d", s.File.Name, *s.Snapshot)
}

// Text returns the side in words, not cleaned.
func (s DiffSide) Text() string {
	out := s.Name()
	switch {
	case s.Window != nil:
		out += fmt.Sprintf(" · window %d", *s.Window)
	case s.From != nil && s.To != nil:
		from, to := model.Ends(*s.From, *s.To, s.Unit)
		out += " · from " + from + " to " + to
	case s.At != nil:
		out += " · at " + s.At.In(s.Unit)
	}
	return out
}

// Sentence returns what changed in all, for text.
func (d *Diff) Sentence(style cells.Style) string {
	words := d.wordsIn(style)
	words.Name = func(name string) string { return style.Shorten(model.Clean(d.named(name))) }
	return d.compared.Sentence(words) + d.more()
}

// wordsIn returns the words of sentences, with figures in a style.
func (d *Diff) wordsIn(style cells.Style) diff.Words {
	words, sides := d.words, d.sides(style)
	words.Amount = d.style(style).Bytes
	words.Side = diff.SideAmounts{sides[0].Bytes, sides[1].Bytes}
	return words
}

// more returns what follows the sentence: the suspect that grew most, and whether something is missing.
func (d *Diff) more() (text string) {
	if len(d.Suspects) > 0 {
		text = " " + model.Clean(d.Suspects[0].Evidence) + "."
	}
	if !d.Complete {
		text += " Part of a side could not be read."
	}
	return text
}

// Notes returns the lines below the sentence: what signs mean, and what was done to the figures.
func (d *Diff) Notes() []string { return d.notes(d.style(cells.Style{})) }

// notes returns the lines below the sentence: what signs mean, and what was done to the figures.
func (d *Diff) notes(style cells.Style) []string {
	out := []string{"+ is growth from before (A) to after (B), - is shrinkage"}
	if d.Swapped {
		out[0] += "; the sides are swapped"
	}
	out = append(append(slices.Concat(out, d.Remarks), FilterText(d.Filters)...), d.unmatchedText()...)
	if text := d.compared.Normalized(); text != "" {
		out = append(out, text)
	}
	if d.identified() {
		out = append(out, "objects are matched by their ids: new ones were not there before, gone ones are not there after")
	}
	if text := d.compared.ErrorNote(); text != "" {
		out = append(out, text)
	}
	words := d.wordsIn(style)
	if s := d.Statuses; s.New+s.Gone+d.LeftOut > 0 || d.compared.Bounds() != "" || d.Merged != (DiffPair[int]{}) {
		out = append(out, d.compared.Losses(words)...)
	}
	return out
}

func (d *Diff) changed() int { return len(d.compared.Rows) - d.Statuses.Same }

// style returns how the changes of d look: those of a metric that is not a number of bytes are plain numbers. They are
// estimates if the figures of any side are.
func (d *Diff) style(s cells.Style) cells.Style {
	s.Exact = s.Exact || !d.IsBytes()
	s.Estimated = d.estimates(&d.Before) || d.estimates(&d.After)
	return s
}

// estimates reports whether the compared figures of a side are estimates: numbers of samples are none.
func (d *Diff) estimates(side *DiffSide) bool {
	return side.File.weighed || side.File.Sampled != "" && d.IsBytes()
}

// sides returns how the figures of each side look.
func (d *Diff) sides(s cells.Style) [2]cells.Style {
	before, after := d.style(s), d.style(s)
	before.Estimated, after.Estimated = d.estimates(&d.Before), d.estimates(&d.After)
	return [2]cells.Style{before, after}
}

// Sampled reports whether the figures of a side are estimates.
func (d *Diff) Sampled() bool { return d.Before.File.Estimated() || d.After.File.Estimated() }

// Estimated implements [object.Estimating].
func (d *Diff) Estimated() object.Estimates { return object.Estimates{Amounts: d.Sampled()} }

// IsBytes reports whether the fields of bytes hold bytes.
func (d *Diff) IsBytes() bool {
	return *d.Metric == "bytes" || (&model.ProfileMetric{Name: *d.Metric, Unit: d.unit}).Measure().Bytes
}

// MarkdownSentence returns what changed in all, for Markdown.
func (d *Diff) MarkdownSentence(style cells.Style) string {
	words := d.wordsIn(style)
	words.Name = func(name string) string { return cells.Code(d.named(name)) }
	return d.compared.Sentence(words) + d.more()
}

// Changes writes the table of what changed.
func (t *TextWriter) Changes(d *Diff) { t.table(d.table(d.style(t.Style), false)) }

// Changes writes the table of what changed.
func (m *MarkdownWriter) Changes(d *Diff) { m.table(d.table(d.style(m.text.Style), true)) }

// changeText formats the change of a row, as far as it is known.
func changeText(s cells.Style, f *RowFigures) string {
	if f.Change == diff.UnknownChange {
		return f.Sign
	}
	return s.Text(f.Sign) + s.Change(f.DeltaBytes)
}

// percent returns how much of the bytes before a row grew by, "" where that is not known.
func (f *RowFigures) percent() string {
	if f.DeltaBytes == 0 || f.Change != diff.CertainChange || f.Became == diff.WithinError {
		return ""
	}
	return model.Change(f.BeforeBytes, f.AfterBytes)
}

// Shown returns the rows that a table for people lists, and how many there are of them: without a choice of statuses
// those that changed.
func (d *Diff) Shown() (rows []DiffRow, all int) {
	if len(d.Only) > 0 {
		return d.Rows, d.Count
	}
	rows = slices.DeleteFunc(slices.Clone(d.Rows), func(r DiffRow) bool { return r.Status == diff.ChangeSame.String() })
	if d.filtered {
		return rows, d.passed
	}
	return rows, d.changed()
}

func (d *Diff) table(s cells.Style, full bool) table {
	rows, all := d.Shown()
	out := table{
		title: "Changes by " + d.Thing(), answer: d.words.Count(all) + " of " +
			model.Group(uint64(len(d.compared.Rows))), more: max(all-len(rows), 0),
		cols: []col{{titles.Before, number}, {titles.After, number}, {titles.Delta, number}, {titles.Percent, number},
			{titles.Delta + " " + titles.Count, number}, {"", word}},
	}
	out.ends = d.by != nil && d.by.ByRow
	if d.compared.Errors {
		out.cols = slices.Insert(out.cols, 3, col{titles.Error, number})
	}
	pages := len(rows) > 0 && rows[0].NewlyOccupied != nil
	if pages {
		out.cols = append(out.cols, col{titles.Taken, number}, col{titles.Freed, number})
	}
	identified := d.identified()
	if identified {
		out.cols = append(out.cols, col{titles.New, number}, col{titles.Gone, number})
	}
	taken := TakenOver(rows)
	if taken {
		out.cols = append(out.cols, col{titles.Moved, number}, col{titles.TakenOver, number})
	}
	out.cols = append(out.cols, col{strings.ToUpper(d.Thing()), name})
	if d.axis != nil {
		out.cols = append(out.cols, col{strings.ToUpper(d.axis.One), where})
	}
	sides := d.sides(s)
	for i := range rows {
		r := &rows[i]
		f := r.Figures()
		row := []string{sides[0].AtLeast(f.BeforeBytes, f.AtLeast[0]), sides[1].AtLeast(f.AfterBytes, f.AtLeast[1]),
			changeText(s, f), f.percent(), cells.Signed(f.DeltaCount), s.Text(f.Became)}
		if d.compared.Errors {
			row = slices.Insert(row, 3, s.Text(diff.ErrorText(s.Bytes(f.Error))))
		}
		if pages {
			row = append(row, s.Bits(*r.NewlyOccupied), s.Bits(*r.NewlyFree))
		}
		if identified {
			row = append(row, s.Count(r.DiffObjects[0].New), s.Count(r.DiffObjects[0].Gone))
		}
		if taken {
			row = append(row, orNothing(r.Moved, s.Count), orNothing(r.Taken, s.Bytes))
		}
		out.rows = append(out.rows, append(row, d.names(r, s, full)...))
	}
	if d.compared.Errors && d.compared.Within == d.changed() {
		out.drop(titles.Percent)
	}
	if d.Sampled() && d.words.Counted == "" { // numbers of samples and of blocks
		out.drop(titles.Delta + " " + titles.Count)
	}
	return out
}

// identified reports whether the objects of rows are matched.
func (d *Diff) identified() bool { return d.compared.Identified() }

// Thing returns what a row is, as text.
func (d *Diff) Thing() string { return d.words.Thing }

// named returns the name of a row as tables show it: that of objects without a value says what is missing.
func (d *Diff) named(name string) string {
	if d.by != nil {
		return d.by.Text(name)
	}
	return name
}

// RowName returns the key of a row as tables show it, not cleaned.
func (d *Diff) RowName(r *DiffRow) string { return d.named(r.Key) }

// TakenOver reports whether objects of any row had another dominator before.
func TakenOver(rows []DiffRow) bool {
	return slices.ContainsFunc(rows, func(r DiffRow) bool { return r.Moved != nil || r.Taken != nil })
}

// orNothing formats a figure, "" if it is unknown.
func orNothing[T any](v *T, text func(T) string) string {
	if v == nil {
		return ""
	}
	return text(*v)
}

// names returns the cells that identify a row.
func (d *Diff) names(r *DiffRow, s cells.Style, full bool) []string {
	switch {
	case r.Type != nil:
		row := []string{model.Clean(*r.Type)}
		if !full {
			row[0] = s.Shorten(row[0])
		}
		for _, p := range r.Places {
			row = append(row, model.Clean(p.Text))
		}
		return row
	case r.NewlyOccupied != nil || d.What == "series":
		return []string{OrUnnamed(r.Key)}
	case d.by != nil:
		return []string{s.Shorten(model.Clean(d.named(r.Key)))}
	case full || !r.frames.IsZero():
		return []string{r.short(s)}
	}
	return []string{cmp.Or(s.Shorten(model.Clean(r.Key)), calltree.Unnamed)}
}

// short returns a stack as text: its first frames.
func (r *DiffRow) short(s cells.Style) string {
	if r.frames.IsZero() || r.frames.Depth() == 0 {
		return model.Clean(r.Key)
	}
	var names []string
	for p := range r.frames.Site().All() {
		if names = append(names, s.Shorten(p.Name())); len(names) == 3 {
			break
		}
	}
	return strings.Join(names, s.Text(" ← "))
}
