package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// ChangeSet is a comparison and how its rows are written. Read-only once made.
type ChangeSet struct {
	*diff.Comparison
	Label  func(r *diff.Row, full bool) SiteLabel
	Amount func(n uint64, exact bool) string           // of changes
	Side   func(side int, n uint64, exact bool) string // of before and after; nil: as changes
	Rows   string                                      // title of the column of names
	Where  string                                      // title of the column next to it, "" for none
	Delta  string                                      // title of the column of changes
	Count  string                                      // title of the changes of what is counted, "" for none
	Narrow bool                                        // names are short, and counts matter more than percents

	Objects bool // rows are of objects that are matched, so that new and gone ones are known
}

// change is a row of a table of changes.
type change struct {
	*diff.Row
	n int // which one of the comparison
}

// changeData determines a table of changes.
type changeData struct {
	set  *ChangeSet
	only int  // of [state.Compare]
	full bool // names are written in full
}

// Changes is the table of what changed, the same for every kind of file.
type Changes struct {
	*Table[changeData, change]
	env   *Env
	state state.State
	sums  *ChangeSet // that most and sum are of
	most  uint64     // the largest change of all rows
	sum   uint64     // of all changes, whichever way
}

// NewChanges returns an empty table in the list of a pane, sorted by the size of the change.
func NewChanges(e *Env, pane *ListPane) *Changes {
	t := &Changes{env: e}
	blank := &ChangeSet{Comparison: &diff.Comparison{}, Rows: titles.Site, Where: titles.Where, Delta: titles.Delta}
	t.Table = NewTable(e, pane, changeData{set: blank}, Spec[changeData, change]{
		Rows:    changeData.rows,
		Columns: t.columns,
		ID:      func(_ changeData, r *change) uint64 { return r.id() },
		Words:   func(d changeData) func(r *change) []string { return d.words },
		First:   3,
	})
	return t
}

// Show adopts a state and the newest comparison; ok is false while there are no rows of any.
func (t *Changes) Show(s *state.State, set *ChangeSet) (ok bool) {
	t.state = *s
	ok = t.Ask(changeData{set, s.Compare.Only, s.FullName}, s.Filter)
	if set := t.Set(); ok && set != t.sums {
		t.sums, t.most, t.sum = set, 0, 0
		for i := range set.Comparison.Rows {
			n := changeOf(&set.Comparison.Rows[i])
			t.most = max(t.most, n)
			t.sum, _ = model.SaturatingAdd(t.sum, n)
		}
	}
	return ok
}

// Set returns the comparison whose rows are shown, nil before the first.
func (t *Changes) Set() *ChangeSet {
	if t.Now() == nil {
		return nil
	}
	return t.Now().Of.set
}

// Arrange lays the list out for its width.
func (t *Changes) Arrange(w int) { t.Layout(w, &t.state) }

// Chosen returns the selected row.
func (t *Changes) Chosen() (r *diff.Row, ok bool) {
	c, ok := t.Selected()
	if !ok {
		return nil, false
	}
	return c.Row, true
}

// rows returns the rows of the kinds of changes that are shown.
func (d changeData) rows() []change {
	c := state.Compare{Only: d.only}
	out := make([]change, 0, len(d.set.Comparison.Rows))
	for i := range d.set.Comparison.Rows {
		if r := &d.set.Comparison.Rows[i]; c.Shows(r.Status) {
			out = append(out, change{r, i})
		}
	}
	return out
}

func (d changeData) words(r *change) []string {
	label := d.set.Label(r.Row, d.full)
	return []string{label.Name, label.Where, r.Became()}
}

// id returns a number that identifies a row in all comparisons of the same files.
func (r *change) id() uint64 {
	const text = 1 << 63
	if r.Node != 0 {
		return uint64(r.Node)
	}
	return text | uint64(r.n)
}

// changeOf returns how much a row changed at least, in either direction.
func changeOf(r *diff.Row) uint64 { return r.Change() }

func distance(a, b uint64) uint64 { return max(a, b) - min(a, b) }

