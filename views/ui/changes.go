package ui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// ChangeSet is a comparison and how its rows are written. Read-only once made.
type ChangeSet struct {
	*diff.Comparison
	Label  func(r *diff.CompareRow, full bool) SiteLabel
	Amount func(n uint64, exact bool) string
	Rows   string // title of the column of names
	Where  string // title of the column beside it, "" for none
	Delta  string // title of the column of changes
	Count  string // title of the changes of what is counted, "" for none
	Narrow bool   // names are short, and counts matter more than percents
}

// ChangeColumn is a column of a table of changes.
type ChangeColumn int

// The columns, in their order.
const (
	ChangeName ChangeColumn = iota
	ChangeBefore
	ChangeAfter
	ChangeDelta
	ChangeBar
	ChangePercent
	ChangeCount
	ChangeStatus
	ChangeWhere
	ChangeColumns
)

// changeOrder determines which rows of a comparison are shown, and in which order.
type changeOrder struct {
	set    *ChangeSet
	only   int
	filter string
	sort   ChangeColumn
	up     bool
	full   bool
}

// changeRows is a comparison filtered and sorted. Read-only once made.
type changeRows struct {
	changeOrder
	order []int32
	most  uint64 // the largest change of all rows
	sum   uint64 // of all changes, whichever way
}

// Changes is the table of what changed, the same for every kind of file. It implements [widget.Table].
type Changes struct {
	env     *Env
	state   state.State
	ordered *Lazy[changeOrder, *changeRows]
	rows    *changeRows // what the list shows, nil before the first answer
	Sort    ChangeColumn
	Up      bool
}

// NewChanges returns an empty table, sorted by the size of the change.
func NewChanges(e *Env) *Changes {
	return &Changes{env: e, Sort: ChangeDelta, ordered: NewLazy(e, func(_ context.Context, k changeOrder) (*changeRows, error) { return orderChanges(k), nil })}
}

// Show adopts a state and the newest comparison.
func (t *Changes) Show(s *state.State, set *ChangeSet) {
	t.state = *s
	t.ordered.Ask(changeOrder{set, s.Compare.Only, s.Filter, t.Sort, t.Up, s.FullName})
	if rows, ok := t.ordered.Get(); ok {
		t.rows = rows
	}
}

// Fresh reports whether the rows are those of the state shown last.
func (t *Changes) Fresh() bool { return t.ordered.Fresh() }

// Set is the comparison that the rows are of, nil before the first.
func (t *Changes) Set() *ChangeSet {
	if t.rows == nil {
		return nil
	}
	return t.rows.set
}

// Clear shows no rows until there are others.
func (t *Changes) Clear() { t.rows = nil }

// Row is a row of the table; ok is false where there is none.
func (t *Changes) Row(i int) (r *diff.CompareRow, ok bool) {
	if t.rows == nil || i < 0 || i >= len(t.rows.order) {
		return nil, false
	}
	return &t.rows.set.Comparison.Rows[t.rows.order[i]], true
}

// filteredChange shows a row to a filter.
type filteredChange struct {
	set   *ChangeSet
	row   *diff.CompareRow
	label SiteLabel
}

// Texts implements analysis.Filterable.
func (f *filteredChange) Texts() []string {
	return []string{f.label.Name, f.label.Where, f.row.Status.String()}
}

// Value implements analysis.Filterable: before, after, delta and count, which is a change; live and blocks are those after.
func (f *filteredChange) Value(field string, share bool) (float64, bool) {
	t := &f.set.Totals
	value := func(n, whole uint64) (float64, bool) {
		if share {
			return ShareOf(n, whole), true
		}
		return float64(n), true
	}
	switch field {
	case "before":
		return value(f.row.BeforeBytes, t.BeforeBytes)
	case "after", "live", "leaked":
		return value(f.row.AfterBytes, t.AfterBytes)
	case "blocks":
		return value(f.row.AfterCount, t.AfterCount)
	case "delta":
		return float64(f.row.DeltaBytes()), !share
	case "count":
		return float64(f.row.DeltaCount()), !share
	}
	return 0, false
}

