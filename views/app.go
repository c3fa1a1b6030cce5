package views

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/sources"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Options are the inputs of the program. All fields are required unless the meaning of their zero value is stated.
type Options struct {
	Terminal   *term.Terminal
	Store      *model.Store                               // its revisions are followed
	Trace      analysis.Trace                             // nil for files without allocations
	Libraries  *regexp.Regexp                             // own no memory, in addition to the built-in ones; may be nil
	Sources    *sources.Finder                            // of source files; nil for none
	Second     *compare.Second                            // a file to compare with, nil for none
	OpenSecond func(path string) (*compare.Second, error) // opens one from within, off the event loop; nil when that is impossible
	Home       string                                     // the user's directory, for ~
	Start      Start                                      // what to show first
	HeapStart  HeapStart                                  // where to begin in heap snapshots
	HeapBudget int64                                      // bytes of decoded snapshots to keep at most; 0 for the usual
	Budget     *model.Budget                              // of the program's memory; nil for no bound
	Keys       *keymap.Map
	Themes     []*themes.Theme           // that the terminal can show; the first is used at the start
	Command    []string                  // names this file on a command line: flags that matter, then its path; may be empty
	Paths      int                       // how many paths at the end of Command are one recording; 0 for a file alone
	Readable   func(second string) error // why the file, or the second one unless "", cannot be read again now; may be nil
	Memory     *Memory                   // state before the file was read again; nil for the first time
	// Evidence writes a report about the file to a place, from any goroutine; nil if that is impossible.
	Evidence func(context.Context, EvidenceQuery) error
	// Save checks a request and returns a function that writes it to a file, from any goroutine; nil if that is
	// impossible.
	Save     func(SaveQuery) (SaveFunc, error)
	Stop     func()                                // ends loading, keeping what was read; nil when that is impossible
	Begun    <-chan struct{}                       // closed when there are events to chart, or never will be; nil for at once
	Within   func(context.Context) context.Context // context of all queries, from the terminal's; nil for that itself
	Damaged  <-chan struct{}                       // closed when what is shown is made of a damaged kept file; nil for never
	Patience time.Duration                         // how long a frame waits for answers; 0 for the usual
}

// ErrReload is what Run returns when the file is to be read again.
var ErrReload = errors.New("read the file again")

// Run shows the program until the user quits (nil), asks for the file to be read again (ErrReload), or the terminal
// ends (its error). It restores the terminal before it returns.
func Run(o Options) error {
	a := newApp(o)
	o.Terminal.SetKeys(a.ownKey)
	a.awaitFirst()
	a.follow()
	a.distrust()
	return o.Terminal.Run(a)
}

// ownKey keeps Ctrl-C from ending the program at once: while the user types or a file loads it cancels that.
func (a *app) ownKey(ev *tcell.EventKey) *tcell.EventKey {
	if ev.Key() != tcell.KeyCtrlC {
		return ev
	}
	a.key(ev)
	return nil
}

// app is the root primitive: it owns the state and the screens, routes keys and applies intents.
type app struct {
	*tview.Flex
	ui.Env
	o               Options
	state           state.State
	headed          time.Time       // when the header of what is followed was last drawn
	judgedAt        time.Time       // when what is followed was last judged
	followedAt      time.Time       // when the first event of what is followed was read
	progress        analysis.Status // how far loading is by now, which the state may trail
	stale           bool            // the state has not been shown yet
	shown           bool            // a state has been shown
	stopped         bool            // the user stopped loading
	all             []ui.Screen
	screens         []ui.Screen             // those that the file offers
	at              int                     // the one on screen
	inDifference    map[ui.Screen]ui.Screen // what replaces a screen while the difference is shown
	laid            ui.Screen               // the screen in the layout
	previous        int
	header          *bar
	screenBar       *bar
	screenHits      []screenHit // cells of the screens in their bar, for the mouse
	footer          *bar
	overlays        []ui.Overlay
	prompt          *prompt
	typed           map[string][]string // earlier lines, by the prompt's name
	saving          context.CancelFunc  // cancels writing a file, nil if none is written
	message         string
	past            []place // history, the newest last
	future          []place
	base            state.State              // when the screen was opened: going back leaves the screen before it undoes this
	filters         map[keymap.Action]string // of the rows of the screens that are not shown
	undoStack       []state.Narrowing        // states for undo, newest last
	redoStack       []state.Narrowing
	restrictionBar  *bar
	restrictionHits []restrictionHit // cells of the filters in the bar, for the mouse
	themeAt         int
	hits            []hintHit // footer cells of hints, for the mouse
	dragFrom        point
	pressed         bool // the left button, since dragFrom
	dragging        bool
	profiles        atomic.Pointer[ui.ProfileFile] // of the newest revision
	ticking         bool                           // a redraw is scheduled
}

