package views

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

// differences are the screens that stand for others while the difference is shown.
func differences(e *env, all []screen) map[screen]screen {
	out := map[screen]screen{}
	for _, s := range all {
		switch s := s.(type) {
		case *overview:
			out[s] = newCompareScreen(e, s, compareSites, true, false)
		case *timeline:
			out[s] = newCompareScreen(e, s, compareSites, true, true)
		case *sites:
			out[s] = newCompareScreen(e, s, compareSites, false, false)
		case *leaks:
			out[s] = newCompareScreen(e, s, compareLeaked, false, false)
		case *lifetimes:
			out[s] = newCompareScreen(e, s, compareLives, false, false)
		case *blockScreen:
			out[s] = newCompareBlocks(e, s)
		case *stacks:
			out[s] = newCompareStacks(e, s)
		case *profileScreen:
			out[s] = newCompareScreen(e, s, compareSites, true, false)
		case *profTimeline:
			out[s] = newCompareScreen(e, s, compareSites, true, true)
		case *profFunctions:
			p := newCompareScreen(e, s, compareSites, false, false)
			p.own, p.mine = true, analysis.ByFunction
			out[s] = p
		case *profLeaks:
			out[s] = newCompareScreen(e, s, compareLeaked, false, false)
		case *profStacks:
			out[s] = newCompareStacks(e, s)
		case *dumpSeries:
			out[s] = newCompareScreen(e, s, compareSeries, false, false)
		case *dumpFragments:
			out[s] = newCompareScreen(e, s, comparePages, false, false)
		case *heapGroups:
			by := compareTypes
			if s.base == byFrame {
				by = compareFrames
			}
			out[s] = newHeapDifference(e, s, by)
		case *heapDominators:
			out[s] = newHeapDifference(e, s, compareSubtrees)
		}
	}
	return out
}

// doCompare handles marks and the difference of traces and profiles; snapshots and layouts have their own.
func (a *app) doCompare(act keymap.Action) bool {
	if a.trace == nil && a.prof == nil && a.dump == nil {
		return false
	}
	if _, ok := a.current().(*dumpPages); ok && act == keymap.Range {
		act = keymap.MarkA // a range means nothing there
	}
	switch act {
	case keymap.MarkA, keymap.MarkB:
		if a.dump != nil {
			a.markLayout(act)
			return true
		}
		a.markHere(act)
	case keymap.Difference:
		a.toggleDifference()
	case keymap.Swap, keymap.Changes, keymap.Normalise, keymap.Align, keymap.Match:
		if u, ok := a.current().(interface{ useless(keymap.Action) bool }); ok && u.useless(act) {
			a.say(map[keymap.Action]string{
				keymap.Align: "there are no curves of two files here to align", keymap.Match: "rows here are no stacks: there are no frames to match",
			}[act])
			return true
		}
		return a.state.Compare.On && a.shapeDifference(act)
	default:
		return false
	}
	return true
}

// shapeDifference changes how the difference is shown.
func (a *app) shapeDifference(act keymap.Action) bool {
	c := &a.state.Compare
	switch act {
	case keymap.Swap:
		a.emit(swapCompared{})
	case keymap.Changes:
		a.emit(nextOnly{})
	case keymap.Normalise:
		per := (c.Per + 1) % diff.NormalCount
		if a.prof != nil && per > diff.NormalTotal {
			per = diff.NormalNone
		}
		a.emit(setPer{per})
		a.say("figures of before: " + [...]string{"as they are", "as shares of the total", "per time", "per allocation", "per collection", "per marker"}[per])
	case keymap.Match:
		a.emit(setMatch{(c.Match + 1) % diff.MatchCount})
	case keymap.Align:
		a.nextAlign()
	}
	return true
}