// orderChanges filters and sorts. A filter that means nothing hides nothing.
func orderChanges(k changeOrder) *changeRows {
	out := &changeRows{changeOrder: k}
	f, _ := analysis.ParseFilter(k.filter)
	c := state.CompareState{Only: k.only}
	rows := k.set.Comparison.Rows
	for i := range rows {
		row := &rows[i]
		out.most = max(out.most, ChangeOf(row))
		out.sum, _ = model.SaturatingAdd(out.sum, ChangeOf(row))
		if !c.Shows(row.Status) || k.filter != "" && f != nil && !f.Match(&filteredChange{k.set, row, k.set.Label(row, k.full)}) {
			continue
		}
		out.order = append(out.order, int32(i))
	}
	slices.SortStableFunc(out.order, func(a, b int32) int {
		n := k.compare(&rows[a], &rows[b])
		if k.up {
			return -n
		}
		return n
	})
	return out
}

// ChangeOf is how much a row changed, whichever way.
func ChangeOf(r *diff.CompareRow) uint64 {
	return max(r.BeforeBytes, r.AfterBytes) - min(r.BeforeBytes, r.AfterBytes)
}

// compare orders two rows, the larger one first; names alphabetically.
func (k *changeOrder) compare(a, b *diff.CompareRow) int {
	switch k.sort {
	case ChangeName, ChangeWhere:
		x, y := k.set.Label(a, k.full), k.set.Label(b, k.full)
		if k.sort == ChangeWhere {
			x.Name, y.Name = x.Where, y.Where
		}
		return cmp.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name))
	case ChangeBefore:
		return cmp.Compare(b.BeforeBytes, a.BeforeBytes)
	case ChangeAfter:
		return cmp.Compare(b.AfterBytes, a.AfterBytes)
	case ChangeCount:
		return cmp.Compare(max(b.BeforeCount, b.AfterCount)-min(b.BeforeCount, b.AfterCount), max(a.BeforeCount, a.AfterCount)-min(a.BeforeCount, a.AfterCount))
	case ChangePercent:
		return cmp.Compare(Growth(b.BeforeBytes, b.AfterBytes), Growth(a.BeforeBytes, a.AfterBytes))
	case ChangeStatus:
		return cmp.Compare(a.Status, b.Status)
	}
	return cmp.Compare(ChangeOf(b), ChangeOf(a))
}

// OrderBy sorts by a column; by the same one again reverses.
func (t *Changes) OrderBy(col int) {
	col = SkipColumns(int(t.Sort), col, int(ChangeColumns), func(col int) bool { return ChangeColumn(col) == ChangeBar })
	t.Up = ChangeColumn(col) == t.Sort && !t.Up
	t.Sort = ChangeColumn(col)
	t.env.Changed()
}

// Len implements widget.Table.
func (t *Changes) Len() int {
	if t.rows == nil {
		return 0
	}
	return len(t.rows.order)
}

// ID implements widget.Table.
func (t *Changes) ID(row int) uint64 {
	r, _ := t.Row(row)
	if r.Node != 0 {
		return uint64(r.Node)
	}
	const text = 1 << 63
	return text | uint64(t.rows.order[row])
}

// Cell implements widget.Table.
func (t *Changes) Cell(row, col int) widget.Cell {
	r, _ := t.Row(row)
	set := t.rows.set
	text := func(n uint64) string { return set.Amount(n, t.state.Exact) }
	style := t.env.DeltaCell(r.BeforeBytes, r.AfterBytes, text).Style
	switch ChangeColumn(col) {
	case ChangeName:
		return widget.Cell{Text: set.Label(r, t.state.FullName).Name}
	case ChangeBefore:
		return t.faint(r.BeforeBytes, text)
	case ChangeAfter:
		return t.faint(r.AfterBytes, text)
	case ChangeDelta:
		return t.env.DeltaCell(r.BeforeBytes, r.AfterBytes, text)
	case ChangeBar:
		return widget.Cell{Kind: widget.BarCell, Bar: ShareOf(ChangeOf(r), t.rows.most), Style: style}
	case ChangePercent:
		return widget.Cell{Text: PercentChange(t.env.Look, r.BeforeBytes, r.AfterBytes), Style: style}
	case ChangeCount:
		return t.env.DeltaCell(r.BeforeCount, r.AfterCount, model.Group)
	case ChangeStatus:
		return widget.Cell{Text: r.Status.String(), Style: style}
	}
	return widget.Cell{Text: set.Label(r, t.state.FullName).Where, Style: t.env.Look.Muted}
}

