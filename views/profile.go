package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// profileScreen says what a stack profile is about: its events with their sums, and what else is in the file. What is chosen here
// is what every other screen weighs by.
type profileScreen struct {
	pane
	sums    *lazy[*profFile, []weights.EventTotals]
	threads *lazy[rowsKey, *profRows]
	list    widget.List
	text    widget.TextView
	inText  bool
	listAt  widget.Rect
}

func newProfileScreen(e *env) *profileScreen {
	p := &profileScreen{pane: newPane(e)}
	p.sums = newLazy(e, func(_ context.Context, d *profFile) ([]weights.EventTotals, error) {
		return weights.ProfileTotals(d.weights), nil
	})
	p.threads = newLazy(e, fetchProfRows)
	p.list = widget.List{Table: p, SortColumn: -1, Column: -1}
	return p
}

func (p *profileScreen) name() string           { return "Profile" }
func (p *profileScreen) action() keymap.Action  { return keymap.ShowProfile }
func (p *profileScreen) needs() model.Facet     { return model.FacetProfile }
func (p *profileScreen) scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeProfile} }
func (p *profileScreen) command() []string      { return p.prof.arguments(&p.state) }

func (p *profileScreen) follows() string { return "sums: all stacks" }

func (p *profileScreen) show(s *State) {
	p.state = *s
	if p.prof == nil {
		return
	}
	p.sums.ask(p.prof)
	p.threads.ask(rowsKey{p.prof.key(s), weights.ByProfileThread})
	p.list.Refresh()
	p.text.Replace(p.lines())
}

// The columns of the list of events.
const (
	eventSign = iota
	eventLabel
	eventKind
	eventMode
	eventStacks
	eventMetric
	eventTotal
)

// Len, ID and Cell implement widget.Table.
func (p *profileScreen) Len() int {
	if p.prof == nil {
		return 0
	}
	return len(p.prof.weights.Events)
}
func (p *profileScreen) ID(row int) uint64 { return uint64(row) }

func (p *profileScreen) Cell(row, col int) widget.Cell {
	e := &p.prof.weights.Events[row]
	chosen := row == int(p.prof.event(&p.state))
	switch col {
	case eventSign:
		if chosen {
			return widget.Cell{Text: p.look.Glyphs.Check, Style: p.style(themes.Accent)}
		}
	case eventLabel:
		return widget.Cell{Text: e.Name}
	case eventKind:
		return widget.Cell{Text: e.Kind, Style: p.look.Muted}
	case eventMode:
		return widget.Cell{Text: modeText(e), Style: p.look.Muted}
	case eventStacks:
		if sums, ok := p.sums.get(); ok && row < len(sums) {
			return widget.Cell{Text: model.Group(uint64(sums[row].Stacks))}
		}
	case eventMetric, eventTotal:
		return p.metricCell(row, col, chosen)
	}
	return widget.Cell{}
}

// metricCell is the metric that an event is weighed by, or the sum of it.
func (p *profileScreen) metricCell(row, col int, chosen bool) widget.Cell {
	m, ok := weights.DefaultMetric(p.prof.weights, uint16(row))
	if chosen {
		m, ok = p.prof.metric(&p.state)
	}
	if !ok {
		return widget.Cell{Text: "none", Style: p.look.Muted}
	}
	if col == eventMetric {
		return widget.Cell{Text: p.prof.weights.Metrics[m].Name}
	}
	return widget.Cell{Text: p.sum(row, m)}
}

// sum is the sum of a metric of an event, "" while it is not there.
func (p *profileScreen) sum(event int, m model.MetricID) string {
	sums, ok := p.sums.get()
	if !ok || event >= len(sums) {
		return ""
	}
	for _, s := range sums[event].Sums {
		if s.Metric == m {
			return unitOf(&p.prof.weights.Metrics[m]).text(s.Sum, p.state.Exact)
		}
	}
	return "0"
}

