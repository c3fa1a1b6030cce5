package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// helpView shows the keys that work on the screen below, generated from the key table, then what the file is.
type helpView struct {
	text widget.TextView
	name string
	h    int
}

func newHelp(a *app) *helpView {
	v := &helpView{name: "Keys on " + a.current().name()}
	var lines []widget.Line
	heading := func(text string) {
		if len(lines) > 0 {
			lines = append(lines, widget.Line{})
		}
		lines = append(lines, widget.Line{Spans: []widget.Span{{Text: text, Style: a.look.Title}}})
	}
	for _, s := range a.o.Keys.Help(append(a.scopes(), keymap.ScopeInput)...) {
		heading(s.Title)
		for _, r := range s.Rows {
			help := r.Help
			if r.Where != "" {
				help += " (" + r.Where + ")"
			}
			const keyWidth = 16
			keys := r.Keys + strings.Repeat(" ", max(keyWidth-widget.Width(r.Keys), 1))
			lines = append(lines, widget.Line{Spans: []widget.Span{{Text: keys, Style: a.look.Sorted}, {Text: help}}, Indent: keyWidth})
		}
	}
	heading("Reading the figures")
	for _, t := range []string{
		"An instant means: after all events up to that time. The peak is the state just after the event that first reached it.",
		"Live is what is allocated and not yet freed at the instant. Total and count are over the whole run, or over the range.",
		"Leaked was never freed. Temporary blocks were freed by the very next event. Units are binary: 1 KiB is 1024 bytes.",
		"Shapes: once, linear (grows steadily), steps, plateau (filled up, like a cache), burst, shutdown (given back at the end), mixed.",
	} {
		lines = append(lines, widget.Plain(t))
	}
	if p := a.state.Profile; p != nil && len(p.Meta.Facts) > 0 {
		heading("This file")
		for _, f := range fileFacts(p) {
			lines = append(lines, widget.Plain(f))
		}
	}
	v.text.SetLines(lines)
	return v
}

// fileFacts is what the file says about itself, a line each.
func fileFacts(p *model.Profile) []string {
	out := []string{p.Meta.Path}
	for _, f := range p.Meta.Facts {
		out = append(out, f.Label+": "+f.Value)
	}
	if p.Meta.FrameNote != "" {
		out = append(out, "frames: "+p.Meta.FrameNote)
	}
	return out
}

func (v *helpView) title() string            { return v.name }
func (v *helpView) scopes() []keymap.Scope   { return []keymap.Scope{keymap.ScopeText} }
func (v *helpView) key(*tcell.EventKey) bool { return false }

func (v *helpView) draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	in := widget.Box(s, r.Centered(min(r.W, 100), r.H), k, v.name)
	v.h = in.H
	v.text.Draw(s, in, k)
}

func (v *helpView) do(a keymap.Action) bool { return scrollText(&v.text, a) }

// scrollText moves a text by the usual actions.
func scrollText(t *widget.TextView, a keymap.Action) bool {
	switch a {
	case keymap.Up:
		t.Scroll(-1)
	case keymap.Down:
		t.Scroll(1)
	case keymap.PageUp:
		t.Page(-1)
	case keymap.PageDown:
		t.Page(1)
	case keymap.First:
		t.Home()
	case keymap.Last:
		t.End()
	default:
		return false
	}
	return true
}
