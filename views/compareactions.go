package views

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/ui/livechart"
)

// differences returns the screens that represent others while the difference is shown.
func differences(e *ui.Env, all []ui.Screen) map[ui.Screen]ui.Screen {
	out := map[ui.Screen]ui.Screen{}
	table := func(of ui.Screen, t ui.DiffTable) ui.Screen { return compare.New(e, of, t) }
	for _, s := range all {
		if d, ok := s.(ui.Differing); ok {
			out[s] = d.Difference(table)
		}
	}
	return out
}

// doCompare handles marks and the difference of every kind of file.
func (a *app) doCompare(act keymap.Action) bool {
	if len(a.kinds()) == 0 {
		return false
	}
	if r, ok := a.current().(ui.Rangeless); act == keymap.Range && (!a.kind().ranges() || ok && r.Rangeless()) {
		act = keymap.MarkA
	}
	switch act {
	case keymap.MarkA, keymap.MarkB:
		a.markHere(act)
	case keymap.Difference:
		a.toggleDifference()
	case keymap.Swap, keymap.Changes, keymap.Normalize, keymap.Align, keymap.Match:
		if u, ok := a.current().(ui.Refuser); ok && u.Useless(act) {
			a.say(map[keymap.Action]string{
				keymap.Align:     "this screen has no two curves to align",
				keymap.Match:     "these rows are not stacks: there are no frames to match",
				keymap.Normalize: "subtrees are compared as they are",
			}[act])
			return true
		}
		return a.comparing() && a.shapeDifference(act)
	default:
		return false
	}
	return true
}

// comparing reports whether the screen compares two sides.
func (a *app) comparing() bool {
	return a.state.Compare.On || a.current().Action() == keymap.ShowComparison
}

// shapeDifference changes how the difference is shown.
func (a *app) shapeDifference(act keymap.Action) bool {
	c := &a.state.Compare
	switch act {
	case keymap.Swap:
		a.emit(state.SwapCompared{})
	case keymap.Changes:
		a.emit(state.NextOnly{})
	case keymap.Normalize:
		per := a.nextNormal(c.Per)
		a.emit(state.SetPer{Per: per})
		a.say("figures of before: " + [...]string{"as they are", "as shares of the total", "per time",
			"per allocation", "per collection", "per marker"}[per])
	case keymap.Match:
		a.emit(state.SetMatch{Match: (c.Match + 1) % diff.MatchCount})
	case keymap.Align:
		a.nextAlign()
	}
	return true
}

// nextNormal returns the next normalization of the sides.
func (a *app) nextNormal(per diff.Normal) diff.Normal {
	known := a.kind().normals()
	return known[(slices.Index(known, per)+1)%len(known)]
}

// markHere marks the instant, range, snapshot or layout as one side, or removes that mark. With two files each side is
// marked in its own file, at its current position.
func (a *app) markHere(act keymap.Action) {
	side, name := state.SideA, "A"
	if act == keymap.MarkB {
		side, name = state.SideB, "B"
	}
	s, m := &a.state, a.here(side)
	if s.Compare.Marks[side] == m {
		a.emit(state.MarkSide{Side: side, M: state.Mark{}})
		a.say(name + " is no longer marked")
		return
	}
	a.emit(state.MarkSide{Side: side, M: m})
	next := a.Hint("move to another instant, then {difference} shows what changed since")
	cleared := a.Hint("; " + [2]string{"{mark-a}", "{mark-b}"}[side] + " clears the mark")
	switch {
	case a.Second != nil && s.Compare.Marks[1-side].Set:
		next = "both sides are fixed" + cleared
	case a.Second != nil:
		next = "it is fixed: " + a.kind().motion() + " moves only " + [2]string{"B", "A"}[side] + cleared
	case s.Compare.On:
		next = "the difference is updated"
	case side == state.SideB:
		next = a.Hint("{difference} shows the difference")
	}
	a.say("marked as " + name + ": " + compare.MarkText(&a.Env, s, m) + "; " + next)
}

// here returns the current position of a side, ignoring marks.
func (a *app) here(side int) state.Mark {
	free := a.state
	free.Compare.Marks, free.Compare.Swapped = [2]state.Mark{}, false
	other := side == state.SideB && a.Second != nil
	if m, ok := a.kind().here(&free, other); ok {
		return m
	}
	if a.Second != nil {
		now := free.Moments(true, a.TimeMap(&free))[side]
		return state.Mark{Set: true, Other: now.Other, At: now.At, Range: now.Over, Prof: now.Prof}
	}
	return state.Mark{Set: true, At: free.At, Range: free.Range, Prof: free.Prof}
}

