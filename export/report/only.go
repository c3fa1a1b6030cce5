package report

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
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

// one returns a table as reports lay it out. Tables that reports leave out or that have no rows are laid out as in CSV.
func (r *Report) one(which string, style cells.Style, full bool) (table, error) {
	list := r.tables(style, full)
	if i := slices.IndexFunc(list, func(t table) bool { return t.name == which }); i >= 0 {
		return list[i], nil
	}
	rows, ok := r.rows(which)
	if !ok {
		return table{}, fmt.Errorf("unknown table %q; available: %s", which, strings.Join(r.TableNames(), ", "))
	}
	out := plain(which, reflect.ValueOf(rows))
	if t := r.Trace; t != nil && t.Threads == nil && which == "threads" {
		out.empty = analysis.NoThreads
	}
	return out, nil
}

// plain returns rows laid out as in CSV.
func plain(which string, rows reflect.Value) table {
	out := table{name: which, title: model.Capital(strings.ReplaceAll(which, "_", " ")), answer: model.Counted(rows.Len(), "row")}
	first := reflect.Zero(rows.Type().Elem())
	if rows.Len() > 0 {
		first = rows.Index(0)
	}
	for _, h := range object.Header(first) {
		out.cols = append(out.cols, col{strings.ToUpper(strings.ReplaceAll(h, "_", " ")), number})
	}
	for i := range rows.Len() {
		cells := object.Record(rows.Index(i))
		for k, cell := range cells {
			if _, err := strconv.ParseFloat(cell, 64); err != nil && cell != "" && out.cols[k].kind == number {
				out.cols[k].kind = word
			}
		}
		out.rows = append(out.rows, cells)
	}
	for k := len(out.cols) - 1; k >= 0; k-- {
		if out.cols[k].kind == word { // the last column has the frames, or another text of any length
			out.cols[k].kind = name
			break
		}
	}
	return out
}
