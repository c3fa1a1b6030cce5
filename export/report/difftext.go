package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/memtui/memtui/model"
)

// WriteDiffCSV writes the rows with the JSON names as header.
func WriteDiffCSV(w io.Writer, d *Diff) error { return writeRows(w, d.Rows) }

// WriteDiffText writes d for people.
func WriteDiffText(w io.Writer, d *Diff, style Style) error {
	style = d.style(style)
	t := &textWriter{bufio.NewWriter(w), &Report{Header: d.Header}, style}
	t.line("before  ", t.style.bold(d.Before.text(style)))
	t.line("after   ", t.style.bold(d.After.text(style)))
	t.line(t.style.dim(t.style.text(d.sentence(style))))
	if d.changed > 0 {
		t.table(d.table(style, false))
	}
	t.problems()
	return t.out.Flush()
}

// WriteDiffMarkdown writes d as a table for tickets.
func WriteDiffMarkdown(w io.Writer, d *Diff, style Style) error {
	out := bufio.NewWriter(w)
	style = d.style(style)
	style.Color = false
	m := &markdownWriter{out, &textWriter{out, &Report{Header: d.Header}, style}}
	m.printf("# %s and %s\n\n", code(d.Before.name()), code(d.After.name()))
	m.printf("%s\n", style.text(d.sentence(style)))
	if d.changed > 0 {
		m.table(d.table(style, true))
	}
	m.problems()
	return out.Flush()
}

// name is the file, with the snapshot as a command line names it.
func (s DiffSide) name() string {
	if s.Snapshot == nil {
		return s.File.Name
	}
	return fmt.Sprintf("%s#%d", s.File.Name, *s.Snapshot)
}

func (s DiffSide) text(style Style) string {
	out := model.Clean(s.name())
	if s.At != nil {
		out += style.text(" · at " + s.At.String())
	}
	return out
}

// sentence is the change in words.
func (d *Diff) sentence(style Style) string {
	t := d.Totals
	if t.DeltaBytes == 0 && t.DeltaCount == 0 {
		if d.Metric != nil {
			return "the same " + model.Clean(*d.Metric) + " in all: " + style.bytes(t.AfterBytes)
		}
		return "the same bytes and " + d.things() + " in all: " + style.bytes(t.AfterBytes)
	}
	what := ""
	if d.Metric != nil {
		what = model.Clean(*d.Metric) + " "
	}
	word := map[bool]string{true: "grew", false: "shrank"}[t.DeltaBytes >= 0]
	out := fmt.Sprintf("%s%s by %s (%s %s), from %s to %s", what, word, style.bytes(magnitude(t.DeltaBytes)), signed(t.DeltaCount), d.things(),
		style.bytes(t.BeforeBytes), style.bytes(t.AfterBytes))
	if !d.Complete {
		out += "; not all of both files could be read"
	}
	return out
}

// style is how the figures of d look: those of a metric that is no number of bytes are plain numbers.
func (d *Diff) style(s Style) Style {
	s.Exact = s.Exact || d.Metric != nil && !strings.HasSuffix(*d.Metric, "_bytes")
	return s
}

// things are what counts count.
func (d *Diff) things() string {
	if d.counted != "" {
		return model.Clean(d.counted)
	}
	switch d.what {
	case "type":
		return "objects"
	case "page type":
		return "pages"
	case "series":
		return "points"
	}
	return "blocks"
}

// signed is a change with its sign.
func signed(n int64) string {
	if n < 0 {
		return "-" + model.Group(magnitude(n))
	}
	if n == 0 {
		return "0"
	}
	return "+" + model.Group(uint64(n))
}

func (s Style) change(n int64) string {
	if n < 0 {
		return "-" + s.bytes(magnitude(n))
	}
	if n == 0 {
		return "0"
	}
	return "+" + s.bytes(uint64(n))
}

func (d *Diff) table(s Style, full bool) table {
	out := table{
		title: "Changes by " + d.what, answer: plural(d.changed, d.what) + " of " + model.Group(uint64(d.Count)), more: max(d.changed-len(d.Rows), 0),
		cols: []col{{"BEFORE", number}, {"AFTER", number}, {"CHANGE", number}, {"COUNT", number}, {"", word}, {strings.ToUpper(d.what), name}},
	}
	if d.what == "type" {
		out.cols = append(out.cols, col{"REPR", symbol})
	}
	if d.what == "page type" {
		out.cols = append(out.cols[:5:5], col{"TAKEN", number}, col{"FREED", number}, out.cols[5])
	}
	for _, r := range d.Rows[:min(d.changed, len(d.Rows))] {
		cells := []string{s.bytes(r.BeforeBytes), s.bytes(r.AfterBytes), s.change(r.DeltaBytes), signed(r.DeltaCount), r.Status}
		switch {
		case r.Type != nil && full:
			cells = append(cells, model.Clean(*r.Type), model.Clean(*r.Repr))
		case r.NewlyOccupied != nil:
			cells = append(cells, s.bits(*r.NewlyOccupied), s.bits(*r.NewlyFree), dumpWriter{}.name(r.Key))
		case r.named:
			cells = append(cells, dumpWriter{}.name(r.Key))
		case r.Type != nil:
			cells = append(cells, s.shorten(model.Clean(*r.Type)), model.Clean(*r.Repr))
		default:
			cells = append(cells, r.short(s))
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

// short names a stack after its first frames.
func (r DiffRow) short(s Style) string {
	if r.frames.IsZero() || r.frames.Depth() == 0 {
		return model.Clean(r.Key)
	}
	var names []string
	for p := range r.frames.site().All() {
		if names = append(names, s.shorten(p.Name())); len(names) == 3 {
			break
		}
	}
	return strings.Join(names, s.text(" ← "))
}
