package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/dump"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// WriteText writes r for people: headline, findings, chart, then every table with rows. Every name is cleaned, so that
// nothing in a file can move the cursor or change colors.
func WriteText(w io.Writer, r *Report, style cells.Style) error {
	out := bufio.NewWriter(w)
	t := &TextWriter{out, r, style}
	t.Head()
	first, rest := r.findingsFirst(style, false)
	for _, table := range first {
		t.table(table)
	}
	if r.Trace != nil {
		t.chart()
		t.figures()
	}
	if r.Heap != nil {
		if none := t.r.Heap.NoSuspects(); none != "" {
			t.Line()
			t.Line(" ", none)
		}
		t.heapFigures()
	}
	for _, table := range rest {
		t.table(table)
	}
	t.Problems()
	return out.Flush()
}

// TextWriter writes reports as text.
type TextWriter struct {
	out   *bufio.Writer // its first error is kept and returned by Flush
	r     *Report
	Style cells.Style
}

// NewTextWriter returns a writer for an object with that header.
func NewTextWriter(w io.Writer, h Header, style cells.Style) *TextWriter {
	return &TextWriter{bufio.NewWriter(w), &Report{Header: h}, style}
}

// NewReportWriter returns a writer for parts of a report.
func NewReportWriter(w io.Writer, r *Report, style cells.Style) *TextWriter {
	return &TextWriter{bufio.NewWriter(w), r, style}
}

// Flush completes the text, and returns the first error of writing it.
func (t *TextWriter) Flush() error { return t.out.Flush() }

// Line writes a line.
func (t *TextWriter) Line(parts ...string) {
	for _, p := range parts {
		t.out.WriteString(p)
	}
	t.out.WriteByte('\n')
}

// Head writes what the report is about, and whether the file is complete.
func (t *TextWriter) Head() {
	f := t.r.File
	about := []string{}
	if f.Format != "" {
		about = append(about, f.Kind())
	}
	size := t.Style.Bytes(uint64(max(f.Bytes, 0)))
	if f.Compression != "" {
		size += " " + f.Compression
	}
	about = append(about, size)
	if t.r.Trace != nil {
		about = append(about, t.Style.Count(t.r.Trace.Events)+" events")
	}
	if t.r.Heap != nil {
		about = append(about, model.Counted(t.r.Heap.count, "snapshot"))
	}
	if s := t.r.Stacks; s != nil {
		about = append(about, model.Counted(s.Counts.Stacks, "stack"))
		if s.Counts.Samples > 0 {
			about = append(about, model.Counted(s.Counts.Samples, "sample"))
		}
	}
	about = append(about, t.dumpAbout()...)
	if d := t.r.Time.Duration; d != nil {
		about = append(about, t.Style.Text(d.In(t.r.Time.Unit)))
	}
	if f.Ended != "" {
		about = append(about, f.Ended)
	}
	about = append(about, t.completeness())
	t.Line(t.Style.Bold(model.Clean(f.Name)), "  ", t.Style.Text(strings.Join(about, " · ")))
	if scope := t.scope(); scope != "" {
		t.Line(t.Style.Dim(t.Style.Text(scope)))
	}
}

// completeness returns a word or two on how much of the file could be used.
func (t *TextWriter) completeness() string {
	switch {
	case t.r.Complete && slices.ContainsFunc(t.r.Problems, func(p Problem) bool { return model.RecordedInPart(p.Code) }):
		return strings.TrimPrefix(t.r.File.Sampled+", "+model.InPart+", see below", ", ")
	case t.r.Complete && t.r.File.Sampled != "":
		return model.Estimates(t.r.File.Sampled)
	case t.r.Complete && len(t.r.Problems) == 0:
		return "complete"
	case t.r.Complete:
		return "complete, " + model.Counted(len(Listed(t.r.Problems)), "remark") + " below"
	case t.r.LostBytes > 0:
		return "INCOMPLETE: " + t.Style.Bytes(uint64(t.r.LostBytes)) + " unreadable, see below"
	}
	return "INCOMPLETE, see below"
}

// alone returns what a report about functions or a tree is about, and its metric; nil for others.
func (r *Report) alone() (scope []string, metric string) {
	switch {
	case len(r.Alone) > 0:
		return r.Alone[0].Scope()
	case r.Tree != nil:
		return r.Tree.scope(), r.Tree.Metric
	case r.Around != nil:
		return r.Around.scope(), r.Around.Metric
	case r.Lines != nil:
		return r.Lines.scope(), r.Lines.Metric
	case r.Events != nil:
		return FilterText(r.Events.Filters), ""
	}
	return nil, ""
}

