package heap

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// emptyText returns why nothing is listed, the first that applies: decoding, why, reading, that no row passes the
// filter, or none.
func emptyText(p *ui.Pane, load *ui.HeapLoad, why, reading []string, rows int, none string) []string {
	switch {
	case load == nil:
		return p.Loads.Waiting(&p.State)
	case why != nil:
		return why
	case reading != nil:
		return reading
	case rows > 0:
		return []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	}
	return []string{none}
}

// totalsOf returns the largest figures of a snapshot, for their width; zeros while unknown.
func totalsOf(load *ui.HeapLoad) (bytes, count uint64) {
	if load == nil {
		return 0, 0
	}
	return load.Totals.Bytes(), uint64(load.Totals.Rows)
}

// visitRow shows a row of a snapshot as an object, or what it dominates; it returns false for other actions.
// [model.RootRow] is not an object.
func visitRow(e *ui.Env, a keymap.Action, snapshot int, row model.Row) bool {
	switch a {
	case keymap.ObjectOf:
		if row != model.RootRow {
			e.Visit(keymap.ShowObject, state.SetRow{Of: snapshot, Row: row})
		}
	case keymap.DominatorsOf, keymap.HotPath:
		if row != model.RootRow {
			e.Visit(keymap.ShowDominators, state.SetTop{Of: snapshot, Row: row})
		}
	default:
		return false
	}
	return true
}

// below returns an indented line.
func below(spans ...widget.Span) widget.Line {
	return widget.Line{Indent: 4, Spans: append([]widget.Span{{Text: "  "}}, spans...)}
}
