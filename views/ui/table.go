package ui

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// Spec describes what a table shows. D is an immutable small value from which its rows and columns are made. All
// functions may be called on any goroutine.
type Spec[D comparable, R any] struct {
	Rows    func(d D) []R
	Columns func(d D) []Column[R] // the same ones in the same order for every d
	ID      func(d D, r *R) uint64
	First   int                                            // the column that sorts initially, AsGiven for none
	Words   func(d D) func(r *R) []string                  // what words of a filter look at; nil for the texts of the columns
	Last    func(a, b *R) int                              // breaks ties of the column; nil for their order in Rows
	Pinned  func(r *R) int                                 // rows with larger values stay above the others; may be nil
	Add     func(sum, r *R)                                // adds a row to the sum of those that are shown; may be nil
	Bytes   func(d D, r *R) uint64                         // added up over the rows that are shown; may be nil
	Sort    func(d D, rows []int32, c *Column[R], up bool) // sorts faster than columns alone; may be nil
	Most    func(d D) (bytes, count uint64)                // the largest figures, for their width; may be nil
	Wide    int                                            // cells from which figures have their units
}

// AsGiven is the order of [Spec.Rows].
const AsGiven = -1

// tableKey determines the rows that are shown, and their order.
type tableKey[D comparable] struct {
	of     D
	filter string
	sort   int
	up     bool
}

// Ordered is a table filtered and sorted. Read-only once made.
type Ordered[D comparable, R any] struct {
	Of    D
	Rows  []R     // all of them
	Order []int32 // those that are shown
	Shown R       // their sum
	Bytes uint64  // the sum of their bytes
}

// Table lists rows that it filters and sorts off the event loop. Its methods belong to the event loop.
type Table[D comparable, R any] struct {
	Blank   D // data of the columns before the first answer
	Figures Figures

	spec Spec[D, R]
	env  *Env
	list *widget.List
	lazy *Lazy[tableKey[D], *Ordered[D, R]]
	now  *Ordered[D, R] // what the list shows, nil before the first answer
	sort int
	up   bool

	cols   []Column[R]
	colsOf D
}

// NewTable returns a table without rows in the list of a pane, and makes the pane sort it.
func NewTable[D comparable, R any](e *Env, pane *ListPane, blank D, spec Spec[D, R]) *Table[D, R] {
	t := &Table[D, R]{Blank: blank, spec: spec, env: e, list: &pane.List, sort: spec.First}
	t.lazy = NewLazy(e, t.arrange)
	pane.List = widget.List{Table: t, Descending: true}
	pane.Order = t
	return t
}

// Ask requests the rows of d filtered and sorted, and shows the newest ones; ok is false while there are none.
func (t *Table[D, R]) Ask(d D, filter string) (ok bool) {
	cols := t.spec.Columns(d)
	sorts := func(col int) bool { return col >= 0 && col < len(cols) && cols[col].Sorts() }
	if t.sort != t.spec.First && !sorts(t.sort) {
		t.sort, t.up = t.spec.First, false
	}
	if t.sort != AsGiven && !sorts(t.sort) { // the column does not apply now
		t.sort = AsGiven
	}
	t.lazy.Ask(tableKey[D]{d, filter, t.sort, t.up})
	t.now, ok = t.lazy.Get()
	t.list.Refresh()
	return ok
}

// Now returns what the list shows, nil before the first answer.
func (t *Table[D, R]) Now() *Ordered[D, R] { return t.now }

// Forget shows no rows until the next answer.
func (t *Table[D, R]) Forget() {
	t.now = nil
	t.list.Refresh()
}

// Fresh reports whether the rows are those asked for last.
func (t *Table[D, R]) Fresh() bool { return t.lazy.Fresh() }

// Failure implements [Failing].
func (t *Table[D, R]) Failure() error { return t.lazy.Failure() }

// rank is the sort key of a row. Keys are adjacent in memory, as sorting happens whenever the instant moves.
type rank struct {
	value, tie uint64 // larger ones first
	text       string // instead of value, alphabetically
	row        int32
}

