package traceindex

import (
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// fineTrace is a trace like real ones: blocks of usual sizes, pauses, and times when little happens.
func fineTrace(r *rand.Rand, n int) []model.Event {
	var events []model.Event
	var live []uint64
	for now, next, slow := model.Time(0), uint64(0), 1; len(events) < n; {
		switch r.IntN(400) {
		case 0:
			now += model.Time(r.IntN(100_000)) // a pause
		case 1:
			slow = 1 + r.IntN(2)*r.IntN(200)
		}
		now += model.Time(r.IntN(1 + slow))
		if k := len(live); k > 0 && r.IntN(20) < 9 {
			k -= 1 + r.IntN(min(k, 50))
			events = append(events, model.Event{Kind: model.Free, Time: now, Addr: live[k]})
			live = append(live[:k], live[k+1:]...)
			continue
		}
		next += 16
		live = append(live, next)
		events = append(events, model.Event{Kind: model.Alloc, Time: now, Addr: next, Size: uint64(r.IntN(1 << r.IntN(14))), ID: uint64(r.IntN(5))})
	}
	return events
}

// Charts of all zooms are as the twin's, whatever they are made from.
func TestChartsOfAllZoomsAgree(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 9))
		events := fineTrace(r, 20_000)
		for i := range events {
			switch e := &events[i]; {
			case r.IntN(300) > 0 || e.Kind != model.Alloc:
			case seed == 2:
				*e = model.Event{Kind: model.Marker, Time: e.Time, ID: 1}
			case seed == 3:
				e.Size = 1 << (40 + r.IntN(10))
			}
		}
		ix, twin := buildBoth(t, &chunkedSlice{sliceSource{events, 100}, -1}, modeltest.Stacks(), []int{1 << 14, 1 << 16, 1 << 20}[seed%3])
		parts := 0
		for _, c := range ix.chunks {
			parts += len(c.fine)
		}
		if parts == 0 || parts > len(events) {
			t.Fatalf("%d bytes of parts", parts)
		}
		end := int64(ix.duration())
		for span := float64(end); span > 100; span /= 1.7 {
			for range rounds(4) {
				from := model.Time(r.Int64N(end - int64(span) + 1))
				rg := analysis.Range{From: from, To: from + model.Time(math.Round(span))}
				for _, n := range []int{3, 40, 320} {
					agreeOnChart(t, ix, twin, rg, n)
					both(t, "curve", ix, twin, func(x analysis.Trace) ([]analysis.Column, error) { return x.Curve(t.Context(), rg, n) })
				}
				if t.Failed() {
					t.Fatalf("seed %d, %v", seed, rg)
				}
			}
		}
	}
}

// Columns are the same, whether they are made at once or from the level after each event.
func TestColumnsOfSmallEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		n := 1 + r.IntN(1000)
		var freed column.SizeWriter
		freed.Reset()
		freed.Choose([]uint64{16, 32, 7})
		events, l := new(model.Columns), column.Level{Bytes: 1 << 50, AllocBytes: 1 << 51, Count: 1 << 30, AllocCount: 5, FreeEvents: 6}
		before, runs, begin := l, &runLevels{first: 100}, model.Time(r.IntN(2000))
		now := model.Time(0)
		for range n {
			e := model.Event{Kind: model.EventKind(r.IntN(2)), Size: []uint64{16, 7, 0, 5000, 1 << 40, r.Uint64N(100)}[r.IntN(6)]}
			if r.IntN(50) == 0 {
				e.Kind = model.Marker
			}
			switch {
			case e.Kind == model.Alloc:
				l.Bytes += e.Size
				l.AllocBytes += e.Size
				l.Count++
				l.AllocCount++
			case e.Kind == model.Free && r.IntN(5) == 0:
				l.FreeEvents++
				freed.None()
			case e.Kind == model.Free:
				l.Bytes -= e.Size
				l.Count--
				l.FreeEvents++
				freed.Add(e.Size)
			}
			now += model.Time(r.IntN(4))
			events.Append(&e, now)
			runs.times, runs.levels = append(runs.times, begin+now), append(runs.levels, l)
		}
		from := model.Time(r.IntN(2000))
		to := from + model.Time(r.IntN(5000))
		want := columnWriter{cols: make([]analysis.Column, 1+r.IntN(2)*300), i: -1, from: from, to: to, limit: from, events: 100, after: before, e: column.Nothing}
		want.e.AddLevel(&before)
		got := want
		got.cols = make([]analysis.Column, len(want.cols))
		want.add(runs)
		if !got.addSmall(events, begin, freed.B, freed.Common) {
			t.Fatal("small events are none")
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

// What happens at the very beginning takes runs whose begins all are the begin of the first column.
func TestChartsOfABeginningWithoutTime(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, later := range []int{0, 10, 3000} {
		events := randomTrace(r, 5*runLength+later)
		for i := range events {
			if i < 5*runLength {
				events[i].Time = 0
			}
		}
		for _, size := range []int{700 * sliceEvent, 1 << 20} {
			ix, twin := buildBoth(t, &chunkedSlice{sliceSource{events, 100}, -1}, modeltest.Stacks(), size)
			for _, rg := range []analysis.Range{analysis.FullRange, {From: model.NoTime, To: 0}, {From: 0, To: model.MaxTime}, {From: model.NoTime, To: ix.duration() / 2}} {
				for _, n := range []int{1, 7, 40, 320} {
					agreeOnChart(t, ix, twin, rg, n)
					both(t, "curve", ix, twin, func(x analysis.Trace) ([]analysis.Column, error) { return x.Curve(t.Context(), rg, n) })
				}
			}
		}
	}
}

// What made a chart belongs to the next one as soon as it is given back: the race detector tells who looks at it later.
func TestChartsAtOnce(t *testing.T) {
	events := fineTrace(rand.New(rand.NewPCG(7, 8)), 20_000)
	ix, _ := buildBoth(t, &chunkedSlice{sliceSource{events, 100}, -1}, modeltest.Stacks(), 1<<16)
	var asking sync.WaitGroup
	for w := range 4 {
		asking.Go(func() {
			for i := range 300 {
				if _, err := ix.Chart(t.Context(), analysis.Range{From: model.Time(w*300 + i), To: model.MaxTime}, 5); err != nil {
					t.Error(err)
				}
			}
		})
	}
	asking.Wait()
}

// Whatever lies before the beginning begins there.
func TestChartsFromBeforeEverything(t *testing.T) {
	events := fineTrace(rand.New(rand.NewPCG(7, 8)), 3*runLength)
	for i := range events {
		events[i].Time += 1000
	}
	ix, twin := buildBoth(t, &chunkedSlice{sliceSource{events, 100}, -1}, modeltest.Stacks(), 1<<20)
	for _, from := range []model.Time{math.MinInt64, -7, model.NoTime} {
		both(t, "curve", ix, twin, func(x analysis.Trace) ([]analysis.Column, error) {
			return x.Curve(t.Context(), analysis.Range{From: from, To: ix.duration()}, 40)
		})
	}
}
