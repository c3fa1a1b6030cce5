package views

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
	"github.com/memtui/memtui/views/widget"
)

// maxBeside bounds the other events that stand beside the chosen one.
const maxBeside = 3

// rowsKey determines the weights of a table of functions.
type rowsKey struct {
	profKey
	by weights.ProfileBy
}

// profRows is a table of functions, or of what they are grouped by. Read-only once made.
type profRows struct {
	rowsKey
	rows   []weights.ProfileRow
	totals []model.Amount // of everything, by selection
	beside []profKey      // what the weights after the first are about

	grouping *weights.ProfileGrouping
}

// profOrderKey determines which rows are shown, and in which order.
type profOrderKey struct {
	of     *profRows
	filter string
	column int // of profFunctions
	up     bool
}

// profFunctions lists what functions, binaries, lines, threads and kinds weigh.
type profFunctions struct {
	pane
	table *lazy[rowsKey, *profRows]
	order *lazy[profOrderKey, []int32]
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
	funcDSO
	funcBeside
)

func newProfFunctions(e *env) *profFunctions {
	p := &profFunctions{pane: newPane(e)}
	p.table = newLazy(e, fetchProfRows)
	p.order = newLazy(e, orderProfRows)
	p.list = widget.List{Table: p, SortColumn: funcSelf, Descending: true, Column: -1, Focused: true}
	return p
}

// fetchProfRows weighs rows under the chosen event and beside it under the others, each by its own metric.
func fetchProfRows(ctx context.Context, k rowsKey) (*profRows, error) {
	t := &profRows{rowsKey: k}
	sel, _, err := k.selection(ctx)
	if err != nil || sel == nil {
		return t, err
	}
	list := []*weights.ProfileSelection{sel}
	for e := range k.of.weights.Events {
		if len(list) > maxBeside || e == int(k.event) || len(k.of.metrics[e]) == 0 {
			continue
		}
		other := k.profKey
		other.event = uint16(e)
		if other.metric, _ = weights.DefaultMetric(k.of.weights, other.event); weights.NoSum(k.of.weights.Metrics[other.metric].Name) {
			continue
		}
		if other.unrange() { // only its whole run is known
			continue
		}
		sel, _, err := other.selection(ctx)
		if err != nil {
			return nil, err
		}
		list, t.beside = append(list, sel), append(t.beside, other)
	}
	for _, s := range list {
		t.totals = append(t.totals, s.Total())
	}
	t.grouping = k.of.groups.of(k.of.weights, sel.Stacks, k.by)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t.rows, err = t.grouping.Table(ctx, list...)
	return t, err
}

// filterTexts is a row as filters see it.
type filterTexts []string

func (f filterTexts) Texts() []string                    { return f }
func (f filterTexts) Value(string, bool) (float64, bool) { return 0, false }

func orderProfRows(_ context.Context, k profOrderKey) ([]int32, error) {
	f, _ := analysis.ParseFilter(k.filter)
	var out []int32
	for i := range k.of.rows {
		if k.filter == "" || f == nil || f.Match(filterTexts{k.of.rows[i].Name, k.of.dso(&k.of.rows[i])}) {
			out = append(out, int32(i))
		}
	}
	if !k.of.sortRows(out, k.column, k.up) {
		slices.SortFunc(out, func(a, b int32) int { return k.of.compareRows(a, b, k.column, k.up) })
	}
	return out, nil
}

// compareRows orders rows by a column, then by self, total and name.
func (t *profRows) compareRows(a, b int32, column int, up bool) int {
	sign := -1
	if up {
		sign = 1
	}
	x, y := &t.rows[a], &t.rows[b]
	u, v := &x.Weights[0], &y.Weights[0]
	return cmp.Or(sign*t.compare(x, y, column), v.Self.Compare(u.Self), v.Total.Compare(u.Total), strings.Compare(x.Name, y.Name), cmp.Compare(x.ID, y.ID))
}

func (t *profRows) compare(x, y *weights.ProfileRow, column int) int {
	switch {
	case column == funcName:
		return -strings.Compare(x.Name, y.Name)
	case column == funcDSO:
		return -strings.Compare(t.dso(x), t.dso(y))
	case column == funcTotal || column == funcTotalShare:
		return x.Weights[0].Total.Compare(y.Weights[0].Total)
	case column >= funcBeside && column-funcBeside+1 < len(x.Weights):
		n := column - funcBeside + 1
		return cmp.Or(x.Weights[n].Self.Compare(y.Weights[n].Self), x.Weights[n].Total.Compare(y.Weights[n].Total))
	}
	return x.Weights[0].Self.Compare(y.Weights[0].Self)
}

// dso is the binary of a function's row, "" for others.
func (t *profRows) dso(r *weights.ProfileRow) string {
	if t.by == weights.ByDSO || t.by == weights.ByProfileThread || r.Frame == 0 {
		return ""
	}
	return t.of.weights.DSOs[t.of.weights.FrameDSO[r.Frame]].Name
}