type point struct{ x, y int }

// place is a position to return to.
type place struct {
	screen      int
	state, base state.State
}

func newApp(o Options) *app {
	if p := o.Store.Current(); p != nil && (p.Heaps != nil || p.Timeline != nil || p.Weights != nil) &&
		p.Allocations == nil {
		o.Trace = nil // an index of nothing
	}
	a := &app{Flex: tview.NewFlex().SetDirection(tview.FlexRow), o: o, state: state.NewState(),
		base: state.NewState(), filters: map[keymap.Action]string{}, stale: true}
	if o.Patience == 0 {
		a.o.Patience = ui.Patience
	}
	within := o.Within
	if within == nil {
		within = func(ctx context.Context) context.Context { return ctx }
	}
	a.Env = ui.Env{
		Ctx: model.WithBudget(within(o.Terminal.Context()), o.Budget), Trace: o.Trace, Libraries: o.Libraries,
		Sources:  cmp.Or(o.Sources, sources.NewFinder(nil, nil, "")),
		Patience: a.o.Patience, Work: &ui.Work{}, DeepWork: &ui.Work{}, Views: &ui.StackViews{},
		Post: o.Terminal.Post, Background: o.Terminal.Go,
		Keys: o.Keys, Emit: a.emit, Open: a.openScreen, Visit: a.visit, Say: a.say,
		First: &ui.ComparedFile{Trace: o.Trace}, Paths: o.Paths, JoinedTrees: &ui.JoinedTreeCache{},
		Changed: func() { a.stale = true },
		Popup:   func(v ui.Overlay) { a.overlays = append(a.overlays, v) },
	}
	a.setTheme(o.Memory.recall(&a.state))
	o.HeapStart.begin(&a.state)
	a.Loads = ui.NewHeapLoads(&a.Env)
	a.Layouts = ui.NewLayoutLoads(&a.Env)
	a.header, a.footer = &bar{Box: tview.NewBox(), drawBar: a.drawHeader}, &bar{Box: tview.NewBox(), drawBar: a.drawFooter}
	a.screenBar = &bar{Box: tview.NewBox(), drawBar: a.drawScreens}
	a.restrictionBar = &bar{Box: tview.NewBox(), drawBar: a.drawRestrictions}
	a.adoptDump(o.Store.Current())
	a.adoptProf(o.Store.Current())
	a.all = allScreens(&a.Env)
	a.inDifference = differences(&a.Env, a.all)
	a.refresh(a.loadedNow())
	if n := a.state.Prof.Window; n != state.NoWindow && o.HeapStart.Snapshot != nil {
		a.followWindow(state.ChooseWindow{Window: n})
	}
	a.at = a.firstScreen()
	again := o.Memory != nil && o.Memory.state != nil
	if again {
		a.at = min(o.Memory.screen, len(a.screens)-1)
	} else {
		o.Start.begin(a)
	}
	a.layout()
	compared := a.state.Compare
	switch {
	case o.Second != nil:
		a.adoptSecond(o.Second, newSecondFile(o.Second, o.Libraries))
		a.emit(state.ShowDifference{On: true})
		if again {
			a.state.Compare = compared
		}
		a.markStart()
	case again && o.Memory.second != "" && o.OpenSecond != nil:
		a.emit(state.ClearMarks{})
		a.openSecond(o.Memory.second, func(*compare.Second) { a.state.Compare, a.stale = compared, true })
	}
	return a
}