// modeText is how an event is sampled ("frequency 997 Hz").
func modeText(e *model.ProfileEvent) string {
	switch {
	case e.FrequencyHz > 0:
		return fmt.Sprintf("%s %g Hz", e.Mode, e.FrequencyHz)
	case e.SamplePeriod > 0:
		return fmt.Sprintf("%s %g", e.Mode, e.SamplePeriod)
	}
	return e.Mode
}

// Draw implements tview.Primitive.
func (p *profileScreen) Draw(s tcell.Screen) {
	r := p.rect()
	if p.prof == nil {
		widget.Print(s, r.X+1, r.Y, r.W-2, "Opening the file …", p.look.Muted)
		return
	}
	title, body := r.CutTop(1)
	if r.H < 6 {
		body = r
	} else {
		widget.TitleLine(s, title, p.look, "Events", p.answer())
	}
	rows := max(p.Len(), 2) + 1
	list, rest := body.CutTop(min(rows, max(body.H/2, 3)))
	w := amountWidth(p.state.Exact)
	const right = widget.Right
	p.list.Columns = []widget.Column{
		eventSign: {Width: 1}, eventLabel: {Title: "EVENT", Width: 12, Grow: 1, Cut: widget.CutMiddle}, eventKind: {Title: "KIND", Width: 10, Drop: 3},
		eventMode: {Title: "SAMPLING", Width: 16, Drop: 2}, eventStacks: {Title: "STACKS", Width: 8, Align: right, Drop: 4},
		eventMetric: {Title: "METRIC", Width: 12, Align: right, Drop: 1}, eventTotal: {Title: "SUM", Width: w, Align: right},
	}
	p.list.Focused, p.listAt = !p.inText, list
	p.list.Empty = []string{"This file declares no event and no stack names one.", "Problems says what was found in it."}
	p.list.Draw(s, list, p.look)
	if rest.H < 2 {
		return
	}
	_, rest = rest.CutTop(1)
	title, rest = rest.CutTop(1)
	look := p.look
	if p.inText {
		look = dressed(look)
	}
	widget.TitleLine(s, title, look, "This profile", p.missing())
	p.text.Draw(s, rest.Inset(1, 0), p.look)
}

// answer says what all screens weigh by.
func (p *profileScreen) answer() string {
	if p.Len() == 0 {
		return ""
	}
	return "all screens show " + p.prof.key(&p.state).title()
}

// missing says which screens the file has nothing for.
func (p *profileScreen) missing() string {
	switch d := p.prof; {
	case d.samples == 0 && len(d.weights.Windows) == 0:
		return "no samples, no windows: sums over the whole run"
	case d.samples == 0:
		return plural(len(d.weights.Windows), "window", "windows") + ", no samples"
	}
	return "samples from " + p.prof.first.String() + " to " + p.prof.last.String()
}

// maxListed bounds the threads and binaries that are listed.
const maxListed = 200

