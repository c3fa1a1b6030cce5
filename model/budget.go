package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// Budget is how much memory the program may take, and how much it takes. nil is no bound: then every question says that
// there is room. Any goroutine may use it. What is taken is measured rather than counted, so that nothing is forgotten:
// whoever starts the program calls [Budget.Measured] again and again.
type Budget struct {
	limit int64
	kept  atomic.Int64

	// Outside says that the limit is the system's, not the user's: messages say so. It is set before the budget is
	// used.
	Outside bool
	// Collect collects garbage, gives it back to the system and measures anew; nil where measures come from elsewhere.
	// It is set before the budget is used.
	Collect func()

	// Map makes memory that lies in a file, for columns that there is no room for; nil where that is not done. It is
	// set before the budget is used.
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

// CodeMemory is the code of problems that say what a budget had no room for.
const CodeMemory = "memory-limit"

// BudgetPerKept is how many bytes a budget needs for each byte that is kept while a list grows: it stands in memory
// twice then, and reading stops when [BudgetOfFile] percents are in use.
const BudgetPerKept = 4 * 100 / BudgetOfFile

// Percents of a budget that may be in use while something is read. The rest is for what is made of it.
const (
	BudgetOfTables = 25 // for what is made into something else of about the same size
	BudgetOfFile   = 50 // for what is kept
)

// Limit returns the bound in bytes, 0 for none.
func (b *Budget) Limit() int64 {
	if b == nil {
		return 0
	}
	return b.limit
}

// AtPressure has f called, on any goroutine, whenever memory runs short: it gives back what costs little to get again.
// The function that is returned ends that; f does not run any more once it has returned.
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

// Relieve gives back everything that costs little to get again.
func (b *Budget) Relieve() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.relievers {
		f()
	}
}

// Try calls f, which makes a part of an answer that may be left out. Where memory runs short meanwhile, the context of
// f ends; then, and where f itself finds no room, its garbage is collected, so that other parts have room, and the
// error is a [MemoryError] about what. f must keep nothing when it fails. Its other errors are returned as they are.
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
	b.Relieve()
	if b.Collect != nil {
		b.Collect()
	}
	return b.Error(what)
}

// trying notes how a try is ended, until the function that is returned is called.
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

// EndTries ends everything that is being tried, and reports whether anything is: its memory comes back soon.
func (b *Budget) EndTries() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, cancel := range b.tries {
		cancel(b.Error(""))
	}
	return len(b.tries) > 0
}

// Measured notes how many bytes are in use that no garbage collection frees.
func (b *Budget) Measured(bytes int64) { b.kept.Store(bytes) }

// Kept returns what was measured last.
func (b *Budget) Kept() int64 {
	if b == nil {
		return 0
	}
	return b.kept.Load()
}

// Full reports whether more than some percents of the budget are in use: then whoever reads must stop. It costs next to
// nothing, but is meant for batches.
func (b *Budget) Full(percents int64) bool {
	return b != nil && b.kept.Load() > b.limit/100*percents
}

// Fits reports whether there is room for n more bytes. It collects garbage first where n is much.
func (b *Budget) Fits(n int64) bool {
	if b == nil {
		return true
	}
	if n > b.limit/16 && n <= b.limit && b.Collect != nil {
		b.Collect()
	}
	return n <= b.limit-b.kept.Load()
}

// Left returns how many more bytes there is room for, [math.MaxInt64] without a bound. It collects garbage first.
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

// Error returns the error of something that there is no room for, such as "the references of 3 rows".
func (b *Budget) Error(what string) error { return &MemoryError{Budget: b, What: what} }

// Problem returns the problem of a file of which a part was left out for want of memory; what says which.
func (b *Budget) Problem(what string) Problem {
	return Problem{
		Severity: Warning, Code: CodeMemory, Count: 1, Offset: NoOffset,
		Message: what + ": " + b.Says(),
	}
}

// Says names the limit and what lifts it.
func (b *Budget) Says() string {
	if b == nil {
		return "--max-memory raises this limit"
	}
	if b.Outside {
		return fmt.Sprintf("the limits of the system (ulimit, control groups) leave the program %s: raise them to read more", Bytes(b.limit))
	}
	return fmt.Sprintf("--max-memory is %s: raise it to read more", Bytes(b.limit))
}

// Lifts says which --max-memory has twice as much read, where a guard against files that mean far more than their size
// ended reading. bytes is all memory that this takes.
func Lifts(bytes int64) string {
	const mib = 1 << 20
	return fmt.Sprintf("--max-memory %dMiB or more reads twice as much", (bytes+mib-1)/mib)
}

// MemoryError says that the memory which the user allows is not enough.
type MemoryError struct {
	Budget *Budget
	What   string // there is no room for; "" for the whole command
}

// Error names the limit and what lifts it.
func (e *MemoryError) Error() string {
	what := e.What
	if what == "" {
		what = "this"
	}
	return what + " needs more memory than allowed: " + e.Budget.Says()
}

type budgetKey struct{}

// WithBudget returns a context that carries a budget to everything that is done under it.
func WithBudget(ctx context.Context, b *Budget) context.Context {
	if b == nil {
		return ctx
	}
	return context.WithValue(ctx, budgetKey{}, b)
}

// BudgetOf returns the budget that ctx carries, nil for none.
func BudgetOf(ctx context.Context) *Budget {
	b, _ := ctx.Value(budgetKey{}).(*Budget)
	return b
}
