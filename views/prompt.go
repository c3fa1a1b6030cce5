package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// prompt is one line being typed in place of the footer.
type prompt struct {
	widget.Input
	typed  func(text string)       // after every change; may be nil
	accept func(text string) error // on Enter; an error is shown and typing goes on
	cancel func()                  // on Esc; may be nil
	about  string                  // a sentence above the line, "" for none
}

func (p *prompt) draw(s tcell.Screen, r widget.Rect, k *widget.Look, st tcell.Style) {
	look := *k
	look.Text = st
	if lines := widget.Wrap(p.about, r.W-2); p.about != "" && len(lines) <= r.Y {
		above := widget.Rect{X: r.X, Y: r.Y - len(lines), W: r.W, H: len(lines)}
		widget.Fill(s, above, st)
		widget.PrintWrapped(s, above, p.about, k.Muted)
	}
	widget.Fill(s, r, st)
	p.Input.Draw(s, r, &look)
}

// typeKey passes a key to the prompt.
func (a *app) typeKey(ev *tcell.EventKey) {
	p := a.prompt
	if ev = a.editKey(ev); ev == nil {
		return
	}
	switch p.Key(ev) {
	case widget.InputChanged:
		p.Problem = ""
		if p.typed != nil {
			p.typed(p.Text())
		}
	case widget.InputAccepted:
		if err := p.accept(p.Text()); err != nil {
			p.Problem = err.Error()
			return
		}
		p.Remember()
		a.typed[p.Prompt] = p.History
		a.prompt = nil
		a.o.Terminal.Screen().HideCursor()
	case widget.InputCanceled:
		a.prompt = nil
		a.o.Terminal.Screen().HideCursor()
		if p.cancel != nil {
			p.cancel()
		}
	}
}

// editKey returns the key of an edit line for what the key table assigns to a key while typing; nil if it was handled
// already.
func (a *app) editKey(ev *tcell.EventKey) *tcell.EventKey {
	ev, act := a.EditKey(ev)
	if act != "" {
		a.doProgram(act)
	}
	return ev
}

// paster is an overlay that takes pasted text.
type paster interface{ paste(text string) }

// PasteHandler implements tview.Primitive. Pasted text is always typed, never a command.
func (a *app) PasteHandler() func(text string, setFocus func(p tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		if n := len(a.overlays); n > 0 && a.prompt == nil {
			if o, ok := a.overlays[n-1].(paster); ok {
				o.paste(text)
			}
		}
		if a.prompt == nil {
			return
		}
		a.prompt.Paste(text)
		if a.prompt.typed != nil {
			a.prompt.typed(a.prompt.Text())
		}
	}
}

// askTime prompts for an instant.
func (a *app) askTime() {
	a.prompt = &prompt{accept: a.goToTime}
	a.prompt.Prompt, a.prompt.Hint = "time: ", "12.5s, 350ms, 50%, peak, end"
	if unit := a.axis(0).Unit; unit != "" {
		a.prompt.Prompt, a.prompt.Hint = "position: ", model.Clean(unit)+" as a number, peak, 50%"
	}
	a.recall(a.prompt)
}

func (a *app) goToTime(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	m, err := model.ParseMoment(text)
	switch end := a.state.Status.Duration; {
	case err != nil:
		return err
	case m.IsPeak():
		a.kind().peak(analysis.FullRange)
	case m.IsEnd():
		a.emit(state.MoveTo{At: analysis.End})
	default:
		axis := a.axis(end)
		t, err := m.In(axis)
		if err == nil {
			err = axis.Check(t)
		}
		if err != nil {
			return err
		}
		a.emit(state.MoveTo{At: analysis.At(t)})
	}
	return nil
}

// axis returns the axis of the file on the screens.
func (a *app) axis(end model.Time) model.Axis {
	return model.Axis{End: end, Peak: model.NoTime, Unit: a.kind().unit()}
}

// searched returns what / searches here; nil where / filters tables.
func (a *app) searched() (f ui.Finder, ok bool) {
	f, ok = a.front().(ui.Finder)
	return f, ok
}

// askFind prompts for a filter of tables, or for a search.
func (a *app) askFind() {
	f, search := a.searched()
	if _, table := a.front().(ui.Filtered); !search && !table && len(a.overlays) > 0 {
		a.say("there is nothing to search here")
		return
	}
	if search {
		a.ask("search: ", "part of a name, or /regex/", f.FindText(), f.Find, func(string) error { return nil })
		return
	}
	fields := a.filterFields()
	check := func(text string) error {
		_, err := analysis.ParseFilter(text, fields...)
		return err
	}
	hint := ui.FilterHint(fields)
	if h, ok := a.front().(ui.Hinter); ok {
		hint = h.SearchHint()
	}
	if b, ok := a.front().(ui.Searcher); ok {
		a.ask("filter: ", hint, b.SearchText(), b.Search, check)
		if e, ok := a.front().(ui.Explainer); ok {
			a.prompt.about = e.Searches()
		}
		return
	}
	set := func(text string) { a.emit(state.SetFilter{Text: text}) }
	a.ask("filter: ", hint, a.state.Filter, set, check)
}

// filterFields returns the figures that the table of the screen can be filtered by; nil for those of all tables.
func (a *app) filterFields() []analysis.Field {
	if f, ok := a.front().(ui.Filtered); ok {
		return f.Fields()
	}
	return nil
}

// ask prompts for a text that takes effect with every letter unless check rejects it; Esc restores the previous text.
func (a *app) ask(label, hint, before string, set func(string), check func(string) error) {
	p := &prompt{}
	*p = prompt{
		typed: func(text string) {
			if err := check(text); err != nil {
				p.Problem = err.Error()
				return
			}
			p.Problem = ""
			set(text)
		},
		accept: func(text string) error {
			if err := check(text); err != nil {
				return err
			}
			set(text)
			return nil
		},
		cancel: func() { set(before) },
	}
	a.prompt = p
	a.prompt.Prompt, a.prompt.Hint = label, hint
	a.prompt.SetText(before)
	a.recall(a.prompt)
}

// recall sets the history of a prompt to earlier lines of prompts with its name.
func (a *app) recall(p *prompt) {
	if a.typed == nil {
		a.typed = map[string][]string{}
	}
	p.History = a.typed[p.Prompt]
}
