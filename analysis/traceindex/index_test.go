package traceindex

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/model"
)

// chunkedSlice is a chunk source over a slice: event i lies at bytes [10+7i, 17+7i). It guesses wrong, or not at all,
// now and then, and may claim that an event is irregular.
type chunkedSlice struct {
	sliceSource
	irregular int // event, -1 for none
}

const (
	sliceBegin = 10
	sliceEvent = 7
)

func (s *chunkedSlice) Extent() (int64, int64) {
	return sliceBegin, sliceBegin + int64(len(s.events))*sliceEvent
}

func (s *chunkedSlice) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	return s.ReplayFrom(ctx, sliceBegin, 0, yield)
}

func (s *chunkedSlice) ReplayFrom(ctx context.Context, offset int64, _ model.Time, yield func(*model.EventBatch) error) error {
	at := int(offset-sliceBegin) / sliceEvent
	rest := sliceSource{s.events[at:], s.batch}
	return rest.Replay(ctx, func(b *model.EventBatch) error {
		from := at + int(b.Offset) - len(b.Events)
		b.Offset = sliceBegin + (int64(at)+b.Offset)*sliceEvent
		if s.irregular >= from && s.irregular < from+len(b.Events) {
			b.Problems = []model.Problem{{Severity: model.Error, Code: "test", Message: "irregular", Count: 1, Offset: model.NoOffset}}
		}
		return yield(b)
	})
}

func (s *chunkedSlice) Decoder() model.Decoder { return &sliceDecoder{s, rand.New(rand.NewPCG(1, 1))} }

type sliceDecoder struct {
	*chunkedSlice
	r *rand.Rand
}

func (d *sliceDecoder) Sync(off int64) (int64, bool) {
	n := (off - sliceBegin + sliceEvent - 1) / sliceEvent
	return sliceBegin + n*sliceEvent + int64(d.r.IntN(8)/7*3), d.r.IntN(5) > 0
}

func (d *sliceDecoder) Decode(c *model.Columns, from, to int64, limit int) (int64, error) {
	i := int(from-sliceBegin) / sliceEvent
	if int(from-sliceBegin)%sliceEvent != 0 {
		return from, model.ErrIrregular
	}
	for ; from < to && c.Len() < limit && i < len(d.events); i++ {
		if i == d.irregular {
			return from, model.ErrIrregular
		}
		e := &d.events[i]
		if c.Len()%model.OffsetEvery == 0 {
			c.Offset = append(c.Offset, from)
		}
		if c.Len() == 0 {
			c.Delta = e.Time
			if i > 0 {
				c.Delta -= d.events[i-1].Time
			}
			c.Append(e, 0)
		} else {
			c.Append(e, e.Time-d.events[i-c.Len()].Time)
		}
		from += sliceEvent
	}
	return from, nil
}

// buildBoth builds the index under test and its twin.
func buildBoth(t testing.TB, source model.EventSource, stacks *model.Stacks, chunkSize int) (*fileIndex, *Index) {
	t.Helper()
	build := func(ix Loading) *model.Profile {
		store := new(model.Store)
		store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: stacks, Allocations: source})
		if err := Build(t.Context(), store, ix); err != nil {
			t.Fatal(err)
		}
		Conclude(store, ix)
		return store.Current()
	}
	ix, twin := newFileIndex(chunkSize), NewIndex()
	a, b := build(ix), build(twin)
	if d := gocmp.Diff(b.Problems, a.Problems); d != "" {
		t.Errorf("problems (-twin +index):\n%s", d)
	}
	if a.Lost != b.Lost || a.Complete != b.Complete {
		t.Errorf("lost %d, complete %v; want %d, %v", a.Lost, a.Complete, b.Lost, b.Complete)
	}
	return ix, twin
}

// rounds returns how many of n seeds a test tries: what they find by chance is found without the race detector.
func rounds(n uint64) uint64 {
	if modeltest.UnderRace {
		return (n + 2) / 3
	}
	return n
}

// everyThird returns a third of a list.
func everyThird[T any](list []T) (some []T) {
	for i := 0; i < len(list); i += 3 {
		some = append(some, list[i])
	}
	return some
}

