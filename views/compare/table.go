package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// compareColumn is a column of a table of changes.
type compareColumn int

const (
	compareName compareColumn = iota
	compareBefore
	compareAfter
	compareDelta
	compareBar
	comparePercent
	compareCount
	compareStatus
	compareWhere
	compareColumns
)

// compareOrder determines which rows of a comparison are shown, and in which order.
type compareOrder struct {
	set    *CompareSet
	only   int
	filter string
	sort   compareColumn
	up     bool
	full   bool
}

// compareRows is a comparison filtered and sorted. Read-only once made.
type compareRows struct {
	compareOrder
	order []int32
	most  uint64 // the largest change of all rows
	sum   uint64 // of all changes, whichever way
}

// compareTable is the table of what changed, with the selected row explained beside it.
type compareTable struct {
	ui.TablePane
	Sets    *ui.Lazy[compareKey, *CompareSet]
	ordered *ui.Lazy[compareOrder, *compareRows]
	Set     *CompareSet  // newest answer, nil before the first
	rows    *compareRows // what the list shows
	sort    compareColumn
	up      bool
}

func newTable(e *ui.Env) *compareTable {
	t := &compareTable{TablePane: ui.NewTablePane(e), sort: compareDelta}
	t.Sets = ui.NewLazy(e, func(ctx context.Context, k compareKey) (*CompareSet, error) { return compare(e, ctx, k) })
	t.ordered = ui.NewLazy(e, func(_ context.Context, k compareOrder) (*compareRows, error) { return orderComparison(k), nil })
	t.List = widget.List{Table: t, Descending: true, Column: -1}
	t.Moved, t.SortBy, t.Enter = func() { t.Changed() }, t.orderBy, t.openRow
	return t
}

// filterCompared shows a row to a filter.
type filterCompared struct {
	set    *CompareSet
	row    *diff.CompareRow
	labels ui.SiteLabel
}

// Texts implements analysis.Filterable.
func (f *filterCompared) Texts() []string {
	return []string{f.labels.Name, f.labels.Where, f.row.Status.String()}
}

// Value implements analysis.Filterable: before, after, delta and count.
func (f *filterCompared) Value(field string, share bool) (float64, bool) {
	t := &f.set.Totals
	value := func(n, whole uint64) (float64, bool) {
		if share {
			return ui.ShareOf(n, whole), true
		}
		return float64(n), true
	}
	switch field {
	case "before":
		return value(f.row.BeforeBytes, t.BeforeBytes)
	case "after":
		return value(f.row.AfterBytes, t.AfterBytes)
	case "delta":
		return float64(f.row.DeltaBytes()), !share
	case "count":
		return float64(f.row.DeltaCount()), !share
	}
	return 0, false
}

func orderComparison(k compareOrder) *compareRows {
	out := &compareRows{compareOrder: k}
	f, _ := analysis.ParseFilter(k.filter)
	c := state.CompareState{Only: k.only}
	for i := range k.set.Rows {
		row := &k.set.Rows[i]
		out.most = max(out.most, changeOf(row))
		out.sum, _ = model.SaturatingAdd(out.sum, changeOf(row))
		if !c.Shows(row.Status) || k.filter != "" && f != nil && !f.Match(&filterCompared{k.set, row, k.set.label(row, k.full)}) {
			continue
		}
		out.order = append(out.order, int32(i))
	}
	slices.SortStableFunc(out.order, func(a, b int32) int {
		n := k.compare(&k.set.Rows[a], &k.set.Rows[b])
		if k.up {
			return -n
		}
		return n
	})
	return out
}

// changeOf is how much a row changed, whichever way.
func changeOf(r *diff.CompareRow) uint64 {
	return max(r.BeforeBytes, r.AfterBytes) - min(r.BeforeBytes, r.AfterBytes)
}

