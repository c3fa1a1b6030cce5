package views

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Scopes returns the scopes in which keys are looked up now, most specific first.
func (a *app) Scopes() []keymap.Scope {
	var s []keymap.Scope
	switch {
	case a.prompt != nil:
		return []keymap.Scope{keymap.ScopeInput}
	case len(a.overlays) > 0:
		s = append(s, a.overlays[len(a.overlays)-1].Scopes()...)
	default:
		s = append(s, a.screenScopes()...)
	}
	if a.loading() && a.o.Stop != nil && !a.stopped || a.decoding() || a.saving != nil {
		s = append([]keymap.Scope{keymap.ScopeLoading}, s...)
	}
	return append(s, keymap.ScopeGlobal)
}

// screenScopes returns the scopes of the screen.
func (a *app) screenScopes() []keymap.Scope {
	s := slices.Clone(a.current().Scopes())
	if _, ok := a.current().(ui.Functioner); ok {
		s = append(s, keymap.ScopeFilters)
	}
	return s
}

// InputHandler implements tview.Primitive: a key is typed text, or an action of the overlay, the screen or the program.
func (a *app) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return func(ev *tcell.EventKey, _ func(tview.Primitive)) { a.key(ev) }
}

func (a *app) key(ev *tcell.EventKey) {
	closes := a.closesMessage()
	a.message = ""
	if a.prompt != nil {
		a.typeKey(ev)
		return
	}
	if n := len(a.overlays); n > 0 && a.overlays[n-1].Key(ev) {
		return
	}
	chord := ui.ChordOf(ev)
	if act, ok := a.o.Keys.Lookup(chord, a.Scopes()...); ok {
		if act != keymap.Back || !closes {
			a.do(act)
		}
	} else if name := widget.Clean(chord.String()); name != "" {
		a.say(name + a.Hint(" does nothing here: {help} names the keys"))
	}
}

// do performs an action: by the overlay, else the screen, else the program.
func (a *app) do(act keymap.Action) {
	if a.stopsSaving(act) || a.stopsDecoding(act) {
		return
	}
	if n := len(a.overlays); n > 0 {
		if a.overlays[n-1].Do(act) {
			return
		}
		if act == keymap.Back || act == keymap.Help || act == keymap.FullRow {
			a.overlays = a.overlays[:n-1]
			return
		}
	} else if act == keymap.Open {
		a.open()
		return
	} else if a.current().Do(act) {
		return
	}
	if a.doCompare(act) || a.doFilters(act) || a.doKind(act) || a.doScreens(act) {
		return
	}
	a.doProgram(act)
}

// open opens the selection. If there is none, because it is still being computed or empty, it shows the screen's
// reason.
func (a *app) open() {
	screen, list := a.current(), a.emptyList()
	a.message = ""
	if screen.Do(keymap.Open) &&
		(list == nil || list != a.emptyList() || screen != a.current() || len(a.overlays) > 0 || a.message != "") {
		return
	}
	if a.message == "" && screen == a.current() && len(a.overlays) == 0 {
		a.say(a.nothingToOpen(list))
	}
}

// emptyList returns the list that has the focus where that has no rows, else nil.
func (a *app) emptyList() *widget.List {
	if l, ok := a.current().(ui.Lister); ok {
		if list := l.FocusedList(); list != nil && list.Len() == 0 {
			return list
		}
	}
	return nil
}

// nothingToOpen returns why nothing is selected.
func (a *app) nothingToOpen(list *widget.List) string {
	switch {
	case list != nil && len(list.Empty) > 0:
		return list.Empty[0]
	case !a.Work.Idle():
		return "still being computed"
	}
	return a.Hint("there is nothing to open in this pane: {next-pane} goes to the next one")
}

// doKind handles what depends on the kinds of data in the file.
func (a *app) doKind(act keymap.Action) bool {
	kinds := a.kinds()
	for _, k := range kinds {
		if k.do(act) {
			return true
		}
	}
	return len(kinds) > 0 && kinds[0].ranges() && a.doTime(act)
}