// columns returns the columns of a table of changes.
func (t *Changes) columns(d changeData) []Column[change] {
	set, totals := d.set, &d.set.Totals
	width, name, where := 10, Column[change]{Width: 20, Cut: widget.CutScope},
		Column[change]{Width: 12, MaxWidth: 30, Cut: widget.CutFolder, Drop: 8}
	percent, count, bar, status := 1, 5, 7, 6 // Drop of three, and a width
	if set.Narrow {
		width, name, where = 9, Column[change]{Width: 14, Cut: widget.CutPackage},
			Column[change]{Width: 11, MaxWidth: 20, Cut: widget.CutPackage, Drop: 5}
		percent, count = 4, 1
	}
	if set.Objects {
		bar = 9
	}
	if set.Bounds() != "" {
		width, status = widget.Width("≥ 1023 KiB"), widget.Width(diff.ChangeUnknown.String())
	}
	if set.Errors {
		width, status = widget.Width("~1023 KiB"), widget.Width(diff.WithinError)
	}
	name.Title, name.Key, name.Grow = set.Rows, "key", 4
	name.Text = func(r *change) string { return set.Label(r.Row, d.full).Name }
	where.Title, where.Grow, where.Hidden, where.Muted = set.Where, 1, set.Where == "", true
	where.Text = func(r *change) string { return set.Label(r.Row, d.full).Where }
	side := func(title, key, field string, drop int, whole uint64, n int, of func(r *change) uint64) Column[change] {
		return Column[change]{Title: title, Key: key, Fields: []string{field}, Figure: AmountFigure, Width: width,
			Drop: drop, Total: whole, Value: of,
			Cell: func(r *change) widget.Cell { return t.faint(n, of(r), r.AtLeast[n]) }}
	}
	objects := func(title, key string, of func(r *change) uint64) Column[change] {
		return Column[change]{Title: title, Key: key, Fields: set.objectFields(key), Figure: CountFigure, Width: 8, Drop: 7,
			Hidden: !set.Objects, Value: of, Cell: func(r *change) widget.Cell { return t.counted(of(r)) }}
	}
	style := func(r *change) tcell.Style { return t.env.ChangeCell(r.Row, model.Group).Style }
	return []Column[change]{
		name,
		side(titles.Before, "before_bytes", "before", 3, totals.BeforeBytes, 0, func(r *change) uint64 { return r.BeforeBytes }),
		side(titles.After, "after_bytes", "after", 2, totals.AfterBytes, 1, func(r *change) uint64 { return r.AfterBytes }),
		{Title: set.Delta, Key: "delta_bytes", Fields: []string{"delta"}, Figure: AmountFigure,
			Width: max(width, widget.Width(set.Delta)) + 1,
			Rank:  func(r *change) uint64 { return changeOf(r.Row) }, Number: func(r *change) float64 { return float64(r.DeltaBytes()) },
			Known: func(r *change) bool { return r.Certainty() != diff.UnknownChange },
			Cell:  func(r *change) widget.Cell { return t.env.ChangeCell(r.Row, t.amount) }},
		{Title: titles.Error, Key: "delta_error_bytes", Fields: set.errorFields(), Figure: AmountFigure, Width: width, Drop: 1,
			Hidden: !set.Errors, Value: func(r *change) uint64 { return r.Error },
			Cell: func(r *change) widget.Cell {
				return widget.Cell{Text: diff.ErrorText(t.amount(r.Error)), Style: t.env.Look.Muted}
			}},
		{Width: 6, Grow: 1, MaxWidth: 14, Drop: bar, Like: set.Delta, Cell: func(r *change) widget.Cell {
			return widget.Cell{Kind: widget.BarCell, Bar: ShareOf(changeOf(r.Row), t.most), Style: style(r)}
		}},
		{Title: titles.Percent, Key: "delta_percent", Width: 9, Right: true, Drop: percent,
			Rank: func(r *change) uint64 {
				if r.Certainty() == diff.UnknownChange {
					return 0
				}
				return Sortable(growth(r.BeforeBytes, r.AfterBytes))
			},
			Cell: func(r *change) widget.Cell {
				if r.There == [2]bool{true, true} && r.Certainty() != diff.CertainChange {
					return widget.Cell{}
				}
				return widget.Cell{Text: PercentChange(t.env.Look, r.BeforeBytes, r.AfterBytes), Style: style(r)}
			}},
		{Title: set.Count, Key: "delta_count", Fields: set.countFields(), Figure: CountFigure, Width: 9, Drop: count,
			Hidden: set.Count == "",
			Rank:   func(r *change) uint64 { return distance(r.BeforeCount, r.AfterCount) },
			Number: func(r *change) float64 { return float64(r.DeltaCount()) },
			Cell:   func(r *change) widget.Cell { return t.env.DeltaCell(r.BeforeCount, r.AfterCount, model.Group) }},
		objects(titles.New, "new_count", func(r *change) uint64 { created, _, _ := r.Objects(); return created }),
		objects(titles.Gone, "gone_count", func(r *change) uint64 { _, _, gone := r.Objects(); return gone }),
		{Title: titles.Status, Key: "status", Width: status, Drop: 6, Rank: func(r *change) uint64 { return ^uint64(r.Status) },
			Cell: func(r *change) widget.Cell { return widget.Cell{Text: r.Became(), Style: style(r)} }},
		where,
	}
}

