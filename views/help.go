package views

import (
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// helpView describes the screen below and its keys, generated from the key table, then how to read the figures, and the
// file.
type helpView struct {
	app    *app
	name   string
	below  []keymap.Scope // of the screen below
	text   widget.TextView
	lines  []widget.Line
	from   *widget.Look // for which lines were made
	k      *widget.Look // the same within the box
	width  int          // that the text had in the last frame
	search string
	at     int // line of the last visited match
}

// keyWidth is the column of keys in the help.
const keyWidth = 16

func newHelp(a *app) *helpView {
	v := &helpView{app: a, name: "Keys on " + a.current().Name(), below: a.Scopes()}
	v.build(a.Look)
	v.text.SetLines(v.lines)
	return v
}

// build makes the text in the styles of a look.
func (v *helpView) build(k *widget.Look) {
	v.from, v.k, v.lines = k, k.InBox(), nil
	v.intro()
	special, general := splitSections(v.app.o.Keys.Help(append(slices.Clip(v.below), keymap.ScopeInput)...))
	for _, s := range special {
		v.section(s)
	}
	v.screens()
	for _, s := range general {
		v.section(v.withoutScreens(s))
	}
	v.heading("Reading the figures")
	for _, t := range []string{
		"An instant means: after all events up to that time. The peak is the state just after the event that first reached it.",
		"Live is what is allocated and not yet freed at the instant. Total and count are over the whole run, or over the range.",
		"Unfreed is what was never freed, leak or not. Temporary blocks were freed by the very next event. Units are binary: 1 KiB is 1024 bytes.",
		"Growth is how fast the least live bytes rise in the last two thirds of the allocations, as check --max-growth limits it.",
		"≤ and ≥ mean that a figure is at most, or at least, so large: blocks without an address cannot be freed, a file may not have been read to its end.",
		"Verdicts: leak (grows to the end), late (grew like that, freed at exit), kept (stays), was kept (stayed, freed at exit), bounded (like a cache), in-flight (soon freed), unknown.",
	} {
		v.lines = append(v.lines, widget.Plain(t))
	}
	if p := v.app.state.Profile; p != nil {
		v.heading("This file")
		v.lines = append(v.lines, factLines(p, v.k, v.app.state.Status.Final)...)
	}
}

// intro adds the purpose of the screen.
func (v *helpView) intro() {
	for _, e := range v.app.o.Keys.Actions(keymap.ScopeGlobal) {
		if e.Action == v.app.current().Action() {
			v.lines = append(v.lines, widget.Line{Spans: []widget.Span{
				{Text: v.app.current().Name() + ": ", Style: v.k.Title}, {Text: e.Help},
			}})
		}
	}
}

// screens lists the screens that the file has, with their numbers.
func (v *helpView) screens() {
	rows := make([]keymap.Row, len(v.app.screens))
	for i, s := range v.app.screens {
		rows[i] = keymap.Row{Keys: strings.TrimSpace(v.app.screenKey(i) + " " + s.Name()), Help: v.app.screenHelp(s)}
	}
	const heading = "Screens of this file"
	v.section(keymap.Section{Title: heading, Rows: rows})
}

// withoutScreens leaves out the rows that lead to a screen: those that the file offers are listed separately.
func (v *helpView) withoutScreens(s keymap.Section) keymap.Section {
	leads := func(r keymap.Row) bool {
		name := strings.TrimPrefix(r.Name, string(keymap.ScopeGlobal)+".")
		return strings.HasPrefix(name, "screen-") ||
			slices.ContainsFunc(v.app.all, func(s ui.Screen) bool { return string(s.Action()) == name })
	}
	s.Rows = slices.DeleteFunc(s.Rows, leads)
	return s
}

func (v *helpView) heading(text string) {
	if len(v.lines) > 0 {
		v.lines = append(v.lines, widget.Line{})
	}
	v.lines = append(v.lines, widget.Line{Spans: []widget.Span{{Text: text, Style: v.k.Title}}})
}

func (v *helpView) section(s keymap.Section) {
	v.heading(s.Title)
	for _, r := range s.Rows {
		keys := r.Keys + strings.Repeat(" ", max(keyWidth-widget.Width(r.Keys), 1))
		v.lines = append(v.lines, widget.Line{
			Spans: []widget.Span{{Text: keys, Style: v.k.Sorted}, {Text: r.Help}}, Indent: keyWidth,
		})
	}
}

// splitSections puts the sections of the screen before those that apply everywhere.
func splitSections(list []keymap.Section) (special, general []keymap.Section) {
	for _, s := range list {
		here := false
		for _, r := range s.Rows {
			here = here || r.Where != "" && r.Where != keymap.ScopeInput.Where()
		}
		if here {
			special = append(special, s)
		} else {
			general = append(general, s)
		}
	}
	return special, general
}

// factLines returns the facts of the file, a line each. Once it is read, the costs of reading are left out.
func factLines(p *model.Profile, k *widget.Look, read bool) []widget.Line {
	const labelWidth = 22
	lines := []widget.Line{widget.Plain(p.Meta.Path)}
	fact := func(label, value string) {
		label += strings.Repeat(" ", max(labelWidth-widget.Width(label), 1))
		lines = append(lines, widget.Line{Spans: []widget.Span{{Text: label, Style: k.Muted}, {Text: value}}, Indent: labelWidth})
	}
	for _, f := range p.Meta.Facts {
		if read && strings.HasPrefix(f.Key, "estimated_") {
			continue
		}
		fact(f.Label, f.Value)
	}
	if p.Meta.FrameNote != "" {
		fact("Order of frames", p.Meta.FrameNote)
	}
	return lines
}

func (v *helpView) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeText} }

