package traceindex

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/memtui/memtui/model"
)

var _ Loading = (*fileIndex)(nil)

var (
	errChanged = errors.New("the file changed while it was read: what was read first does not match what is read now")
	errUnlike  = errors.New("events read again differ from those read first") // whatever the cause
)

// unexplained reports whether an error may be caused by a changing input, an index file, or a bug.
func unexplained(err error) bool {
	return model.Internal(err) || errors.Is(err, errUnlike) || errors.Is(err, model.ErrGone)
}

// inputChanged reports whether the input is known to have changed since it was opened.
func (ix *fileIndex) inputChanged() bool { return ix.input != nil && ix.input.Changed() }

// explain adds to err what caused it and what was being done. Errors of other causes are returned unchanged.
func (ix *fileIndex) explain(err error, about string) error {
	var defect *model.InternalError
	switch {
	case !unexplained(err):
		return err
	case ix.inputChanged():
		return errChanged
	case errors.As(err, &defect):
		return &model.InternalError{Value: defect.Value, About: about}
	case errors.Is(err, errUnlike):
		return &model.InternalError{Value: errUnlike, About: about}
	}
	return err
}

// sequence groups the batches of a replay into chunks. Chunks whose bytes are contiguous are read again when they are
// needed, others keep their events.
type sequence struct {
	b    *builder
	ctx  context.Context
	skip int // number of events that are in the index already

	mu     sync.Mutex // a timer may close a chunk too
	j      *job       // being filled, nil before its first event
	piece  bool       // all bytes since j.from belong to its events
	at     int64      // position after the last event taken
	last   model.Time // of the event before
	origin model.Time // of j's first event
	since  time.Time  // when the first event of j arrived
	err    error
}

func (b *builder) sequence(skip int) *sequence {
	return &sequence{b: b, skip: skip, at: b.pos, last: b.match.Now()}
}

// sequential replays the source from its beginning and takes the events that are not in the index yet.
func (b *builder) sequential(ctx context.Context) error {
	s := b.sequence(b.match.Events())
	s.ctx = ctx
	ticker := time.NewTicker(settleAfter)
	defer ticker.Stop()
	done := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		for {
			select {
			case <-ticker.C:
				s.tick()
			case <-done:
				return
			}
		}
	})
	err := b.events.Replay(ctx, s.batch)
	close(done)
	ticking.Wait()
	if err == nil {
		err = s.close()
	}
	return err
}

// tick closes a chunk that has been waiting for events for some time.
func (s *sequence) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.j != nil && time.Since(s.since) >= settleAfter && s.err == nil {
		s.err = model.Guarded(s.close)
	}
}

// batch takes the events of one batch.
func (s *sequence) batch(batch *model.EventBatch) error {
	if len(batch.Problems) > 0 || batch.Lost > 0 {
		s.b.found(batch.Problems, batch.Lost)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	events := batch.Events
	skipped := min(s.skip, len(events))
	s.skip -= skipped
	events = events[skipped:]
	whole := len(batch.Problems) == 0 && batch.Lost == 0
	for i := range events {
		if s.err == nil {
			s.take(&events[i], whole)
		}
	}
	if s.skip == 0 {
		s.at = batch.Offset
	}
	if s.j != nil {
		s.j.next = batch.Offset
		if s.err == nil && s.j.events.Len() >= s.b.ix.chunkSize/eventBytes {
			s.err = s.close()
		}
	}
	_, size := s.b.events.Extent()
	s.b.ix.mu.Lock()
	s.b.ix.status.Offset, s.b.ix.status.Size = max(s.b.ix.status.Offset, batch.Offset), size
	s.b.ix.mu.Unlock()
	return s.err
}

// found publishes problems and lost bytes, and stores them in the index.
func (b *builder) found(problems []model.Problem, lost int64) {
	publish(b.store, problems, lost)
	b.ix.mu.Lock()
	defer b.ix.mu.Unlock()
	b.ix.lost += lost
	for _, p := range problems {
		b.ix.found = model.AddProblem(b.ix.found, p)
	}
}

// take adds one event. whole reports that the bytes of its batch are contiguous.
func (s *sequence) take(e *model.Event, whole bool) {
	if s.j == nil {
		if s.j, s.err = s.b.job(s.context(), s.at, 0); s.err != nil {
			return
		}
		s.j.events.Delta = e.Time - s.last
		s.origin, s.since, s.piece = e.Time, time.Now(), true
	}
	s.piece = s.piece && whole
	s.j.events.Append(e, e.Time-s.origin)
	s.last = e.Time
}

func (s *sequence) context() context.Context {
	if s.ctx == nil {
		return context.Background()
	}
	return s.ctx
}

// close passes the chunk on.
func (s *sequence) close() error {
	j := s.j
	if j == nil {
		return nil
	}
	s.j = nil
	n := j.events.Len()
	j.to = j.next
	if j.keep = !s.piece || s.b.source == nil; !j.keep {
		j.reset(j.from, j.next)
		s.b.decode(j)
		if err := s.context().Err(); err != nil {
			return err
		}
		if j.err != nil || j.events.Len() != n || j.next != j.to {
			return errUnlike
		}
	} else if err := s.b.number(j); err != nil {
		return err
	}
	return s.b.forward(s.context(), j)
}
