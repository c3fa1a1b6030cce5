package views

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// bar is a line of the frame around the screens.
type bar struct {
	*tview.Box
	drawBar func(s tcell.Screen, r widget.Rect)
}

func (b *bar) Draw(s tcell.Screen) {
	x, y, w, h := b.GetRect()
	if w > 0 && h > 0 {
		b.drawBar(s, widget.Rect{X: x, Y: y, W: w, H: h})
	}
}

// drawHeader draws the file, the screen and the instant, and whether the file is complete.
func (a *app) drawHeader(s tcell.Screen, r widget.Rect) {
	st := a.Style(themes.StatusBar)
	widget.Fill(s, r, st)
	name := "memtui"
	if p := a.state.Profile; p != nil {
		name = cmp.Or(a.fileOfSnapshot(), p.Meta.Name)
	}
	if a.Second != nil && a.state.Compare.On { // both files are named at the right
		name = ""
	}
	title := a.current().Name()
	if about := a.current().About(); about != "" {
		title += " · " + about
	}
	if m, ok := a.current().(ui.Maximizer); ok && m.Hides() != "" {
		title += " · " + a.Hint("{maximize} brings back ") + m.Hides()
	}
	whole, when := a.completeness(), ""
	if a.sidesShown() {
		name, title, whole, when = a.differenceHeader(r.W, name, title, whole)
	} else {
		when = a.instantText()
	}
	right := widget.Width(when) + 3 + widget.Width(whole) + 1
	left := 1 + widget.Width(name) + 2 + widget.Width(title) + 2
	if left+right > r.W && name != "" { // the instant has priority over the file's full name
		name = widget.TruncateMiddle(name, max(r.W-right-widget.Width(title)-5, 8))
	}
	x := r.X + 1
	x += widget.Print(s, x, r.Y, r.W-2, name, a.over(themes.Accent, st))
	if name != "" {
		x += 2
	}
	x += widget.Print(s, x, r.Y, r.X+r.W-x-1, title, st.Bold(true))
	x += a.drawCell(s, widget.Rect{X: x, Y: r.Y, W: r.X + r.W - x - right - 1, H: 1}, st)
	room := r.X + r.W - x - 2
	if room < widget.Width(whole) {
		return
	}
	badge := st
	if whole != complete {
		badge = a.over(themes.Badge, st)
	}
	end := r.X + r.W - 1
	end -= widget.Width(whole)
	widget.Print(s, end, r.Y, widget.Width(whole), whole, badge)
	if room > widget.Width(whole)+4 {
		text, gap := widget.Truncate(when, room-widget.Width(whole)-3), " · "
		if whole == "" {
			text, gap = widget.Truncate(when, room), ""
		}
		widget.Print(s, end-widget.Width(gap)-widget.Width(text), r.Y, widget.Width(text+gap), text+gap, st)
	}
}

// differenceHeader makes room in a header of w cells for the names of the sides: it drops the file's name, then other
// parts of the title, then the word for completeness.
func (a *app) differenceHeader(w int, name, title, whole string) (string, string, string, string) {
	room := func() int { return w - widget.Width(title) - widget.Width(whole) - 7 }
	if name != "" {
		const all = 1 << 16
		if when := a.sidesOf(all); widget.Width(when) <= room()-widget.Width(name)-2 {
			return name, title, whole, when
		}
	}
	when := a.sidesOf(room())
	if !strings.HasPrefix(when, "before") || a.Second != nil && w < 100 {
		title = a.current().Name()
		when = a.sidesOf(room())
	}
	const least = 24 // cells that are useful
	if room() < least && whole == complete {
		whole = ""
		when = a.sidesOf(room() + 4)
		title = widget.Truncate(title, max(w-widget.Width(when)-3, 4))
	}
	return "", title, whole, when
}

// sidesOf returns the names of the sides on the screen in at most w cells.
func (a *app) sidesOf(w int) string {
	what := ui.DiffSites
	if p, ok := a.current().(ui.TwoSided); ok {
		what = p.Compares()
	}
	return compare.SidesText(&a.Env, &a.state, what, w)
}

// drawCell draws the size and lifetime to which blocks are restricted, or that the screen ignores it.
func (a *app) drawCell(s tcell.Screen, r widget.Rect, st tcell.Style) (width int) {
	if a.Trace == nil || a.state.Cell.IsAll() || r.W < 8 {
		return 0
	}
	text := "only " + a.state.Cell.Text()
	if widget.Width(text)+2 > r.W {
		text = "one cell"
	}
	style := a.over(themes.Badge, st)
	if n, ok := a.current().(ui.Narrower); !ok || !n.Narrows() {
		text, style = "tables not by size and lifetime", a.over(themes.Muted, st)
	}
	return 1 + widget.Print(s, r.X+1, r.Y, r.W-1, text, style)
}

