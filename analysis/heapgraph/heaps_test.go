package heapgraph

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// fakeHeaps is a source of chains. Opening waits for a turn where gate is not nil.
type fakeHeaps struct {
	n      int
	gate   chan struct{}
	opened atomic.Int64
	ended  chan error // how gated openings ended
	// started tells of each opening; nil: nobody.
	started chan struct{}
}

func (f *fakeHeaps) Schema() *model.HeapSchema { return mvmheap.Schema() }

func (f *fakeHeaps) Len() int { return f.n }

func (f *fakeHeaps) Info(int) model.HeapInfo { return model.HeapInfo{} }

func (f *fakeHeaps) Open(ctx context.Context, i int, progress func(float64)) (*model.Heap, error) {
	f.opened.Add(1)
	progress(0.5)
	model.ReportCounted(ctx, heapChain(100+i), func() *model.HeapTables { return &model.HeapTables{} })
	if f.started != nil {
		f.started <- struct{}{}
	}
	if f.gate != nil {
		select {
		case <-f.gate:
		case <-ctx.Done():
			f.ended <- ctx.Err()
			return nil, ctx.Err()
		}
	}
	return heapChain(100 + i), nil
}

func (f *fakeHeaps) Scores(context.Context, int) (s model.HeapScores, ok bool, err error) {
	return s, false, nil
}

func (f *fakeHeaps) Tables(context.Context, int) (*model.HeapTables, error) {
	return &model.HeapTables{}, nil
}

func TestSnapshotsAreDecodedOnce(t *testing.T) {
	src := &fakeHeaps{n: 3, gate: make(chan struct{})}
	h := NewHeaps(src, 1<<30)
	var wg sync.WaitGroup
	graphs := make([]*Graph, 8)
	for i := range graphs {
		wg.Go(func() {
			g, err := h.Graph(context.Background(), 1, Policy(i%2))
			if graphs[i] = g; err != nil {
				t.Error(err)
			}
		})
	}
	src.gate <- struct{}{}
	wg.Wait()
	if src.opened.Load() != 1 {
		t.Errorf("opened %d times", src.opened.Load())
	}
	if graphs[0] != graphs[2] || graphs[0] == graphs[1] || graphs[0].Heap != graphs[1].Heap || graphs[0].shared != graphs[1].shared {
		t.Error("graphs are not shared")
	}
	if _, _, ok := h.Progress(1); ok {
		t.Error("progress of finished work")
	}
	if _, err := h.Heap(context.Background(), 3); err == nil {
		t.Error("a snapshot that is not there")
	}
}

func TestWorkNobodyWaitsForIsCanceled(t *testing.T) {
	src := &fakeHeaps{n: 1, gate: make(chan struct{}), ended: make(chan error, 1), started: make(chan struct{}, 9)}
	h := NewHeaps(src, 1<<30)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := h.Graph(ctx, 0, mvmheap.RootEdges)
		failed <- err
	}()
	<-src.started
	if done, what, ok := h.Progress(0); !ok || done > 0.5 || what == "" {
		t.Errorf("progress %v %q %v", done, what, ok)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-src.ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(src.gate)
	if _, err := h.Heap(context.Background(), 0); err != nil {
		t.Errorf("asked again: %v", err)
	}
}

