package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/output"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
)

// savedFormats returns the formats that can be saved, by suffix: those that commands print, then stacks as convert
// writes them.
func savedFormats() []format {
	list := []format{
		{name: "text", suffixes: []string{".txt", ".text"}}, {name: "markdown", suffixes: []string{".md", ".markdown"}},
		{name: "csv", suffixes: []string{".csv"}}, {name: "html", suffixes: []string{".html", ".htm"}},
	}
	for _, t := range targets() {
		if slices.Contains([]string{"folded", "speedscope", "pprof"}, t.name) {
			list = append(list, t)
		}
	}
	return append(list, format{name: "json", suffixes: []string{".json"}}) // after .speedscope.json
}

// savedAs returns the format for a name.
func savedAs(path string) (format, error) {
	name, known := strings.ToLower(filepath.Base(path)), []string{}
	for _, f := range savedFormats() {
		for _, suffix := range f.suffixes {
			if strings.HasSuffix(name, suffix) && name != suffix {
				return f, nil
			}
		}
		known = append(known, f.suffixes[0])
	}
	return format{}, fail.Usage(fmt.Errorf("end the name in one of %s", joinWords(known)))
}

// saveOf returns a function for the full screen that writes the output of a command to a file, for a session whose file
// is named file; "" for a sample, which [views.SampleName] names. The open files are used, not newer versions of them.
func (a *app) saveOf(s *session, file string, others *openFiles) func(views.SaveQuery) (views.SaveFunc, error) {
	quiet := *a
	quiet.lend = a.lends(s, cmp.Or(file, views.SampleName), others)
	return func(q views.SaveQuery) (views.SaveFunc, error) {
		f, err := savedAs(q.Path)
		if err != nil {
			return nil, err
		}
		if err := quiet.mayWrite(s, q); err != nil {
			return nil, err
		}
		if t := q.Table; t != nil && slices.Contains([]string{"text", "markdown", "csv"}, f.name) {
			return func(ctx context.Context) (views.Saved, error) { return quiet.saveShown(ctx, s, t, f.name, q.Path) }, nil
		}
		if len(q.Words) == 0 {
			return nil, fail.Usage(fmt.Errorf("no command prints this as %s: end the name in .txt, .md or .csv", f.name))
		}
		b, err := quiet.within(q.Words)
		if err == nil {
			hides := b.question().Filter != "" && (f.name == "json" || f.name == "html" || f.stacks && len(q.Stacks) == 0)
			b, err = quiet.printing(b, f, kind.Of(s.store.Current()), q.Stacks)
			if err == nil && hides {
				b.notes = append(b.notes, "all rows, also those that the filter hides")
			}
		}
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (views.Saved, error) { return b.saveTo(ctx, q.Path) }, nil
	}
}

// saveShown writes a table as a screen shows it.
func (a *app) saveShown(ctx context.Context, s *session, t *views.ShownTable, format, path string) (out views.Saved, err error) {
	rows, err := t.Rows(ctx, format == "csv")
	if err != nil {
		return out, err
	}
	for _, row := range rows {
		for i := range row {
			row[i] = model.Clean(row[i])
		}
	}
	out.Shown = true
	if t.Left > 0 {
		out.Notes = append(out.Notes, model.CountedAs(uint64(t.Left), "more row is", "more rows are")+" left out: the command of the screen prints all")
	}
	var header report.Header
	if p := s.store.Current(); p != nil {
		header = report.NewHeader(report.SchemaReport, p)
	}
	err = a.writeFile(path, func(w io.Writer) error {
		counted := &counter{w: w}
		err := writeShown(counted, header, t, rows, format)
		out.Bytes = counted.n
		return firstError(ctx.Err(), err)
	})
	return out, err
}

