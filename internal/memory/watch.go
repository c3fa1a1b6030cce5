// Package memory enforces the limit on the program's memory: it determines what the system allows, measures what is
// taken, and sets how much garbage there may be.
package memory

import (
	"bytes"
	"context"
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

// NewBudget returns the budget of --max-memory or of what the system allows, whichever is less; 0 means unlimited.
func NewBudget(own, system int64) *model.Budget {
	if system > 0 && (own <= 0 || system < own) {
		b := model.NewBudget(system)
		b.Outside = true
		return inFiles(b)
	}
	return inFiles(model.NewBudget(own))
}

// inFiles lets a budget map files for data that does not fit.
func inFiles(b *model.Budget) *model.Budget {
	if b != nil {
		b.Map = mapFile
	}
	return b
}

const (
	memoryPoll = 2 * time.Millisecond // in which a program fills a few megabytes at most
	// The program itself, and freed memory not yet returned, are in addition to the limit.
	ownMemory = 28 << 20
	// graceMemory is what a command may take above that until it has ended by itself.
	graceMemory = 8 << 20
	// collectEvery is how long after a forced collection all taken memory counts as in use.
	collectEvery = 50 * time.Millisecond
)

// Exit status and message of a program that imports this package, if on Linux the system refuses memory to Go's
// runtime: the runtime would print many lines, and nothing can catch that.
const (
	lastMessage = "memtui: out of memory: raise the limit of the system, or set a lower --max-memory\n"
	lastStatus  = 3
)

// Watch measures the memory of the program. It is the safety net for everything unforeseen.
type Watch struct {
	budget *model.Budget
	end    context.CancelCauseFunc
	die    func()

	restore atomic.Pointer[func()] // restores the terminal
	stop    chan struct{}
	statm   *os.File // of the system, nil if it has none

	collecting atomic.Bool // garbage is being collected for the sake of a try
	collected  time.Time   // when that last ended; guarded by mu

	mu     sync.Mutex // guards the fields below
	buf    [128]byte
	sample []metrics.Sample
}

// Begin starts to measure. If the limit is exceeded, the returned context ends with a [model.MemoryError] as its cause;
// if even that does not help, die is called after the terminal was restored. The caller closes the watch.
func Begin(ctx context.Context, budget *model.Budget, die func()) (context.Context, *Watch) {
	w := &Watch{budget: budget, die: die}
	ctx, w.end = context.WithCancelCause(ctx)
	w.begin()
	return ctx, w
}

func (w *Watch) begin() {
	w.stop = make(chan struct{})
	w.statm, _ = os.Open("/proc/self/statm")
	w.sample = []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}}
	w.budget.Collect = func() {
		debug.FreeOSMemory()
		w.measure()
	}
	w.measure()
	go func() {
		runtime.LockOSThread() // otherwise the scheduler would let it wait for the goroutines that fill the memory
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

// measure compares the program's memory with the limit. Memory that the Go runtime does not know is mappings: those of
// files can be dropped at any time, others are kept.
func (w *Watch) measure() {
	w.mu.Lock()
	defer w.mu.Unlock()
	metrics.Read(w.sample)
	live, taken := int64(w.sample[0].Value.Uint64()), int64(w.sample[1].Value.Uint64()-w.sample[2].Value.Uint64())
	resident, anonymous := w.resident(taken)
	w.budget.Measured(live + max(0, anonymous-taken))
	limit := w.budget.Limit()
	if resident > limit {
		w.budget.ReleaseMemory()
		resident, _ = w.resident(taken)
	}
	switch most := limit + limit/10 + ownMemory; {
	case resident > most+limit/10+graceMemory:
		if restore := w.restore.Load(); restore != nil {
			(*restore)()
		}
		w.die()
	case resident > limit+ownMemory && w.collect(): // most of it may be garbage
	case resident > limit+ownMemory && !w.collecting.Load() && w.budget.EndTries(): // the rest of the answer may fit
	case resident > most && !w.budget.EndTries(): // a try that ends is being collected
		w.end(w.budget.Error(""))
	}
}

// collect starts a collection that returns memory, and reports whether it did: not shortly after the previous one. The
// caller holds mu.
func (w *Watch) collect() bool {
	if time.Since(w.collected) < collectEvery || !w.collecting.CompareAndSwap(false, true) {
		return false
	}
	go func() {
		debug.FreeOSMemory()
		w.mu.Lock()
		w.collected = time.Now()
		w.mu.Unlock()
		w.collecting.Store(false)
	}()
	return true
}

// resident returns how many bytes of the program are in physical memory, and how many of those are not in files. If the
// system does not report it, it is what the Go runtime has taken.
func (w *Watch) resident(taken int64) (all, anonymous int64) {
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

// RestoreWith sets how the terminal is restored if the process must end at once.
func (w *Watch) RestoreWith(f func()) {
	if w != nil {
		w.restore.Store(&f)
	}
}

// Close ends the measuring.
func (w *Watch) Close() {
	if w != nil {
		close(w.stop)
	}
}
