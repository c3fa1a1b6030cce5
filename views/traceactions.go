package views

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/state"
)

// traceKind is what an allocation trace decides.
type traceKind struct{ onAxis }

// do moves the instant from event to event.
func (a traceKind) do(act keymap.Action) bool { return a.along(a.Trace, act) }

// peak moves to the highest live bytes in a range, found off the loop.
func (a traceKind) peak(r analysis.Range) {
	a.Background(func() {
		ctx := context.WithoutCancel(a.Ctx)
		p, ok, err := a.Trace.Peak(ctx, r)
		at := analysis.At(p.Instant.T)
		// Only the peak of a completely loaded file has a name on a command line; otherwise the instant is a time.
		if a.Trace.Status().Final {
			if whole, _, _ := a.Trace.Peak(ctx, analysis.FullRange); whole.Instant == p.Instant {
				at = p.Instant
			}
		}
		a.Post(func() {
			if err == nil && ok {
				a.emit(state.MoveTo{At: at})
			} else {
				a.say("nothing is allocated there")
			}
		})
	})
}
