package views

import (
	"context"
	"time"
)

// patience is how long showing a state waits for an answer before it draws with the one it has: most answers come within
// it, and one frame with the right figures is better than two.
const patience = 9 * time.Millisecond

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
	z.env.background(func() {
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
	late := time.NewTimer(z.env.patience)
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

// get returns the newest value; ok is false before the first.
func (z *lazy[K, V]) get() (v V, ok bool) { return z.value, z.have }

// fresh reports whether the value is that of the key asked for last.
func (z *lazy[K, V]) fresh() bool { return z.ready }