// agree asks both everything about some ranges.
func agree(t *testing.T, ix, twin analysis.Trace, r *rand.Rand) {
	t.Helper()
	a, b := ix.Status(), twin.Status()
	a.Revision, b.Revision = 0, 0
	same(t, "status", a, b)
	same(t, "stacks", ix.StackIDs(), twin.StackIDs())
	for _, only := range someFilters() {
		for _, in := range []analysis.Cell{{Stacks: only}, {SizeFrom: 2, SizeTo: 5, LifeTo: analysis.LifeClasses, Stacks: only}} {
			late, _ := ix.LateFreed(t.Context(), in)
			want, _ := twin.LateFreed(t.Context(), in)
			same(t, "late", late, want)
			both(t, "functions of a cell", ix, twin, functionsIn(t.Context(), analysis.FullRange, in))
		}
	}
	agreeOnWhole(t, ix, twin)
	end := b.Duration
	ranges := []analysis.Range{analysis.FullRange, {From: model.NoTime, To: end / 2}, {From: end / 3, To: end}, {From: 0, To: model.MaxTime}, {From: end, To: end}}
	for range 3 {
		from := model.Time(r.Int64N(max(int64(end), 1)))
		ranges = append(ranges, analysis.Range{From: from, To: from + model.Time(r.Int64N(max(int64(end-from), 1)))})
	}
	if modeltest.UnderRace { // the figures are compared without it: here, all code must run once
		ranges = []analysis.Range{analysis.FullRange, ranges[1+r.IntN(len(ranges)-1)]}
	}
	for _, rg := range ranges {
		agreeOn(t, ix, twin, r, rg)
		if t.Failed() {
			t.Fatalf("range %v", rg)
		}
	}
}

// agreeOnWhole compares what is asked first about the complete run, twice: the second answer may come from the first.
func agreeOnWhole(t *testing.T, ix, twin analysis.Trace) {
	t.Helper()
	ctx := t.Context()
	keys := make([]analysis.Key, len(ix.StackIDs())+1) // one that no block has, too
	for i := range keys {
		keys[i] = analysis.Key(i)
	}
	for range 2 {
		both(t, "lives", ix, twin, func(x analysis.Trace) ([]analysis.Lives, error) { return x.Lives(ctx, keys) })
		for _, k := range keys[:min(len(keys), 12)] {
			both(t, "held", ix, twin, func(x analysis.Trace) (model.Time, error) { return x.HeldAtPeak(ctx, k) })
			both(t, "lives of one", ix, twin, func(x analysis.Trace) ([]analysis.Lives, error) { return x.Lives(ctx, []analysis.Key{k}) })
		}
		both(t, "all leaks", ix, twin, func(x analysis.Trace) (analysis.Leaks, error) {
			return x.Leaks(ctx, analysis.LeakQuery{Range: analysis.FullRange})
		})
		both(t, "all late", ix, twin, func(x analysis.Trace) (analysis.Leaks, error) { return x.LateFreed(ctx, analysis.Cell{}) })
		both(t, "whole grid", ix, twin, func(x analysis.Trace) (*analysis.Grid, error) {
			return x.Grid(ctx, analysis.GridQuery{Range: analysis.FullRange, All: true})
		})
		for by := range analysis.GroupCount {
			both(t, "history of all by "+by.String(), ix, twin, func(x analysis.Trace) ([][]uint64, error) {
				return x.History(ctx, by, "", keys[:min(2, len(keys)-1)], 12)
			})
			if p, ok, _ := twin.Peak(ctx, analysis.FullRange); ok {
				both(t, "sites at the peak by "+by.String(), ix, twin, func(x analysis.Trace) ([]analysis.Site, error) {
					list, err := x.Sites(ctx, analysis.Query{At: p.Instant, Range: analysis.FullRange, By: by})
					slices.SortFunc(list, func(a, b analysis.Site) int { return cmp.Compare(a.Key, b.Key) })
					return list, err
				})
			}
		}
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // much faster
		return
	}
	if d := gocmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		if len(d) > 3000 {
			d = d[:3000]
		}
		t.Errorf("%s (-twin +index):\n%s", what, d)
	}
}

// agreeOnSites compares a table, and fails unless leaving out its peaks leaves out nothing else.
func agreeOnSites(t *testing.T, ix, twin analysis.Trace, q analysis.Query) {
	t.Helper()
	ctx := t.Context()
	want := both(t, "sites by "+q.By.String(), ix, twin, func(x analysis.Trace) ([]analysis.Site, error) { return x.Sites(ctx, q) })
	q.NoPeaks = true
	got, err := ix.Sites(ctx, q)
	if err != nil {
		t.Error(err)
	}
	want = slices.Clone(want)
	for i := range want {
		want[i].PeakBytes = 0
	}
	same(t, "sites without peaks", got, want)
}

