package traceindex

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// view is a chunk that was read again: all its events and what became of its blocks. It is read-only while in use.
type view struct {
	c      *chunk
	users  int        // of a cached view
	filled *sync.Once // for a cached view; then it is filled, or err is set
	err    error
	events model.Columns
	site   []uint32     // by event that is not a FREE: the site of an ALLOC
	refs   []column.Ref // by FREE
	fates
}

// fates are what became of the blocks of a view, by event that is not a FREE. Only some answers need them.
type fates struct {
	once   *sync.Once
	event  []uint32 // its number in the chunk
	died   []uint32 // number of the event of the chunk that ends the block, + 1; 0 if none does
	record []uint32 // the record, if the block has one
}

// load reads the events of a chunk into v, reusing its memory. It needs no lock.
func (ix *fileIndex) load(v *view, c *chunk) error {
	if v.c != c { // others may be reading it
		v.c = c
	}
	if c.kept != nil {
		v.events = *c.kept
		return nil
	}
	d := ix.decoders.Get().(model.Decoder)
	defer ix.decoders.Put(d)
	v.events.Reset()
	next, err := d.Decode(&v.events, c.from, c.to, c.n)
	if err == nil && (next != c.to || v.events.Len() != c.n) {
		err = errUnlike
	}
	if err != nil {
		return fmt.Errorf("reading events again: %w", err)
	}
	return nil
}

// resolve sets the sites, and the blocks that FREEs end. The lock is held.
func (ix *fileIndex) resolve(v *view) error {
	e := &v.events
	n := len(e.Size)
	v.once = new(sync.Once)
	v.site, v.refs = column.Resize(v.site, n), column.Resize(v.refs, e.Len()-n)
	small, keys := ix.sites.First, ix.sites.Keys
	r := column.EndReader{B: v.c.ends}
	p, free := 0, 0
	for _, kind := range e.Kind {
		switch kind {
		case model.Free:
			if len(r.B) == 0 {
				return errUnlike
			}
			to := r.Next(p)
			if q, ok := to.Local(); ok && q >= p || !ok && to != column.NoRef && uint32(to) >= v.c.firstRec {
				return errUnlike
			}
			v.refs[free] = to
			free++
			continue
		case model.Alloc:
			id, thread := e.ID[p], e.Thread[p]
			if id < uint64(len(small)) {
				if s := small[id]; s != 0 && keys[s-1].Thread == thread {
					v.site[p] = s - 1
					p++
					continue
				}
			}
			s, ok := ix.sites.Find(group.SiteKey{ID: id, Thread: thread})
			if !ok {
				return errUnlike
			}
			v.site[p] = s
		}
		p++
	}
	return nil
}

// follow sets the fates of a view, once.
func (v *view) follow() {
	v.once.Do(func() {
		n := len(v.events.Size)
		v.event, v.died, v.record = column.Resize(v.event, n), column.Resize(v.died, n), column.Resize(v.record, n)
		clear(v.died)
		p, free := 0, 0
		for i, kind := range v.events.Kind {
			if kind == model.Free {
				if q, ok := v.refs[free].Local(); ok {
					v.died[q] = uint32(i) + 1
				}
				free++
				continue
			}
			v.event[p] = uint32(i)
			if kind != model.Alloc {
				v.died[p] = 1 // not a block
			}
			p++
		}
		for _, o := range v.c.over {
			if q, ok := o.ref.Local(); ok {
				v.died[q] = o.event + 1
			}
		}
		rec := v.c.firstRec
		for p := range v.died {
			v.record[p] = rec
			if v.died[p] == 0 && rec+1 < v.c.firstRec+v.c.records {
				rec++
			}
		}
	})
}

// keptViews is the number of chunks that stay decoded.
const keptViews = 4

// viewCache keeps the last views that were used.
type viewCache struct {
	mu    sync.Mutex
	views []*view // most recently used first
}

