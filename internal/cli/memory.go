package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memtui/memtui/model"
)

// memoryLimit is how many bytes of memory the program may take, 0 for any number. Everything that is bounded asks here.
func (a *app) memoryLimit() int64 { return a.budget.Limit() }

// newBudget returns the budget of --max-memory or of what the system lets the process have, whichever is less; 0 is no limit.
func newBudget(own, system int64) *model.Budget {
	if system > 0 && (own <= 0 || system < own) {
		b := model.NewBudget(system)
		b.Outside = true
		return b
	}
	return model.NewBudget(own)
}

const (
	memoryPoll = 2 * time.Millisecond // in which a program fills a few megabytes at most
	// Beside the limit stand the program itself and what is freed, but not yet given back.
	ownMemory = 28 << 20
	// graceMemory is what a command may take above that until it has ended by itself.
	graceMemory = 8 << 20
)

// bound makes the memory limit hold from here on: it returns a context that carries the budget, and ends with a
// [model.MemoryError] as its cause where the limit cannot be kept.
func (a *app) bound(ctx context.Context) context.Context {
	if a.budget = newBudget(int64(a.flags.MaxMemory), systemMemory(os.DirFS("/"))); a.budget == nil {
		return ctx
	}
	limit := a.memoryLimit()
	debug.SetMemoryLimit(limit)
	a.collector.limit = limit
	a.collector.start()
	ctx = model.WithBudget(ctx, a.budget)
	if a.env.Exit == nil {
		return ctx
	}
	a.watch = &memoryWatch{budget: a.budget, die: a.outOfMemory}
	ctx, a.watch.end = context.WithCancelCause(ctx)
	a.watch.begin()
	return ctx
}

// outOfMemory ends the process where nothing else has kept the limit.
func (a *app) outOfMemory() {
	if restore := a.watch.restore.Load(); restore != nil {
		(*restore)()
	}
	fmt.Fprintln(a.env.Stderr, "memtui: "+a.budget.Error("").Error())
	a.env.Exit(statusInput)
}

// memoryWatch measures what the program takes. It is the belt for everything that was not foreseen.
type memoryWatch struct {
	budget *model.Budget
	end    context.CancelCauseFunc
	die    func()

	restore atomic.Pointer[func()] // gives the terminal back
	stop    chan struct{}
	statm   *os.File // of the system, nil where it has none

	mu     sync.Mutex // guards what follows
	buf    [128]byte
	sample []metrics.Sample
}

func (w *memoryWatch) begin() {
	w.stop = make(chan struct{})
	w.statm, _ = os.Open("/proc/self/statm")
	w.sample = []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	w.budget.Collect = func() {
		debug.FreeOSMemory()
		w.measure()
	}
	w.measure()
	go func() {
		runtime.LockOSThread() // the scheduler would let it wait for what fills the memory
		defer w.statm.Close()
		for {
			select {
			case <-w.stop:
				return
			case <-time.After(memoryPoll):
				w.measure()
			}
		}
	}()
}

// measure compares what the program takes with the limit. What the Go runtime does not know of are mappings: those of files
// can be dropped at any time, others are kept.
func (w *memoryWatch) measure() {
	w.mu.Lock()
	defer w.mu.Unlock()
	metrics.Read(w.sample)
	live, taken := int64(w.sample[0].Value.Uint64()), int64(w.sample[1].Value.Uint64()-w.sample[2].Value.Uint64())
	resident, anonymous := w.resident(taken)
	w.budget.Measured(live + max(0, anonymous-taken))
	limit := w.budget.Limit()
	if resident > limit {
		w.budget.Relieve()
		resident, _ = w.resident(taken)
	}
	switch most := limit + limit/10 + ownMemory; {
	case resident > most+limit/10+graceMemory:
		w.die()
	case resident > limit+ownMemory && w.budget.EndTries(): // the rest of the answer may fit
	case resident > most:
		w.end(w.budget.Error(""))
	}
}

// resident returns how many bytes of the program are in memory, and how many of those are in no file. Where the system does
// not tell, it is what the Go runtime has taken.
func (w *memoryWatch) resident(taken int64) (all, anonymous int64) {
	if w.statm == nil {
		return taken, taken
	}
	n, err := w.statm.ReadAt(w.buf[:], 0)
	fields := bytes.Fields(w.buf[:n])
	if err != nil && err != io.EOF || len(fields) < 3 {
		return taken, taken
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	page := int64(os.Getpagesize())
	return pages * page, (pages - shared) * page
}

// restoreWith says how the terminal is given back where the process must end at once.
func (w *memoryWatch) restoreWith(f func()) {
	if w != nil {
		w.restore.Store(&f)
	}
}

// close ends the measuring.
func (w *memoryWatch) close() {
	if w != nil {
		close(w.stop)
	}
}
