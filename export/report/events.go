package report

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/export/report/places"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// eventsTable is the name of the table of single events, which is printed alone.
const eventsTable = "events"

// SingleEvents are the first events of a range, or those around an instant, in order.
type SingleEvents struct {
	Filters []string      `json:"filters,omitzero"` // of stacks
	All     int           `json:"all"`              // events of the range, whatever they are about
	Earlier int           `json:"earlier"`          // those before the first row
	Rows    []SingleEvent `json:"rows"`
	Left    int           `json:"left"`             // those after the last row
	Next    *model.Time   `json:"next_us,omitzero"` // of the first event after the range, where there is no row

	first         uint64            // number of the first event of the range
	around        *analysis.Instant // of which the rows are; nil for the first of the range
	before, after bool              // there may be more rows on that side
	passed        *rowsLeft         // of a filter; nil without one
}

// SingleEvent is an event with what it is about. Fields that its kind does not have are nil.
type SingleEvent struct {
	Number   uint64      `json:"number"` // in the trace, from 0
	Time     model.Time  `json:"time_us"`
	Kind     string      `json:"kind"` // alloc, free, gc, marker
	Address  *string     `json:"address,omitzero"`
	Bytes    *uint64     `json:"bytes,omitzero"`             // that are allocated or freed
	Lifetime *model.Time `json:"lifetime_us,omitzero"`       // of a block that is freed, until then
	Ended    *uint64     `json:"overwritten_bytes,omitzero"` // of the block that was live at the address of an allocation
	Thread   *uint16     `json:"thread,omitzero"`            // that allocated
	Stack    *uint64     `json:"stack,omitzero"`             // that allocated
	places.Place
	Stray   bool         `json:"stray,omitzero"` // a free that ends no block
	Objects *uint64      `json:"objects,omitzero"`
	Name    *string      `json:"name,omitzero"` // of a marker
	Site    places.Site  `json:"site,omitzero"` // of the block; Place is the leaf of its stack
	Owner   places.Owner `json:"owner,omitzero"`

	frames places.Frames
	event  *analysis.Event
}

// BuildEvents returns the first opt.Limit events of a range of a trace, or those around an instant: of opt.Cell, those of
// its blocks. Errors are those of ctx and of trace.
func BuildEvents(ctx context.Context, p *model.Profile, trace analysis.Trace, opt Options) (*Report, error) {
	r, stacks, err := opening(ctx, p, trace.Status(), &opt)
	if err != nil {
		return nil, err
	}
	if r.NoMatch, err = emptied(ctx, opt.Cell, p.Stacks, trace); err != nil {
		return nil, err
	}
	q := analysis.AroundQuery{EventQuery: analysis.EventQuery{Range: opt.Range, Cell: opt.Cell, Limit: opt.Limit}}
	r.Events = &SingleEvents{Filters: FilterLines(opt.Cell)}
	if q.At = analysis.At(opt.Range.From); opt.Around {
		q.At, r.Events.around = opt.At, &opt.At
	}
	found, err := analysis.EventsAround(ctx, trace, q)
	if err != nil {
		return nil, err
	}
	b := &builder{ctx: ctx, trace: trace, profile: p, stacks: stacks, opt: opt, owners: calltree.NewOwners(p.Stacks, opt.Libraries)}
	r.Events.All, r.Events.first, r.Events.before, r.Events.after = found.All, found.First, found.Before, found.After
	r.Events.Rows = make([]SingleEvent, len(found.Events))
	for i := range found.Events {
		r.Events.Rows[i] = b.event(&found.Events[i])
	}
	if r.Events.cut(opt.Limit); len(found.Events) > 0 {
		return r, nil
	}
	after := analysis.Range{From: opt.Range.To, To: model.MaxTime}
	list, _, err := trace.Events(ctx, analysis.EventQuery{Range: after, Cell: opt.Cell, Limit: 1})
	if len(list) > 0 {
		r.Events.Next = &list[0].Time
	}
	return r, err
}

// cut keeps n rows, 0 for all: the first, or those around the instant. It counts the events before and after them.
func (l *SingleEvents) cut(n int) {
	if n > 0 {
		until := 0
		if l.around != nil {
			until = analysis.EventsUntil(l.Rows, *l.around, func(e *SingleEvent) *analysis.Event { return e.event })
		}
		from, to := analysis.Middle(len(l.Rows), until, n)
		l.before, l.after = l.before || from > 0, l.after || to < len(l.Rows)
		l.Rows = l.Rows[from:to]
	}
	l.Earlier, l.Left = 0, 0
	if l.before && len(l.Rows) > 0 {
		l.Earlier = int(l.Rows[0].Number - l.first)
	}
	if l.after && len(l.Rows) > 0 {
		l.Left = l.All - 1 - int(l.Rows[len(l.Rows)-1].Number-l.first)
	}
}