// compare orders two rows, the larger one first; names alphabetically.
func (k *compareOrder) compare(a, b *diff.CompareRow) int {
	switch k.sort {
	case compareName, compareWhere:
		x, y := k.set.label(a, k.full), k.set.label(b, k.full)
		if k.sort == compareWhere {
			x.Name, y.Name = x.Where, y.Where
		}
		return cmp.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name))
	case compareBefore:
		return cmp.Compare(b.BeforeBytes, a.BeforeBytes)
	case compareAfter:
		return cmp.Compare(b.AfterBytes, a.AfterBytes)
	case compareCount:
		return cmp.Compare(max(b.BeforeCount, b.AfterCount)-min(b.BeforeCount, b.AfterCount), max(a.BeforeCount, a.AfterCount)-min(a.BeforeCount, a.AfterCount))
	case comparePercent:
		return cmp.Compare(ui.Growth(b.BeforeBytes, b.AfterBytes), ui.Growth(a.BeforeBytes, a.AfterBytes))
	case compareStatus:
		return cmp.Compare(a.Status, b.Status)
	}
	return cmp.Compare(changeOf(b), changeOf(a))
}

// label is how a row is shown.
func (c *CompareSet) label(r *diff.CompareRow, full bool) ui.SiteLabel {
	if r.Node == 0 {
		name := r.Key
		if name == "" {
			name = calltree.NoFunction
		}
		if !full && c.key.Sides[0].by == analysis.ByFunction && c.key.Sides[0].what != compareSizes {
			name = ui.BareFunction(name)
		}
		return ui.SiteLabel{Name: name, Where: r.Sub}
	}
	s := c.Joined.Stacks
	n := calltree.SiteNode(s, r.Node)
	site := analysis.Site{Node: r.Node, Name: calltree.FunctionName(s, n), Where: calltree.Where(s.At(s.Frame[n]))}
	switch {
	case full:
		return ui.SiteLabel{Name: site.Name, Where: site.Where}
	case ui.Family(site.Name) == "":
		return ui.SiteLabel{Name: ui.BareFunction(site.Name), Where: site.Where}
	}
	return ui.LabelOfCaller(s, &site, nil)
}

// show asks for a comparison and shows the newest that there is.
func (t *compareTable) show(s *state.State, what compareWhat, by analysis.Group, cost analysis.Cost) {
	t.State = *s
	sides, ok := makeSides(t.TablePane.Pane.Env, s, what, by, cost)
	if !ok {
		return
	}
	t.Sets.Ask(key(&s.Compare, sides))
	set, ok := t.Sets.Get()
	if !ok {
		return
	}
	if t.Set == nil || t.Set.key.Sides[0].by != by || t.Set.key.Sides[0].what != what {
		t.List.Home()
	}
	t.Set = set
	t.ordered.Ask(compareOrder{set, s.Compare.Only, s.Filter, t.sort, t.up, s.FullName})
	if rows, ok := t.ordered.Get(); ok {
		t.rows = rows
	}
	t.List.Refresh()
	t.explain()
}

// current is the comparison shown if it is that of the newest state.
func (t *compareTable) Fresh() bool { return t.Sets.Fresh() && t.ordered.Fresh() }

func (t *compareTable) row(i int) *diff.CompareRow { return &t.rows.set.Rows[t.rows.order[i]] }

func (t *compareTable) selected() (*diff.CompareRow, bool) {
	i, ok := t.List.Selected()
	if !ok || t.rows == nil || i >= len(t.rows.order) {
		return nil, false
	}
	return t.row(i), true
}

// Len implements widget.Table.
func (t *compareTable) Len() int {
	if t.rows == nil {
		return 0
	}
	return len(t.rows.order)
}

// ID implements widget.Table.
func (t *compareTable) ID(row int) uint64 {
	r := t.row(row)
	if r.Node != 0 {
		return uint64(r.Node)
	}
	const text = 1 << 63
	return text | uint64(t.rows.order[row])
}

