package trace

import (
	"context"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// manyEvents is a trace of so many events, one each microsecond from 1 on, every tenth a marker.
type manyEvents struct {
	analysis.Trace
	n int
}

func (m manyEvents) Events(_ context.Context, q analysis.EventQuery) (list []analysis.Event, left int, err error) {
	lo, hi := int(max(q.Range.From, 0)), min(int(min(q.Range.To, 1<<40)), m.n)
	at := min(lo+q.Skip, max(lo, hi))
	for looked := 0; at < hi && (q.Look == 0 || looked < q.Look); looked++ {
		e := analysis.Event{Number: uint64(at), Time: model.Time(at + 1), Kind: model.Free, Stray: true}
		if at%10 == 0 {
			e.Kind, e.Stray, e.Mark.Name = model.Marker, false, "frame"
		}
		list = append(list, e)
		at++
	}
	return list, hi - at, nil
}

// A page has the events around the instant, as many on either side as it may, and knows whether there are more.
func TestEventPages(t *testing.T) {
	const n, half = 3 * pageHalf, pageHalf
	full := analysis.FullRange
	for _, c := range []struct {
		name          string
		over          analysis.Range
		center        analysis.Instant
		filter        string
		first, rows   int // of the page
		all           int
		before, after bool
		selected      uint64 // number of the event at the instant
	}{
		{"end", full, analysis.End, "", n - half, half, n, true, false, n - 1},
		{"start", full, analysis.At(0), "", 0, half, n, false, true, 0},
		{"middle", full, analysis.At(n / 2), "", n/2 - half, 2 * half, n, true, true, n/2 - 1},
		{"after an event", full, analysis.Instant{T: 5, Events: 20}, "", 0, 20 + half, n, false, true, 19},
		{"range", analysis.Range{From: 10, To: 30}, analysis.At(20), "", 10, 20, 20, false, false, 19},
		{"before the range", analysis.Range{From: 10, To: 30}, analysis.At(5), "", 10, 20, 20, false, false, 10},
		{"after the range", analysis.Range{From: 10, To: 30}, analysis.At(500), "", 10, 20, 20, false, false, 29},
		{"no event", analysis.Range{From: n + 10, To: n + 30}, analysis.At(n), "", 0, 0, 0, false, false, 0},
		{"filter", full, analysis.End, "frame", 0, (n + 9) / 10, n, false, false, (n - 1) / 10 * 10},
		{"no match", full, analysis.End, "nothing", 0, 0, n, false, false, 0},
	} {
		p, err := askEvents(context.Background(), manyEvents{n: n}, eventKey{over: c.over, center: c.center, filter: c.filter})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.rows) != c.rows || p.all != c.all || p.before != c.before || p.after != c.after {
			t.Errorf("%s: %d rows of %d, more before %v, after %v", c.name, len(p.rows), p.all, p.before, p.after)
			continue
		}
		if at := p.at(c.center); c.rows == 0 && at != -1 || c.rows > 0 && (p.rows[0].Number != uint64(c.first) || p.rows[at].Number != c.selected) {
			t.Errorf("%s: from event %d, at event %d", c.name, p.rows[0].Number, p.rows[at].Number)
		}
		for i := 1; i < len(p.rows); i++ {
			if p.rows[i].Number <= p.rows[i-1].Number {
				t.Fatalf("%s: event %d follows %d", c.name, p.rows[i].Number, p.rows[i-1].Number)
			}
		}
		if c.rows > 0 && !p.holds(c.center) {
			t.Errorf("%s: the page does not hold its own center", c.name)
		}
	}
}

// A range of time alone does not select the rows on screen if others have the time of the first or the last.
func TestRowsAtOneTime(t *testing.T) {
	rows := []analysis.Event{{Number: 7, Time: 10}, {Number: 8, Time: 10}, {Number: 9, Time: 20}, {Number: 10, Time: 30}, {Number: 11, Time: 30}}
	for _, c := range []struct {
		first, last int
		want        bool
	}{{0, 4, false}, {1, 2, true}, {2, 3, true}, {2, 4, false}, {0, 2, false}, {1, 3, true}} {
		if got := (&Events{}).cutsTime(rows, &rows[c.first], &rows[c.last]); got != c.want {
			t.Errorf("rows %d to %d: %v", c.first, c.last, got)
		}
	}
}
