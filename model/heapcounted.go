package model

import "context"

type countedKey struct{}

// WithCounted returns a context for [HeapSource.Open]: formats that can count the rows of a large snapshot long before
// its references are read pass them to report. That heap has no columns, but a schema, tallies and tables. report is
// called at most once for each snapshot, by any goroutine.
func WithCounted(ctx context.Context, report func(*Heap)) context.Context {
	return context.WithValue(ctx, countedKey{}, report)
}

// ReportCounted passes a heap that is being decoded, whose rows have their types and sizes, to the function of
// [WithCounted], and keeps its tallies. It does nothing in other contexts.
func ReportCounted(ctx context.Context, h *Heap, tables func() *HeapTables) {
	report, _ := ctx.Value(countedKey{}).(func(*Heap))
	if report == nil {
		return
	}
	h.Count()
	report(&Heap{Schema: h.Schema, Tally: h.Tally, Tables: tables()})
}
