package profile

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// maxBeside bounds the other events that stand beside the chosen one.
const maxBeside = 3

// RowsKey determines the weights of a table of functions.
type RowsKey struct {
	ui.ProfKey
	By weights.ProfileBy
}

// profRows is a table of functions, or of what they are grouped by. Read-only once made.
type profRows struct {
	RowsKey
	Rows   []weights.ProfileRow
	totals []model.Amount // of everything, by selection
	Beside []ui.ProfKey   // what the weights after the first are about

	grouping *weights.ProfileGrouping
}

// profOrderKey determines which rows are shown, and in which order.
type profOrderKey struct {
	of     *profRows
	filter string
	column int // of ProfFunctions
	up     bool
}

// ProfFunctions lists what functions, binaries, lines, threads and kinds weigh.
type ProfFunctions struct {
	ui.Pane
	table *ui.Lazy[RowsKey, *profRows]
	order *ui.Lazy[profOrderKey, []int32]
	list  widget.List
	now   *profRows
	rows  []int32 // of now
	sort  int
	up    bool
}

// The columns of the list; those of other events follow.
const (
	funcSelf = iota
	funcShare
	funcBar
	funcTotal
	funcTotalShare
	funcName
	FuncDSO
	FuncBeside
)

// NewFunctions returns the table of functions of a stack profile.
func NewFunctions(e *ui.Env) *ProfFunctions {
	p := &ProfFunctions{Pane: ui.NewPane(e)}
	p.table = ui.NewLazy(e, FetchProfRows)
	p.order = ui.NewLazy(e, orderProfRows)
	p.list = widget.List{Table: p, SortColumn: funcSelf, Descending: true, Column: -1, Focused: true}
	return p
}

// FetchProfRows weighs rows under the chosen event and beside it under the others, each by its own metric.
func FetchProfRows(ctx context.Context, k RowsKey) (*profRows, error) {
	t := &profRows{RowsKey: k}
	sel, _, err := k.Selection(ctx)
	if err != nil || sel == nil {
		return t, err
	}
	list := []*weights.ProfileSelection{sel}
	for e := range k.Of.Weights.Events {
		if len(list) > maxBeside || e == int(k.Event) || len(k.Of.Metrics[e]) == 0 {
			continue
		}
		other := k.ProfKey
		other.Event = uint16(e)
		if other.Metric, _ = weights.DefaultMetric(k.Of.Weights, other.Event); weights.NoSum(k.Of.Weights.Metrics[other.Metric].Name) {
			continue
		}
		if other.Unrange() { // only its whole run is known
			continue
		}
		sel, _, err := other.Selection(ctx)
		if err != nil {
			return nil, err
		}
		list, t.Beside = append(list, sel), append(t.Beside, other)
	}
	for _, s := range list {
		t.totals = append(t.totals, s.Total())
	}
	t.grouping = k.Of.Groups.Of(k.Of.Weights, sel.Stacks, k.By)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.Rows, err = t.grouping.Table(ctx, list...)
	return t, err
}

func orderProfRows(_ context.Context, k profOrderKey) ([]int32, error) {
	f, _ := analysis.ParseFilter(k.filter)
	var out []int32
	for i := range k.of.Rows {
		if k.filter == "" || f == nil || f.Match(ui.FilterTexts{k.of.Rows[i].Name, k.of.dso(&k.of.Rows[i])}) {
			out = append(out, int32(i))
		}
	}
	if !k.of.SortRows(out, k.column, k.up) {
		slices.SortFunc(out, func(a, b int32) int { return k.of.CompareRows(a, b, k.column, k.up) })
	}
	return out, nil
}

// CompareRows orders rows by a column, then by self, total and name.
func (t *profRows) CompareRows(a, b int32, column int, up bool) int {
	sign := -1
	if up {
		sign = 1
	}
	x, y := &t.Rows[a], &t.Rows[b]
	u, v := &x.Weights[0], &y.Weights[0]
	return cmp.Or(sign*t.compare(x, y, column), v.Self.Compare(u.Self), v.Total.Compare(u.Total), strings.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID))
}

