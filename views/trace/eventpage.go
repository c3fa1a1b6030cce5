package trace

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// eventKey determines the events that are listed.
type eventKey struct {
	revision uint64
	over     analysis.Range
	center   analysis.Instant // around which they are listed
	only     analysis.Cell
	filter   string
	view     eventView
}

// eventView is what the columns of events depend on.
type eventView struct {
	stacks    *model.Stacks
	labels    *ui.SiteLabels
	full      bool
	noAddr    bool
	noThreads bool
	numbers   int // cells of the number of an event
	times     int // cells of a time
}

// eventPage is the events around an instant, in order. Read-only once made.
type eventPage struct {
	eventKey
	rows          []analysis.Event
	all           int  // events of the range
	before, after bool // the range has more on that side
}

const (
	pageHalf   = 1 << 14 // events listed before the instant, and after it
	mostLooked = 1 << 24 // events that a filter looks at on either side
)

// whole reports whether the page has all events of the range that pass the filter.
func (p *eventPage) whole() bool { return !p.before && !p.after }

// holds reports whether an instant is on the page and not close to an edge where there are more events.
func (p *eventPage) holds(at analysis.Instant) bool {
	n := len(p.rows)
	if n == 0 {
		return p.whole()
	}
	return (!p.before || at.T >= p.rows[n/edgeShare].Time) && (!p.after || at.T < p.rows[n-1-n/edgeShare].Time)
}

// edgeShare is the part of a page next to an edge from which on it is read anew around the instant.
const edgeShare = 8

// nearEdge reports whether a row is close to an edge of the page where there are more events.
func (p *eventPage) nearEdge(row int) bool {
	edge := len(p.rows) / edgeShare
	return p.before && row < edge || p.after && row >= len(p.rows)-edge
}

// at returns the row of the last event at or before an instant, or the first row; -1 without rows.
func (p *eventPage) at(at analysis.Instant) int {
	n := analysis.EventsUntil(p.rows, at, func(e *analysis.Event) *analysis.Event { return e })
	return min(max(n-1, 0), len(p.rows)-1)
}

// askEvents reads the events around the instant of a key, up to half a page on either side.
func askEvents(ctx context.Context, trace analysis.Trace, k eventKey) (*eventPage, error) {
	q := analysis.AroundQuery{At: k.center, Keep: ui.Matching(k.filter, k.view.columns(true))}
	q.Range, q.Cell, q.Limit, q.Look = k.over, k.only, pageHalf, mostLooked
	list, err := analysis.EventsAround(ctx, trace, q)
	if err != nil {
		return nil, err
	}
	return &eventPage{eventKey: k, rows: list.Events, all: list.All, before: list.Before, after: list.After}, nil
}

// columns returns the columns of a table of events. Only a complete list sorts by anything but time.
func (v eventView) columns(whole bool) []ui.Column[analysis.Event] {
	type event = analysis.Event
	lived := func(e *event) (t model.Time) { t, _ = e.Lived(); return t }
	freed := func(e *event) bool { _, ok := e.Lived(); return ok }
	cols := []ui.Column[event]{
		{Title: titles.Number, Key: "number", Figure: ui.CountFigure, Width: v.numbers, Drop: 6,
			Value: func(e *event) uint64 { return e.Number },
			Cell:  func(e *event) widget.Cell { return widget.Cell{Text: model.Group(e.Number)} }},
		{Title: titles.Time, Key: "time_us", Fields: []string{"time"}, Figure: ui.TimeFigure, Width: v.times, MaxWidth: v.times,
			Value: func(e *event) uint64 { return uint64(max(e.Time, 0)) },
			Cell:  func(e *event) widget.Cell { return widget.Cell{Text: exactTime(e.Time)} }},
		{Title: titles.Kind, Key: "kind", Width: 6, Text: (*event).KindName},
		{Title: titles.Address, Key: "address", Width: 14, Drop: 3, Muted: true, Hidden: v.noAddr, Text: func(e *event) string {
			if e.Kind == model.Alloc || e.Kind == model.Free {
				return ui.AddressText(e.Addr)
			}
			return ""
		}},
		{Title: titles.Bytes, Key: "bytes", Fields: []string{"size", "bytes"}, Figure: ui.BytesFigure, Value: eventBytes,
			Known: func(e *event) bool { return e.HasBlock() || e.Kind == model.GC }},
		{Title: titles.Lived, Key: "lifetime_us", Fields: []string{"lifetime"}, Figure: ui.TimeFigure, Width: 8, Drop: 2,
			Value: func(e *event) uint64 { return uint64(max(lived(e), 0)) }, Known: freed},
		{Title: titles.Thread, Key: "thread", Width: 6, Right: true, Drop: 5, Hidden: v.noThreads, Text: func(e *event) string {
			if e.HasBlock() {
				return fmt.Sprint(e.Block.Thread)
			}
			return ""
		}},
		{Title: titles.Site, Width: 12, Grow: 1, Drop: 1, Text: v.site},
	}
	for i := range cols {
		if !whole && cols[i].Title != titles.Time {
			cols[i].Like = titles.Time
		}
	}
	return cols
}

// exactTime returns a time in microseconds.
func exactTime(t model.Time) string { return ui.Figures{Exact: true}.Time(t) }

// eventBytes returns the size of an event's block, or what a collection freed.
func eventBytes(e *analysis.Event) uint64 {
	if e.Kind == model.GC {
		return e.Mark.Bytes
	}
	return e.Block.Size
}

// site returns the site of an event's block, or what else there is to say.
func (v eventView) site(e *analysis.Event) string {
	note := e.Note(func(n uint64) string { return model.Bytes(n).String() })
	switch {
	case !e.HasBlock():
		return note
	case note != "":
		note += "; "
	}
	return note + v.labels.BlockSite(v.stacks, e.Block.Stack, v.full)
}
