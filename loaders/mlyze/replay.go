package mlyze

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	batchEvents = 2048
	zeroRun     = 64  // zero bytes that are a hole in the file rather than empty ALLOCs
	namedGaps   = 100 // damaged ranges that are reported one by one
	lookBack    = 8   // events before damage that are checked again: the first of them may be half overwritten
)

// watcher is called with every event and its position. It is for the validator: it makes decoding slower.
type watcher func(e *model.Event, offset int64, delta uint64)

// replay is one pass over the events.
type replay struct {
	trace *trace
	in    *blocks
	judge judge
	yield func(*model.EventBatch) error
	watch watcher

	out     []model.Event
	n       int        // events in out
	used    int        // events of out ever filled
	learned int        // events of out[:n] that the judge knows
	before  model.Time // time of the event before out[0]
	now     model.Time

	spans []eventSpan // aligned with out if there is a watcher
	batch model.EventBatch
	found findings
	gaps  int

	inRun    bool // reference tracer: the previous event was an ALLOC or FREE
	runDelta uint64
}

type eventSpan struct {
	offset int64
	delta  uint64
}

func (t *trace) newReplay(ctx context.Context, yield func(*model.EventBatch) error) *replay {
	r := &replay{trace: t, in: newBlocks(ctx, t.src, t.begin, blockSize), yield: yield, out: make([]model.Event, batchEvents)}
	r.judge.zeroes = t.batched
	return r
}

// run replays to the end of the input.
func (r *replay) run() error {
	for {
		if !r.trace.batched && r.watch == nil && r.now <= model.MaxTime-batchEvents*hotDelta {
			var k int
			r.in.pos, k, r.now = decodeHot(r.in.buf[:r.in.end], r.in.pos, r.now, r.out[r.n:])
			r.n += k
		}
		if r.n == len(r.out) {
			if err := r.flush(); err != nil {
				return err
			}
			continue
		}
		if r.in.left() < window && !r.in.eof && !r.arrived() {
			if err := r.flush(); err != nil { // waiting may be necessary from here
				return err
			}
			r.in.fill()
			continue
		}
		if r.in.left() == 0 {
			break
		}
		if more, err := r.one(); err != nil {
			return err
		} else if !more {
			break
		}
	}
	return r.finish()
}

// arrived reports whether the next event of a stream is there although what follows is not: what is written slowly is
// shown at once.
func (r *replay) arrived() bool {
	if r.trace.batched || r.watch != nil || r.in.src.Size() >= 0 {
		return false
	}
	var e model.Event
	_, _, st := decodeOne(r.in.rest(), &e)
	return st == decoded && (e.Kind != model.Alloc || e.Addr != 0)
}

// one decodes the next event by the general path; more is false if the input ends within it.
func (r *replay) one() (more bool, err error) {
	e := &r.out[r.n]
	b := r.in.rest()
	size, delta, st := decodeOne(b, e)
	if st == decoded && e.Kind == model.Alloc && e.Addr == 0 && !r.trace.batched && r.zeroes() {
		st = zeroHole
	}
	switch st {
	case decoded:
		if r.watch != nil {
			r.spans = append(r.spans, eventSpan{r.in.offset(), delta})
		}
		r.advance(e.Kind, delta)
		e.Time = r.now
		r.n++
		r.in.pos += size
		return true, nil
	case short:
		limited := r.trace.src.Limited() // then more is lost than this event, and it is stated why
		if r.in.err == nil && !limited && !r.trace.isWritten() {
			r.found.add(model.Error, "truncated", r.in.offset(), fmt.Sprintf("the file ends within an event, after %s of it", model.Counted(uint64(len(b)), "byte")))
		}
		if !limited {
			r.batch.Lost += int64(len(b))
		}
		r.in.pos = r.in.end
		return false, nil
	}
	return true, r.damage(st)
}

// advance adds a delta to the time. The reference tracer writes the delta of a batch into each of its events.
func (r *replay) advance(kind model.EventKind, delta uint64) {
	if r.trace.batched {
		again := r.inRun && delta == r.runDelta
		r.inRun, r.runDelta = kind <= model.Free, delta
		if again && r.inRun {
			return
		}
	}
	if delta > uint64(model.MaxTime-r.now) {
		r.found.add(model.Warning, "time-overflow", r.in.offset(), "the time of an event overflows; the maximum is used")
		delta = uint64(model.MaxTime - r.now)
	}
	r.now += model.Time(delta)
}

// zeroes reports whether the next event is in a run of zero bytes that is too long to be events.
func (r *replay) zeroes() bool {
	from, to := r.in.pos, r.in.pos
	for to < r.in.end && to-from < zeroRun && r.in.buf[to] == 0 {
		to++
	}
	for from > 0 && to-from < zeroRun && r.in.buf[from-1] == 0 {
		from--
	}
	return to-from >= zeroRun
}

