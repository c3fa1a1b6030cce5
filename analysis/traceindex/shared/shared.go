// Package shared holds what several questions to an index share: computations in progress, results that come in any
// order, and what was read recently.
package shared

import (
	"context"
	"sync"

	"github.com/memtui/memtui/model"
)

// Flights are computations that several questions share. They run to their end even if no question waits any longer, as
// it will be asked again.
type Flights struct {
	mu   sync.Mutex
	byID map[any]*flight
}

type flight struct {
	done chan struct{}
	err  error
}

// Do runs f on a goroutine of its own, and waits for it. Concurrent calls with the same id share one run.
func (k *Flights) Do(ctx context.Context, id any, f func(context.Context) error) error {
	k.mu.Lock()
	l := k.byID[id]
	if l == nil {
		l = &flight{done: make(chan struct{})}
		if k.byID == nil {
			k.byID = map[any]*flight{}
		}
		k.byID[id] = l
		go func() {
			l.err = model.Guarded(func() error { return f(context.WithoutCancel(ctx)) })
			k.mu.Lock()
			delete(k.byID, id)
			k.mu.Unlock()
			close(l.done)
		}()
	}
	k.mu.Unlock()
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// InOrder receives the results of parts in any order, and passes them on in the order of the parts.
type InOrder[T any] struct {
	Take func(T) // set before use

	mu    sync.Mutex
	next  int
	early map[int]T
}

// Put receives the result of a part. Parts are numbered from 0.
func (o *InOrder[T]) Put(n int, result T) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n != o.next {
		if o.early == nil {
			o.early = map[int]T{}
		}
		o.early[n] = result
		return
	}
	for ok := true; ok; result, ok = o.early[o.next] {
		delete(o.early, o.next)
		o.Take(result)
		o.next++
	}
}

// Recent keeps what was used most recently, by number.
type Recent[T any] struct {
	mu         sync.Mutex
	young, old map[int]*T
}

// Get returns a value, nil if it is not kept.
func (k *Recent[T]) Get(n int) *T {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.young[n]
	if v == nil {
		if v = k.old[n]; v != nil {
			k.add(n, v)
		}
	}
	return v
}

// Put keeps a value, which must not change.
func (k *Recent[T]) Put(n int, v *T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(n, v)
}

// leastKept is how many values are kept at least, once there are that many: at most twice as many are.
const leastKept = 256

func (k *Recent[T]) add(n int, v *T) {
	if len(k.young) >= leastKept || k.young == nil {
		k.young, k.old = make(map[int]*T, leastKept), k.young
	}
	k.young[n] = v
}

// Last counts values, and keeps the last of them.
type Last[T any] struct {
	Most  int // that are kept
	List  []T
	Total int
}

// Add adds n later values, of which list has at least the last ones that are kept.
func (l *Last[T]) Add(n int, list ...T) {
	l.Total += n
	l.List = append(l.List, list...)
	l.List = l.List[max(len(l.List)-l.Most, 0):]
}