// view returns a chunk's view. Return it with done. The lock is held.
func (ix *fileIndex) view(c *chunk) (*view, error) {
	v := ix.views.use(c)
	v.filled.Do(func() {
		v.err = model.Guarded(func() error {
			if err := ix.load(v, c); err != nil {
				return err
			}
			return ix.resolve(v)
		})
	})
	if v.err != nil {
		ix.views.drop(v)
		return nil, v.err
	}
	return v, nil
}

// use returns the view of a chunk, which is empty if it was not cached.
func (k *viewCache) use(c *chunk) *view {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.views, func(v *view) bool { return v.c == c })
	if i < 0 {
		v := k.spare()
		v.c, v.filled, v.err = c, new(sync.Once), nil
		i = len(k.views)
		k.views = append(k.views, v)
	}
	v := k.views[i]
	copy(k.views[1:i+1], k.views[:i])
	k.views[0] = v
	v.users++
	return v
}

// drop removes a view that could not be filled.
func (k *viewCache) drop(v *view) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.views = slices.DeleteFunc(k.views, func(o *view) bool { return o == v })
}

// spare removes the least recently used view from the cache, or makes a new one.
func (k *viewCache) spare() *view {
	if len(k.views) >= keptViews {
		for i := len(k.views) - 1; i >= 0; i-- {
			if v := k.views[i]; v.users == 0 {
				k.views = slices.Delete(k.views, i, i+1)
				v.forget()
				return v
			}
		}
	}
	return new(view)
}

// forget drops events that do not belong to the view.
func (v *view) forget() {
	if v.c != nil && v.c.kept != nil {
		v.events = model.Columns{}
	}
}

// done returns a view after use.
func (ix *fileIndex) done(v *view) {
	ix.views.mu.Lock()
	v.users--
	ix.views.mu.Unlock()
}

// chunkAt returns the index of the chunk with event number n, or the number of chunks if there is none.
func (ix *fileIndex) chunkAt(n int) int {
	return sort.Search(len(ix.chunks), func(i int) bool { return ix.chunks[i].first+ix.chunks[i].n > n })
}

// eachView calls f for the chunks with events [lo, hi), in order, with the part of the chunk that is in the range. f
// must not keep the view. The lock is held, and yielded to writers between chunks.
func (ix *fileIndex) eachView(ctx context.Context, lo, hi int, f func(v *view, from, to int)) error {
	if lo >= hi {
		return ctx.Err()
	}
	part := func(v *view) { f(v, max(lo-v.c.first, 0), min(hi-v.c.first, v.c.n)) }
	first, last := ix.chunkAt(lo), ix.chunkAt(hi-1)
	if last-first < 2 {
		for _, c := range ix.chunks[first : last+1] {
			v, err := ix.view(c)
			if err != nil {
				return err
			}
			part(v)
			ix.done(v)
		}
		return ctx.Err()
	}
	return ix.scan(ctx, ix.chunks[first:last+1], part)
}

// scan is eachView for many chunks: it reads ahead, and does not cache its views.
func (ix *fileIndex) scan(ctx context.Context, chunks []*chunk, f func(v *view)) error {
	type loaded struct {
		v   *view
		err error
	}
	stop := make(chan struct{})
	defer close(stop)
	ahead, spare := make(chan loaded), make(chan *view, 2)
	spare <- new(view)
	spare <- new(view)
	go func() {
		for _, c := range chunks {
			var v *view
			select {
			case v = <-spare:
			case <-stop:
				return
			}
			err := model.Guarded(func() error { return ix.load(v, c) })
			select {
			case ahead <- loaded{v, err}:
			case <-stop:
				return
			}
		}
	}()
	for range chunks {
		l := <-ahead
		err := l.err
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = ix.resolve(l.v)
		}
		if err != nil {
			return err
		}
		f(l.v)
		l.v.forget()
		spare <- l.v
		ix.yield()
	}
	return nil
}

