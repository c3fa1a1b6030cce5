package heapgraph

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// NewHeaps returns Heaps for the snapshots of src. It keeps up to budget bytes of decoded snapshots and graphs, and
// drops the least recently used first; the newest one stays even if it alone is larger.
func NewHeaps(src model.HeapSource, budget int64) Heaps {
	return &heaps{src: src, budget: budget, kept: map[int]*keptHeap{}, jobs: map[key]*job{}}
}

type heaps struct {
	src    model.HeapSource
	budget int64

	mu    sync.Mutex
	kept  map[int]*keptHeap
	jobs  map[key]*job // in progress
	clock uint64       // incremented per request
}

// keptHeap is one snapshot with the graphs computed from it. They are dropped together.
type keptHeap struct {
	heap   *model.Heap
	graphs []*Graph // by policy; shorter if the last ones are missing
	shared *shared
	used   uint64 // when it was last asked for; 0 for one that was only borrowed
}

// key identifies a piece of work: decoding a snapshot, or computing the graph of one.
type key struct {
	i      int
	graph  bool
	policy Policy
}

// job is work in progress. It is canceled when no caller waits for it.
type job struct {
	cancel   context.CancelFunc
	waiters  int
	asked    bool          // not only borrowed
	progress atomic.Uint64 // bits of a float64
	counts   counts
	done     chan struct{} // closed when the rest is set
	heap     *model.Heap
	graph    *Graph
	err      error
}

// counts passes on what is counted while a snapshot is decoded.
type counts struct {
	mu   sync.Mutex
	last *model.Heap
	to   []counted
}

// counted is a caller that waits for a snapshot.
type counted struct {
	ctx    context.Context
	report func(*model.Heap)
}

// add adds a caller, which gets what has been counted so far.
func (c *counts) add(ctx context.Context) {
	report := model.CountedReport(ctx)
	if report == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.to = append(c.to, counted{ctx, report})
	if c.last != nil {
		report(c.last)
	}
}

// report passes a heap on to the callers that still wait.
func (c *counts) report(h *model.Heap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = h
	c.to = slices.DeleteFunc(c.to, func(x counted) bool { return x.ctx.Err() != nil })
	for _, x := range c.to {
		x.report(h)
	}
}

func (j *job) report(done float64) { j.progress.Store(math.Float64bits(done)) }

// Source returns the source that NewHeaps was given.
func (h *heaps) Source() model.HeapSource { return h.src }

// Heap returns the kept snapshot, or decodes it.
func (h *heaps) Heap(ctx context.Context, i int) (*model.Heap, error) {
	return h.heap(ctx, i, true)
}

// Borrow returns the kept snapshot, or decodes it.
func (h *heaps) Borrow(ctx context.Context, i int) (*model.Heap, error) {
	return h.heap(ctx, i, false)
}

func (h *heaps) heap(ctx context.Context, i int, asked bool) (*model.Heap, error) {
	j, err := h.join(ctx, key{i: i}, asked)
	if err != nil {
		return nil, err
	}
	return j.heap, nil
}

// Graph returns the kept graph, or computes it.
func (h *heaps) Graph(ctx context.Context, i int, p Policy) (*Graph, error) {
	if n := len(h.src.Schema().Policies); int(p) >= n {
		return nil, fmt.Errorf("no edge policy %d: there are %d", p, n)
	}
	j, err := h.join(ctx, key{i, true, p}, true)
	if err != nil {
		return nil, err
	}
	return j.graph, nil
}

// Progress reports decoding first, since graphs wait for it.
func (h *heaps) Progress(i int) (done float64, what string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if j := h.jobs[key{i: i}]; j != nil {
		return math.Float64frombits(j.progress.Load()), "decoding the snapshot", true
	}
	for p := range h.src.Schema().Policies {
		if j := h.jobs[key{i, true, Policy(p)}]; j != nil {
			return math.Float64frombits(j.progress.Load()), "finding dominators", true
		}
	}
	return 0, "", false
}