// forgetMarks removes the marks; it returns false if there are none.
func (a *app) forgetMarks() bool {
	c := &a.state.Compare
	if !c.Marks[state.SideA].Set && !c.Marks[state.SideB].Set {
		return false
	}
	a.emit(state.ClearMarks{})
	return true
}

// toggleDifference shows the difference on every screen, or ends it.
func (a *app) toggleDifference() {
	c := &a.state.Compare
	if c.On {
		a.emit(state.ShowDifference{On: false})
		return
	}
	if a.inDifference[a.screens[a.at]] == nil {
		a.say(a.screens[a.at].Name() + " has no difference: it is shown on the other screens")
	}
	a.emit(state.ShowDifference{On: true})
	a.kind().began()
}

// nextAlign cycles the alignment of curves.
func (a *app) nextAlign() {
	if next := (a.state.Compare.Align + 1) % diff.AlignCount; next != diff.AlignMarker {
		a.emit(state.SetAlign{Align: next})
		return
	}
	a.alignAt("", func() {
		a.say("the files have no marker in common: curves are aligned by share of duration")
		a.emit(state.SetAlign{Align: diff.AlignShare})
	})
}

// alignAt aligns curves at a marker that both files have, any if marker is ""; it calls none if there is none.
func (a *app) alignAt(marker string, none func()) {
	before, after := a.First.Trace, a.Second.Trace
	a.Background(func() {
		moments, name, ok := commonMarker(context.WithoutCancel(a.Ctx), before, after, marker)
		a.Post(func() {
			if !ok {
				none()
				return
			}
			a.say("aligned at the marker " + model.Clean(name))
			a.emit(state.SetAlign{Align: diff.AlignMarker, Moments: moments})
		})
	})
}

// alignCommand aligns curves as typed: by share, at the start, or at a marker's name.
func (a *app) alignCommand(text string) error {
	switch {
	case a.Second == nil || a.First.Trace == nil || a.Second.Trace == nil:
		return fmt.Errorf("only the curves of two traces can be aligned")
	case text == diff.AlignStart.String():
		a.emit(state.SetAlign{Align: diff.AlignStart})
	case text == diff.AlignShare.String():
		a.emit(state.SetAlign{Align: diff.AlignShare})
	default:
		if text == diff.AlignMarker.String() {
			text = ""
		}
		a.alignAt(text, func() { a.say("no marker of that name is in both files") })
	}
	return nil
}

