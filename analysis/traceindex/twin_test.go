package traceindex

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// twin is the obvious slow way to every answer: it replays all events with maps for each question.
type twin struct {
	events []model.Event
	stacks *model.Stacks
	blocks []twinBlock // after all events
	states []twinState // states[i] is the state after i events
}

type twinBlock struct {
	model.Event
	born, died int // events; died = -1 while alive
	byFree     bool
}

type twinState struct{ bytes, count uint64 }

func newTwin(events []model.Event, stacks *model.Stacks) *twin {
	w := &twin{events: events, stacks: stacks, states: make([]twinState, 1, len(events)+1)}
	live := map[uint64]int{}
	for i, e := range events {
		s := w.states[i]
		end := func(b int, byFree bool) {
			w.blocks[b].died, w.blocks[b].byFree = i, byFree
			s.bytes -= w.blocks[b].Size
			s.count--
		}
		switch e.Kind {
		case model.Alloc:
			if b, ok := live[e.Addr]; ok && e.Addr != 0 {
				end(b, false)
			}
			live[e.Addr] = len(w.blocks)
			w.blocks = append(w.blocks, twinBlock{e, i, -1, false})
			s.bytes += e.Size
			s.count++
		case model.Free:
			if b, ok := live[e.Addr]; ok && e.Addr != 0 {
				end(b, true)
				delete(live, e.Addr)
			}
		}
		w.states = append(w.states, s)
	}
	return w
}

func (w *twin) after(at analysis.Instant) int {
	if at.Events != 0 {
		return int(at.Events)
	}
	n := 0
	for n < len(w.events) && w.events[n].Time <= at.T {
		n++
	}
	return n
}

func (w *twin) span(r analysis.Range) (lo, hi int) {
	if r.From >= 0 {
		lo = w.after(analysis.At(r.From))
	}
	return lo, max(lo, w.after(analysis.At(r.To)))
}

func (w *twin) groupName(by analysis.Group, b *twinBlock) string {
	switch by {
	case analysis.ByThread:
		return "thread " + itoa(uint64(b.Thread))
	case analysis.BySizeClass:
		return itoa(uint64(sizeClass(b.Size)))
	case analysis.ByStack:
		return itoa(b.ID)
	}
	if by == analysis.ByOwner {
		return w.ownerName(model.StackID(b.ID))
	}
	leaf, ok := w.stacks.Node(model.StackID(b.ID))
	switch {
	case by == analysis.ByFunction && (!ok || leaf == 0):
		return model.UnknownStack(model.StackID(b.ID))
	case by == analysis.ByFunction:
		return calltree.FunctionName(w.stacks, leaf)
	case !ok || w.stacks.At(w.stacks.Frame[leaf]).File == "":
		return calltree.UnknownFile
	case by == analysis.ByModule:
		return calltree.Module(w.stacks.At(w.stacks.Frame[leaf]).File)
	}
	return w.stacks.At(w.stacks.Frame[leaf]).File
}

// ownerName names the function that owns a stack, which in made traces is all that malloc does not.
func (w *twin) ownerName(id model.StackID) string {
	leaf, ok := w.stacks.Node(id)
	if !ok || leaf == 0 {
		return model.UnknownStack(id)
	}
	for n := leaf; n != 0; n = w.stacks.Parent[n] {
		if name := calltree.FunctionName(w.stacks, n); name != "malloc" {
			return name
		}
	}
	return calltree.FunctionName(w.stacks, leaf)
}

func itoa(n uint64) string { return strconv.FormatUint(n, 10) }

type twinSite struct {
	AllocBytes, AllocCount, FreedBytes, FreedCount, Temporary uint64
	OverwrittenBytes, OverwrittenCount                        uint64
	LiveBytes, LiveCount, PeakBytes, LeakBytes, LeakCount     uint64
	Sites                                                     uint64
}

func (w *twin) sites(q analysis.Query) map[string]twinSite {
	lo, hi := w.span(q.Range)
	at := w.after(q.At)
	out, seen := map[string]twinSite{}, map[uint64]bool{}
	for i := range w.blocks {
		b := &w.blocks[i]
		if !w.in(q.Cell, b) {
			continue
		}
		name := w.groupName(q.By, b)
		s := out[name]
		if b.born >= lo && b.born < hi {
			s.AllocBytes += b.Size
			s.AllocCount++
			if b.byFree && b.died == b.born+1 {
				s.Temporary++
			}
			if b.died < 0 || b.died >= hi {
				s.LeakBytes += b.Size
				s.LeakCount++
			}
		}
		if b.died >= lo && b.died < hi {
			if b.byFree {
				s.FreedBytes += b.Size
				s.FreedCount++
			} else {
				s.OverwrittenBytes += b.Size
				s.OverwrittenCount++
			}
		}
		if b.born < at && (b.died < 0 || b.died >= at) {
			s.LiveBytes += b.Size
			s.LiveCount++
		}
		born, ended, live := b.born >= lo && b.born < hi, b.died >= lo && b.died < hi, b.born < at && (b.died < 0 || b.died >= at)
		if !q.By.Divides() && !seen[b.ID] && (born || ended || live) {
			seen[b.ID] = true
			s.Sites++
		}
		out[name] = s
	}
	for name, s := range out {
		for n := lo + 1; n <= hi; n++ {
			level := uint64(0)
			for i := range w.blocks {
				b := &w.blocks[i]
				if b.born < n && (b.died < 0 || b.died >= n) && w.in(q.Cell, b) && w.groupName(q.By, b) == name {
					level += b.Size
				}
			}
			s.PeakBytes = max(s.PeakBytes, level)
		}
		out[name] = s
		if s.AllocCount == 0 && s.LiveCount == 0 && s.FreedCount == 0 && s.OverwrittenCount == 0 {
			delete(out, name)
		}
	}
	return out
}