// doTime handles what moves the instant, the range and the view.
func (a *app) doTime(act keymap.Action) bool {
	leap := max(a.state.Columns/10, 1)
	switch act {
	case keymap.StepBack:
		a.emit(state.Step{Columns: -1})
	case keymap.StepForward:
		a.emit(state.Step{Columns: 1})
	case keymap.LeapBack:
		a.emit(state.Step{Columns: -leap})
	case keymap.LeapForward:
		a.emit(state.Step{Columns: leap})
	case keymap.Peak:
		a.kind().peak(analysis.FullRange)
	case keymap.PeakInRange:
		a.kind().peak(a.state.Range)
	case keymap.End:
		a.emit(state.MoveTo{At: analysis.End})
	case keymap.GotoTime:
		a.askTime()
	case keymap.Range:
		a.emit(state.StartRange{})
		if a.state.Anchor != model.NoTime {
			a.say(a.Hint("range starts here: move the instant to extend it; {range} ends it, {clear-range} clears it"))
		}
	case keymap.ClearRange:
		if a.state.Range.IsFull() && a.state.Anchor == model.NoTime {
			a.say(a.Hint("no range is set: {range} starts one"))
			return true
		}
		a.emit(state.ClearRange{})
	case keymap.ZoomIn:
		a.emit(state.Zoom{Factor: 0.5})
	case keymap.ZoomOut:
		a.emit(state.Zoom{Factor: 2})
	case keymap.ZoomReset:
		a.emit(state.Zoom{Factor: 0})
	case keymap.PanLeft, keymap.SideLeft:
		a.emit(state.Pan{Share: -0.25})
	case keymap.PanRight, keymap.SideRight:
		a.emit(state.Pan{Share: 0.25})
	default:
		return false
	}
	return true
}

func (a *app) neighbor(find func(model.Time, int) (model.Time, bool), dir int) {
	if t, ok := find(a.state.Now(), dir); ok {
		a.emit(state.MoveTo{At: analysis.At(t)})
		return
	}
	a.say("no more events or markers in this direction")
}

// doScreens handles what goes from screen to screen.
func (a *app) doScreens(act keymap.Action) bool {
	if n, ok := strings.CutPrefix(string(act), "screen-"); ok && len(n) == 1 {
		a.overlays = nil
		a.goTo(int(n[0] - '1'))
		return true
	}
	n := len(a.screens)
	switch act {
	case keymap.NextScreen:
		a.goTo((a.at + 1) % n)
	case keymap.PreviousScreen:
		a.goTo((a.at + n - 1) % n)
	case keymap.Screens:
		a.Popup(newScreenList(a))
	case keymap.LastScreen:
		a.goTo(min(a.previous, n-1))
	case keymap.HistoryBack:
		a.travel(&a.past, &a.future)
	case keymap.HistoryForward:
		a.travel(&a.future, &a.past)
	case keymap.SourceOf:
		a.showSource()
	case keymap.Back:
		a.back()
	default:
		for i, s := range a.screens {
			if s.Action() == act {
				a.overlays = nil
				a.goTo(i)
				return true
			}
		}
		return false
	}
	return true
}

// showSource goes to the source of what is selected.
func (a *app) showSource() {
	offered := slices.ContainsFunc(a.screens, func(s ui.Screen) bool { return s.Action() == keymap.ShowSource })
	p, ok := a.current().(ui.Placer)
	switch {
	case !offered:
		a.say("the stacks of this file name no source files")
		return
	case !ok:
		a.visit(keymap.ShowSource)
		return
	}
	if at, ok := p.Place(); ok {
		a.overlays = nil
		function := ""
		if f, ok := a.current().(ui.Functioner); ok {
			function = f.Function()
		}
		a.visit(keymap.ShowSource, state.ShowLine{At: at, Function: function})
	} else {
		a.say("what is selected has no place in a source file")
	}
}

