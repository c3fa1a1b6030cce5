package views

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/objects"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

var errNoHeaps = errors.New("this file has no heap snapshots")

// stopsDecoding ends the decoding of a snapshot where an action asks for that.
func (a *app) stopsDecoding(act keymap.Action) bool {
	if !a.decoding() || act != keymap.StopLoading && (act != keymap.Back || len(a.overlays) > 0) {
		return false
	}
	if w, ok := a.current().(ui.Worker); ok && w.Working() && !a.Loads.Running() {
		w.StopWork()
		a.say(a.Hint("the search was stopped: {open} continues"))
		return true
	}
	a.Loads.Stop()
	a.say(a.Hint("decoding stopped: {open} continues"))
	return true
}

// heapKind is what a file with heap snapshots decides.
type heapKind struct{ onAxis }

func (a heapKind) ranges() bool        { return false }
func (a heapKind) instant() string     { return a.snapshotText() }
func (a heapKind) motion() string      { return "going to another snapshot" }
func (a heapKind) back() bool          { return a.heapBack() }
func (a heapKind) peak(analysis.Range) { a.toSnapshot(state.Largest(a.Heaps.Source())) }
func (a heapKind) began()              {} // without marks A is the first snapshot

func (a heapKind) normals() []diff.Normal {
	return []diff.Normal{diff.NormalNone, diff.NormalTotal, diff.NormalDuration, diff.NormalGCs}
}

// here returns a mark at the snapshot.
func (a heapKind) here(free *state.State, other bool) (state.Mark, bool) {
	if other {
		return state.Mark{Set: true, Other: true, Number: a.OtherSnapshot(free)}, true
	}
	return state.Mark{Set: true, Number: free.Snapshot()}, true
}

// placed marks a snapshot.
func (a heapKind) placed(side int, other bool, text string) (bool, error) {
	return true, a.markSnapshot(side, other && a.After() != nil, text)
}

// evidence returns the snapshot and its references.
func (a heapKind) evidence() (q state.Question, ok bool) {
	if n := a.state.Snapshot(); n >= 0 {
		q.Snapshot = &n
	}
	if a.state.Heap.Policy != 0 {
		q.Edges = a.state.Heap.Policy.Of(a.Heaps.Source().Schema()).Name
	}
	return q, true
}

// useless reports whether there is no other snapshot to move to or compare with, or nothing to reveal.
func (a heapKind) useless(act keymap.Action) bool {
	switch act {
	case keymap.Values:
		r, ok := a.current().(ui.Revealer)
		return !ok || !r.Reveals()
	case keymap.StepBack, keymap.Peak, keymap.Range, keymap.MarkA, keymap.Difference, keymap.Swap, keymap.Normalize:
		return a.state.Snapshots() == 1 && a.After() == nil
	}
	return false
}

// do moves between snapshots, and does what all heap screens share.
func (a heapKind) do(act keymap.Action) bool {
	at := a.state.Snapshot()
	if a.movesOther() {
		at = a.OtherSnapshot(&a.state)
	}
	switch act {
	case keymap.StepBack:
		a.toSnapshot(at - 1)
	case keymap.StepForward:
		a.toSnapshot(at + 1)
	case keymap.LeapBack:
		a.toSnapshot(at - 10)
	case keymap.LeapForward:
		a.toSnapshot(at + 10)
	case keymap.Peak:
		a.peak(analysis.FullRange)
	case keymap.End:
		a.emit(state.SetSnapshot{I: state.NoSnapshot})
	case keymap.GotoTime:
		a.askSnapshot()
	case keymap.ClearRange:
		if !a.heapBack() {
			a.say(a.Hint("nothing is marked or excluded: {mark-a} and {mark-b} mark snapshots"))
		}
	case keymap.Edges:
		a.toggleEdges()
	case keymap.Values:
		a.toggleValues()
	default:
		return false
	}
	return true
}