func (t *profRows) compare(x, y *weights.ProfileRow, column int) int {
	switch {
	case column == funcName:
		return -strings.Compare(x.Name, y.Name)
	case column == FuncDSO:
		return -strings.Compare(t.dso(x), t.dso(y))
	case column == funcTotal || column == funcTotalShare:
		return x.Weights[0].Total.Compare(y.Weights[0].Total)
	case column >= FuncBeside && column-FuncBeside+1 < len(x.Weights):
		n := column - FuncBeside + 1
		return cmp.Or(x.Weights[n].Self.Compare(y.Weights[n].Self), x.Weights[n].Total.Compare(y.Weights[n].Total))
	}
	return x.Weights[0].Self.Compare(y.Weights[0].Self)
}

// dso is the binary of a function's row, "" for others.
func (t *profRows) dso(r *weights.ProfileRow) string {
	if t.By == weights.ByDSO || t.By == weights.ByProfileThread || r.Frame == 0 {
		return ""
	}
	return t.Of.Weights.DSOs[t.Of.Weights.FrameDSO[r.Frame]].Name
}

func (p *ProfFunctions) Name() string { return "Functions" }

func (p *ProfFunctions) Action() keymap.Action { return keymap.ShowFunctions }

func (p *ProfFunctions) Needs() model.Facet { return model.FacetProfile }

func (p *ProfFunctions) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeProfile}
}

func (p *ProfFunctions) Command() []string {
	group := map[weights.ProfileBy]string{weights.ByDSO: "dso", weights.BySourceLine: "source", weights.ByProfileThread: "thread", weights.ByFrameKind: "kind"}
	return append(p.Prof.Arguments(&p.State), (&state.Question{Group: group[p.State.Prof.By]}).Args()...)
}

func (p *ProfFunctions) About() string {
	if by := p.State.Prof.By; by != weights.ByFunctionDSO {
		return "by " + by.String()
	}
	return ""
}

func (p *ProfFunctions) Show(s *state.State) {
	p.State = *s
	if p.Prof == nil {
		return
	}
	p.table.Ask(RowsKey{p.Prof.Key(s), s.Prof.By})
	t, ok := p.table.Get()
	if !ok {
		return
	}
	p.order.Ask(profOrderKey{t, s.Filter, p.sort, p.up})
	if rows, ok := p.order.Get(); ok && p.order.Fresh() {
		p.now, p.rows = t, rows
	}
	p.list.Refresh()
}

func (p *ProfFunctions) setColumns() {
	const right = widget.Right
	w := ui.AmountWidth(p.State.Exact)
	p.list.Columns = []widget.Column{
		funcSelf: {Title: "SELF", Width: w, Align: right}, funcShare: {Title: "%", Width: model.ShareWidth, Align: right, Drop: 1}, funcBar: {Width: 6, Drop: 6},
		funcTotal: {Title: "TOTAL", Width: w, Align: right, Drop: 2}, funcTotalShare: {Title: "%", Width: model.ShareWidth, Align: right, Drop: 5},
		funcName: {Title: strings.ToUpper(p.now.By.String()), Width: 18, Grow: 3, Cut: widget.CutScope},
		FuncDSO:  {Title: "DSO", Width: 12, Grow: 1, MaxWidth: 40, Cut: widget.CutFolder, Drop: 3},
	}
	if p.now.By != weights.ByFunctionDSO && p.now.By != weights.BySourceLine {
		ui.Hide(&p.list.Columns[FuncDSO])
	}
	if p.now.By == weights.BySourceLine {
		p.list.Columns[funcName].Cut = widget.CutFolder
	}
	for i, k := range p.now.Beside {
		name := widget.Truncate(k.Of.EventName(k.Event), 12)
		p.list.Columns = append(p.list.Columns, widget.Column{Title: strings.ToUpper(name), Width: max(w, widget.Width(name)), Align: right, Drop: 4 + i})
	}
	p.list.SortColumn, p.list.Descending = p.sort, !p.up
}

