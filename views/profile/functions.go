package profile

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// maxBeside is the maximum number of other events next to the chosen one.
const maxBeside = 3

// RowsKey determines the weights of a table of functions.
type RowsKey struct {
	ui.ProfileKey
	By weights.By
}

// rows is a table of functions, or of another grouping. Read-only once made.
type rows struct {
	RowsKey
	Rows   []weights.Row
	totals []model.Amount  // of everything, by selection
	Beside []ui.ProfileKey // keys of the weights after the first

	grouping *weights.Grouping
}

// Functions lists the weights of functions, binaries, lines, threads and kinds.
type Functions struct {
	ui.TablePane
	*ui.Table[*rows, weights.Row]
	rows  *ui.Lazy[RowsKey, *rows]
	heavy *ui.Lazy[ui.ProfileKey, *heavyStacks] // those with the selected function
	room  widget.Rect                           // for them, empty where the table needs it
}

// NewFunctions returns the table of functions of a stack profile.
func NewFunctions(e *ui.Env) *Functions {
	p := &Functions{TablePane: ui.NewTablePane(e)}
	p.rows, p.heavy = ui.NewLazy(e, FetchProfRows), ui.NewLazy(e, fetchHeavy)
	p.Table = ui.NewTable(e, &p.ListPane, &rows{}, ui.Spec[*rows, weights.Row]{
		Rows:    func(t *rows) []weights.Row { return t.Rows },
		Columns: p.ColumnsOf,
		ID:      func(_ *rows, r *weights.Row) uint64 { return uint64(r.ID) },
		Words: func(t *rows) func(*weights.Row) []string {
			return func(r *weights.Row) []string { return []string{r.Name, t.dso(r)} }
		},
		Sort: (*rows).sort,
	})
	p.Alone, p.Enter = true, p.enter
	return p
}

// ColumnsOf returns the columns of the table: those of the chosen event, and one of self weights for each other event.
func (p *Functions) ColumnsOf(t *rows) []ui.Column[weights.Row] {
	type row = weights.Row
	var all model.Amount
	if len(t.totals) > 0 {
		all = t.totals[0]
	}
	self := func(r *row) model.Amount { return r.Weights[0].Self }
	total := func(r *row) model.Amount { return r.Weights[0].Total }
	share := func(of func(*row) model.Amount) func(*row) float64 {
		return func(r *row) float64 { return float64(of(r).ShareOf(all)) }
	}
	percent := func(of func(*row) model.Amount) func(*row) widget.Cell {
		return func(r *row) widget.Cell { return widget.Cell{Text: ui.AmountShare(of(r), all)} }
	}
	first := func(of func(*row) model.Amount) func(*row) [2]model.Amount {
		return func(r *row) [2]model.Amount { return [2]model.Amount{of(r)} }
	}
	cut, key := widget.CutScope, "name"
	if t.By == weights.BySourceLine {
		cut = widget.CutFolder
	}
	if t.By == weights.ByFunctionDSO {
		key = "function"
	}
	unit := t.unit(t.ProfileKey)
	cols := []ui.Column[row]{
		{Title: titles.Self, Key: "self", Fields: []string{"self"}, Figure: ui.AmountFigure, Unit: unit,
			Amounts: first(self), Share: share(self)},
		{Title: titles.Percent, Width: model.ShareWidth, Right: true, Drop: 1, Like: titles.Self, Cell: percent(self)},
		{Width: 6, Drop: 6, Like: titles.Self, Cell: func(r *row) widget.Cell {
			return widget.Cell{Kind: widget.BarCell, Bar: self(r).Float64() / max(all.Float64(), 1e-300)}
		}},
		{Title: titles.Total, Key: "total", Fields: []string{"total"}, Figure: ui.AmountFigure, Unit: unit, Drop: 2,
			Amounts: first(total), Share: share(total)},
		{Title: titles.Percent, Width: model.ShareWidth, Right: true, Drop: 5, Like: titles.Total, Cell: percent(total)},
		{Title: strings.ToUpper(t.By.String()), Key: key, Width: 18, Grow: 3, Cut: cut,
			Text: func(r *row) string { return r.Name }, Rank: t.place(), Cell: p.nameCell},
		{Title: titles.DSO, Key: "dso", Width: 10, Grow: 1, MaxWidth: 40, Cut: widget.CutMiddle, Drop: 3, Text: t.dso,
			Cell: p.dsoCell(t), Muted: true, Hidden: t.By != weights.ByFunctionDSO && t.By != weights.BySourceLine},
	}
	for i, k := range t.Beside {
		name := widget.Truncate(k.Of.EventName(k.Event), 12)
		cols = append(cols, ui.Column[row]{Title: strings.ToUpper(name), Width: widget.Width(name),
			Figure: ui.AmountFigure, Unit: t.unit(k), Drop: 4 + i,
			Amounts: func(r *row) [2]model.Amount { return [2]model.Amount{r.Weights[i+1].Self, r.Weights[i+1].Total} }})
	}
	return cols
}