// arrange filters and sorts.
func (t *Table[D, R]) arrange(_ context.Context, k tableKey[D]) (*Ordered[D, R], error) {
	cols := t.spec.Columns(k.of)
	out := &Ordered[D, R]{Of: k.of, Rows: t.spec.Rows(k.of)}
	if len(out.Rows) > math.MaxInt32 { // Order has 32 bits: half the memory to sort
		return nil, fmt.Errorf("%s rows are more than the screen can list", model.Group(uint64(len(out.Rows))))
	}
	t.choose(out, cols, k.filter)
	t.sortRows(out, cols, k)
	if t.spec.Pinned != nil {
		slices.SortStableFunc(out.Order, func(a, b int32) int {
			return cmp.Compare(t.spec.Pinned(&out.Rows[b]), t.spec.Pinned(&out.Rows[a]))
		})
	}
	return out, nil
}

func (t *Table[D, R]) sortRows(out *Ordered[D, R], cols []Column[R], k tableKey[D]) {
	if k.sort == AsGiven {
		if k.up {
			slices.Reverse(out.Order)
		}
		return
	}
	c := &cols[k.sort]
	switch {
	case t.spec.Sort != nil:
		t.spec.Sort(k.of, out.Order, c, k.up)
	case c.Amounts != nil:
		t.sortAmounts(out, c, k.up)
	default:
		t.sortRanks(out, c, k.up)
	}
}

// choose keeps the rows that pass a filter. An invalid filter hides nothing.
func (t *Table[D, R]) choose(out *Ordered[D, R], cols []Column[R], filter string) {
	f := Filter(filter, fields(cols))
	var words func(r *R) []string
	if t.spec.Words != nil {
		words = t.spec.Words(out.Of)
	}
	row := newFilterRow(cols, words)
	out.Order = make([]int32, 0, len(out.Rows))
	for i := range out.Rows {
		row.Row = &out.Rows[i]
		if filter != "" && !f.Match(row) {
			continue
		}
		out.Order = append(out.Order, int32(i))
		if t.spec.Add != nil {
			t.spec.Add(&out.Shown, row.Row)
		}
		if t.spec.Bytes != nil {
			out.Bytes, _ = model.SaturatingAdd(out.Bytes, t.spec.Bytes(out.Of, row.Row))
		}
	}
}

// sortRanks orders by the column's rank or text, then by its tie, then by Last.
func (t *Table[D, R]) sortRanks(out *Ordered[D, R], c *Column[R], up bool) {
	value, texts := c.rank(), 1
	if up {
		texts = -1
	}
	ranks := make([]rank, len(out.Order))
	for i, row := range out.Order {
		r := &ranks[i]
		r.row = row
		if value != nil {
			r.value = value(&out.Rows[row])
		} else if c.Text != nil {
			r.text = c.Text(&out.Rows[row])
		}
		if c.Tie != nil {
			r.tie = c.Tie(&out.Rows[row])
		}
		if up {
			r.value = ^r.value
		}
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		switch {
		case a.value != b.value:
			return cmp.Compare(b.value, a.value)
		case a.text != b.text:
			return texts * strings.Compare(a.text, b.text)
		case a.tie != b.tie:
			return cmp.Compare(b.tie, a.tie)
		}
		return t.last(out.Rows, a.row, b.row)
	})
	for i := range ranks {
		out.Order[i] = ranks[i].row
	}
}

func (t *Table[D, R]) last(rows []R, a, b int32) int {
	if t.spec.Last != nil {
		if n := t.spec.Last(&rows[a], &rows[b]); n != 0 {
			return n
		}
	}
	return cmp.Compare(a, b)
}

func (t *Table[D, R]) sortAmounts(out *Ordered[D, R], c *Column[R], up bool) {
	sign := -1
	if up {
		sign = 1
	}
	slices.SortFunc(out.Order, func(a, b int32) int {
		x, y := c.Amounts(&out.Rows[a]), c.Amounts(&out.Rows[b])
		return cmp.Or(sign*x[0].Compare(y[0]), sign*x[1].Compare(y[1]), t.last(out.Rows, a, b))
	})
}

// Columns returns the columns of what the list shows.
func (t *Table[D, R]) Columns() []Column[R] {
	of := t.Blank
	if t.now != nil {
		of = t.now.Of
	}
	if t.cols == nil || t.colsOf != of {
		t.cols, t.colsOf = t.spec.Columns(of), of
	}
	return t.cols
}

// Sorted returns the column that sorts, or one without a title.
func (t *Table[D, R]) Sorted() *Column[R] {
	if cols := t.Columns(); t.sort >= 0 && t.sort < len(cols) {
		return &cols[t.sort]
	}
	return &Column[R]{}
}

