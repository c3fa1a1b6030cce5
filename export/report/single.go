package report

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
)

// Single is a table that another package makes, which is printed alone: a pointer to a member of the JSON object.
type Single interface {
	Member() string                               // its name in JSON
	Table() string                                // its name for --table
	List() any                                    // a pointer to its rows, a slice of structs
	Scope() (scope []string, metric string)       // what it is about
	Layout(s cells.Style, full bool) *cells.Table // for people
}

// Alone is the only table of a report, if there is one.
type Alone []Single

// singleRow has the columns that all tables of [Single] have.
type singleRow struct {
	Name  string `json:"name"`
	Value uint64 `json:"value"`
}

// Members implements [object.Membered].
func (a Alone) Members() (list []object.Member) {
	for _, t := range a {
		list = append(list, object.Member{Name: t.Member(), Value: t})
	}
	return list
}

// laid returns the table as reports lay it out.
func (a Alone) laid(s cells.Style, full bool) table {
	return ofCells(a[0].Layout(s, full), a[0].Table())
}

// ofCells returns a table that another package lays out.
func ofCells(t *cells.Table, name string) table {
	out := table{name: name, title: t.Heading, answer: t.Answer, more: t.More, each: t.Each, empty: noRows, rows: t.Rows, spare: t.Spare}
	for _, h := range t.Heads {
		out.cols = append(out.cols, col{h.Text, h.Kind})
	}
	return out
}

// Table writes a table that another package lays out.
func (t *TextWriter) Table(x *cells.Table) { t.table(ofCells(x, "")) }

// Table writes a table that another package lays out.
func (m *MarkdownWriter) Table(x *cells.Table) { m.table(ofCells(x, "")) }

// BeginTrace returns a report about a trace that has only its header. The error is that of ctx.
func BeginTrace(ctx context.Context, p *model.Profile, trace analysis.Trace, opt *Options) (*Report, error) {
	r, _, err := opening(ctx, p, trace.Status(), opt)
	if err == nil {
		r.NoMatch, err = emptied(ctx, opt.Cell, p.Stacks, trace)
	}
	return r, err
}
