package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// palette is a line to type a command in, above the list of all that fit it.
type palette struct {
	app   *app
	input widget.Input
	list  widget.List
	all   []keymap.Entry
	shown []keymap.Entry
}

// wordCommands are commands that take an argument; the other commands are the key table's actions.
func wordCommands() []keymap.Entry {
	return []keymap.Entry{
		{Action: "at", Help: "at TIME: move the instant (12.5s, 50%, peak, end)"},
		{Action: "range", Help: "range FROM TO: select a range (range 10ms 2s)"},
		{Action: "filter", Help: "filter TEXT: filter tables (live>1M, !std::)"},
		{Action: "group", Help: "group KEY: stack, function, file, module, thread, size"},
		{Action: "min-age", Help: "min-age TIME: least age of a leak"},
		{Action: "theme", Help: "theme NAME: change the colours"},
	}
}

func newPalette(a *app) *palette {
	p := &palette{app: a, all: append(wordCommands(), a.o.Keys.Actions(a.everyScope()...)...)}
	p.input.Prompt, p.input.Hint = ":", "type a command; Up and Down choose, Tab completes, Enter runs it"
	p.list = widget.List{
		Table: p, SortColumn: -1, Column: -1, HideHeader: true, Focused: true,
		Columns: []widget.Column{{Width: 16}, {Width: 10}, {Width: 20, Grow: 1}},
		Empty:   []string{"No command has that in its name.", "Backspace shows more of them."},
	}
	p.narrow()
	return p
}

// everyScope is every scope whose actions make sense on this screen.
func (a *app) everyScope() []keymap.Scope {
	s := append([]keymap.Scope{}, a.current().scopes()...)
	if a.loading() {
		s = append(s, keymap.ScopeLoading)
	}
	return append(s, keymap.ScopeGlobal)
}

// narrow lists the commands that fit what is typed: those that begin with it first.
func (p *palette) narrow() {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(p.input.Text())), " ")
	var begins, holds []keymap.Entry
	for _, e := range p.all {
		name := string(e.Action)
		switch {
		case strings.HasPrefix(name, word):
			begins = append(begins, e)
		case strings.Contains(name, word) || strings.Contains(strings.ToLower(e.Help), word):
			holds = append(holds, e)
		}
	}
	p.shown = append(begins, holds...)
	p.list.Refresh()
	p.list.Home()
}

// Len, Cell and ID implement widget.Table.
func (p *palette) Len() int          { return len(p.shown) }
func (p *palette) ID(row int) uint64 { return uint64(row) }
func (p *palette) Cell(row, col int) widget.Cell {
	e := p.shown[row]
	switch col {
	case 0:
		return widget.Cell{Text: string(e.Action)}
	case 1:
		return widget.Cell{Text: e.Keys, Style: p.app.look.Sorted}
	}
	return widget.Cell{Text: e.Help, Style: p.app.look.Muted}
}

func (p *palette) title() string          { return "Commands" }
func (p *palette) scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeInput} }
func (p *palette) do(keymap.Action) bool  { return false }

func (p *palette) draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	in := widget.Box(s, r.Centered(min(r.W, 90), min(r.H, 22)), k, p.title())
	line, list := in.CutTop(1)
	p.input.Draw(s, line, k)
	p.list.Draw(s, list, k)
}

func (p *palette) key(ev *tcell.EventKey) bool {
	switch ev.Key() {
	case tcell.KeyUp, tcell.KeyCtrlP:
		p.list.Move(-1)
		return true
	case tcell.KeyDown, tcell.KeyCtrlN:
		p.list.Move(1)
		return true
	case tcell.KeyTab:
		if row, ok := p.list.Selected(); ok {
			p.input.SetText(string(p.shown[row].Action) + " ")
			p.narrow()
		}
		return true
	}
	switch p.input.Key(ev) {
	case widget.InputChanged:
		p.input.Problem = ""
		p.narrow()
	case widget.InputAccepted:
		p.run()
	case widget.InputCanceled:
		p.close()
	}
	return true
}

// close ends the palette, which lies on top.
func (p *palette) close() {
	p.app.overlays = p.app.overlays[:len(p.app.overlays)-1]
	p.app.o.Terminal.Screen().HideCursor()
}

// run carries out what is typed, or what is selected where only a part of its name is.
func (p *palette) run() {
	text := strings.TrimSpace(p.input.Text())
	if row, ok := p.list.Selected(); ok && !strings.Contains(text, " ") {
		text = string(p.shown[row].Action)
		if row < len(p.shown) && p.isWord(text) {
			p.input.SetText(text + " ")
			p.narrow()
			return
		}
	}
	p.close()
	if err := p.app.runCommand(text); err != nil {
		p.app.popup(p)
		p.input.Problem = err.Error()
	}
}

func (p *palette) isWord(name string) bool {
	for _, e := range wordCommands() {
		if string(e.Action) == name {
			return true
		}
	}
	return false
}
