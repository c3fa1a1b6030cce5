package analysis

import (
	"context"
	"slices"
	"sort"
)

// AroundQuery asks for the single events around an instant.
type AroundQuery struct {
	EventQuery // Look and Limit apply to either side of the instant; Skip is ignored
	At         Instant
	Keep       func(*Event) bool // nil for all
}

// Around is the events of a range around an instant, in order.
type Around struct {
	Events        []Event
	First         uint64 // number of the range's first event
	All           int    // events of the range
	Before, After bool   // the range may have more on that side
}

const (
	aroundStep = 1 << 14 // events read first on either side; twice as many each time, as long as too few are kept
	aroundMost = 1 << 16 // events read at once
)

// EventsAround returns up to q.Limit events at or before an instant and as many after it. Errors are those of ctx and of
// trace.
func EventsAround(ctx context.Context, trace Trace, q AroundQuery) (*Around, error) {
	out := &Around{}
	first, left, err := trace.Events(ctx, EventQuery{Range: q.Range, Look: 1})
	if err != nil || len(first) == 0 {
		return out, err
	}
	out.First, out.All = first[0].Number, len(first)+left
	middle, err := eventsUntil(ctx, trace, q, out)
	if err != nil {
		return nil, err
	}
	lists := [2][]Event{}
	for side, room := range [2]int{middle, out.All - middle} {
		list, more, err := q.side(ctx, trace, middle, room, side == 0)
		if err != nil {
			return nil, err
		}
		lists[side] = list
		*[2]*bool{&out.Before, &out.After}[side] = more
	}
	out.Events = slices.Concat(lists[0], lists[1])
	return out, ctx.Err()
}

// side returns the events of the range on one side of its first middle ones; room is how many it has there.
func (q *AroundQuery) side(ctx context.Context, trace Trace, middle, room int, before bool) (out []Event, more bool, err error) {
	var parts [][]Event
	looked := 0
	for found, step := 0, aroundStep; looked < room && (q.Limit == 0 || found < q.Limit) && (q.Look == 0 || looked < q.Look); {
		look := min(step, room-looked)
		skip := middle + looked
		if before {
			skip = middle - looked - look
		}
		list, _, err := trace.Events(ctx, EventQuery{Range: q.Range, Cell: q.Cell, Skip: skip, Look: look})
		if err != nil {
			return nil, false, err
		}
		list = slices.DeleteFunc(list, func(e Event) bool { return q.Keep != nil && !q.Keep(&e) })
		if n := len(list) - (q.Limit - found); q.Limit > 0 && n > 0 {
			if more = true; before {
				list = list[n:]
			} else {
				list = list[:len(list)-n]
			}
		}
		found, looked, parts = found+len(list), looked+look, append(parts, list)
		step = min(2*step, aroundMost)
	}
	if before {
		slices.Reverse(parts)
	}
	return slices.Concat(parts...), more || looked < room, nil
}

// eventsUntil returns how many events of the range are at or before the instant.
func eventsUntil(ctx context.Context, trace Trace, q AroundQuery, of *Around) (int, error) {
	if n := q.At.Events; n != 0 {
		return min(int(n-min(of.First, n)), of.All), nil
	}
	switch {
	case q.At.T >= q.Range.To:
		return of.All, nil
	case q.At.T <= q.Range.From:
		return 0, nil
	}
	list, left, err := trace.Events(ctx, EventQuery{Range: Range{From: q.Range.From, To: q.At.T}, Look: 1})
	return len(list) + left, err
}

// EventsUntil returns how many rows, which are about events in order, are at or before an instant.
func EventsUntil[R any](rows []R, at Instant, event func(*R) *Event) int {
	return sort.Search(len(rows), func(i int) bool {
		e := event(&rows[i])
		if at.Events != 0 {
			return e.Number >= at.Events
		}
		return e.Time > at.T
	})
}

// Middle returns the bounds of the n rows of all around the first until: half on either side, or more on one side where
// the other has too few.
func Middle(all, until, n int) (from, to int) {
	from = max(min(until-(n+1)/2, all-n), 0)
	return from, min(from+n, all)
}
