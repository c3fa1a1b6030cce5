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

// SingleEvents are the first events of a range, in order.
type SingleEvents struct {
	Filters []string      `json:"filters,omitzero"` // of stacks
	Rows    []SingleEvent `json:"rows"`
	Left    int           `json:"left"`             // events of the range after the last row, whatever they are about
	Next    *model.Time   `json:"next_us,omitzero"` // of the first event after the range, where there is no row
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
	Stray   bool    `json:"stray,omitzero"` // a free that ends no block
	Objects *uint64 `json:"objects,omitzero"`
	Name    *string `json:"name,omitzero"` // of a marker

	frames places.Frames
	owner  places.Owner
	event  *analysis.Event
}

// BuildEvents returns the first opt.Limit events of a range of a trace: of opt.Cell, those of its blocks. Errors are
// those of ctx and of trace.
func BuildEvents(ctx context.Context, p *model.Profile, trace analysis.Trace, opt Options) (*Report, error) {
	r, stacks, err := opening(ctx, p, trace.Status(), &opt)
	if err != nil {
		return nil, err
	}
	if r.NoMatch, err = emptied(ctx, opt.Cell, p.Stacks, trace); err != nil {
		return nil, err
	}
	list, left, err := trace.Events(ctx, analysis.EventQuery{Range: opt.Range, Cell: opt.Cell, Limit: opt.Limit})
	if err != nil {
		return nil, err
	}
	r.Events = &SingleEvents{Filters: FilterLines(opt.Cell), Rows: make([]SingleEvent, len(list)), Left: left}
	b := &builder{ctx: ctx, trace: trace, profile: p, stacks: stacks, opt: opt, owners: calltree.NewOwners(p.Stacks, opt.Libraries)}
	for i := range list {
		r.Events.Rows[i] = b.event(&list[i])
	}
	if len(list) > 0 {
		return r, nil
	}
	after := analysis.Range{From: opt.Range.To, To: model.MaxTime}
	list, _, err = trace.Events(ctx, analysis.EventQuery{Range: after, Cell: opt.Cell, Limit: 1})
	if len(list) > 0 {
		r.Events.Next = &list[0].Time
	}
	return r, err
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
	out.Place, out.frames, out.owner = block.Place, block.frames, block.owner
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
		name: eventsTable, title: "Events", more: l.Left, empty: l.none(),
		cols: []col{{titles.Number, number}, {titles.Time, number}, {titles.Kind, word}, {titles.Address, word},
			{titles.Bytes, number}, {titles.Lived, number},
			{titles.Thread, number}, {titles.Site, name}, {titles.Where, where}},
		spare: []string{titles.Number, titles.Address},
	}
	for i := range l.Rows {
		e := &l.Rows[i]
		row := []string{model.Group(e.Number), model.Group(uint64(max(e.Time, 0))) + s.Text(" µs"), e.Kind,
			deref(e.Address), "", "", "", "", ""}
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
			copy(row[7:], w.place(e.Place, e.frames, e.owner))
			if note != "" {
				row[7] = note + "; " + row[7]
			}
		}
		out.rows = append(out.rows, row)
	}
	return out
}

// none returns why there are no rows.
func (l *SingleEvents) none() string {
	if l.Next == nil {
		return "no event in this range, and none after it"
	}
	return "no event in this range; the next one is at " + model.Group(uint64(*l.Next)) + " µs"
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