// event returns an event as a row.
func (b *builder) event(e *analysis.Event) SingleEvent {
	out := SingleEvent{Number: e.Number, Time: e.Time, Kind: e.KindName(), Stray: e.Stray, event: e}
	switch {
	case e.HasBlock():
	case e.Kind == model.GC:
		out.Bytes, out.Objects = &e.Mark.Bytes, &e.Mark.Objects
		return out
	case e.Kind == model.Marker:
		out.Name = &e.Mark.Name
		return out
	default:
		out.Address = addressText(e.Addr)
		return out
	}
	block := b.block(e.Block, e.Time)
	out.Address, out.Bytes, out.Stack, out.Thread = block.Address, &block.Bytes, &block.Stack, block.Thread
	out.Place, out.frames, out.Site, out.Owner = block.Place, block.frames, block.Site, block.Owner
	if lived, ok := e.Lived(); ok {
		out.Lifetime = &lived
	}
	if e.Ended != nil {
		out.Ended = &e.Ended.Size
	}
	return out
}

// table lays the events out.
func (l *SingleEvents) table(s cells.Style, full bool) table {
	w := tableWriter{style: s, full: full}
	out := table{
		name: eventsTable, title: "Events", answer: l.answer(s), more: l.more(), empty: l.none(),
		cols: []col{{titles.Number, number}, {titles.Time, number}, {titles.Kind, word}, {titles.Address, word},
			{titles.Bytes, number}, {titles.Lived, number},
			{titles.Thread, number}, {titles.Site, name}, {titles.Where, where}},
		spare: []string{titles.Number, titles.Address},
	}
	for i := range l.Rows {
		e := &l.Rows[i]
		row := []string{model.Group(e.Number), model.Group(uint64(max(e.Time, 0))) + s.Text(" µs"), e.Kind,
			orZero(e.Address), "", "", "", "", ""}
		if e.Bytes != nil {
			row[4] = s.Bytes(*e.Bytes)
		}
		if e.Lifetime != nil {
			row[5] = s.Time(*e.Lifetime)
		}
		if e.Thread != nil {
			row[6] = fmt.Sprint(*e.Thread)
		}
		note := model.Clean(e.event.Note(s.Bytes))
		if row[7] = note; e.event.HasBlock() {
			copy(row[7:], w.place(e.Place, e.frames, e.Owner))
			if note != "" {
				row[7] = note + "; " + row[7]
			}
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// texts returns what filters of the screen of events find: the leaf of a stack is not on it.
func (e *SingleEvent) texts() []string {
	out := []string{e.Kind, orZero(e.Address), e.event.Note(func(n uint64) string { return model.Bytes(n).String() })}
	if e.event.HasBlock() {
		out = append(out, tableWriter{}.place(e.Place, e.frames, e.Owner)[0])
	}
	return out
}

// more returns how many events, or rows that pass the filter, are not listed.
func (l *SingleEvents) more() int {
	if l.passed != nil {
		return l.passed.left - len(l.Rows)
	}
	return l.Earlier + l.Left
}

// answer returns which events of the range the rows are.
func (l *SingleEvents) answer(s cells.Style) string {
	text := model.CountedAs(l.All, "event", "events")
	if l.passed != nil {
		text = l.passed.answer()
	}
	if l.passed == nil && len(l.Rows) < l.All {
		text = model.Group(uint64(len(l.Rows))) + " of " + text
	}
	if l.more() == 0 || len(l.Rows) == 0 {
		return text
	}
	from, to := model.Ends(l.Rows[0].Time, l.Rows[len(l.Rows)-1].Time, "")
	text += ", from " + from + " to " + to
	if l.around != nil && *l.around != analysis.End {
		text += ", around " + s.Time(l.around.T)
	}
	return text
}

// none returns why there are no rows.
func (l *SingleEvents) none() string {
	if l.passed != nil && l.passed.all > 0 {
		return "no matches"
	}
	if l.Next == nil {
		return "no event in this range, and none after it"
	}
	return "no event in this range; the next one is at " + model.Group(uint64(*l.Next)) + " µs"
}