// join returns finished work, waits for work in progress, or starts it.
func (h *heaps) join(ctx context.Context, key key, asked bool) (*job, error) {
	if key.i < 0 || key.i >= h.src.Len() {
		return nil, fmt.Errorf("no snapshot %d: there are %d", key.i, h.src.Len())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	if j := h.ready(key, asked); j != nil {
		h.mu.Unlock()
		return j, nil
	}
	j := h.jobs[key]
	if j == nil {
		jobCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		j = &job{cancel: cancel, done: make(chan struct{})}
		h.jobs[key] = j
		go h.run(jobCtx, key, j)
	}
	j.waiters++
	j.asked = j.asked || asked
	h.mu.Unlock()
	j.counts.add(ctx)
	select {
	case <-j.done:
		h.leave(key, j)
		return j, j.err
	case <-ctx.Done():
		h.leave(key, j)
		return nil, ctx.Err()
	}
}

// broken reports whether a part of it was read from a file that turned out to be damaged later.
func (k *keptHeap) broken() bool {
	if k.heap.From.Broken() {
		return true
	}
	return slices.ContainsFunc(k.graphs, func(g *Graph) bool { return g != nil && g.from.Broken() })
}

// ready returns a finished job from the cache, or nil.
func (h *heaps) ready(key key, asked bool) *job {
	k := h.kept[key.i]
	if k == nil {
		return nil
	}
	if k.broken() {
		delete(h.kept, key.i)
		return nil
	}
	if asked {
		h.clock++
		k.used = h.clock
	}
	if !key.graph {
		return &job{heap: k.heap}
	}
	if int(key.policy) < len(k.graphs) && k.graphs[key.policy] != nil {
		return &job{graph: k.graphs[key.policy]}
	}
	return nil
}

// leave ends one wait, and cancels the job if none remain. A later request starts a new one.
func (h *heaps) leave(key key, j *job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if j.waiters--; j.waiters == 0 {
		j.cancel()
		if h.jobs[key] == j {
			delete(h.jobs, key)
		}
	}
}

func (h *heaps) run(ctx context.Context, key key, j *job) {
	defer j.cancel()
	j.err = model.Guarded(func() error {
		return model.Trusting(ctx, func() (err error) {
			if key.graph {
				j.graph, err = h.makeGraph(ctx, key, j)
			} else {
				j.heap, err = h.src.Open(model.WithCounted(ctx, j.counts.report), key.i, j.report)
			}
			return err
		})
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	if j.err == nil {
		h.keep(key, j)
	}
	if h.jobs[key] == j {
		delete(h.jobs, key)
	}
	close(j.done)
}

func (h *heaps) makeGraph(ctx context.Context, key key, j *job) (*Graph, error) {
	heap, err := h.Heap(ctx, key.i)
	if err != nil {
		return nil, err
	}
	j.heap = heap
	h.mu.Lock()
	shared, others := &shared{}, []*Graph(nil)
	for i, k := range h.kept {
		if i == key.i && k.heap == heap {
			shared = k.shared
		} else if int(key.policy) < len(k.graphs) && k.graphs[key.policy] != nil {
			others = append(others, k.graphs[key.policy])
		}
	}
	h.mu.Unlock()
	return newGraph(ctx, heap, key.policy, shared, others, j.report)
}

// keep stores finished work, and drops what exceeds the budget. The caller holds the lock.
func (h *heaps) keep(key key, j *job) {
	k := h.kept[key.i]
	if k == nil {
		k = &keptHeap{heap: j.heap, shared: &shared{}}
		if !j.asked && h.bytes()+k.bytes() > h.budget/2 {
			return
		}
		if j.graph != nil {
			k.shared = j.graph.shared
		}
		h.kept[key.i] = k
	}
	if j.graph != nil {
		for len(k.graphs) <= int(key.policy) {
			k.graphs = append(k.graphs, nil)
		}
		k.graphs[key.policy] = j.graph
	}
	if j.asked {
		h.clock++
		k.used = h.clock
	}
	for h.bytes() > h.budget {
		oldest := key.i
		for i, other := range h.kept {
			if other.used < h.kept[oldest].used {
				oldest = i
			}
		}
		if oldest == key.i {
			return
		}
		delete(h.kept, oldest)
	}
}

// bytes estimates the memory of everything that is kept. The caller holds the lock.
func (h *heaps) bytes() (sum int64) {
	for _, k := range h.kept {
		sum += k.bytes()
	}
	return sum
}

// bytes estimates the memory of a snapshot and its graphs, including what those have computed so far.
func (k *keptHeap) bytes() int64 {
	h, n := k.heap, int64(k.heap.Len())
	sum := 7*n + h.Start.Bytes() + h.To.Bytes() + 4*int64(len(h.Extra)+len(h.Label)) +
		8*int64(len(h.IDs)) + 32*int64(len(h.LargeSizes)+len(h.Large)+len(h.LargeIndex))
	for _, column := range h.Axes {
		sum += 4 * int64(len(column))
	}
	sum += k.shared.narrow.bytes.Load() + k.shared.wide.bytes.Load()
	for _, g := range k.graphs {
		if g != nil {
			sum += 8*int64(len(g.Retained)) + g.idom.Bytes() + g.count.Bytes() + g.core.memory() + g.sets.bytes()
		}
	}
	return sum
}
