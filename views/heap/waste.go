package heap

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/waste"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Waste is the screen of wasted memory.
type Waste struct {
	objectsPane
	load    *ui.HeapLoad // nil until known
	sets    *ui.Lazy[*ui.HeapLoad, *wasteSet]
	table   *ui.Table[wasteData, wasteRow]
	texts   *ui.Lazy[textKey, string]
	found   search
	stopped *ui.HeapLoad // that a person stopped
}

// wasteRow is a content that several strings have, all collections of a type, or a class that is loaded more than once.
type wasteRow struct {
	n             int
	what, kind    string // not cleaned
	holder        string // of equal texts: what refers to the first one
	row           model.Row
	count         uint64
	bytes, wasted uint64
	text          *waste.Text // one of these three
	room          *waste.Collection
	doubled       *waste.Doubled
}

// wasteSet is what was found in a snapshot. Read-only once made.
type wasteSet struct {
	load *ui.HeapLoad
	of   *waste.Waste
	rows []wasteRow
}

// wasteData determines the table.
type wasteData struct{ *wasteSet }

// NewWaste returns the screen of what is wasted.
func NewWaste(e *ui.Env) *Waste {
	p := &Waste{objectsPane: newObjectsPane(e)}
	p.sets = ui.NewLazy(e, p.fetch)
	p.texts = ui.NewLazy(e, readText)
	p.table = ui.NewTable(e, &p.ListPane, wasteData{&wasteSet{}}, ui.Spec[wasteData, wasteRow]{
		Rows:    func(d wasteData) []wasteRow { return d.rows },
		Columns: p.columns,
		ID:      func(_ wasteData, w *wasteRow) uint64 { return uint64(w.n) },
		Words: func(wasteData) func(w *wasteRow) []string {
			return func(w *wasteRow) []string { return []string{w.what, w.kind, w.holder} }
		},
		Most: func(d wasteData) (bytes, count uint64) { return totalsOf(d.load) },
	})
	p.lists, p.Enter = p.table, p.openRow
	return p
}

func (p *Waste) fetch(ctx context.Context, load *ui.HeapLoad) (*wasteSet, error) {
	src, ok := model.HeapFacet[model.HeapWaste](load.Heaps.Source())
	if !ok {
		return &wasteSet{load: load, of: &waste.Waste{}}, nil
	}
	found, err := waste.Find(ctx, src, load.I, load.Heap, p.found.begin())
	if err != nil {
		return nil, err
	}
	set := &wasteSet{load: load, of: found}
	h := load.Heap
	for i := range found.Strings.Top {
		t := &found.Strings.Top[i]
		set.add(wasteRow{what: h.Tables.Type(h.Entity[t.Row]), kind: sameness(t.Maybe), row: t.Row, count: t.Count,
			bytes: t.Bytes, wasted: t.Wasted, holder: holderOf(h, t), text: t})
	}
	for i := range found.Collections {
		c := &found.Collections[i]
		set.add(wasteRow{what: c.Type, kind: waste.FormName(c.Form), row: c.Row, count: c.Count, bytes: c.Bytes, wasted: c.Wasted, room: c})
	}
	for i := range found.Doubled {
		d := &found.Doubled[i]
		set.add(wasteRow{what: d.Type, kind: loadedText(d.Count), row: d.Row, count: d.Count, doubled: d})
	}
	slices.SortStableFunc(set.rows, func(a, b wasteRow) int { return cmp.Compare(b.wasted, a.wasted) })
	return set, nil
}

// sameness returns the kind of texts that are equal, or of which only the beginnings are known to be.
func sameness(maybe bool) string {
	if maybe {
		return "may be equal"
	}
	return "same text"
}

// loadedText returns how often a class is loaded.
func loadedText(n uint64) string {
	if n == 2 {
		return "loaded twice"
	}
	return "loaded " + model.Group(n) + " times"
}

// holderOf returns what refers to a text, and how: "" for nothing. It distinguishes texts that are not shown.
func holderOf(h *model.Heap, t *waste.Text) string {
	if !t.Held {
		return ""
	}
	return heapgraph.Through(ui.HeapName(heapgraph.Label(h, t.Holder)), model.Clean(h.EdgeText(t.Edge)))
}