// movesOther reports whether moving goes through the snapshots of the second file: A is marked in the comparison, and
// stays.
func (a *app) movesOther() bool {
	m := &a.state.Compare.Marks
	return a.After() != nil && a.comparing() && m[state.SideA].Set && !m[state.SideB].Set
}

// toSnapshot selects a snapshot, or the nearest existing one.
func (a *app) toSnapshot(i int) {
	if a.movesOther() {
		last := a.After().Source().Len() - 1
		if to := min(max(i, 0), last); to == a.OtherSnapshot(&a.state) && to != i {
			a.say("no further snapshot")
		} else {
			a.emit(state.SetOther{I: to})
		}
		return
	}
	last := a.state.Snapshots() - 1
	if to := min(max(i, 0), last); last < 0 || to == a.state.Snapshot() && to != i {
		a.say("no further snapshot")
	} else {
		a.emit(state.SetSnapshot{I: to})
	}
}

// heapBack removes marks or exclusions; it returns false if there are none.
func (a *app) heapBack() bool {
	if a.state.Heap.Without != "" {
		a.emit(state.Include{})
		return true
	}
	return a.forgetMarks()
}

// toggleEdges goes to the next policy of the format.
func (a *app) toggleEdges() {
	schema := a.Heaps.Source().Schema()
	p := heapgraph.Policy((int(a.state.Heap.Policy) + 1) % len(schema.Policies))
	a.emit(state.SetPolicy{P: p})
	a.say("edges " + p.Of(schema).Name + ": " + p.Of(schema).Help)
}

// toggleValues shows or hides contents of objects.
func (a *app) toggleValues() {
	if _, ok := model.HeapFacet[model.HeapTexts](a.Heaps.Source()); !ok {
		a.say("files of this format hold no values")
		return
	}
	a.emit(state.SetValues{Shown: !a.state.Values})
	a.say(a.Hint(map[bool]string{true: "values are shown and may be secrets: {values} hides them",
		false: "values are hidden: {values} shows them"}[a.state.Values]))
}

// askSnapshot prompts for a snapshot's number.
func (a *app) askSnapshot() {
	a.prompt = &prompt{accept: a.goToSnapshot}
	a.prompt.Prompt, a.prompt.Hint = "snapshot: ", fmt.Sprintf("0 … %d, peak, end", a.state.Snapshots()-1)
	a.recall(a.prompt)
}

func (a *app) goToSnapshot(text string) error {
	switch text = strings.TrimPrefix(strings.TrimSpace(text), "#"); text {
	case "":
	case "peak":
		a.toSnapshot(state.Largest(a.Heaps.Source()))
	case "end":
		a.emit(state.SetSnapshot{I: state.NoSnapshot})
	default:
		i, err := strconv.Atoi(text)
		if n := a.state.Snapshots(); err != nil || i >= n || i < -n {
			return fmt.Errorf("snapshots are numbered 0 … %d", n-1)
		} else if i < 0 { // from the end, as on the command line
			i += n
		}
		a.emit(state.SetSnapshot{I: i})
	}
	return nil
}

// goToRow shows a row, by its number or identity, on the Object screen.
func (a *app) goToRow(text string) error {
	if a.Heaps == nil {
		return errNoHeaps
	}
	at := a.state.Snapshot()
	if form := a.Heaps.Source().Schema().IDs; form.Prefix != "" && strings.HasPrefix(text, form.Prefix) {
		return a.goToID(at, text)
	}
	load, ok := a.Loads.Heap.Get()
	n, err := strconv.ParseUint(strings.ReplaceAll(strings.TrimPrefix(text, "#"), ",", ""), 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("invalid object number %q", text)
	case ok && load.I == at && !load.Heap.Has(model.Row(n)):
		return fmt.Errorf("the last object is #%s", model.Group(uint64(load.Heap.Len()-1)))
	}
	a.visit(keymap.ShowObject, state.SetRow{Of: at, Row: model.Row(n)})
	return nil
}