func (w *twin) totals(r analysis.Range) analysis.Totals {
	lo, hi := w.span(r)
	t := analysis.Totals{Events: uint64(hi - lo)}
	for _, e := range w.events[lo:hi] {
		switch e.Kind {
		case model.Free:
			t.FreeCount++
		case model.GC:
			t.GCCount++
			t.GCObjects += e.ID
			t.GCBytes += e.Size
		case model.Marker:
			t.MarkerCount++
		}
	}
	for _, b := range w.blocks {
		if b.born >= lo && b.born < hi {
			t.AllocCount++
			t.AllocBytes += b.Size
			if b.Addr == 0 {
				t.UnaddressedCount++
				t.UnaddressedBytes += b.Size
			}
			if b.byFree && b.died == b.born+1 {
				t.TemporaryCount++
			}
		}
		if b.died >= lo && b.died < hi {
			if b.byFree {
				t.FreedCount++
				t.FreedBytes += b.Size
			} else {
				t.OverwrittenCount++
				t.OverwrittenBytes += b.Size
			}
		}
	}
	t.UnmatchedFrees = t.FreeCount - t.FreedCount
	return t
}

// randomTrace makes a nasty trace: reused and overwritten addresses, none at all, unknown frees, GC, markers, equal
// times.
func randomTrace(r *rand.Rand, n int) []model.Event {
	var out []model.Event
	t := model.Time(0)
	for range n {
		t += model.Time(r.IntN(3))
		e := model.Event{Time: t, Addr: uint64(r.IntN(12)) * 8}
		switch k := r.IntN(20); {
		case k < 10:
			e.Size, e.ID, e.Thread = uint64(r.IntN(1<<r.IntN(12))), uint64(r.IntN(7)), uint16(r.IntN(3)*1000)
		case k < 18:
			e.Kind = model.Free
		case k < 19:
			e = model.Event{Time: t, Kind: model.GC, ID: uint64(r.IntN(9)), Size: uint64(r.IntN(99))}
		default:
			e = model.Event{Time: t, Kind: model.Marker, ID: uint64(r.IntN(3))}
		}
		out = append(out, e)
	}
	return out
}

// sliceSource is an event source over a slice, in batches of a few events.
type sliceSource struct {
	events []model.Event
	batch  int
}

func (s *sliceSource) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	for at := 0; at < len(s.events); at += s.batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		end := min(at+s.batch, len(s.events))
		if err := yield(&model.EventBatch{Events: s.events[at:end], Offset: int64(end)}); err != nil {
			return err
		}
	}
	return nil
}

func (s *sliceSource) Extent() (int64, int64) { return 0, int64(len(s.events)) }

func (s *sliceSource) MarkerName(id uint64) (string, bool) { return "mark", id == 1 }

func buildIndex(t testing.TB, events []model.Event, stacks *model.Stacks) *Index {
	t.Helper()
	store := new(model.Store)
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: stacks, Allocations: &sliceSource{events, 100}})
	ix := NewIndex()
	if err := Build(t.Context(), store, ix); err != nil {
		t.Fatal(err)
	}
	Conclude(store, ix)
	for _, err := range modeltest.Check(store.Current()) {
		t.Error(err)
	}
	return ix
}