// markHere makes the instant or range one side, or forgets that. With two files each side is marked in its own file: where that side
// is now.
func (a *app) markHere(act keymap.Action) {
	side, name := sideA, "A"
	if act == keymap.MarkB {
		side, name = sideB, "B"
	}
	s := &a.state
	m := mark{Set: true, At: s.At, Range: s.Range, Prof: s.Prof}
	if a.second != nil {
		free := *s
		free.Compare.Marks = [2]mark{}
		now := free.moments(true, a.timeMap(s))[side]
		m = mark{Set: true, Other: now.other, At: now.at, Range: now.over, Prof: now.prof}
	}
	if s.Compare.Marks[side] == m {
		a.emit(markSide{side, mark{}})
		a.say(name + " is not marked any more")
		return
	}
	a.emit(markSide{side, m})
	f := a.fileAt(m.Other)
	where := a.named(f, a.placeText(s, f, moment{other: m.Other, at: m.At, over: m.Range, prof: m.Prof}))
	next := "go elsewhere, then d shows what changed since"
	switch {
	case a.second != nil && s.Compare.Marks[1-side].Set:
		next = "both sides stay; again lets it go"
	case a.second != nil:
		next = "it stays, and moving in time moves " + [2]string{"B", "A"}[side] + " alone; again lets it go"
	case s.Compare.On:
		next = "the difference follows"
	case side == sideB:
		next = "d shows the difference"
	}
	a.say("marked as " + name + ": " + where + "; " + next)
}

// toggleDifference shows the difference on every screen, or what was there before.
func (a *app) toggleDifference() {
	c := &a.state.Compare
	if c.On {
		a.emit(showDifference{false})
		return
	}
	if a.twins[a.screens[a.at]] == nil {
		a.say(a.screens[a.at].name() + " has no difference: it is shown on the other screens")
	}
	a.emit(showDifference{true})
	if a.heaps != nil {
		return
	}
	if a.dump != nil {
		a.beginDumpDifference()
		return
	}
	if a.second == nil && !c.Marks[sideA].Set {
		a.say("compared with the start of the run: A marks another moment, d ends the difference")
		if a.prof != nil {
			a.say("A marks what to compare with: choose a range, an event or a metric, press A, then choose another")
		}
	}
}

// nextAlign lays curves over each other in the next way.
func (a *app) nextAlign() {
	if next := (a.state.Compare.Align + 1) % diff.AlignCount; next != diff.AlignMarker {
		a.emit(setAlign{align: next})
		return
	}
	a.alignAt("", func() {
		a.say("the files have no marker of one name: curves are aligned by share of duration")
		a.emit(setAlign{align: diff.AlignShare})
	})
}

// alignAt lays curves over each other at a marker that both files have, of any name for ""; none is called where there is no such.
func (a *app) alignAt(marker string, none func()) {
	before, after := a.first.trace, a.second.trace
	a.background(func() {
		moments, name, ok := commonMarker(context.WithoutCancel(a.ctx), before, after, marker)
		a.post(func() {
			if !ok {
				none()
				return
			}
			a.say("aligned at the marker " + model.Clean(name))
			a.emit(setAlign{diff.AlignMarker, moments})
		})
	})
}

// alignCommand lays curves over each other as typed: by share, at the start, or at a marker's name.
func (a *app) alignCommand(text string) error {
	switch {
	case a.second == nil || a.first.trace == nil || a.second.trace == nil:
		return fmt.Errorf("only the curves of two traces can be aligned")
	case text == diff.AlignStart.String():
		a.emit(setAlign{align: diff.AlignStart})
	case text == diff.AlignShare.String():
		a.emit(setAlign{align: diff.AlignShare})
	default:
		if text == diff.AlignMarker.String() {
			text = ""
		}
		a.alignAt(text, func() { a.say("no marker of that name is in both files") })
	}
	return nil
}

// commonMarker finds the first marker of one trace that the other one has too: of that name, or of any for "".
func commonMarker(ctx context.Context, before, after analysis.Trace, named string) (moments [2]model.Time, name string, ok bool) {
	if before == nil || after == nil {
		return moments, "", false
	}
	a, _, err := before.Marks(ctx, analysis.Whole, maxMarks)
	if err != nil {
		return moments, "", false
	}
	b, _, err := after.Marks(ctx, analysis.Whole, maxMarks)
	if err != nil {
		return moments, "", false
	}
	for _, x := range a {
		if x.GC || x.Name == "" || named != "" && x.Name != named {
			continue
		}
		if i := slices.IndexFunc(b, func(y analysis.Mark) bool { return !y.GC && y.Name == x.Name }); i >= 0 {
			return [2]model.Time{x.Time, b[i].Time}, x.Name, true
		}
	}
	return moments, "", false
}

