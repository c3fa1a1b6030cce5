package views

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// palette is an input line for commands, above the list of those that match and an explanation of the selected one.
type palette struct {
	app   *app
	input widget.Input
	list  widget.List
	all   []paletteRow
	shown []paletteRow

	chosen bool // the selected row was moved to since the last letter: it is meant, also if it only contains the input
	cut    bool // there are more candidates than those shown
}

// paletteRow is a command that can be chosen.
type paletteRow struct {
	name   string // as it is typed
	keys   string
	help   string
	action keymap.Action // what it does; "" for commands with an argument
	file   string        // the completion, shown in place of the name
	more   bool          // an argument is missing
}

func newPalette(a *app) *palette {
	p := &palette{app: a}
	for _, c := range commands() {
		p.all = append(p.all, paletteRow{name: c.name, keys: c.argument, help: c.help, more: true})
	}
	for _, e := range a.o.Keys.Actions(a.everyScope()...) {
		p.all = append(p.all, paletteRow{name: string(e.Action), keys: e.Keys, help: e.Help, action: e.Action})
	}
	p.input.Prompt, p.input.Hint = ":", a.Hint("type a command; {input.earlier} and {input.later} choose, {input.complete} completes, {input.accept} runs it")
	p.list = widget.List{
		Table: p, SortColumn: -1, Column: -1, HideHeader: true, Focused: true,
		Columns: []widget.Column{{Width: 16, Grow: 1, MaxWidth: 20}, {Width: 10, Drop: 1}, {Width: 20, Grow: 4, Drop: 2}},
		Empty:   []string{"No matching command.", "Backspace shows more of them."},
	}
	p.narrow()
	return p
}

// everyScope returns every scope whose actions make sense on this screen.
func (a *app) everyScope() []keymap.Scope {
	s := a.screenScopes()
	if a.loading() {
		s = append(s, keymap.ScopeLoading)
	}
	return append(s, keymap.ScopeGlobal)
}

// narrow lists the commands that match the input: the one of that name and those that begin with it first, then those that contain it, then
// those whose explanation does. Arguments of a command follow it.
func (p *palette) narrow() {
	word, argument, typed := strings.Cut(strings.TrimLeft(p.input.Text(), " "), " ")
	word = strings.ToLower(word)
	p.shown, p.chosen, p.cut = nil, false, false
	if typed {
		p.arguments(word, strings.TrimSpace(argument))
	} else {
		p.names(word)
	}
	p.list.Refresh()
	p.list.Home()
}

func (p *palette) names(word string) {
	const sentence = 4 // letters from which sentences are searched: shorter words are in all of them
	var begin, holds, says []paletteRow
	for _, r := range p.all {
		switch {
		case r.name == word:
			p.shown = append(p.shown, r)
		case strings.HasPrefix(r.name, word):
			begin = append(begin, r)
		case strings.Contains(r.name, word):
			holds = append(holds, r)
		case len(word) >= sentence && strings.Contains(strings.ToLower(r.help), word):
			says = append(says, r)
		}
	}
	p.shown = slices.Concat(p.shown, begin, holds, says)
}

// arguments lists the possible arguments of a command.
func (p *palette) arguments(word, argument string) {
	for _, c := range commands() {
		if c.name != word && (c.flag == "" || c.flag != word) {
			continue
		}
		c.name = word // as it was typed, which may be the name of the flag
		if c.argument == fileArgument {
			p.files(c, argument)
			return
		}
		if c.argument == functionArgument && argument != "" {
			p.functions(c, argument)
			return
		}
		if c.values == nil {
			p.shown = append(p.shown, paletteRow{name: strings.TrimSpace(c.name + " " + argument), keys: c.argument,
				help: c.help, more: argument == ""})
			return
		}
		for _, v := range c.values(p.app) {
			if strings.Contains(strings.ToLower(v), strings.ToLower(argument)) {
				p.shown = append(p.shown, paletteRow{name: c.name + " " + v, help: c.help})
			}
		}
	}
}