func (p *profFunctions) name() string          { return "Functions" }
func (p *profFunctions) action() keymap.Action { return keymap.ShowFunctions }
func (p *profFunctions) needs() model.Facet    { return model.FacetProfile }
func (p *profFunctions) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeProfile}
}
func (p *profFunctions) command() []string {
	group := map[weights.ProfileBy]string{weights.ByDSO: "dso", weights.BySourceLine: "source", weights.ByProfileThread: "thread", weights.ByFrameKind: "kind"}
	args := p.prof.arguments(&p.state)
	if by := group[p.state.Prof.By]; by != "" {
		args = append(args, "--group", by)
	}
	return args
}

func (p *profFunctions) about() string {
	if by := p.state.Prof.By; by != weights.ByFunctionDSO {
		return "by " + by.String()
	}
	return ""
}

func (p *profFunctions) show(s *State) {
	p.state = *s
	if p.prof == nil {
		return
	}
	p.table.ask(rowsKey{p.prof.key(s), s.Prof.By})
	t, ok := p.table.get()
	if !ok {
		return
	}
	p.order.ask(profOrderKey{t, s.Filter, p.sort, p.up})
	if rows, ok := p.order.get(); ok && p.order.fresh() {
		p.now, p.rows = t, rows
	}
	p.list.Refresh()
}

func (p *profFunctions) setColumns() {
	const right = widget.Right
	w := amountWidth(p.state.Exact)
	p.list.Columns = []widget.Column{
		funcSelf: {Title: "SELF", Width: w, Align: right}, funcShare: {Title: "%", Width: model.ShareWidth, Align: right, Drop: 1}, funcBar: {Width: 6, Drop: 6},
		funcTotal: {Title: "TOTAL", Width: w, Align: right, Drop: 2}, funcTotalShare: {Title: "%", Width: model.ShareWidth, Align: right, Drop: 5},
		funcName: {Title: strings.ToUpper(p.now.by.String()), Width: 18, Grow: 3, Cut: widget.CutScope},
		funcDSO:  {Title: "DSO", Width: 12, Grow: 1, MaxWidth: 40, Cut: widget.CutFolder, Drop: 3},
	}
	if p.now.by != weights.ByFunctionDSO && p.now.by != weights.BySourceLine {
		hide(&p.list.Columns[funcDSO])
	}
	if p.now.by == weights.BySourceLine {
		p.list.Columns[funcName].Cut = widget.CutFolder
	}
	for i, k := range p.now.beside {
		name := widget.Truncate(k.of.eventName(k.event), 12)
		p.list.Columns = append(p.list.Columns, widget.Column{Title: strings.ToUpper(name), Width: max(w, widget.Width(name)), Align: right, Drop: 4 + i})
	}
	p.list.SortColumn, p.list.Descending = p.sort, !p.up
}

// Len, ID and Cell implement widget.Table.
func (p *profFunctions) Len() int          { return len(p.rows) }
func (p *profFunctions) ID(row int) uint64 { return uint64(p.now.rows[p.rows[row]].ID) }

func (p *profFunctions) Cell(row, col int) widget.Cell {
	r := &p.now.rows[p.rows[row]]
	w, all := &r.Weights[0], p.now.totals[0]
	unit := unitOf(&p.now.of.weights.Metrics[p.now.metric])
	switch col {
	case funcSelf:
		return p.amountCell(unit, w.Self)
	case funcShare:
		return widget.Cell{Text: amountShare(w.Self, all)}
	case funcBar:
		return widget.Cell{Kind: widget.BarCell, Bar: w.Self.Float64() / max(all.Float64(), 1e-300)}
	case funcTotal:
		return p.amountCell(unit, w.Total)
	case funcTotalShare:
		return widget.Cell{Text: amountShare(w.Total, all)}
	case funcName:
		return p.nameCell(r)
	case funcDSO:
		return widget.Cell{Text: p.now.dso(r), Style: p.look.Muted}
	}
	n := col - funcBeside
	if n >= len(p.now.beside) {
		return widget.Cell{}
	}
	k := p.now.beside[n]
	return p.amountCell(unitOf(&k.of.weights.Metrics[k.metric]), r.Weights[n+1].Self)
}

func (p *profFunctions) amountCell(u profUnit, a model.Amount) widget.Cell {
	if a.IsZero() {
		return widget.Cell{Text: "0", Style: p.look.Muted}
	}
	return widget.Cell{Text: u.text(a, p.state.Exact)}
}

// nameCell is the name of a row; the sign and the colour of kernel and inlined frames stand before it.
func (p *profFunctions) nameCell(r *weights.ProfileRow) widget.Cell {
	c := widget.Cell{Text: r.Name}
	if r.Name == "" {
		return widget.Cell{Text: "(unknown)", Style: p.look.Muted}
	}
	if p.now.by != weights.ByFunctionDSO {
		return c
	}
	if !p.state.FullName {
		c.Text = widget.WithoutSignature(widget.ShortenTemplates(r.Name))
	}
	w := p.now.of.weights
	switch {
	case r.Frame == 0:
	case w.FrameKind[r.Frame] == model.FrameKernel:
		c.Text, c.Style = kernelSign+c.Text, p.style(themes.Warning)
	case w.FrameFlags[r.Frame]&model.FrameInlined != 0 || p.now.dso(r) == inlinedDSO:
		c.Text, c.Style = inlinedSign+c.Text, p.style(themes.Note)
	}
	return c
}

