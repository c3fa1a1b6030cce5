package trace

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// HeadlineKey determines the figures that do not depend on the instant.
type HeadlineKey struct {
	Revision uint64
	R        analysis.Range
}

// Headline is the summary of a trace.
type Headline struct {
	HeadlineKey
	totals  analysis.Totals
	Kept    analysis.Level // allocated in the range and live at its end: bytes and blocks
	Leaking int            // sites that keep anything
	sites   int            // sites that allocate in the range
	threads int
}

// unknown is the number of what could not be counted, for example for lack of memory.
const unknown = -1

// FetchHeadline returns the figures above the tables of the Overview. If rows cannot be computed, which takes memory,
// only their numbers are unknown; that is not an error.
func FetchHeadline(ctx context.Context, t analysis.Trace, k HeadlineKey) (h Headline, err error) {
	h.HeadlineKey = k
	if h.totals, err = t.Totals(ctx, k.R); err != nil {
		return h, err
	}
	if k.R.IsFull() { // then that is all live memory, which takes no walk over all blocks
		h.Kept, err = t.Live(ctx, analysis.End)
	} else {
		err = h.Keep(ctx, t)
	}
	if err != nil {
		return h, err
	}
	h.count(ctx, t)
	return h, ctx.Err()
}

// count counts the sites and threads that allocate in the range, and, for a complete run, the sites that keep memory.
func (h *Headline) count(ctx context.Context, t analysis.Trace) {
	ask := func(by analysis.Group) ([]analysis.Site, error) {
		return t.Sites(ctx, analysis.Query{At: analysis.At(h.R.To), Range: h.R, By: by, NoPeaks: true})
	}
	allocating := func(rows []analysis.Site, err error) (n int) {
		if err != nil {
			return unknown
		}
		for i := range rows {
			if rows[i].AllocCount > 0 {
				n++
			}
		}
		return n
	}
	sites, err := ask(analysis.ByStack)
	h.sites = allocating(sites, err)
	h.threads = allocating(ask(analysis.ByThread))
	switch {
	case !h.R.IsFull(): // [Headline.Keep] has counted them
	case err != nil:
		h.Leaking = unknown
	default:
		for i := range sites {
			if sites[i].LiveCount > 0 {
				h.Leaking++
			}
		}
	}
}

// Keep computes what of a part of the run is kept.
func (h *Headline) Keep(ctx context.Context, t analysis.Trace) error {
	kept, err := t.Leaks(ctx, analysis.LeakQuery{Range: h.R})
	h.Kept, h.Leaking = analysis.Level{Bytes: kept.Bytes, Count: kept.Count}, len(kept.Sites)
	return err
}

// item is one headline figure.
type item struct{ label, value, rest string }

// wideFigures is the width from which the time of figures is stated.
const wideFigures = 100

// items returns columns of two figures each, the most telling first: what lives at the instant, and figures of the run
// or the range.
func (h *Headline) items(s *state.State, now analysis.Level, growth item, w int) [][2]item {
	bytes := s.Bytes
	in := func(n uint64) string {
		if s.Sampled() {
			return " in " + s.Blocks(n)
		}
		return " in " + model.Group(n)
	}
	t, span := &h.totals, s.Status.Duration
	if !s.Range.IsFull() {
		span = min(s.Range.To, span) - max(s.Range.From, 0)
	}
	number := func(n int, text string) string {
		if n == unknown {
			return "unknown"
		}
		return text
	}
	leaking := item{"left by", number(h.Leaking, model.Counted(h.Leaking, "site")), ""}
	if s.Status.FreesNever {
		leaking = item{"frees", "none", ""}
	}
	sites := item{"sites", number(h.sites, model.Group(uint64(h.sites))), ""}
	if !s.Range.IsFull() && h.sites != unknown { // others may have live blocks nevertheless
		sites.rest = " allocate"
	}
	threads := item{"threads", number(h.threads, model.Group(uint64(h.threads))), ""}
	if s.NoThreads() {
		threads = item{"threads", "not recorded", ""}
	} else if h.threads == 1 && severalThreads(s.Stacks()) {
		threads.rest = ", as it has no thread ids"
	}
	of := ""
	switch {
	case w < wideFigures:
	case s.Range.IsFull():
		of = "run: "
	default:
		of = "range: "
	}
	more := [][2]item{{leaking, threads}} // of samples alone, the others say nothing
	if !s.Sampled() {
		more = [][2]item{{{"temporary", cmp.Or(ui.PartText(t.TemporaryCount, t.AllocCount), "none"), ""}, threads},
			{leaking, {"mean block", bytes(model.Mean(t.AllocBytes, max(t.AllocCount, 1))), ""}}}
	}
	return slices.Concat([][2]item{
		{{"live now", ui.AtMost(s) + bytes(now.Bytes), " in " + s.Blocks(now.Count)}, h.keptItem(s)},
		{growth, sites},
		{{of + "allocated", bytes(t.AllocBytes), in(t.AllocCount)}, {of + "freed", bytes(t.FreedBytes), in(t.FreedCount)}},
	}, more, [][2]item{
		{{"alloc rate", s.Estimate(ui.RateText(&analysis.Column{To: span, AllocBytes: t.AllocBytes}, s.Exact)), ""},
			{"duration", ui.TimeText(span, s.Exact), ""}},
		{{"events", model.Group(t.Events), ""}, {"markers", model.Group(t.MarkerCount), ""}},
		{{"collections", model.Group(t.GCCount), h.collected()}, {}},
	})
}

