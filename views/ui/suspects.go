package ui

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// HeapSuspects are the suspects of a snapshot. Read-only once made.
type HeapSuspects struct {
	GraphKey
	List []suspects.Suspect
}

// suspecting looks for suspects.
type suspecting struct {
	*Lazy[GraphKey, *HeapSuspects]
	stopped  GraphKey // that the user stopped
	counts   suspects.Counts
	counting atomic.Uint64 // share of the snapshots that are counted: bits of a float64
	mu       sync.Mutex
	found    []*HeapSuspects // the last ones: going to another snapshot and back takes no search
}

// mostFound is how many snapshots' suspects are kept.
const mostFound = 16

func newSuspecting(e *Env) *suspecting {
	s := &suspecting{}
	s.Lazy = NewLazy(e, s.find)
	return s
}

// find returns what was found before, or searches.
func (s *suspecting) find(ctx context.Context, k GraphKey) (*HeapSuspects, error) {
	s.mu.Lock()
	at := slices.IndexFunc(s.found, func(f *HeapSuspects) bool { return f.GraphKey == k })
	if at >= 0 {
		defer s.mu.Unlock()
		return s.found[at], nil
	}
	s.mu.Unlock()
	found, err := s.search(ctx, k)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = append(s.found[max(len(s.found)-mostFound+1, 0):], found)
	}
	return found, err
}

// search decodes the snapshot, finds its dominators, and counts the objects of the other snapshots.
func (s *suspecting) search(ctx context.Context, k GraphKey) (*HeapSuspects, error) {
	s.counting.Store(0)
	g, err := k.Heaps.Graph(ctx, k.I, k.Edges)
	if err != nil {
		return nil, err
	}
	others, err := s.counts.All(ctx, k.Heaps, k.I, k.Edges, func(done float64) { s.counting.Store(math.Float64bits(done)) })
	s.counting.Store(0)
	if err != nil {
		return nil, err
	}
	out := &HeapSuspects{GraphKey: k}
	if out.List, err = suspects.Find(ctx, g, k.I, others, suspects.Usual); err != nil {
		return nil, err
	}
	return out, nil
}

// progress returns what the search does once the dominators are found.
func (s *suspecting) progress() string {
	if done := math.Float64frombits(s.counting.Load()); done > 0 {
		return "counting objects " + model.Share(done).Done()
	}
	return "looking for suspects"
}

// AskSuspects requests the suspects of the state's snapshot, and returns them once they are available, else nil.
func (l *HeapLoads) AskSuspects(s *state.State) *HeapSuspects {
	key := GraphKey{HeapKey{l.Heaps, s.Snapshot()}, s.Heap.Policy}
	if l.Heaps == nil || key.I < 0 || !l.Heaps.Source().Info(key.I).Complete {
		l.Suspects.Stop()
		return nil
	}
	if key != l.Suspects.stopped {
		l.Suspects.stopped = GraphKey{}
		l.Suspects.Ask(key)
	}
	if found, ok := l.Suspects.Get(); ok && found.GraphKey == key {
		return found
	}
	return nil
}

// NoSuspects returns why there are no suspects, to show in their place.
func (l *HeapLoads) NoSuspects(s *state.State) []string {
	z := l.Suspects
	switch n := s.Snapshot(); {
	case n < 0 || l.Heaps == nil || !l.Heaps.Source().Info(n).Complete:
		return []string{"The snapshot is incomplete: suspects cannot be determined."}
	case z.stopped.Heaps != nil:
		return []string{l.Hint("The search was stopped; {step-back} and {step-forward} go to another snapshot.")}
	case z.Failure() != nil:
		return Unanswered(z)
	case z.Good():
		return []string{"Nothing stands out: no type holds a tenth of the heap in one place, and no type grows over the snapshots."}
	}
	return []string{model.Capital(l.Progress()) + "…"}
}
