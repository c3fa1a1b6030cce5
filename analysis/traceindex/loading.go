package traceindex

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Loading is a [analysis.Trace] that [Build] fills.
type Loading interface {
	analysis.Trace
	// SetBudget limits the memory of the index, 0 for no limit. Call it before Build.
	SetBudget(bytes int64)
	build(ctx context.Context, store *model.Store, p *model.Profile) error
	dangling() []model.Problem
}

// Build reads the allocations of the store's profile into ix, which must be empty, and publishes problems and lost
// bytes as it finds them. It waits for the first revision; symbols may arrive later. Cancellation is not an error: what
// was read stays, and [analysis.Status] reports that there is more. Build returns when there is nothing left to read.
func Build(ctx context.Context, store *model.Store, ix Loading) error {
	p, err := firstRevision(ctx, store)
	if err != nil || p.Allocations == nil {
		return err
	}
	return ix.build(ctx, store, p)
}

func firstRevision(ctx context.Context, store *model.Store) (*model.Profile, error) {
	for {
		p, changed := store.Watch()
		if p != nil {
			return p, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-changed:
		}
	}
}

// publish adds problems and lost bytes to the current revision.
func publish(store *model.Store, problems []model.Problem, lost int64) {
	store.Update(func(p *model.Profile) *model.Profile {
		next := *p
		next.Lost += lost
		for _, q := range problems {
			next.Problems = model.AddProblem(next.Problems, q)
		}
		return &next
	})
}

// remarks returns what makes answers uncertain after reading that ended with err. It returns err unless that is one of
// the remarks.
func remarks(t *analysis.Totals, saturated bool, err error) ([]model.Problem, error) {
	var found []model.Problem
	say := func(s model.Severity, code string, count uint64, format string, args ...any) {
		if count > 0 {
			found = append(found, model.Problem{Severity: s, Code: code, Message: fmt.Sprintf(format, args...),
				Count: int64(min(count, math.MaxInt64)), Offset: model.NoOffset})
		}
	}
	say(model.Note, "unaddressed", t.UnaddressedCount,
		"allocations without an address cannot be matched with a free: live figures are upper bounds")
	say(model.Warning, "overwritten", t.OverwrittenCount,
		"allocations at an address that was still live: the old block was taken as overwritten")
	say(model.Note, "unmatched-free", t.UnmatchedFrees, "frees of an address without a known live block were ignored")
	if saturated {
		say(model.Warning, "sum-overflow", 1, "a sum does not fit 64 bits: it is shown as 2^64-1")
	}
	switch {
	case errors.Is(err, errBudget):
		say(model.Warning, model.CodeMemory, 1, "reading stopped after %s events: %v", model.Group(t.Events), err)
		err = nil
	case errors.Is(err, errEvents), errors.Is(err, errBlocks):
		say(model.Warning, "stopped", 1, "reading stopped after %s events: %v", model.Group(t.Events), err)
		err = nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		say(model.Warning, "stopped", 1, "reading was stopped after %s events: there is more in the file", model.Group(t.Events))
		err = nil
	}
	return found, err
}

// Conclude publishes the last revision, once both symbols and events are read: problems that follow from both, and
// whether the file is complete.
func Conclude(store *model.Store, ix Loading) {
	final := ix.Status().Final
	found := ix.dangling()
	store.Update(func(p *model.Profile) *model.Profile {
		if p == nil {
			return nil
		}
		next := *p
		for _, q := range found {
			next.Problems = model.AddProblem(next.Problems, q)
		}
		next.Complete = next.Lost == 0 && (final || next.Allocations == nil)
		return &next
	})
}