// severalThreads reports whether some stacks begin where threads do and others elsewhere: then a single thread for all
// of them means that the recording has no thread ids. It checks only the first nodes of the tree, since it is called
// for every frame.
func severalThreads(s *model.Stacks) bool {
	const most = 10_000
	if s == nil {
		return false
	}
	begun, other := false, false
	for n := 1; n < min(len(s.Parent), most); n++ {
		if s.Depth[n] != 1 {
			continue
		}
		switch s.At(s.Frame[n]).Function {
		case "":
		case "start_thread", "clone", "clone3", "__clone", "__clone3", "thread_start", "_pthread_start":
			begun = true
		default:
			other = true
		}
	}
	return begun && other
}

// keptItem returns what was allocated in the range and lives at its end.
func (h *Headline) keptItem(s *state.State) item {
	label := "unfreed"
	if !s.Range.IsFull() {
		label = "kept"
	}
	if h.Kept.Count == 0 {
		return item{label, "nothing", ""}
	}
	return item{label, ui.AtMost(s) + s.Bytes(h.Kept.Bytes), " in " + s.Blocks(h.Kept.Count)}
}

func (h *Headline) collected() string {
	if h.totals.GCCount == 0 {
		return ""
	}
	return " of " + model.Counted(int(min(h.totals.GCObjects, 1<<62)), "object")
}

// GrowthKey determines how fast live bytes grow.
type GrowthKey HeadlineKey

// risen is how live bytes grow, and until when a recording went of which that is.
type risen struct {
	analysis.Rise
	to model.Time
}

// askGrowth requests the growth, which takes the verdicts of all sites, when these can be known.
func (p *Overview) askGrowth(s *state.State) {
	if revision, ok := s.Deep(); ok {
		p.growth.Ask(GrowthKey{revision, s.Range})
	}
}

// growthItem returns what check --max-growth judges: how fast live bytes grow over the range, as verdicts see it. What
// grew need not be live at the end.
func (p *Overview) growthItem(w int) item {
	rise, ok := p.growth.Get()
	out := item{label: "growth"}
	if rise.Freed {
		out.rest = ", then freed"
	}
	about := ""
	if p.State.Live() {
		about = ", first " + rise.to.String()
	}
	out.rest += about
	switch {
	case !ok && p.growth.Err != nil:
		return item{"growth", "unknown", ""}
	case !ok:
		return item{"growth", "…", ""}
	case math.Round(rise.PerSecond) == 0:
		return item{"growth", "none", about}
	case p.State.Exact:
		out.value = fmt.Sprintf("%+.0f B/s", rise.PerSecond)
	default:
		out.value = ui.FiguresOf(&p.State, w >= wideFigures).Slope(rise.PerSecond)
	}
	return out
}

// drawItems draws as many columns of figures as fit, one or two of each. Numbers of blocks are left out where their
// column does not fit otherwise.
func drawItems(s tcell.Screen, r widget.Rect, cols [][2]item, k *widget.Look) {
	x, end := r.X+1, r.X+r.W
	for i, col := range cols {
		labels, values, short := 0, 0, 0
		for j := range min(r.H, 2) {
			labels = max(labels, widget.Width(col[j].label))
			values = max(values, widget.Width(col[j].value+col[j].rest))
			short = max(short, widget.Width(col[j].value))
		}
		switch fits := end - x - labels - 1; {
		case i == 0 || values <= fits:
		case short > fits:
			return
		default:
			col[0].rest, col[1].rest, values = "", "", short
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