// functionArgument is the argument of commands that take what [calltree.Step] names.
const functionArgument = "FUNCTION"

// functions lists the input, which is run as typed, and its completions below.
func (p *palette) functions(c command, typed string) {
	const most = 200
	p.shown = append(p.shown, paletteRow{name: c.name + " " + typed, keys: c.argument, help: c.help})
	stacks := p.app.state.Stacks()
	if stacks == nil {
		return
	}
	if p.app.Prof != nil && (c.name == "focus" || c.name == "ignore") {
		words := weights.LabelWords(p.app.Prof.Weights, typed, most)
		p.cut = len(words) == most
		for _, word := range words {
			if word != typed {
				p.shown = append(p.shown, paletteRow{name: c.name + " " + word, file: word, help: word})
			}
		}
	}
	names, _ := calltree.Names(p.app.Ctx, stacks, typed, most) // fails only with its context
	p.cut = p.cut || len(names) == most
	for _, name := range names {
		if name != typed {
			p.shown = append(p.shown, paletteRow{name: c.name + " " + name, file: name, help: name})
		}
	}
}

// fileArgument is the argument of commands that take the path of a file.
const fileArgument = "FILE"

// files lists the completions of a path: files that can be opened, and folders.
func (p *palette) files(c command, typed string) {
	folder, base := filepath.Split(typed)
	list, err := os.ReadDir(cmp.Or(p.app.homePath(folder), "."))
	if err != nil || typed == "" {
		name := strings.TrimSpace(c.name + " " + typed)
		p.shown = append(p.shown, paletteRow{name: name, keys: c.argument, help: c.help, more: typed == ""})
	}
	const most = 500
	for _, f := range list {
		name := f.Name()
		if !strings.HasPrefix(name, base) || base == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if p.cut = len(p.shown) >= most; p.cut {
			break
		}
		row := paletteRow{name: c.name + " " + folder + name, file: name, help: c.help}
		if info, err := os.Stat(filepath.Join(cmp.Or(p.app.homePath(folder), "."), name)); err != nil {
			continue
		} else if info.IsDir() {
			row.name, row.file, row.more = row.name+"/", name+"/", true
		}
		p.shown = append(p.shown, row)
	}
}

// Len, Cell and ID implement widget.Table.
func (p *palette) Len() int { return len(p.shown) }

func (p *palette) ID(row int) uint64 { return uint64(row) }

func (p *palette) Cell(row, col int) widget.Cell {
	r := p.shown[row]
	k := p.app.Look.InBox()
	switch col {
	case 0:
		if r.file != "" {
			return widget.Cell{Text: r.file, Style: k.Text}
		}
		return widget.Cell{Text: r.name, Style: k.Text}
	case 1:
		if r.more {
			return widget.Cell{Text: r.keys, Style: k.Muted}
		}
		return widget.Cell{Text: r.keys, Style: k.Sorted}
	}
	return widget.Cell{Text: r.help, Style: k.Muted}
}

func (p *palette) Title() string { return "Commands" }

func (p *palette) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeInput} }

// Do moves the selection for the mouse wheel: keys are typed text.
func (p *palette) Do(a keymap.Action) bool {
	moved := ui.MoveList(&p.list, a)
	p.chosen = p.chosen || moved
	return moved
}

func (p *palette) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	in := ui.OverlayBox(s, r, 90, 22, k, p.Title())
	k = k.InBox()
	line, list := in.CutTop(1)
	p.input.Draw(s, line, k)
	if row, ok := p.list.Selected(); ok && list.H >= 8 {
		var about widget.Rect
		list, about = list.CutBottom(3)
		widget.HLine(s, about.X, about.Y, about.W, k)
		for i, l := range widget.Wrap(p.shown[row].help, about.W) {
			if i < about.H-1 {
				widget.Print(s, about.X, about.Y+1+i, about.W, l, k.Text)
			}
		}
	}
	p.list.Draw(s, list, k)
}