// writeShown writes the rows of a table as a screen shows it.
func writeShown(w io.Writer, header report.Header, t *views.ShownTable, rows [][]string, format string) error {
	sampled := header.File.Sampled
	if format == "csv" {
		out, heads := csv.NewWriter(w), []string{}
		for _, h := range t.Heads {
			heads = append(heads, h.Key)
		}
		if sampled != "" && !slices.Contains(heads, object.Estimated) {
			heads = append(heads, object.Estimated)
			for i := range rows {
				rows[i] = append(rows[i], "true")
			}
		}
		return firstError(out.Write(heads), out.WriteAll(rows)) // which flushes
	}
	table := &cells.Table{Heading: t.Title, Answer: model.Clean(t.About), More: t.Left, Rows: rows}
	if sampled != "" {
		table.Heading += "  " + model.Estimates(sampled)
	}
	style, named := cells.Style{}, false
	for i, h := range t.Heads {
		kind := cells.Name
		switch {
		case h.Right:
			kind = cells.Number
		case named && format == "text":
			kind = cells.Word
		default:
			named = true
		}
		table.Heads = append(table.Heads, cells.Head{Text: h.Title, Kind: kind})
		style.Width += widest(rows, i, h.Title) + 2
	}
	if format == "markdown" {
		m := report.NewMarkdownWriter(w, header, style)
		m.Table(table)
		return m.Flush()
	}
	text := report.NewTextWriter(w, header, style)
	text.Table(table)
	return text.Flush()
}

// widest returns how many cells a column takes that is not cut.
func widest(rows [][]string, col int, title string) int {
	n := cells.Width(title)
	for _, row := range rows {
		n = max(n, cells.Width(row[col]))
	}
	return n
}

// mayWrite returns why a file must not be written: it exists and is not to be replaced, or is one of those on screen.
func (a *app) mayWrite(s *session, q views.SaveQuery) error {
	info, err := os.Lstat(q.Path)
	switch {
	case err != nil:
		return nil // writing reports the error
	case info.IsDir():
		return fail.Usage(fmt.Errorf("%s is a folder: add the name of a file", q.Path))
	case !q.Replace:
		return fail.Usage(fmt.Errorf("the file exists: %s! replaces it", filepath.Base(q.Path)))
	case s.store.Current() != nil && output.Same(s.store.Current().Meta.Path, q.Path), output.Same(s.afterPath, q.Path):
		return fail.Usage(fmt.Errorf("%s is the file that is shown: choose another name", q.Path))
	}
	return nil
}

// printing returns an app that prints a command's output in a format, for a file of that kind. Tables are printed
// completely; files of stacks hold only the given ones, unless there are none.
func (a *app) printing(b *app, f format, k kind.Kind, only []model.StackID) (*app, error) {
	args, command := b.env.Args, uses.Path(b.parsed.Selected())
	page := f.name == "html" && !writesHTML(command)
	switch {
	case f.stacks:
		converted, err := b.stacksBehind(f, command, k, only)
		if err != nil {
			return nil, err
		}
		return a.within(converted)
	case page && onePage(command):
		q := b.question()
		q.Format, q.Table, q.Filter, q.Map, q.Limit = "", "", "", false, nil
		args = slices.Concat([]string{"report"}, uses.Understood("report", q.Args()), filesOf(b))
	case page || !prints(b, command, f.name):
		return nil, fail.Usage(fmt.Errorf("memtui %s does not write %s: end the name in %s", command, f.name,
			joinWords(printed(b, command))))
	}
	args = append(slices.Clone(args), "-f", f.name)
	if f.name != "html" && !b.isGiven("limit") && uses.Means(command, "limit") && !isMap(b) && oneTable(b) {
		args = append(args, "--limit", "0")
	}
	out, err := a.within(args)
	if err != nil {
		return nil, err
	}
	if c, ok := out.parsed.Selected().Target.Addr().Interface().(*reportCmd); ok && out.oneTable(c.Table) != nil {
		c.Table, c.Rows = "", "" // the format has all of them
	}
	out.flags.Color = "never"
	return out, nil
}

// oneTable reports whether a command prints rows of one kind.
func oneTable(b *app) bool {
	c, ok := b.parsed.Selected().Target.Addr().Interface().(*reportCmd)
	return !ok || c.Table != ""
}

// isMap reports whether a command draws a page layout.
func isMap(b *app) bool {
	c, ok := b.parsed.Selected().Target.Addr().Interface().(*pagesCmd)
	return ok && c.Map
}