// countFields returns the names in filters for the change of counts.
func (s *ChangeSet) countFields() []string {
	if s.Count == "" {
		return nil
	}
	return []string{"count"}
}

// errorFields returns the names in filters for the error of a change.
func (s *ChangeSet) errorFields() []string {
	if !s.Errors {
		return nil
	}
	return []string{"error"}
}

// objectFields returns the names in filters for the number of objects of a column of the reports.
func (s *ChangeSet) objectFields(column string) []string {
	if !s.Objects {
		return nil
	}
	return []string{strings.TrimSuffix(column, "_count"), column}
}

// amount formats a figure of the comparison.
func (t *Changes) amount(n uint64) string { return t.Set().Amount(n, t.state.Exact) }

// counted formats a number of objects.
func (t *Changes) counted(n uint64) widget.Cell {
	c := widget.Cell{Text: model.Group(n)}
	if n == 0 {
		c.Style = t.env.Look.Muted
	}
	return c
}

// ofSide formats a figure of a side.
func (t *Changes) ofSide(side int, n uint64) string {
	if of := t.Set().Side; of != nil {
		return of(side, n, t.state.Exact)
	}
	return t.amount(n)
}

// faint returns the cell of a figure of a side.
func (t *Changes) faint(side int, n uint64, bound bool) widget.Cell {
	c := widget.Cell{Text: t.ofSide(side, n)}
	if bound {
		c.Text = "≥ " + c.Text
	} else if n == 0 {
		c.Style = t.env.Look.Muted
	}
	return c
}

// Share returns a row's share of all changes, in either direction; "" if it did not change.
func (t *Changes) Share(r *diff.Row) string {
	if changeOf(r) == 0 {
		return ""
	}
	return PartText(changeOf(r), t.sum) + " of all changes"
}

// Nothing returns why a table of changes has no rows, and what to do; others is what can be done where nothing is
// filtered, with keys as in [Env.Hint].
func (t *Changes) Nothing(others string) []string {
	c := &t.state.Compare
	switch {
	case t.Now() == nil || !t.Fresh():
		return []string{"Comparing…"}
	case c.Only > 1:
		return []string{"Nothing is " + c.OnlyWord() + ".", t.env.Hint("{changes} shows the next kind of change, or all.")}
	case c.Only == 1 && t.state.Filter == "":
		return []string{"Nothing changed.", t.env.Hint(others + ", {changes} shows all rows.")}
	case t.state.Filter != "":
		return []string{"No matches for “" + t.state.Filter + "”.", t.env.FilterHint()}
	}
	return []string{"Both sides are empty.", t.env.Hint(others + ", {difference} shows the file itself.")}
}
