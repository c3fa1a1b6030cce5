package ui

import (
	"cmp"
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// HeapKey identifies a snapshot.
type HeapKey struct {
	Heaps heapgraph.Heaps
	I     int
}

// Text returns the snapshot's number, and the garbage collection it was taken at, or the file that has it.
func (k HeapKey) Text() string {
	text := fmt.Sprintf("#%d", k.I)
	switch info := k.Heaps.Source().Info(k.I); {
	case info.File != "":
		text += " " + model.Clean(info.File)
	case info.GC != model.NoCount:
		text += fmt.Sprintf(" (GC %d)", info.GC)
	}
	return text
}

// HeapLoad is a decoded snapshot with its sums. Read-only once made.
type HeapLoad struct {
	HeapKey
	Heap   *model.Heap
	Totals heapgraph.Totals
}

// Unlinked reports whether the file ends before the references of the snapshot, which then has no dominators.
func (l *HeapLoad) Unlinked() bool { return !l.Heap.Complete && l.Heap.To.Len() == 0 }

// UnlinkedText returns what is missing in an [HeapLoad.Unlinked] snapshot, and what to do.
func (e *Env) UnlinkedText(l *HeapLoad) []string {
	return []string{fmt.Sprintf("The file ends before the references of snapshot #%d: there are no dominators.", l.I),
		e.Hint("Types and Frames show what could be read of it; {step-back} goes to the previous snapshot.")}
}

// GraphKey identifies the dominators of a snapshot.
type GraphKey struct {
	HeapKey
	Edges heapgraph.Policy
}

// HeapGraph is a graph with its key.
type HeapGraph struct {
	GraphKey
	*heapgraph.Graph
}

// HeapLoads decodes the snapshot shown on all heap screens, once for all of them.
type HeapLoads struct {
	*Env
	Heap     *Lazy[HeapKey, *HeapLoad]
	Graph    *Lazy[GraphKey, *HeapGraph]
	Types    *Lazy[GraphKey, *HeapTypes]
	Suspects *suspecting
	Totals   map[HeapKey]heapgraph.Totals // of the decoded snapshots
	paused   HeapKey                      // decoding that the user stopped
	weighed  []weighed
	soFar    *HeapTypes // of the snapshot that is being decoded; nil for none
}

// NewHeapLoads returns loads of heap snapshots that screens share.
func NewHeapLoads(e *Env) *HeapLoads {
	l := &HeapLoads{Env: e, Totals: map[HeapKey]heapgraph.Totals{}}
	l.Heap = NewLazy(e, OpenHeap)
	l.Graph = NewLazy(e, OpenGraph)
	l.Types = NewLazy(e, l.sumTypes)
	l.Suspects = newSuspecting(e)
	return l
}

// OpenHeap decodes a snapshot and sums it up.
func OpenHeap(ctx context.Context, k HeapKey) (*HeapLoad, error) {
	h, err := k.Heaps.Heap(ctx, k.I)
	if err != nil {
		return nil, err
	}
	return &HeapLoad{k, h, heapgraph.Sum(h)}, nil
}

// OpenGraph finds the dominators of a snapshot.
func OpenGraph(ctx context.Context, k GraphKey) (*HeapGraph, error) {
	g, err := k.Heaps.Graph(ctx, k.I, k.Edges)
	if err != nil {
		return nil, err
	}
	return &HeapGraph{k, g}, nil
}

// Ask requests the state's snapshot. It returns the newest one decoded, which may be another one, or nil.
func (l *HeapLoads) Ask(s *state.State) *HeapLoad {
	key := HeapKey{l.Heaps, s.Snapshot()}
	l.Suspects.Stop() // for another screen
	l.Types.Stop()
	if l.Heaps == nil || key.I < 0 {
		return nil
	}
	if key != l.paused {
		l.paused = HeapKey{}
		l.Heap.Ask(key)
	}
	load, ok := l.Heap.Get()
	if !ok || load.Heaps != l.Heaps {
		return nil
	}
	l.Totals[load.HeapKey] = load.Totals
	return l.Under(load, s.Heap.Policy)
}

// Under returns a decoded snapshot with the sizes that its rows have under a policy. Their sum does not change.
func (l *HeapLoads) Under(load *HeapLoad, p heapgraph.Policy) *HeapLoad {
	h := load.Heap.Under(p.Of(load.Heap.Schema))
	if h == load.Heap {
		return load
	}
	for _, known := range l.weighed {
		if known.of == load {
			return known.HeapLoad
		}
	}
	if len(l.weighed) == cap(l.weighed) {
		l.weighed = make([]weighed, 0, 4) // both sides of a comparison, and the previous two
	}
	l.weighed = append(l.weighed, weighed{&HeapLoad{load.HeapKey, h, load.Totals}, load})
	return l.weighed[len(l.weighed)-1].HeapLoad
}

// weighed is a decoded snapshot with row sizes of a policy that moves sizes.
type weighed struct {
	*HeapLoad
	of *HeapLoad
}

// AskGraph requests the dominators of a decoded snapshot, and returns them once they are available, else nil.
func (l *HeapLoads) AskGraph(load *HeapLoad, p heapgraph.Policy) *HeapGraph {
	if load.Unlinked() {
		l.Graph.Stop()
		return nil
	}
	key := GraphKey{load.HeapKey, p}
	if key.HeapKey != l.paused {
		l.Graph.Ask(key)
	}
	if g, ok := l.Graph.Get(); ok && g.GraphKey == key {
		return g
	}
	return nil
}

// Running reports whether a snapshot is being decoded or its dominators computed.
func (l *HeapLoads) Running() bool {
	return l.Heap.Running() || l.Graph.Running() || l.Types.Running() || l.Suspects.Running()
}

// Stop cancels decoding until another snapshot is requested, or Resume is called.
func (l *HeapLoads) Stop() {
	l.paused = l.Heap.Key
	switch {
	case l.Suspects.Running():
		l.Suspects.stopped = l.Suspects.Key
	case l.Types.Running():
		l.Suspects.stopped = l.Types.Key
	}
	l.Heap.Stop()
	l.Graph.Stop()
	l.Types.Stop()
	l.Suspects.Stop()
	l.Changed()
}

// Resume restarts what was stopped; it returns false if nothing was.
func (l *HeapLoads) Resume() bool {
	if l.paused == (HeapKey{}) {
		return false
	}
	l.paused = HeapKey{}
	l.Changed()
	return true
}

// Progress returns what is being done and how far it is ("finding dominators 40 %"), "" if nothing is running.
func (l *HeapLoads) Progress() string {
	if !l.Running() || l.Heaps == nil {
		return ""
	}
	done, what, ok := l.Heaps.Progress(l.underWay())
	switch {
	case ok:
		return cmp.Or(what, "decoding") + " " + model.Share(done).Done()
	case l.Suspects.Running():
		return l.Suspects.progress()
	}
	return "decoding"
}

// underWay returns the snapshot that is being decoded or searched.
func (l *HeapLoads) underWay() int {
	switch {
	case l.Heap.Running() || l.Graph.Running():
		return l.Heap.Key.I
	case l.Suspects.Running():
		return l.Suspects.Key.I
	case l.Types.Running():
		return l.Types.Key.I
	}
	return l.Heap.Key.I
}

// Waiting returns why there is no table yet, and what to do.
func (l *HeapLoads) Waiting(s *state.State) []string {
	n := s.Snapshot()
	switch {
	case n < 0:
		return []string{"This file has no snapshot.", "Problems lists what was found in it."}
	case l.paused.Heaps != nil:
		return []string{fmt.Sprintf("Decoding snapshot #%d was stopped.", n),
			l.Hint("{open} decodes it, {step-back} and {step-forward} go to another one.")}
	case l.Heap.Ready && l.Heap.Err != nil:
		return []string{fmt.Sprintf("Snapshot #%d cannot be decoded: %v", n, l.Heap.Err),
			l.Hint("{step-back} and {step-forward} go to another one, Problems lists what is wrong.")}
	}
	return []string{fmt.Sprintf("Snapshot #%d: %s…", n, l.Progress()), l.Hint("{back} stops it.")}
}

// OtherSnapshot returns the current snapshot of the second file.
func (e *Env) OtherSnapshot(s *state.State) int {
	if i := s.Heap.Other; i >= 0 && i < e.After().Source().Len() {
		return i
	}
	return state.LastComplete(e.After().Source())
}

// HeapSides returns the snapshots of both sides of a difference. With one file an unmarked A is its first one, and an
// unmarked B the one on screen. With two files A is of the first one and B of the second, each the current one unless
// marked.
func (e *Env) HeapSides(s *state.State) [2]HeapKey {
	out := [2]HeapKey{{Heaps: e.Heaps}, {Heaps: e.Heaps, I: s.Snapshot()}}
	if e.After() != nil {
		out = [2]HeapKey{{Heaps: e.Heaps, I: s.Snapshot()}, {Heaps: e.After(), I: e.OtherSnapshot(s)}}
	}
	for i, m := range s.Compare.Marks {
		of := e.Heaps
		if m.Other && e.After() != nil {
			of = e.After()
		}
		if m.Set && m.Number >= 0 && m.Number < of.Source().Len() {
			out[i] = HeapKey{Heaps: of, I: m.Number}
		}
	}
	if s.Compare.Swapped {
		out[0], out[1] = out[1], out[0]
	}
	return out
}
