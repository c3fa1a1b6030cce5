package views

import (
	"context"
	"sync"
	"time"

	"github.com/memtui/memtui/views/widget"
)

// patience is how long showing a state waits for all its answers together before it draws with those it has: most come
// within it, and one frame with the right figures is better than two.
const patience = 9 * time.Millisecond

// charted says that the chart has been asked for. In the first frame nothing else is waited for: an empty screen is worse than
// two frames.
func (e *env) charted() {
	if e.opening {
		e.until = time.Now()
	}
}

// loadShare is the part of the time that answers may take while a file loads: they hold up the loading, and are outdated
// as soon as they come.
const loadShare = 0.2

// work measures how long answers take. Any goroutine may use it.
type work struct {
	mu      sync.Mutex
	running int
	began   time.Time // of the spell in which something runs
	ended   time.Time // of the last one
	took    time.Duration
}

func (w *work) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running == 0 {
		w.began = time.Now()
	}
	w.running++
}

func (w *work) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running--; w.running == 0 {
		w.ended = time.Now()
		w.took = w.ended.Sub(w.began)
	}
}

// rested reports whether nothing runs and the last spell is long enough ago for loadShare.
func (w *work) rested() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running == 0 && time.Since(w.ended) >= time.Duration(float64(w.took)*(1/loadShare-1))
}

// lazy is a value that is computed away from the event loop for a key that determines it. Asking for another key cancels
// the computation that runs; the last value stays until the new one is there. Its methods belong to the event loop.
type lazy[K comparable, V any] struct {
	env     *env
	compute func(ctx context.Context, key K) (V, error)

	key    K // asked for last
	asked  bool
	ready  bool // value is that of key
	value  V
	have   bool
	err    error
	cancel context.CancelFunc
}

func newLazy[K comparable, V any](e *env, compute func(context.Context, K) (V, error)) *lazy[K, V] {
	return &lazy[K, V]{env: e, compute: compute}
}

type answer[V any] struct {
	value V
	err   error
}

// ask starts computing the value for key unless that is under way or done, and waits for a moment.
func (z *lazy[K, V]) ask(key K) {
	if z.asked && z.key == key {
		return
	}
	if z.cancel != nil {
		z.cancel()
	}
	ctx, cancel := context.WithCancel(z.env.ctx)
	z.key, z.asked, z.ready, z.cancel = key, true, false, cancel
	done := make(chan answer[V], 1)
	z.env.work.start()
	z.env.background(func() {
		defer z.env.work.stop()
		v, err := z.compute(ctx, key)
		done <- answer[V]{v, err}
		z.env.post(func() {
			select {
			case a := <-done:
				z.install(ctx, a)
			default: // taken while ask was waiting
			}
		})
	})
	late := time.NewTimer(time.Until(z.env.until))
	defer late.Stop()
	select {
	case a := <-done:
		z.install(ctx, a)
	case <-late.C:
	}
}

// install takes an answer unless another key was asked for in the meantime.
func (z *lazy[K, V]) install(ctx context.Context, a answer[V]) {
	if ctx.Err() != nil {
		return
	}
	z.ready, z.err = true, a.err
	if a.err == nil {
		z.value, z.have = a.value, true
	}
	z.cancel()
	z.env.changed()
}

// stop cancels what is being computed; the next ask begins again.
func (z *lazy[K, V]) stop() {
	if z.asked && !z.ready {
		z.cancel()
		z.asked = false
	}
}

// get returns the newest value; ok is false before the first.
func (z *lazy[K, V]) get() (v V, ok bool) { return z.value, z.have }

// fresh reports whether the value is that of the key asked for last.
func (z *lazy[K, V]) fresh() bool { return z.ready }

// good reports whether the value is that of the key asked for last, and not one from before that could not be computed.
func (z *lazy[K, V]) good() bool { return z.ready && z.err == nil }

// failure is why the value of the key asked for last could not be computed, nil where it was or is still being computed.
func (z *lazy[K, V]) failure() error {
	if z.ready {
		return z.err
	}
	return nil
}

// failing is what may have no answer.
type failing interface{ failure() error }

// unanswered says in the place of rows that there will be none, and why: of the first that failed. It is nil where none did.
func unanswered(all ...failing) []string {
	for _, z := range all {
		if err := z.failure(); err != nil {
			return []string{"This cannot be told: " + widget.Clean(err.Error()) + "."}
		}
	}
	return nil
}

// staged is a lazy whose whole value may take long: until it is there, or where it is not wanted, a part of it does. Both are computed
// alike; the key says which it is. Its methods belong to the event loop.
type staged[K comparable, V any] struct {
	whole, part *lazy[K, V]
	wanted      bool // the whole
	parted      bool // there is a part that will do
	shown       V
	have        bool
}

func newStaged[K comparable, V any](e *env, compute func(context.Context, K) (V, error)) *staged[K, V] {
	return &staged[K, V]{whole: newLazy(e, compute), part: newLazy(e, compute)}
}

// ask starts computing what is not known yet of the whole, if that is wanted, and of the part. Where no part will do, that is the
// same as the whole.
func (z *staged[K, V]) ask(whole, part K, wanted bool) {
	z.parted = part != whole
	if z.wanted = wanted; wanted {
		z.whole.ask(whole)
	} else {
		z.whole.stop()
	}
	if z.fresh() || !z.parted {
		z.part.stop()
	} else {
		z.part.ask(part)
	}
}

// get returns the newest value of either; ok is false before the first.
func (z *staged[K, V]) get() (v V, ok bool) {
	switch {
	case z.fresh():
		z.shown, z.have = z.whole.value, true
	case z.parted && z.part.good():
		z.shown, z.have = z.part.value, true
	}
	return z.shown, z.have
}

// fresh reports whether the value is the whole one of the key asked for last.
func (z *staged[K, V]) fresh() bool { return z.wanted && z.whole.good() }

// failed reports whether either could not be computed.
func (z *staged[K, V]) failed() bool { return z.whole.err != nil || z.part.err != nil }

// failure is why the whole, or the part that stands in for it, could not be computed.
func (z *staged[K, V]) failure() error {
	if z.parted && !z.wanted {
		return z.part.failure()
	}
	return z.whole.failure()
}

// settled reports whether nothing better than the value is on its way.
func (z *staged[K, V]) settled() bool {
	return z.fresh() || (!z.wanted || z.whole.fresh()) && (!z.parted || z.part.fresh())
}
