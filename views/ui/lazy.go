package ui

import (
	"context"
	"sync"
	"time"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// Patience is how long showing a state waits for all its answers together before it is drawn with those that are ready.
// Most are within it, and one frame with the right figures is better than two.
const Patience = 9 * time.Millisecond

// Charted records that the chart has been requested. The first frame waits for nothing else: an empty screen is worse
// than two frames.
func (e *Env) Charted() {
	if e.Opening {
		e.Until = time.Now()
	}
}

// loadShare is the share of time that answers may take while a file loads: they delay the loading, and are soon
// outdated.
const loadShare = 0.2

// deepShare is the share of time that answers of [NewDeepLazy] may take while a recording is followed: nothing is added
// to what is shown meanwhile.
const deepShare = 0.05

// Work measures how long answers take. Any goroutine may use it.
type Work struct {
	mu      sync.Mutex
	running int
	began   time.Time // of the period in which something runs
	ended   time.Time // of the last one
	took    time.Duration
}

func (w *Work) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == 0 {
		w.began = time.Now()
	}
	w.running++
}

// Stop notes that an answer is complete or canceled.
func (w *Work) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running--; w.running == 0 {
		w.ended = time.Now()
		w.took = w.ended.Sub(w.began)
	}
}

// Idle reports whether nothing runs and the last period is long enough ago for loadShare.
func (w *Work) Idle() bool { return w.idle(loadShare) }

// LongIdle is Idle for answers that are repeated while a recording is followed.
func (w *Work) LongIdle() bool { return w.idle(deepShare) }

// Rested reports whether nothing has run for a time.
func (w *Work) Rested(d time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running == 0 && time.Since(w.ended) >= d
}

func (w *Work) idle(share float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running == 0 && time.Since(w.ended) >= time.Duration(float64(w.took)*(1/share-1))
}

// Lazy is a value that is computed off the event loop for a key that determines it. Asking for another key cancels the
// running computation; the last value stays until the new one is computed or has failed. Its methods belong to the
// event loop.
type Lazy[K comparable, V any] struct {
	computing
	compute func(ctx context.Context, key K) (V, error)
	Key     K // asked for last
	value   V
}

// NewLazy returns a Lazy whose values are computed by compute, off the event loop.
func NewLazy[K comparable, V any](e *Env, compute func(context.Context, K) (V, error)) *Lazy[K, V] {
	return &Lazy[K, V]{computing: computing{env: e, work: e.Work}, compute: compute}
}

// NewDeepLazy is NewLazy for values that take walks over everything. They delay nothing else.
func NewDeepLazy[K comparable, V any](e *Env, compute func(context.Context, K) (V, error)) *Lazy[K, V] {
	return &Lazy[K, V]{computing: computing{env: e, work: e.DeepWork}, compute: compute}
}

// Ask starts computing the value for key unless that is under way or done, and waits for a moment.
func (z *Lazy[K, V]) Ask(key K) {
	if z.Asked && z.Key == key {
		return
	}
	z.Key = key
	z.begin(func(ctx context.Context) (func(), error) {
		v, err := z.compute(ctx, key)
		if err != nil { // an old value would be treated as the current one
			v = *new(V)
		}
		return func() { z.value = v }, err
	})
}

// Get returns the newest value; ok is false before the first, and where the value asked for last could not be computed.
func (z *Lazy[K, V]) Get() (v V, ok bool) {
	if z.have {
		v = z.value
	}
	return v, z.have
}

// computing is what of a [Lazy] is the same for all types: the program would have it a hundred times.
type computing struct {
	env    *Env
	work   *Work
	Asked  bool
	Ready  bool // the value is that of the key, or Err is set
	have   bool
	Err    error
	cancel context.CancelFunc
}

// computed is a value, as the function that keeps it, or why there is none. It has no function after a panic.
type computed struct {
	keep func()
	err  error
}

