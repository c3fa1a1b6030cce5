package heap

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Threads is the screen of the program's threads.
type Threads struct {
	ui.TablePane
	load  *ui.HeapLoad // nil until known
	sets  *ui.Lazy[*ui.HeapLoad, *threadSet]
	sizes *ui.Lazy[threadData, *threadSizes]
	table *ui.Table[threadData, threadRow]
}

// threadRow is a thread.
type threadRow struct {
	n      int // in the file's order
	locals uint64
	model.HeapThread
}

// threadSet is the threads of a snapshot. Read-only once made.
type threadSet struct {
	load *ui.HeapLoad
	rows []threadRow
}

// threadData determines the table.
type threadData struct {
	*threadSet
	graph *ui.HeapGraph // nil until known
	sizes *threadSizes  // nil until known
}

// threadSizes is what each thread retains, in the file's order; nil where that is unknown.
type threadSizes struct{ of []*uint64 }

// NewThreads returns the screen of threads.
func NewThreads(e *ui.Env) *Threads {
	p := &Threads{TablePane: ui.NewTablePane(e)}
	p.sets = ui.NewLazy(e, listThreads)
	p.sizes = ui.NewDeepLazy(e, weighThreads)
	p.table = ui.NewTable(e, &p.ListPane, threadData{threadSet: &threadSet{}}, ui.Spec[threadData, threadRow]{
		Rows:    func(d threadData) []threadRow { return d.rows },
		Columns: p.columns,
		ID:      func(_ threadData, t *threadRow) uint64 { return uint64(t.n) },
		Words: func(threadData) func(t *threadRow) []string {
			return func(t *threadRow) []string {
				words := []string{t.Name, t.ID}
				for i := range t.Frames {
					words = append(words, t.Frames[i].Function)
				}
				return words
			}
		},
		Most: func(d threadData) (bytes, count uint64) { return totalsOf(d.load) },
	})
	p.Enter = func() { p.Do(keymap.ObjectOf) }
	return p
}

func listThreads(ctx context.Context, load *ui.HeapLoad) (*threadSet, error) {
	set := &threadSet{load: load}
	src, ok := model.HeapFacet[model.HeapThreads](load.Heaps.Source())
	if !ok {
		return set, nil
	}
	list, err := src.Threads(ctx, load.I, load.Heap)
	for i, t := range list {
		row := threadRow{n: i, HeapThread: t}
		for _, f := range t.Frames {
			row.locals += uint64(len(f.Locals))
		}
		set.rows = append(set.rows, row)
	}
	return set, err
}

func weighThreads(ctx context.Context, d threadData) (*threadSizes, error) {
	var list []model.HeapThread
	for i := range d.rows {
		list = append(list, d.rows[i].HeapThread)
	}
	sizes, err := d.graph.RetainedByThreads(ctx, list)
	return &threadSizes{sizes}, err
}

// retained returns what a thread retains; ok is false where that is unknown, or not known yet.
func (d threadData) retained(t *threadRow) (bytes uint64, ok bool) {
	if d.sizes == nil || d.sizes.of[t.n] == nil {
		return 0, false
	}
	return *d.sizes.of[t.n], true
}

func (p *Threads) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeTable, keymap.ScopeHeap} }

func (p *Threads) Command() []string { return nil }

func (p *Threads) Name() string { return "Threads" }

func (p *Threads) Action() keymap.Action { return keymap.ShowThreads }

func (p *Threads) Needs() model.Facet { return model.FacetHeaps | model.FacetHeapThreads }

// Useless implements [ui.Refuser]: nothing here is grouped.
func (p *Threads) Useless(a keymap.Action) bool { return a == keymap.Group || a == keymap.OwnersOf }

// CommandLine returns the command that prints what is shown.
func (p *Threads) CommandLine(file []string) []string {
	var q state.Question
	p.table.Narrow(&q, p.State.Filter)
	return command(&p.State, "threads", q, file)
}

// Fields implements [ui.Filtered].
func (p *Threads) Fields() []analysis.Field { return p.table.Fields() }

// columns returns the columns of the table. What is not known yet sorts in the file's order.
func (p *Threads) columns(d threadData) []ui.Column[threadRow] {
	whole, _ := totalsOf(d.load)
	known := func(t *threadRow) bool { _, ok := d.retained(t); return ok }
	retained := func(t *threadRow) uint64 { n, _ := d.retained(t); return n }
	unknown := func() string { // nothing is ever known of threads without an object
		if d.sizes != nil {
			return ""
		}
		return p.Look.Glyphs.Ellipsis
	}
	noObjects := !slices.ContainsFunc(d.rows, func(t threadRow) bool { return t.Row != model.RootRow })
	count := func(title, key, field string, of func(t *threadRow) uint64) ui.Column[threadRow] {
		return ui.Column[threadRow]{Title: title, Key: key, Fields: []string{field}, Figure: ui.CountFigure, Width: 7, Drop: 2, Value: of}
	}
	return []ui.Column[threadRow]{
		{Title: titles.Retained, Key: "retained_bytes", Fields: []string{"retained"}, Figure: ui.BytesFigure,
			Total: whole, Value: retained, Known: known, Unknown: unknown, Hidden: noObjects},
		{Width: 6, Grow: 1, MaxWidth: 20, Drop: 3, Like: titles.Retained, Hidden: noObjects,
			Cell: func(t *threadRow) widget.Cell { return ui.ShareCell(retained(t), whole) }},
		count(titles.Locals, "local_count", "locals", func(t *threadRow) uint64 { return t.locals }),
		count(titles.Depth, "", "frames", func(t *threadRow) uint64 { return uint64(len(t.Frames)) }),
		{Title: titles.Thread, Key: "name", Width: 16, Grow: 3, Text: threadName},
		{Title: titles.Frame, Width: 16, Grow: 4, Drop: 1, Cut: widget.CutPackage, Muted: true, Text: topFrame},
	}
}

