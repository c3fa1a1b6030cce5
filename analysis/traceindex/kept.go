package traceindex

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sync"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// Place is where the index of one input is kept.
type Place interface {
	// Open returns the index file. An error says why there is none, in words.
	Open() (*sections.File, error)
	// Key is that of the input as it is now.
	Key() sections.Key
	// Discard says that the file that was opened must not be opened again.
	Discard()
}

// KeptIndex is a [fileIndex] that [Build] takes from a file where there is a good one, and builds where there is none.
// What a restored index answers is what a built one would. Some questions, those of a chart, are answered before all of
// the file is verified; the others wait. When that fails, the index is built after all, and [Status.Revision] rises.
type KeptIndex struct {
	place     Place
	budget    int64
	libraries *regexp.Regexp

	begun chan struct{} // see Begun
	begin func()        // closes it

	forget sync.Once // after the first chart

	mu     sync.Mutex
	now    *keptState
	used   int // who may read the file: answers that are being worked out, and restore
	closed bool
	file   *sections.File // nil if none is used
	why    error          // why none is
}

// keptState is one index and whether it may be asked.
type keptState struct {
	ix       *fileIndex
	file     bool          // it comes from a file
	verified chan struct{} // closed when all of it is, or never will be
	err      error         // why not; valid then
	first    uint64        // of its revisions
}

var _ Loading = (*KeptIndex)(nil)

// NewKeptIndex returns an empty index. place may be nil: then the index is built.
func NewKeptIndex(place Place) *KeptIndex {
	k := &KeptIndex{place: place, begun: make(chan struct{})}
	k.begin = sync.OnceFunc(func() { close(k.begun) })
	k.now = k.fresh()
	return k
}

func (k *KeptIndex) fresh() *keptState {
	s := &keptState{ix: k.empty(), verified: make(chan struct{})}
	s.ix.began = k.begin
	close(s.verified)
	return s
}

func (k *KeptIndex) empty() *fileIndex {
	ix := newFileIndex(defaultChunk)
	ix.Libraries = k.libraries
	return ix
}

// SetLibraries says which functions and files own no memory, beside those that are known. It must be called before
// [Build]; nil is for none.
func (k *KeptIndex) SetLibraries(more *regexp.Regexp) {
	k.libraries = more
	k.now.ix.Libraries = more
}

// SetBudget implements [Loading]. What is read from a file costs no memory to speak of.
func (k *KeptIndex) SetBudget(bytes int64) {
	k.budget = bytes
	k.now.ix.SetBudget(bytes)
}

// Begun returns a channel that is closed when there is something to chart, or will never be.
func (k *KeptIndex) Begun() <-chan struct{} { return k.begun }

// forgetCurve gives back the memory of the file's pages once a chart or a curve is made: that may read a little of each
// stretch of the curve, for which the system maps all of it. Others ask for a few places only. The index must be in
// use.
func (k *KeptIndex) forgetCurve() {
	k.mu.Lock()
	file := k.file
	if !k.now.file {
		file = nil
	}
	k.mu.Unlock()
	if file != nil && file.Forget != nil {
		k.forget.Do(file.Forget)
	}
}

// Used reports whether the index comes from a file, and why not if there was a place for one.
func (k *KeptIndex) Used() (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now.file, k.why
}

// Write writes the index to w, to be opened in the same place. It must be complete. It may be asked meanwhile.
func (k *KeptIndex) Write(ctx context.Context, w io.Writer) error {
	ix := k.state().ix
	if !ix.Status().Final {
		return errors.New("not everything was read")
	}
	return ix.save(ctx, w, k.place.Key())
}

// CheckIndex says why a file cannot be the index of an input, nil if it seems to be. It reads the ends of the file
// only.
func CheckIndex(file *sections.File, key sections.Key) error {
	return model.Guarded(func() error {
		_, err := indexFormat.Open(context.Background(), file, key, layoutOfFiles())
		return err
	})
}

// Close gives the file back as soon as nothing reads it anymore. Later questions have no answer.
func (k *KeptIndex) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.release()
}

// release closes the file when it is time. The lock is held.
func (k *KeptIndex) release() {
	if k.file != nil && k.used == 0 && (k.closed || !k.now.file) {
		k.file.Close()
		k.file = nil
	}
}

func (k *KeptIndex) state() *keptState {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.now
}