// over returns the style of a role on the background of another style.
func (a *app) over(r themes.Role, on tcell.Style) tcell.Style {
	_, bg, _ := on.Decompose()
	return a.Style(r).Background(bg)
}

// sidesShown reports whether the header names the two sides of a difference.
func (a *app) sidesShown() bool {
	if !a.state.Compare.On || !a.kind().ranges() { // snapshots are named on the screens
		return false
	}
	_, itself := a.current().(ui.TwoSided)
	return itself || a.inDifference[a.screens[a.at]] != nil
}

// instantText returns the instant or range of everything on screen.
func (a *app) instantText() (text string) {
	for _, k := range a.kinds() {
		if text = k.instant(); text != "" {
			break
		}
	}
	return text
}

// end names the end of a run that is not watched.
func (a traceKind) end() string {
	if p := a.state.Profile; p != nil && p.Meta.Ended != "" {
		return p.Meta.Ended
	}
	return "end of run"
}

// instant returns the instant or range, and whether times between those in the file are estimates.
func (a traceKind) instant() (text string) {
	s := &a.state
	if s.Status.Events == 0 {
		return ""
	}
	at := a.end() + " · " + s.Status.Duration.String()
	switch {
	case s.Live():
		at = liveText(s, time.Now())
	case s.Profile != nil && s.Profile.Meta.Live != "": // its recorder ended before the program
		at = "recorded to " + s.Status.Duration.String()
	case !s.Status.Final: // not known yet when it ends
		at = "read to " + s.Status.Duration.String()
	}
	if s.Profile != nil && s.Profile.Meta.CoarseTimes {
		defer func() { text = "times estimated · " + text }()
	}
	if !s.AtEnd() && !a.timeless() {
		at = "at " + s.Now().String()
		if s.At.Events != 0 {
			at += " (peak)"
		}
	}
	if s.Range.IsFull() {
		return at
	}
	from := max(s.Range.From, 0)
	r := fmt.Sprintf("range %s (%v)", ui.RangeText(from, s.Range.To, ""), s.Range.To-from)
	if s.Now() != s.Range.To && !a.timeless() {
		r += " · live " + at
	}
	return r
}

// quietAfter is how long nothing may happen in a recording that is followed until that is said.
const quietAfter = 2 * model.Second

// liveText returns the last time of a recording that is followed and, where nothing has happened since, how long ago it
// was, unless it comes through a pipe: the clock of another machine may differ.
func liveText(s *state.State, now time.Time) string {
	last := s.Status.Duration
	if m := &s.Profile.Meta; m.HasStart && m.Start < 1<<62 && m.Path != "-" {
		quiet := model.Time(now.UnixMicro()-int64(m.Start)) - last
		if quiet >= quietAfter && quiet < 1e6*model.Second {
			return "last event at " + last.String() + ", " + (quiet / model.Second * model.Second).String() + " ago"
		}
	}
	return "now " + last.String()
}

// timeless reports whether nothing on screen depends on the instant.
func (a *app) timeless() bool {
	t, ok := a.current().(ui.Timeless)
	return ok && t.Timeless()
}

// complete states that all of the file was read without damage.
const complete = "complete"

// completeness returns one word or two on how much of the file all figures cover.
func (a *app) completeness() string {
	p, st := a.state.Profile, a.progress
	if f := a.Second; f != nil && a.state.Compare.On && !a.loading() && !f.Read.Final && f.Trace != nil {
		if f.Read.Size > 0 && f.Read.Size > f.Read.Offset {
			return "loading B " + model.ShareOf(uint64(max(f.Read.Offset, 0)), uint64(f.Read.Size)).Done()
		}
		return "loading B"
	}
	switch {
	case p == nil:
		return "opening"
	case a.decoding():
		return a.Loads.Progress()
	case a.loading() && p.Meta.Live != "":
		return a.following(p)
	case a.loading() && st.Size > 0 && st.Size > st.Offset:
		return "loading " + model.ShareOf(uint64(max(st.Offset, 0)), uint64(st.Size)).Done()
	case a.loading():
		return "loading " + model.Bytes(max(st.Offset, 0)).String()
	case st.Stopped:
		return "stopped: totals are lower bounds"
	case p.Meta.Live != "":
		return p.Meta.Live
	case p.Lost > 0:
		return "damaged: " + model.Bytes(p.Lost).String() + " lost"
	case !p.Complete && p.Stacks == nil && p.Allocations != nil && len(p.Problems) == 0:
		return "reading names"
	case !p.Complete:
		if q := model.CutShort(p.Problems); q != nil && q.Code == model.CodeMemory {
			return "incomplete: memory limit"
		}
		return "incomplete"
	case st.Unfreed:
		return "live ≤ shown"
	case slices.ContainsFunc(p.Problems, func(q model.Problem) bool { return model.RecordedInPart(q.Code) }):
		return model.InPart
	case p.Meta.Sampled != "":
		return p.Meta.Sampled // so that every figure is an estimate
	}
	return complete
}

