package views

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// headlineKey determines the figures that do not depend on the instant.
type headlineKey struct {
	revision uint64
	r        analysis.Range
}

// headline is what a trace comes down to.
type headline struct {
	headlineKey
	totals  analysis.Totals
	kept    analysis.Leaks // without its sites: allocated in the range and live at its end
	leaking int            // sites that keep anything
	sites   int            // sites that allocate in the range
	threads int
}

func fetchHeadline(ctx context.Context, t analysis.Trace, k headlineKey) (h headline, err error) {
	h.headlineKey = k
	if h.totals, err = t.Totals(ctx, k.r); err != nil {
		return h, err
	}
	kept, err := t.Leaks(ctx, analysis.LeakQuery{Range: k.r})
	if err != nil {
		return h, err
	}
	h.kept.Bytes, h.kept.Count, h.leaking = kept.Bytes, kept.Count, len(kept.Sites)
	for by, n := range map[analysis.Group]*int{analysis.ByStack: &h.sites, analysis.ByThread: &h.threads} {
		rows, err := t.Sites(ctx, analysis.Query{At: analysis.At(k.r.To), Range: k.r, By: by})
		if err != nil {
			return h, err
		}
		for i := range rows {
			if rows[i].AllocCount > 0 {
				*n++
			}
		}
	}
	return h, nil
}

// item is one headline figure.
type item struct{ label, value, rest string }

// items are columns of two figures each, the most telling first.
func (h *headline) items(s *State, now analysis.Level) [][2]item {
	bytes := func(v uint64) string { return bytesText(v, s.Exact) }
	in := func(n uint64) string { return " in " + model.Group(n) }
	atMost, leaked := "", "leaked"
	if s.Status.Unfreed {
		atMost = "≤ "
	}
	switch {
	case !s.Range.IsWhole():
		leaked = "kept"
	case !s.Status.Final:
		leaked = "unfreed" // nobody knows yet whether it will be
	}
	t := &h.totals
	leak := item{leaked, atMost + bytes(h.kept.Bytes), in(h.kept.Count) + " blocks"}
	switch {
	case h.kept.Count == 1:
		leak.rest = " in 1 block"
	case h.kept.Count == 0:
		leak.value, leak.rest = "nothing", ""
	}
	leaking := item{"leaking", plural(h.leaking, "site", "sites"), ""}
	if s.Status.FreesNever {
		leaking = item{"frees", "none", ""}
	}
	span := s.Status.Duration
	if !s.Range.IsWhole() {
		span = min(s.Range.To, span) - max(s.Range.From, 0)
	}
	mean := uint64(0)
	if t.AllocCount > 0 {
		mean = t.AllocBytes / t.AllocCount
	}
	return [][2]item{
		{{"live", atMost + bytes(now.Bytes), " in " + someBlocks(now.Count)}, leak},
		{{"allocated", bytes(t.AllocBytes), in(t.AllocCount)}, {"freed", bytes(t.FreedBytes), in(t.FreedCount)}},
		{{"temporary", partText(t.TemporaryCount, t.AllocCount), ""}, {"sites", model.Group(uint64(h.sites)), ""}},
		{{"threads", model.Group(uint64(h.threads)), ""}, leaking},
		{{"mean block", bytes(mean), ""}, {"rate", bytes(uint64(analysis.Rate(t.AllocBytes, span))) + "/s", ""}},
		{{"duration", timeText(span, s.Exact), ""}, {"events", model.Group(t.Events), ""}},
		{{"markers", model.Group(t.MarkerCount), ""}, {"collections", model.Group(t.GCCount), h.collected()}},
	}
}

func (h *headline) collected() string {
	if h.totals.GCCount == 0 {
		return ""
	}
	return " of " + plural(int(min(h.totals.GCObjects, 1<<62)), "object", "objects")
}

// drawItems draws as many columns of figures as fit, one or two of each.
func drawItems(s tcell.Screen, r widget.Rect, cols [][2]item, k *widget.Look) {
	x, end := r.X+1, r.X+r.W
	for i, col := range cols {
		labels, values := 0, 0
		for j := range min(r.H, 2) {
			labels = max(labels, widget.Width(col[j].label))
			values = max(values, widget.Width(col[j].value+col[j].rest))
		}
		if i > 0 && x+labels+1+values > end {
			return
		}
		for j := range min(r.H, 2) {
			widget.Print(s, x, r.Y+j, end-x, col[j].label, k.Muted)
			at := x + labels + 1
			at += widget.Print(s, at, r.Y+j, end-at, col[j].value, k.Title)
			widget.Print(s, at, r.Y+j, end-at, col[j].rest, k.Text)
		}
		x += labels + 1 + values + 3
	}
}
