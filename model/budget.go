package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// Budget bounds the memory that the program may take and knows how much it takes. A nil Budget has no bound: everything
// fits. Any goroutine may use it. Memory is measured rather than counted, so that nothing is missed: the starter of the
// program calls [Budget.Measured] repeatedly.
type Budget struct {
	limit int64
	kept  atomic.Int64

	// Outside reports that the limit is the system's, not the user's, which messages mention. It is set before the
	// budget is used.
	Outside bool
	// Collect runs the garbage collector, returns memory to the system and measures anew; nil where measures come from
	// elsewhere. It is set before the budget is used.
	Collect func()

	// Map allocates memory backed by a file, for columns that do not fit; nil where there is none. It is set before the
	// budget is used.
	Map func(bytes int64) (Mapped, error)

	mu        sync.Mutex
	relievers map[int]func()
	tries     map[int]context.CancelCauseFunc
	next      int
}

// NewBudget returns a budget of limit bytes, nil where limit is not positive.
func NewBudget(limit int64) *Budget {
	if limit <= 0 {
		return nil
	}
	return &Budget{limit: limit}
}

// CodeMemory is the code of problems that state what did not fit the budget.
const CodeMemory = "memory-limit"

// BudgetPerKept is the number of bytes a budget needs for each byte kept while a list grows: both copies are in memory
// then, and reading stops at [BudgetOfFile] percent.
const BudgetPerKept = 4 * 100 / BudgetOfFile

// Percentages of a budget that may be in use while something is read. The rest is for what is computed from it.
const (
	BudgetOfTables = 25 // for data that is converted into something of about the same size
	BudgetOfFile   = 50 // for data that is kept
)

// Limit returns the bound in bytes, 0 for none.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.limit
}

// AtPressure registers f to be called, on any goroutine, whenever memory runs short: f frees what is cheap to
// recompute. The returned function unregisters f and waits until it has returned.
func (b *Budget) AtPressure(f func()) (end func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.relievers == nil {
		b.relievers = map[int]func(){}
	}
	n := b.next
	b.next++
	b.relievers[n] = f
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.relievers, n)
	}
}

// ReleaseMemory frees everything that is cheap to recompute.
func (b *Budget) ReleaseMemory() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.relievers {
		f()
	}
}

// Try calls f, which computes an optional part of an answer. When memory runs short, the context of f is canceled.
// Then, and where f itself finds that something does not fit, Try collects its garbage and returns a [MemoryError]
// about what. Other errors of f are returned unchanged. f must keep nothing when it fails.
func (b *Budget) Try(ctx context.Context, what string, f func(ctx context.Context) error) error {
	if b == nil {
		return f(ctx)
	}
	trying, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer b.trying(cancel)()
	err := f(trying)
	short := (*MemoryError)(nil)
	if err == nil || ctx.Err() != nil || !errors.As(err, &short) && !errors.As(context.Cause(trying), &short) {
		return err
	}
	b.ReleaseMemory()
	if b.Collect != nil {
		b.Collect()
	}
	return b.Error(what)
}

// trying registers how to cancel a try, until the returned function is called.
func (b *Budget) trying(cancel context.CancelCauseFunc) (end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tries == nil {
		b.tries = map[int]context.CancelCauseFunc{}
	}
	n := b.next
	b.next++
	b.tries[n] = cancel
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.tries, n)
	}
}

// EndTries cancels all tries in progress, and reports whether there were any: their memory is freed soon.
func (b *Budget) EndTries() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, cancel := range b.tries {
		cancel(b.Error(""))
	}
	return len(b.tries) > 0
}

// Measured records how many bytes are in use that no garbage collection frees.
func (b *Budget) Measured(bytes int64) { b.kept.Store(bytes) }

// Kept returns the last measure.
func (b *Budget) Kept() int64 {
	if b == nil {
		return 0
	}
	return b.kept.Load()
}

// Full reports whether more than the given percentage of the budget is in use: readers must stop then. It is cheap, but
// is meant to be called once per batch.
func (b *Budget) Full(percents int64) bool {
	return b != nil && b.kept.Load() > b.limit/100*percents
}

// Fits reports whether there is room for n more bytes. It collects garbage first if n is large.
func (b *Budget) Fits(n int64) bool {
	if b == nil {
		return true
	}
	if n > b.limit/16 && n <= b.limit && b.Collect != nil {
		b.Collect()
	}
	return n <= b.limit-b.kept.Load()
}

// Left returns how many more bytes there is room for, or [math.MaxInt64] without a bound. It collects garbage first.
func (b *Budget) Left() int64 {
	if b == nil {
		return math.MaxInt64
	}
	if b.Collect != nil {
		b.Collect()
	}
	return max(b.limit-b.kept.Load(), 0)
}

// Part returns usual, or the given fraction of the budget where that is less: for buffers.
func (b *Budget) Part(usual, fraction int64) int64 {
	if b == nil {
		return usual
	}
	return min(usual, b.limit/fraction)
}

// Error returns the error for something that does not fit, such as "the references of 3 rows".
func (b *Budget) Error(what string) error { return &MemoryError{Budget: b, What: what} }

// Problem returns the problem of a file of which a part was left out for lack of memory; what names the part.
func (b *Budget) Problem(what string) Problem {
	return Problem{
		Severity: Warning, Code: CodeMemory, Count: 1, Offset: NoOffset,
		Message: what + ": " + b.Describe(),
	}
}

// Describe names the limit and how to raise it.
func (b *Budget) Describe() string {
	if b == nil {
		return "--max-memory raises this limit"
	}
	if b.Outside {
		return fmt.Sprintf("the limits of the system (ulimit, control groups) leave the program %s: raise them to read more", Bytes(b.limit))
	}
	return fmt.Sprintf("--max-memory is %s: raise it to read more", Bytes(b.limit))
}

// RaiseHint returns the --max-memory flag with which twice as much is read, for messages of guards against files that
// expand to far more than their size. bytes is all memory that this takes.
func RaiseHint(bytes int64) string {
	const mib = 1 << 20
	return fmt.Sprintf("--max-memory %dMiB or more reads twice as much", (bytes+mib-1)/mib)
}

// MemoryError reports that the memory the user allows is not enough.
type MemoryError struct {
	Budget *Budget
	What   string // what does not fit; "" for the complete command
}

// Error names the limit and how to raise it.
func (e *MemoryError) Error() string {
	what := e.What
	if what == "" {
		what = "this"
	}
	return what + " needs more memory than allowed: " + e.Budget.Describe()
}

type budgetKey struct{}

// WithBudget returns a context that carries a budget.
func WithBudget(ctx context.Context, b *Budget) context.Context {
	if b == nil {
		return ctx
	}
	return context.WithValue(ctx, budgetKey{}, b)
}

// BudgetOf returns the budget that ctx carries, or nil.
func BudgetOf(ctx context.Context) *Budget {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	return b
}