// textKey identifies a row with a text.
type textKey struct {
	load *ui.HeapLoad
	row  model.Row
}

// readText reads the beginning of a row's text, "" if it has none.
func readText(ctx context.Context, k textKey) (string, error) {
	texts, ok := model.HeapFacet[model.HeapTexts](k.load.Heaps.Source())
	if !ok {
		return "", nil
	}
	return quoted(ctx, texts, k.load.I, k.load.Heap, k.row, maxText)
}

// textLine returns the text of duplicate strings, if values are shown.
func (p *Waste) textLine(w *wasteRow, d wasteData) widget.Line {
	if !p.State.Values {
		return p.Note(p.Hint("{values} reveals the texts: they may be secrets"))
	}
	key := textKey{d.load, w.row}
	p.texts.Ask(key)
	if text, ok := p.texts.Get(); ok && p.texts.Fresh() {
		return ui.TextLine(text)
	}
	return p.Note("reading the texts" + p.Look.Glyphs.Ellipsis)
}

func (s *wasteSet) add(w wasteRow) {
	w.n = len(s.rows)
	s.rows = append(s.rows, w)
}

func (p *Waste) Name() string { return "Waste" }

func (p *Waste) Action() keymap.Action { return keymap.ShowWaste }

func (p *Waste) Needs() model.Facet { return model.FacetHeaps | model.FacetHeapWaste }

func (p *Waste) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeTable, keymap.ScopeHeap} }

func (p *Waste) Command() []string { return nil }

func (p *Waste) About() string {
	if p.objects.open {
		return "objects"
	}
	return ""
}

// Unprinted implements [ui.Unprinted].
func (p *Waste) Unprinted() string {
	if p.objects.open {
		return p.objects.unprinted()
	}
	return ""
}

// Useless implements [ui.Refuser]: nothing here is grouped.
func (p *Waste) Useless(a keymap.Action) bool {
	return a == keymap.Group || a == keymap.OwnersOf
}

// Reveals implements [ui.Revealer].
func (p *Waste) Reveals() bool { return true }

// Working implements [ui.Worker].
func (p *Waste) Working() bool { return p.sets.Running() || p.objects.rows.Running() }

// StopWork implements [ui.Worker].
func (p *Waste) StopWork() {
	if p.sets.Running() {
		p.stopped = p.sets.Key
		p.sets.Stop()
	}
	p.objects.stop()
	p.Changed()
}

// CommandLine returns the command that prints what is shown.
func (p *Waste) CommandLine(file []string) []string {
	if p.objects.open {
		return p.objects.command(file)
	}
	var q state.Question
	p.table.Narrow(&q, p.State.Filter)
	return command(&p.State, "waste", q, file)
}

func (p *Waste) columns(d wasteData) []ui.Column[wasteRow] {
	whole, _ := totalsOf(d.load)
	count := func(title, field string, drop int, of func(c *waste.Collection) uint64) ui.Column[wasteRow] {
		return ui.Column[wasteRow]{Title: title, Fields: []string{field}, Figure: ui.CountFigure, Width: 8, Drop: drop,
			Known: (*wasteRow).roomy, Unknown: func() string { return "" },
			Rank: func(w *wasteRow) uint64 {
				if !w.roomy() {
					return 0
				}
				return of(w.room) + 1 // none counts as more than no capacity
			},
			Value: func(w *wasteRow) uint64 {
				if w.room == nil {
					return 0
				}
				return of(w.room)
			}}
	}
	return []ui.Column[wasteRow]{
		{Title: titles.Wasted, Key: "wasted_bytes", Fields: []string{"wasted"}, Figure: ui.BytesFigure, Total: whole,
			Value: func(w *wasteRow) uint64 { return w.wasted }},
		{Width: 6, Grow: 1, MaxWidth: 20, Drop: 4, Like: titles.Wasted,
			Cell: func(w *wasteRow) widget.Cell { return ui.ShareCell(w.wasted, whole) }},
		{Title: titles.Count, Key: "count", Fields: []string{"count"}, Figure: ui.CountFigure,
			Value: func(w *wasteRow) uint64 { return w.count }},
		{Title: titles.Bytes, Key: "bytes", Fields: []string{"bytes", "size"}, Figure: ui.BytesFigure, Drop: 1,
			Total: whole, Value: func(w *wasteRow) uint64 { return w.bytes }},
		count(titles.Empty, "empty", 2, func(c *waste.Collection) uint64 { return c.Empty }),
		count(titles.Sparse, "sparse", 3, func(c *waste.Collection) uint64 { return c.Sparse }),
		{Title: titles.What, Width: 16, Grow: 5, Cut: widget.CutPackage, Text: func(w *wasteRow) string { return w.name() }},
		{Title: titles.Kind, Width: 14, Text: func(w *wasteRow) string { return w.kind }},
	}
}

