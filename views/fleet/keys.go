package fleet

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// scopes returns the scopes in which keys are looked up, most specific first.
func (a *app) scopes() []keymap.Scope {
	switch {
	case a.prompt != nil:
		return []keymap.Scope{keymap.ScopeInput}
	case a.overlay != nil:
		return append(slices.Clone(a.overlay.Scopes()), keymap.ScopeGlobal)
	}
	return []keymap.Scope{keymap.ScopeFleet, keymap.ScopeTable, keymap.ScopeGlobal}
}

// works reports whether an action means something here: instants, stacks and objects do not.
func works(act keymap.Action) bool {
	switch act {
	case keymap.Quit, keymap.Help, keymap.Palette, keymap.Back, keymap.HistoryBack, keymap.Copy, keymap.CopyCommand, keymap.Save,
		keymap.Exact, keymap.Theme, keymap.Mouse, keymap.Reload, keymap.Redraw, keymap.Suspend,
		keymap.NextScreen, keymap.PreviousScreen, keymap.LastScreen, keymap.NextPane, keymap.PreviousPane, keymap.Maximize,
		keymap.Up, keymap.Down, keymap.PageUp, keymap.PageDown, keymap.First, keymap.Last, keymap.Open, keymap.FullRow,
		keymap.SideLeft, keymap.SideRight, keymap.Find, keymap.Sort, keymap.SortReverse, keymap.ColumnLeft, keymap.ColumnRight,
		keymap.Group, keymap.Cost, keymap.Only, keymap.Filters:
		return true
	}
	n, ok := screenOf(act)
	return ok && n < len(screens())
}

// screenOf returns the number of the screen that an action goes to, counted from 0.
func screenOf(act keymap.Action) (n int, ok bool) {
	text, ok := strings.CutPrefix(string(act), "screen-")
	if !ok || len(text) != 1 {
		return 0, false
	}
	return int(text[0] - '1'), true
}

// ownKey keeps Ctrl-C from ending the program at once while the user types.
func (a *app) ownKey(ev *tcell.EventKey) *tcell.EventKey {
	if ev.Key() != tcell.KeyCtrlC {
		return ev
	}
	a.key(ev)
	return nil
}

// InputHandler implements tview.Primitive.
func (a *app) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(ev *tcell.EventKey, _ func(tview.Primitive)) { a.key(ev) }
}

// PasteHandler implements tview.Primitive: pasted text is typed, never a command.
func (a *app) PasteHandler() func(text string, setFocus func(p tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		if a.prompt != nil {
			a.prompt.Paste(text)
			a.prompt.changed()
		}
	}
}

// MouseHandler implements tview.Primitive.
func (a *app) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(act tview.MouseAction, ev *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		x, y := ev.Position()
		p := a.page()
		switch act {
		case tview.MouseLeftClick, tview.MouseLeftDoubleClick:
			a.message, a.stale = "", true
			for _, t := range a.tabs {
				if y == 1 && x >= t.from && x < t.to {
					a.goTo(t.kind)
					return true, nil
				}
			}
			p.InDetail = p.DetailAt.Contains(x, y)
			if p.ListAt.Contains(x, y) && p.Hit(x, y) && act == tview.MouseLeftDoubleClick {
				a.open()
			}
		case tview.MouseScrollUp, tview.MouseScrollDown:
			rows := map[bool]int{true: -3, false: 3}[act == tview.MouseScrollUp]
			if p.DetailAt.Contains(x, y) {
				p.Detail.Scroll(rows)
			} else {
				p.List.Scroll(rows)
			}
		default:
			return false, nil
		}
		return true, nil
	}
}

// key handles a key: typed text, or an action.
func (a *app) key(ev *tcell.EventKey) {
	a.message = ""
	if a.prompt != nil {
		a.typeKey(ev)
		return
	}
	chord := ui.ChordOf(ev)
	act, ok := a.Keys.Lookup(chord, a.scopes()...)
	if ok && (works(act) || a.overlay != nil) {
		a.do(act)
		return
	}
	if name := widget.Clean(chord.String()); name != "" {
		a.say(name + a.Hint(" does nothing here: {help} names the keys"))
	}
}

// do performs an action.
func (a *app) do(act keymap.Action) {
	if a.overlay != nil {
		if !a.overlay.Do(act) && (act == keymap.Back || act == keymap.Help || act == keymap.FullRow || act == keymap.Filters) {
			a.overlay = nil
			return
		}
		if act != keymap.Quit {
			return
		}
	}
	if n, ok := screenOf(act); ok {
		a.goTo(screens()[n])
		return
	}
	if !a.doPage(act) && !a.doView(act) {
		a.doProgram(act)
	}
}

// goTo shows another screen.
func (a *app) goTo(k fleet.Kind) {
	to := a.now
	to.kind = k
	a.visit(to)
}

// doPage handles what concerns rows and panes.
func (a *app) doPage(act keymap.Action) bool {
	p := a.page()
	switch act {
	case keymap.NextPane, keymap.PreviousPane:
		p.InDetail = !p.InDetail
	case keymap.Maximize, keymap.Sort, keymap.SortReverse, keymap.ColumnLeft, keymap.ColumnRight:
		p.Act(act)
	case keymap.Open:
		a.open()
	case keymap.FullRow:
		lines, _ := rowText(&p.List, a.Look.InBox())
		if len(lines) == 0 {
			a.say("no row is selected")
			break
		}
		a.Popup(newTextView("Selected row", lines))
	default:
		if p.InDetail {
			return p.Detail.Move(act)
		}
		if !ui.MoveList(&p.List, act) {
			return false
		}
	}
	a.stale = true
	return true
}