// dsoCell returns a function that draws the binary of a row: its base name unless names are shown in full.
func (p *Functions) dsoCell(t *rows) func(*weights.Row) widget.Cell {
	return func(r *weights.Row) widget.Cell {
		name := t.dso(r)
		if name != "" && !p.State.FullName {
			name = path.Base(name)
		}
		return widget.Cell{Text: widget.Clean(name), Style: p.Look.Muted}
	}
}

// FetchProfRows computes the weights of the rows of the chosen event: under it, and under the other events, each by its
// own metric.
func FetchProfRows(ctx context.Context, k RowsKey) (*rows, error) {
	t := &rows{RowsKey: k}
	sel, _, err := k.Selection(ctx)
	if err != nil || sel == nil {
		return t, err
	}
	list := []*weights.Selection{sel}
	for e := range k.Of.Weights.Events {
		if len(list) > maxBeside || e == int(k.Event) || len(k.Of.Metrics[e]) == 0 {
			continue
		}
		other := k.ProfileKey
		other.Event = uint16(e)
		if other.Metric, _ = weights.DefaultMetric(k.Of.Weights, other.Event); k.Of.Weights.Metrics[other.Metric].NoSum() {
			continue
		}
		if other.Unrange() { // only the weights of the complete run are known
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
	t.Rows = slices.DeleteFunc(t.Rows, func(r weights.Row) bool { return !r.First }) // which reports on the event leave out, too
	return t, err
}

// dso returns the binary of a function's row, "" for others.
func (t *rows) dso(r *weights.Row) string {
	if t.By == weights.ByOwner || t.By == weights.ByDSO || t.By == weights.ByProfileThread || r.Frame == 0 { // none, or the name itself
		return ""
	}
	return t.Of.Weights.DSOs[t.Of.Weights.FrameDSO[r.Frame]].Name
}

// unit returns the unit of the amounts of a key.
func (t *rows) unit(k ui.ProfileKey) ui.ProfileUnit {
	if k.Of == nil || int(k.Metric) >= len(k.Of.Weights.Metrics) {
		return ui.ProfileUnit{}
	}
	return k.Unit()
}

func (p *Functions) Name() string { return "Functions" }

func (p *Functions) Action() keymap.Action { return keymap.ShowFunctions }

func (p *Functions) Needs() model.Facet { return model.FacetProfile }

func (p *Functions) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeProfile}
}

func (p *Functions) Command() []string {
	q := p.Prof.Question(&p.State)
	switch q.Group = p.State.Prof.By.Word(p.Prof.Weights); {
	case q.Group != "":
		q.Table = "groups"
	case p.Sorted().Key == "total":
		q.Table = "total_functions"
	default:
		q.Table = "functions"
	}
	return q.Args()
}

// Sorting implements [ui.Sorting]: one command has the order by total.
func (p *Functions) Sorting() (title, key string, usual bool) {
	title, key, usual = p.Table.Sorting()
	return title, key, usual || key == "total" && p.State.Prof.By.Word(p.Prof.Weights) == ""
}

func (p *Functions) About() string {
	if by := p.State.Prof.By; by != weights.ByFunctionDSO {
		return "by " + by.String()
	}
	return ""
}

func (p *Functions) Show(s *state.State) {
	p.State = *s
	if p.Prof == nil {
		return
	}
	p.rows.Ask(RowsKey{p.Prof.Key(s), s.Prof.By})
	if t, ok := p.rows.Get(); ok {
		p.Ask(t, s.Filter)
	}
	if name := p.Function(); name != "" && !p.room.Empty() {
		k := p.Prof.Key(s)
		k.Filters = k.Filters.With(calltree.Step{Kind: calltree.Focus, Name: name})
		p.heavy.Ask(k)
	}
}

// nameCell returns the name of a row; the sign and the color of kernel and inlined frames are before it.
func (p *Functions) nameCell(r *weights.Row) widget.Cell {
	c := widget.Cell{Text: r.Name}
	if r.Name == "" {
		return widget.Cell{Text: calltree.Unnamed, Style: p.Look.Muted}
	}
	if by := p.Now().Of.By; by != weights.ByFunctionDSO && by != weights.ByOwner {
		return c
	}
	if !p.State.FullName {
		c.Text = funcname.Bare(r.Name)
	}
	w := p.Now().Of.Of.Weights
	switch {
	case r.Frame == 0:
	case w.FrameKind[r.Frame] == model.FrameKernel:
		c.Text, c.Style = ui.KernelSign+c.Text, p.Style(themes.Warning)
	case w.FrameFlags[r.Frame]&model.FrameInlined != 0 || p.Now().Of.dso(r) == ui.InlinedDSO:
		c.Text, c.Style = ui.InlinedSign+c.Text, p.Style(themes.Note)
	}
	return c
}

// Draw implements tview.Primitive.
func (p *Functions) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Now() == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, cmp.Or(strings.Join(ui.Unanswered(p.rows), " "), "Summing stacks …"),
			p.Look.Muted)
		return
	}
	body := p.DrawTitled(s, r, p.titleText(), p.answer())
	table, room := p.divide(body)
	if room.Empty() != p.room.Empty() {
		p.Changed() // the stacks are requested where there is room
		p.Post(func() {})
	}
	p.room = room
	p.Split(table)
	p.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
	if !room.Empty() && p.Function() != "" {
		top, _ := p.heavy.Get()
		top.draw(s, room, &p.Pane, "Heaviest stacks with "+widget.Clean(funcname.Bare(p.Function())))
	}
}

