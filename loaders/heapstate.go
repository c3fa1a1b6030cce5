package loaders

import (
	"math"
	"sync"

	"github.com/memtui/memtui/model"
)

// HeapState is what a source of heap snapshots knows of those that were decoded. Any goroutine may use it.
type HeapState struct {
	mu      sync.Mutex
	store   *model.Store // takes problems of decoding; nil drops them
	counted map[int]model.HeapInfo
}

// Publish shows a profile, to which what is wrong with its snapshots is added as they are decoded.
func (s *HeapState) Publish(store *model.Store, p *model.Profile) {
	s.mu.Lock()
	s.store = store
	s.mu.Unlock()
	store.Publish(p)
}

// Counted returns the exact figures of a snapshot; ok is false until it was decoded.
func (s *HeapState) Counted(i int) (info model.HeapInfo, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, ok = s.counted[i]
	return info, ok
}

// Decoded notes the figures of a snapshot, and returns its heap. The first time, what is wrong with it, and how many
// bytes of it are lost, is added to the profile.
func (s *HeapState) Decoded(i int, made *DecodedHeap, lost int64, progress func(done float64)) *model.Heap {
	s.mu.Lock()
	_, again := s.counted[i]
	if s.counted == nil {
		s.counted = map[int]model.HeapInfo{}
	}
	s.counted[i] = made.Info
	s.mu.Unlock()
	if !again {
		s.Found(made.Problems, lost)
	}
	if progress != nil {
		progress(1)
	}
	return made.Heap
}

// Found adds what is wrong with a file that was opened already, and how many bytes of it are lost, to its profile.
func (s *HeapState) Found(problems []model.Problem, lost int64) {
	s.mu.Lock()
	store := s.store
	s.mu.Unlock()
	if store != nil && (len(problems) > 0 || lost > 0) {
		store.Update(func(old *model.Profile) *model.Profile { return withProblems(old, problems, lost) })
	}
}

// withProblems returns a profile of which more is known to be wrong or lost.
func withProblems(old *model.Profile, problems []model.Problem, lost int64) *model.Profile {
	if old == nil {
		return nil
	}
	next := *old
	next.Lost += lost
	for _, p := range problems {
		next.Problems = model.AddProblem(next.Problems, p)
		next.Complete = next.Complete && p.Severity != model.Error && p.Code != model.CodeMemory
	}
	next.Complete = next.Complete && next.Lost == 0
	return &next
}

// CountHeap puts the sums over rows into the figures of a snapshot whose objects have one size each.
func CountHeap(h *model.Heap, info *model.HeapInfo) {
	var kinds [model.MaxHeapKinds]int64
	sum := uint64(0)
	for r, k := range h.Kinds {
		kinds[k%model.MaxHeapKinds]++
		sum, _ = model.SaturatingAdd(sum, h.Bytes(model.Row(r)))
	}
	info.Rows, info.References, info.Complete = int64(h.Len()), int64(len(h.Label)), h.Complete
	info.Counts = make([]int64, len(h.Schema.Sets))
	for i := range h.Schema.Sets {
		for k, n := range kinds {
			if h.Schema.Sets[i].Kinds.Has(model.HeapKind(k)) {
				info.Counts[i] += n
			}
		}
	}
	info.Bytes = int64(min(sum, math.MaxInt64))
	info.ManagedBytes, info.UnmanagedBytes = info.Bytes, 0
}
