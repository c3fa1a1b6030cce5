package views

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis"
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
			out[s] = newCompareScreen(e, s, compareSizes, false, false)
		case *stacks:
			out[s] = newCompareStacks(e, s)
		case *profileScreen, *profFunctions, *profTimeline, *profLeaks:
			out[s] = newCompareScreen(e, s, compareSites, false, false)
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
		per := (c.Per + 1) % analysis.NormalCount
		if a.prof != nil && per > analysis.NormalTotal {
			per = analysis.NormalNone
		}
		a.emit(setPer{per})
		a.say("figures of before: " + [...]string{"as they are", "as shares of the total", "per time", "per allocation", "per collection", "per marker"}[per])
	case keymap.Match:
		a.emit(setMatch{(c.Match + 1) % analysis.MatchCount})
	case keymap.Align:
		a.nextAlign()
	}
	return true
}

// markHere makes the instant or range one side, or forgets that.
func (a *app) markHere(act keymap.Action) {
	side, name := sideA, "A"
	if act == keymap.MarkB {
		side, name = sideB, "B"
	}
	s := &a.state
	m := mark{Set: true, At: s.At, Range: s.Range, Prof: s.Prof}
	if s.Compare.Marks[side] == m {
		a.emit(markSide{side, mark{}})
		a.say(name + " is not marked any more")
		return
	}
	a.emit(markSide{side, m})
	where := a.momentText(s, a.first, moment{at: m.At, over: m.Range, prof: m.Prof})
	next := "go elsewhere, then d shows what changed since"
	if side == sideB {
		next = "d shows the difference"
	}
	if s.Compare.On {
		next = "the difference follows"
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
	if a.second == nil {
		a.say("curves of one file are aligned already")
		return
	}
	next := (a.state.Compare.Align + 1) % analysis.AlignCount
	if next != analysis.AlignMarker {
		a.emit(setAlign{align: next})
		return
	}
	a.background(func() {
		moments, name, ok := commonMarker(context.WithoutCancel(a.ctx), a.first.trace, a.second.trace)
		a.post(func() {
			if !ok {
				a.say("the files have no marker of one name: curves are aligned by share of duration")
				a.emit(setAlign{align: analysis.AlignShare})
				return
			}
			a.say("aligned at the marker " + model.Clean(name))
			a.emit(setAlign{analysis.AlignMarker, moments})
		})
	})
}

// commonMarker finds the first marker of one trace that the other one has too.
func commonMarker(ctx context.Context, before, after analysis.Trace) (moments [2]model.Time, name string, ok bool) {
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
		if x.GC || x.Name == "" {
			continue
		}
		if i := slices.IndexFunc(b, func(y analysis.Mark) bool { return !y.GC && y.Name == x.Name }); i >= 0 {
			return [2]model.Time{x.Time, b[i].Time}, x.Name, true
		}
	}
	return moments, "", false
}

// compareCommand opens a second file to compare with.
func (a *app) compareCommand(path string) error {
	switch {
	case a.o.OpenSecond == nil:
		return fmt.Errorf("no other file can be opened here")
	case a.heaps != nil:
		return fmt.Errorf("memtui FILE1 FILE2 compares the heap snapshots of two files")
	}
	if strings.HasPrefix(path, "~/") {
		path = filepath.Join(a.o.Home, path[2:])
	}
	a.say("opening " + model.Clean(path) + "…")
	a.background(func() {
		second, err := a.o.OpenSecond(path)
		a.post(func() {
			if err != nil {
				a.say(model.Clean(err.Error()))
				return
			}
			a.adoptSecond(second)
			a.emit(clearMarks{})
			a.emit(showDifference{true})
			a.say("compared with " + model.Clean(second.Name) + ": d switches the difference off and on")
		})
	})
	return nil
}

