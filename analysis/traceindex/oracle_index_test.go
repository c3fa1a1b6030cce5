package traceindex

import (
	"math"
	"math/rand/v2"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

func TestEmptyIndexAnswers(t *testing.T) {
	ix := NewIndex()
	ctx := t.Context()
	if _, ok, err := ix.Peak(ctx, analysis.FullRange); ok || err != nil {
		t.Errorf("peak of nothing: %v, %v", ok, err)
	}
	if cols, err := ix.Curve(ctx, analysis.FullRange, 3); err != nil || len(cols) != 3 || cols[2].MaxBytes != 0 {
		t.Errorf("curve of nothing: %v, %v", cols, err)
	}
	if rows, err := ix.Sites(ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange}); err != nil || len(rows) != 0 {
		t.Errorf("sites of nothing: %v, %v", rows, err)
	}
	if _, ok := ix.Neighbor(0, 1); ok {
		t.Error("a neighbor of nothing")
	}
}

func TestSumsSaturate(t *testing.T) {
	big := model.Event{Addr: 8, Size: math.MaxUint64}
	other := big
	other.Addr = 16
	ix := buildIndex(t, []model.Event{big, other, {Kind: model.Free, Addr: 8}}, nil)
	if s := ix.Status(); !s.Saturated {
		t.Error("not flagged")
	}
	peak, _, _ := ix.Peak(t.Context(), analysis.FullRange)
	live, _ := ix.Live(t.Context(), analysis.End)
	if peak.Bytes != math.MaxUint64 || live.Bytes != math.MaxUint64 || live.Count != 1 {
		t.Errorf("peak %d, live %+v", peak.Bytes, live)
	}
}

func TestBudgetStops(t *testing.T) {
	store := new(model.Store)
	events := randomTrace(rand.New(rand.NewPCG(1, 2)), 200_000)
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Allocations: &sliceSource{events, 4096}})
	ix := NewIndex()
	ix.SetBudget(4 << 20)
	if err := Build(t.Context(), store, ix); err != nil {
		t.Fatal(err)
	}
	Conclude(store, ix)
	if s := ix.Status(); !s.Stopped || s.Final || s.Events == 0 || s.Events == uint64(len(events)) {
		t.Errorf("status %+v", s)
	}
	if p := store.Current(); p.Complete || len(p.Problems) == 0 {
		t.Errorf("profile %+v", p)
	}
}

// TestManyEvents crosses checkpoints and chunk borders, where the twin would be too slow: cumulative answers of parts
// must add up to the whole.
func TestPartsAddUp(t *testing.T) {
	events := randomTrace(rand.New(rand.NewPCG(3, 4)), 300_000)
	ix := buildIndex(t, events, modeltest.Stacks())
	ctx := t.Context()
	end := ix.Status().Duration
	var sum analysis.Totals
	cuts := []model.Time{model.NoTime, 1, end / 7, end / 3, end/3 + 1, end / 2, end - 1, model.MaxTime}
	for i := 1; i < len(cuts); i++ {
		part, _ := ix.Totals(ctx, analysis.Range{From: cuts[i-1], To: cuts[i]})
		sum.Events += part.Events
		sum.AllocBytes += part.AllocBytes
		sum.FreedBytes += part.FreedBytes
		sum.OverwrittenBytes += part.OverwrittenBytes
		sum.TemporaryCount += part.TemporaryCount
		sum.MarkerCount += part.MarkerCount
		live, _ := ix.Live(ctx, analysis.At(cuts[i]))
		if want := sum.AllocBytes - sum.FreedBytes - sum.OverwrittenBytes; live.Bytes != want {
			t.Errorf("live at %v: %d, want %d", cuts[i], live.Bytes, want)
		}
		rows, _ := ix.Sites(ctx, analysis.Query{At: analysis.At(cuts[i]), Range: analysis.FullRange, By: analysis.ByThread})
		total := uint64(0)
		for _, r := range rows {
			total += r.LiveBytes
		}
		if total != live.Bytes {
			t.Errorf("threads at %v: %d, want %d", cuts[i], total, live.Bytes)
		}
	}
	whole, _ := ix.Totals(ctx, analysis.FullRange)
	if sum.Events != whole.Events || sum.AllocBytes != whole.AllocBytes || sum.TemporaryCount != whole.TemporaryCount || sum.MarkerCount != whole.MarkerCount {
		t.Errorf("parts %+v, whole %+v", sum, whole)
	}
}

// Every question may be asked at any moment while a trace loads.
func TestAskingWhileLoading(t *testing.T) {
	store := new(model.Store)
	r := rand.New(rand.NewPCG(5, 6))
	events := randomTrace(r, 60_000)
	for i := range events {
		if events[i].Kind == model.Alloc {
			events[i].ID = uint64(r.IntN(1 + i/20)) // new stacks all the time
		}
	}
	store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: &sliceSource{events, 64}})
	ix := NewIndex()
	done := make(chan error, 1)
	go func() { done <- Build(t.Context(), store, ix) }()
	ctx := t.Context()
	for i := 0; ; i++ {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
		by := analysis.Group(i) % analysis.GroupCount
		d := ix.Status().Duration
		rg := []analysis.Range{analysis.FullRange, {From: d / 3, To: d}, {From: model.NoTime, To: d / 2}}[i%3]
		_, err1 := ix.Sites(ctx, analysis.Query{At: analysis.At(d / 2), Range: rg, By: by})
		_, err2 := ix.Leaks(ctx, analysis.LeakQuery{Range: rg, By: by})
		_, err3 := ix.History(ctx, by, "", []analysis.Key{0, 3, 9999}, 10)
		_, err4 := ix.Curve(ctx, rg, 50)
		_, err5 := ix.Weights(ctx, analysis.Cost(i)%analysis.CostCountOf, analysis.Query{At: analysis.End, Range: rg})
		_, err6 := ix.LateFreed(ctx, analysis.Cell{})
		for _, err := range []error{err1, err2, err3, err4, err5, err6} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// With very many stacks developments are followed where somebody looks, and say the same.
func TestManyStacks(t *testing.T) {
	const n = 1<<15 + 100
	var events []model.Event
	for i := range uint64(n) {
		events = append(events, model.Event{Time: model.Time(i), Addr: 8 * (i + 1), Size: i + 1, ID: i})
	}
	ix := buildIndex(t, events, nil)
	keys := []analysis.Key{0, n / 2, n - 1, n + 5}
	history, err := ix.History(t.Context(), analysis.ByStack, "", keys, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]uint64{{1, 1}, {0, n/2 + 1}, {0, n}, {0, 0}}
	if d := gocmp.Diff(want, history); d != "" {
		t.Error(d)
	}
	leaks, err := ix.Leaks(t.Context(), analysis.LeakQuery{Range: analysis.FullRange})
	if err != nil || leaks.Count != n || leaks.Sites[0].Bytes != n || leaks.Sites[0].History[analysis.HistoryColumns-1] != n || leaks.Sites[n-1].History != nil {
		t.Errorf("leaks: %v, %d blocks", err, leaks.Count)
	}
	rows, _ := ix.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange})
	if len(rows) != n || rows[7].PeakBytes != 8 {
		t.Errorf("%d sites, peak %d", len(rows), rows[7].PeakBytes)
	}
}