// doView handles what changes what is queried.
func (a *app) doView(act keymap.Action) bool {
	to := a.now
	switch act {
	case keymap.Cost:
		list := to.figures()
		if len(list) == 1 {
			a.say("leaks, types and pages have one figure: " + figureName(list[0]) + a.Hint("; {group} asks about sites"))
			return true
		}
		to.figure = next(list, to.figure)
		a.change(to)
	case keymap.Group:
		to.what = next(fleet.Whats(), to.what)
		to.site, to.siteName = "", ""
		a.change(to)
		about := to.title()
		if to.what == fleet.Sites || to.what == fleet.Owners {
			about = string(to.what) + ", by what they have " + figureName(to.shownFigure())
		}
		a.say("asking about " + about)
	case keymap.Only:
		a.onlyService(to)
	case keymap.NextScreen, keymap.PreviousScreen:
		list := screens()
		step := map[bool]int{true: 1, false: len(list) - 1}[act == keymap.NextScreen]
		a.goTo(list[(slices.Index(list, to.kind)+step)%len(list)])
	case keymap.LastScreen:
		a.goTo(a.last)
	case keymap.Back, keymap.HistoryBack:
		a.back()
	case keymap.Reload:
		a.round++
		a.stale = true
		a.say("asked again")
	default:
		return false
	}
	return true
}

// onlyService keeps the service of the selected row, or all again.
func (a *app) onlyService(to view) {
	n, ok := a.page().selected()
	switch {
	case to.service != "":
		to.service = ""
	case !ok:
		a.say("no row is selected")
		return
	default:
		to.service = a.page().table.Now().Of.rows[n].service
	}
	a.visit(to)
}

// doProgram handles the actions of the program itself.
func (a *app) doProgram(act keymap.Action) {
	p := a.page()
	switch act {
	case keymap.Quit:
		a.o.Terminal.Quit()
	case keymap.Help:
		a.Popup(a.newHelp())
	case keymap.Filters:
		a.Popup(newRestrictionList(a))
	case keymap.Find:
		a.askFilter(p)
	case keymap.Palette:
		a.askCommand()
	case keymap.Save:
		a.askSave()
	case keymap.Copy:
		_, text := rowText(&p.List, a.Look)
		a.copyOut(text, "no row is selected")
	case keymap.CopyCommand:
		q := a.now.question()
		if d, ok := p.lazy.Get(); ok && p.lazy.Fresh() {
			q = d.question // with the versions that were compared
		}
		words := a.o.Command(&q)
		for i, w := range words {
			words[i] = ui.ShellQuote(w)
		}
		a.copyOut(strings.Join(words, " "), "")
	case keymap.Exact:
		a.exact = !a.exact
		a.stale = true
	case keymap.Theme:
		a.setTheme(a.themeAt + 1)
		a.say("theme " + a.Theme.Name())
	case keymap.Mouse:
		a.o.Terminal.SetMouse(!a.o.Terminal.Mouse())
		a.say(map[bool]string{true: "mouse on", false: a.Hint("mouse off: the terminal selects text; {mouse} switches it on again")}[a.o.Terminal.Mouse()])
	case keymap.Redraw:
		a.o.Terminal.Redraw()
	case keymap.Suspend:
		a.o.Terminal.Suspend()
	}
}

// copyOut asks the terminal to put text into its clipboard.
func (a *app) copyOut(text, empty string) {
	if text == "" {
		a.say(empty)
		return
	}
	a.say(ui.Copied(a.o.Terminal.Copy, text, a.Hint("{save} saves")))
}

// save writes the answer on screen to a file, in the background.
func (a *app) save(path string) error {
	p := a.page()
	d, ok := p.lazy.Get()
	switch path = strings.TrimSpace(path); {
	case path == "":
		return errors.New("type the name of a file")
	case !ok || !p.lazy.Fresh():
		return errors.New("the fleet has not answered yet")
	}
	a.say("writing " + path)
	a.Background(func() {
		n, err := a.o.Save(context.WithoutCancel(a.Ctx), path, Answer{Question: &d.question, Answer: d.answer})
		a.Post(func() {
			if err != nil {
				a.say("not saved: " + model.Clean(err.Error()))
				return
			}
			note := ""
			if p.filter != "" {
				note = ", all rows, also those that the filter hides"
			}
			a.say("saved " + model.Bytes(n).String() + " in " + model.Clean(path) + note)
		})
	})
	return nil
}

// askFilter asks which rows to keep.
func (a *app) askFilter(p *page) {
	fields := p.table.Fields()
	before := p.filter
	check := func(text string) error {
		_, err := analysis.ParseFilter(text, fields...)
		return err
	}
	a.ask(&prompt{
		typed:  func(text string) { p.filter, a.stale = text, true },
		accept: func(text string) error { p.filter, a.stale = text, true; return check(text) },
		cancel: func() { p.filter, a.stale = before, true },
		check:  check,
	}, "filter: ", ui.FilterHint(fields), before)
}