// distrust reads the file again once what is shown turns out to be made of a damaged file that was kept of it.
func (a *app) distrust() {
	if a.o.Damaged == nil {
		return
	}
	a.o.Terminal.Background(func() {
		select {
		case <-a.Ctx.Done():
		case <-a.o.Damaged:
			a.Post(a.readAgain)
		}
	})
}

// follow refreshes the state whenever more was read, until everything is.
func (a *app) follow() {
	known := state.Loaded{Profile: a.state.Profile, Status: a.state.Status}
	a.o.Terminal.Background(func() {
		for seen := uint64(0); a.awaitMore(seen, &known); {
			seen = a.postRefresh(&known)
		}
	})
}

// mostBlank is how long the first frame waits for events: a frame with a chart is drawn sooner if no other one is in
// progress.
const mostBlank = 20 * time.Millisecond

// awaitFirst waits a moment for the first events.
func (a *app) awaitFirst() {
	if a.Trace == nil {
		return
	}
	if a.o.Begun != nil {
		late := time.NewTimer(mostBlank)
		defer late.Stop()
		select {
		case <-a.o.Begun:
		case <-late.C:
		case <-a.Ctx.Done():
		}
	}
	a.refresh(a.loadedNow())
}

// pause returns how long to wait for more events than were seen: hardly at all for the first ones, since there is no
// chart before them.
func pause(seen uint64) time.Duration {
	if seen == 0 {
		return 4 * time.Millisecond
	}
	return 80 * time.Millisecond
}

// awaitMore waits until more may have been read: less than a tenth of a second while a file loads, afterwards for the next
// revision. It returns false at the end of the program.
func (a *app) awaitMore(seen uint64, known *state.Loaded) bool {
	_, changed := a.o.Store.Watch()
	if a.Trace != nil {
		if s := a.Trace.Status(); !s.Final && !s.Stopped {
			tick := time.NewTimer(pause(seen))
			defer tick.Stop()
			select {
			case <-a.Ctx.Done():
				return false
			case <-tick.C:
				return true
			}
		}
	}
	a.postRefresh(known) // for what arrived between the last tick and the end
	select {
	case <-a.Ctx.Done():
		return false
	case <-changed:
		return true
	}
}

// postRefresh queries what is loaded off the loop, since it may wait for a lock, and returns the number of events.
// While that is what the program began with, it posts nothing: an unchanged frame would only delay the first chart.
func (a *app) postRefresh(known *state.Loaded) (events uint64) {
	i := a.loadedNow()
	if i == *known {
		return i.Status.Events
	}
	*known = state.Loaded{}
	a.Post(func() { a.refresh(i) })
	return i.Status.Events
}

func (a *app) loadedNow() state.Loaded {
	i := state.Loaded{Profile: a.o.Store.Current()}
	a.profileOf(i.Profile)
	if a.Trace != nil {
		i.Status = a.Trace.Status()
	}
	return i
}

// refresh updates the loading progress always, and the data of the figures as often as their computation allows.
func (a *app) refresh(i state.Loaded) {
	a.adoptDump(i.Profile)
	if a.Dump != nil {
		i.Status = a.Dump.Status()
	}
	if a.adoptProf(i.Profile); a.Prof != nil {
		i.Status = a.Prof.Status()
	}
	a.progress = i.Status
	i.Judged = a.judged(&i)
	if a.loading() && a.state.Profile != nil && a.state.Status.Events > 0 && !a.Work.Idle() {
		return
	}
	if a.state.Live() && time.Since(a.headed) >= time.Second { // the header says how long nothing has happened
		a.headed, a.stale = time.Now(), true
	}
	if a.state.Profile == i.Profile && a.state.Status == i.Status && a.state.Judged == i.Judged && len(a.screens) > 0 {
		return
	}
	a.state, a.stale = a.state.Apply(i), true
	a.adoptHeaps(i.Profile)
	a.keepStacks()
	a.offer()
}

// Findings of a recording that is followed are shown when there is something to judge, and again after a quarter of its
// time, at the latest after judgeEvery.
const (
	firstJudged = 3 * model.Second
	judgeEvery  = 5 * time.Second
	judgeRest   = 2 * time.Second // traces keep verdicts for so long: those of a later moment must not be of before it
)

