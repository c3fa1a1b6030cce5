package views

import (
	"cmp"
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
	kept    analysis.Level // what was allocated in the range and lives at its end: bytes and blocks
	leaking int            // sites that keep anything
	sites   int            // sites that allocate in the range
	threads int
}

func fetchHeadline(ctx context.Context, t analysis.Trace, k headlineKey) (h headline, err error) {
	h.headlineKey = k
	if h.totals, err = t.Totals(ctx, k.r); err != nil {
		return h, err
	}
	if k.r.IsWhole() { // then that is what lives, which takes no walk over all blocks
		h.kept, err = t.Live(ctx, analysis.End)
	} else {
		err = h.keep(ctx, t)
	}
	if err != nil {
		return h, err
	}
	for by, n := range map[analysis.Group]*int{analysis.ByStack: &h.sites, analysis.ByThread: &h.threads} {
		rows, err := t.Sites(ctx, analysis.Query{At: analysis.At(k.r.To), Range: k.r, By: by, NoPeaks: true})
		if err != nil {
			return h, err
		}
		for i := range rows {
			if rows[i].AllocCount > 0 {
				*n++
			}
			if by == analysis.ByStack && k.r.IsWhole() && rows[i].LiveCount > 0 {
				h.leaking++
			}
		}
	}
	return h, nil
}

// keep finds what is kept of a part of the run.
func (h *headline) keep(ctx context.Context, t analysis.Trace) error {
	kept, err := t.Leaks(ctx, analysis.LeakQuery{Range: h.r})
	h.kept, h.leaking = analysis.Level{Bytes: kept.Bytes, Count: kept.Count}, len(kept.Sites)
	return err
}

// item is one headline figure.
type item struct{ label, value, rest string }

// items are columns of two figures each, the most telling first.
func (h *headline) items(s *State, now analysis.Level) [][2]item {
	bytes := func(v uint64) string { return bytesText(v, s.Exact) }
	in := func(n uint64) string { return " in " + model.Group(n) }
	t, span := &h.totals, s.Status.Duration
	if !s.Range.IsWhole() {
		span = min(s.Range.To, span) - max(s.Range.From, 0)
	}
	leaking := item{"leaking", plural(h.leaking, "site", "sites"), ""}
	if s.Status.FreesNever {
		leaking = item{"frees", "none", ""}
	}
	sites := item{"sites", model.Group(uint64(h.sites)), ""}
	if !s.Range.IsWhole() { // others may have live blocks all the same
		sites.rest = " allocate"
	}
	return [][2]item{
		{{"live", atMost(s) + bytes(now.Bytes), " in " + someBlocks(now.Count)}, h.keptItem(s)},
		{{"allocated", bytes(t.AllocBytes), in(t.AllocCount)}, {"freed", bytes(t.FreedBytes), in(t.FreedCount)}},
		{{"temporary", cmp.Or(partText(t.TemporaryCount, t.AllocCount), "none"), ""}, sites},
		{{"threads", model.Group(uint64(h.threads)), ""}, leaking},
		{{"mean block", bytes(model.Mean(t.AllocBytes, max(t.AllocCount, 1))), ""}, {"rate", rateText(&analysis.Column{To: span, AllocBytes: t.AllocBytes}, s.Exact), ""}},
		{{"duration", timeText(span, s.Exact), ""}, {"events", model.Group(t.Events), ""}},
		{{"markers", model.Group(t.MarkerCount), ""}, {"collections", model.Group(t.GCCount), h.collected()}},
	}
}

// atMost stands before figures that are upper bounds.
func atMost(s *State) string {
	if s.Status.Unfreed {
		return "≤ "
	}
	return ""
}

// keptItem is what was allocated in the range and lives at its end.
func (h *headline) keptItem(s *State) item {
	label := "leaked"
	switch {
	case !s.Range.IsWhole():
		label = "kept"
	case !s.Status.Final:
		label = "unfreed" // nobody knows yet whether it will be
	}
	if h.kept.Count == 0 {
		return item{label, "nothing", ""}
	}
	return item{label, atMost(s) + bytesText(h.kept.Bytes, s.Exact), " in " + someBlocks(h.kept.Count)}
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