// Cell implements widget.Table.
func (t *compareTable) Cell(row, col int) widget.Cell {
	r, set := t.row(row), t.rows.set
	text := func(n uint64) string { return set.amount(n, t.State.Exact) }
	switch compareColumn(col) {
	case compareName:
		return widget.Cell{Text: set.label(r, t.State.FullName).Name}
	case compareBefore:
		return t.faint(r.BeforeBytes, text)
	case compareAfter:
		return t.faint(r.AfterBytes, text)
	case compareDelta:
		return t.DeltaCell(r.BeforeBytes, r.AfterBytes, text)
	case compareBar:
		return widget.Cell{Kind: widget.BarCell, Bar: ui.ShareOf(changeOf(r), t.rows.most), Style: t.DeltaCell(r.BeforeBytes, r.AfterBytes, text).Style}
	case comparePercent:
		return percentOf(t.TablePane.Pane.Env, &r.CompareFigures)
	case compareCount:
		return t.DeltaCell(r.BeforeCount, r.AfterCount, model.Group)
	case compareStatus:
		return widget.Cell{Text: r.Status.String(), Style: t.DeltaCell(r.BeforeBytes, r.AfterBytes, text).Style}
	}
	return widget.Cell{Text: set.label(r, t.State.FullName).Where, Style: t.Look.Muted}
}

func (t *compareTable) faint(n uint64, text func(uint64) string) widget.Cell {
	if n == 0 {
		return widget.Cell{Text: text(n), Style: t.Look.Muted}
	}
	return widget.Cell{Text: text(n)}
}

// columns lays the table out for its width.
func (t *compareTable) columns(w int) {
	const right = widget.Right
	width := 10
	if t.State.Exact {
		width = 16
	}
	name, cut, counted := "SITE", widget.CutScope, ""
	if t.Set != nil {
		counted = "Δ " + strings.ToUpper(t.Set.words(&t.State).Counted)
		if k := &t.Set.key.Sides[0]; k.by != analysis.ByStack || k.what > CompareLeaked {
			name = strings.ToUpper(k.thing())
		}
	}
	t.List.Columns = []widget.Column{
		compareName:   {Title: name, Width: 20, Grow: 4, Cut: cut},
		compareBefore: {Title: "BEFORE", Width: width, Align: right, Drop: 3}, compareAfter: {Title: "AFTER", Width: width, Align: right, Drop: 2},
		compareDelta: {Title: "Δ", Width: width + 1, Align: right}, compareBar: {Width: 6, Grow: 1, MaxWidth: 14, Drop: 7},
		comparePercent: {Title: "%", Width: 9, Align: right, Drop: 1}, compareCount: {Title: counted, Width: 9, Align: right, Drop: 5},
		compareStatus: {Title: "", Width: 6, Drop: 6}, compareWhere: {Title: "WHERE", Width: 12, Grow: 1, MaxWidth: 30, Cut: widget.CutFolder, Drop: 8},
	}
	if t.Set == nil || !t.Set.hasCounts() || counted == "Δ " {
		ui.Hide(&t.List.Columns[compareCount])
	}
	if t.Set != nil && (t.Set.key.Sides[0].by != analysis.ByStack || t.Set.key.Sides[0].what > CompareLeaked) {
		ui.Hide(&t.List.Columns[compareWhere])
	}
	t.List.SortColumn, t.List.Column, t.List.Descending = int(t.sort), int(t.sort), !t.up
}

// orderBy sorts by a column; by the same one again reverses.
func (t *compareTable) orderBy(col int) {
	col = ui.SkipColumns(int(t.sort), col, int(compareColumns), func(col int) bool { return compareColumn(col) == compareBar })
	t.up = compareColumn(col) == t.sort && !t.up
	t.sort = compareColumn(col)
	t.Changed()
}