// judged returns of when findings are shown while a recording is followed: of a later moment now and then.
func (a *app) judged(i *state.Loaded) state.Judged {
	if i.Profile == nil || i.Profile.Meta.Live == "" || i.Status.Events == 0 {
		return state.Judged{}
	}
	if a.followedAt.IsZero() {
		a.followedAt = time.Now()
	}
	every := judgeEvery
	if i.Status.Duration >= firstJudged {
		every = min((i.Status.Duration / 4).Duration(), judgeEvery)
	} else if a.state.Judged.Revision == 0 && time.Since(a.followedAt) < firstJudged.Duration() {
		return state.Judged{} // later on, a program that rests is judged as well
	}
	if time.Since(a.judgedAt) < every || !a.DeepWork.LongIdle() || !a.DeepWork.Rested(judgeRest) {
		return a.state.Judged
	}
	a.judgedAt = time.Now()
	return state.Judged{Revision: i.Status.Revision, To: i.Status.Duration}
}

// heapBudget is the number of bytes of decoded snapshots that are kept: about two of a large program.
const heapBudget = 1 << 30

// adoptHeaps sets up the snapshots of a revision unless that is done.
func (a *app) adoptHeaps(p *model.Profile) {
	if p == nil || p.Heaps == nil || a.Heaps != nil && a.Heaps.Source() == p.Heaps {
		return
	}
	budget := a.o.HeapBudget
	if budget <= 0 || budget > heapBudget {
		budget = heapBudget
	}
	a.Heaps = heapgraph.NewHeaps(p.Heaps, budget)
}

// offer selects the screens that the file offers.
func (a *app) offer() {
	var on ui.Screen
	if len(a.screens) > 0 {
		on = a.screens[a.at]
	}
	a.screens = a.screens[:0:0]
	for _, s := range a.all {
		if offers(a.state.Profile, s) {
			a.screens = append(a.screens, s)
		}
	}
	a.at = 0
	for i, s := range a.screens {
		if s == on {
			a.at = i
		}
	}
	if on != a.screens[a.at] || a.laid == nil {
		a.layout()
	}
}

// layout arranges header, screen bar, filters, the screen and the footer. Very low terminals have no footer.
func (a *app) layout() {
	a.Clear()
	a.AddItem(a.header, 1, 0, false)
	a.AddItem(a.screenBar, a.screenRows(), 0, false)
	a.AddItem(a.restrictionBar, a.restrictionRows(), 0, false)
	a.laid = a.current()
	a.AddItem(a.laid, 0, 1, true)
	a.AddItem(a.footer, 1, 0, false)
	a.stale = true
}

// HasFocus implements tview.Primitive. The program passes keys on itself, whichever screen it shows.
func (a *app) HasFocus() bool { return true }

// current returns the screen that is shown, or what replaces it while the difference is.
func (a *app) current() ui.Screen {
	s := a.screens[a.at]
	if twin := a.inDifference[s]; twin != nil && a.state.Compare.On {
		return twin
	}
	return s
}

// emit applies an intent.
func (a *app) emit(i state.Intent) {
	before := a.state.Narrowing()
	a.state, a.stale = a.state.Apply(i), true
	a.noteNarrowing(before)
	a.followWindow(i)
}

func (a *app) say(text string) { a.message = text }

func (a *app) setTheme(i int) {
	a.themeAt = i % len(a.o.Themes)
	a.Theme = a.o.Themes[a.themeAt]
	a.Look = ui.LookOf(a.Theme, a.o.Terminal.Caps().Unicode)
	a.o.Terminal.Screen().SetStyle(a.Theme.Style(themes.Text))
}

// Draw implements tview.Primitive. The state is shown to the one screen that is visible, once per frame.
func (a *app) Draw(s tcell.Screen) {
	a.showState()
	a.followProgress()
	s.HideCursor() // input fields show it
	a.Flex.Draw(s)
	x, y, w, h := a.GetRect()
	body := widget.Rect{X: x, Y: y + 1, W: w, H: max(h-2, 0)}
	for _, o := range a.overlays {
		o.Draw(s, body, a.Look)
	}
	if a.message != "" && a.prompt == nil && h > 1 { // over what has the rows above the footer
		a.drawMessage(s, widget.Rect{X: x, Y: y + h - 1, W: w, H: 1})
	}
}