// damage skips bytes that are not events.
func (r *replay) damage(st status) error {
	if err := r.askTables(); err != nil {
		return err
	}
	kind, at := r.in.rest()[0], r.in.offset()
	if st != badType {
		kind = 0
	}
	if old := r.out[min(r.n+1, r.used):r.used]; r.gaps == 0 && len(old) > 0 {
		r.judge.learn(old, old[0].Time) // the rest of earlier batches
	}
	r.stepBack()
	from := r.in.offset()
	r.in.pos++
	if err := r.judge.resync(r.in.ctx, r.in, r.gaps, at, kind); err != nil {
		return err
	}
	to := r.in.offset()
	r.batch.Lost += to - from
	r.inRun = false
	r.gaps++
	code, what := "garbage", ""
	switch st {
	case badType:
		code, what = "event-type", unknownType(kind)
	case badVarint:
		code, what = "varint", "a varint is longer than 64 bits"
	case zeroHole:
		code, what = "zero-fill", "zero bytes where events should be"
	}
	if r.gaps > namedGaps {
		r.found.add(model.Error, code, from, what+", and the bytes up to the next readable event were skipped")
		return nil
	}
	skipped := model.CountedAs(to-from, "byte was", "bytes were")
	r.found.add(model.Error, code, from, fmt.Sprintf("%s: %s skipped, up to byte %d", what, skipped, to))
	return nil
}

// unknownType names a type, and what the format keeps it for.
func unknownType(kind byte) string {
	text := fmt.Sprintf("event type %d is unknown", kind)
	if use := map[byte]string{4: "object types", 5: "reference chains", 6: "heap snapshots"}[kind]; use != "" {
		text += " (planned for " + use + ", without a layout)"
	}
	return text
}

// learn passes the events up to out[n] to the judge that it has not seen.
func (r *replay) learn(n int) {
	r.judge.learn(r.out[r.learned:n], r.timeBefore(r.learned))
	r.learned = n
}

// askTables waits for the metadata, which defines plausible stacks: whether it was read must not depend on timing.
func (r *replay) askTables() error {
	tables, err := r.trace.waitTables(r.in.ctx)
	r.judge.tables = tables.known()
	return err
}

func (r *replay) timeBefore(i int) model.Time {
	if i == 0 {
		return r.before
	}
	return r.out[i-1].Time
}

// stepBack removes the last events, starting with the first implausible one: the overwritten bytes may begin within an
// event.
func (r *replay) stepBack() {
	oldest := max(r.learned, r.n-lookBack)
	r.learn(oldest)
	keep, keepPos, pos := r.n, r.in.pos, r.in.pos
	for i := r.n - 1; i >= oldest; i-- {
		e := r.out[i]
		delta := uint64(e.Time - r.timeBefore(i))
		pos -= minimalSize(&e, delta)
		var again model.Event
		if pos < 0 {
			break
		}
		if _, d, st := decodeOne(r.in.buf[pos:r.in.end], &again); st != decoded || d != delta || again.Addr != e.Addr || again.ID != e.ID {
			break
		}
		if r.judge.damaged(&e) {
			keep, keepPos = i, pos
		}
	}
	if keep < r.n {
		r.now = r.timeBefore(keep)
		r.n, r.in.pos = keep, keepPos
		if r.watch != nil {
			r.spans = r.spans[:keep]
		}
	}
	r.learn(r.n)
}

// flush yields the batch and starts the next.
func (r *replay) flush() error {
	if err := r.in.ctx.Err(); err != nil {
		return err
	}
	r.batch.Problems = r.found.take()
	if r.n == 0 && len(r.batch.Problems) == 0 && r.batch.Lost == 0 {
		return nil
	}
	if r.gaps > 0 {
		r.learn(r.n)
	}
	r.used = max(r.used, r.n)
	r.batch.Events, r.batch.Offset = r.out[:r.n], r.in.offset()
	for i, s := range r.spans {
		r.watch(&r.out[i], s.offset, s.delta)
	}
	r.spans = r.spans[:0]
	if err := r.yield(&r.batch); err != nil {
		return err
	}
	r.before, r.n, r.learned = r.now, 0, 0
	r.batch.Lost = 0
	return nil
}

// finish reports how the input ended.
func (r *replay) finish() error {
	src, at := r.trace.src, r.in.offset()
	switch err := r.in.err; {
	case err == nil:
	case r.in.ctx.Err() != nil:
		return r.in.ctx.Err()
	case errors.Is(err, loaders.ErrShrank):
		r.found.add(model.Error, "shrank", at, err.Error())
		r.batch.Lost += max(0, src.Size()-at)
	case model.Internal(err):
		r.found.add(model.Error, model.CodeInternal, at, err.Error())
		r.batch.Lost += max(0, src.Size()-at)
	default:
		r.found.add(model.Error, "read", at, "the input cannot be read any further: "+err.Error())
		r.batch.Lost += max(0, src.Size()-at)
	}
	for _, p := range src.Problems() {
		r.found.addN(p.Severity, p.Code, p.Offset, p.Message, p.Count)
	}
	if src.Grown() {
		r.found.add(model.Note, "growing", at, "the file has grown since it was opened: what was added is not shown")
	}
	return r.flush()
}