// Draw implements tview.Primitive.
func (p *profFunctions) Draw(s tcell.Screen) {
	r := p.rect()
	if p.now == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, cmp.Or(strings.Join(unanswered(p.table), " "), "Adding up stacks …"), p.look.Muted)
		return
	}
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r
	} else {
		widget.TitleLine(s, title, p.look, p.titleText(), p.answer())
	}
	p.setColumns()
	p.list.Empty = p.emptyText()
	p.list.Draw(s, body, p.look)
}

func (p *profFunctions) titleText() string {
	t := p.now.title()
	if scope := p.now.scope(); scope != "" {
		t += ", " + scope
	}
	return t
}

// answer is the sum, and how many rows there are of it.
func (p *profFunctions) answer() string {
	if len(p.now.rows) == 0 {
		return ""
	}
	n := plural(len(p.rows), "row", "rows")
	if len(p.rows) < len(p.now.rows) {
		n = fmt.Sprintf("filter “%s”: %s of %s", widget.Truncate(p.state.Filter, 16), model.Group(uint64(len(p.rows))), model.Group(uint64(len(p.now.rows))))
	}
	bound := ""
	if !p.state.Status.Final {
		bound = "≥ "
	}
	return n + " · all " + bound + unitOf(&p.now.of.weights.Metrics[p.now.metric]).text(p.now.totals[0], p.state.Exact)
}

func (p *profFunctions) emptyText() []string {
	if len(p.now.rows) > 0 {
		return []string{"No row passes the filter.", "Esc shows all of them."}
	}
	return p.prof.noWeight(p.now.profKey)
}

func (p *profFunctions) do(a keymap.Action) bool {
	switch a {
	case keymap.Sort, keymap.ColumnRight:
		p.sortBy(p.sort + 1)
	case keymap.ColumnLeft:
		p.sortBy(p.sort - 1)
	case keymap.SortReverse:
		p.up = !p.up
		p.changed()
	case keymap.Group:
		p.emit(setProfileBy{(p.state.Prof.By + 1) % weights.ProfileByCount})
	case keymap.Open:
		p.enter()
	default:
		return moveList(&p.list, a)
	}
	return true
}

// sortBy sorts by a column; those that only show another one as a share or a bar are passed over.
func (p *profFunctions) sortBy(col int) {
	n := max(len(p.list.Columns), 1)
	skip := func(c int) bool { return c == funcShare || c == funcBar || c == funcTotalShare }
	if col < 0 {
		col = 0
	}
	p.sort, p.up = skipColumns(p.sort, col, n, skip), false
	p.changed()
}

// enter shows who calls the selected function and what it calls, or the functions of what is selected.
func (p *profFunctions) enter() {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return
	}
	r := &p.now.rows[p.rows[row]]
	switch {
	case p.now.by == weights.ByFunctionDSO && r.Name != "":
		p.visit(keymap.ShowStacks, seek{r.Name})
	case p.now.by == weights.ByDSO && r.Name != "":
		p.visit(keymap.ShowFunctions, setProfileBy{weights.ByFunctionDSO})
		p.emit(setFilter{filterFor(r.Name)})
	case r.Frame != 0 && p.now.by == weights.BySourceLine && p.functionOf(r.Frame) != "":
		p.visit(keymap.ShowStacks, seek{p.functionOf(r.Frame)})
	default:
		p.say("b groups by the next key")
	}
}

// function implements functioner.
func (p *profFunctions) function() string {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return ""
	}
	r := &p.now.rows[p.rows[row]]
	if p.now.by == weights.ByFunctionDSO || p.now.by == weights.BySourceLine && r.Name != "" {
		return p.functionOf(r.Frame)
	}
	return ""
}

func (p *profFunctions) follows() string { return "" }

func (p *profFunctions) functionOf(f model.FrameID) string {
	st := p.now.of.profile.Stacks
	return st.Functions[st.FrameFunc[f]]
}

func (p *profFunctions) copyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= len(p.rows) {
		return ""
	}
	r := &p.now.rows[p.rows[row]]
	return widget.Clean(fmt.Sprintf("%s  %s  self %s  total %s", r.Name, p.now.dso(r), r.Weights[0].Self, r.Weights[0].Total))
}

// click implements clicker.
func (p *profFunctions) click(x, y int, double bool) {
	if row, ok := p.list.HitRow(x, y); ok {
		p.list.Select(row)
		if double {
			p.enter()
		}
	} else if col, ok := p.list.HitHeader(x, y); ok {
		p.sortBy(col)
	}
}

func (p *profFunctions) drag(_, _, _, _ int, _ bool) {}
func (p *profFunctions) wheel(_, _, rows int)        { p.list.Scroll(rows) }
