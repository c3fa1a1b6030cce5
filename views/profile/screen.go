package profile

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Screen is the overview of a stack profile: its events with their sums, and what else is in the file. The event chosen
// here is used by every other screen.
type Screen struct {
	ui.Pane
	ui.ListPane
	*ui.Table[eventData, int]
	sums    *ui.Lazy[*ui.ProfileFile, *eventSums]
	threads *ui.Lazy[RowsKey, *rows]
	heavy   *ui.Lazy[RowsKey, *rows] // functions, or owners
	top     *ui.Lazy[ui.ProfileKey, *heavyStacks]
	text    widget.TextView
	inText  bool
}

// NewOverview returns the first screen of a stack profile: its events and their metrics.
func NewOverview(e *ui.Env) *Screen {
	p := &Screen{Pane: ui.NewPane(e)}
	p.sums = ui.NewLazy(e, func(_ context.Context, d *ui.ProfileFile) (*eventSums, error) {
		return &eventSums{weights.Totals(d.Weights)}, nil
	})
	p.threads, p.heavy = ui.NewLazy(e, fetchHeavyRows(maxListed)), ui.NewLazy(e, fetchHeavyRows(maxHeavy))
	p.top = ui.NewLazy(e, fetchHeavy)
	p.Table = ui.NewTable(e, &p.ListPane, eventData{}, p.eventSpec())
	return p
}

func (p *Screen) Name() string { return "Profile" }

func (p *Screen) Action() keymap.Action { return keymap.ShowProfile }

func (p *Screen) Needs() model.Facet { return model.FacetProfile }

func (p *Screen) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeProfile}
}

// Useless implements [ui.Refuser]: events are not grouped, and the text has no order.
func (p *Screen) Useless(a keymap.Action) bool {
	return a == keymap.Group || p.inText && (a == keymap.Sort || a == keymap.SortReverse || a == keymap.Open)
}

func (p *Screen) Command() []string { return p.Prof.Arguments(&p.State) }

func (p *Screen) Follows() string { return "sums: all stacks" }

func (p *Screen) Show(s *state.State) {
	p.State = *s
	if p.Prof == nil {
		return
	}
	p.sums.Ask(p.Prof)
	p.threads.Ask(RowsKey{p.Prof.Key(s), weights.ByProfileThread})
	p.heavy.Ask(RowsKey{p.Prof.Key(s), heavyBy(p.Prof, s)})
	p.top.Ask(p.Prof.Key(s))
	p.Ask(p.data(), s.Filter)
	p.text.Replace(p.lines())
}

// heavyBy returns what is listed as the heaviest: of memory the owners, since all of it comes from a few functions that
// allocate.
func heavyBy(d *ui.ProfileFile, s *state.State) weights.By {
	if k := d.Key(s); !k.None && d.Weights.Metrics[k.Metric].Measure().Bytes {
		return weights.ByOwner
	}
	return weights.ByFunctionDSO
}

// data returns what the list of events shows now.
func (p *Screen) data() eventData {
	d := eventData{of: p.Prof, event: p.Prof.Event(&p.State)}
	d.sums, _ = p.sums.Get()
	d.metric, d.chosen = p.Prof.Metric(&p.State)
	return d
}

// sum returns the sum of a metric of an event, "" while unknown.
func (p *Screen) sum(event int, m model.MetricID) string {
	sum, ok := p.data().sum(event, m)
	switch {
	case !ok:
		return ""
	case sum.IsZero():
		return "0"
	}
	return ui.UnitOf(p.Prof.Weights, uint16(event), m).Text(sum, p.State.Exact)
}

// modeText returns how an event is sampled ("frequency 997 Hz").
func modeText(e *model.ProfileEvent) string {
	switch {
	case e.FrequencyHz > 0:
		return fmt.Sprintf("%s %g Hz", e.Mode, e.FrequencyHz)
	case e.SamplePeriod > 0 && !strings.ContainsAny(e.Mode, "0123456789"): // otherwise Mode includes the period
		return fmt.Sprintf("%s %g", e.Mode, e.SamplePeriod)
	}
	return e.Mode
}

// estimates returns which events were sampled, "" for none.
func (p *Screen) estimates() string {
	var list []string
	for i := range p.Prof.Weights.Events {
		if text := p.Prof.Weights.Events[i].Estimate(); text != "" {
			list = append(list, p.Prof.EventName(uint16(i))+" is "+text)
		}
	}
	return strings.Join(list[:min(len(list), 3)], " · ")
}