// compareCommand opens a second file to compare with, or lets go of it.
func (a *app) compareCommand(path string) error {
	if path == "none" {
		if a.second == nil {
			return fmt.Errorf("no second file is open")
		}
		a.dropSecond()
		return nil
	}
	if a.o.OpenSecond == nil {
		return fmt.Errorf("no other file can be opened here")
	}
	a.say("opening " + model.Clean(path) + "…")
	a.openSecond(a.homePath(path), func(second *Second) {
		a.emit(clearMarks{})
		a.emit(showDifference{true})
		a.say("compared with " + model.Clean(second.Name) + ": d switches the difference off and on")
	})
	return nil
}

// homePath is a path with the user's directory for ~.
func (a *app) homePath(path string) string {
	if strings.HasPrefix(path, "~/") {
		return filepath.Join(a.o.Home, path[2:])
	}
	return path
}

// openSecond opens a file off the loop and begins to compare with it; then is told when that is done.
func (a *app) openSecond(path string, then func(*Second)) {
	a.background(func() {
		second, err := a.o.OpenSecond(path)
		if err != nil {
			a.post(func() { a.say("not opened: " + model.Clean(err.Error())) })
			return
		}
		f := newSecondFile(second)
		a.post(func() {
			a.adoptSecond(second, f)
			then(second)
		})
	})
}

// newSecondFile is a file to compare with, its first revision read. It may take a moment.
func newSecondFile(s *Second) *comparedFile {
	f := &comparedFile{name: s.Name, path: s.Path, trace: s.Trace, store: s.Store, now: s.Store.Current()}
	if f.read.Final = true; s.Trace != nil {
		f.read = s.Trace.Status()
	}
	if f.status = f.read; hasProf(f.now) {
		f.prof = newProfFile(f.now)
	}
	return f
}

// adoptSecond begins to compare with another file, and follows it while it loads.
func (a *app) adoptSecond(s *Second, f *comparedFile) {
	a.dropSecond()
	a.second = f
	if p := a.state.Profile; p != nil {
		a.first.name, a.first.path = p.Meta.Name, p.Meta.Path
	}
	a.adoptOtherDump(f.now)
	if s.Heaps != nil {
		a.after, a.afterName, a.afterPath = s.Heaps, s.Name, s.Path
	}
	if a.mixed(&a.state) { // their frames have other lines and files
		a.emit(setMatch{diff.MatchFunctions})
	}
	a.stale = true
	a.o.Terminal.Background(func() {
		for last := f; ; {
			_, changed := s.Store.Watch()
			if now := s.Store.Current(); now != last.now || s.Trace != nil {
				last = newSecondFile(s) // which may take a while
			}
			fresh := last
			a.post(func() { a.refreshSecond(f, fresh) })
			if !a.awaitSecond(changed, fresh.read) {
				return
			}
		}
	})
}

// refreshSecond adopts what is loaded of the second file by now, as often as the last figures allow.
func (a *app) refreshSecond(f, fresh *comparedFile) {
	now := fresh.read
	if a.second != f || f.read == now && f.now == fresh.now && f.status == now {
		return
	}
	f.read, a.stale = now, true
	if !now.Final && !now.Stopped && f.status.Events > 0 && !a.work.rested() {
		return
	}
	f.status, f.now, f.prof = now, fresh.now, fresh.prof
	a.adoptOtherDump(f.now)
}

// dropSecond ends the comparison with another file.
func (a *app) dropSecond() {
	if a.second == nil {
		return
	}
	a.second, a.otherDump, a.after, a.afterName, a.afterPath = nil, nil, nil, "", ""
	a.joins.forget()
	a.emit(clearMarks{})
	a.emit(setMatch{diff.MatchFrames})
	a.emit(setAlign{align: diff.AlignStart})
}

// maskCommand makes names alike before they are compared.
func (a *app) maskCommand(text string) error {
	if text == "none" {
		a.emit(setMasks{""})
		return nil
	}
	if _, err := diff.ParseMask(text); err != nil {
		return err
	}
	lines := a.state.Compare.Masks
	if lines != "" {
		lines += "\n"
	}
	a.emit(setMasks{lines + text})
	return nil
}

func maskNames(*app) (names []string) {
	for _, p := range diff.MaskPresets() {
		names = append(names, p.Name)
	}
	return append(names, "none")
}