func (v *helpView) Key(*tcell.EventKey) bool { return false }

func (v *helpView) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	if v.from != k {
		v.build(k)
		v.mark()
	}
	in := ui.OverlayBox(s, r, 100, r.H, k, v.title())
	v.width = in.W - 1
	v.text.Draw(s, in, v.k)
}

// title returns how to read on where there is more below.
func (v *helpView) title() string {
	if _, below := v.text.More(); below || v.width == 0 {
		return v.name + v.app.Keys.Text(" · {page-down} reads on", keymap.ScopeText, keymap.ScopeGlobal)
	}
	return v.name
}

func (v *helpView) Do(a keymap.Action) bool {
	switch a {
	case keymap.FindNext:
		v.next(v.at+1, 1)
	case keymap.FindPrevious:
		v.next(v.at-1, -1)
	default:
		return ui.ScrollText(&v.text, a)
	}
	return true
}

// Find implements finder. It marks matching lines, and goes to the first.
func (v *helpView) Find(text string) {
	v.search, v.at = text, 0
	v.mark()
	if text != "" {
		v.next(0, 1)
	}
}

// mark shows the text with what matches in the style of matches.
func (v *helpView) mark() {
	marked := make([]widget.Line, len(v.lines))
	for i, l := range v.lines {
		marked[i] = l
		if !v.matches(i) {
			continue
		}
		marked[i].Spans = slices.Clone(l.Spans)
		for j := range marked[i].Spans {
			s := &marked[i].Spans[j]
			if s.Style == tcell.StyleDefault {
				s.Style = v.k.Text
			}
			s.Style = widget.Over(s.Style, v.k.Match)
		}
	}
	v.text.Replace(marked)
	v.text.Rows(max(v.width, 1)) // so that there is something to scroll
}

func (v *helpView) FindText() string { return v.search }

func (v *helpView) matches(line int) bool {
	if v.search == "" {
		return false
	}
	var text strings.Builder
	for _, s := range v.lines[line].Spans {
		text.WriteString(s.Text)
	}
	return ui.NameMatcher(v.search)(text.String())
}

// next goes to the nearest matching line from one on in a direction, round at the ends.
func (v *helpView) next(from, step int) {
	n := len(v.lines)
	for i := range n {
		at := ((from+i*step)%n + n) % n
		if v.matches(at) {
			v.at = at
			var above widget.TextView
			above.SetLines(v.lines[:at])
			v.text.Home()
			v.text.Scroll(max(above.Rows(max(v.width, 1))-2, 0))
			return
		}
	}
	if v.search != "" {
		v.app.say("nothing here matches " + v.search)
	}
}
