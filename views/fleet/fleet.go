package fleet

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Fleet is what is queried. Any goroutine may call its methods.
type Fleet interface {
	// Ask returns the answer to a question. A comparison without versions is of the newest two, which it fills in.
	Ask(ctx context.Context, q *fleet.Question) (*fleet.Answer, error)
	// Stack returns a stack, nil if the fleet has none of that key.
	Stack(ctx context.Context, key fleet.Key) (*fleet.Stack, error)
	// Names returns the names that recordings have in a column: service, version, host or labels.
	Names(ctx context.Context, column string) ([]string, error)
	// Places returns the names of all things of a kind.
	Places(ctx context.Context, what fleet.What) ([]fleet.Place, error)
	// Warnings returns what could not be read since it was called last, each once.
	Warnings() []string
}

// Answer is an answer that is saved: what is on screen.
type Answer struct {
	Question *fleet.Question
	Answer   *fleet.Answer
}

// Options are the inputs of the program. All fields are required unless the meaning of their zero value is stated.
type Options struct {
	Terminal *term.Terminal
	Fleet    Fleet
	Place    string // of the fleet, as it is shown
	Start    fleet.Question
	Keys     *keymap.Map
	Themes   []*themes.Theme // that the terminal can show; the first is used at the start
	// Notes says what recordings an answer is of, in sentences.
	Notes func(q *fleet.Question, a *fleet.Answer) []string
	// Command returns the command that prints the answer to a question.
	Command func(q *fleet.Question) []string
	// Save writes an answer to a file, in the format of its suffix, from any goroutine, and returns how many bytes it has.
	Save func(ctx context.Context, path string, a Answer) (int64, error)
	// Openable returns why a recording cannot be opened, nil if it probably can; from any goroutine.
	Openable func(uri string) error
	Memory   *Memory // where the user was before a recording was opened; nil for the first time
	Patience time.Duration
}

// Opened is a recording that is to be opened, and what of it was looked at.
type Opened struct {
	URI     string
	What    fleet.What
	Place   fleet.Place // of the site, empty for all of the recording
	Stack   fleet.Key   // of the site, 0 for all of that place
	Leaking bool        // the figure is what was never freed
}

// Memory is where the user was. The zero value remembers nothing.
type Memory struct {
	now     view
	past    []place
	theme   int
	message string
	kept    bool
}

// Say makes the program begin with a sentence, such as why a recording could not be opened.
func (m *Memory) Say(text string) { m.message = text }

// place is a view that one can go back to.
type place struct {
	view view
	id   uint64 // of the selected row
}

// Run shows the program until the user quits (nil, nil), opens a recording, or the terminal ends (its error). It
// restores the terminal before it returns.
func Run(o Options) (*Opened, error) {
	a := newApp(o)
	o.Terminal.SetKeys(a.ownKey)
	err := o.Terminal.Run(a)
	if errors.Is(err, errOpen) {
		return a.opened, nil
	}
	return nil, err
}

// errOpen ends the program to open a recording.
var errOpen = errors.New("open a recording")

// app is the root primitive.
type app struct {
	*tview.Box
	ui.Env
	o       Options
	now     view
	past    []place
	last    fleet.Kind // the screen before
	round   int        // how often everything was requested anew
	pages   map[fleet.Kind]*page
	figures ui.Figures
	exact   bool
	stale   bool
	message string
	prompt  *prompt
	overlay ui.Overlay
	themeAt int
	tabs    []tabHit
	opened  *Opened
	wanted  uint64 // the row to select once it is there, 0 for none
	names   map[string]*ui.Lazy[string, []string]
	places  *ui.Lazy[fleet.What, []fleet.Place]
}

// page is a screen: its rows, and what explains the selected one.
type page struct {
	ui.ListPane
	kind   fleet.Kind
	lazy   *ui.Lazy[askKey, *answered]
	table  *ui.Table[*answered, row]
	about  *ui.Lazy[aboutKey, *about]
	filter string
}

// askKey determines an answer.
type askKey struct {
	view  view
	round int
}