// Len, ID and Cell implement widget.Table.
func (p *ProfFunctions) Len() int { return len(p.rows) }

func (p *ProfFunctions) ID(row int) uint64 { return uint64(p.now.Rows[p.rows[row]].ID) }

func (p *ProfFunctions) Cell(row, col int) widget.Cell {
	r := &p.now.Rows[p.rows[row]]
	w, all := &r.Weights[0], p.now.totals[0]
	unit := ui.UnitOf(&p.now.Of.Weights.Metrics[p.now.Metric])
	switch col {
	case funcSelf:
		return p.amountCell(unit, w.Self)
	case funcShare:
		return widget.Cell{Text: ui.AmountShare(w.Self, all)}
	case funcBar:
		return widget.Cell{Kind: widget.BarCell, Bar: w.Self.Float64() / max(all.Float64(), 1e-300)}
	case funcTotal:
		return p.amountCell(unit, w.Total)
	case funcTotalShare:
		return widget.Cell{Text: ui.AmountShare(w.Total, all)}
	case funcName:
		return p.nameCell(r)
	case FuncDSO:
		return widget.Cell{Text: p.now.dso(r), Style: p.Look.Muted}
	}
	n := col - FuncBeside
	if n >= len(p.now.Beside) {
		return widget.Cell{}
	}
	k := p.now.Beside[n]
	return p.amountCell(ui.UnitOf(&k.Of.Weights.Metrics[k.Metric]), r.Weights[n+1].Self)
}

func (p *ProfFunctions) amountCell(u ui.ProfUnit, a model.Amount) widget.Cell {
	if a.IsZero() {
		return widget.Cell{Text: "0", Style: p.Look.Muted}
	}
	return widget.Cell{Text: u.Text(a, p.State.Exact)}
}

// nameCell is the name of a row; the sign and the colour of kernel and inlined frames stand before it.
func (p *ProfFunctions) nameCell(r *weights.ProfileRow) widget.Cell {
	c := widget.Cell{Text: r.Name}
	if r.Name == "" {
		return widget.Cell{Text: "(unknown)", Style: p.Look.Muted}
	}
	if p.now.By != weights.ByFunctionDSO {
		return c
	}
	if !p.State.FullName {
		c.Text = widget.WithoutSignature(widget.ShortenTemplates(r.Name))
	}
	w := p.now.Of.Weights
	switch {
	case r.Frame == 0:
	case w.FrameKind[r.Frame] == model.FrameKernel:
		c.Text, c.Style = ui.KernelSign+c.Text, p.Style(themes.Warning)
	case w.FrameFlags[r.Frame]&model.FrameInlined != 0 || p.now.dso(r) == ui.InlinedDSO:
		c.Text, c.Style = ui.InlinedSign+c.Text, p.Style(themes.Note)
	}
	return c
}

// Draw implements tview.Primitive.
func (p *ProfFunctions) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.now == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, cmp.Or(strings.Join(ui.Unanswered(p.table), " "), "Adding up stacks …"), p.Look.Muted)
		return
	}
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r
	} else {
		widget.TitleLine(s, title, p.Look, p.titleText(), p.answer())
	}
	p.setColumns()
	p.list.Empty = p.emptyText()
	p.list.Draw(s, body, p.Look)
}

func (p *ProfFunctions) titleText() string {
	t := p.now.Title()
	if scope := p.now.Scope(); scope != "" {
		t += ", " + scope
	}
	return t
}

