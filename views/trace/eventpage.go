package trace

import (
	"context"
	"fmt"
	"slices"

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
	mostAtOnce = 1 << 16 // events read at once where a filter leaves out some
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
	n, _ := slices.BinarySearchFunc(p.rows, at, func(e analysis.Event, at analysis.Instant) int {
		if at.Events != 0 && e.Number < at.Events || at.Events == 0 && e.Time <= at.T {
			return -1
		}
		return 1
	})
	return min(max(n-1, 0), len(p.rows)-1)
}

// askEvents reads the events around the instant of a key, up to half a page on either side.
func askEvents(ctx context.Context, trace analysis.Trace, k eventKey) (*eventPage, error) {
	out := &eventPage{eventKey: k}
	first, left, err := trace.Events(ctx, analysis.EventQuery{Range: k.over, Look: 1})
	if err != nil || len(first) == 0 {
		return out, err
	}
	out.all = len(first) + left
	middle, err := placeOf(ctx, trace, k, first[0].Number, out.all)
	if err != nil {
		return nil, err
	}
	match := ui.Matching(k.filter, k.view.columns(true))
	read := func(skip, look int) ([]analysis.Event, error) {
		list, _, err := trace.Events(ctx, analysis.EventQuery{Range: k.over, Cell: k.only, Skip: skip, Look: look})
		return slices.DeleteFunc(list, func(e analysis.Event) bool { return !match(&e) }), err
	}
	from, to, step := middle, middle, pageHalf
	var parts [][]analysis.Event
	for found := 0; from > 0 && found < pageHalf && middle-from < mostLooked; step = min(2*step, mostAtOnce) {
		look := min(step, from)
		list, err := read(from-look, look)
		if err != nil {
			return nil, err
		}
		from -= look
		if more := len(list) - (pageHalf - found); more > 0 {
			list, out.before = list[more:], true
		}
		found, parts = found+len(list), append(parts, list)
	}
	slices.Reverse(parts)
	out.before = out.before || from > 0
	step = pageHalf
	for found := 0; to < out.all && found < pageHalf && to-middle < mostLooked; step = min(2*step, mostAtOnce) {
		list, err := read(to, min(step, out.all-to))
		if err != nil {
			return nil, err
		}
		to += min(step, out.all-to)
		found, parts = found+len(list), append(parts, list)
	}
	out.after = to < out.all
	out.rows = slices.Concat(parts...)
	return out, ctx.Err()
}

// placeOf returns how many events of a range are at or before the instant of a key.
func placeOf(ctx context.Context, trace analysis.Trace, k eventKey, first uint64, all int) (int, error) {
	if n := k.center.Events; n != 0 {
		return min(int(n-min(first, n)), all), nil
	}
	switch {
	case k.center.T >= k.over.To:
		return all, nil
	case k.center.T <= k.over.From:
		return 0, nil
	}
	list, left, err := trace.Events(ctx, analysis.EventQuery{Range: analysis.Range{From: k.over.From, To: k.center.T}, Look: 1})
	return len(list) + left, err
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
