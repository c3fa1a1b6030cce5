package heap

import (
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	choose "github.com/memtui/memtui/analysis/objects"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// objects lists the rows of one type or frame in place of a table, as long as it is open.
type objects struct {
	ui.TablePane
	open    bool
	title   string
	caption string // in place of "Objects of" and the title; "" for these
	of      objectKey
	filter  string
	rows    *ui.Lazy[objectKey, *objectSet]
	search  search
	stopped objectKey // that a person stopped
	texts   *ui.Lazy[textKey, string]
	table   *ui.Table[objectData, model.Row]
	load    *ui.HeapLoad
}

// objectKey determines the rows of a type or frame.
type objectKey struct {
	load *ui.HeapLoad
	by   heapgraph.By
	id   uint32

	from  rowSource    // what lists the rows, instead; nil for none
	whole bool         // of the complete snapshot, instead
	in    choose.Group // of those, the ones of a group

	filter string        // of the contents of rows; "" for one that the table applies
	graph  *ui.HeapGraph // where the filter needs it
}

// rowSource lists rows that are no group of a snapshot.
type rowSource interface {
	listRows(ctx context.Context, load *ui.HeapLoad) ([]model.Row, error)
	oneName() bool // all have the name that is in the caption
}

// rows lists the rows of a group, or those of another source.
func (k *objectKey) rows(ctx context.Context) ([]model.Row, error) {
	if k.from != nil {
		return k.from.listRows(ctx, k.load)
	}
	return heapgraph.GroupRows(ctx, k.load.Heap, k.by, k.id)
}

// objectSet is those rows, by row. Read-only once made.
type objectSet struct {
	objectKey
	rows []model.Row
	all  int // without the filter
}

// ofOneName reports whether all rows have the name that is in the title.
func (s *objectSet) ofOneName() bool {
	if s.from != nil {
		return s.from.oneName()
	}
	return !s.whole && s.by.Axis == 0
}

// objectData determines the table of rows.
type objectData struct {
	set   *objectSet
	graph *ui.HeapGraph // nil until known
	full  bool
}

func newObjects(e *ui.Env) *objects {
	p := &objects{TablePane: ui.NewTablePane(e)}
	p.rows = ui.NewLazy(e, p.list)
	p.texts = ui.NewLazy(e, readText)
	p.table = ui.NewTable(e, &p.ListPane, objectData{set: &objectSet{}}, p.objectSpec())
	p.Enter = p.openObject
	return p
}

// list lists the rows of a type or frame: those that pass a filter of their contents, or all objects of the snapshot
// that do.
func (p *objects) list(ctx context.Context, k objectKey) (set *objectSet, err error) {
	set = &objectSet{objectKey: k}
	c, filter, err := k.chooser()
	if err != nil {
		return set, err
	}
	progress := p.search.begin()
	if k.whole {
		found, err := c.Find(ctx, choose.Question{Filter: filter, In: k.in}, progress)
		set.rows, set.all = found.Rows, found.Of
		return set, err
	}
	set.rows, err = k.rows(ctx)
	if set.all = len(set.rows); err != nil || filter == nil {
		return set, err
	}
	set.rows, err = c.Choose(ctx, set.rows, filter, progress)
	return set, err
}

// chooser returns what answers the question, and its filter, nil for none.
func (k *objectKey) chooser() (c choose.Chooser, filter *analysis.Filter, err error) {
	src := k.load.Heaps.Source()
	c = choose.Chooser{Source: src, Snapshot: k.load.I, Heap: k.load.Heap}
	if k.graph != nil {
		c.Graph = k.graph.Graph
	}
	if k.filter != "" {
		filter, err = analysis.ParseFilter(k.filter, choose.Fields(src)...)
	}
	return c, filter, err
}

// fields returns the fields for filters of the list.
func (p *objects) fields() []analysis.Field {
	if p.load == nil {
		return p.table.Fields()
	}
	return append(p.table.Fields(), choose.Fields(p.load.Heaps.Source())...)
}

// command returns the command that prints the list, nil where [objects.unprinted] says why there is none.
func (p *objects) command(file []string) []string {
	if p.unprinted() != "" {
		return nil
	}
	q := state.Question{Type: p.load.Heap.Tables.Type(p.of.id), Exact: true, Kind: p.kind()}
	if p.table.Sorted().Key == "bytes" {
		q.By = "bytes"
	}
	plain := p.State
	plain.Heap.Policy = 0 // rows are the same
	return command(&plain, "find", q, file)
}

// kind returns the name of the kind of the rows, "" if they are of several.
func (p *objects) kind() (name string) {
	for k := range p.load.Heap.Schema.Kinds {
		if p.of.by.Kinds.Has(model.HeapKind(k)) {
			if name != "" {
				return ""
			}
			name = p.load.Heap.Schema.Kinds[k].Name
		}
	}
	return name
}

// unprinted returns why no command prints the list, "" where one does.
func (p *objects) unprinted() string {
	if p.load == nil {
		return "the snapshot is not read yet"
	}
	h := p.load.Heap
	if p.of.from != nil {
		return "commands do not list the objects of such a row"
	}
	if p.of.by.Axis > 0 || p.kind() == "" || h.Schema.Sets[0].Kinds != p.of.by.Kinds {
		return "commands find only objects, by their type"
	}
	name := h.Tables.Type(p.of.id)
	if same, _ := heapgraph.TypesNamed(h, name, 0); name == "" || len(same) != 1 {
		return "commands find types by their names, and several have this one"
	}
	return ""
}

// Sorting implements [ui.Sorting]: the command lists rows in their order unless it sorts them.
func (p *objects) Sorting() (title, key string, usual bool) {
	title, key, _ = p.table.Sorting()
	return title, key, false
}

// narrow moves a filter on contents of rows to the query, and returns the filter that is left for the table.
func (p *objects) narrow(graph *ui.HeapGraph) string {
	p.of.filter, p.of.graph = "", nil
	f, err := analysis.ParseFilter(p.filter, choose.Fields(p.load.Heaps.Source())...)
	if err != nil || !f.Parts() && !p.of.whole {
		return p.filter
	}
	p.of.filter = p.filter
	if choose.Needs(f) && graph != nil && graph.HeapKey == p.load.HeapKey {
		p.of.graph = graph
	}
	return ""
}

func (p *objects) objectSpec() ui.Spec[objectData, model.Row] {
	return ui.Spec[objectData, model.Row]{
		Rows:    func(d objectData) []model.Row { return d.set.rows },
		Columns: p.columns,
		ID:      func(_ objectData, r *model.Row) uint64 { return uint64(*r) },
		Words: func(d objectData) func(*model.Row) []string {
			return func(r *model.Row) []string { return []string{namedRow(d.set.load.Heap, *r, d.full)} }
		},
		Sort: func(d objectData, rows []int32, c *ui.Column[model.Row], up bool) {
			if c.Value != nil {
				sortObjects(d.set.rows, rows, c.Value, up)
			} else {
				sortNames(d.set.rows, rows, c.Text, up)
			}
		},
		First: objectRetained,
		Bytes: func(d objectData, r *model.Row) uint64 { return d.set.load.Heap.Bytes(*r) },
		Most: func(d objectData) (bytes, count uint64) {
			if d.set.load == nil {
				return 0, 0
			}
			return d.set.load.Totals.Bytes(), uint64(d.set.load.Totals.Rows)
		},
	}
}

// objectRetained is the column of what rows retain.
const objectRetained = 3

// columns returns the columns of the list of rows. What is not known yet sorts like bytes.
func (p *objects) columns(d objectData) []ui.Column[model.Row] {
	var h *model.Heap
	var totals heapgraph.Totals
	schema, g := &noSchema, d.graph
	if load := d.set.load; load != nil {
		h, totals, schema = load.Heap, load.Totals, load.Heap.Schema
	}
	column := func(c ui.Column[model.Row], of func(r model.Row) uint64) ui.Column[model.Row] {
		c.Value = func(r *model.Row) uint64 { return of(*r) }
		return c
	}
	linked := func(c ui.Column[model.Row], of func(r model.Row) uint64) ui.Column[model.Row] {
		c.Known, c.Unknown = func(*model.Row) bool { return g != nil }, p.unknown
		if g == nil {
			of = h.Bytes
		}
		return column(c, of)
	}
	unmanaged := ui.Column[model.Row]{Title: titles.Unmanaged, Key: "unmanaged_bytes", Fields: []string{"unmanaged"},
		Figure: ui.BytesFigure, Width: 9, Drop: 3, Total: totals.UnmanagedBytes}
	if !schema.Split {
		unmanaged.Hidden, unmanaged.Fields = true, nil
	}
	row := ui.Column[model.Row]{Title: titles.Row, Key: "row", Width: 11, Right: true,
		Text: func(r *model.Row) string { return ui.RowText(*r) }}
	what := ui.Column[model.Row]{Title: titles.What, Key: "label", Width: 16, Grow: 5, Drop: 1, Hidden: d.set.ofOneName(),
		Cut: widget.CutPackage, Text: func(r *model.Row) string { return textOf(h, *r, d.full) }}
	held := ui.Column[model.Row]{Title: titles.Dominator, Key: "dominator", Width: 14, Grow: 4, Drop: 1,
		Cut: widget.CutPackage, Muted: true,
		Text: func(r *model.Row) string { return dominatorText(g, *r, d.full) }}
	return []ui.Column[model.Row]{
		column(row, func(r model.Row) uint64 { return uint64(r) }),
		column(ui.Column[model.Row]{Title: titles.Bytes, Key: "bytes", Fields: []string{"bytes", "size"},
			Figure: ui.BytesFigure, Total: totals.Bytes()}, h.Bytes),
		column(unmanaged, h.Unmanaged),
		linked(ui.Column[model.Row]{Title: titles.Retained, Key: "retained_bytes", Fields: []string{"retained"},
			Figure: ui.BytesFigure, Total: totals.Bytes()},
			func(r model.Row) uint64 { return g.Retained[r] }),
		{Title: titles.Share, Width: 6, Grow: 1, MaxWidth: 16, Drop: 4, Like: titles.Retained,
			Known: func(*model.Row) bool { return g != nil }, Cell: func(r *model.Row) widget.Cell {
				if g == nil {
					return widget.Cell{Text: p.unknown(), Style: p.Look.Muted}
				}
				return ui.ShareCell(g.Retained[*r], totals.Bytes())
			}},
		linked(ui.Column[model.Row]{Title: titles.Objects, Key: "retained_count", Fields: []string{"rows"},
			Figure: ui.CountFigure, Width: 9, Drop: 2, Total: uint64(totals.Rows)},
			func(r model.Row) uint64 { return g.RetainedCount(r) }),
		what,
		linked(held, func(r model.Row) uint64 { return uint64(g.Idom(r)) }),
	}
}

// unknown returns the text for figures that need references, before these are known.
func (p *objects) unknown() string {
	if p.load != nil && p.load.Unlinked() {
		return "?"
	}
	return p.Look.Glyphs.Ellipsis
}

// start opens the list for a group, largest retained size first.
func (p *objects) start(title string, by heapgraph.By, g *heapgraph.Group) {
	p.begin(title, "", objectKey{by: by, id: g.ID})
}

// startFrom opens the list for the rows of a source under a caption; by has their kinds, where these are those of a set.
func (p *objects) startFrom(caption string, by heapgraph.By, from rowSource) {
	p.begin("", caption, objectKey{by: by, from: from})
}

func (p *objects) begin(title, caption string, of objectKey) {
	p.open, p.title, p.caption, p.filter, p.of = true, title, caption, "", of
	p.table.Forget()
	p.table.Home()
	p.Say(p.Hint("{open} shows one, {dominators-of-this} what it retains, {back} goes back to the table"))
	p.Changed()
}

// show requests the rows in the snapshot. Indexes of types mean the same in all snapshots of a file.
func (p *objects) show(s *state.State, load *ui.HeapLoad, graph *ui.HeapGraph) {
	p.State, p.load = *s, load
	p.of.load = load
	left := p.filter
	if load != nil {
		left = p.narrow(graph)
	}
	if p.waits() {
		p.table.Forget()
		return
	}
	if p.of != p.stopped {
		p.rows.Ask(p.of)
	}
	set, ok := p.rows.Get()
	if !ok || set.by != p.of.by || set.id != p.of.id || set.from != p.of.from || set.in != p.of.in || set.filter != p.of.filter {
		p.table.Forget()
		return
	}
	d := objectData{set: set, full: s.FullName}
	if graph != nil && graph.HeapKey == set.load.HeapKey {
		d.graph = graph
	}
	p.table.Ask(d, left)
	p.explain()
}

// waits reports whether the filter asks for what objects retain while that is not known.
func (p *objects) waits() bool {
	if p.load == nil || p.of.graph != nil || p.of.filter == "" || p.load.Unlinked() {
		return false
	}
	_, filter, err := p.of.chooser()
	return err == nil && choose.Needs(filter) && p.Loads.Graph.Failure() == nil
}

// waiting says what the filter waits for.
func (p *objects) waiting() []string {
	return []string{"The filter asks for what objects retain…", p.Loads.Progress()}
}

// stop ends the search until the next request.
func (p *objects) stop() {
	if p.rows.Running() {
		p.stopped = p.rows.Key
		p.rows.Stop()
	}
}

// searching says why there is no list yet.
func (p *objects) searching() []string {
	switch {
	case p.waits():
		return p.waiting()
	case p.stopped.load != nil && p.stopped == p.of:
		return []string{p.Hint("The search was stopped: {open} continues.")}
	}
	return []string{"Searching… " + p.search.text(), p.Hint("{back} stops it.")}
}

// dominatorText names the dominator of a row.
func dominatorText(g *ui.HeapGraph, r model.Row, full bool) string {
	if d := g.Idom(r); d != model.RootRow {
		return namedRow(g.Heap, d, full)
	}
	return "several"
}

func (p *objects) selected() (model.Row, bool) {
	r, ok := p.table.Selected()
	if !ok {
		return 0, false
	}
	return *r, true
}

// explain describes the selected row, and its dominators.
func (p *objects) explain() {
	r, ok := p.selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	h, g := p.table.Now().Of.set.load.Heap, p.table.Now().Of.graph
	to, _ := h.Out(r)
	lines := []widget.Line{ui.TextLine(fmt.Sprintf("%s · %s", sizeText(h.Schema, h.Managed(r), h.Unmanaged(r), p.State.Exact),
		model.CountedAs(to.Len(), "reference out", "references out")))}
	answer := kindText(h, r)
	if g != nil {
		answer = "retains " + ui.BytesText(g.Retained[r], p.State.Exact)
		lines = append(lines, ui.TextLine(fmt.Sprintf("retains %s in %s", ui.BytesText(g.Retained[r], p.State.Exact),
			retainedText(g, r))))
		lines = append(lines, dominatorChain(&p.TablePane.Pane, g, r)...)
	}
	p.Detail.SetText(uint64(r), namedRow(h, r, p.State.FullName), answer, append(p.textLines(r), lines...))
}

// textLines returns the text of a row, if texts are shown.
func (p *objects) textLines(r model.Row) []widget.Line {
	if !p.State.Values {
		return nil
	}
	p.texts.Ask(textKey{p.table.Now().Of.set.load, r})
	if text, ok := p.texts.Get(); ok && text != "" && p.texts.Fresh() {
		return []widget.Line{ui.TextLine(text)}
	}
	return nil
}

// dominatorChain returns the dominators of a row, nearest first, up to the root.
func dominatorChain(p *ui.Pane, g *ui.HeapGraph, r model.Row) []widget.Line {
	const most = 12
	if g.Idom(r) == model.RootRow {
		return []widget.Line{p.Note("no single dominator: several paths lead to it from the root")}
	}
	var lines []widget.Line
	for n := 0; g.Idom(r) != model.RootRow && n < most; n++ {
		r = g.Idom(r)
		lines = append(lines, widget.Line{Indent: 2,
			Spans: []widget.Span{{Text: "dominated by ", Style: p.Look.Muted}, {Text: namedRow(g.Heap, r, p.State.FullName)},
				{Text: ", which retains " + ui.BytesText(g.Retained[r], p.State.Exact), Style: p.Look.Muted}}})
	}
	if g.Idom(r) != model.RootRow {
		lines = append(lines, p.Note("… and more, up to the root"))
	}
	return lines
}

// Draw implements tview.Primitive.
func (p *objects) Draw(s tcell.Screen) {
	answer := p.answer(p.Rect().W)
	body := p.DrawTitled(s, p.Rect(), widget.TruncateMiddle(p.heading(), max(p.Rect().W-widget.Width(answer)-4, 0)), answer)
	p.Split(body)
	p.table.Layout(p.ListAt.W, &p.State)
	p.List.Highlight = ui.FilterWord(p.filter)
	switch why, t := ui.Unanswered(p.rows), p.table.Now(); {
	case why != nil:
		p.List.Empty = why
	case t == nil && p.load == nil:
		p.List.Empty = p.Loads.Waiting(&p.State)
	case t == nil:
		p.List.Empty = p.searching()
	case len(t.Rows) > 0 || t.Of.set.all > 0:
		p.List.Empty = noMatches(&p.Pane, p.filter, false)
	default:
		p.List.Empty = []string{fmt.Sprintf("Snapshot #%d has none of these.", t.Of.set.load.I),
			p.Hint("{step-back} and {step-forward} go to another one, {back} goes back.")}
	}
	p.DrawPanes(s)
}

// noun returns the set of the schema that the rows are of.
func (p *objects) noun() *model.HeapSet {
	s := schemaOf(&p.State)
	if i := slices.IndexFunc(s.Sets, func(x model.HeapSet) bool { return x.Kinds == p.of.by.Kinds }); i > 0 {
		return &s.Sets[i]
	}
	return s.Objects()
}

// heading returns what the rows are.
func (p *objects) heading() string {
	if p.caption != "" {
		return filteredTitle(p.caption, p.filter)
	}
	if p.of.whole && p.title == "" {
		return filteredTitle("Objects", p.filter)
	}
	return filteredTitle("Objects of "+p.title, p.filter)
}

// answer says what is listed: how many rows, and their own bytes; where there is room, also in which order.
func (p *objects) answer(w int) string {
	t := p.table.Now()
	if t == nil {
		return ""
	}
	order := map[string]string{titles.Row: "by row", titles.Bytes: "largest first",
		titles.Unmanaged: "largest unmanaged first", titles.Retained: "most retained first",
		titles.Objects: "most retained objects first", titles.Dominator: "by dominator"}[p.table.Sorted().Title]
	if !p.List.Descending {
		order += ", reversed"
	}
	text := listedText(&p.Pane, p.noun(), len(t.Order), t.Of.set.all, t.Bytes)
	if p.of.whole && p.of.filter == "" && p.of.in.Key == "" {
		text += withoutRoots(t.Of.set.load, t.Of.set.all)
	}
	const roomy = 100
	if w < roomy {
		return text
	}
	return text + " · " + order
}

func (p *objects) openObject() {
	if r, ok := p.selected(); ok {
		visitRow(p.Env, keymap.ObjectOf, p.table.Now().Of.set.load.I, r)
	}
}

// Do carries out an action while the list is open.
func (p *objects) Do(a keymap.Action) bool {
	r, ok := p.selected()
	switch a {
	case keymap.Back:
		if p.DoTable(a) {
			return true
		}
		if p.filter != "" {
			p.filter = ""
		} else {
			p.open = false
		}
		p.Changed()
	case keymap.Group: // rows of one group cannot be grouped
	case keymap.ObjectOf, keymap.DominatorsOf, keymap.HotPath:
		if ok {
			visitRow(p.Env, a, p.table.Now().Of.set.load.I, r)
		}
	default:
		return p.DoTable(a)
	}
	return true
}

func (p *objects) CopyText() string {
	r, ok := p.selected()
	if !ok {
		return ""
	}
	h := p.table.Now().Of.set.load.Heap
	return model.Clean(namedRow(h, r, true)) + " " + model.Bytes(h.Bytes(r)).Exact()
}