// threadName returns the name of a thread.
func threadName(t *threadRow) string { return t.Title(t.n) }

// topFrame returns the top frame of a thread.
func topFrame(t *threadRow) string {
	if i := slices.IndexFunc(t.Frames, func(f model.HeapThreadFrame) bool { return f.Function != "" }); i >= 0 {
		return t.Frames[i].Function
	}
	return ""
}

// Show shows a state. Retained sizes are requested last: the table does not wait for them.
func (p *Threads) Show(s *state.State) {
	p.State = *s
	if p.load = p.Loads.Ask(s); p.load == nil {
		p.table.Forget()
		return
	}
	p.sets.Ask(p.load)
	set, ok := p.sets.Get()
	if !ok {
		return
	}
	d := threadData{threadSet: set}
	if g := p.Loads.AskGraph(p.load, s.Heap.Policy); g != nil && set.load == p.load {
		d.graph = g
		p.sizes.Ask(d)
		d.sizes, _ = p.sizes.Get()
	}
	if p.table.Ask(d, s.Filter) {
		p.explain()
	}
}

// Draw implements tview.Primitive.
func (p *Threads) Draw(s tcell.Screen) {
	answer := ""
	if t := p.table.Now(); t != nil {
		answer = model.Counted(len(t.Rows), "thread")
	}
	p.Split(p.DrawTitled(s, p.Rect(), filteredTitle("Threads", p.State.Filter), answer))
	p.table.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

func (p *Threads) emptyText() []string {
	t := p.table.Now()
	if t == nil {
		return emptyText(&p.Pane, p.load, ui.Unanswered(p.sets), []string{"Reading threads…"}, 0, "")
	}
	return emptyText(&p.Pane, p.load, ui.Unanswered(p.sets), nil, len(t.Rows), "This snapshot has no threads.")
}

// explain lists the frames of the selected thread with the objects that they refer to.
func (p *Threads) explain() {
	t, ok := p.table.Selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	d := p.table.Now().Of
	var lines []widget.Line
	for i := range t.Frames {
		f := &t.Frames[i]
		name := cmp.Or(f.Function, "held by the thread")
		line := widget.Line{Spans: []widget.Span{{Text: model.Clean(name)}}}
		if at := frameWhere(f.File, f.Line, p.State.FullName); at != "" {
			line.Spans = append(line.Spans, widget.Span{Text: " " + at, Style: p.Look.Muted})
		}
		lines = append(lines, line)
		for _, l := range f.Locals {
			if d.load.Heap.Has(l.Row) {
				lines = append(lines, p.local(d, l))
			}
		}
	}
	if len(t.Frames) == 0 {
		lines = append(lines, p.Note("the file records neither where this thread is nor what it holds there"))
	}
	if t.Row == model.RootRow {
		lines = append(lines, p.Note("the file has no object for this thread, so what it retains is unknown"))
	}
	answer := model.Counted(len(t.Frames), "frame")
	if n, ok := d.retained(t); ok {
		answer = "retains " + ui.BytesText(n, p.State.Exact)
	}
	p.Detail.SetText(uint64(t.n)+1, threadName(t), answer, lines)
}

// local returns the line of an object that a call refers to.
func (p *Threads) local(d threadData, l model.HeapLocal) widget.Line {
	line := below()
	if l.Name != "" {
		line.Spans = append(line.Spans, widget.Span{Text: model.Clean(l.Name) + " = ", Style: p.Style(themes.Muted)})
	}
	line.Spans = append(line.Spans, widget.Span{Text: namedRow(d.load.Heap, l.Row, p.State.FullName)})
	if d.graph != nil {
		line.Spans = append(line.Spans, widget.Span{Text: " retains " +
			ui.BytesText(d.graph.Retained[l.Row], p.State.Exact), Style: p.Look.Muted})
	}
	return line
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Threads) Do(a keymap.Action) bool {
	t, ok := p.table.Selected()
	switch {
	case !ok && a == keymap.ObjectOf:
		p.Loads.Resume()
	case ok && a == keymap.ObjectOf && t.Row == model.RootRow:
		p.Say("the file does not say which object this thread is")
	case ok && visitRow(p.Env, a, p.table.Now().Of.load.I, t.Row):
	default:
		return p.DoTable(a)
	}
	return true
}

func (p *Threads) CopyText() string {
	t, ok := p.table.Selected()
	if !ok {
		return ""
	}
	text := threadName(t)
	for _, f := range t.Frames {
		if f.Function != "" {
			text += "\n\tat " + f.Function
			if at := frameWhere(f.File, f.Line, true); at != "" {
				text += fmt.Sprintf(" (%s)", at)
			}
		}
	}
	return model.Clean(text)
}