// back undoes one level of what was changed on this screen: the filters, then the range, then the instant. If nothing
// was, it returns to where the screen was opened, at the instant of then.
func (a *app) back() {
	s, was := &a.state, a.base
	if len(a.past) == 0 {
		was = state.NewState()
	}
	switch {
	case s.Compare.On:
		a.emit(state.ShowDifference{On: false})
	case a.kind().back():
	case s.Filters != "" && s.Filters != was.Filters:
		a.emit(state.DropStep{N: -1})
	case s.Prof.Window != state.NoWindow && s.Prof.Window != was.Prof.Window:
		a.emit(state.ChooseWindow{Window: state.NoWindow})
	case !s.Cell.IsAll() && s.Cell != was.Cell:
		a.emit(state.SetCell{})
	case s.Anchor != model.NoTime || !s.Range.IsFull() && s.Range != was.Range:
		a.emit(state.ClearRange{})
	case s.Filter != "" && s.Filter != was.Filter:
		a.emit(state.SetFilter{Text: ""})
	case s.At != was.At:
		a.emit(state.MoveTo{At: was.At})
	case len(a.past) > 0:
		a.travel(&a.past, &a.future)
	case a.at != 0:
		a.goTo(0)
		a.past, a.future = nil, a.past
	default:
		a.say(a.Hint("{quit} quits, {help} shows the keys"))
	}
}

// doProgram handles the actions of the program itself.
func (a *app) doProgram(act keymap.Action) {
	switch act {
	case keymap.Quit:
		a.o.Terminal.Quit()
	case keymap.StopLoading:
		a.o.Stop()
		a.stopped = true
		if a.state.Live() {
			a.say("the recording continues, but is no longer followed: what was read is shown")
			break
		}
		a.say("stopped loading: what was read is shown, totals are lower bounds")
	case keymap.Help:
		a.Popup(newHelp(a))
	case keymap.FullRow:
		a.showRow()
	case keymap.Palette:
		a.Popup(newPalette(a))
	case keymap.Find:
		a.askFind()
	case keymap.Copy:
		a.copyOut(a.selectedText(), "nothing is selected here")
	case keymap.CopyCommand:
		if len(a.o.Command) == 0 {
			a.say("a built-in sample has no file name for a command")
			return
		}
		a.showState() // including keys that were typed ahead
		a.copyOut(a.commandLine(), a.noCommand())
		if why := a.unlike(); why != "" {
			a.message = why + "; " + a.message
		}
	case keymap.Save:
		a.askSave()
	case keymap.Evidence:
		a.askEvidence()
	case keymap.Exact:
		a.emit(state.SetExact{On: !a.state.Exact})
	case keymap.Names:
		a.emit(state.SetNames{Full: !a.state.FullName})
		names := map[bool]string{true: "names are as in the file", false: "names are short"}[a.state.FullName]
		if a.current().Needs() == model.FacetNone {
			names += " on the other screens: this one has none"
		}
		a.say(names)
	case keymap.Theme:
		a.setTheme(a.themeAt + 1)
		a.stale = true
		a.say("theme " + a.Theme.Name())
	case keymap.Mouse:
		a.o.Terminal.SetMouse(!a.o.Terminal.Mouse())
		a.say(map[bool]string{true: "mouse on", false: a.Hint("mouse off: the terminal selects text; {mouse} switches it on again")}[a.o.Terminal.Mouse()])
	case keymap.Reload:
		a.readAgain()
	case keymap.Redraw:
		a.o.Terminal.Redraw()
	case keymap.Suspend:
		a.o.Terminal.Suspend()
	default:
		a.say(a.nothingDone(act))
	}
}

// nothingDone says that an action has no effect on this screen, by the key that asks for it.
func (a *app) nothingDone(act keymap.Action) string {
	key := string(act)
	if keys := a.o.Keys.Keys(act, a.Scopes()...); len(keys) > 0 {
		key = keys[0].String()
	}
	key += " does nothing here"
	if act == keymap.NextPane || act == keymap.PreviousPane {
		key += ": this screen has one pane"
	}
	return key
}

// readAgain ends the program so that it begins again with the files as they are now, unless that cannot be.
func (a *app) readAgain() {
	if a.o.Readable != nil {
		second := ""
		if a.Second != nil {
			second = a.Second.Path
		}
		if err := a.o.Readable(second); err != nil {
			a.say("not reloaded: " + model.Clean(err.Error()))
			return
		}
	}
	if a.o.Memory != nil {
		a.o.Memory.keep(a)
	}
	a.o.Terminal.Fail(ErrReload)
}