// paste implements paster.
func (p *palette) paste(text string) {
	p.input.Paste(text)
	p.narrow()
}

func (p *palette) Key(ev *tcell.EventKey) bool {
	if ev = p.app.editKey(ev); ev == nil {
		return true
	}
	switch ev.Key() {
	case tcell.KeyUp, tcell.KeyBacktab:
		return p.Do(keymap.Up)
	case tcell.KeyDown:
		return p.Do(keymap.Down)
	case tcell.KeyPgUp:
		return p.Do(keymap.PageUp)
	case tcell.KeyPgDn:
		return p.Do(keymap.PageDown)
	case tcell.KeyTab:
		p.complete()
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

// command returns the line of a row, with the blank that its argument follows.
func (r *paletteRow) command() string {
	if r.more && !strings.HasSuffix(r.name, "/") {
		return r.name + " "
	}
	return r.name
}

// typed returns the input with blanks as rows have them.
func (p *palette) typed() string {
	word, argument, blank := strings.Cut(strings.TrimLeft(p.input.Text(), " "), " ")
	if !blank {
		return word
	}
	return word + " " + strings.TrimLeft(argument, " ")
}

// begins reports whether a row continues the input: what was typed, in letters of any case, and more.
func (p *palette) begins(r *paletteRow) bool {
	typed, text := p.typed(), r.command()
	return len(text) >= len(typed) && strings.EqualFold(text[:len(typed)], typed)
}

// complete takes the row that was chosen. Otherwise it adds to the input what all rows that continue it agree on; rows
// that merely contain it stay in the list.
func (p *palette) complete() {
	if row, ok := p.list.Selected(); ok && p.chosen {
		p.take(row)
		return
	}
	typed, common, n := p.typed(), "", 0
	for i := range p.shown {
		if text := p.shown[i].command(); text == typed || !p.begins(&p.shown[i]) {
			continue
		} else if n++; n == 1 {
			common = text
		} else {
			common = common[:commonPrefix(common, text)]
		}
	}
	switch {
	case len(common) > len(typed) && !p.cut:
		p.input.SetText(common)
		p.narrow()
	case n > 0:
		p.input.Problem = p.app.Hint("several begin with this: {input.earlier} {input.later} choose")
	case len(p.shown) > 0:
		p.ask()
	}
}

// ask says that rows which merely contain the input must be chosen.
func (p *palette) ask() {
	p.input.Problem = p.app.Hint("none begins with this: {input.earlier} {input.later} choose")
}

// take replaces the input by a row.
func (p *palette) take(row int) {
	p.input.SetText(p.shown[row].command())
	p.narrow()
}

// commonPrefix returns the length of what two texts begin with alike, in whole characters.
func commonPrefix(a, b string) (n int) {
	for i, r := range a {
		if !strings.HasPrefix(b[min(i, len(b)):], string(r)) {
			return i
		}
	}
	return len(a)
}

// close ends the palette, which is on top.
func (p *palette) close() {
	p.app.overlays = p.app.overlays[:len(p.app.overlays)-1]
	p.app.o.Terminal.Screen().HideCursor()
}

// run runs the selected command, or the input if that has an argument of its own.
func (p *palette) run() {
	text := strings.TrimSpace(p.input.Text())
	if row, ok := p.list.Selected(); ok {
		r := p.shown[row]
		switch {
		case r.action != "":
			p.close()
			p.app.do(r.action)
			return
		case !p.chosen && !p.begins(&r) && r.name != p.typed():
			p.ask()
			return
		case r.more:
			p.take(row)
			return
		case strings.Contains(r.name, " "):
			text = r.name
		}
	}
	p.close()
	if err := p.app.runCommand(text); err != nil {
		p.app.Popup(p)
		p.input.Problem = err.Error()
	}
}