// mostBehind is how much of a recording may be unread until that is said: a fraction of a second of a busy program.
const mostBehind = 4 << 20

// following returns the state of following a recording in a few words.
func (a *app) following(p *model.Profile) string {
	text := p.Meta.Live
	if behind := p.Meta.Size - a.progress.Offset; behind > mostBehind {
		text += ", " + model.Bytes(behind).String() + " unread"
	}
	if p.Meta.Sampled != "" {
		text += ", " + p.Meta.Sampled
	}
	return text
}

// loading reports whether more is being read.
func (a *app) loading() bool {
	return a.Trace != nil && !a.progress.Final && !a.progress.Stopped
}

// hintHit is the position of a hint in the footer.
type hintHit struct {
	from, to int
	action   keymap.Action
}

// drawFooter draws the keys that work here, or the prompt, or a message.
func (a *app) drawFooter(s tcell.Screen, r widget.Rect) {
	a.hits = a.hits[:0]
	if a.prompt != nil {
		a.prompt.draw(s, r, a.Look, a.Style(themes.Input))
		return
	}
	st := a.Style(themes.HintText)
	widget.Fill(s, r, st)
	if a.message != "" {
		a.drawMessage(s, r)
		return
	}
	x := r.X + 1
	if why := a.unopened(); why != "" {
		x += widget.Print(s, x, r.Y, r.W-2, "cannot open: "+why, a.over(themes.Muted, st)) + 2
	}
	for _, h := range a.o.Keys.UsefulHints(r.W-x+r.X+1, a.useful, a.Scopes()...) {
		from := x
		x += widget.Print(s, x, r.Y, r.X+r.W-x, h.Keys, a.Style(themes.HintKey))
		if h.Text != "" {
			x++
			x += widget.Print(s, x, r.Y, r.X+r.W-x, h.Text, st)
		}
		a.hits = append(a.hits, hintHit{from, x, h.Action})
		x += 2
	}
}

// messageLines returns the message in lines of the given width.
func (a *app) messageLines(w int) []string { return widget.Wrap(widget.Clean(a.message), max(w-2, 1)) }

// closesMessage reports whether going back only closes the message, since it hides rows of the screen. One that
// says what going back does is no obstacle to it.
func (a *app) closesMessage() bool {
	_, _, w, _ := a.GetRect()
	return a.message != "" && len(a.messageLines(w)) > 1 && !strings.Contains(a.message, a.Hint("{back} "))
}

// drawMessage draws a message in the footer; if it does not fit, it takes rows above.
func (a *app) drawMessage(s tcell.Screen, r widget.Rect) {
	st := a.Style(themes.HintText)
	lines := a.messageLines(r.W)
	_, _, _, h := a.GetRect()
	lines = lines[:min(len(lines), max(h/2, 1))]
	r = widget.Rect{X: r.X, Y: r.Y - len(lines) + 1, W: r.W, H: len(lines)}
	widget.Fill(s, r, st)
	for i, l := range lines {
		widget.Print(s, r.X+1, r.Y+i, r.W-2, l, a.over(themes.Accent, st))
	}
}

// unopened returns why the selected row cannot be opened, "" when it can or there is nothing to open.
func (a *app) unopened() string {
	if u, ok := a.current().(ui.Unopener); ok && len(a.overlays) == 0 {
		return u.Unopened()
	}
	return ""
}

// useful reports whether an action does anything now, so that the footer should name it.
func (a *app) useful(act keymap.Action) bool {
	if act == keymap.Open && a.unopened() != "" || a.uselessOnList(act) {
		return false
	}
	if n := len(a.overlays); n > 0 && len(a.overlays[n-1].Scopes()) == 0 {
		return false // it lists its own keys; those of the program do not apply to it
	}
	if slices.ContainsFunc(a.kinds(), func(k kind) bool { return k.useless(act) }) {
		return false
	}
	u, ok := a.front().(ui.Refuser)
	return !ok || !u.Useless(act)
}

// uselessOnList reports whether an action has nothing to do on the list that has the keys: there is no row, or one that
// needs no order. As long as something is computed, rows may still come.
func (a *app) uselessOnList(act keymap.Action) bool {
	l, ok := a.current().(ui.Lister)
	if !ok || len(a.overlays) > 0 {
		return false
	}
	list := l.FocusedList()
	if list == nil || list.Len() > 1 {
		return false
	}
	switch act {
	case keymap.Sort, keymap.SortReverse:
		return true
	case keymap.Open, keymap.FullRow, keymap.Copy:
		return list.Len() == 0 && a.Work.Idle() && a.current().CopyText() == ""
	case keymap.Find:
		return list.Len() == 0 && a.Work.Idle() && a.filterText() == ""
	}
	return false
}