func newApp(o Options) *app {
	a := &app{Box: tview.NewBox(), o: o, now: viewOf(&o.Start), stale: true, pages: map[fleet.Kind]*page{},
		names: map[string]*ui.Lazy[string, []string]{}}
	if o.Patience == 0 {
		a.o.Patience = ui.Patience
	}
	a.Env = ui.Env{
		Ctx: o.Terminal.Context(), Keys: o.Keys, Patience: a.o.Patience, Work: &ui.Work{}, DeepWork: &ui.Work{},
		Post: o.Terminal.Post, Background: o.Terminal.Go,
		Changed: func() { a.stale = true }, Say: a.say,
		Popup: func(v ui.Overlay) { a.overlay = v },
	}
	if m := o.Memory; m != nil && m.kept {
		a.now, a.past, a.themeAt, a.message = m.now, m.past, m.theme, m.message
		if n := len(a.past); n > 0 && a.past[n-1].view == a.now {
			a.wanted = a.past[n-1].id
			a.past = a.past[:n-1]
		}
	}
	a.places = ui.NewLazy(&a.Env, o.Fleet.Places)
	a.setTheme(a.themeAt)
	for _, k := range screens() {
		a.pages[k] = a.newPage(k)
	}
	return a
}

// keep remembers where the user is, for the time after a recording.
func (a *app) keep() {
	if m := a.o.Memory; m != nil {
		*m = Memory{now: a.now, past: append(a.past, a.here()), theme: a.themeAt, kept: true}
	}
}

func (a *app) newPage(k fleet.Kind) *page {
	p := &page{kind: k}
	spec := ui.Spec[*answered, row]{
		Rows: func(d *answered) []row { return d.rows }, Columns: a.columns,
		ID:   func(_ *answered, r *row) uint64 { return r.id },
		Wide: 110,
		Most: func(d *answered) (uint64, uint64) { return 1 << 40, 99_999 },
	}
	if k == fleet.Trend { // they are in the order of time
		spec.First = ui.AsGiven
	}
	blank := &answered{of: view{kind: k}, answer: &fleet.Answer{}}
	p.table = ui.NewTable(&a.Env, &p.ListPane, blank, spec)
	p.Enter = a.open
	p.lazy = ui.NewLazy(&a.Env, a.answerTo)
	p.about = ui.NewLazy(&a.Env, a.explain)
	return p
}

// selected returns the number of the selected row in its answer.
func (p *page) selected() (n int, ok bool) {
	at, ok := p.List.Selected()
	if now := p.table.Now(); ok && now != nil && at < len(now.Order) {
		return int(now.Order[at]), true
	}
	return 0, false
}

// answerTo computes the answer to a view. Any goroutine may call it.
func (a *app) answerTo(ctx context.Context, k askKey) (*answered, error) {
	d := &answered{of: k.view, question: k.view.question()}
	var err error
	if d.answer, err = a.o.Fleet.Ask(ctx, &d.question); err != nil {
		return nil, err
	}
	d.rows = rowsOf(&d.question, d.answer)
	d.notes, d.warnings = a.o.Notes(&d.question, d.answer), a.o.Fleet.Warnings()
	for i := range d.rows {
		d.most = max(d.most, d.rows[i].sum.Median)
	}
	return d, nil
}

// page returns the screen that is shown.
func (a *app) page() *page { return a.pages[a.now.kind] }

// show requests what the screen needs.
func (a *app) show() {
	a.Until = time.Now().Add(a.o.Patience)
	for range 3 { // an answer that arrives in time changes the frame
		if !a.stale {
			return
		}
		a.stale = false
		p := a.page()
		p.lazy.Ask(askKey{a.now, a.round})
		d, ok := p.lazy.Get()
		if !ok {
			p.table.Forget()
			continue
		}
		p.table.Ask(d, p.filter)
		if a.wanted != 0 && p.table.Fresh() && p.lazy.Fresh() {
			p.List.SelectID(a.wanted)
			a.wanted = 0
		}
		a.detail(p)
	}
}

func (a *app) say(text string) { a.message = text }

func (a *app) setTheme(i int) {
	a.themeAt = i % len(a.o.Themes)
	a.Theme = a.o.Themes[a.themeAt]
	a.Look = ui.LookOf(a.Theme, a.o.Terminal.Caps().Unicode)
	a.o.Terminal.Screen().SetStyle(a.Theme.Style(themes.Text))
	a.stale = true
}

// here returns the place on screen.
func (a *app) here() place {
	p := place{view: a.now}
	if n, ok := a.page().selected(); ok {
		p.id = a.page().table.Now().Of.rows[n].id
	}
	return p
}

// mostPast limits how far one can go back.
const mostPast = 100

// visit shows another view; going back returns to this one.
func (a *app) visit(to view) {
	if to == a.now {
		return
	}
	if a.past = append(a.past, a.here()); len(a.past) > mostPast {
		a.past = a.past[1:]
	}
	a.change(to)
}

