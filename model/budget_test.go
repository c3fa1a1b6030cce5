package model

import (
	"context"
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
	b.Relieve()
	end()
	if b.Relieve(); calls != 1 {
		t.Error(calls, "calls")
	}
	if p := b.Problem("names"); p.Code != CodeMemory || !strings.Contains(p.Message, "--max-memory is 1000 B") {
		t.Error(p.Message)
	}
}