// both collects answers of both to one question.
func both[T any](t *testing.T, what string, ix, twin analysis.Trace, ask func(analysis.Trace) (T, error)) T {
	t.Helper()
	got, err := ask(ix)
	if err != nil {
		t.Errorf("%s: %v", what, err)
	}
	want, _ := ask(twin)
	same(t, what, got, want)
	return want
}

// functionsIn returns a question for functions, by name.
func functionsIn(ctx context.Context, r analysis.Range, in analysis.Cell) func(analysis.Trace) ([]analysis.Function, error) {
	return func(x analysis.Trace) ([]analysis.Function, error) {
		list, err := x.Functions(ctx, r, in)
		slices.SortFunc(list, func(a, b analysis.Function) int { return cmp.Compare(a.Name, b.Name) })
		return list, err
	}
}

func agreeOn(t *testing.T, ix, twin analysis.Trace, r *rand.Rand, rg analysis.Range) {
	ctx := t.Context()
	both(t, "totals", ix, twin, func(x analysis.Trace) (analysis.Totals, error) { return x.Totals(ctx, rg) })
	peak := both(t, "peak", ix, twin, func(x analysis.Trace) (analysis.Peak, error) { p, _, err := x.Peak(ctx, rg); return p, err })
	both(t, "functions", ix, twin, functionsIn(ctx, rg, analysis.Cell{}))
	for _, n := range []int{1, 7, 100} {
		both(t, "curve", ix, twin, func(x analysis.Trace) ([]analysis.Column, error) { return x.Curve(ctx, rg, n) })
		agreeOnChart(t, ix, twin.(*Index), rg, n)
	}
	agreeOnChart(t, ix, twin.(*Index), rg, 30)
	agreeOnChart(t, ix, twin.(*Index), rg, 320)
	both(t, "sizes", ix, twin, func(x analysis.Trace) ([]analysis.Bucket, error) { b, _, err := x.Histograms(ctx, rg); return b, err })
	both(t, "lives", ix, twin, func(x analysis.Trace) ([]analysis.Bucket, error) { _, b, err := x.Histograms(ctx, rg); return b, err })
	both(t, "marks", ix, twin, func(x analysis.Trace) ([]analysis.Mark, error) { m, _, err := x.Marks(ctx, rg, 9); return m, err })
	for _, at := range []model.Time{rg.From, rg.To, rg.To / 2} {
		for _, dir := range []int{-1, 1} {
			both(t, "neighbor", ix, twin, func(x analysis.Trace) (model.Time, error) { n, _ := x.Neighbor(at, dir); return n, nil })
			both(t, "landmark", ix, twin, func(x analysis.Trace) (model.Time, error) { n, _ := x.Landmark(at, dir); return n, nil })
		}
	}
	cells := []analysis.Cell{{}, someCells(r)[r.IntN(6)]}
	only := someFilters()[r.IntN(len(someFilters()))]
	cells[1].Stacks = only
	both(t, "functions", ix, twin, func(x analysis.Trace) ([]analysis.Function, error) {
		return functionsIn(ctx, rg, analysis.Cell{Stacks: only})(x)
	})
	for _, at := range []analysis.Instant{analysis.End, analysis.At(rg.To / 2), peak.Instant} {
		both(t, "live", ix, twin, func(x analysis.Trace) (analysis.Level, error) { return x.Live(ctx, at) })
		for by := range analysis.GroupCount {
			for _, in := range cells {
				agreeOnSites(t, ix, twin, analysis.Query{At: at, Range: rg, By: by, Cell: in})
			}
		}
		for c := range analysis.CostCountOf {
			q := analysis.Query{At: at, Range: rg, Cell: cells[r.IntN(2)]}
			both(t, "weights by "+c.String(), ix, twin, func(x analysis.Trace) ([]uint64, error) { return x.Weights(ctx, c, q) })
		}
	}
	agreeOnBlocks(t, ix, twin, r, rg, cells)
	agreeOnLive(t, ix, twin, r, rg, cells)
}