// normaliseCommand makes both sides equal in something.
func (a *app) normaliseCommand(text string) error {
	for n := range diff.NormalCount {
		if n.String() == text {
			a.emit(setPer{n})
			return nil
		}
	}
	return fmt.Errorf("normalise by %s", strings.Join(normalNames(a), ", "))
}

func normalNames(*app) (names []string) {
	for n := range diff.NormalCount {
		names = append(names, n.String())
	}
	return names
}

// awaitSecond waits until more than now may have been read of the second file; false at the end of the program.
func (a *app) awaitSecond(changed <-chan struct{}, now analysis.Status) bool {
	var tick <-chan time.Time
	if !now.Final && !now.Stopped {
		t := time.NewTimer(pause(now.Events))
		defer t.Stop()
		tick = t.C
	}
	select {
	case <-a.ctx.Done():
		return false
	case <-changed:
	case <-tick:
	}
	return true
}

// diffCommand is the command line that prints the difference of a kind of rows ("stack", "size"), by a key of reports ("" for the
// usual one). instant says that the figures are those at an instant, not of a range.
func (e *env) diffCommand(s *State, file []string, kind, by string, instant bool) []string {
	words := []string{"memtui", "diff"}
	m := s.moments(e.second != nil, e.timeMap(s))
	one := m[sideA].other == m[sideB].other
	for i, flag := range []string{"--a", "--b"} {
		f := e.fileAt(m[i].other)
		text := placeArgument(f.profFile(s), m[i].until(f.span(s).To), instant)
		if text == "" && one && i == sideA {
			text = "end"
		}
		if text != "" {
			words = append(words, flag, text)
		}
	}
	if kind != "" {
		words = append(words, "--group", kind)
	}
	if by != "" {
		words = append(words, "--by", by)
	}
	if kind != "size" && kind != "lifetime" { // of all blocks
		if words = append(words, stepFlags(s.Chips)...); !s.Cell.IsAll() && e.prof == nil && !e.mixed(s) {
			words = append(words, "--cell", s.Cell.Argument())
		}
	}
	words = append(words, s.Compare.arguments(e.mixed(s))...)
	if e.second == nil {
		return append(words, file...)
	}
	paths := [2]string{file[len(file)-1], e.second.path}
	words = append(words, file[:len(file)-1]...)
	for i := range m {
		if n := e.fileAt(m[i].other).index(); i == sideA || !one {
			words = append(words, paths[n])
		}
	}
	return words
}

// placeArgument is a moment of a trace or a profile as the command line writes it, "" for the end.
func placeArgument(prof *profFile, m moment, instant bool) string {
	switch {
	case prof != nil && m.prof.Window != noWindow:
		return fmt.Sprintf("#%d", m.prof.Window)
	case prof != nil && m.over.IsWhole():
		return ""
	case prof == nil && instant && m.at.Events != 0:
		return "peak"
	case prof == nil && instant && m.at != analysis.End:
		return fmt.Sprintf("%dus", m.at.T)
	case instant && prof == nil:
		return ""
	case !m.over.IsWhole():
		return fmt.Sprintf("%dus..%dus", max(m.over.From, 0), m.over.To)
	case m.at == analysis.End:
		return ""
	}
	return fmt.Sprintf("0us..%dus", m.at.T)
}

// arguments are the flags of memtui diff that say how the difference is shown; mixed is what [env.mixed] says.
func (c *CompareState) arguments(mixed bool) (words []string) {
	for mask := range strings.SplitSeq(c.Masks, "\n") {
		if mask != "" {
			words = append(words, "--mask", mask)
		}
	}
	if usual := map[bool]diff.FrameMatch{true: diff.MatchFunctions}[mixed]; c.Match != usual {
		words = append(words, "--match", c.Match.String())
	}
	if c.Per != diff.NormalNone {
		words = append(words, "--normalize", c.Per.String())
	}
	switch {
	case c.Only == 1:
		words = append(words, "--only", "new,gone,grown,shrunk")
	case c.Only > 1:
		words = append(words, "--only", diff.ChangeStatus(c.Only-1).String())
	}
	if c.Swapped {
		words = append(words, "--swap")
	}
	return words
}
