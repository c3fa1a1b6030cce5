package heap

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	choose "github.com/memtui/memtui/analysis/objects"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Find is the screen of the objects of a snapshot that pass a filter. It shows a list, or counts by a common property.
type Find struct {
	objectsPane
	counts  *ui.Lazy[countKey, *countSet]
	search  search
	stopped countKey // that a person stopped
	table   *ui.Table[countData, choose.Count]
	load    *ui.HeapLoad
}

// countKey determines how many objects have what in common.
type countKey struct {
	objectKey
	per string
}

// countSet is that. Read-only once made.
type countSet struct {
	countKey
	rows  []choose.Count
	found int
	bytes uint64
}

// countData determines the table of counts.
type countData struct{ *countSet }

// NewFind returns the screen that finds objects.
func NewFind(e *ui.Env) *Find {
	p := &Find{objectsPane: newObjectsPane(e)}
	p.counts = ui.NewLazy(e, p.count)
	p.table = ui.NewTable(e, &p.ListPane, countData{&countSet{}}, ui.Spec[countData, choose.Count]{
		Rows:    func(d countData) []choose.Count { return d.rows },
		Columns: p.columns,
		ID: func(_ countData, c *choose.Count) uint64 {
			h := fnv.New64a()
			h.Write([]byte(c.Value))
			return h.Sum64()
		},
		First: 0,
		Most:  func(d countData) (bytes, count uint64) { return d.bytes, uint64(d.found) },
	})
	p.lists, p.Enter = p, p.openCounted
	p.objects.open, p.objects.of.whole = true, true
	return p
}

// count finds objects and counts them.
func (p *Find) count(ctx context.Context, k countKey) (*countSet, error) {
	set := &countSet{countKey: k}
	c, filter, err := k.chooser()
	if err != nil {
		return set, err
	}
	progress := p.search.begin()
	half := func(from float64) func(done float64) {
		return func(done float64) { progress(from + done/2) }
	}
	found, err := c.Find(ctx, choose.Question{Filter: filter}, half(0))
	if err != nil {
		return set, err
	}
	for _, r := range found.Rows {
		set.bytes, _ = model.SaturatingAdd(set.bytes, k.load.Heap.Bytes(r))
	}
	set.found = len(found.Rows)
	set.rows, err = c.Count(ctx, found.Rows, k.per, half(1./2))
	return set, err
}

func (p *Find) columns(d countData) []ui.Column[choose.Count] {
	what := titles.What
	if d.per != "" {
		what = strings.ToUpper(model.Clean(d.per))
	}
	return []ui.Column[choose.Count]{
		{Title: titles.Count, Key: "count", Fields: []string{"count"}, Figure: ui.CountFigure, Total: uint64(d.found),
			Value: func(c *choose.Count) uint64 { return c.Count }, Tie: func(c *choose.Count) uint64 { return c.Bytes }},
		{Width: 6, Grow: 1, MaxWidth: 16, Drop: 3, Like: titles.Count,
			Cell: func(c *choose.Count) widget.Cell { return ui.ShareCell(c.Count, uint64(d.found)) }},
		{Title: titles.Bytes, Key: "bytes", Fields: []string{"bytes", "size"}, Figure: ui.BytesFigure, Total: d.bytes,
			Value: func(c *choose.Count) uint64 { return c.Bytes }},
		{Title: what, Key: "value", Width: 24, Grow: 6, Text: d.counted},
	}
}

// counted returns what objects have in common as the table shows it.
func (d countData) counted(c *choose.Count) string {
	schema := &noSchema
	if d.load != nil {
		schema = d.load.Heap.Schema
	}
	return model.Clean(choose.ValueText(schema, d.per, c.Value))
}

func (p *Find) Name() string { return "Find" }

func (p *Find) Action() keymap.Action { return keymap.ShowFind }

func (p *Find) Needs() model.Facet { return model.FacetHeaps }

func (p *Find) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeTable, keymap.ScopeHeap} }

func (p *Find) Command() []string { return nil }

func (p *Find) About() string {
	if per := p.State.Heap.Per; per != "" {
		return "by " + model.Clean(per)
	}
	return ""
}

// Useless implements [ui.Refuser].
func (p *Find) Useless(a keymap.Action) bool { return a == keymap.OwnersOf }

