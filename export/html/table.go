package html

import (
	"strings"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// table is one table. Its cells are numbers and texts as they are: the page formats, sorts and filters them.
type table struct {
	ID     string   `json:"id"`
	Group  string   `json:"group"` // tables of one group are shown as tabs
	Title  string   `json:"title"`
	Answer string   `json:"answer"` // its summary in a few words
	Cols   []column `json:"cols"`
	Rows   [][]any  `json:"rows"`
	More   int      `json:"more,omitempty"`   // rows that were left out
	Stacks [][]int  `json:"stacks,omitempty"` // by row: frames, leaf first; a last number below 0 says how many more there are
	Sort   int      `json:"sort"`             // the column that the rows are sorted by
}

// column is the format of a column's cells: "bytes", "count", "us" (microseconds), "share" (0 … 1), "sure" (0 … 1), "rate" (bytes per
// second), "plain" (a number as it is), "text", "message" (a sentence), "name" (index of a name), "place" (index of a
// frame), "spark" (numbers), "bar" (a number). Estimates begin with "~": "~bytes". A number that is a lower bound is a
// [least].
type column struct {
	Head string `json:"head"`
	Kind string `json:"kind"`
	Tip  string `json:"tip,omitempty"`
}

// estimated returns the format of estimates of figures of blocks.
func estimated(format string) string {
	if format == "bytes" || format == "rate" {
		return model.EstimateMark + format
	}
	return format
}

// blocks returns the format of figures of the file's blocks.
func (b *builder) blocks(format string) string {
	if b.src.Report.File.Sampled != "" {
		return estimated(format)
	}
	return format
}

// seriesTable is the table of curves that are measured, whatever else the file has.
const seriesTable = "series"

// cols makes columns of "Head:kind" or "Head:kind:tip".
func cols(specs ...string) []column {
	out := make([]column, len(specs))
	for i, s := range specs {
		head, rest, _ := strings.Cut(s, ":")
		kind, tip, _ := strings.Cut(rest, ":")
		out[i] = column{head, kind, tip}
	}
	return out
}

// table begins a table without rows. sort is the column that the rows will be sorted by.
func (b *builder) table(id, title, answer string, sort int, c ...column) *table {
	return &table{ID: id, Group: id, Title: title, Answer: answer, Sort: sort, Cols: c, Rows: [][]any{}}
}

func (t *table) add(cells ...any) { t.Rows = append(t.Rows, cells) }

// keep adds a table that has rows, cut to the limit; t.More counts rows that it does not have.
func (b *builder) keep(t *table) {
	if len(t.Rows) == 0 {
		return
	}
	if n := b.limits.rows; len(t.Rows) > n {
		t.More += len(t.Rows) - n
		t.Rows = t.Rows[:n]
		if t.Stacks != nil {
			t.Stacks = t.Stacks[:n]
		}
	}
	if t.More > 0 {
		b.cut("%s: the first %s of %s", t.Title, model.Counted(len(t.Rows), "row"),
			model.Counted(len(t.Rows)+t.More, "row"))
	}
	// curves are measured, and the figures of changes are marked by their side
	if b.src.Report != nil && b.src.Report.File.Sampled != "" && t.ID != seriesTable && t.ID != sectionChanges {
		t.countSamples()
	}
	b.Tables = append(b.Tables, t)
}

// countSamples words a table about blocks as one about samples.
func (t *table) countSamples() {
	t.Title, t.Answer = model.AsEstimates(t.Title), model.AsEstimates(t.Answer)
	for i := range t.Cols {
		c := &t.Cols[i]
		c.Tip = model.AsEstimates(c.Tip)
		if c.Head != titles.From && c.Head != titles.To { // which are no figures
			c.Kind = estimated(c.Kind)
		}
		if c.Head == titles.Blocks || c.Head == titles.Allocs {
			c.Head = titles.Samples
		}
	}
}

// full reports whether a table has all the rows that the page may have: further ones would be dropped.
func (b *builder) full(t *table) bool { return len(t.Rows) >= b.limits.rows }