// Sorting implements [Sorting].
func (t *Table[D, R]) Sorting() (title, key string, usual bool) {
	c := t.Sorted()
	title = c.Title
	if t.up {
		return title + ", reversed", "", false
	}
	return title, c.OrderKey(), t.sort == t.spec.First
}

// Reversed reports whether the order is reversed.
func (t *Table[D, R]) Reversed() bool { return t.up }

// Len, ID and Cell implement [widget.Table].
func (t *Table[D, R]) Len() int {
	if t.now == nil {
		return 0
	}
	return len(t.now.Order)
}

func (t *Table[D, R]) ID(row int) uint64 { return t.spec.ID(t.now.Of, t.Row(row)) }

func (t *Table[D, R]) Cell(row, col int) widget.Cell {
	return t.Columns()[col].Draw(t.Row(row), t.Figures, t.env.Look)
}

// Row returns the n-th row of the list.
func (t *Table[D, R]) Row(n int) *R { return &t.now.Rows[t.now.Order[n]] }

// Selected returns the selected row.
func (t *Table[D, R]) Selected() (r *R, ok bool) {
	i, ok := t.list.Selected()
	if !ok || i >= t.Len() {
		return nil, false
	}
	return t.Row(i), true
}

// Layout lays the list out for its width, with figures and names as the state wants them.
func (t *Table[D, R]) Layout(w int, s *state.State) {
	t.Figures = FiguresOf(s, w >= t.spec.Wide)
	var bytes, count uint64
	if t.spec.Most != nil && t.now != nil {
		bytes, count = t.spec.Most(t.now.Of)
	}
	l := t.list
	l.Columns = layoutOf(t.Columns(), t.Figures, bytes, count)
	l.SortColumn, l.Column, l.Descending = t.sort, t.sort, !t.up
	l.Highlight = FilterWord(s.Filter)
}

// Fields returns the figures of the table that filters can compare.
func (t *Table[D, R]) Fields() []analysis.Field { return fields(t.Columns()) }

// RowFilter returns the filter as command lines take it, or "" if it compares fields that reports do not have.
func (t *Table[D, R]) RowFilter(text string) string { return rowFilter(t.Columns(), text) }

// Narrow adds the order and the filter of the table to the question of a command that prints its rows.
func (t *Table[D, R]) Narrow(q *state.Question, filter string) {
	if _, key, usual := t.Sorting(); !usual {
		q.By = key
	}
	q.Filter = t.RowFilter(filter)
}

func rowFilter[R any](cols []Column[R], text string) string {
	var known []analysis.Field
	for i := range cols {
		if cols[i].Key != "" && !strings.HasSuffix(cols[i].Key, "_bits") { // which are bytes on screen
			known = append(known, fields(cols[i:i+1])...)
		}
	}
	known = append(known, analysis.Field{}) // otherwise all fields would be accepted
	if f, err := analysis.ParseFilter(text, known...); err != nil || f.ComparesShares() {
		return ""
	}
	return text
}

// Home restores the initial order and selects the first row.
func (t *Table[D, R]) Home() {
	t.sort, t.up = t.spec.First, false
	t.list.Home()
}

// ClickTitle implements [Orderly]. The title of a bar or a curve sorts by its figure.
func (t *Table[D, R]) ClickTitle(col int) {
	cols := t.Columns()
	if col < len(cols) && cols[col].Like != "" {
		like := cols[col].Like
		col = slices.IndexFunc(cols, func(c Column[R]) bool { return c.Title == like })
	}
	if col < 0 || col >= len(cols) || !cols[col].Sorts() {
		return
	}
	t.up = col == t.sort && !t.up
	t.sort = col
	t.env.Changed()
}

// OrderBy implements [Orderly].
func (t *Table[D, R]) OrderBy(a keymap.Action) bool {
	switch a {
	case keymap.SortReverse:
		t.up = !t.up
	case keymap.Sort:
		t.turn(1, true)
	case keymap.ColumnRight:
		t.turn(1, false)
	case keymap.ColumnLeft:
		t.turn(-1, false)
	default:
		return false
	}
	t.env.Changed()
	return true
}

// turn sorts by the next column in a direction that has an order of its own. around wraps at the ends.
func (t *Table[D, R]) turn(dir int, around bool) {
	cols := t.Columns()
	for i := 1; i <= len(cols); i++ {
		at := t.sort + i*dir
		if around {
			at %= len(cols)
		}
		if at < 0 || at >= len(cols) {
			return
		}
		if cols[at].Sorts() {
			t.sort, t.up = at, false
			return
		}
	}
}