// Draw implements tview.Primitive.
func (p *Screen) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Prof == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, "Opening the file …", p.Look.Muted)
		return
	}
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r
	} else {
		widget.TitleLine(s, title, p.Look, "Events", p.answer())
	}
	rows := max(p.events(), 2) + 1
	list, rest := body.CutTop(min(rows, max(body.H/2, 3)))
	p.ListAt = list
	p.Layout(list.W, &p.State)
	p.List.Focused = !p.inText
	p.List.Empty = []string{"This file declares no event and no stack names one.", "Problems lists what was found in it."}
	if p.events() > 0 {
		p.List.Empty = []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	}
	p.List.Draw(s, list, p.Look)
	if rest.H < 2 {
		return
	}
	_, rest = rest.CutTop(1)
	if top, _ := p.top.Get(); rest.W >= besideEvents && len(top.lines(&p.Pane)) > 0 {
		var side widget.Rect
		rest, side = rest.CutLeft(rest.W / 2)
		_, side = side.CutLeft(1)
		top.draw(s, side, &p.Pane, "Heaviest stacks")
	}
	title, rest = rest.CutTop(1)
	look := p.Look
	if p.inText {
		look = ui.FocusedLook(look)
	}
	widget.TitleLine(s, title, look, "This profile", p.missing())
	p.text.Draw(s, rest.Inset(1, 0), p.Look)
}

// events returns the number of events, regardless of filters.
func (p *Screen) events() int {
	if p.Prof == nil {
		return 0
	}
	return len(p.Prof.Weights.Events)
}

// answer returns the event and metric of all screens.
func (p *Screen) answer() string {
	if p.events() == 0 {
		return ""
	}
	return "all screens show " + p.Prof.Key(&p.State).Title()
}

// missing returns the screens for which the file has no data.
func (p *Screen) missing() string {
	switch d := p.Prof; {
	case d.Samples == 0 && len(d.Weights.Windows) == 0:
		return "no samples, no windows: sums over the whole run"
	case d.Samples == 0:
		return model.Counted(len(d.Weights.Windows), "window") + ", no samples"
	}
	first, last := model.Ends(p.Prof.First, p.Prof.Last, p.Prof.Weights.AxisUnit)
	return "samples from " + first + " to " + last
}

// maxListed is the maximum number of threads and binaries that are listed.
const maxListed = 200

// maxHeavy is the maximum number of functions that are listed; their screen has all.
const maxHeavy = 20

// lines returns the text below the events.
func (p *Screen) lines() (out []widget.Line) {
	w := p.Prof.Weights
	fact := func(label, value string) {
		if value != "" {
			out = append(out, widget.Line{Spans: []widget.Span{{Text: fmt.Sprintf("%-10s", label),
				Style: p.Look.Muted}, {Text: value}}, Indent: 10})
		}
	}
	fact("tool", strings.TrimSpace(w.SourceTool+" "+w.ToolVersion))
	fact("command", w.Command)
	fact("figures", p.estimates())
	c := &w.Counts
	n := func(v int64, word string) string { return model.Counted(v, word) }
	fact("records", strings.Join([]string{n(c.Stacks, "stack"), n(c.Frames, "frame"), n(c.DSOs, "DSO"), n(c.Threads, "thread"),
		n(c.Samples, "sample"), n(c.Windows, "window")}, " · "))
	if w.End > 0 {
		fact("time", "0 – "+w.End.In(w.AxisUnit))
	}
	if w.FrameOrder != "" {
		fact("frames", strings.ReplaceAll(w.FrameOrder, "_", " ")+", ids "+strings.ReplaceAll(w.StackIDMode, "_", " "))
	}
	p.sumLines(fact)
	fact("missing", strings.Join(p.lacks(), " · "))
	heaviestLines(p.threads, "threads", p.State.Exact, fact)
	label := "functions"
	if p.heavy.Key.By == weights.ByOwner {
		label = "owners"
	}
	heaviestLines(p.heavy, label, p.State.Exact, fact)
	label = "DSOs"
	for i, d := range w.DSOs[min(1, len(w.DSOs)):] {
		text := d.Name
		if d.Kernel {
			text = ui.KernelSign + text
		}
		if d.BuildID != "" {
			text += "  build " + d.BuildID
		}
		if i == maxListed {
			fact("", "…")
			break
		}
		fact(label, text)
		label = ""
	}
	return out
}