// lines is the text below the events.
func (p *profileScreen) lines() (out []widget.Line) {
	w := p.prof.weights
	fact := func(label, value string) {
		if value != "" {
			out = append(out, widget.Line{Spans: []widget.Span{{Text: fmt.Sprintf("%-10s", label), Style: p.look.Muted}, {Text: value}}, Indent: 10})
		}
	}
	fact("tool", strings.TrimSpace(w.SourceTool+" "+w.ToolVersion))
	fact("command", w.Command)
	c := &w.Counts
	n := func(v int64, word string) string { return plural(int(v), word, word+"s") }
	fact("records", strings.Join([]string{n(c.Stacks, "stack"), n(c.Frames, "frame"), n(c.DSOs, "DSO"), n(c.Threads, "thread"),
		n(c.Samples, "sample"), n(c.Windows, "window")}, " · "))
	if w.End > 0 {
		fact("time", "0 – "+w.End.String())
	}
	fact("frames", strings.ReplaceAll(w.FrameOrder, "_", " ")+", ids "+strings.ReplaceAll(w.StackIDMode, "_", " "))
	p.sumLines(fact)
	fact("missing", strings.Join(p.lacks(), " · "))
	p.threadLines(fact)
	label := "DSOs"
	for i, d := range w.DSOs[min(1, len(w.DSOs)):] {
		text := d.Name
		if d.Kernel {
			text = kernelSign + text
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

// sumLines is the sums of the other metrics of the chosen event.
func (p *profileScreen) sumLines(fact func(label, value string)) {
	e := p.prof.event(&p.state)
	var parts []string
	for _, m := range p.prof.metricsOf(e) {
		parts = append(parts, p.prof.weights.Metrics[m].Name+" "+p.sum(int(e), m))
	}
	if len(parts) > 0 {
		fact("sums", strings.Join(parts, " · "))
	}
}

// threadLines is the threads that weigh most.
func (p *profileScreen) threadLines(fact func(label, value string)) {
	t, ok := p.threads.get()
	if !ok || len(t.rows) == 0 || len(t.totals) == 0 {
		return
	}
	rows := slices.Clone(t.rows)
	slices.SortStableFunc(rows, func(a, b weights.ProfileRow) int {
		return cmp.Or(b.Weights[0].Self.Compare(a.Weights[0].Self), strings.Compare(a.Name, b.Name))
	})
	unit := unitOf(&t.of.weights.Metrics[t.metric])
	label := "threads"
	for i := range rows[:min(len(rows), maxListed)] {
		name := rows[i].Name
		if name == "" {
			name = "(unknown)"
		}
		if w := rows[i].Weights[0].Self; len(rows) > 1 || rows[i].Name != "" {
			fact(label, name+"  "+unit.text(w, p.state.Exact)+"  "+amountShare(w, t.totals[0]))
			label = ""
		}
	}
}

// lacks lists what the file does not say.
func (p *profileScreen) lacks() (out []string) {
	w := p.prof.weights
	add := func(missing bool, text string) {
		if missing {
			out = append(out, text)
		}
	}
	add(w.Command == "", "command")
	add(p.prof.samples == 0, "samples")
	add(len(w.Windows) == 0, "windows")
	add(w.Counts.Threads == 0, "threads")
	lines, unresolved := 0, 0
	for f := range w.FrameFlags {
		if p.prof.profile.Stacks.FrameFile[f] != 0 {
			lines++
		}
		if w.FrameFlags[f]&model.FrameUnresolved != 0 {
			unresolved++
		}
	}
	add(lines == 0, "source lines")
	add(unresolved > 0, plural(unresolved, "function name", "function names"))
	return out
}

func (p *profileScreen) do(a keymap.Action) bool {
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
			return scrollText(&p.text, a)
		}
		return moveList(&p.list, a)
	}
	return true
}

// choose makes the selected event the one that everything is weighed under.
func (p *profileScreen) choose() {
	row, ok := p.list.Selected()
	if !ok || p.prof == nil || row >= p.Len() {
		return
	}
	p.emit(chooseEvent{row})
	p.say(p.prof.eventName(uint16(row)) + " is what all screens show; m weighs by another metric")
}

func (p *profileScreen) copyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return ""
	}
	m, _ := weights.DefaultMetric(p.prof.weights, uint16(row))
	return widget.Clean(p.prof.weights.Events[row].Name + "  " + p.prof.weights.Metrics[m].Name + " " + p.sum(row, m))
}

// click implements clicker.
func (p *profileScreen) click(x, y int, double bool) {
	row, ok := p.list.HitRow(x, y)
	if p.inText = !ok && !p.listAt.Contains(x, y); !ok {
		return
	}
	p.list.Select(row)
	if double {
		p.choose()
	}
}

func (p *profileScreen) drag(_, _, _, _ int, _ bool) {}
func (p *profileScreen) wheel(x, y, rows int) {
	if p.listAt.Contains(x, y) {
		p.list.Scroll(rows)
		return
	}
	p.text.Scroll(rows)
}