// Reveals implements [ui.Revealer].
func (p *Find) Reveals() bool {
	_, hasText := model.HeapFacet[model.HeapTexts](p.State.Heaps())
	return hasText
}

// Fields implements [ui.Filtered].
func (p *Find) Fields() []analysis.Field { return choose.Fields(p.State.Heaps()) }

// hidden reports whether what objects are to be counted by is not to be shown.
func (p *Find) hidden() bool { return choose.Secret(p.State.Heap.Per) && !p.State.Values }

// CommandLine returns the command that prints what is shown.
func (p *Find) CommandLine(file []string) []string {
	s := &p.State
	q := state.Question{Filter: s.Heap.Find, Per: s.Heap.Per, Values: choose.Secret(s.Heap.Per)}
	if q.Filter == "" {
		q.Filter = "bytes>=0" // everything
	}
	if p.objects.open && p.objects.table.Sorted().Key == "bytes" {
		q.By = "bytes"
	}
	return command(s, "find", q, file)
}

// Unprinted implements [ui.Unprinted].
func (p *Find) Unprinted() string {
	switch {
	case p.hidden():
		return p.hiddenText()
	case p.objects.open && p.objects.of.in.Key != "":
		return p.Hint("commands list the objects of all groups: {back} goes back to them")
	}
	return ""
}

func (p *Find) hiddenText() string {
	return p.Hint("{values} reveals what objects hold: it may be secret")
}

// Searches implements [ui.Explainer].
func (p *Find) Searches() string {
	return searches(p.State.Heaps())
}

// SearchText and Search implement [ui.Searcher].
func (p *Find) SearchText() string { return p.State.Heap.Find }

func (p *Find) Search(text string) { p.Emit(state.SetFind{Text: text}) }

// Working implements [ui.Worker].
func (p *Find) Working() bool { return p.objects.rows.Running() || p.counts.Running() }

// StopWork implements [ui.Worker].
func (p *Find) StopWork() {
	if p.counts.Running() {
		p.stopped = p.counts.Key
		p.counts.Stop()
	}
	p.objects.stop()
	p.Changed()
}

// Show shows a state.
func (p *Find) Show(s *state.State) {
	per := p.State.Heap.Per
	p.State = *s
	if in := &p.objects.of.in; per != s.Heap.Per || p.hidden() {
		*in = choose.Group{}
	}
	p.objects.open = s.Heap.Per == "" || p.objects.of.in.Key != ""
	p.objects.filter, p.objects.title = s.Heap.Find, p.objects.of.in.Value
	load := p.Loads.Ask(s)
	if p.load = load; load == nil {
		p.table.Forget()
		p.objects.show(s, nil, nil)
		return
	}
	graph := p.Loads.AskGraph(load, s.Heap.Policy)
	if p.objects.open {
		p.counts.Stop()
		p.objects.show(s, load, graph)
		return
	}
	p.objects.rows.Stop()
	p.showCounts(graph)
}

// showCounts asks how many objects have what in common.
func (p *Find) showCounts(graph *ui.HeapGraph) {
	p.objects.State, p.objects.load, p.objects.of.load = p.State, p.load, p.load
	p.objects.narrow(graph)
	key := countKey{p.objects.of, p.State.Heap.Per}
	if p.hidden() || p.objects.waits() {
		p.counts.Stop()
		p.table.Forget()
		return
	}
	if key != p.stopped {
		p.counts.Ask(key)
	}
	set, ok := p.counts.Get()
	if !ok || set.per != key.per || set.filter != key.filter {
		p.table.Forget()
		return
	}
	if p.table.Ask(countData{set}, "") {
		p.explain()
	}
}