// placeScreen gives the screen its future area, so that it can request what fits before it draws.
func (a *app) placeScreen() {
	x, y, w, h := a.GetRect()
	a.ResizeItem(a.screenBar, a.screenRows(), 0)
	a.ResizeItem(a.restrictionBar, a.restrictionRows(), 0)
	bars := a.screenRows() + a.restrictionRows()
	place := [4]int{x, y + 1 + bars, w, max(h-2-bars, 0)}
	was := [4]int{}
	if was[0], was[1], was[2], was[3] = a.current().GetRect(); was != place {
		a.current().SetRect(place[0], place[1], place[2], place[3])
		a.stale = true
	}
}

func (a *app) showState() {
	if a.laid != a.current() {
		a.layout()
	}
	a.Flex.SetRect(a.GetRect())
	a.placeScreen()
	a.Until = time.Now().Add(a.Patience)
	if a.Opening = !a.shown && a.Patience == ui.Patience; a.Opening {
		a.Until = time.Now().Add(mostBlank)
	}
	a.shown = true
	for range 3 { // an answer that arrives in time changes the frame at most twice
		if !a.stale {
			return
		}
		a.stale = false
		st := a.state
		a.current().Show(&st)
		if c, ok := a.current().(interface{ Columns() int }); ok {
			if n := c.Columns(); n > 0 && n != a.state.Columns {
				a.emit(state.SetColumns{N: n})
			}
		}
	}
}

// openScreen goes to the screen that an action names.
func (a *app) openScreen(to keymap.Action) {
	for i, s := range a.screens {
		if s.Action() == to {
			a.goTo(i)
		}
	}
}

// goTo shows screen i and records the previous position.
func (a *app) goTo(i int) {
	if i < 0 || i >= len(a.screens) {
		a.say("this file has " + model.Counted(len(a.screens), "screen"))
		return
	}
	if i == a.at {
		return
	}
	a.remember()
	a.filters[a.current().Action()] = a.state.Filter
	a.previous, a.at = a.at, i
	a.state.Filter = a.filters[a.current().Action()]
	a.base = state.NewState()
	a.base.At = a.state.At
	a.layout()
}

// maxHistory limits the navigation history.
const maxHistory = 100

// visit goes to the screen that an action names, if it is not there already, and changes the state. Going back undoes
// both at once.
func (a *app) visit(to keymap.Action, changes ...state.Intent) {
	if a.current().Action() == to {
		a.remember()
	}
	a.openScreen(to)
	for _, i := range changes {
		a.emit(i)
	}
	a.base = a.state
}

func (a *app) remember() {
	a.past = append(a.past, place{a.at, a.state, a.base})
	if len(a.past) > maxHistory {
		a.past = a.past[1:]
	}
	a.future = nil
}

// travel moves one step from one history to the other, recording the present.
func (a *app) travel(from, to *[]place) {
	n := len(*from)
	if n == 0 {
		a.say("no other view to go to")
		return
	}
	p := (*from)[n-1]
	*from = (*from)[:n-1]
	*to = append(*to, place{a.at, a.state, a.base})
	now := a.state
	defer a.noteNarrowing(now.Narrowing())
	a.state, a.base = p.state, p.base
	a.state.Profile, a.state.Status, a.state.Columns = now.Profile, now.Status, now.Columns
	a.state.Compare = now.Compare // marks are not part of the position
	a.state.Heap.Other, a.state.Heap.Requests = now.Heap.Other, now.Heap.Requests
	a.state.Prof.Requests, a.state.Prof.Target = now.Prof.Requests, "" // requests of other screens are done or void
	a.state.Dump.Requests = now.Dump.Requests
	a.state.Spot.Requests = now.Spot.Requests + 1 // the line of then is shown again
	a.previous, a.at = a.at, min(p.screen, len(a.screens)-1)
	a.layout()
}