// change shows another view in place of this one.
func (a *app) change(to view) {
	if to.kind != a.now.kind {
		a.last = a.now.kind
		p := a.pages[to.kind]
		p.filter, p.InDetail = "", false
	}
	a.now, a.stale = to, true
}

// back undoes the last step: the focus of the pane, the filter of rows, then what was opened.
func (a *app) back() {
	p := a.page()
	switch n := len(a.past); {
	case p.Leave():
	case p.filter != "":
		p.filter = ""
	case n > 0:
		to := a.past[n-1]
		a.past = a.past[:n-1]
		a.change(to.view)
		a.wanted = to.id
	case len(a.now.restrictions()) > 0:
		list := a.now.restrictions()
		list[len(list)-1].drop(&a.now)
	case a.now.kind != fleet.Top:
		to := a.now
		to.kind = fleet.Top
		a.change(to)
	default:
		a.say(a.Hint("{quit} quits, {help} shows the keys"))
	}
	a.stale = true
}

// open opens the selected row.
func (a *app) open() {
	p := a.page()
	n, ok := p.selected()
	if !ok {
		a.say(a.empty(p)[0])
		return
	}
	d := p.table.Now().Of
	r := &d.rows[n]
	if to, ok := d.of.further(r); ok {
		if to.kind != fleet.Recordings && to.kind == a.now.kind {
			return
		}
		a.visit(to)
		return
	}
	a.openRecording(d, r)
}

// openRecording ends the program so that a recording is opened.
func (a *app) openRecording(d *answered, r *row) {
	if r.uri == "" {
		a.say("the fleet does not know where this recording is: its place was not kept when it was added")
		return
	}
	if err := a.o.Openable(r.uri); err != nil {
		a.say("not opened: " + model.Clean(err.Error()))
		return
	}
	stack := fleet.Key(0)
	if d.of.what.Stacks() {
		stack, _ = fleet.KeyOf(d.of.site)
	}
	a.opened = &Opened{Stack: stack, URI: r.uri, What: d.of.what, Leaking: d.of.shownFigure() == fleet.Leaked, Place: a.placeOf(d)}
	a.keep()
	a.o.Terminal.Fail(errOpen)
}

// placeOf returns the names of the site that recordings are listed of.
func (a *app) placeOf(d *answered) fleet.Place {
	if d.of.site == "" {
		return fleet.Place{}
	}
	if !d.of.what.HasSites() {
		return fleet.Place{Type: d.of.site}
	}
	if function, file, ok := fleet.Divided(d.of.siteName); ok {
		return fleet.Place{Function: function, File: file}
	}
	return fleet.Place{Function: d.of.siteName}
}

// empty says why there are no rows, and what to do.
func (a *app) empty(p *page) []string {
	switch {
	case p.lazy.Failure() != nil:
		return []string{"No answer: " + ended(model.Clean(p.lazy.Failure().Error())), a.Hint("{reload} asks again.")}
	case !p.lazy.Fresh():
		return []string{"Asking the fleet " + a.Look.Glyphs.Ellipsis}
	case p.filter != "":
		return []string{"No row contains that.", a.FilterHint()}
	case p.kind == fleet.Diff:
		return []string{"Nothing changed between the versions.", a.Hint("{cost} asks about another figure.")}
	}
	lines := []string{"The fleet has no such recordings."}
	if len(a.now.restrictions()) > 0 {
		lines = append(lines, a.Hint("{back} removes restrictions, {group} and {cost} choose another question."))
	} else {
		lines = append(lines, a.Hint("{group} and {cost} choose another question; memtui fleet add adds recordings."))
	}
	return lines
}

// ended returns a sentence with its period.
func ended(text string) string {
	if strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// styled returns the state that tables need.
func (a *app) styled(p *page) *state.State {
	s := state.NewState()
	s.Exact, s.Filter = a.exact, p.filter
	return &s
}

// HasFocus implements tview.Primitive: all keys come here.
func (a *app) HasFocus() bool { return true }

// Draw implements tview.Primitive.
func (a *app) Draw(s tcell.Screen) {
	x, y, w, h := a.GetRect()
	a.figures = ui.Figures{Exact: a.exact, Wide: w >= 110}
	a.show()
	s.HideCursor()
	a.drawFrame(s, widget.Rect{X: x, Y: y, W: w, H: h})
}