// fileBlock is a block with all that is known about it.
type fileBlock struct {
	site           uint32
	size           uint64
	addr           uint64     // 0 if it was not read
	born, died     uint32     // events; died may be alive
	bornAt, diedAt model.Time // NoTime while alive
}

// blockOf returns the block of an allocation of a view.
func (ix *fileIndex) blockOf(v *view, p int) (b fileBlock) {
	v.follow()
	event := v.event[p]
	c := v.c
	b = fileBlock{
		site: v.site[p], size: v.events.Size[p], addr: v.events.Addr[event],
		born: uint32(c.first) + event, bornAt: c.begin + v.events.Since(int(event)),
	}
	if died := v.died[p]; died != 0 {
		b.died, b.diedAt = uint32(c.first)+died-1, c.begin+v.events.Since(int(died-1))
	} else {
		b.died, b.diedAt = ix.endOf(int(v.record[p]))
	}
	return b
}

func (ix *fileIndex) endOf(record int) (died uint32, at model.Time) {
	if died = ix.records.died.At(record); died == alive {
		return died, model.NoTime
	}
	return died, ix.records.diedAt.At(record)
}

// recordBlock returns the block of a record, without its address.
func (ix *fileIndex) recordBlock(r int) (b fileBlock) {
	b.site, b.size = ix.records.origin.At(r)
	b.born, b.bornAt = uint32(ix.records.born.At(r)), model.Time(ix.records.bornAt.At(r))
	b.died, b.diedAt = ix.endOf(r)
	return b
}

// recordWalk is recordBlock for records in ascending order, without a search for each.
type recordWalk struct {
	ix           *fileIndex
	born, bornAt column.RiseReader
	block        fileBlock
}

func (ix *fileIndex) walkRecords() *recordWalk {
	return &recordWalk{ix: ix, born: ix.records.born.Reader(), bornAt: ix.records.bornAt.Reader()}
}

// to returns the block of a record after the last one. The result is valid until the next call.
func (w *recordWalk) to(r int) *fileBlock {
	b := &w.block
	b.site, b.size = w.ix.records.origin.At(r)
	b.born, b.bornAt = uint32(w.born.To(r)), model.Time(w.bornAt.To(r))
	b.died, b.diedAt = w.ix.endOf(r)
	return b
}

func (ix *fileIndex) refBlock(v *view, r column.Ref) fileBlock {
	if p, ok := r.Local(); ok {
		return ix.blockOf(v, p)
	}
	return ix.recordBlock(int(r))
}

// siteSize returns the site and size that refBlock would, faster.
func (ix *fileIndex) siteSize(v *view, r column.Ref) (site uint32, size uint64) {
	if p, ok := r.Local(); ok {
		return v.site[p], v.events.Size[p]
	}
	return ix.records.origin.At(int(r))
}

// payload returns the number of events of a view before an event that are not FREE.
func (v *view) payload(event int) int {
	v.follow()
	return sort.Search(len(v.event), func(i int) bool { return int(v.event[i]) >= event })
}

// eachChange calls f for every block that is born or ends in events [from, to) of a view, in order. An allocation at a
// live address ends the old block first.
func (ix *fileIndex) eachChange(v *view, from, to int, f func(event int, r column.Ref, how column.Change)) {
	e := &v.events
	p := 0
	if from > 0 {
		p = v.payload(from)
	}
	free := from - p
	over := v.c.over[sort.Search(len(v.c.over), func(i int) bool { return int(v.c.over[i].event) >= from }):]
	for i := from; i < to; i++ {
		switch e.Kind[i] {
		case model.Alloc:
			if len(over) > 0 && int(over[0].event) == i {
				f(i, over[0].ref, column.Overwrote)
				over = over[1:]
			}
			f(i, column.LocalRef|column.Ref(p), column.Born)
			p++
		case model.Free:
			r := v.refs[free]
			free++
			if r == column.NoRef {
				continue
			}
			f(i, r, ix.howFreed(v, i, p, r))
		default:
			p++
		}
	}
}