// begin starts computing another value, and waits for a moment.
func (z *computing) begin(compute func(context.Context) (keep func(), err error)) {
	if z.cancel != nil {
		z.cancel()
	}
	ctx, cancel := context.WithCancel(z.env.Ctx)
	z.Asked, z.Ready, z.cancel = true, false, cancel
	done := make(chan computed, 1)
	z.work.start()
	z.env.Background(func() {
		defer z.work.Stop()
		var c computed
		c.err = model.Trusting(ctx, func() (err error) {
			c.keep, err = compute(ctx)
			return err
		})
		done <- c
		z.env.Post(func() {
			select {
			case c := <-done:
				z.install(ctx, c)
			default: // taken while ask was waiting
			}
		})
	})
	late := time.NewTimer(time.Until(z.env.Until))
	defer late.Stop()
	select {
	case c := <-done:
		z.install(ctx, c)
	case <-late.C:
	}
}

// install takes a value unless another key was requested meanwhile.
func (z *computing) install(ctx context.Context, c computed) {
	if ctx.Err() != nil {
		return
	}
	z.Ready, z.Err, z.have = true, c.err, c.err == nil
	if c.keep != nil {
		c.keep()
	}
	z.cancel()
	z.env.Changed()
}

// Stop cancels what is being computed; the next ask begins again.
func (z *computing) Stop() {
	if z.Asked && !z.Ready {
		z.cancel()
		z.Asked = false
	}
}

// Running reports whether a value is being computed.
func (z *computing) Running() bool { return z.Asked && !z.Ready }

// Fresh reports whether the value is that of the key asked for last.
func (z *computing) Fresh() bool { return z.Ready }

// Good reports whether the value of the last requested key was computed successfully.
func (z *computing) Good() bool { return z.Ready && z.Err == nil }

// Failure returns why the value of the key asked for last could not be computed, nil where it was or is still being
// computed.
func (z *computing) Failure() error {
	if z.Ready {
		return z.Err
	}
	return nil
}

// Failing is implemented by values whose computation may fail.
type Failing interface{ Failure() error }

// Unanswered returns the text to show in place of rows if one of the values failed: the reason of the first. It is nil
// if none did.
func Unanswered(all ...Failing) []string {
	for _, z := range all {
		if err := z.Failure(); err != nil {
			return []string{"This cannot be computed: " + widget.Clean(err.Error()) + "."}
		}
	}
	return nil
}

// Staged is a lazy value that may take long: until it is ready, or if it is not wanted, a partial value is used. Both
// are computed by the same function; the key determines which. Its methods belong to the event loop.
type Staged[K comparable, V any] struct {
	whole, part *Lazy[K, V]
	wanted      bool // the whole
	parted      bool // a partial value can replace it
	shown       V
	have        bool
}

// NewStaged returns a Staged whose values are computed by compute.
func NewStaged[K comparable, V any](e *Env, compute func(context.Context, K) (V, error)) *Staged[K, V] {
	return &Staged[K, V]{whole: NewLazy(e, compute), part: NewLazy(e, compute)}
}

// Ask starts computing what is not known yet of the whole, if that is wanted, and of the part. Where no part will do,
// that is the same as the whole.
func (z *Staged[K, V]) Ask(whole, part K, wanted bool) {
	z.parted = part != whole
	if z.wanted = wanted; wanted {
		z.whole.Ask(whole)
	} else {
		z.whole.Stop()
	}
	if z.Fresh() || !z.parted {
		z.part.Stop()
	} else {
		z.part.Ask(part)
	}
}

// Get returns the newest value of either; ok is false before the first, and where neither could be computed.
func (z *Staged[K, V]) Get() (v V, ok bool) {
	switch {
	case z.Fresh():
		z.shown, z.have = z.whole.value, true
	case z.parted && z.part.Good():
		z.shown, z.have = z.part.value, true
	case z.Failure() != nil && (!z.parted || z.part.Ready):
		z.shown, z.have = *new(V), false
	}
	return z.shown, z.have
}

// Fresh reports whether the value is the whole one of the key asked for last.
func (z *Staged[K, V]) Fresh() bool { return z.wanted && z.whole.Good() }

// Failed reports whether either could not be computed.
func (z *Staged[K, V]) Failed() bool { return z.whole.Err != nil || z.part.Err != nil }

// Failure returns why the whole, or the part that replaces it, could not be computed.
func (z *Staged[K, V]) Failure() error {
	if z.parted && !z.wanted {
		return z.part.Failure()
	}
	return z.whole.Failure()
}

// Settled reports whether no better value is being computed.
func (z *Staged[K, V]) Settled() bool {
	return z.Fresh() || (!z.wanted || z.whole.Fresh()) && (!z.parted || z.part.Fresh())
}