// agreeOnChart asks the twin about the columns that the index chose, and looks at where they are.
func agreeOnChart(t *testing.T, ix analysis.Trace, twin *Index, rg analysis.Range, n int) {
	t.Helper()
	cols, err := ix.Chart(t.Context(), rg, n)
	if err != nil || len(cols) != n {
		t.Fatalf("chart: %d columns, %v", len(cols), err)
	}
	from, to := twin.bounds(rg)
	lo, hi := twin.eventRange(analysis.Range{From: rg.From, To: to})
	events := []int{lo}
	for i, c := range cols {
		n := events[i] + int(c.Events)
		events = append(events, n)
		off := c.To - analysis.ColumnEdge(from, to, i+1, len(cols))
		if max(off, -off) > (to-from)/model.Time(len(cols))/edgeShareOf*edgeShare || n > lo && twin.time.At(n-1) > c.To || n < hi && twin.time.At(n) < c.To {
			t.Errorf("column %d of %d ends after %d events at %v, %v off", i, len(cols), n, c.To, off)
		}
	}
	if events[len(cols)] != hi || cols[len(cols)-1].To != to {
		t.Errorf("%d columns end after %d events, want %d", len(cols), events[len(cols)], hi)
	}
	want, _ := twin.columns(t.Context(), lo, n, func(i int) (model.Time, int) {
		if i == 0 {
			return from, lo
		}
		return cols[i-1].To, events[i]
	})
	same(t, "chart", cols, want)
}

func agreeOnBlocks(t *testing.T, ix, twin analysis.Trace, r *rand.Rand, rg analysis.Range, cells []analysis.Cell) {
	ctx := t.Context()
	keys := []analysis.Key{0, 1, 3}
	for by := range analysis.GroupCount {
		q := analysis.LeakQuery{Range: rg, MinAge: model.Time(r.Int64N(50)), By: by, Cell: cells[r.IntN(2)]}
		both(t, "leaks by "+by.String(), ix, twin, func(x analysis.Trace) (analysis.Leaks, error) { return x.Leaks(ctx, q) })
		both(t, "history", ix, twin, func(x analysis.Trace) ([][]uint64, error) { return x.History(ctx, by, cells[1].Stacks, keys, 30) })
		key := keys[r.IntN(2)]
		both(t, "lifetimes", ix, twin, func(x analysis.Trace) (analysis.Lifetimes, error) {
			return x.Lifetimes(ctx, by, key, rg, cells[1].Stacks)
		})
		both(t, "grid", ix, twin, func(x analysis.Trace) (*analysis.Grid, error) {
			return x.Grid(ctx, analysis.GridQuery{Range: rg, By: by, Key: 1, All: by == analysis.ByThread})
		})
	}
	for _, q := range []analysis.BlockQuery{{At: analysis.At(rg.To)}, {At: analysis.At(rg.To / 2)}, {Leaked: true, MinAge: 2}, {Born: true}} {
		q.Range, q.Cell, q.Sort = rg, cells[r.IntN(2)], analysis.BlockOrder(r.IntN(5))
		q.All, q.Key = r.IntN(3) > 0, analysis.Key(r.IntN(3))
		q.NoAddr = r.IntN(3) == 0
		if r.IntN(4) == 0 {
			q.Addr = uint64(1 + r.IntN(100))
		}
		both(t, "blocks", ix, twin, func(x analysis.Trace) ([]analysis.Block, error) {
			l, err := x.Blocks(ctx, q)
			if err != nil {
				return nil, err
			}
			rows := []analysis.Block{{Size: l.Bytes()}}
			for i := 0; i < l.Len(); i += 1 + l.Len()/1000 {
				rows = append(rows, l.Row(i))
			}
			return rows, nil
		})
	}
	for _, limit := range []int{0, 1, 50} {
		q := analysis.EventQuery{Range: rg, Cell: cells[r.IntN(2)], Limit: limit}
		if r.IntN(2) > 0 {
			q.Skip, q.Look = r.IntN(200), r.IntN(3)*r.IntN(300)
		}
		both(t, "events", ix, twin, func(x analysis.Trace) ([]analysis.Event, error) {
			list, left, err := x.Events(ctx, q)
			for i := range list {
				if list[i].Stray {
					list[i].Addr = 0 // which the twin does not know
				}
			}
			return append(list, analysis.Event{Number: uint64(left)}), err
		})
	}
	addr := uint64(r.IntN(12)) * 8
	both(t, "uses", ix, twin, func(x analysis.Trace) ([]analysis.Block, error) { b, _, err := x.Uses(ctx, addr, 5); return b, err })
	both(t, "uses", ix, twin, func(x analysis.Trace) (int, error) { _, n, err := x.Uses(ctx, addr, 5); return n, err })
}