func (t *Changes) faint(n uint64, text func(uint64) string) widget.Cell {
	if n == 0 {
		return widget.Cell{Text: text(n), Style: t.env.Look.Muted}
	}
	return widget.Cell{Text: text(n)}
}

// Arrange lays the columns of a list out for its width.
func (t *Changes) Arrange(l *widget.List) {
	set := &ChangeSet{Rows: "SITE", Where: "WHERE", Delta: "Δ"}
	if t.rows != nil {
		set = t.rows.set
	}
	l.Columns = set.Columns(t.state.Exact)
	l.SortColumn, l.Column, l.Descending = int(t.Sort), int(t.Sort), !t.Up
}

// Columns are those of a table of changes; exact leaves room for exact figures.
func (s *ChangeSet) Columns(exact bool) []widget.Column {
	const right = widget.Right
	width := 10
	if s.Narrow {
		width = 9
	}
	if exact {
		width = 16
	}
	out := []widget.Column{
		ChangeName:   {Title: s.Rows, Width: 20, Grow: 4, Cut: widget.CutScope},
		ChangeBefore: {Title: TitleBefore, Width: width, Align: right, Drop: 3}, ChangeAfter: {Title: TitleAfter, Width: width, Align: right, Drop: 2},
		ChangeDelta: {Title: s.Delta, Width: max(width+1, widget.Width(s.Delta)+1), Align: right}, ChangeBar: {Width: 6, Grow: 1, MaxWidth: 14, Drop: 7},
		ChangePercent: {Title: TitlePercent, Width: 9, Align: right, Drop: 1}, ChangeCount: {Title: s.Count, Width: 9, Align: right, Drop: 5},
		ChangeStatus: {Title: "", Width: 6, Drop: 6}, ChangeWhere: {Title: s.Where, Width: 12, Grow: 1, MaxWidth: 30, Cut: widget.CutFolder, Drop: 8},
	}
	if s.Narrow {
		out[ChangeName].Width, out[ChangePercent].Drop, out[ChangeCount].Drop = 14, 4, 1
		out[ChangeName].Cut, out[ChangeWhere].Cut = widget.CutMiddle, widget.CutMiddle
		out[ChangeWhere].Width, out[ChangeWhere].MaxWidth, out[ChangeWhere].Drop = 11, 20, 5
	}
	if s.Count == "" {
		Hide(&out[ChangeCount])
	}
	if s.Where == "" {
		Hide(&out[ChangeWhere])
	}
	return out
}

// Share is what part of all changes, whichever way, a row has; "" where it did not change.
func (t *Changes) Share(r *diff.CompareRow) string {
	if ChangeOf(r) == 0 {
		return ""
	}
	return PartText(ChangeOf(r), t.rows.sum) + " of all changes"
}

// Nothing says why a table of changes has no rows, and what to do; others is what can be done where nothing is filtered.
func (t *Changes) Nothing(others string) []string {
	c := &t.state.Compare
	switch {
	case t.rows == nil || !t.Fresh():
		return []string{"Comparing…"}
	case c.Only > 1:
		return []string{"Nothing is " + c.OnlyWord() + ".", "! shows the next kind of change, or all."}
	case c.Only == 1 && t.state.Filter == "":
		return []string{"Nothing changed.", others + ", ! shows all rows."}
	case t.state.Filter != "":
		return []string{"No row passes the filter “" + t.state.Filter + "”.", "Esc forgets the filter, / changes it."}
	}
	return []string{"There is nothing on either side.", others + ", d shows the file itself."}
}