// howFreed returns how a FREE of a view ends its block, in particular whether the event before allocated it; p is the
// number of earlier events that are not FREE.
func (ix *fileIndex) howFreed(v *view, event, p int, r column.Ref) column.Change {
	if q, ok := r.Local(); ok {
		if q == p-1 && v.events.Kind[event-1] == model.Alloc {
			return column.FreedAtOnce
		}
	} else if event == 0 && int(ix.records.born.At(int(r)))+1 == v.c.first {
		return column.FreedAtOnce
	}
	return column.Freed
}

// replay is eachChange for any range of events, with their numbers in the trace.
func (ix *fileIndex) replay(ctx context.Context, lo, hi int, f func(v *view, event int, r column.Ref, how column.Change)) error {
	return ix.eachView(ctx, lo, hi, func(v *view, from, to int) {
		ix.eachChange(v, from, to, func(event int, r column.Ref, how column.Change) { f(v, v.c.first+event, r, how) })
	})
}

// bornIn calls f for every block that is born in events [from, to) of a view, in order. The block is valid until f
// returns.
func (ix *fileIndex) bornIn(v *view, from, to int, f func(b *fileBlock)) {
	var b fileBlock // one for all, as it is heap-allocated
	for p := v.payload(from); p < len(v.event) && int(v.event[p]) < to; p++ {
		if v.events.Kind[v.event[p]] == model.Alloc {
			b = ix.blockOf(v, p)
			f(&b)
		}
	}
}

// eachKept calls f for every block that is born in events [lo, hi) and alive after them, in order of birth. Addresses
// may be missing. The block is valid until f returns.
func (ix *fileIndex) eachKept(ctx context.Context, lo, hi int, f func(b *fileBlock)) error {
	return ix.eachKeptOf(ctx, lo, hi, func(uint32) bool { return true }, f)
}

// eachKeptOf is eachKept for the blocks of some sites.
func (ix *fileIndex) eachKeptOf(ctx context.Context, lo, hi int, wanted func(site uint32) bool, f func(b *fileBlock)) error {
	if lo >= hi {
		return ctx.Err()
	}
	first := ix.records.born.Search(uint64(lo))
	records := ix.walkRecords()
	ix.keptRecords(first, ix.recordsBefore(hi), hi, func(r int) {
		if site, _ := ix.records.origin.At(r); wanted(site) {
			f(records.to(r))
		}
	})
	return ix.keptOfChunk(ctx, lo, hi, func(b *fileBlock) {
		if wanted(b.site) {
			f(b)
		}
	})
}

// recordsBefore returns the number of records of the chunks that end at event hi or before.
func (ix *fileIndex) recordsBefore(hi int) int {
	if k := ix.chunkAt(hi); k < len(ix.chunks) {
		return int(ix.chunks[k].firstRec)
	}
	return ix.records.len()
}

// keptRecords calls f for the records [from, to) whose blocks are alive after hi events.
func (ix *fileIndex) keptRecords(from, to, hi int, f func(r int)) {
	for from < to {
		base := from &^ column.ChunkMask
		end := min(column.ChunkLen, to-base)
		for i, died := range ix.records.died.Chunks[from>>column.ChunkBits][from-base : end] {
			if int(died) >= hi {
				f(from + i)
			}
		}
		from = base + column.ChunkLen
	}
}

// keptOfChunk is eachKept for the blocks of the chunk that contains hi, if there is one.
func (ix *fileIndex) keptOfChunk(ctx context.Context, lo, hi int, f func(b *fileBlock)) error {
	k := ix.chunkAt(hi)
	if k == len(ix.chunks) || ix.chunks[k].first == hi {
		return ctx.Err()
	}
	v, err := ix.view(ix.chunks[k])
	if err != nil {
		return err
	}
	defer ix.done(v)
	ix.bornIn(v, max(lo-v.c.first, 0), hi-v.c.first, func(b *fileBlock) {
		if int(b.died) >= hi {
			f(b)
		}
	})
	return ctx.Err()
}