// front returns the overlay on top, else the screen.
func (a *app) front() any {
	if n := len(a.overlays); n > 0 {
		return a.overlays[n-1]
	}
	return a.current()
}

// copier is an overlay with something to copy.
type copier interface{ CopyText() string }

// selectedText returns what is selected in the overlay on top, else on the screen.
func (a *app) selectedText() string {
	if o, ok := a.front().(copier); ok {
		return o.CopyText()
	}
	return a.current().CopyText()
}

// copyOut asks the terminal to put text into its clipboard, and shows what is known about the result: terminals do not
// answer.
func (a *app) copyOut(text, empty string) {
	if text == "" {
		a.say(empty)
		return
	}
	a.say(ui.Copied(a.o.Terminal.Copy, text, a.Hint("{save} saves")))
}

// timeQuestion returns the question with the instant of a trace and the range of the screens.
func (a *app) timeQuestion() (q state.Question) {
	if a.Trace != nil && !a.state.AtEnd() {
		if q.At = state.Instant(a.state.At); !q.At.IsPeak() {
			q.At = model.MomentAt(a.state.Now())
		}
	}
	if a.Prof == nil {
		q.Over = state.Over(a.state.Range, a.axis(0).Unit)
	}
	return q
}

// commandLine returns the command that prints what is on screen, as a shell takes it; "" for none.
func (a *app) commandLine() string {
	words := a.command(a.o.Command)
	for i := range words {
		words[i] = ui.ShellQuote(words[i])
	}
	return strings.Join(words, " ")
}

// unordered returns that the command of the screen prints rows in another order than the table has, or "".
func (a *app) unordered() string {
	t := a.sorting()
	if t == nil || a.commandLine() == "" {
		return ""
	}
	title, key, usual := t.Sorting()
	if by, ok := state.OrderOf(a.command([]string{"FILE"})); ok && key != "" {
		by = weights.Canonical(by) // groups of leaks are sorted by "leaked_bytes"
		usual = usual || by == key || strings.HasSuffix(by, "_"+key)
	}
	if usual {
		return ""
	}
	return "the command does not sort by " + title
}

// sorting returns the table that has the focus, nil for none.
func (a *app) sorting() ui.Sorting {
	if t, ok := a.front().(ui.Sorting); ok {
		return t
	}
	if l, ok := a.front().(ui.Lister); ok && l.FocusedList() != nil {
		t, _ := l.FocusedList().Table.(ui.Sorting)
		return t
	}
	return nil
}

// command returns the words of the command that prints what is on screen, for a file of that name; nil for none.
func (a *app) command(file []string) []string { return a.printing(file, a.current().Command) }

// savedCommand returns the words of the command that prints what is saved of the screen; nil for none.
func (a *app) savedCommand(file []string) []string {
	if s, ok := a.current().(ui.Saved); ok {
		return a.printing(file, s.SavedCommand)
	}
	return a.command(file)
}

// printing returns the words of a command for a file of that name, with the flags of the screen; nil for none.
func (a *app) printing(file []string, flags func() []string) []string {
	if u, ok := a.current().(ui.Unprinted); ok && u.Unprinted() != "" {
		return nil
	}
	if c, ok := a.current().(ui.Commander); ok {
		return c.CommandLine(file)
	}
	q := a.timeQuestion()
	if z, ok := a.current().(ui.Zoomer); ok && z.Zooms() {
		q.Over = model.Period{}
	}
	s := &a.state
	if n, ok := a.current().(ui.Narrower); ok && n.Narrows() {
		q.Cell = s.Cell
	}
	if _, ok := a.current().(ui.Follower); ok {
		q.Steps = s.Filters
	}
	if p, ok := a.front().(ui.Peeker); ok { // which covers the tree
		q.Peek = p.Peeked()
		return slices.Concat([]string{"memtui", "report"}, q.Args(), p.PeekCommand(), file)
	}
	return slices.Concat([]string{"memtui", "report"}, q.Args(), flags(), file)
}

// noCommand returns why no command prints what is on screen.
func (a *app) noCommand() string {
	why := "a command line cannot name the peak of part of a file"
	if u, ok := a.current().(ui.Unprinted); ok {
		why = cmp.Or(u.Unprinted(), why)
	}
	return "no command prints this: " + why
}