// Every caller that waits for a snapshot gets what is counted meanwhile, also one that comes later; one that does not
// want to wait any longer gets nothing.
func TestCountsGoToAllWhoWait(t *testing.T) {
	src := &fakeHeaps{n: 1, gate: make(chan struct{}), started: make(chan struct{}, 9)}
	h := NewHeaps(src, 1<<30)
	reports := make(chan *model.Heap, 9)
	var wg sync.WaitGroup
	wait := func(ctx context.Context) {
		wg.Go(func() {
			if _, err := h.Heap(ctx, 0); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	wait(context.Background())
	<-src.started
	for range 2 {
		wait(model.WithCounted(context.Background(), func(h *model.Heap) { reports <- h }))
		if c := <-reports; len(c.Tally) != 2 || c.Len() != 0 {
			t.Errorf("counted %v while it is decoded", c)
		}
	}
	h.(*heaps).mu.Lock()
	j := h.(*heaps).jobs[key{i: 0}]
	h.(*heaps).mu.Unlock()
	gone, cancel := context.WithCancel(context.Background())
	before := 0
	j.counts.add(model.WithCounted(gone, func(*model.Heap) { before++ }))
	cancel()
	j.counts.report(&model.Heap{})
	if len(reports) != 2 || before != 1 {
		t.Errorf("%d reports to those who wait, %d to one who is gone", len(reports), before)
	}
	close(src.gate)
	wg.Wait()
}

func TestSnapshotsBeyondTheBudgetGo(t *testing.T) {
	src, ctx := &fakeHeaps{n: 9}, context.Background()
	h := NewHeaps(src, 2*(39*110+2000)) // two graphs
	for _, i := range []int{0, 1, 0, 2, 0} {
		if _, err := h.Graph(ctx, i, mvmheap.RootEdges); err != nil {
			t.Fatal(err)
		}
	}
	if n := src.opened.Load(); n != 3 {
		t.Errorf("opened %d times, want 3", n)
	}
	for i := range 9 {
		if _, err := h.Heap(ctx, i); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.(*heaps).kept); n > 6 {
		t.Errorf("%d snapshots kept", n)
	}
	small := NewHeaps(&fakeHeaps{n: 1}, 1)
	a, _ := small.Heap(ctx, 0)
	if b, _ := small.Heap(ctx, 0); a != b {
		t.Error("the newest snapshot was let go")
	}
}

// Who goes through all snapshots finds what is kept, drops nothing, and leaves what fits to who comes later.
func TestBorrowedSnapshots(t *testing.T) {
	const one = 23*110 + 500 // bytes, at most
	src, ctx := &fakeHeaps{n: 9}, t.Context()
	h := NewHeaps(src, 6*one)
	opens := func(want int64, what string, get func(context.Context, int) (*model.Heap, error), list ...int) {
		t.Helper()
		for _, i := range list {
			if _, err := get(ctx, i); err != nil {
				t.Fatal(err)
			}
		}
		if n := src.opened.Swap(0); n != want {
			t.Errorf("%s: opened %d times, want %d", what, n, want)
		}
	}
	opens(1, "what is looked at", h.Heap, 8)
	opens(8, "all others", h.Borrow, 0, 1, 2, 3, 4, 5, 6, 7, 8)
	opens(0, "those that fit", h.Heap, 8, 0, 1)
	opens(4, "more than the budget", h.Heap, 2, 3, 4, 5)
	opens(0, "what is looked at later", h.Borrow, 5, 4, 3, 2)
}

// Who asks for a snapshot that is borrowed at the time has it kept.
func TestBorrowedAndAskedFor(t *testing.T) {
	src := &fakeHeaps{n: 2, gate: make(chan struct{}), started: make(chan struct{}, 2)}
	h := NewHeaps(src, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		if _, err := h.Borrow(t.Context(), 0); err != nil {
			t.Error(err)
		}
	})
	<-src.started
	wg.Go(func() {
		if _, err := h.Heap(t.Context(), 0); err != nil {
			t.Error(err)
		}
	})
	hs := h.(*heaps)
	for asked := false; !asked; {
		hs.mu.Lock()
		asked = hs.jobs[key{i: 0}].asked
		hs.mu.Unlock()
		runtime.Gosched()
	}
	close(src.gate)
	wg.Wait()
	if _, err := h.Heap(t.Context(), 0); err != nil || src.opened.Load() != 1 {
		t.Errorf("opened %d times: %v", src.opened.Load(), err)
	}
}

// senseless is a source whose snapshots are made of what makes no sense.
type senseless struct{ fakeHeaps }

func (*senseless) Open(context.Context, int, func(float64)) (*model.Heap, error) {
	var none []*model.Heap
	return none[7], nil
}

// A panic ends nothing but the work: it is the damage of a file that was kept, which is discarded, or else a defect.
func TestPanicsOverSnapshotsAreErrors(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		uses, keeper := modeltest.Doubtful(t, damaged)
		told := uses.Damaged()
		_, err := NewHeaps(&senseless{fakeHeaps{n: 1}}, 1<<30).Graph(uses.In(t.Context()), 0, 0)
		if errors.Is(err, sections.ErrDamaged) != damaged || model.Internal(err) == damaged {
			t.Errorf("damaged %v: %v", damaged, err)
		}
		if want := map[bool]string{false: "1 files, 1 taken, 0 discarded", true: "0 files, 1 taken, 1 discarded"}[damaged]; keeper.String() != want {
			t.Errorf("%s, want %s", keeper, want)
		}
		if damaged {
			<-told
		}
	}
}