// answer is the sum, and how many rows there are of it.
func (p *ProfFunctions) answer() string {
	if len(p.now.Rows) == 0 {
		return ""
	}
	n := ui.Plural(len(p.rows), "row", "rows")
	if len(p.rows) < len(p.now.Rows) {
		n = fmt.Sprintf("filter “%s”: %s of %s", widget.Truncate(p.State.Filter, 16), model.Group(uint64(len(p.rows))), model.Group(uint64(len(p.now.Rows))))
	}
	bound := ""
	if !p.State.Status.Final {
		bound = "≥ "
	}
	return n + " · all " + bound + ui.UnitOf(&p.now.Of.Weights.Metrics[p.now.Metric]).Text(p.now.totals[0], p.State.Exact)
}

func (p *ProfFunctions) emptyText() []string {
	if len(p.now.Rows) > 0 {
		return []string{"No row passes the filter.", "Esc shows all of them."}
	}
	return p.Prof.NoWeight(p.now.ProfKey)
}

func (p *ProfFunctions) Do(a keymap.Action) bool {
	switch a {
	case keymap.Sort, keymap.ColumnRight:
		p.sortBy(p.sort + 1)
	case keymap.ColumnLeft:
		p.sortBy(p.sort - 1)
	case keymap.SortReverse:
		p.up = !p.up
		p.Changed()
	case keymap.Group:
		p.Emit(state.SetProfileBy{By: (p.State.Prof.By + 1) % weights.ProfileByCount})
	case keymap.Open:
		p.enter()
	default:
		return ui.MoveList(&p.list, a)
	}
	return true
}

// sortBy sorts by a column; those that only show another one as a share or a bar are passed over.
func (p *ProfFunctions) sortBy(col int) {
	n := max(len(p.list.Columns), 1)
	skip := func(c int) bool { return c == funcShare || c == funcBar || c == funcTotalShare }
	if col < 0 {
		col = 0
	}
	p.sort, p.up = ui.SkipColumns(p.sort, col, n, skip), false
	p.Changed()
}

// enter shows who calls the selected function and what it calls, or the functions of what is selected.
func (p *ProfFunctions) enter() {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return
	}
	r := &p.now.Rows[p.rows[row]]
	switch {
	case p.now.By == weights.ByFunctionDSO && r.Name != "":
		p.Visit(keymap.ShowStacks, state.Seek{Name: r.Name})
	case p.now.By == weights.ByDSO && r.Name != "":
		p.Visit(keymap.ShowFunctions, state.SetProfileBy{By: weights.ByFunctionDSO})
		p.Emit(state.SetFilter{Text: ui.FilterFor(r.Name)})
	case r.Frame != 0 && p.now.By == weights.BySourceLine && p.functionOf(r.Frame) != "":
		p.Visit(keymap.ShowStacks, state.Seek{Name: p.functionOf(r.Frame)})
	default:
		p.Say("b groups by the next key")
	}
}

// Function implements [ui.Functioner].
func (p *ProfFunctions) Function() string {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return ""
	}
	r := &p.now.Rows[p.rows[row]]
	if p.now.By == weights.ByFunctionDSO || p.now.By == weights.BySourceLine && r.Name != "" {
		return p.functionOf(r.Frame)
	}
	return ""
}

func (p *ProfFunctions) Follows() string { return "" }

func (p *ProfFunctions) functionOf(f model.FrameID) string {
	st := p.now.Of.Profile.Stacks
	return st.Functions[st.FrameFunc[f]]
}

func (p *ProfFunctions) CopyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return ""
	}
	r := &p.now.Rows[p.rows[row]]
	return widget.Clean(fmt.Sprintf("%s  %s  self %s  total %s", r.Name, p.now.dso(r), r.Weights[0].Self, r.Weights[0].Total))
}

// Click implements clicker.
func (p *ProfFunctions) Click(x, y int, double bool) {
	if row, ok := p.list.HitRow(x, y); ok {
		p.list.Select(row)
		if double {
			p.enter()
		}
	} else if col, ok := p.list.HitHeader(x, y); ok {
		p.sortBy(col)
	}
}

func (p *ProfFunctions) Drag(_, _, _, _ int, _ bool) {}

func (p *ProfFunctions) Wheel(_, _, rows int) { p.list.Scroll(rows) }