// onePage reports whether the page about the complete file contains the output of a command.
func onePage(command string) bool {
	return slices.Contains([]string{"pages", "heap snapshots", "heap types", "heap frames", "heap dominators", "heap suspects"}, command)
}

// prints reports whether a command prints a format.
func prints(b *app, command, name string) bool {
	return name == "text" || !isMap(b) && (name != "html" || writesHTML(command))
}

// printed returns a suffix of each format that a command prints.
func printed(b *app, command string) (list []string) {
	for _, f := range savedFormats() {
		if !f.stacks && (prints(b, command, f.name) || f.name == "html" && onePage(command)) {
			list = append(list, f.suffixes[0])
		}
	}
	return list
}

// filesOf returns the files that a command is about, as the command line names them.
func filesOf(b *app) []string {
	switch names := b.parsed.Selected().Positional[0].Target.Interface().(type) {
	case []string:
		return names
	case string:
		return []string{names}
	}
	return nil
}

// stacksBehind returns the arguments that convert the input of a command to stacks, weighted by the command's sort key; only the
// given stacks, unless there are none.
func (a *app) stacksBehind(f format, command string, k kind.Kind, only []model.StackID) ([]string, error) {
	q := a.question()
	if len(only) > 0 {
		q.Steps = q.Steps.With(calltree.Step{Kind: calltree.Focus, Name: calltree.StackStep(only...)})
	}
	switch {
	case command == "diff":
		return nil, fail.Usage(fmt.Errorf("a comparison has no stacks of its own to write as %s: end the name in %s",
			f.name, joinWords(printed(a, command))))
	case k != kind.Trace && k != kind.Stacks:
		return nil, fail.Usage(fmt.Errorf("this file has no stacks to write as %s: end the name in %s", f.name,
			joinWords(printed(a, command))))
	case !q.Cell.IsAll():
		return nil, fail.Usage(fmt.Errorf("%s files hold all stacks, not those of one size and lifetime", f.name))
	case q.Window != "":
		return nil, fail.Usage(fmt.Errorf("%s files hold the stacks of the complete profile or of a range, not of a window", f.name))
	}
	by := q.By
	switch {
	case by == "peak_bytes":
		return nil, fail.Usage(fmt.Errorf("peaks of sites are reached at different times and do not add up: choose another cost for %s", f.name))
	case q.Table == "peak_sites":
		q.At = model.MomentPeak()
	}
	if k == kind.Trace && !slices.Contains(export.TraceMetrics(), by) {
		by = map[string]string{
			"leaks": "leaked_bytes", "peak_sites": "live_bytes", "live_sites": "live_bytes", "blocks": "live_bytes", "curve": "live_bytes",
		}[q.Table]
	}
	q.Format, q.Table, q.Group, q.By, q.Limit = "", "", "", by, nil
	words := slices.Concat([]string{"convert", "--to", f.name}, uses.Understood("convert", q.Args()))
	return slices.Concat(words, a.answers(), []string{"--output", "-"}, filesOf(a)), nil
}

// saveTo runs the command and writes its output to a file, which gets its name only once it is complete.
func (a *app) saveTo(ctx context.Context, path string) (out views.Saved, err error) {
	var notes bytes.Buffer
	a.env.Stderr = &notes
	err = a.writeFile(path, func(w io.Writer) error {
		counted := &counter{w: w}
		a.out = bufio.NewWriter(counted)
		err := firstError(a.execute(ctx), a.out.Flush())
		out.Bytes = counted.n
		return firstError(ctx.Err(), err)
	})
	out.Notes = append(out.Notes, a.notes...)
	for line := range strings.Lines(notes.String()) {
		if note, ok := strings.CutPrefix(line, "memtui: note: "); ok {
			out.Notes = append(out.Notes, strings.TrimSpace(note))
		}
	}
	if pathErr := (*os.PathError)(nil); errors.As(err, &pathErr) {
		err = fmt.Errorf("%s: %w", path, pathErr.Err)
	}
	return out, err
}

// counter counts what is written.
type counter struct {
	w io.Writer
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