// name returns what a row is about: of equal texts, which is the first one, and what has it.
func (w *wasteRow) name() string {
	switch {
	case w.room != nil || w.doubled != nil:
		return ui.HeapName(w.what)
	case w.holder == "":
		return ui.HeapName(w.what) + " " + ui.RowText(w.row)
	}
	return ui.RowText(w.row) + " in " + w.holder
}

// roomy reports whether a row is collections with capacity for elements.
func (w *wasteRow) roomy() bool { return w.room != nil && w.room.Form != model.CollectionBox }

// Show shows a state.
func (p *Waste) Show(s *state.State) {
	p.State = *s
	if p.load = p.Loads.Ask(s); p.load == nil {
		p.table.Forget()
		return
	}
	if p.load != p.stopped {
		p.sets.Ask(p.load)
	}
	if set, ok := p.sets.Get(); ok && p.table.Ask(wasteData{set}, s.Filter) {
		p.explain()
	}
	if p.objects.open {
		p.showObjects()
	}
}

// showObjects lists what the opened row counted, as long as its snapshot is shown.
func (p *Waste) showObjects() {
	if was := p.objects.of.load; was != nil && was.HeapKey != p.load.HeapKey {
		p.objects.open = false
		return
	}
	p.objects.show(&p.State, p.load, p.Loads.AskGraph(p.load, p.State.Heap.Policy))
}

