package model

import (
	"context"
	"strings"
	"time"
)

type countedKey struct{}

// WithCounted returns a context for [HeapSource.Open]: formats that can count the rows of a large snapshot long before
// it is decoded pass them to report. That heap has no columns, but a schema, tallies and tables. It is never final: more
// rows may be read, and sizes may change. report is called any number of times, by any goroutine, but one at a time.
func WithCounted(ctx context.Context, report func(*Heap)) context.Context {
	return context.WithValue(ctx, countedKey{}, report)
}

// CountedEvery is the time between two reports of what was counted.
const CountedEvery = 50 * time.Millisecond

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

// CountedTypes sums what is counted before there are tables, by kind and the name of the type.
type CountedTypes struct {
	schema  *HeapSchema
	tables  HeapTables
	tally   []HeapTally
	strings map[string]uint32
	types   map[[2]string]uint32
	at      map[countedRow]int
}

type countedRow struct {
	kind   HeapKind
	entity uint32
}

// NewCountedTypes returns sums of nothing.
func NewCountedTypes(s *HeapSchema) *CountedTypes {
	return &CountedTypes{schema: s, tally: []HeapTally{}, strings: map[string]uint32{}, types: map[[2]string]uint32{},
		at: map[countedRow]int{}}
}

// Add adds the rows of a kind and of a type, which has a value on the schema's distinct axis if there is one.
func (c *CountedTypes) Add(kind HeapKind, name, distinct string, x *HeapTally) {
	row := countedRow{kind, c.number(name, distinct)}
	i, ok := c.at[row]
	if !ok {
		i = len(c.tally)
		c.at[row] = i
		c.tally = append(c.tally, HeapTally{Kind: uint32(kind), Entity: row.entity})
	}
	c.tally[i].Add(x)
}

// number returns the number of a type, adding it if necessary.
func (c *CountedTypes) number(name, distinct string) uint32 {
	i, ok := c.types[[2]string{name, distinct}]
	if ok {
		return i
	}
	t := &c.tables
	i = uint32(len(t.Types))
	c.types[[2]string{name, distinct}] = i
	t.Types = append(t.Types, HeapType{Name: c.text(name)})
	if axis := c.schema.Distinct(); axis > 0 {
		if t.Axes == nil {
			t.Axes = make([][]uint32, len(c.schema.Axes))
		}
		t.Axes[axis] = append(t.Axes[axis], c.text(distinct))
	}
	return i
}

func (c *CountedTypes) text(s string) uint32 {
	i, ok := c.strings[s]
	if !ok {
		s = strings.Clone(s) // it may be a part of a file
		i = uint32(len(c.tables.Strings))
		c.strings[s], c.tables.Strings = i, append(c.tables.Strings, s)
	}
	return i
}

// Heap returns the sums as [WithCounted] describes it.
func (c *CountedTypes) Heap() *Heap {
	return &Heap{Schema: c.schema, Tally: c.tally, Tables: &c.tables}
}