func TestIndexAgreesWithTwin(t *testing.T) {
	seeds := uint64(30)
	if modeltest.UnderRace { // nothing of this is done at the same time
		seeds = 5
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		events := randomTrace(r, []int{0, 1, 2, 40, 300, 900}[seed%6])
		stacks := modeltest.Stacks()
		ix, w := buildIndex(t, events, stacks), newTwin(events, stacks)
		end := ix.Status().Duration
		ranges := []analysis.Range{analysis.FullRange, {From: model.NoTime, To: end / 2}, {From: end / 3, To: end}, {From: end / 2, To: end / 2}, {From: 0, To: model.MaxTime}}
		if end > 0 {
			from := model.Time(r.Int64N(int64(end)))
			ranges = append(ranges, analysis.Range{From: from, To: from + model.Time(r.Int64N(int64(end)))})
		}
		for _, rg := range ranges {
			checkAgainstTwin(t, ix, w, rg)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func checkAgainstTwin(t *testing.T, ix *Index, w *twin, r analysis.Range) {
	ctx := t.Context()
	equal := func(what string, got, want any) {
		t.Helper()
		if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s of %v (-twin +index):\n%s", what, r, d)
		}
	}
	totals, _ := ix.Totals(ctx, r)
	equal("totals", totals, w.totals(r))
	lo, hi := w.span(r)
	peak, ok, _ := ix.Peak(ctx, r)
	equal("has a peak", ok, lo < hi)
	best := lo + 1
	for n := lo + 1; n <= hi; n++ {
		if w.states[n].bytes > w.states[best].bytes {
			best = n
		}
	}
	if ok {
		at, state := w.events[best-1].Time, w.states[best]
		equal("peak", peak, analysis.Peak{
			Level:   analysis.Level{Time: at, Bytes: state.bytes, Count: state.count},
			Instant: analysis.Instant{T: at, Events: uint64(best)},
		})
	}
	for _, at := range []analysis.Instant{analysis.End, analysis.At(r.To), analysis.At(r.To / 2), peak.Instant} {
		for by := range analysis.GroupCount {
			q := analysis.Query{At: at, Range: r, By: by}
			equal("sites by "+by.String(), siteMap(t, ix, q), w.sites(q))
		}
	}
	checkCurve(t, ix, w, r)
	checkLeaks(t, ix, w, r)
}

func siteMap(t *testing.T, ix *Index, q analysis.Query) map[string]twinSite {
	rows, err := ix.Sites(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]twinSite{}
	for _, s := range rows {
		name := s.Name
		switch q.By {
		case analysis.ByStack:
			name = itoa(uint64(s.Stack))
		case analysis.BySizeClass:
			name = itoa(uint64(s.Key))
		}
		if _, twice := out[name]; twice {
			t.Errorf("group %q twice", name)
		}
		out[name] = twinSite{s.AllocBytes, s.AllocCount, s.FreedBytes, s.FreedCount, s.Temporary, s.OverwrittenBytes, s.OverwrittenCount, s.LiveBytes, s.LiveCount, s.PeakBytes, s.LeakBytes, s.LeakCount, s.Sites}
	}
	return out
}

func checkCurve(t *testing.T, ix *Index, w *twin, r analysis.Range) {
	const n = 7
	cols, err := ix.Curve(t.Context(), r, n)
	if err != nil || len(cols) != n {
		t.Fatalf("curve: %d columns, %v", len(cols), err)
	}
	lo, end := w.span(r)
	for i, c := range cols {
		hi := max(lo, w.after(analysis.At(c.To)))
		if i == n-1 && hi != end {
			t.Errorf("curve of %v ends after %d events, want %d", r, hi, end)
		}
		low, high := w.states[lo].bytes, w.states[lo].bytes
		for _, s := range w.states[lo : hi+1] {
			low, high = min(low, s.bytes), max(high, s.bytes)
		}
		if c.MinBytes != low || c.MaxBytes != high || c.LastBytes != w.states[hi].bytes || c.Events != uint64(hi-lo) {
			t.Errorf("column %d of %v: %+v, want min %d max %d last %d events %d", i, r, c, low, high, w.states[hi].bytes, hi-lo)
		}
		lo = hi
	}
}

func checkLeaks(t *testing.T, ix *Index, w *twin, r analysis.Range) {
	lo, hi := w.span(r)
	_, to := ix.bounds(r)
	for _, minAge := range []model.Time{0, to / 3} {
		want := map[string][2]uint64{}
		var all []uint64
		for i := range w.blocks {
			b := &w.blocks[i]
			if b.born < lo || b.born >= hi || b.died >= 0 && b.died < hi || min(to, ix.duration())-b.Time < minAge {
				continue
			}
			n := want[w.groupName(analysis.ByStack, b)]
			want[w.groupName(analysis.ByStack, b)] = [2]uint64{n[0] + b.Size, n[1] + 1}
			all = append(all, b.Size)
		}
		leaks, err := ix.Leaks(t.Context(), analysis.LeakQuery{Range: r, MinAge: minAge})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string][2]uint64{}
		for _, s := range leaks.Sites {
			got[itoa(uint64(s.Stack))] = [2]uint64{s.Bytes, s.Count}
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("leaks of %v older than %v:\n%s", r, minAge, d)
		}
		list, _ := ix.Blocks(t.Context(), analysis.BlockQuery{Leaked: true, Range: r, MinAge: minAge, All: true})
		var sizes []uint64
		for i := range list.Len() {
			sizes = append(sizes, list.Row(i).Size)
		}
		slices.SortFunc(all, func(a, b uint64) int { return cmp.Compare(b, a) })
		if !slices.Equal(all, sizes) {
			t.Errorf("leaked blocks of %v: %v, want %v", r, sizes, all)
		}
	}
}
