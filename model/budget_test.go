package model

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestBudget(t *testing.T) {
	var none *Budget
	if NewBudget(0) != nil || none.Full(1) || !none.Fits(1<<60) || none.Part(7, 100) != 7 || BudgetOf(WithBudget(context.Background(), none)) != nil {
		t.Error("no budget bounds something")
	}
	b := NewBudget(1000)
	if BudgetOf(WithBudget(context.Background(), b)) != b || b.Part(7, 100) != 7 || b.Part(70, 100) != 10 {
		t.Error("the budget is not carried, or parts are wrong")
	}
	b.Measured(500)
	if b.Full(50) || !b.Full(49) || !b.Fits(500) || b.Fits(501) {
		t.Error("half of it in use")
	}
	b.Collect = func() { b.Measured(100) } // the rest was garbage
	if !b.Fits(900) || b.Kept() != 100 || b.Fits(901) {
		t.Error("garbage counts")
	}
	calls := 0
	end := b.AtPressure(func() { calls++ })
	b.ReleaseMemory()
	end()
	if b.ReleaseMemory(); calls != 1 {
		t.Error(calls, "calls")
	}
	if p := b.Problem("names"); p.Code != CodeMemory || !strings.Contains(p.Message, "--max-memory is 1000 B") {
		t.Error(p.Message)
	}
}

func TestTry(t *testing.T) {
	var none *Budget
	if none.Try(t.Context(), "x", func(context.Context) error { return nil }) != nil || none.Left() < 1<<62 {
		t.Error("no budget bounds something")
	}
	b := NewBudget(1000)
	collected := 0
	b.Collect = func() { collected++; b.Measured(100) }
	if b.EndTries() {
		t.Error("something is tried")
	}
	other := errors.New("other")
	if err := b.Try(t.Context(), "x", func(context.Context) error { return other }); err != other || collected != 0 {
		t.Error(err, collected)
	}
	short := (*MemoryError)(nil)
	err := b.Try(t.Context(), "the table", func(ctx context.Context) error {
		if !b.EndTries() {
			t.Error("nothing is tried")
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.As(err, &short) || short.What != "the table" || collected != 1 || b.EndTries() {
		t.Error(err, collected)
	}
	if err := b.Try(t.Context(), "x", func(context.Context) error { b.EndTries(); return nil }); err != nil {
		t.Error("what was done is left out:", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := b.Try(ended, "x", func(ctx context.Context) error { b.EndTries(); return ctx.Err() }); err != context.Canceled {
		t.Error("an interrupt is taken for want of memory:", err)
	}
	if b.Left() != 900 {
		t.Error(b.Left())
	}
}
