package traceindex

import (
	"context"
	"sync"
	"time"

	"github.com/memtui/memtui/analysis/traceindex/match"
	"github.com/memtui/memtui/analysis/traceindex/tally"
	"github.com/memtui/memtui/model"
)

const (
	firstPart    = 16      // the first chunk is this much smaller, and the next ones double, to show something at once
	chunkEvents  = 1 << 22 // most events of a chunk: a stream of ends cannot refer further back
	eventBytes   = 12      // approximate length of an event
	shortEvent   = 8       // less than an ALLOC or a FREE
	stackEvents  = 16      // least events of a chunk per stack, up to largerChunks
	largerChunks = 8       // how many times larger than usual chunks become for many stacks: an answer reads all of one
	regularAfter = 16      // events before damage that [model.EventSource.Replay] may still drop, with a margin
	settleAfter  = 100 * time.Millisecond
)

// builder reads a source into a fileIndex. Several goroutines decode chunks, one (or one per shard) matches them in
// order, and another one folds them in order.
type builder struct {
	ix     *fileIndex
	store  *model.Store
	events model.EventSource
	source model.ChunkSource // nil if it can only be replayed
	await  model.Awaited     // the source, if it can be read before its size is known
	end    int64
	each   int64 // approximate length of an event

	match   match.Matcher
	pos     int64 // position after the last matched event
	matched chan *job
	spare   chan *job // jobs to reuse
	fold    folder
	foldErr error
	tallied chan *job // folded
	stop    context.CancelFunc
}

func newBuilder(ix *fileIndex, store *model.Store, p *model.Profile) *builder {
	begin, size := p.Allocations.Extent()
	b := &builder{ix: ix, store: store, events: p.Allocations, end: size, pos: begin, each: eventBytes}
	b.match = match.New(ix.cores, ix.budget)
	b.fold.ix, b.fold.ctx = ix, context.Background()
	return b
}

func (ix *fileIndex) build(ctx context.Context, store *model.Store, p *model.Profile) error {
	b := newBuilder(ix, store, p)
	if s, ok := p.Allocations.(model.ChunkSource); ok && s.Decoder() != nil {
		b.source = s
		if b.await, _ = s.(model.Awaited); b.await != nil {
			b.each = b.await.EventBytes()
		}
	}
	ix.mu.Lock()
	ix.room = model.BudgetOf(ctx)
	source := b.source // the tables of the builder are dropped
	ix.Store, ix.source, ix.begin = store, source, b.pos
	ix.input, _ = p.Allocations.(model.Changing)
	ix.decoders.New = func() any { return source.Decoder() }
	ix.status.Offset, ix.status.Size = b.pos, b.end
	ix.mu.Unlock()
	err := ix.explain(b.run(ctx), "building the index")
	ix.mu.Lock()
	ix.status.Stopped, ix.status.Final = err != nil, err == nil
	ix.status.Saturated = ix.status.Saturated || ix.curve.LiveHi != 0
	ix.loading = 0
	_, ix.status.Size = p.Allocations.Extent()
	found, err := remarks(&ix.totals, ix.status.Saturated, err)
	ix.mu.Unlock()
	if !ix.told {
		publish(store, found, 0)
	}
	return err
}

// run reads the complete source.
func (b *builder) run(outer context.Context) error {
	ctx, stop := context.WithCancel(outer)
	defer stop()
	b.stop, b.fold.ctx = stop, outer
	ahead := b.ix.cores
	// One chunk is tallied, one folded, two are kept while they are matched, and the others are decoded. One more waits in between,
	// as some take longer.
	const waiting = 1
	b.spare, b.matched, b.tallied = make(chan *job, ahead+4+waiting), make(chan *job, waiting), make(chan *job)
	for range cap(b.spare) {
		b.spare <- new(job)
	}
	var folding sync.WaitGroup
	folding.Go(b.foldAll)
	folding.Go(b.tallyAll)
	regular, err := false, error(nil)
	if b.source != nil && b.end >= 0 || b.await != nil {
		regular, err = b.parallel(ctx, ahead)
	}
	if err == nil && regular {
		err = b.source.ReplayFrom(ctx, b.pos, b.match.Now(), b.sequence(0).batch)
	} else if err == nil {
		err = b.sequential(ctx)
	}
	close(b.matched)
	folding.Wait()
	if b.foldErr != nil && (err == nil || outer.Err() == nil) {
		return b.foldErr // the error that canceled ctx, or several of them joined
	}
	return err
}

// foldAll folds matched chunks until there are no more.
func (b *builder) foldAll() {
	for j := range b.matched {
		if b.foldErr == nil {
			if b.foldErr = model.Guarded(func() error { return b.fold.fold(j) }); b.foldErr != nil {
				b.stop()
			}
		}
		if b.foldErr == nil && !b.fold.uneven && b.ix.budget <= 0 {
			b.tallied <- j
		} else {
			b.spare <- j
		}
	}
	close(b.tallied)
}

// tallyAll tallies folded chunks until there are no more. Where it fails, answers are made later.
func (b *builder) tallyAll() {
	t := new(tally.Tally)
	for j := range b.tallied {
		if t != nil && model.Guarded(func() error { j.tally(b.ix, t); return nil }) != nil {
			t = nil
		}
		b.spare <- j
	}
	b.ix.mu.Lock()
	defer b.ix.mu.Unlock()
	if b.foldErr == nil && !b.fold.uneven && b.ix.budget <= 0 && b.ix.levelsFit() {
		b.ix.tally = t
	}
}

