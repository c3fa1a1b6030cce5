package cells

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