// freeRows is the number of rows from which on stacks are drawn in what a table leaves free.
const freeRows = 12

// divide gives the table of functions the rows that it needs, and the heaviest stacks of the selected one the rest:
// below it, or next to it on wide screens.
func (p *Functions) divide(r widget.Rect) (table, room widget.Rect) {
	free := r.H - p.Len() - 2 // without titles, and a row between
	switch {
	case p.Len() == 0 || free < freeRows:
		return r, widget.Rect{}
	case r.W >= besideEvents && p.Len() >= freeRows:
		table, room = r.CutLeft(r.W * 3 / 5)
		_, room = room.CutLeft(1)
		return table, room
	}
	table, room = r.CutTop(p.Len() + 2)
	return table, room
}

func (p *Functions) titleText() string {
	t := p.Now().Of.Title()
	if scope := p.Now().Of.Scope(); scope != "" {
		t += ", " + scope
	}
	return t
}

// answer returns the sum, and the number of rows.
func (p *Functions) answer() string {
	t := p.Now().Of
	if len(t.Rows) == 0 {
		return ""
	}
	n := model.Counted(p.Len(), "row")
	if p.Len() < len(p.Now().Rows) {
		n = fmt.Sprintf("filter “%s”: %s of %s", widget.Truncate(p.State.Filter, 16), model.Group(uint64(p.Len())),
			model.Group(uint64(len(p.Now().Rows))))
	}
	bound := ""
	if !p.State.Status.Final {
		bound = "≥ "
	}
	return n + " · all " + bound + t.unit(t.ProfileKey).Text(t.totals[0], p.State.Exact)
}

func (p *Functions) emptyText() []string {
	if len(p.Now().Rows) > 0 {
		return []string{"No matches.", p.Hint("{back} shows all of them.")}
	}
	return p.Prof.NoWeight(p.Env, p.Now().Of.ProfileKey)
}

func (p *Functions) Do(a keymap.Action) bool {
	if a == keymap.Group {
		p.Emit(state.SetProfileBy{By: p.State.Prof.By.Next()})
		return true
	}
	return p.DoTable(a)
}

// enter shows the callers and callees of the selected function, or the functions of the selected group.
func (p *Functions) enter() {
	r, ok := p.Selected()
	if !ok {
		return
	}
	switch {
	case (p.Now().Of.By == weights.ByFunctionDSO || p.Now().Of.By == weights.ByOwner) && r.Name != "":
		p.Visit(keymap.ShowStacks, state.Seek{Name: r.Name})
	case p.Now().Of.By == weights.ByDSO && r.Name != "":
		p.Visit(keymap.ShowFunctions, state.SetProfileBy{By: weights.ByFunctionDSO})
		p.Emit(state.SetFilter{Text: ui.FilterFor(r.Name)})
	case r.Frame != 0 && p.Now().Of.By == weights.BySourceLine && p.functionOf(r.Frame) != "":
		p.Visit(keymap.ShowStacks, state.Seek{Name: p.functionOf(r.Frame)})
	default:
		p.Say(p.Hint("{group} groups by the next key"))
	}
}

// Function implements [ui.Functioner].
func (p *Functions) Function() string {
	r, ok := p.Selected()
	if !ok {
		return ""
	}
	if p.Now().Of.By == weights.ByDSO && r.Name != "" {
		return calltree.ModulePrefix + r.Name
	}
	if by := p.Now().Of.By; by == weights.ByFunctionDSO || by == weights.ByOwner ||
		by == weights.BySourceLine && r.Name != "" {
		return p.functionOf(r.Frame)
	}
	return ""
}

// Place implements [ui.Placer]: rows of one function or line have one.
func (p *Functions) Place() (at lines.Place, ok bool) {
	r, ok := p.Selected()
	if !ok {
		return at, false
	}
	if at, ok = ui.PlaceOf(p.Now().Of.Of.Profile.Stacks, r.Frame); p.Now().Of.By == weights.ByFile {
		at.Line = model.NoLine
	}
	return at, ok
}

func (p *Functions) Follows() string { return "" }

func (p *Functions) functionOf(f model.FrameID) string {
	st := p.Now().Of.Of.Profile.Stacks
	return st.Functions[st.FrameFunc[f]]
}

func (p *Functions) CopyText() string {
	r, ok := p.Selected()
	if !ok {
		return ""
	}
	return widget.Clean(fmt.Sprintf("%s  %s  self %s  total %s", r.Name, p.Now().Of.dso(r), r.Weights[0].Self,
		r.Weights[0].Total))
}

// Difference implements [ui.Differing]: rows are functions at first.
func (p *Functions) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	by := analysis.ByFunction
	return table(p, ui.DiffTable{Group: &by})
}