// explain fills the detail pane from the selected row.
func (t *compareTable) explain() {
	r, ok := t.selected()
	if !ok {
		t.Detail = ui.Detail{}
		return
	}
	set := t.rows.set
	label := set.label(r, t.State.FullName)
	t.Detail.Title, t.Detail.Answer = label.Name, r.Status.String()
	t.Detail.Facts = []string{t.amounts(r)}
	if r.Node == 0 {
		t.Detail.SetNoStack(set.key.Sides[0].noStack())
		return
	}
	t.Detail.SetStack(set.Joined.Stacks, 0, r.Node, t.State.FullName)
}

// amounts is a row in a sentence.
func (t *compareTable) amounts(r *diff.CompareRow) string {
	set := t.rows.set
	text := func(n uint64) string { return set.amount(n, t.State.Exact) }
	out := fmt.Sprintf("before %s, after %s: %s", text(r.BeforeBytes), text(r.AfterBytes), t.DeltaCell(r.BeforeBytes, r.AfterBytes, text).Text)
	if p := ui.PercentChange(t.Look, r.BeforeBytes, r.AfterBytes); strings.Contains(p, "%") {
		out += " (" + p + ")"
	}
	if words := set.words(&t.State); set.hasCounts() && words.Counted != "" {
		out += fmt.Sprintf("; %s %s → %s", words.Counted, model.Group(r.BeforeCount), model.Group(r.AfterCount))
	}
	if sum := t.rows.sum; changeOf(r) > 0 {
		out += "; " + ui.PartText(changeOf(r), sum) + " of all changes"
	}
	return out
}

// Function implements [ui.Functioner].
func (t *compareTable) Function() string {
	r, ok := t.selected()
	switch {
	case !ok:
	case r.Node != 0:
		return t.rows.set.Name(r)
	case t.rows.set.key.Sides[0].by == analysis.ByFunction:
		return r.Key
	}
	return ""
}

// openRow shows the selected stack among the stacks.
func (t *compareTable) openRow() {
	r, ok := t.selected()
	switch {
	case !ok:
	case r.Node == 0:
		t.Say(t.rows.set.key.Sides[0].noStack())
	default:
		t.Visit(keymap.ShowStacks, state.SeekNode{Node: r.Node})
	}
}

// drawTable draws the table and the explanation of the selected row.
func (t *compareTable) drawTable(s tcell.Screen, r widget.Rect) {
	if t.Low = 0; t.Set != nil && (t.Set.key.Sides[0].what > CompareLeaked || t.Set.key.Sides[0].by != analysis.ByStack) {
		t.Low = 6 // there is no stack to show
	}
	t.Split(r)
	t.columns(t.ListAt.W)
	t.List.Empty = t.emptyText()
	t.List.Highlight = ui.FilterWord(t.State.Filter)
	t.DrawPanes(s, r)
}

// emptyText says why there are no rows, and what to do.
func (t *compareTable) emptyText() []string {
	switch {
	case t.Sets.Err != nil && t.Sets.Ready:
		return []string{capital(t.Sets.Err.Error()) + ".", "% compares otherwise."}
	case t.rows == nil:
		return []string{"Comparing…"}
	case t.State.Compare.Only > 1:
		return []string{"Nothing is " + diff.ChangeStatus(t.State.Compare.Only-1).String() + ".", "! shows the next kind of change, or all."}
	case t.State.Compare.Only == 1 && t.State.Filter == "":
		return []string{"Nothing changed.", "A and B mark other moments, ! shows all rows."}
	case t.State.Filter != "":
		return []string{"No row passes the filter “" + t.State.Filter + "”.", "Esc forgets the filter, / changes it."}
	}
	return []string{"There is nothing on either side.", "A and B mark other moments, d shows the file itself."}
}

// capital is a sentence that begins with a capital letter.
func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// CopyText is the selected row and its stack.
func (t *compareTable) CopyText() string {
	r, ok := t.selected()
	if !ok {
		return ""
	}
	label := t.rows.set.label(r, true)
	return model.Clean(label.Name) + " " + model.Clean(label.Where) + "\n" + t.amounts(r) + "\n" + t.Detail.Text()
}
