package views

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// prompt is one line being typed in place of the footer.
type prompt struct {
	widget.Input
	typed  func(text string)       // after every change; may be nil
	accept func(text string) error // on Enter; an error is shown and typing goes on
	cancel func()                  // on Esc; may be nil
}

func (p *prompt) draw(s tcell.Screen, r widget.Rect, k *widget.Look, st tcell.Style) {
	look := *k
	look.Text = st
	widget.Fill(s, r, st)
	p.Input.Draw(s, r, &look)
}

// typeKey hands a key to the prompt.
func (a *app) typeKey(ev *tcell.EventKey) {
	p := a.prompt
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

// PasteHandler implements tview.Primitive: pasted text is only ever typed, never a command.
func (a *app) PasteHandler() func(text string, setFocus func(p tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) {
		if a.prompt == nil {
			return
		}
		a.prompt.Paste(text)
		if a.prompt.typed != nil {
			a.prompt.typed(a.prompt.Text())
		}
	}
}

// askTime types an instant.
func (a *app) askTime() {
	a.prompt = &prompt{accept: a.goToTime}
	a.prompt.Prompt, a.prompt.Hint = "time: ", "12.5s, 350ms, 50%, peak, end"
}

func (a *app) goToTime(text string) error {
	switch text = strings.TrimSpace(text); text {
	case "":
	case "peak":
		a.peakIn(analysis.Whole)
	case "end":
		a.emit(moveTo{analysis.End})
	default:
		t, err := model.ParseTime(text, a.state.Status.Duration)
		if err != nil {
			return err
		}
		if t > a.state.Status.Duration {
			return fmt.Errorf("the run ends at %v", a.state.Status.Duration)
		}
		a.emit(moveTo{analysis.At(t)})
	}
	return nil
}

// askFind types a filter for tables, or a search for screens that search.
func (a *app) askFind() {
	before, set := a.state.Filter, func(text string) { a.emit(setFilter{text}) }
	label, hint := "filter: ", "text, !text, live>1M, leaked>=50%, /regex/"
	if f, ok := a.current().(finder); ok {
		before, set = f.findText(), f.find
		label, hint = "search: ", "part of a name, or /regex/"
	}
	check := func(string) error { return nil }
	if _, ok := a.current().(finder); !ok {
		check = func(text string) error {
			_, err := analysis.ParseFilter(text)
			return err
		}
	}
	a.prompt = &prompt{
		typed: func(text string) {
			if check(text) == nil {
				set(text)
			}
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
	a.prompt.Prompt, a.prompt.Hint = label, hint
	a.prompt.SetText(before)
}

// runCommand carries out what was typed in the palette: an action's name, or a word with an argument.
func (a *app) runCommand(text string) error {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "at", "time":
		return a.goToTime(rest)
	case "range":
		return a.rangeCommand(rest)
	case "filter":
		if _, err := analysis.ParseFilter(rest); err != nil {
			return err
		}
		a.emit(setFilter{rest})
		return nil
	case "min-age":
		d, err := model.ParseTime(rest, a.state.Status.Duration)
		if err == nil {
			a.emit(setMinAge{d})
		}
		return err
	case "group":
		for g := range analysis.GroupCount {
			if g.String() == rest {
				a.emit(setGroup{g})
				return nil
			}
		}
		return fmt.Errorf("group by stack, function, file, module, thread or size")
	case "theme":
		for i, t := range a.o.Themes {
			if t.Name() == rest {
				a.setTheme(i)
				a.stale = true
				return nil
			}
		}
		return fmt.Errorf("no theme %q here", rest)
	}
	for _, e := range a.o.Keys.Actions(a.everyScope()...) {
		if string(e.Action) == text {
			a.do(e.Action)
			return nil
		}
	}
	return fmt.Errorf("no command %q", text)
}

func (a *app) rangeCommand(text string) error {
	from, to, ok := strings.Cut(text, " ")
	if !ok {
		return fmt.Errorf("write two times: range 10ms 2s")
	}
	f, err := model.ParseTime(from, a.state.Status.Duration)
	if err != nil {
		return err
	}
	t, err := model.ParseTime(to, a.state.Status.Duration)
	if err != nil {
		return err
	}
	a.emit(setRange{analysis.Range{From: min(f, t), To: max(f, t)}})
	return nil
}