func (k *KeptIndex) build(ctx context.Context, store *model.Store, p *model.Profile) error {
	defer k.begin()
	if k.place == nil {
		return k.state().ix.build(ctx, store, p)
	}
	err := k.restore(ctx, store, p)
	if err == nil {
		return nil
	}
	k.mu.Lock()
	k.why = err
	old := k.now
	if old.file {
		k.now = k.fresh()
		k.now.first = old.revision() + 1
		k.now.ix.SetBudget(k.budget)
		old.err = err
	}
	s := k.now
	k.release()
	k.mu.Unlock()
	if old.file {
		close(old.verified)
	}
	return s.ix.build(ctx, store, p)
}

// restore takes the index from its file. It returns when all of that is verified, and what it comes down to is
// confirmed by the trace.
func (k *KeptIndex) restore(ctx context.Context, store *model.Store, p *model.Profile) error {
	file, err := k.place.Open()
	if err != nil {
		return err
	}
	s := &keptState{ix: k.empty(), file: true, verified: make(chan struct{}), first: k.state().revision() + 1}
	k.mu.Lock()
	k.file = file
	k.used++ // what others ask meanwhile, of the empty index, must not close it
	k.mu.Unlock()
	defer k.leave()
	err = model.Guarded(func() error { return s.ix.restore(ctx, file, k.place.Key(), store, p.Allocations) })
	if err == nil {
		k.mu.Lock()
		k.now = s
		k.mu.Unlock()
		k.begin()
		err = model.Guarded(func() error {
			if err := s.ix.file.VerifyAll(ctx); err != nil {
				return err
			}
			s.ix.sites.FindSites()
			return s.ix.confirm()
		})
	}
	if err != nil {
		if errors.Is(err, sections.ErrDamaged) || errors.Is(err, errIndexFalse) && !s.ix.inputChanged() {
			k.place.Discard()
		}
		return err
	}
	found, _ := remarks(&s.ix.totals, s.ix.status.Saturated, nil)
	publish(store, s.ix.found, s.ix.lost)
	publish(store, found, 0)
	close(s.verified)
	return nil
}

func (s *keptState) revision() uint64 { return s.first + s.ix.Status().Revision }

var (
	errIndexClosed = errors.New("the file is closed")
	errIndexBroken = errors.New("the index file is damaged and will not be used again: read the trace again")
)

// enter returns the index to ask; leave must follow. Unless early it waits until all of the index is verified.
func (k *KeptIndex) enter(ctx context.Context, early bool) (*keptState, error) {
	for {
		k.mu.Lock()
		s := k.now
		if k.closed && s.file {
			k.mu.Unlock()
			return nil, errIndexClosed
		}
		select {
		case <-s.verified:
			early = true
		default:
		}
		if early && s.err == nil {
			k.used++
			k.mu.Unlock()
			return s, nil
		}
		k.mu.Unlock()
		select {
		case <-s.verified:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (k *KeptIndex) leave() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.used--
	k.release()
}

// ask asks the index; about says what for. What a damaged or shrinking file does to that becomes an error, and so does
// a trace that was written over since it was read: its events may be such that nothing in the index fits them.
func ask[T any](ctx context.Context, k *KeptIndex, about string, early bool, f func(ix *fileIndex) (T, error)) (out T, err error) {
	s, err := k.enter(ctx, early)
	if err != nil {
		return out, err
	}
	defer k.leave()
	err = model.Guarded(func() error {
		out, err = f(s.ix)
		return err
	})
	if s.file {
		return out, k.explain(ctx, s.ix, err, about)
	}
	return out, s.ix.explain(err, about)
}

// explain is [fileIndex.explain] for an index from a file, which is given up where it is at fault. The index must be in
// use.
func (k *KeptIndex) explain(ctx context.Context, ix *fileIndex, err error, about string) error {
	if !unexplained(err) || ix.inputChanged() {
		return ix.explain(err, about)
	}
	if model.Internal(err) && k.sound(ctx) {
		return ix.explain(err, about+" with a kept index; --index none avoids it")
	}
	k.place.Discard()
	return fmt.Errorf("%w (%w)", errIndexBroken, err)
}

// sound reports whether the index file is what was once written. The index must be in use.
func (k *KeptIndex) sound(ctx context.Context) bool {
	k.mu.Lock()
	file := k.file
	k.mu.Unlock()
	return file != nil && model.Guarded(func() error {
		f, err := indexFormat.Open(ctx, file, k.place.Key(), layoutOfFiles())
		if err == nil {
			err = f.Sums.VerifyAll(ctx)
		}
		return err
	}) == nil
}
