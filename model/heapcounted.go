package model

import "context"

type countedKey struct{}

// WithCounted returns a context for [HeapSource.Open]: formats that can count the rows of a large snapshot long before
// it is decoded pass them to report. That heap has no columns, but a schema, tallies and tables. It is never final: more
// rows may be read, and sizes may change. report is called any number of times, by any goroutine, but one at a time.
func WithCounted(ctx context.Context, report func(*Heap)) context.Context {
	return context.WithValue(ctx, countedKey{}, report)
}

// MaxCounted is the most tallies that are worth showing before a snapshot is decoded.
const MaxCounted = 1 << 16

// CountedReport returns the function of [WithCounted], nil in other contexts. It ignores heaps of more than
// [MaxCounted] tallies.
func CountedReport(ctx context.Context) func(*Heap) {
	report, _ := ctx.Value(countedKey{}).(func(*Heap))
	if report == nil {
		return nil
	}
	return func(h *Heap) {
		if len(h.Tally) <= MaxCounted {
			report(h)
		}
	}
}

// ReportCounted passes a heap that is being decoded, whose rows have their types and sizes, to the function of
// [WithCounted], and keeps its tallies. It does nothing in other contexts.
func ReportCounted(ctx context.Context, h *Heap, tables func() *HeapTables) {
	report := CountedReport(ctx)
	if report == nil {
		return
	}
	if h.Count(); len(h.Tally) > MaxCounted {
		return
	}
	report(&Heap{Schema: h.Schema, Tally: h.Tally, Tables: tables()})
}