// forward matches a chunk and passes it on to foldAll.
func (b *builder) forward(ctx context.Context, j *job) error {
	if b.match.Events() > maxEvents-len(j.events.Kind) {
		return errEvents
	}
	if err := b.match.Match(&j.events, &j.Ends); err != nil {
		return err
	}
	b.pos = j.next
	b.ix.mu.Lock()
	b.ix.loading = b.match.Bytes()
	files := b.ix.files
	b.ix.mu.Unlock()
	b.match.Spill(files)
	select {
	case b.matched <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// job returns an unused job.
func (b *builder) job(ctx context.Context, from, to int64) (*job, error) {
	select {
	case j := <-b.spare:
		j.reset(from, to)
		return j, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// decode decodes the events of a job.
func (b *builder) decode(j *job) {
	d := b.ix.decoders.Get().(model.Decoder)
	defer b.ix.decoders.Put(d)
	defer close(j.decoded)
	j.err = model.Guarded(func() error {
		var err error
		if j.next, err = d.Decode(&j.events, j.from, j.to, b.mostEvents()); err == nil {
			err = b.number(j)
		}
		return err
	})
}

// mostEvents returns the maximum number of events of a chunk. If no place to cut is found, a chunk is that large: no
// larger than the largest others, as answers read it completely.
func (b *builder) mostEvents() int {
	most := min(chunkEvents, max(largerChunks*b.ix.chunkSize/shortEvent, 1))
	if b.ix.budget <= 0 {
		return most
	}
	return min(most, int(max(b.ix.budget/budgetPerEvent, leastEvents)))
}

// A decoded event takes about 32 bytes. The chunks that are in memory at once may take a quarter of a budget.
const (
	budgetPerEvent = 32 * 7 * 4
	leastEvents    = 4 << 10
)

// number prepares decoded events for the matcher.
func (b *builder) number(j *job) error {
	if err := j.number(b.fold.ctx); err != nil {
		return err
	}
	b.match.Deal(&j.events, &j.Ends)
	return nil
}

// usualChunk returns the size of chunks that have so many stacks each: a chunk stores sums for each of its stacks.
func (b *builder) usualChunk(stacks int) int64 {
	usual := max(int64(b.ix.chunkSize)*b.each/eventBytes, 1)
	return min(max(usual, int64(stacks)*stackEvents*b.each), largerChunks*usual)
}

// feed starts decoding all chunks, each between guessed boundaries, and sends them in order.
func (b *builder) feed(ctx context.Context, order chan<- *job) {
	defer close(order)
	d := b.source.Decoder()
	from, end, size, stacks := b.pos, b.end, int64(max(b.ix.chunkSize/firstPart, 1)), 0
	for at := b.pos + size; end < 0 || from < end; at += size {
		size = min(2*size, b.usualChunk(stacks))
		if end < 0 {
			var err error
			if end, err = b.await.Await(ctx, at); err != nil || end == from {
				return
			}
		}
		to := end
		if end < 0 || at < end {
			guess, ok := d.Sync(at)
			if !ok {
				continue
			}
			to = guess
		}
		j, err := b.job(ctx, from, to)
		if err != nil {
			return
		}
		stacks = j.stacks
		go b.decode(j)
		select {
		case order <- j:
		case <-ctx.Done():
			return
		}
		from = to
	}
}

// parallel reads the source in chunks up to its end, or to where events are irregular; regular reports which.
func (b *builder) parallel(ctx context.Context, ahead int) (regular bool, err error) {
	feeding, stop := context.WithCancel(ctx)
	order := make(chan *job, ahead-1)
	go b.feed(feeding, order)
	defer func() {
		stop()
		for j := range order { // they are still in use by decoders
			<-j.decoded
			b.spare <- j
		}
	}()
	var held *job // followed by too few events that are known to be regular
	pos, now := b.pos, model.Time(0)
	for j := range order {
		<-j.decoded
		for again := j.from != pos; pos < j.to; again = true {
			if again {
				if j, err = b.redo(ctx, j, held != j, pos); err != nil {
					return false, err
				}
			}
			n := j.events.Len()
			irregular := j.err != nil || n > 0 && j.events.Delta > model.MaxTime-now-j.events.Since(n-1)
			if held != nil && (!irregular || n >= regularAfter) {
				if err := b.forward(ctx, held); err != nil {
					return false, err
				}
			}
			held = nil
			if irregular {
				return false, nil
			}
			if n == 0 {
				break // the input ends within an event
			}
			held, pos = j, j.next
			now += j.events.Delta + j.events.Since(n-1)
		}
		if j != held {
			b.spare <- j
		}
	}
	if held != nil {
		err = b.forward(ctx, held)
	}
	return err == nil, err
}

// redo decodes a job again from a verified position. It reuses the job if reuse is set, else it takes another one and
// leaves the events of this one intact.
func (b *builder) redo(ctx context.Context, j *job, reuse bool, pos int64) (*job, error) {
	to := j.to
	if reuse {
		j.reset(pos, to)
	} else {
		var err error
		if j, err = b.job(ctx, pos, to); err != nil {
			return nil, err
		}
	}
	b.decode(j)
	return j, nil
}

func (ix *fileIndex) dangling() []model.Problem {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var markers []uint64
	for _, m := range ix.marks {
		if !m.gc {
			markers = append(markers, m.id)
		}
	}
	return ix.Undefined(markers)
}