// goToID shows the row with an identity once the snapshot is decoded.
func (a *app) goToID(at int, id string) error {
	if load, ok := a.Loads.Heap.Get(); ok && load.I == at {
		row, found := load.Heap.RowOf(id)
		if !found {
			return fmt.Errorf("the snapshot has no object %s", id)
		}
		a.visit(keymap.ShowObject, state.SetRow{Of: at, Row: row})
		return nil
	}
	heaps := a.Heaps
	a.visit(keymap.ShowObject, state.SetRow{Of: at, Row: model.RootRow})
	a.say("looking for " + model.Clean(id))
	a.Background(func() {
		h, err := heaps.Heap(a.Ctx, at)
		row, found := model.Row(0), false
		if err == nil {
			row, found = h.RowOf(id)
		}
		a.Post(func() {
			switch {
			case a.Heaps != heaps || a.state.Snapshot() != at || a.current() == nil ||
				a.current().Action() != keymap.ShowObject: // gone on meanwhile
			case err != nil:
				a.say("the snapshot cannot be read: " + err.Error())
			case !found:
				a.say("the snapshot has no object " + model.Clean(id))
			default:
				a.emit(state.SetRow{Of: at, Row: row})
			}
		})
	})
	return nil
}

// snapshotText returns which snapshot everything on screen is about.
func (a *app) snapshotText() string {
	i := a.state.Snapshot()
	if i < 0 {
		return "no snapshot"
	}
	text := model.SnapshotText(i, a.state.Snapshots())
	info := a.Heaps.Source().Info(i)
	if info.GC != model.NoCount {
		text += fmt.Sprintf(" · GC %d", info.GC)
	}
	if n := a.snapshotBytes(i, &info); n != model.NoCount {
		text += " · " + ui.BytesText(uint64(n), a.state.Exact)
	}
	if !info.Complete {
		text += " · incomplete"
	}
	return text
}

// fileOfSnapshot returns the name of the file that has the snapshot on screen, "" where the recording is one file.
func (a *app) fileOfSnapshot() string {
	if i := a.state.Snapshot(); i >= 0 && a.Heaps != nil {
		return a.Heaps.Source().Info(i).File
	}
	return ""
}

// snapshotBytes returns how large a snapshot is, model.NoCount while unknown.
func (a *app) snapshotBytes(i int, info *model.HeapInfo) int64 {
	if t, ok := a.Loads.Totals[ui.HeapKey{Heaps: a.Heaps, I: i}]; ok {
		return int64(min(t.Bytes(), 1<<62))
	}
	return info.Bytes
}

// followProgress shows the state again in a moment while a snapshot is decoded: how far that is, and what it has counted.
func (a *app) followProgress() {
	if a.ticking || !a.decoding() {
		return
	}
	a.ticking = true
	a.Background(func() {
		tick := time.NewTimer(100 * time.Millisecond)
		defer tick.Stop()
		select {
		case <-a.Ctx.Done():
		case <-tick.C:
		}
		a.Post(func() { a.ticking, a.stale = false, true })
	})
}

// decoding reports whether a snapshot is being decoded, or searched by the screen that is shown.
func (a *app) decoding() bool {
	if w, ok := a.current().(ui.Worker); ok && w.Working() {
		return true
	}
	return a.Loads != nil && a.Loads.Running()
}

// findCommand finds objects in the complete snapshot.
func (a *app) findCommand(text string) error {
	if a.Heaps == nil {
		return errNoHeaps
	}
	if _, err := analysis.ParseFilter(text, objects.Fields(a.Heaps.Source())...); err != nil {
		return err
	}
	a.visit(keymap.ShowFind, state.SetFind{Text: text})
	return nil
}

// perCommand counts what is found.
func (a *app) perCommand(key string) error {
	if a.Heaps == nil {
		return errNoHeaps
	}
	if err := objects.CheckKey(a.Heaps.Source(), key); err != nil {
		return err
	}
	a.visit(keymap.ShowFind, state.CountBy{Key: key})
	return nil
}

func perNames(a *app) []string {
	if a.Heaps == nil {
		return []string{}
	}
	return objects.Keys(a.Heaps.Source(), true)
}