// sumLines returns the sums of the other metrics of the chosen event.
func (p *Screen) sumLines(fact func(label, value string)) {
	e := p.Prof.Event(&p.State)
	var parts []string
	for _, m := range p.Prof.MetricsOf(e) {
		parts = append(parts, p.Prof.Weights.Metrics[m].Name+" "+p.sum(int(e), m))
	}
	if len(parts) > 0 {
		fact("sums", strings.Join(parts, " · "))
	}
}

// heaviestLines lists rows with their self weights. A single row without a name is left out.
func heaviestLines(of *ui.Lazy[RowsKey, *rows], label string, exact bool, fact func(label, value string)) {
	t, ok := of.Get()
	if !ok || len(t.Rows) == 0 || len(t.totals) == 0 {
		return
	}
	rows := t.Rows
	unit := t.Unit()
	for i := range rows {
		name := cmp.Or(rows[i].Name, calltree.Unnamed)
		if w := rows[i].Weights[0].Self; (len(rows) > 1 || rows[i].Name != "") && (i == 0 || !w.IsZero()) {
			fact(label, name+"  "+unit.Text(w, exact)+"  "+ui.AmountShare(w, t.totals[0]))
			label = ""
		}
	}
}

// lacks returns what the file does not record.
func (p *Screen) lacks() (out []string) {
	w := p.Prof.Weights
	add := func(missing bool, text string) {
		if missing {
			out = append(out, text)
		}
	}
	add(w.Command == "", "command")
	add(p.Prof.Samples == 0, "samples")
	add(len(w.Windows) == 0, "windows")
	add(w.Counts.Threads == 0, "threads")
	lines, unresolved := 0, 0
	for f := range w.FrameFlags {
		if p.Prof.Profile.Stacks.FrameFile[f] != 0 {
			lines++
		}
		if w.FrameFlags[f]&model.FrameUnresolved != 0 {
			unresolved++
		}
	}
	add(lines == 0, "source lines")
	add(unresolved > 0, model.Counted(unresolved, "function name"))
	return out
}

func (p *Screen) Do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane, keymap.PreviousPane:
		p.inText = !p.inText
	case keymap.Back:
		if !p.inText {
			return false
		}
		p.inText = false
	case keymap.Open:
		p.choose()
	default:
		if p.inText {
			return ui.ScrollText(&p.text, a)
		}
		return p.OrderBy(a) || ui.MoveList(&p.List, a)
	}
	return true
}

// choose selects the event for all screens, and opens the stacks of the one that they show.
func (p *Screen) choose() {
	row, ok := p.Selected()
	if !ok || p.Prof == nil {
		return
	}
	if *row == int(p.Prof.Event(&p.State)) {
		p.Visit(keymap.ShowStacks)
		return
	}
	p.Emit(state.ChooseEvent{Event: *row})
	text := p.Prof.EventName(uint16(*row)) + " is what all screens show now"
	if len(p.Prof.MetricsOf(uint16(*row))) > 1 {
		text += p.Hint("; {profile.series} switches to another metric")
	}
	p.Say(text)
}

func (p *Screen) CopyText() string {
	row, ok := p.Selected()
	if !ok {
		return ""
	}
	m, _ := weights.DefaultMetric(p.Prof.Weights, uint16(*row))
	return widget.Clean(p.Prof.Weights.Events[*row].Name + "  " + p.Prof.Weights.Metrics[m].Name + " " + p.sum(*row, m))
}

// Click implements clicker.
func (p *Screen) Click(x, y int, double bool) {
	if p.inText = !p.ListAt.Contains(x, y); !p.inText && p.Hit(x, y) && double {
		p.choose()
	}
}

func (p *Screen) Drag(_, _, _, _ int, _ bool) {}

func (p *Screen) Wheel(x, y, rows int) {
	if p.ListAt.Contains(x, y) {
		p.List.Scroll(rows)
		return
	}
	p.text.Scroll(rows)
}

// Difference implements [ui.Differing].
func (p *Screen) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Chart: true})
}
