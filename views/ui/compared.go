package ui

import (
	"context"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// ComparedFile is a file that takes part in comparisons. One value represents a file as long as it is open. All fields
// except immutable ones belong to the event loop.
type ComparedFile struct {
	Name, Path string
	Trace      analysis.Trace
	Store      *model.Store    // nil for the first file, whose profile and status are in the state
	Now        *model.Profile  // of the second file, for which figures are shown
	Status     analysis.Status // of the second file's trace, for which figures are shown
	Read       analysis.Status // how far it is read by now; Status may be older
	Prof       *ProfileFile    // weighted stacks, nil for none
	Heaps      heapgraph.Heaps // of the second file, nil for files without heap snapshots
	Dump       *DumpFile       // of the second file, nil for files without measured series
}

// After returns the snapshots of the file that this one is compared with, nil for none.
func (e *Env) After() heapgraph.Heaps {
	if e.Second == nil {
		return nil
	}
	return e.Second.Heaps
}

// OtherDump returns what was measured in the file that this one is compared with, nil for nothing.
func (e *Env) OtherDump() *DumpFile {
	if e.Second == nil {
		return nil
	}
	return e.Second.Dump
}

// Profile returns the profile of the file for which figures are shown.
func (f *ComparedFile) Profile(s *state.State) *model.Profile {
	if f.Store != nil {
		return f.Now
	}
	return s.Profile
}

// ProfileFile returns the weighted stacks of the file, nil where it has none.
func (f *ComparedFile) ProfileFile(s *state.State) *ProfileFile {
	if !HasProf(f.Profile(s)) {
		return nil
	}
	return f.Prof
}

// Span returns how long the file's recording is.
func (f *ComparedFile) Span(s *state.State) diff.TimeSpan {
	switch {
	case f.Store == nil:
		return diff.TimeSpan{To: s.Status.Duration}
	case f.Trace != nil && f.ProfileFile(s) == nil:
		return diff.TimeSpan{To: f.Status.Duration}
	}
	if d := f.ProfileFile(s); d != nil {
		return d.Span()
	}
	return diff.TimeSpan{}
}

// Mixed reports whether a trace is compared with a profile, in either order.
func (e *Env) Mixed(s *state.State) bool {
	if e.Second == nil {
		return false
	}
	return (e.First.Trace == nil) != (e.Second.Trace == nil) && (e.First.ProfileFile(s) != nil || e.Second.ProfileFile(s) != nil)
}

// TimeMap returns the mapping of times of the first file to times of the second.
func (e *Env) TimeMap(s *state.State) diff.TimeMap {
	if e.Second == nil {
		return diff.TimeMap{}
	}
	return diff.NewTimeMap(s.Compare.Align, e.First.Span(s), e.Second.Span(s), s.Compare.Moments[state.SideA],
		s.Compare.Moments[state.SideB])
}

// JoinedTreeCache keeps the last tree joined from two sets of stacks: building it takes longer than all the rest, and it does
// not depend on the instant. Any goroutine may use it.
type JoinedTreeCache struct {
	mu    sync.Mutex
	of    [2]*model.Stacks
	masks string
	match diff.FrameMatch
	have  *diff.JoinedStacks
}

// Forget drops the tree, which keeps both sets of stacks in memory.
func (j *JoinedTreeCache) Forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.of, j.have = [2]*model.Stacks{}, nil
}

// Get returns the joined tree of two sets of stacks, built anew unless it is the last one. The only errors are those of
// ctx.
func (j *JoinedTreeCache) Get(ctx context.Context, before, after *model.Stacks, masks string,
	match diff.FrameMatch) (*diff.JoinedStacks, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if of := [2]*model.Stacks{before, after}; j.have == nil || j.of != of || j.masks != masks || j.match != match {
		have, err := diff.JoinStacks(ctx, before, after, state.ParseMasks(masks), match)
		if err != nil {
			return nil, err
		}
		j.of, j.masks, j.match, j.have = of, masks, match, have
	}
	return j.have, nil
}

// Loading reports whether more of a trace is being read than figures are about.
func (f *ComparedFile) Loading(s *state.State) bool {
	st := &s.Status
	if f.Store != nil {
		st = &f.Status
	}
	return f.Trace != nil && !st.Final && !st.Stopped
}

// Index returns 0 for the file opened first.
func (f *ComparedFile) Index() int {
	if f.Store != nil {
		return 1
	}
	return 0
}

// FileAt returns the second file or the first.
func (e *Env) FileAt(other bool) *ComparedFile {
	if other && e.Second != nil {
		return e.Second
	}
	return e.First
}