// Draw implements tview.Primitive.
func (p *Waste) Draw(s tcell.Screen) {
	if p.objects.open {
		p.objects.SetRect(p.GetRect())
		p.objects.Draw(s)
		return
	}
	p.Split(p.DrawTitled(s, p.Rect(), p.title(), p.answer(p.Rect().W)))
	p.table.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

func (p *Waste) title() string { return filteredTitle("Waste", p.State.Filter) }

// answer returns the sums; where there is little room, fewer of them, so that the title is seen.
func (p *Waste) answer(w int) string {
	t := p.table.Now()
	if t == nil || t.Of.of == nil {
		return ""
	}
	of := t.Of.of
	text := upTo(of.Strings.Maybe > 0) + ui.BytesText(of.Bytes(), p.State.Exact) + " wasted"
	if n := len(of.LeftOut); n > 0 {
		return text + ", without " + strings.ReplaceAll(strings.Join(of.LeftOut, " and "), "_", " ") + ": no memory for them"
	}
	duplicates := ui.BytesText(of.Strings.Wasted, p.State.Exact)
	one, many := waste.Words(t.Of.load.Heap.Schema)
	long := text + fmt.Sprintf(" · %s of that by duplicates among %s", duplicates, model.CountedAs(of.Strings.Objects, one, many))
	if widget.Width(long)+widget.Width(p.title())+4 > w {
		return text + ", " + duplicates + " by duplicates"
	}
	return long
}

func (p *Waste) emptyText() []string {
	t := p.table.Now()
	if t == nil {
		if p.load != nil && p.load == p.stopped {
			return []string{p.Hint("The search was stopped: {open} continues.")}
		}
		reading := []string{"Looking through strings and collections…", p.found.text()}
		return emptyText(&p.Pane, p.load, ui.Unanswered(p.sets), reading, 0, "")
	}
	return emptyText(&p.Pane, p.load, ui.Unanswered(p.sets), nil, len(t.Rows), "Nothing is wasted in this snapshot.")
}

// explain describes what the selected row wastes.
func (p *Waste) explain() {
	w, ok := p.table.Selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	d, exact := p.table.Now().Of, p.State.Exact
	var lines []widget.Line
	say := func(format string, args ...any) { lines = append(lines, ui.TextLine(fmt.Sprintf(format, args...))) }
	switch c := w.room; {
	case w.doubled != nil:
		say("%s, by:", loadedText(w.count))
		for _, loader := range w.doubled.Loaders {
			lines = append(lines, below(widget.Span{Text: model.Clean(loader)}))
		}
	case c == nil:
		say("%s", sameTexts(w, d.load.Heap.Schema, exact))
		lines = append(lines, p.textLine(w, d))
	case c.Form == model.CollectionBox:
		say("%s in objects of their own, %s in total", model.CountedAs(int(w.count), "value", "values"),
			ui.BytesText(w.bytes, exact))
	default:
		empty := "without elements"
		if c.Form == model.CollectionArray {
			empty = "with nothing but zeros or nulls"
		}
		say("EMPTY: %s %s, SPARSE: %s at most a quarter full · %s in capacity for %s",
			model.Group(c.Empty), empty, model.Group(c.Sparse),
			model.CountedAs(int(c.Elements), "element", "elements"), model.Group(c.Capacity))
	}
	shown := "the first"
	if w.room != nil {
		shown = "what wastes most"
	}
	lines = append(lines, p.Note(p.Hint("{open} lists them, {object-of-this} shows "+shown)))
	h := d.load.Heap
	if w.room != nil {
		lines = append(lines, p.Note("wastes most: "), below(widget.Span{Text: namedRow(h, w.row, p.State.FullName)}))
	}
	for _, r := range d.of.Referents {
		lines = append(lines, p.Note(fmt.Sprintf("references, %s: to %s of %s", r.Kind,
			model.CountedAs(int(r.Objects), "object", "objects"), ui.BytesText(r.Bytes, exact))))
	}
	if f := &d.of.Finalizers; f.Count > 0 {
		lines = append(lines, p.Note(fmt.Sprintf("%s, %s: %s wait for the thread that runs it",
			model.CountedAs(int(f.Count), "object has a finalize method", "objects have a finalize method"),
			ui.BytesText(f.Bytes, exact), model.Group(f.Queued))))
	}
	p.Detail.SetText(uint64(w.n)+1, ui.HeapName(w.what), upTo(w.maybe())+ui.BytesText(w.wasted, exact)+" wasted", lines)
}

// sameTexts describes equal texts, or those of which only the beginnings are known to be equal.
func sameTexts(w *wasteRow, schema *model.HeapSchema, exact bool) string {
	one, many := waste.Words(schema)
	text := model.CountedAs(w.count, one, many)
	if w.maybe() {
		return text + fmt.Sprintf(" with the same beginning, %s in total: the file has no more of them; if they are equal, "+
			"one copy would be enough", ui.BytesText(w.bytes, exact))
	}
	return text + fmt.Sprintf(" with the same text, %s in total: one copy would be enough", ui.BytesText(w.bytes, exact))
}

// upTo returns what precedes a figure that is an upper bound.
func upTo(maybe bool) string {
	if maybe {
		return "up to "
	}
	return ""
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Waste) Do(a keymap.Action) bool {
	if p.objects.open {
		return p.doObjects(a)
	}
	w, ok := p.table.Selected()
	switch {
	case !ok && (a == keymap.ObjectOf || a == keymap.Open) && p.stopped != nil:
		p.stopped = nil
		p.Changed()
	case !ok && a == keymap.ObjectOf:
		p.Loads.Resume()
	case ok && visitRow(p.Env, a, p.table.Now().Of.load.I, w.row):
	default:
		return p.DoTable(a)
	}
	return true
}

// doObjects carries out an action on the list of objects, which may have been stopped.
func (p *Waste) doObjects(a keymap.Action) bool {
	if a == keymap.Open && p.objects.stopped.load != nil {
		p.objects.stopped = objectKey{}
		p.Changed()
		return true
	}
	return p.objects.Do(a)
}

func (p *Waste) CopyText() string {
	if p.objects.open {
		return p.objects.CopyText()
	}
	w, ok := p.table.Selected()
	if !ok {
		return ""
	}
	return model.Clean(fmt.Sprintf("%s %s: %s wasted in %s", w.kind, w.name(), model.Bytes(w.wasted).Exact(),
		model.Group(w.count)))
}
