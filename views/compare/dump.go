package compare

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// layoutSides returns the sides of a comparison of measured series or page layouts, as marked.
func layoutSides(e *ui.Env, s *state.State, what ui.DiffRows) (keys [2]sideKey) {
	files := [2]*ui.ComparedFile{e.First, e.First}
	dumps := [2]*ui.DumpFile{e.Dump, e.Dump}
	at := [2]analysis.Instant{analysis.At(0), s.At}
	unlike := ""
	switch {
	case e.OtherDump() != nil:
		files[state.SideB], dumps[state.SideB], at[state.SideA] = e.Second, e.OtherDump(), s.At
	case e.Second != nil && e.Second.Now != nil:
		files[state.SideB] = e.Second
		unlike = widget.Clean(e.Second.Name) + " has no measured series to compare with: " +
			e.Hint("{functions} and {stacks} compare what both have")
	}
	for i, m := range s.Compare.Marks {
		if !m.Set {
			continue
		}
		at[i], files[i], dumps[i] = m.At, e.First, e.Dump
		if m.Other && e.OtherDump() != nil {
			files[i], dumps[i] = e.Second, e.OtherDump()
		}
	}
	plain := *s
	plain.Compare.Swapped = false
	var layouts [2]ui.LayoutRef
	if what == ui.DiffPages {
		layouts[state.SideA], layouts[state.SideB] = e.LayoutSides(&plain)
	}
	for i := range keys {
		k := sideKey{file: files[i], what: what, at: at[i], over: analysis.FullRange, figure: s.Dump.Figure, Unlike: unlike,
			layout: ui.LayoutRef{Dump: dumps[i], Layout: state.NoLayout}}
		if k.label = min(at[i].T, dumps[i].End).In(dumps[i].Timeline.AxisUnit); what == ui.DiffPages {
			k.layout = layouts[i]
			k.at = analysis.End
			if k.label = "no layout"; k.layout.Layout != state.NoLayout {
				k.label = fmt.Sprintf("#%d %s", k.layout.Layout, k.layout.When())
			}
		}
		if unlike != "" {
			k.label = ""
		}
		k.place = k.label
		k.label = named(e, files[i], k.place)
		keys[i] = k
	}
	return keys
}

// layoutsKnown reports whether both sides have a layout, if layouts are compared.
func layoutsKnown(e *ui.Env, s *state.State, what ui.DiffRows) bool {
	if what != ui.DiffPages {
		return true
	}
	a, b := e.LayoutSides(s)
	return a.Layout != state.NoLayout && b.Layout != state.NoLayout
}

// fetchDump computes one side of measured series or layouts.
func (k *sideKey) fetchDump(ctx context.Context) (*diff.Side, error) {
	if k.what == ui.DiffSeries {
		return diff.SeriesSide(k.layout.Dump.Timeline, min(k.at.T, k.layout.Dump.End)), nil
	}
	l, err := k.layout.Dump.Pages.Open(ctx, k.layout.Layout)
	if err != nil {
		return nil, err
	}
	return diff.PagesSide(l, k.layout.Dump.Time(k.layout.Layout), k.figure), nil
}
