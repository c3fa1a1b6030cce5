package views

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

// pageFigure is what page types are compared by.
type pageFigure uint8

const (
	pageOccupied pageFigure = iota
	pageBytes
	pageReturned
	pageFigures
)

// String names what grows or shrinks.
func (f pageFigure) String() string {
	return [...]string{"occupied memory", "memory in pages", "memory that packing would give back"}[f]
}

// of is the figure of a type.
func (f pageFigure) of(p *pages.PageFigures) uint64 {
	switch f {
	case pageBytes:
		return p.Bytes
	case pageReturned:
		return p.Returned
	}
	return p.OccupiedBytes
}

// dumpSides are the sides of a comparison of measured series or page layouts, as marked.
func (e *env) dumpSides(s *State, what compareWhat) (keys [2]sideKey) {
	files := [2]*comparedFile{e.first, e.first}
	dumps := [2]*dumpFile{e.dump, e.dump}
	at := [2]analysis.Instant{analysis.At(0), s.At}
	if e.otherDump != nil {
		files[sideB], dumps[sideB], at[sideA] = e.second, e.otherDump, s.At
	}
	for i, m := range s.Compare.Marks {
		if m.Set && (i == sideA || m.Other || e.otherDump == nil) {
			at[i] = m.At
		}
	}
	plain := *s
	plain.Compare.Swapped = false
	var layouts [2]layoutRef
	if what == comparePages {
		layouts[sideA], layouts[sideB] = e.layoutSides(&plain)
	}
	for i := range keys {
		k := sideKey{file: files[i], what: what, at: at[i], over: analysis.Whole, figure: e.pageFigure, layout: layoutRef{dumps[i], noLayout}}
		if k.label = min(at[i].T, dumps[i].end).String(); what == comparePages {
			k.layout = layouts[i]
			k.at = analysis.End
			if k.label = "no layout"; k.layout.layout != noLayout {
				k.label = fmt.Sprintf("#%d %s", k.layout.layout, k.layout.when())
			}
		}
		k.place = k.label
		k.label = e.named(files[i], k.place)
		keys[i] = k
	}
	return keys
}

// layoutsKnown reports whether there is a layout on both sides, where layouts are compared.
func (e *env) layoutsKnown(s *State, what compareWhat) bool {
	if what != comparePages {
		return true
	}
	a, b := e.layoutSides(s)
	return a.layout != noLayout && b.layout != noLayout
}

// fetchDump makes one side of what was measured.
func (k *sideKey) fetchDump(ctx context.Context) (*diff.CompareSide, error) {
	if k.what == compareSeries {
		return diff.SeriesSide(k.layout.dump.timeline, min(k.at.T, k.layout.dump.end)), nil
	}
	l, err := k.layout.dump.pages.Open(ctx, k.layout.layout)
	if err != nil {
		return nil, err
	}
	return diff.PagesSide(l, k.figure.of), nil
}

// markLayout marks the instant and the layout there as one side of the difference, or forgets that.
func (a *app) markLayout(act keymap.Action) {
	side, name := sideA, "A"
	if act == keymap.MarkB {
		side, name = sideB, "B"
	}
	s := &a.state
	marks := [2]int{s.Dump.MarkA, s.Dump.MarkB}
	i, m := a.dump.layout(s), mark{Set: true, At: s.At, Range: analysis.Whole}
	if side == sideB && a.otherDump != nil { // the layout of the other file that stands beside this one
		i, m.Other = a.otherDump.layout(a.otherDump.alike(s, a.dump)), true
	}
	if s.Compare.Marks[side].Set && marks[side] == i && s.Compare.Marks[side] == m {
		marks[side] = noLayout
		a.emit(markSide{side, mark{}})
		a.emit(markLayouts{marks[0], marks[1]})
		a.say(name + " is not marked any more")
		return
	}
	marks[side] = i
	a.emit(markSide{side, m})
	a.emit(markLayouts{marks[0], marks[1]})
	what := "the instant is marked as "
	if i != noLayout {
		what = fmt.Sprintf("layout #%d marked as ", i)
	}
	if side == sideA {
		a.say(what + "A: go to another one, then d shows the difference")
		return
	}
	a.say(what + "B: d shows the difference from A")
}

// beginDumpDifference marks what is compared with where nothing is: the first layout of the series, and the beginning.
func (a *app) beginDumpDifference() {
	if a.otherDump != nil || a.state.Dump.MarkA != noLayout || a.state.Compare.Marks[sideA].Set {
		return
	}
	if list, _ := a.dump.place(&a.state); len(list) > 0 {
		a.emit(markLayouts{list[0], a.state.Dump.MarkB})
		a.emit(markSide{sideA, mark{Set: true, At: analysis.At(max(a.dump.time(list[0]), 0)), Range: analysis.Whole}})
		a.say("compared with the first layout: A marks another one")
		return
	}
	a.say("compared with the beginning: A marks another instant")
}

// adoptOtherDump begins to compare with the series and layouts of a second file.
func (a *app) adoptOtherDump(p *model.Profile) {
	if p == nil || p.Timeline == nil || p.Allocations != nil || a.otherDump != nil && a.otherDump.timeline == p.Timeline {
		return
	}
	a.otherDump = newDumpFile(p)
}
