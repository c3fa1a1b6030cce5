package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

// WriteMarkdown writes r as tables for tickets and reviews, with unabbreviated names and paths, and without drawings.
func WriteMarkdown(w io.Writer, r *Report, style cells.Style) error {
	out := bufio.NewWriter(w)
	style.Color = false
	m := &MarkdownWriter{out, &TextWriter{out, r, style}}
	m.head()
	first, rest := r.findingsFirst(style, true)
	for _, table := range first {
		m.table(table)
	}
	if r.Trace != nil {
		m.figures()
	}
	if r.Heap != nil {
		m.heapFigures()
	}
	for _, table := range rest {
		m.table(table)
	}
	m.Problems()
	return out.Flush()
}

// MarkdownWriter writes reports as Markdown.
type MarkdownWriter struct {
	out  *bufio.Writer
	text *TextWriter
}

// NewMarkdownWriter returns a writer for an object with that header.
func NewMarkdownWriter(w io.Writer, h Header, style cells.Style) *MarkdownWriter {
	style.Color = false
	t := NewTextWriter(w, h, style)
	return &MarkdownWriter{t.out, t}
}

// Flush completes the text, and returns the first error of writing it.
func (m *MarkdownWriter) Flush() error { return m.text.Flush() }

// Printf writes formatted text.
func (m *MarkdownWriter) Printf(format string, args ...any) { fmt.Fprintf(m.out, format, args...) }

func (m *MarkdownWriter) head() {
	t := m.text
	m.Printf("# %s\n\n", cells.Code(t.r.File.Name))
	m.Printf("%s · %s\n", t.Style.Text(t.completeness()), t.Style.Text(t.scope()))
}

// figures writes the table of sums, rounded and exact.
func (m *MarkdownWriter) figures() {
	v, s, sampled := m.text.r.Trace, m.text.Style, m.text.r.File.Sampled != ""
	blocks, exact := "blocks", func(n uint64) string { return model.Bytes(n).Exact() }
	if sampled {
		blocks, exact = "samples", func(n uint64) string { return model.AsEstimate(model.Bytes(n).Exact()) }
	}
	m.Printf("\n| | bytes | exact | %s |\n|---|---:|---:|---:|\n", blocks)
	row := func(name string, bytes, count uint64) {
		m.Printf("| %s | %s | %s | %s |\n", name, m.text.r.File.Style(s).Bytes(bytes), exact(bytes), s.Count(count))
	}
	row("live", v.Live.Bytes, v.Live.Count)
	if v.Peak != nil {
		row("peak at "+s.Time(v.Peak.Time), v.Peak.Bytes, v.Peak.Count)
	}
	row("allocated", v.AllocBytes, v.AllocCount)
	row("freed", v.FreedBytes, v.FreedCount)
	if !v.Lacks("leaks") {
		row("never freed", v.Leaks.Bytes, v.Leaks.Count)
	}
	for i := range m.text.r.Series {
		if x := &m.text.r.Series[i]; x.At != nil {
			m.Printf("| %s | %s | | |\n", model.Clean(x.Name), valueText(s, x.At))
		}
	}
	m.Printf("\n%s", model.Counted(v.Events, "event"))
	if !sampled { // else two events in a row are those of two samples
		m.Printf(", %s", model.Counted(v.TemporaryCount, "temporary block"))
	}
	if v.UnmatchedFrees > 0 {
		m.Printf(", %s of an unknown address", model.Counted(v.UnmatchedFrees, "free"))
	}
	if v.LiveUpperBound {
		m.Printf("; live figures are upper bounds: blocks without an address cannot be freed")
	}
	m.Printf(".\n")
}

func (m *MarkdownWriter) table(tab table) {
	m.Printf("\n## %s\n\n%s\n\n", tab.title, tab.answer)
	if len(tab.rows) == 0 {
		m.Printf("%s\n", cmp.Or(tab.empty, noRows))
		return
	}
	var heads, rules strings.Builder
	for _, c := range tab.cols {
		switch c.kind {
		case sketch:
			continue
		case number:
			rules.WriteString("|---:")
		default:
			rules.WriteString("|---")
		}
		heads.WriteString("| " + cells.Lower(c.head) + " ")
	}
	m.Printf("%s|\n%s|\n", heads.String(), rules.String())
	for _, row := range tab.rows {
		for i, cell := range row {
			switch tab.cols[i].kind {
			case sketch:
				continue
			case name, where, symbol:
				cell = cells.Code(cell)
			case prosaic:
				cell = cells.Prose(cell)
			}
			m.Printf("| %s ", cell)
		}
		m.Printf("|\n")
	}
	if tab.more > 0 {
		m.Printf("\n%s more.\n", model.Group(uint64(tab.more)))
	}
}

// Problems lists what is damaged, guessed or uncertain, errors first.
func (m *MarkdownWriter) Problems() {
	problems := m.text.r.Problems
	if len(problems) == 0 {
		return
	}
	m.Printf("\n## Problems\n\n")
	for _, p := range Listed(problems) {
		m.Printf("- %s: %s%s (%s)\n", p.Severity, cells.Prose(p.Message), p.place(), cells.Code(p.Code))
	}
}