func TestFileIndexAgrees(t *testing.T) {
	for seed := range rounds(18) {
		r := rand.New(rand.NewPCG(seed, 3))
		events := randomTrace(r, []int{0, 1, 40, 700, 3000, 9000}[seed%6])
		if seed%4 == 3 { // hours between events
			for i := range events {
				events[i].Time += model.Time(i/(1+len(events)/5)) * 5_000_000_000
			}
		}
		if seed%8 == 6 { // more between any two
			for i := range events {
				events[i].Time += model.Time(i) * 100_000_000_000
			}
		}
		for i := range events {
			if seed%3 == 1 && events[i].Addr != 0 { // blocks that live longer
				events[i].Addr += uint64(r.IntN(300)) * 16
			}
		}
		s := &chunkedSlice{sliceSource{events, 100}, -1}
		if len(events) > 0 && seed%5 > 2 {
			s.irregular = r.IntN(len(events))
		}
		ix, twin := buildBoth(t, s, modeltest.Stacks(), 1000<<(seed%5))
		agree(t, ix, twin, r)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Sums that do not fit 64 bits stand at 2^64-1, and levels come back from there exactly.
func TestFileIndexAgreesOnHugeSizes(t *testing.T) {
	for seed := range rounds(8) {
		r := rand.New(rand.NewPCG(seed, 8))
		events := randomTrace(r, 3000)
		for i := range events {
			if e := &events[i]; e.Kind == model.Alloc && r.IntN(1+int(seed)*100) < 30 {
				e.Size = []uint64{math.MaxUint64, 1 << 63, 1<<62 + 5, 1 << 50}[r.IntN(4)]
			}
		}
		ix, twin := buildBoth(t, &chunkedSlice{sliceSource{events, 100}, -1}, modeltest.Stacks(), 3000)
		agree(t, ix, twin, r)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Who asks for a pass may lose patience; it is made all the same, once, and later questions are answered as ever.
func TestPassesOutliveWhoAsks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ix, twin := buildBoth(t, &chunkedSlice{sliceSource{randomTrace(r, 9000), 100}, -1}, modeltest.Stacks(), 2000)
	q := analysis.Query{At: analysis.End, Range: analysis.FullRange, Cell: analysis.Cell{SizeFrom: 2, SizeTo: 6, LifeTo: analysis.LifeClasses}}
	var asking sync.WaitGroup
	for i := range 8 {
		ctx, cancel := context.WithCancel(t.Context())
		if i%2 == 0 {
			cancel()
		}
		asking.Go(func() {
			defer cancel()
			if _, err := ix.Sites(ctx, q); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			if _, err := ix.Sites(ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.Group(i) % analysis.GroupCount}); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	agree(t, ix, twin, r)
}

// Every question may be asked at any moment while a trace loads.
func TestFileIndexAnswersWhileLoading(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	events := randomTrace(r, 30_000)
	for i := range events {
		if events[i].Kind == model.Alloc {
			events[i].ID = uint64(r.IntN(1 + i/20)) // new stacks all the time
		}
	}
	slice := sliceSource{events, 64}
	for _, source := range []model.EventSource{&slice, &chunkedSlice{slice, -1}, &chunkedSlice{slice, 20_000}} {
		store := new(model.Store)
		store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: source})
		ix := newFileIndex(1 << 11)
		done := make(chan error, 1)
		go func() { done <- Build(t.Context(), store, ix) }()
		for i := 0; len(done) == 0; i++ {
			askEverything(t, ix, store, i)
		}
		if err := <-done; err != nil || ix.events() != len(events) {
			t.Fatal(ix.events(), err)
		}
	}
}

func askEverything(t *testing.T, ix analysis.Trace, store *model.Store, i int) {
	ctx := t.Context()
	if i%5 == 4 { // symbols arrive
		store.Update(func(p *model.Profile) *model.Profile {
			next := *p
			next.Stacks = modeltest.Stacks()
			return &next
		})
	}
	by := analysis.Group(i) % analysis.GroupCount
	d := ix.Status().Duration
	rg := []analysis.Range{analysis.FullRange, {From: d / 3, To: d}, {From: model.NoTime, To: d / 2}}[i%3]
	in := []analysis.Cell{{}, {SizeTo: 5, LifeTo: analysis.LifeClasses}}[i/3%2]
	only := []calltree.Filter{"", "focus parse", "hide malloc"}[i/7%3]
	in.Stacks = only
	_, err1 := ix.Sites(ctx, analysis.Query{At: analysis.At(d / 2), Range: rg, By: by, Cell: in})
	_, err2 := ix.Leaks(ctx, analysis.LeakQuery{Range: rg, By: by, Cell: in})
	_, err3 := ix.History(ctx, by, only, []analysis.Key{0, 3, 9999}, 10)
	_, err4 := ix.Curve(ctx, rg, 50)
	_, err5 := ix.Weights(ctx, analysis.Cost(i)%analysis.CostCountOf, analysis.Query{At: analysis.End, Range: rg})
	_, err6 := ix.LateFreed(ctx, in)
	_, err7 := ix.Grid(ctx, analysis.GridQuery{Range: rg, By: by, Key: 2})
	l, err8 := ix.Blocks(ctx, analysis.BlockQuery{At: analysis.At(d / 2), By: by, All: true, Sort: analysis.BlockOrder(i % 5)})
	if err8 == nil && l.Len() > 0 {
		l.Row(l.Len() / 2)
	}
	_, err9 := ix.Lifetimes(ctx, by, 1, rg, only)
	_, err10 := ix.Chart(ctx, rg, 1+i%40)
	_, err11 := ix.LiveOf(ctx, analysis.LiveQuery{Range: rg, Columns: 1 + i%40, Cell: in, By: by, Parts: [][]analysis.Key{{0, 2}, {9999}}})
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestFileIndexKeepsWhatCannotBeReadAgain(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	events := randomTrace(r, 5000)
	ix, twin := buildBoth(t, &sliceSource{events, 100}, modeltest.Stacks(), 1<<12)
	agree(t, ix, twin, r)
}

// TestFileIndexAgreesOnFiles reads every trace of the loader's tests.
func TestFileIndexAgreesOnFiles(t *testing.T) {
	paths, err := filepath.Glob("../../loaders/mlyze/testdata/*/*.mlyze")
	more, _ := filepath.Glob("../../testdata/*.mlyze")
	if paths = append(paths, more...); err != nil || len(paths) < 20 {
		t.Fatal(len(paths), err)
	}
	if modeltest.UnderRace {
		paths = everyThird(paths)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { agreeOnFile(t, path, 16<<10) })
	}
	if path := os.Getenv("MEMTUI_BENCH_TRACE"); path != "" {
		t.Run("large", func(t *testing.T) { agreeOnFile(t, path, 256<<10) })
	}
}

func agreeOnFile(t *testing.T, path string, chunkSize int) {
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Skip(err)
	}
	defer src.Close()
	store := new(model.Store)
	if err := mlyze.Format().Load(t.Context(), src, loaders.Options{}, store); err != nil {
		t.Skip(err)
	}
	p := store.Current()
	ix, twin := buildBoth(t, p.Allocations, p.Stacks, chunkSize)
	agree(t, ix, twin, rand.New(rand.NewPCG(1, 2)))
}

// TestFileIndexAgreesOnDamage overwrites bytes of a real trace.
func TestFileIndexAgreesOnDamage(t *testing.T) {
	good, err := os.ReadFile("../../testdata/small_kvleak.mlyze")
	if err != nil {
		t.Fatal(err)
	}
	for seed := range rounds(8) {
		r := rand.New(rand.NewPCG(seed, 6))
		b := append([]byte(nil), good...)
		for range 1 + r.IntN(3) {
			at, n := len(b)/4+r.IntN(len(b)*3/4), 1+r.IntN(100)
			for i := at; i < min(at+n, len(b)); i++ {
				b[i] = byte(r.Uint32() * uint32(seed&1))
			}
		}
		if seed%3 == 0 {
			b = b[:len(b)-r.IntN(1000)]
		}
		path := filepath.Join(t.TempDir(), "damaged.mlyze")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		agreeOnFile(t, path, 8<<10)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