// scope returns which instant and range everything below is about.
func (t *TextWriter) scope() string {
	var parts []string
	if s := t.r.Time.Start; s != nil && *s != 0 { // 0 is what files state that do not know it
		parts = append(parts, "started "+cells.StartTime(*s))
	}
	if t.r.Heap != nil {
		return strings.Join(append(parts, t.heapScope()...), " · ")
	}
	if scope, metric := t.r.alone(); scope != nil {
		parts = append(append(parts, scope...), t.r.unmatchedText()...)
		if strings.HasPrefix(metric, "live_") && t.r.Time.At != nil {
			parts = append(parts, t.r.instant())
		}
	}
	if t.r.Stacks != nil {
		parts = append(parts, t.stackScope())
	}
	if t.r.Trace != nil {
		parts = append(parts, "figures: live "+t.r.instant())
	}
	if t.r.Time.Coarse {
		parts = append(parts, "times estimated")
	}
	if t.r.Trace != nil {
		parts = append(append(parts, FilterText(t.r.Trace.Filters)...), t.r.unmatchedText()...)
		if len(t.r.Trace.Filters) > 0 {
			parts = append(parts, "the totals below the chart count all blocks")
		}
	}
	parts = append(parts, t.dumpScope()...)
	if t.r.Time.From != nil || t.r.Time.To != nil {
		from, to := model.PartEnds(t.r.Time.From, t.r.Time.To, t.r.Time.Unit)
		parts = append(parts, "range "+cmp.Or(from, "start")+" … "+cmp.Or(to, "end"))
	}
	return strings.Join(parts, " · ")
}

// figures writes the sums in a few lines, each with its exact number.
func (t *TextWriter) figures() {
	v := t.r.Trace
	t.Line()
	bound := ""
	if v.LiveUpperBound {
		bound = " (an upper bound: blocks without an address cannot be freed)"
	}
	t.figure("live", v.Live.Bytes, v.Live.Count, bound)
	t.figure("allocated", v.AllocBytes, v.AllocCount, "")
	t.figure("freed", v.FreedBytes, v.FreedCount, t.unmatched())
	if v.OverwrittenCount > 0 {
		t.figure("overwritten", v.OverwrittenBytes, v.OverwrittenCount, " (allocated over a live address)")
	}
	if v.UnaddressedCount > 0 {
		t.figure("unaddressed", v.UnaddressedBytes, v.UnaddressedCount, "")
	}
	if t.r.File.Sampled == "" { // else two events in a row are those of two samples
		t.Line(" ", cells.Pad("temporary", 12, false), cells.Pad(t.Style.Share(v.TemporaryCount, v.AllocCount), 10, true),
			"  ", model.Counted(v.TemporaryCount, "block"), " freed by the very next event")
	}
	if v.Growth != nil && math.Round(*v.Growth) != 0 {
		t.Line(" ", cells.Pad("growth", 12, false), cells.Pad(t.r.File.Style(t.Style).Rate(*v.Growth), 10, true),
			"  of live bytes, short peaks aside", map[bool]string{true: ", then freed"}[v.regained])
	}
	for i := range t.r.Series {
		t.measured(&t.r.Series[i])
	}
	if v.GCCount > 0 {
		t.Line(" ", cells.Pad("collected", 12, false), cells.Pad(t.Style.Bytes(v.GCBytes), 10, true),
			"  ", t.Style.Count(v.GCObjects), " objects in ", model.Counted(v.GCCount, "collection"))
	}
	if v.Saturated {
		t.Line(" a sum does not fit 64 bits and is shown as the largest number")
	}
}

// measured writes a line about a curve that was measured in addition to the events.
func (t *TextWriter) measured(s *dump.Series) {
	if s.At != nil && s.Max != nil {
		t.Line(" ", cells.Pad(model.Clean(s.Name), 12, false), cells.Pad(valueText(t.Style, s.At), 10, true),
			"  at most ", valueText(t.Style, s.Max))
	}
}

func (t *TextWriter) unmatched() string {
	if n := t.r.Trace.UnmatchedFrees; n > 0 {
		return fmt.Sprintf(" (and %s of an unknown address)", model.Counted(n, "free"))
	}
	return ""
}

func (t *TextWriter) figure(name string, bytes, count uint64, note string) {
	exact := ""
	if !t.Style.Exact {
		exact = "  " + model.Bytes(bytes).Exact()
	}
	if t.r.File.Sampled != "" {
		exact = model.AsEstimates(exact)
	}
	t.Line(" ", cells.Pad(name, 12, false), cells.Pad(t.r.File.Style(t.Style).Bytes(bytes), 10, true), exact, " in ", t.r.File.blocks(count), note)
}

// title starts a section with its name, a rule, and its summary.
func (t *TextWriter) Title(name, answer string) {
	answer = cells.Fit(answer, t.Style.LineWidth()-cells.Width(name)-6, t.Style.Cut())
	rule := max(t.Style.LineWidth()-cells.Width(name)-cells.Width(answer)-4, 1)
	t.Line()
	t.Line(" ", t.Style.Bold(name), " ", t.Style.Dim(strings.Repeat(t.Style.Text("─"), rule)), " ", answer)
}

