package cells

import (
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// Table is a table as another package lays it out; all cells are clean.
type Table struct {
	Heading, Answer string
	More            int    // rows that the limit omitted
	Each            string // unit of the limit, "" for the entire table
	Heads           []Head
	Rows            [][]string
	Spare           []string // heads of columns that are dropped, the first one first, if names need the room in text
}

// Head is a column.
type Head struct {
	Text string
	Kind Kind
}

// Kind is how a column is laid out.
type Kind uint8

const (
	Number  Kind = iota // right-aligned
	Word                // left-aligned
	Name                // left-aligned, gets the remaining width
	Where               // left-aligned, cut at its start
	Symbol              // left-aligned, short; from the file
	Prosaic             // a sentence, only in Markdown
	Sketch              // a bar or a curve, only in text
)

// Plain lays out a table as in CSV, under titles made from its name and those of its columns.
func Plain(name string, heads []string, rows [][]string) *Table {
	out := &Table{Heading: model.Capital(strings.ReplaceAll(name, "_", " ")), Answer: model.Counted(len(rows), "row"), Rows: rows}
	long := -1
	for k, h := range heads {
		head := Head{Text: strings.ToUpper(strings.ReplaceAll(h, "_", " "))}
		for _, row := range rows {
			if _, err := strconv.ParseFloat(row[k], 64); err != nil && row[k] != "" {
				head.Kind, long = Word, k
				break
			}
		}
		out.Heads = append(out.Heads, head)
	}
	if long >= 0 { // the last one has the frames, or another text of any length
		out.Heads[long].Kind = Name
	}
	return out
}