// Draw implements tview.Primitive.
func (p *Find) Draw(s tcell.Screen) {
	if p.objects.open {
		p.objects.SetRect(p.GetRect())
		p.objects.Draw(s)
		return
	}
	title := "Objects by " + model.Clean(p.State.Heap.Per)
	p.Split(p.DrawTitled(s, p.Rect(), filteredTitle(title, p.State.Heap.Find), p.answer()))
	p.table.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

// answer sums up the counts.
func (p *Find) answer() string {
	t := p.table.Now()
	if t == nil {
		return ""
	}
	text := fmt.Sprintf("%s in %s · %s", model.Counted(t.Of.found, "object"), model.Counted(len(t.Rows), "group"),
		ui.BytesText(t.Of.bytes, p.State.Exact))
	if p.State.Heap.Find == "" {
		text += withoutRoots(t.Of.load, t.Of.found)
	}
	return text
}

// withoutRoots says how many roots a list of all objects leaves out that the snapshot counts as objects, as Types does; ""
// for none.
func withoutRoots(load *ui.HeapLoad, listed int) string {
	if roots := int(load.Totals.Counts[0]) - listed; roots > 0 {
		return " · without " + model.Counted(roots, "root")
	}
	return ""
}

func (p *Find) emptyText() []string {
	why := ui.Unanswered(p.counts)
	switch {
	case p.load == nil:
		return p.Loads.Waiting(&p.State)
	case p.hidden():
		return []string{p.hiddenText() + "."}
	case p.objects.waits():
		return p.objects.waiting()
	case why != nil:
		return why
	case p.table.Now() == nil && p.stopped.load != nil && p.stopped == p.counts.Key:
		return []string{p.Hint("The search was stopped: {open} continues.")}
	case p.table.Now() == nil:
		return []string{"Counting objects… " + p.search.text(), p.Hint("{back} stops it.")}
	}
	return noMatches(&p.Pane, p.State.Heap.Find, false)
}

// explain shows what the selected group is.
func (p *Find) explain() {
	c, ok := p.table.Selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	d := p.table.Now().Of
	row, _ := p.List.Selected()
	lines := []widget.Line{ui.TextLine(fmt.Sprintf("%s of %s · %s of %s", model.Group(c.Count), model.Counted(d.found, "object"),
		ui.BytesText(c.Bytes, p.State.Exact), ui.BytesText(d.bytes, p.State.Exact))),
		p.Note(p.Hint("{open} lists them, {table.group} counts by another property, :per .FIELD by a field"))}
	p.Detail.SetText(uint64(row)+1, d.counted(c), model.Counted(c.Count, "object"), lines)
}

// openCounted lists the objects of the selected group.
func (p *Find) openCounted() {
	c, ok := p.table.Selected()
	if !ok {
		return
	}
	p.objects.open, p.objects.of.in = true, choose.Group{Key: p.table.Now().Of.per, Value: c.Value}
	p.objects.table.Forget()
	p.objects.table.Home()
	p.Changed()
}

// nextKey returns what objects are counted by next, "" for a list.
func (p *Find) nextKey() string {
	keys := append([]string{""}, choose.Keys(p.State.Heaps(), p.State.Values)...)
	return keys[(slices.Index(keys, p.State.Heap.Per)+1)%len(keys)]
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Find) Do(a keymap.Action) bool {
	in := &p.objects.of.in
	switch {
	case a == keymap.Group:
		p.Emit(state.CountBy{Key: p.nextKey()})
	case a == keymap.Open && p.resumes():
	case a == keymap.Back && p.objects.open && p.objects.DoTable(a), a == keymap.Back && !p.objects.open && p.DoTable(a):
	case a == keymap.Back && in.Key != "":
		*in, p.objects.open = choose.Group{}, false
		p.Changed()
	case a == keymap.Back && p.State.Heap.Find != "":
		p.Emit(state.SetFind{})
	case a == keymap.Back && p.State.Heap.Per != "":
		p.Emit(state.CountBy{})
	case a == keymap.Back:
		return false
	case p.objects.open:
		return p.objects.Do(a)
	default:
		return p.DoTable(a)
	}
	return true
}

// resumes goes on with what was stopped, if anything was.
func (p *Find) resumes() bool {
	if p.Loads.Resume() {
		return true
	}
	if p.objects.stopped.load == nil && p.stopped.load == nil {
		return false
	}
	p.objects.stopped, p.stopped = objectKey{}, countKey{}
	p.Changed()
	return true
}

func (p *Find) CopyText() string {
	if p.objects.open {
		return p.objects.CopyText()
	}
	c, ok := p.table.Selected()
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s: %s in %s", p.table.Now().Of.counted(c), model.Bytes(c.Bytes).Exact(), model.Counted(c.Count, "object"))
}