// adoptSecond begins to compare with another file, and follows it while it loads.
func (a *app) adoptSecond(s *Second) {
	a.second = &comparedFile{name: s.Name, path: s.Path, trace: s.Trace, store: s.Store}
	if p := a.state.Profile; p != nil {
		a.first.name = p.Meta.Name
	}
	a.adoptOtherDump(s.Store.Current())
	a.stale = true
	a.o.Terminal.Background(func() {
		for a.awaitSecond(s) {
			a.post(func() {
				a.adoptOtherDump(s.Store.Current())
				a.stale = true
			})
		}
	})
}

// maskCommand makes names alike before they are compared.
func (a *app) maskCommand(text string) error {
	if text == "none" {
		a.emit(setMasks{""})
		return nil
	}
	if _, err := analysis.ParseMask(text); err != nil {
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
	for _, p := range analysis.MaskPresets() {
		names = append(names, p.Name)
	}
	return append(names, "none")
}

// normaliseCommand makes both sides equal in something.
func (a *app) normaliseCommand(text string) error {
	for n := range analysis.NormalCount {
		if n.String() == text {
			a.emit(setPer{n})
			return nil
		}
	}
	return fmt.Errorf("normalise by %s", strings.Join(normalNames(a), ", "))
}

func normalNames(*app) (names []string) {
	for n := range analysis.NormalCount {
		names = append(names, n.String())
	}
	return names
}

// awaitSecond waits until more of the second file may have been read; false at the end of the program.
func (a *app) awaitSecond(s *Second) bool {
	_, changed := s.Store.Watch()
	var tick <-chan time.Time
	if s.Trace != nil {
		if st := s.Trace.Status(); !st.Final && !st.Stopped {
			t := time.NewTimer(pause(st.Events))
			defer t.Stop()
			tick = t.C
		}
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
// usual one).
func (e *env) diffCommand(s *State, file []string, kind, by string) []string {
	words := []string{"memtui", "diff"}
	m := s.moments(e.second != nil, e.timeMap(s))
	for i, flag := range []string{"--a", "--b"} {
		if text := e.placeArgument(m[i]); text != "" {
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
		if words = append(words, stepFlags(s.Chips)...); !s.Cell.IsAll() && e.prof == nil {
			words = append(words, "--cell", s.Cell.Argument())
		}
	}
	words = append(words, s.Compare.arguments()...)
	words = append(words, file...)
	if e.second != nil {
		words = append(words, e.second.path)
	}
	return words
}

// placeArgument is a moment as the command line writes it, "" for the end.
func (e *env) placeArgument(m moment) string {
	if n := m.prof.Window; e.prof != nil && n != noWindow {
		return fmt.Sprintf("#%d", n)
	}
	switch {
	case !m.over.IsWhole():
		return fmt.Sprintf("%dus..%dus", max(m.over.From, 0), m.over.To)
	case m.at == analysis.End:
		return ""
	case m.at.Events != 0:
		return "peak"
	}
	return fmt.Sprintf("%dus", m.at.T)
}

// arguments are the flags of memtui diff that say how the difference is shown.
func (c *CompareState) arguments() (words []string) {
	for mask := range strings.SplitSeq(c.Masks, "\n") {
		if mask != "" {
			words = append(words, "--mask", mask)
		}
	}
	if c.Match != analysis.MatchFrames {
		words = append(words, "--match", c.Match.String())
	}
	if c.Per != analysis.NormalNone {
		words = append(words, "--normalize", c.Per.String())
	}
	switch {
	case c.Only == 1:
		words = append(words, "--only", "new,gone,grown,shrunk")
	case c.Only > 1:
		words = append(words, "--only", analysis.ChangeStatus(c.Only-1).String())
	}
	if c.Swapped {
		words = append(words, "--swap")
	}
	return words
}

// costKey is the sort key of reports that belongs to a cost, "" for the usual one.
func costKey(c analysis.Cost) string {
	return [...]string{"", "live_count", "", "alloc_bytes", "alloc_count", "leaked_bytes", "temporary_count"}[c]
}
