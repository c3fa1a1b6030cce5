package views

import (
	"context"
	"fmt"
	"time"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// heapKey names a snapshot.
type heapKey struct {
	heaps heapgraph.Heaps
	i     int
}

// heapLoad is a decoded snapshot and what it adds up to. Read-only once made.
type heapLoad struct {
	heapKey
	heap   *model.Heap
	totals heapgraph.HeapTotals
}

// unlinked reports whether the file ends before the references of the snapshot: nobody knows what holds what.
func (l *heapLoad) unlinked() bool { return !l.heap.Complete && len(l.heap.To) == 0 }

// unlinkedText says so, and what to do.
func (l *heapLoad) unlinkedText() []string {
	return []string{fmt.Sprintf("The file ends before the references of snapshot #%d: nobody knows what holds what.", l.i),
		"Types and Frames show what there is of it; h goes to the snapshot before."}
}

// graphKey names a snapshot's dominators.
type graphKey struct {
	heapKey
	edges heapgraph.EdgePolicy
}

// heapGraph is a graph and which one it is.
type heapGraph struct {
	graphKey
	*heapgraph.HeapGraph
}

// heapLoads decodes the snapshot that all heap screens are about, once for all of them.
type heapLoads struct {
	*env
	heap   *lazy[heapKey, *heapLoad]
	graph  *lazy[graphKey, *heapGraph]
	totals map[heapKey]heapgraph.HeapTotals // of what was decoded
	paused heapKey                          // what a person stopped
}

func newHeapLoads(e *env) *heapLoads {
	l := &heapLoads{env: e, totals: map[heapKey]heapgraph.HeapTotals{}}
	l.heap = newLazy(e, openHeap)
	l.graph = newLazy(e, openGraph)
	return l
}

func openHeap(ctx context.Context, k heapKey) (*heapLoad, error) {
	h, err := k.heaps.Heap(ctx, k.i)
	if err != nil {
		return nil, err
	}
	return &heapLoad{k, h, heapgraph.SumHeap(h)}, nil
}

func openGraph(ctx context.Context, k graphKey) (*heapGraph, error) {
	g, err := k.heaps.Graph(ctx, k.i, k.edges)
	if err != nil {
		return nil, err
	}
	return &heapGraph{k, g}, nil
}

// ask asks for the state's snapshot. It returns the newest one decoded, which may be another one, or nil.
func (l *heapLoads) ask(s *State) *heapLoad {
	key := heapKey{l.heaps, s.snapshot()}
	if l.heaps == nil || key.i < 0 {
		return nil
	}
	if key != l.paused {
		l.paused = heapKey{}
		l.heap.ask(key)
	}
	load, ok := l.heap.get()
	if !ok || load.heaps != l.heaps {
		return nil
	}
	l.totals[load.heapKey] = load.totals
	return load
}

// askGraph asks for the dominators of a decoded snapshot, and returns them once they are there, else nil.
func (l *heapLoads) askGraph(load *heapLoad, p heapgraph.EdgePolicy) *heapGraph {
	if load.unlinked() {
		l.graph.stop()
		return nil
	}
	key := graphKey{load.heapKey, p}
	if key.heapKey != l.paused {
		l.graph.ask(key)
	}
	if g, ok := l.graph.get(); ok && g.graphKey == key {
		return g
	}
	return nil
}

// running reports whether a snapshot is being decoded or its dominators are looked for.
func (l *heapLoads) running() bool {
	return l.heap.asked && !l.heap.ready || l.graph.asked && !l.graph.ready
}

// stop ends decoding until something else is asked for, or resume is called.
func (l *heapLoads) stop() {
	l.paused = l.heap.key
	l.heap.stop()
	l.graph.stop()
	l.changed()
}

// resume decodes what was stopped after all; false when nothing was.
func (l *heapLoads) resume() bool {
	if l.paused == (heapKey{}) {
		return false
	}
	l.paused = heapKey{}
	l.changed()
	return true
}

// progress says how far decoding is ("decoding 40 %"), "" when nothing is under way.
func (l *heapLoads) progress() string {
	if !l.running() || l.heaps == nil {
		return ""
	}
	done, what, ok := l.heaps.Progress(l.heap.key.i)
	switch {
	case !ok:
		return "decoding"
	case what == "":
		what = "decoding"
	}
	return fmt.Sprintf("%s %d %%", what, min(int(done*100), 100))
}

// waiting says why there is no table yet, and what to do.
func (l *heapLoads) waiting(s *State) []string {
	n := s.snapshot()
	switch {
	case n < 0:
		return []string{"This file holds no snapshot.", "Problems says what was found in it."}
	case l.paused.heaps != nil:
		return []string{fmt.Sprintf("Decoding snapshot #%d was stopped.", n), "Enter decodes it after all, h and l go to another one."}
	case l.heap.ready && l.heap.err != nil:
		return []string{fmt.Sprintf("Snapshot #%d cannot be decoded: %v", n, l.heap.err), "h and l go to another one, Problems says what is wrong."}
	}
	return []string{fmt.Sprintf("Snapshot #%d: %s…", n, l.progress()), "Esc stops that."}
}

// followProgress draws again in a moment for as long as something is decoded.
func (a *app) followProgress() {
	if a.ticking || !a.decoding() {
		return
	}
	a.ticking = true
	a.background(func() {
		tick := time.NewTimer(100 * time.Millisecond)
		defer tick.Stop()
		select {
		case <-a.ctx.Done():
		case <-tick.C:
		}
		a.post(func() { a.ticking = false })
	})
}

// decoding reports whether a snapshot is being decoded.
func (a *app) decoding() bool { return a.loads != nil && a.loads.running() }
