package report

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
)

// WriteTableText writes one table of r for people. Names are those of [WriteCSV].
func WriteTableText(w io.Writer, r *Report, name string, style cells.Style) error {
	tab, err := r.one(name, style, false)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	t := &TextWriter{out, r, style}
	t.Head()
	t.table(tab)
	t.Problems()
	return out.Flush()
}

// WriteTableMarkdown writes one table of r as Markdown, for tickets.
func WriteTableMarkdown(w io.Writer, r *Report, name string, style cells.Style) error {
	style.Color = false
	tab, err := r.one(name, style, true)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	m := &MarkdownWriter{out, &TextWriter{out, r, style}}
	m.head()
	m.table(tab)
	m.Problems()
	return out.Flush()
}

// one returns a table as reports lay it out. Tables without rows, and those of other files than traces that reports leave out, are laid out as in CSV.
func (r *Report) one(which string, style cells.Style, full bool) (table, error) {
	list := r.tables(style, full)
	if i := slices.IndexFunc(list, func(t table) bool { return t.name == which }); i >= 0 {
		return list[i], nil
	}
	if r.Trace != nil {
		for _, t := range r.finish(r.traceWriter(r.File.Style(style), full).asked()) {
			if t.name == which {
				return t, nil
			}
		}
	}
	rows, ok := r.rows(which)
	if !ok {
		return table{}, fmt.Errorf("unknown table %q; available: %s", which, strings.Join(r.TableNames(), ", "))
	}
	heads, records := object.Table(reflect.ValueOf(rows))
	out := ofCells(cells.Plain(which, heads, records), which)
	if t := r.Trace; t != nil && t.Threads == nil && which == "threads" {
		out.empty = analysis.NoThreads
	}
	return out, nil
}
