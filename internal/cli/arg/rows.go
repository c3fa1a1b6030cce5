package arg

// RowFlags choose rows of a table.
type RowFlags struct {
	Rows string `name:"filter" placeholder:"TEXT" help:"Only rows of the table that pass a filter, the same as on the screens: words, !words, /regex/ and comparisons such as live>1M or oldest_us>2s of any column of numbers."`
}
