package traceindex

import (
	"math"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

func TestGrowth(t *testing.T) {
	tests := []struct {
		times  []model.Time
		values []float64
		want   float64
		ok     bool
	}{
		{nil, nil, 0, false},
		{[]model.Time{5}, []float64{9}, 0, false},
		{[]model.Time{5, 5}, []float64{1, 9}, 0, false},
		{[]model.Time{0, model.Second, 3 * model.Second}, []float64{10, 12, 16}, 2, true},
		{[]model.Time{1e15, 1e15 + 1, 1e15 + 2}, []float64{1, 2, 3}, 1e6, true},
		{[]model.Time{0, model.Second, 2 * model.Second}, []float64{3, 2, 1}, 0, true},                              // what is given back does not grow
		{[]model.Time{0, model.Second, 2 * model.Second, 3 * model.Second}, []float64{1, 2, 900, 4}, 1, true},       // a burst is none
		{[]model.Time{0, model.Second, 2 * model.Second, 3 * model.Second}, []float64{900, 2, 3, 4}, 2.0 / 3, true}, // nor is one at the start
	}
	for _, tt := range tests {
		got, ok := analysis.Growth(tt.times, tt.values)
		if ok != tt.ok || math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%v over %v: %v, %v; want %v, %v", tt.values, tt.times, got, ok, tt.want, tt.ok)
		}
	}
}

func TestTraceGrowth(t *testing.T) {
	var events []model.Event
	for i := range 100 {
		events = append(events, model.Event{Kind: model.Alloc, Time: model.Time(i) * model.Second, Addr: uint64(i + 1), Size: 1000})
	}
	ix := buildIndex(t, events, nil)
	if got, ok, err := analysis.TraceGrowth(t.Context(), ix, analysis.FullRange); err != nil || !ok || got.Freed || got.PerSecond < 980 || got.PerSecond > 1020 {
		t.Errorf("a block of 1,000 bytes each second grows by %v, %v, %v", got, ok, err)
	}
	if _, ok, err := analysis.TraceGrowth(t.Context(), buildIndex(t, events[:1], nil), analysis.FullRange); err != nil || ok {
		t.Errorf("one event grows: %v, %v", ok, err)
	}
}

// Growth says that what grew was freed at the end, in one place or in all of its time.
func TestTraceGrowthThenFreed(t *testing.T) {
	for _, n := range []int{100, 30_000} {
		ix := builtIndex(t, growThenFree(n), 1<<12)
		if got, ok, err := analysis.TraceGrowth(t.Context(), ix, analysis.FullRange); err != nil || !ok || !got.Freed || got.PerSecond < 60_000 {
			t.Errorf("%d blocks that are freed at the end: %v, %v, %v", n, got, ok, err)
		}
	}
}

// A leak that remains is not freed, though a cache is that was larger.
func TestTraceGrowthOfWhatRemains(t *testing.T) {
	run := growThenFree(1000)
	events := []model.Event{{Kind: model.Alloc, ID: 2, Addr: 1, Size: 10_000_000}}
	for _, e := range run.Events {
		if e.Kind == model.Alloc {
			events = append(events, e)
		}
	}
	run.Events = append(events, model.Event{Kind: model.Free, Time: 1001 * 1000, Addr: 1})
	if got, ok, err := analysis.TraceGrowth(t.Context(), builtIndex(t, run, 1<<12), analysis.FullRange); err != nil || !ok || got.Freed || got.PerSecond < 60_000 {
		t.Errorf("%v, %v, %v", got, ok, err)
	}
}

// A burst at the end, and one in the middle, hide no growth, and are none.
func TestTraceGrowthThroughBursts(t *testing.T) {
	for _, leak := range []bool{false, true} {
		for _, burst := range []int{5, 50, 90} {
			var events []model.Event
			for i := range 100 {
				at := model.Time(i) * model.Second
				if leak {
					events = append(events, model.Event{Kind: model.Alloc, Time: at, Addr: uint64(i + 1), Size: 1000})
				}
				if i == burst {
					events = append(events, model.Event{Kind: model.Alloc, Time: at, Addr: 5000, Size: 10_000_000})
				}
				if i == burst+5 {
					events = append(events, model.Event{Kind: model.Free, Time: at, Addr: 5000})
				}
			}
			events = append(events, model.Event{Kind: model.Marker, Time: 100 * model.Second})
			got, ok, err := analysis.TraceGrowth(t.Context(), buildIndex(t, events, nil), analysis.FullRange)
			if want := map[bool]float64{true: 1000}[leak]; err != nil || !ok || math.Abs(got.PerSecond-want) > 40 {
				t.Errorf("with a burst at %d it grows by %v, want %v; %v", burst, got, want, err)
			}
		}
	}
}

// Growth is what a verdict calls so: memory that stays at its size is none, however much it is, and when the program
// frees everything at its end, that hides none.
func TestTraceGrowthAsVerdictsSeeIt(t *testing.T) {
	const size = 1000
	alloc := func(at float64, id int) model.Event {
		return model.Event{Kind: model.Alloc, Time: model.Time(at * float64(model.Second)), Addr: uint64(id), Size: size}
	}
	free := func(e model.Event, at model.Time) model.Event {
		return model.Event{Kind: model.Free, Time: at, Addr: e.Addr}
	}
	steady := func(events []model.Event, from, to float64) []model.Event { // short-lived blocks, a hundred a second
		for at := from; at < to; at += 0.01 {
			e := alloc(at, 1)
			events = append(events, e, free(e, e.Time))
		}
		return events
	}
	for _, c := range []struct {
		name string
		run  func() []model.Event
		want float64
	}{
		{"a cache that fills in the first half", func() (events []model.Event) {
			for i := range 5000 {
				events = append(events, alloc(float64(i)/100, 10+i))
			}
			return steady(events, 50, 100)
		}, 0},
		{"much at the start, and little each second", func() (events []model.Event) {
			for i := range 2000 {
				events = append(events, alloc(0, 100_000+i))
			}
			for i := range 100 {
				events = append(steady(events, float64(i), float64(i+1)), alloc(float64(i+1), 10+i))
			}
			return events
		}, size},
		{"everything is freed at the end", func() (events []model.Event) {
			for i := range 100 {
				events = append(steady(events, float64(i), float64(i+1)), alloc(float64(i+1), 10+i))
			}
			for i := range 100 {
				events = append(events, model.Event{Kind: model.Free, Time: 100*model.Second + 10_000, Addr: uint64(10 + i)})
			}
			return events
		}, size},
		{"a long pause after the same", func() (events []model.Event) {
			for i := range 50 {
				events = append(steady(events, float64(i), float64(i+1)), alloc(float64(i+1), 10+i))
			}
			return append(events, model.Event{Kind: model.Marker, Time: 100 * model.Second})
		}, size},
	} {
		got, ok, err := analysis.TraceGrowth(t.Context(), buildIndex(t, c.run(), nil), analysis.FullRange)
		if err != nil || !ok || math.Abs(got.PerSecond-c.want) > 0.06*c.want+1e-6 {
			t.Errorf("%s: grows by %v, %v, want %v; %v", c.name, got, ok, c.want, err)
		}
	}
}