// commonMarker returns the first marker of one trace that the other one has too: of that name, or any for "".
func commonMarker(ctx context.Context, before, after analysis.Trace,
	named string) (moments [2]model.Time, name string, ok bool) {
	if before == nil || after == nil {
		return moments, "", false
	}
	a, _, err := before.Marks(ctx, analysis.FullRange, livechart.MaxMarks)
	if err != nil {
		return moments, "", false
	}
	b, _, err := after.Marks(ctx, analysis.FullRange, livechart.MaxMarks)
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

// compareCommand opens a second file to compare with, or closes it.
func (a *app) compareCommand(path string) error {
	if path == "none" {
		if a.Second == nil {
			return fmt.Errorf("no second file is open")
		}
		a.dropSecond()
		return nil
	}
	if a.o.OpenSecond == nil {
		return fmt.Errorf("no other file can be opened here")
	}
	a.say("opening " + model.Clean(path) + "…")
	a.openSecond(a.homePath(path), func(second *compare.Second) {
		a.emit(state.ClearMarks{})
		a.emit(state.ShowDifference{On: true})
		a.say("compared with " + model.Clean(second.Name) + a.Hint(": {difference} switches the difference off and on"))
	})
	return nil
}

// homePath returns a path with the user's directory for ~.
func (a *app) homePath(path string) string {
	if strings.HasPrefix(path, "~/") {
		return filepath.Join(a.o.Home, path[2:])
	}
	return path
}

// openSecond opens a file off the loop and starts comparing with it; then it calls then.
func (a *app) openSecond(path string, then func(*compare.Second)) {
	a.Background(func() {
		second, err := a.o.OpenSecond(path)
		if err != nil {
			a.Post(func() { a.say("not opened: " + model.Clean(err.Error())) })
			return
		}
		f := newSecondFile(second, a.o.Libraries)
		a.Post(func() {
			a.adoptSecond(second, f)
			then(second)
		})
	})
}

// newSecondFile returns a file to compare with, its first revision read. It may take a moment. libraries own no memory,
// in addition to the built-in ones.
func newSecondFile(s *compare.Second, libraries *regexp.Regexp) *ui.ComparedFile {
	f := &ui.ComparedFile{Name: s.Name, Path: s.Path, Trace: s.Trace, Heaps: s.Heaps, Store: s.Store, Now: s.Store.Current()}
	if f.Read.Final = true; s.Trace != nil {
		f.Read = s.Trace.Status()
	}
	if f.Status = f.Read; ui.HasProf(f.Now) {
		f.Prof = ui.NewProfileFile(f.Now, libraries)
	}
	return f
}

// adoptSecond begins to compare with another file, and follows it while it loads.
func (a *app) adoptSecond(s *compare.Second, f *ui.ComparedFile) {
	a.dropSecond()
	a.Second = f
	if p := a.state.Profile; p != nil {
		a.First.Name, a.First.Path = p.Meta.Name, p.Meta.Path
	}
	adoptOtherDump(f)
	if a.Mixed(&a.state) { // their frames differ in lines and files
		a.emit(state.SetMatch{Match: diff.MatchFunctions})
	}
	a.stale = true
	a.o.Terminal.Background(func() {
		for last := f; ; {
			_, changed := s.Store.Watch()
			if now := s.Store.Current(); now != last.Now || s.Trace != nil {
				last = newSecondFile(s, a.o.Libraries) // may take a while
			}
			fresh := last
			a.Post(func() { a.refreshSecond(f, fresh) })
			if !a.awaitSecond(changed, fresh.Read) {
				return
			}
		}
	})
}

// refreshSecond updates what is loaded of the second file, as often as the last figures allow.
func (a *app) refreshSecond(f, fresh *ui.ComparedFile) {
	now := fresh.Read
	if a.Second != f || f.Read == now && f.Now == fresh.Now && f.Status == now {
		return
	}
	f.Read, a.stale = now, true
	if !now.Final && !now.Stopped && f.Status.Events > 0 && !a.Work.Idle() {
		return
	}
	f.Status, f.Now, f.Prof = now, fresh.Now, fresh.Prof
	adoptOtherDump(f)
}

// dropSecond ends the comparison with another file.
func (a *app) dropSecond() {
	if a.Second == nil {
		return
	}
	a.Second = nil
	a.JoinedTrees.Forget()
	a.emit(state.ClearMarks{})
	a.emit(state.SetMatch{Match: diff.MatchFrames})
	a.emit(state.SetAlign{Align: diff.AlignStart})
}

// maskCommand sets masks that make names alike before they are compared.
func (a *app) maskCommand(text string) error {
	if text == "none" {
		a.emit(state.SetMasks{Masks: ""})
		return nil
	}
	if _, err := diff.ParseMask(text); err != nil {
		return err
	}
	lines := a.state.Compare.Masks
	if lines != "" {
		lines += "\n"
	}
	a.emit(state.SetMasks{Masks: lines + text})
	return nil
}

func maskNames(*app) (names []string) {
	for _, p := range diff.MaskPresets() {
		names = append(names, p.Name)
	}
	return append(names, "none")
}

// normalizeCommand sets the normalization of both sides.
func (a *app) normalizeCommand(text string) error {
	for n := range diff.NormalCount {
		if n.String() == text {
			a.emit(state.SetPer{Per: n})
			return nil
		}
	}
	return fmt.Errorf("unknown base %q: normalize by %s", text, strings.Join(normalNames(a), ", "))
}

func normalNames(*app) (names []string) {
	for n := range diff.NormalCount {
		names = append(names, n.String())
	}
	return names
}

// awaitSecond waits until more than now may have been read of the second file; it returns false at the end of the
// program.
func (a *app) awaitSecond(changed <-chan struct{}, now analysis.Status) bool {
	var tick <-chan time.Time
	if !now.Final && !now.Stopped {
		t := time.NewTimer(pause(now.Events))
		defer t.Stop()
		tick = t.C
	}
	select {
	case <-a.Ctx.Done():
		return false
	case <-changed:
	case <-tick:
	}
	return true
}