func (t *TextWriter) table(tab table) {
	t.Title(tab.title, tab.answer)
	if len(tab.rows) == 0 {
		t.Line("  ", cmp.Or(tab.empty, noRows))
		return
	}
	tab = tab.roomy(t.Style)
	widths := tab.widths(t.Style)
	heads := make([]string, len(tab.cols))
	for i, c := range tab.cols {
		heads[i] = t.Style.Text(c.head)
	}
	t.Line(t.Style.Dim(t.row(tab, widths, heads)))
	for i, row := range tab.rows {
		t.Line(t.row(tab, widths, row))
		if i >= len(tab.notes) {
			continue
		}
		for _, note := range tab.notes[i] {
			t.Line("     ", t.Style.Dim(cells.Fit(note, t.Style.LineWidth()-5, t.Style.Cut())))
		}
	}
	if tab.more > 0 {
		t.Line("  ", t.Style.Dim(t.Style.Text("… "+tab.leftOut())))
	}
}

// row lays out one row; the result has no trailing spaces.
func (t *TextWriter) row(tab table, widths []int, row []string) string {
	var line strings.Builder
	for i, cell := range row {
		line.WriteString("  ")
		switch c := &tab.cols[i]; {
		case c.kind == where:
			cell = cells.FitTail(cell, widths[i], t.Style.Cut())
		case c.kind == name && tab.ends:
			cell = cells.FitEnds(cell, widths[i], t.Style.Cut())
		case c.head == titles.Function:
			cell = cells.FitName(cell, widths[i], t.Style.Cut())
		default:
			cell = cells.Fit(cell, widths[i], t.Style.Cut())
		}
		line.WriteString(cells.Pad(cell, widths[i], tab.cols[i].kind == number))
	}
	return strings.TrimRight(line.String(), " ")
}

// maxWhere limits the column of file:line, so that names keep most of the room; maxSymbol limits other short names.
const (
	maxWhere  = 28
	maxSymbol = 44
)

// leastName is the minimum width of names. Below it, columns are dropped.
const leastName = 20

// roomy returns the table without as many of its spare columns as are needed for distinguishable names.
func (tab table) roomy(s cells.Style) table {
	for _, head := range tab.spare {
		left := s.LineWidth()
		for i, c := range tab.cols {
			most := tab.need(i)
			if c.kind == name {
				most = min(most, leastName)
			}
			left -= most + 2
		}
		if left >= 0 {
			break
		}
		if i := slices.IndexFunc(tab.cols, func(c col) bool { return c.head == head }); i >= 0 {
			tab = tab.without(i)
		}
	}
	return tab
}

// without returns the table without a column.
func (tab table) without(column int) table {
	tab.cols = slices.Delete(slices.Clone(tab.cols), column, column+1)
	rows := make([][]string, len(tab.rows))
	for i, row := range tab.rows {
		rows[i] = slices.Delete(slices.Clone(row), column, column+1)
	}
	tab.rows = rows
	return tab
}

// need returns the maximum width of a column's cells.
func (tab table) need(column int) int {
	c := tab.cols[column]
	n := cells.Width(c.head)
	for _, row := range tab.rows {
		n = max(n, cells.Width(row[column]))
	}
	switch c.kind {
	case where:
		n = min(n, maxWhere)
	case symbol:
		n = min(n, maxSymbol)
	}
	return n
}

// widths fits the columns into the line: numbers get the width that they need, and the name gets the rest.
func (tab table) widths(s cells.Style) []int {
	widths, flexible, left := make([]int, len(tab.cols)), -1, s.LineWidth()
	for i, c := range tab.cols {
		widths[i] = tab.need(i)
		if c.kind == name {
			flexible = i
			left -= 2
			continue
		}
		left -= widths[i] + 2
	}
	if flexible >= 0 {
		widths[flexible] = min(widths[flexible], max(left, 12))
	}
	return widths
}

// Problems lists what is damaged, guessed or uncertain, errors first.
func (t *TextWriter) Problems() {
	if len(t.r.Problems) == 0 {
		return
	}
	t.Title("Problems", model.Counted(len(Listed(t.r.Problems)), "remark")+" on this file")
	for _, p := range Listed(t.r.Problems) {
		t.Line("  ", cells.Pad(p.Severity, 8, false), model.Clean(p.Message), p.place(), t.Style.Dim(" ["+model.Clean(p.Code)+"]"))
	}
}

// Listed sorts errors before warnings before notes. It is stable. Equal ones become one with their number, at the place
// of the first.
func Listed(problems []Problem) []Problem {
	type remark struct{ severity, code, message string }
	var out []Problem
	at := map[remark]int{}
	for _, want := range []model.Severity{model.Error, model.Warning, model.Note} {
		for _, p := range problems {
			if p.Severity != want.String() {
				continue
			}
			if i, seen := at[remark{p.Severity, p.Code, p.Message}]; !seen {
				at[remark{p.Severity, p.Code, p.Message}] = len(out)
				out = append(out, p)
			} else {
				out[i].Count = max(out[i].Count, 1) + max(p.Count, 1)
			}
		}
	}
	return out
}

// place returns how often and where a problem was found, in words.
func (p Problem) place() string {
	out := ""
	if p.Offset != nil {
		out += " at byte " + model.Group(uint64(*p.Offset))
	}
	if p.Line != nil {
		out += fmt.Sprintf(" (line %d)", *p.Line)
	}
	if p.Count > 1 {
		out += ", " + model.Group(uint64(p.Count)) + " times"
	}
	return out
}
