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
func WriteMarkdown(w io.Writer, r *Report, style Style) error {
	out := bufio.NewWriter(w)
	style.Color = false
	m := &markdownWriter{out, &textWriter{out, r, style}}
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
	m.problems()
	return out.Flush()
}

type markdownWriter struct {
	out  *bufio.Writer
	text *textWriter
}

func (m *markdownWriter) printf(format string, args ...any) { fmt.Fprintf(m.out, format, args...) }

func (m *markdownWriter) head() {
	t := m.text
	m.printf("# %s\n\n", cells.Code(t.r.File.Name))
	m.printf("%s · %s\n", t.style.text(t.wholeness()), t.style.text(t.scope()))
}

// figures writes the table of sums, rounded and exact.
func (m *markdownWriter) figures() {
	v, s := m.text.r.Trace, m.text.style
	m.printf("\n| | bytes | exact | blocks |\n|---|---:|---:|---:|\n")
	row := func(name string, bytes, count uint64) {
		m.printf("| %s | %s | %s | %s |\n", name, s.bytes(bytes), model.Bytes(bytes).Exact(), s.count(count))
	}
	row("live", v.Live.Bytes, v.Live.Count)
	if v.Peak != nil {
		row("peak at "+s.time(v.Peak.Time), v.Peak.Bytes, v.Peak.Count)
	}
	row("allocated", v.AllocBytes, v.AllocCount)
	row("freed", v.FreedBytes, v.FreedCount)
	if !v.Lacks("leaks") {
		row("never freed", v.Leaks.Bytes, v.Leaks.Count)
	}
	for i := range m.text.r.Series {
		if x := &m.text.r.Series[i]; x.At != nil {
			m.printf("| %s | %s | | |\n", model.Clean(x.Name), s.value(x.At))
		}
	}
	m.printf("\n%s, %s", model.Counted(v.Events, "event"), model.Counted(v.TemporaryCount, "temporary block"))
	if v.UnmatchedFrees > 0 {
		m.printf(", %s of an unknown address", model.Counted(v.UnmatchedFrees, "free"))
	}
	if v.LiveUpperBound {
		m.printf("; live figures are upper bounds: blocks without an address cannot be freed")
	}
	m.printf(".\n")
}

func (m *markdownWriter) table(tab table) {
	m.printf("\n## %s\n\n%s\n\n", tab.title, tab.answer)
	if len(tab.rows) == 0 {
		m.printf("%s\n", cmp.Or(tab.empty, noRows))
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
	m.printf("%s|\n%s|\n", heads.String(), rules.String())
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
			m.printf("| %s ", cell)
		}
		m.printf("|\n")
	}
	if tab.more > 0 {
		m.printf("\n%s more.\n", model.Group(uint64(tab.more)))
	}
}

func (m *markdownWriter) problems() {
	problems := m.text.r.Problems
	if len(problems) == 0 {
		return
	}
	m.printf("\n## Problems\n\n")
	for _, p := range Listed(problems) {
		m.printf("- %s: %s%s (%s)\n", p.Severity, cells.Prose(p.Message), p.place(), cells.Code(p.Code))
	}
}
