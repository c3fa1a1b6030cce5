package traceindex

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// singleBytes is the memory of an event that is listed, and of the row that is made of it.
const singleBytes = 512

// Events implements [analysis.Trace]. It reads the chunks of the range until there are enough events.
func (ix *fileIndex) Events(ctx context.Context, q analysis.EventQuery) (list []analysis.Event, left int, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(q.Range)
	if r.err != nil {
		return nil, 0, r.err
	}
	all := hi
	if lo = min(lo+q.Skip, hi); q.Look > 0 {
		hi = min(hi, lo+q.Look)
	}
	n := hi - lo
	if q.Limit > 0 {
		n = min(n, q.Limit)
	}
	if b := model.BudgetOf(ctx); !b.Fits(singleBytes * int64(n)) {
		return nil, 0, b.Error("listing events")
	}
	f := eventFinder{ix: ix, in: ix.Filtered(q.Cell), limit: q.Limit, at: lo}
	f.mark, _ = ix.marksIn(lo, hi)
	for f.at < hi && !f.full() {
		c := ix.chunks[ix.chunkAt(f.at)]
		err := ix.eachView(ctx, f.at, min(hi, c.first+c.n), f.find)
		if err != nil {
			return nil, 0, err
		}
	}
	return f.list, all - f.at, ctx.Err()
}

// eventFinder collects events.
type eventFinder struct {
	ix    *fileIndex
	in    group.Scope
	limit int // 0 for none
	list  []analysis.Event
	at    int // number of the next event
	mark  int // number of the next collection or marker
}

func (f *eventFinder) full() bool { return f.limit > 0 && len(f.list) >= f.limit }

// find adds the events [from, to) of a view until there are enough.
func (f *eventFinder) find(v *view, from, to int) {
	p := v.payload(from)
	free := from - p
	over := map[int]column.Ref{}
	for _, o := range v.c.over {
		over[int(o.event)] = o.ref
	}
	for i := from; i < to && !f.full(); i++ {
		e := analysis.Event{Number: uint64(v.c.first + i), Time: v.c.begin + v.events.Since(i), Kind: v.events.Kind[i]}
		kept := true
		switch e.Kind {
		case model.Alloc:
			b := f.ix.blockOf(v, p)
			kept = f.ix.in(f.in, &b)
			f.block(&e, v, i, b)
			if r, ends := over[i]; ends {
				old := f.ix.refBlock(v, r)
				old.addr = b.addr
				ended := f.ix.public(&old)
				e.Ended, kept = &ended, kept || f.ix.in(f.in, &old)
			}
			p++
		case model.Free:
			e.Addr, e.Stray, kept = v.events.Addr[i], true, f.in.IsAll()
			if r := v.refs[free]; r != column.NoRef {
				b := f.ix.refBlock(v, r)
				e.Stray, kept = false, f.ix.in(f.in, &b)
				f.block(&e, v, i, b)
			}
			free++
		default:
			kept = f.in.IsAll()
			e.Mark = f.ix.markAt(f.mark)
			f.mark++
			p++
		}
		if f.at++; kept {
			if f.ix.invented() {
				e.Addr = 0
			}
			f.list = append(f.list, e)
		}
	}
}

// block sets what an event allocates or ends. Both are at the address of the event.
func (f *eventFinder) block(e *analysis.Event, v *view, i int, b fileBlock) {
	b.addr = v.events.Addr[i]
	if f.ix.invented() {
		b.addr = 0
	}
	e.Addr, e.Block = b.addr, f.ix.public(&b)
}
